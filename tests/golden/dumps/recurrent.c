/* Derivatives of functions of recurrent.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double with_history__value_and_grad__w(int steps, int n, const double w[n][n], const double x[steps][n], double w_bar[n][n]);
double in_place__value_and_grad__w(int steps, int n, const double w[n][n], const double x[steps][n], double w_bar[n][n]);

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

double with_history__value_and_grad__w(int steps, int n, const double w[n][n], const double x[steps][n],
    double w_bar[restrict n][n]) {
  void *blocks[2];
  tl_tape tape = {blocks, 0, 0};
  double (*h_bar)[n > 0 ? n : 1] = tl_tape_zeros(&tape, (size_t)(steps + 1 > 0 ? steps + 1 : 0),
      sizeof *h_bar);
  double *sum_saved = tl_tape_alloc(&tape, (size_t)(steps > 0 ? steps : 0), sizeof *sum_saved);
  if (tape.failed_bytes > 0) {
    tl_tape_report("with_history__value_and_grad__w", &tape);
    tl_tape_spoil(w_bar, (size_t)(n > 0 ? n : 0) * sizeof *w_bar);
    return (double)NAN;
  }
  /* line 8: double h[steps + 1][n], loss = 0.0; */
  double h[steps + 1 > 0 ? steps + 1 : 1][n > 0 ? n : 1];
  /* line 9: for (int i = 0; i < n; i++) */
  for (int i = 0; i < n; i++) {
    /* line 10: h[0][i] = 0.0; */
    h[0][i] = 0.0;
  }
  /* line 12: for (int t = 0; t < steps; t++) */
  double loss = 0.0;
  for (int t = 0; t < steps; t++) {
    /* line 14: for (int i = 0; i < n; i++) */
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
      /* line 16: for (int j = 0; j < n; j++) */
      double s = x[t][i];
      for (int j = 0; j < n; j++) {
        /* line 17: s += w[i][j] * h[t][j]; */
        s += w[i][j] * h[t][j];
      }
      /* line 19: h[t + 1][i] = tanh(s); */
      double tanh_s = h[t + 1][i] = tanh(s);
      /* line 20: sum += h[t + 1][i]; */
      sum += tanh_s;
    }
    /* line 20: sum += h[t + 1][i]; */
    sum_saved[t] = sum;
    /* line 22: loss += sum * sum; */
    loss += sum * sum;
  }
  memset(w_bar, 0, (size_t)(n > 0 ? n : 0) * sizeof *w_bar);
  for (int t = steps - 1; t >= 0; t--) {
    /* line 22: loss += sum * sum; */
    double sum_bar = sum_saved[t] * 2.0;
    /* line 14: for (int i = 0; i < n; i++) */
    for (int i = n - 1; i >= 0; i--) {
      /* line 19: h[t + 1][i] = tanh(s); */
      double h_t_plus_1_i = h[t + 1][i], h_bar_t_plus_1_i = h_bar[t + 1][i];
      h_bar[t + 1][i] = 0.0;
      double s_bar = (sum_bar + h_bar_t_plus_1_i) * (1.0 - h_t_plus_1_i * h_t_plus_1_i);
      /* line 16: for (int j = 0; j < n; j++) */
      for (int j = 0; j < n; j++) {
        /* line 17: s += w[i][j] * h[t][j]; */
        h_bar[t][j] += s_bar * w[i][j];
        w_bar[i][j] += s_bar * h[t][j];
      }
    }
  }
  tl_tape_free(&tape, 0);
  return loss;
}

