/* Derivatives of functions of copies.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <stdio.h>

void smoothed__grad(int n, const double x[n][n], double x_bar[n][n]);
void mixed__grad__x(int depth, double x[8][8], double x_bar[8][8]);
static double mixed__add_vjp__x(int depth, double x[8][8], double mixed_bar, double x_bar[8][8]);

/* Copied from copies.c. */
static double mixed(int depth, double x[8][8]) {
  double y[8][8], first = x[depth][0];
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) {
      y[i][j] = x[i][j] * x[j][i];
    }
  }
  memcpy(x, y, sizeof y);
  return depth == 0 ? first : first * mixed(depth - 1, x) + mixed(depth - 1, y);
}

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

/* Takes and gives back one block for `count` elements: the C library then keeps so much for the next call. */
static void tl_tape_reserve(size_t count, size_t size) {
  void *volatile block = count <= (size_t)-1 / size ? malloc(count * size) : NULL;
  free(block);
}

/* The same filled with zeros. */
static void *tl_tape_zeros(tl_tape *tape, size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size);
  if (block == NULL) {
    tape->failed_bytes = count <= (size_t)-1 / size ? count * size : (size_t)-1;
  } else {
    tape->blocks[tape->count++] = block;
  }
  return block;
}

/* All bits set: NaN in any floating type. */
__attribute__((noinline)) static void tl_tape_spoil(void *results, size_t bytes) {
  memset(results, 0xff, bytes);
}

void smoothed__grad(int n, const double x[n][n], double x_bar[restrict n][n]) {
  void *blocks[3];
  tl_tape tape = {blocks, 0, 0};
  double *sums = tl_tape_zeros(&tape, (size_t)n, sizeof *sums);
  tl_tape_reserve((size_t)n * (size_t)(n > 0 ? n : 0) + (size_t)(n > 0 ? n : 0) * (size_t)(n > 0 ? n : 0),
      sizeof(double));
  double (*kept_bar)[n > 0 ? n : 1] = tl_tape_alloc(&tape, (size_t)n, sizeof *kept_bar);
  double (*y_bar)[n > 0 ? n : 1] = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *y_bar);
  if (tape.failed_bytes > 0) {
    tl_tape_report("smoothed__grad", &tape);
    tl_tape_spoil(x_bar, (size_t)(n > 0 ? n : 0) * sizeof *x_bar);
    return;
  }
  /* line 9: double y[n][n], z[2][3][4]; */
  double y[n > 0 ? n : 1][n > 0 ? n : 1], z[2][3][4];
  /* line 10: memcpy(y, x, sizeof y); */
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      y[i][j] = x[i][j];
    }
  }
  /* line 11: memset(z, 0, sizeof z); */
  for (long i = 0; i < 2; i++) {
    for (long j = 0; j < 3; j++) {
      for (long k = 0; k < 4; k++) {
        z[i][j][k] = 0.0;
      }
    }
  }
  /* line 12: for (int i = 1; i < n; i++) */
  for (int i = 1; i < n; i++) {
    /* line 13: for (int j = 1; j < n; j++) */
    for (int j = 1; j < n; j++) {
      /* line 14: y[i][j] = 0.5 * (y[i - 1][j] + sin(y[i][j - 1])); */
      y[i][j] = 0.5 * (y[i - 1][j] + sin(y[i][j - 1]));
    }
  }
  /* line 19: for (int i = 0; i < n; i++) */
  for (int i = 0; i < n; i++) {
    /* line 20: for (int j = 0; j < n; j++) */
    for (int j = 0; j < n; j++) {
      /* line 21: sums[i] += kept[i][j] * x[j][i]; */
      sums[i] += y[i][j] * x[j][i];
    }
    /* line 23: z[1][i % 3][3] += sums[i] * sums[i]; */
    double sums_i = sums[i];
    int index = i % 3;
    z[1][index][3] += sums_i * sums_i;
  }
  /* line 25: for (int j = 0; j < 3; j++) */
  double z_bar[2][3][4] = {0};
  for (int j = 0; j < 3; j++) {
    /* line 26: sum += z[1][j][3] * z[1][j][3]; */
    z_bar[1][j][3] = z[1][j][3] * 2.0;
  }
  /* line 19: for (int i = 0; i < n; i++) */
  for (int i = 0; i < n; i++) {
    /* line 23: z[1][i % 3][3] += sums[i] * sums[i]; */
    double t = sums[i] * z_bar[1][i % 3][3] * 2.0;
    /* line 20: for (int j = 0; j < n; j++) */
    for (int j = 0; j < n; j++) {
      /* line 21: sums[i] += kept[i][j] * x[j][i]; */
      x_bar[j][i] = t * y[i][j];
      kept_bar[i][j] = t * x[j][i];
    }
  }
  /* line 18: memcpy(kept, y, (size_t)n * (size_t)n * sizeof(double)); */
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      y_bar[i][j] = kept_bar[i][j];
    }
  }
  /* line 12: for (int i = 1; i < n; i++) */
  for (int i = n - 1; i >= 1; i--) {
    /* line 13: for (int j = 1; j < n; j++) */
    for (int j = n - 1; j >= 1; j--) {
      /* line 14: y[i][j] = 0.5 * (y[i - 1][j] + sin(y[i][j - 1])); */
      double y_bar_i_j = y_bar[i][j];
      y_bar[i][j] = 0.0;
      double half_y_bar_i_j = y_bar_i_j * 0.5;
      y_bar[i][j - 1] += half_y_bar_i_j * cos(y[i][j - 1]);
      y_bar[i - 1][j] += half_y_bar_i_j;
    }
  }
  /* line 10: memcpy(y, x, sizeof y); */
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      x_bar[i][j] += y_bar[i][j];
    }
  }
  tl_tape_free(&tape, 0);
}

