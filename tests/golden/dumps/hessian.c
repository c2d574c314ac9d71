/* Derivatives of functions of hessian.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rosenbrock__hessian(int n, const double x[n], double H[n][n]);

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

void rosenbrock__hessian(int n, const double x[n], double H[restrict n][n]) {
  void *blocks[2];
  tl_tape tape = {blocks, 0, 0};
  tl_tape_reserve(2 * (size_t)(n > 0 ? n : 0) * 8, sizeof(double));
  double (*x_dot)[8] = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *x_dot);
  double (*x_bar_dot)[8] = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *x_bar_dot);
  if (tape.failed_bytes > 0) {
    tl_tape_report("rosenbrock__hessian", &tape);
    for (size_t i = 0; i < (size_t)n; i++) {
      for (size_t j = 0; j < (size_t)n; j++) {
        H[i][j] = (double)NAN;
      }
    }
    return;
  }
  for (size_t start = 0; start < (size_t)n; start += 8) {
    memset(x_dot, 0, (size_t)(n > 0 ? n : 0) * sizeof *x_dot);
    size_t k = (size_t)n - start < 8 ? (size_t)n - start : 8;
    for (size_t lane = 0; lane < k; lane++) {
      x_dot[start + lane][lane] = 1.0;
    }
    /* line 6: for (int i = 0; i + 1 < n; i++) */
    memset(x_bar_dot, 0, (size_t)(n > 0 ? n : 0) * sizeof *x_bar_dot);
    for (int i = 0; i < n - 1; i++) {
      /* line 7: double a = 1 - x[i], b = x[i + 1] - x[i] * x[i]; */
      double x_i = x[i], b = x[i + 1] - x_i * x_i, b_scaled = 400.0 * b;
      for (int lane = 0; lane < 8; lane++) {
        double x_dot_i_lane = x_dot[i][lane], b_dot = x_dot[i + 1][lane] - x_i * x_dot_i_lane * 2.0;
        x_bar_dot[i + 1][lane] += b_dot * 200.0;
        x_bar_dot[i][lane] += b_dot * -400.0 * x_i - b_scaled * x_dot_i_lane + 2.0 * x_dot_i_lane;
      }
    }
    for (int i = 0; i < n; i++) {
      for (size_t lane = 0; lane < k; lane++) {
        H[i][start + lane] = x_bar_dot[i][lane];
      }
    }
  }
  tl_tape_free(&tape, 0);
}