double in_place__value_and_grad__w(int steps, int n, const double w[n][n], const double x[steps][n],
    double w_bar[restrict n][n]) {
  void *blocks[5];
  tl_tape tape = {blocks, 0, 0};
  {
    double *h_bar = tl_tape_zeros(&tape, (size_t)(n > 0 ? n : 0), sizeof *h_bar);
    double *next_bar = tl_tape_zeros(&tape, (size_t)(n > 0 ? n : 0), sizeof *next_bar);
    /* line 28: double h[n], next[n], loss = 0.0; */
    double h[n > 0 ? n : 1], next[n > 0 ? n : 1];
    /* line 29: for (int i = 0; i < n; i++) */
    for (int i = 0; i < n; i++) {
      /* line 30: h[i] = 0.0; */
      h[i] = 0.0;
    }
    /* line 32: for (int t = 0; t < steps; t++) */
    long count = n > 0 ? (long)n : 0, count_2 = steps > 0 ? (long)steps : 0;
    tl_tape_reserve((size_t)count_2 * (size_t)count + (size_t)count_2 * (size_t)(n > 0 ? n : 0) +
        (size_t)count_2, sizeof(double));
    double (*tanh_saved)[count > 0 ? count : 1] = tl_tape_alloc(&tape, (size_t)count_2, sizeof *tanh_saved);
    double (*h_saved)[n > 0 ? n : 1] = tl_tape_alloc(&tape, (size_t)count_2, sizeof *h_saved);
    double *sum_saved = tl_tape_alloc(&tape, (size_t)count_2, sizeof *sum_saved);
    if (tape.failed_bytes > 0) {
      goto out_of_memory;
    }
    double loss = 0.0;
    for (int t = 0; t < steps; t++) {
      /* line 33: for (int i = 0; i < n; i++) */
      for (int i = 0; i < n; i++) {
        /* line 32: for (int t = 0; t < steps; t++) */
        h_saved[t][i] = h[i];
        /* line 35: for (int j = 0; j < n; j++) */
        double s = x[t][i];
        for (int j = 0; j < n; j++) {
          /* line 36: s += w[i][j] * h[j]; */
          s += w[i][j] * h[j];
        }
        /* line 38: next[i] = tanh(s); */
        next[i] = tanh_saved[t][i] = tanh(s);
      }
      /* line 41: for (int i = 0; i < n; i++) */
      double sum = 0.0;
      for (int i = 0; i < n; i++) {
        /* line 42: h[i] = next[i]; */
        double next_i = h[i] = next[i];
        /* line 43: sum += h[i]; */
        sum += next_i;
      }
      /* line 43: sum += h[i]; */
      sum_saved[t] = sum;
      /* line 45: loss += sum * sum; */
      loss += sum * sum;
    }
    memset(w_bar, 0, (size_t)(n > 0 ? n : 0) * sizeof *w_bar);
    for (int t = steps - 1; t >= 0; t--) {
      /* line 45: loss += sum * sum; */
      double sum_bar = sum_saved[t] * 2.0;
      /* line 41: for (int i = 0; i < n; i++) */
      for (int i = 0; i < n; i++) {
        /* line 42: h[i] = next[i]; */
        double h_bar_i = h_bar[i];
        h_bar[i] = 0.0;
        next_bar[i] += sum_bar + h_bar_i;
      }
      /* line 33: for (int i = 0; i < n; i++) */
      for (int i = 0; i < n; i++) {
        /* line 38: next[i] = tanh(s); */
        double tanh_saved_t_i = tanh_saved[t][i], next_bar_i = next_bar[i];
        next_bar[i] = 0.0;
        double s_bar = next_bar_i * (1.0 - tanh_saved_t_i * tanh_saved_t_i);
        /* line 35: for (int j = 0; j < n; j++) */
        for (int j = 0; j < n; j++) {
          /* line 36: s += w[i][j] * h[j]; */
          h_bar[j] += s_bar * w[i][j];
          w_bar[i][j] += s_bar * h_saved[t][j];
        }
      }
    }
    tl_tape_free(&tape, 0);
    return loss;
  }
out_of_memory:
  tl_tape_report("in_place__value_and_grad__w", &tape);
  tl_tape_spoil(w_bar, (size_t)(n > 0 ? n : 0) * sizeof *w_bar);
  return (double)NAN;
}
