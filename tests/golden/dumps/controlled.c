/* Derivatives of functions of controlled.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <string.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

double orbit__value_and_grad__rate__start(const double rate[2], const double start[2], double end, double rate_bar[2], double start_bar[2]);

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

double orbit__value_and_grad__rate__start(const double rate[2], const double start[2], double end,
    double rate_bar[restrict 2], double start_bar[restrict 2]) {
  void *blocks[8];
  tl_tape tape = {blocks, 0, 0};
  long (*saved)[2] = tl_tape_alloc(&tape, 1000, sizeof *saved);
  tl_tape_reserve(1000 * 2 * 2 + 6 * 1000 * 2, sizeof(double));
  double (*k_saved)[2][2] = tl_tape_alloc(&tape, 1000, sizeof *k_saved);
  double (*next_saved)[2] = tl_tape_alloc(&tape, 1000, sizeof *next_saved);
  double (*next_saved_2)[2] = tl_tape_alloc(&tape, 1000, sizeof *next_saved_2);
  double (*err_saved)[2] = tl_tape_alloc(&tape, 1000, sizeof *err_saved);
  double (*saved_2)[2] = tl_tape_alloc(&tape, 1000, sizeof *saved_2);
  double (*x_saved)[2] = tl_tape_alloc(&tape, 1000, sizeof *x_saved);
  double (*saved_3)[2] = tl_tape_alloc(&tape, 1000, sizeof *saved_3);
  if (tape.failed_bytes > 0) {
    tl_tape_report("orbit__value_and_grad__rate__start", &tape);
    for (size_t i = 0; i < 2; i++) {
      rate_bar[i] = (double)NAN;
      start_bar[i] = (double)NAN;
    }
    return (double)NAN;
  }
  /* line 10: double t = 0, h = 0.1, x[2] = {start[0], start[1]}; */
  double x[2];
  x[0] = start[0];
  x[1] = start[1];
  /* line 11: for (int steps = 0; t < end && steps < 1000; steps++) */
  _Bool saved_4[1000];
  double h_saved[1000];
  _Bool saved_5[1000];
  double sqrt_saved[1000];
  /* line 21: k[s][0] = -rate[0] * next[1]; */
  double rate_0 = rate[0];
  /* line 22: k[s][1] = rate[1] * next[0] * next[0]; */
  double rate_1 = rate[1];
  /* line 11: for (int steps = 0; t < end && steps < 1000; steps++) */
  double t = 0.0, h = 0.1;
  long count_2 = 0;
  for (long j = 0; j < 1000 && t < end; j++) {
    /* line 12: double k[2][2], next[2], err = 0; */
    double k[2][2], next[2];
    /* line 13: if (t + h > end) */
    _Bool is_greater = t + h > end;
    saved_4[j] = is_greater;
    if (is_greater) {
      /* line 14: h = end - t; */
      h = end - t;
    }
    /* line 14: h = end - t; */
    h_saved[j] = h;
    /* line 16: for (int s = 0; s < 2; s++) */
    for (int s = 0; s < 2; s++) {
      /* line 17: memcpy(next, x, sizeof next); */
      for (long i = 0; i < 2; i++) {
        next[i] = x[i];
      }
      /* line 18: for (int i = 0; s && i < 2; i++) */
      _Bool is_different = s != 0;
      long count = 0;
      for (long i = 0; i < 2 && is_different; i++) {
        /* line 19: next[i] += h * k[0][i]; */
        double k_0_i = k_saved[j][s][i] = k[0][(int)i];
        next[(int)i] += h * k_0_i;
        count++;
      }
      /* line 19: next[i] += h * k[0][i]; */
      saved[j][s] = count;
      /* line 21: k[s][0] = -rate[0] * next[1]; */
      double next_1 = next_saved[j][s] = next[1];
      k[s][0] = -(rate_0 * next_1);
      /* line 22: k[s][1] = rate[1] * next[0] * next[0]; */
      double next_0 = next_saved_2[j][s] = next[0];
      k[s][1] = rate_1 * next_0 * next_0;
    }
    /* line 24: for (int i = 0; i < 2; i++) */
    double err = 0.0;
    for (int i = 0; i < 2; i++) {
      err_saved[j][i] = err;
      /* line 25: err = fmax(err, fabs(h * (k[1][i] - k[0][i]) / (1e-3 * (1 + fabs(x[i]))))); */
      double k_minus_k = saved_2[j][i] = k[1][i] - k[0][i], x_i = x_saved[j][i] = x[i];
      err = fmax(err, fabs(h * k_minus_k / (1e-3 * (1.0 + fabs(x_i)))));
    }
    /* line 27: if (err <= 1) */
    _Bool is_at_most = err <= 1.0;
    saved_5[j] = is_at_most;
    if (is_at_most) {
      /* line 29: x[i] += h / 2 * (k[0][i] + k[1][i]); */
      double h_over_two = h / 2.0;
      /* line 28: for (int i = 0; i < 2; i++) */
      for (int i = 0; i < 2; i++) {
        /* line 29: x[i] += h / 2 * (k[0][i] + k[1][i]); */
        double k_plus_k = saved_3[j][i] = k[0][i] + k[1][i];
        x[i] += h_over_two * k_plus_k;
      }
      /* line 31: t += h; */
      t += h;
    }
    /* line 33: h *= fmin(5, fmax(0.2, 0.9 / sqrt(err + 1e-12))); */
    double sqrt_value = sqrt_saved[j] = sqrt(err + 1e-12);
    h *= fmin(5.0, fmax(0.2, 0.9 / sqrt_value));
    count_2++;
  }
  /* line 35: return atan2(x[1], x[0]) + x[0]; */
  double x_1 = x[1], x_0 = x[0], hypot_x_1 = hypot(x_1, x_0);
  double term = hypot_x_1 == 0.0 ? 1.0 : hypot_x_1;
  double x_bar[2];
  x_bar[0] = 1.0 - x_1 / term / term;
  x_bar[1] = x_0 / term / term;
  /* line 11: for (int steps = 0; t < end && steps < 1000; steps++) */
  for (size_t i = 0; i < 2; i++) {
    rate_bar[i] = 0.0;
  }
  double t_bar = 0.0, h_bar = 0.0;
  for (long i = count_2 - 1; i >= 0; i--) {
    /* line 13: if (t + h > end) */
    double h_2 = h_saved[i];
    /* line 33: h *= fmin(5, fmax(0.2, 0.9 / sqrt(err + 1e-12))); */
    double sqrt_value = sqrt_saved[i], over_sqrt_value = 0.9 / sqrt_value;
    double fmax_value = fmax(0.2, over_sqrt_value), fmin_value = fmin(5.0, fmax_value);
    double h_bar_2 = h_bar * fmin_value, h_bar_times_h = h_bar * h_2;
    double term_2 = 5.0 == fmax_value ? h_bar_times_h * 0.5 : h_bar_times_h;
    double err_bar = fmax_value == fmin_value ?
        -0.5 * ((over_sqrt_value == fmax_value ?
        (0.2 == over_sqrt_value ? term_2 * 0.5 : term_2) * over_sqrt_value : 0.0) / sqrt_value /
        sqrt_value) : 0.0;
    /* line 27: if (err <= 1) */
    double k_bar[2][2] = {0};
    if (saved_5[i]) {
      /* line 29: x[i] += h / 2 * (k[0][i] + k[1][i]); */
      double h_over_two = h_2 / 2.0;
      /* line 28: for (int i = 0; i < 2; i++) */
      h_bar = 0.0;
      for (int i_2 = 0; i_2 < 2; i_2++) {
        /* line 29: x[i] += h / 2 * (k[0][i] + k[1][i]); */
        double x_bar_i = x_bar[i_2];
        k_bar[0][i_2] = k_bar[1][i_2] = x_bar_i * h_over_two;
        h_bar += x_bar_i * saved_3[i][i_2] / 2.0;
      }
      /* line 29: x[i] += h / 2 * (k[0][i] + k[1][i]); */
      h_bar_2 = h_bar + (h_bar_2 + t_bar);
    }
    /* line 24: for (int i = 0; i < 2; i++) */
    h_bar = 0.0;
    for (int i_2 = 1; i_2 >= 0; i_2--) {
      double err = err_saved[i][i_2];
      /* line 25: err = fmax(err, fabs(h * (k[1][i] - k[0][i]) / (1e-3 * (1 + fabs(x[i]))))); */
      double saved_2_k_i = saved_2[i][i_2], x_value = x_saved[i][i_2];
      double term_3 = 1e-3 * (1.0 + fabs(x_value)), over_term_3 = h_2 * saved_2_k_i / term_3;
      double fabs_over_term_3 = fabs(over_term_3), err_2 = fmax(err, fabs_over_term_3);
      double term_4 = err == fabs_over_term_3 ? err_bar * 0.5 : err_bar;
      err_bar = err == err_2 ? term_4 : 0.0;
      _Bool is_equal = fabs_over_term_3 == err_2;
      double term_5 = over_term_3 > 0.0 ? term_4 : over_term_3 < 0.0 ? -term_4 : 0.0;
      double over_term_2 = (is_equal ? term_5 : 0.0) / term_3;
      double term_6 = term_5 / term_3 * over_term_3;
      x_bar[i_2] += is_equal ? (x_value > 0.0 ? -0.001 * term_6 : x_value < 0.0 ? 1e-3 * term_6 : 0.0) : 0.0;
      h_bar += over_term_2 * saved_2_k_i;
      double over_term_2_times_h = over_term_2 * h_2;
      k_bar[0][i_2] -= over_term_2_times_h;
      k_bar[1][i_2] += over_term_2_times_h;
    }
    /* line 16: for (int s = 0; s < 2; s++) */
    double next_bar[2] = {0}, h_bar_3 = 0.0;
    for (int s = 1; s >= 0; s--) {
      /* line 22: k[s][1] = rate[1] * next[0] * next[0]; */
      double next_value = next_saved_2[i][s], k_bar_s_1 = k_bar[s][1];
      k_bar[s][1] = 0.0;
      next_bar[0] += rate_1 * next_value * k_bar_s_1 * 2.0;
      rate_bar[1] += k_bar_s_1 * next_value * next_value;
      /* line 21: k[s][0] = -rate[0] * next[1]; */
      double k_bar_s_0 = k_bar[s][0];
      k_bar[s][0] = 0.0;
      next_bar[1] -= k_bar_s_0 * rate_0;
      rate_bar[0] -= k_bar_s_0 * next_saved[i][s];
      /* line 18: for (int i = 0; s && i < 2; i++) */
      for (long j = 0; j < saved[i][s]; j++) {
        /* line 19: next[i] += h * k[0][i]; */
        double next_bar_i = next_bar[(int)j];
        h_bar_3 += next_bar_i * k_saved[i][s][j];
        k_bar[0][(int)j] += next_bar_i * h_2;
      }
      /* line 17: memcpy(next, x, sizeof next); */
      for (long i_2 = 0; i_2 < 2; i_2++) {
        double next_bar_i = next_bar[i_2];
        next_bar[i_2] = 0.0;
        x_bar[i_2] += next_bar_i;
      }
    }
    /* line 17: memcpy(next, x, sizeof next); */
    h_bar = h_bar_3 + (h_bar + h_bar_2);
    /* line 13: if (t + h > end) */
    if (saved_4[i]) {
      /* line 14: h = end - t; */
      t_bar -= h_bar;
      h_bar = 0.0;
    }
  }
  /* line 10: double t = 0, h = 0.1, x[2] = {start[0], start[1]}; */
  start_bar[1] = x_bar[1];
  start_bar[0] = x_bar[0];
  double result = atan2(x_1, x_0) + x_0;
  tl_tape_free(&tape, 0);
  return result;
}