void mixed__grad__x(int depth, double x[restrict 8][8], double x_bar[restrict 8][8]) {
  void *blocks[4];
  tl_tape tape = {blocks, 0, 0};
  /* line 34: double y[8][8], first = x[depth][0]; */
  double y[8][8];
  double first = x[depth][0];
  /* line 35: for (int i = 0; i < 8; i++) */
  tl_tape_reserve(3 * 8 * 8, sizeof(double));
  double (*x_saved)[8] = tl_tape_alloc(&tape, 8, sizeof *x_saved);
  double (*x_saved_2)[8] = tl_tape_alloc(&tape, 8, sizeof *x_saved_2);
  double (*y_bar)[8] = tl_tape_alloc(&tape, 8, sizeof *y_bar);
  if (tape.failed_bytes > 0) {
    goto out_of_memory;
  }
  for (int i = 0; i < 8; i++) {
    /* line 36: for (int j = 0; j < 8; j++) */
    for (int j = 0; j < 8; j++) {
      /* line 37: y[i][j] = x[i][j] * x[j][i]; */
      double x_i_j = x_saved[i][j] = x[i][j], x_j_i = x_saved_2[i][j] = x[j][i];
      y[i][j] = x_i_j * x_j_i;
    }
  }
  /* line 40: memcpy(x, y, sizeof y); */
  for (long i = 0; i < 8; i++) {
    for (long j = 0; j < 8; j++) {
      x[i][j] = y[i][j];
    }
  }
  /* line 41: return depth == 0 ? first : first * mixed(depth - 1, x) + mixed(depth - 1, y); */
  memset(x_bar, 0, 8 * sizeof *x_bar);
  double first_bar;
  if (depth == 0) {
    memset(y_bar, 0, 8 * sizeof *y_bar);
    first_bar = 1.0;
  } else {
    double (*before)[8] = tl_tape_alloc(&tape, 8, sizeof *before);
    if (tape.failed_bytes > 0) {
      goto out_of_memory;
    }
    memcpy(before, x, 8 * sizeof *x);
    first_bar = mixed(depth - 1, x);
    memset(y_bar, 0, 8 * sizeof *y_bar);
    (void)mixed__add_vjp__x(depth - 1, y, 1.0, y_bar);
    memset(x_bar, 0, 8 * sizeof *x_bar);
    (void)mixed__add_vjp__x(depth - 1, before, first, x_bar);
    tl_tape_free(&tape, 3);
  }
  /* line 40: memcpy(x, y, sizeof y); */
  for (long i = 0; i < 8; i++) {
    for (long j = 0; j < 8; j++) {
      double x_bar_i_j = x_bar[i][j];
      x_bar[i][j] = 0.0;
      y_bar[i][j] += x_bar_i_j;
    }
  }
  /* line 35: for (int i = 0; i < 8; i++) */
  for (int i = 0; i < 8; i++) {
    /* line 36: for (int j = 0; j < 8; j++) */
    for (int j = 0; j < 8; j++) {
      /* line 37: y[i][j] = x[i][j] * x[j][i]; */
      double y_bar_i_j = y_bar[i][j];
      x_bar[j][i] += y_bar_i_j * x_saved[i][j];
      x_bar[i][j] += y_bar_i_j * x_saved_2[i][j];
    }
  }
  /* line 34: double y[8][8], first = x[depth][0]; */
  x_bar[depth][0] += first_bar;
  tl_tape_free(&tape, 0);
  return;
out_of_memory:
  tl_tape_report("mixed__grad__x", &tape);
  tl_tape_spoil(x, 8 * sizeof *x);
  tl_tape_spoil(x_bar, 8 * sizeof *x_bar);
}

