/* Derivatives of functions of cholesky.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void deviance__grad__A(int n, const double A[n][n], const double b[n], double A_bar[n][n]);

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

void deviance__grad__A(int n, const double A[n][n], const double b[n], double A_bar[restrict n][n]) {
  void *blocks[3];
  tl_tape tape = {blocks, 0, 0};
  double *z_bar = tl_tape_zeros(&tape, (size_t)(n > 0 ? n : 0), sizeof *z_bar);
  double (*L_bar)[n > 0 ? n : 1] = tl_tape_zeros(&tape, (size_t)(n > 0 ? n : 0), sizeof *L_bar);
  double *saved = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *saved);
  if (tape.failed_bytes > 0) {
    tl_tape_report("deviance__grad__A", &tape);
    tl_tape_spoil(A_bar, (size_t)(n > 0 ? n : 0) * sizeof *A_bar);
    return;
  }
  /* line 8: double L[n][n], z[n], sum = 0; */
  double L[n > 0 ? n : 1][n > 0 ? n : 1], z[n > 0 ? n : 1];
  /* line 9: for (int j = 0; j < n; j++) */
  for (int j = 0; j < n; j++) {
    /* line 11: for (int k = 0; k < j; k++) */
    double s = A[j][j];
    for (int k = 0; k < j; k++) {
      /* line 12: s -= L[j][k] * L[j][k]; */
      double L_j_k = L[j][k];
      s -= L_j_k * L_j_k;
    }
    /* line 14: L[j][j] = sqrt(s); */
    double sqrt_s = L[j][j] = sqrt(s);
    /* line 15: for (int i = j + 1; i < n; i++) */
    for (int i = j + 1; i < n; i++) {
      /* line 17: for (int k = 0; k < j; k++) */
      double t = A[i][j];
      for (int k = 0; k < j; k++) {
        /* line 18: t -= L[i][k] * L[j][k]; */
        t -= L[i][k] * L[j][k];
      }
      /* line 20: L[i][j] = t / L[j][j]; */
      L[i][j] = t / sqrt_s;
    }
  }
  /* line 23: for (int i = 0; i < n; i++) */
  for (int i = 0; i < n; i++) {
    /* line 24: z[i] = b[i]; */
    z[i] = b[i];
    /* line 25: for (int k = 0; k < i; k++) */
    for (int k = 0; k < i; k++) {
      /* line 26: z[i] -= L[i][k] * z[k]; */
      z[i] -= L[i][k] * z[k];
    }
    /* line 28: z[i] /= L[i][i]; */
    z[i] = saved[i] = z[i] / L[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    /* line 28: z[i] /= L[i][i]; */
    double L_i_i = L[i][i], saved_i = saved[i];
    double over_L_i_i = z_bar[i] = (saved_i * 2.0 + z_bar[i]) / L_i_i;
    L_bar[i][i] = 2.0 / L_i_i - over_L_i_i * saved_i;
    /* line 25: for (int k = 0; k < i; k++) */
    for (int k = 0; k < i; k++) {
      /* line 26: z[i] -= L[i][k] * z[k]; */
      z_bar[k] -= over_L_i_i * L[i][k];
      L_bar[i][k] = -(over_L_i_i * z[k]);
    }
    /* line 24: z[i] = b[i]; */
    z_bar[i] = 0.0;
  }
  /* line 9: for (int j = 0; j < n; j++) */
  memset(A_bar, 0, (size_t)(n > 0 ? n : 0) * sizeof *A_bar);
  for (int j = n - 1; j >= 0; j--) {
    /* line 14: L[j][j] = sqrt(s); */
    double L_j_j = L[j][j];
    /* line 15: for (int i = j + 1; i < n; i++) */
    double term = 0.0;
    for (int i = n - 1; i > j; i--) {
      /* line 20: L[i][j] = t / L[j][j]; */
      double L_bar_i_j = L_bar[i][j];
      L_bar[i][j] = 0.0;
      double t_bar = L_bar_i_j / L_j_j;
      term -= t_bar * L[i][j];
      /* line 17: for (int k = 0; k < j; k++) */
      for (int k = 0; k < j; k++) {
        /* line 18: t -= L[i][k] * L[j][k]; */
        L_bar[j][k] -= t_bar * L[i][k];
        L_bar[i][k] -= t_bar * L[j][k];
      }
      /* line 16: double t = A[i][j]; */
      A_bar[i][j] = t_bar;
    }
    /* line 14: L[j][j] = sqrt(s); */
    double L_bar_j_j = L_bar[j][j];
    L_bar[j][j] = 0.0;
    double over_L_j_j = (term + L_bar_j_j) / L_j_j;
    /* line 11: for (int k = 0; k < j; k++) */
    for (int k = 0; k < j; k++) {
      /* line 12: s -= L[j][k] * L[j][k]; */
      L_bar[j][k] -= over_L_j_j * L[j][k];
    }
    /* line 10: double s = A[j][j]; */
    A_bar[j][j] += over_L_j_j * 0.5;
  }
  tl_tape_free(&tape, 0);
}
