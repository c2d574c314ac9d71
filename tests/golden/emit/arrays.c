#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program may define void tl_tape_failed(const char *function, size_t bytes); it is told of arrays that cannot be
 * allocated. Without it a line goes to stderr. */
__attribute__((weak)) void tl_tape_observer(const char *function, size_t bytes) __asm__("tl_tape_failed");

/* The blocks that a call allocated, and the size of one that could not be had. */
typedef struct tl_tape {
  void **blocks;
  size_t count, failed_bytes;
} tl_tape;

/* Frees all blocks but the first `kept`. */
static void tl_tape_free(tl_tape *tape, size_t kept) {
  while (tape->count > kept) {
    free(tape->blocks[--tape->count]);
  }
}

/* Tells of the failure, and frees everything. */
static void tl_tape_report(const char *function, tl_tape *tape) {
  if (tl_tape_observer != NULL) {
    tl_tape_observer(function, tape->failed_bytes);
  } else {
    fprintf(stderr, "%s: %zu bytes could not be allocated\n", function, tape->failed_bytes);
  }
  tl_tape_free(tape, 0);
}

/* Room for `count` elements, or one. NULL where that fails. */
static void *tl_tape_alloc(tl_tape *tape, size_t count, size_t size) {
  size_t bytes = count == 0 ? size : count <= (size_t)-1 / size ? count * size : (size_t)-1;
  void *block = bytes < (size_t)-1 ? malloc(bytes) : NULL;
  if (block == NULL) {
    tape->failed_bytes = bytes;
  } else {
    tape->blocks[tape->count++] = block;
  }
  return block;
}

/* All bits set: NaN in any floating type. */
__attribute__((noinline)) static void tl_tape_spoil(void *results, size_t bytes) {
  memset(results, 0xff, bytes);
}

void scale(size_t n, double x[restrict n], double a) {
  for (size_t i = 0; i < n; i++) {
    x[i] *= a;
  }
}

void matrix_vector(size_t m, size_t n, const double a[m][n], const double x[n], double y[restrict m]) {
  for (size_t i = 0; i < m; i++) {
    y[i] = 0.0;
    for (size_t j = 0; j < n; j++) {
      y[i] += a[i][j] * x[j];
    }
  }
}

void rotate(double x[restrict 3]) {
  double first = x[0], third = x[2];
  x[0] = x[1];
  x[1] = third;
  x[2] = first;
}

double old_version(size_t n, double x[restrict n]) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  double *y = tl_tape_alloc(&tape, n, sizeof *y);
  if (tape.failed_bytes > 0) {
    tl_tape_report("old_version", &tape);
    tl_tape_spoil(x, n * sizeof *x);
    return (double)NAN;
  }
  memcpy(y, x, n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    y[i] *= 2.0;
  }
  double s = 0.0;
  for (size_t i = 0; i < n; i++) {
    s += y[i] - x[i];
  }
  memcpy(x, y, n * sizeof *x);
  tl_tape_free(&tape, 0);
  return s;
}

void exchange(int n, double x[restrict 4], double y[restrict 4]) {
  for (int i = 0; i < n; i++) {
    y[0] = x[0];
    for (size_t j = 0; j < 4; j++) {
      double term = y[j];
      double term_2 = x[j];
      x[j] = term;
      y[j] = term_2;
    }
  }
}

void crossing(int n, double x[restrict 3], double y[restrict 3]) {
  for (int i = 0; i < n; i++) {
    double a[3];
    for (size_t j = 0; j < 3; j++) {
      a[j] = x[j];
    }
    a[0] = y[1];
    a[1] = x[0];
    for (size_t j = 0; j < 3; j++) {
      x[j] = y[j];
    }
    for (size_t j = 0; j < 3; j++) {
      y[j] = a[j];
    }
  }
}

double locals(size_t n, const double x[n]) {
  double a[3] = {0};
  double w[n > 0 ? n : 1];
  memset(w, 0, sizeof w);
  double m[n > 0 ? n : 1][3];
  memset(m, 0, sizeof m);
  double c = 0.0;
  for (size_t i = 0; i < n; i++) {
    double e = m[i][i % 3] = w[i] = x[i];
    c += e;
  }
  double r = a[1] = c;
  double s = r;
  for (size_t i = 0; i < n; i++) {
    s += w[i] * m[i][0];
  }
  return s + (a[1] - a[0]);
}

void fills(size_t n, int m, double x[restrict n], double y[restrict n][m]) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  double *c = tl_tape_alloc(&tape, n, sizeof *c);
  if (tape.failed_bytes > 0) {
    tl_tape_report("fills", &tape);
    tl_tape_spoil(x, n * sizeof *x);
    tl_tape_spoil(y, n * sizeof *y);
    return;
  }
  memcpy(c, x, n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    x[i] = 0.5;
  }
  for (size_t i = 0; i < n; i++) {
    x[i] += c[i];
  }
  for (size_t i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      y[i][j] = 1.0;
    }
  }
  tl_tape_free(&tape, 0);
}