static double mixed__add_vjp__x(int depth, double x[restrict 8][8], double mixed_bar,
    double x_bar[restrict 8][8]) {
  void *blocks[5];
  tl_tape tape = {blocks, 0, 0};
  /* line 34: double y[8][8], first = x[depth][0]; */
  double y[8][8];
  double first = x[depth][0];
  /* line 35: for (int i = 0; i < 8; i++) */
  tl_tape_reserve(3 * 8 * 8, sizeof(double));
  double (*x_saved)[8] = tl_tape_alloc(&tape, 8, sizeof *x_saved);
  double (*x_saved_2)[8] = tl_tape_alloc(&tape, 8, sizeof *x_saved_2);
  double (*y_bar)[8] = tl_tape_alloc(&tape, 8, sizeof *y_bar);
  if (tape.failed_bytes > 0) {
    goto out_of_memory;
  }
  for (int i = 0; i < 8; i++) {
    /* line 36: for (int j = 0; j < 8; j++) */
    for (int j = 0; j < 8; j++) {
      /* line 37: y[i][j] = x[i][j] * x[j][i]; */
      double x_i_j = x_saved[i][j] = x[i][j], x_j_i = x_saved_2[i][j] = x[j][i];
      y[i][j] = x_i_j * x_j_i;
    }
  }
  /* line 40: memcpy(x, y, sizeof y); */
  for (long i = 0; i < 8; i++) {
    for (long j = 0; j < 8; j++) {
      x[i][j] = y[i][j];
    }
  }
  /* line 41: return depth == 0 ? first : first * mixed(depth - 1, x) + mixed(depth - 1, y); */
  if (depth == 0) {
    memset(y_bar, 0, 8 * sizeof *y_bar);
  } else {
    double (*before)[8] = tl_tape_alloc(&tape, 8, sizeof *before);
    if (tape.failed_bytes > 0) {
      goto out_of_memory;
    }
    memcpy(before, x, 8 * sizeof *x);
    double mixed_result = mixed(depth - 1, x);
    double (*before_2)[8] = tl_tape_alloc(&tape, 8, sizeof *before_2);
    if (tape.failed_bytes > 0) {
      goto out_of_memory;
    }
    memcpy(before_2, y, 8 * sizeof *y);
    double mixed_result_2 = mixed(depth - 1, y), t = first * mixed_result + mixed_result_2;
    memset(y_bar, 0, 8 * sizeof *y_bar);
    (void)mixed__add_vjp__x(depth - 1, before_2, mixed_bar, y_bar);
    double first_bar = mixed_bar * mixed_result;
    (void)mixed__add_vjp__x(depth - 1, before, mixed_bar * first, x_bar);
    first = t;
    mixed_bar = first_bar;
    tl_tape_free(&tape, 3);
  }
  /* line 40: memcpy(x, y, sizeof y); */
  for (long i = 0; i < 8; i++) {
    for (long j = 0; j < 8; j++) {
      double x_bar_i_j = x_bar[i][j];
      x_bar[i][j] = 0.0;
      y_bar[i][j] += x_bar_i_j;
    }
  }
  /* line 35: for (int i = 0; i < 8; i++) */
  for (int i = 0; i < 8; i++) {
    /* line 36: for (int j = 0; j < 8; j++) */
    for (int j = 0; j < 8; j++) {
      /* line 37: y[i][j] = x[i][j] * x[j][i]; */
      double y_bar_i_j = y_bar[i][j];
      x_bar[j][i] += y_bar_i_j * x_saved[i][j];
      x_bar[i][j] += y_bar_i_j * x_saved_2[i][j];
    }
  }
  /* line 34: double y[8][8], first = x[depth][0]; */
  x_bar[depth][0] += mixed_bar;
  tl_tape_free(&tape, 0);
  return first;
out_of_memory:
  tl_tape_report("mixed__add_vjp__x", &tape);
  tl_tape_spoil(x, 8 * sizeof *x);
  tl_tape_spoil(x_bar, 8 * sizeof *x_bar);
  return (double)NAN;
}
