/* Derivatives of functions of rule_calls.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double sum__value_and_grad(int n, const double q[n], double q_bar[n]);
double waves__value_and_grad(int n, const double q[n], double q_bar[n]);
double loss__value_and_grad(const double w[4], double w_bar[4]);
void waves__hessian(int n, const double q[n], double H[n][n]);
static double soft_abs_jvp__value_and_jvp__x(double x, double width, double x_dot, double width_dot, double *soft_abs_dot, double x_dot_2, double *soft_abs_jvp_dot, double *soft_abs_dot_dot);

/* Copied from rule_calls.c. */
static double softplus(double x);
static double softplus_vjp(double x, double softplus_bar, double *x_bar);
static double soft_abs(double x, double width);
static double soft_abs_jvp(double x, double width, double x_dot, double width_dot, double *soft_abs_dot);
static double soft_max(int n, const double z[n]);
static double soft_max_vjp(int n, const double z[n], double soft_max_bar, double z_bar[n]);
static double softplus(double x) { return log1p(exp(x)); }
static double softplus_vjp(double x, double softplus_bar, double *x_bar) {
  *x_bar = softplus_bar / (1 + exp(-x));
  return softplus(x);
}
static double soft_abs(double x, double width) { return sqrt(x * x + width); }
static double soft_abs_jvp(double x, double width, double x_dot, double width_dot, double *soft_abs_dot) {
  double y = soft_abs(x, width);
  *soft_abs_dot = (x * x_dot + 0.5 * width_dot) / y;
  return y;
}
static double soft_max(int n, const double z[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += exp(z[i]);
  }
  return log(s);
}
static double soft_max_vjp(int n, const double z[n], double soft_max_bar, double z_bar[n]) {
  double l = soft_max(n, z);
  for (int i = 0; i < n; i++) {
    z_bar[i] = soft_max_bar * exp(z[i] - l);
  }
  return l;
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

double sum__value_and_grad(int n, const double q[n], double q_bar[restrict n]) {
  /* line 42: for (int i = 0; i < n; i++) */
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    /* line 43: s += softplus(q[i]); */
    double x_bar_value;
    double softplus_result = softplus_vjp(q[i], 1.0, &x_bar_value);
    s += softplus_result;
    q_bar[i] = x_bar_value;
  }
  return s;
}

double waves__value_and_grad(int n, const double q[n], double q_bar[restrict n]) {
  /* line 50: for (int i = 0; i < n; i++) */
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    /* line 51: s += soft_abs(q[i], 0.01) * sin(q[i]); */
    double q_i = q[i], sin_q_i = sin(q_i);
    double soft_abs_dot_value;
    double soft_abs_result = soft_abs_jvp(q_i, 0.01, 1.0, 0.0, &soft_abs_dot_value);
    s += soft_abs_result * sin_q_i;
    q_bar[i] = soft_abs_result * cos(q_i) + sin_q_i * soft_abs_dot_value;
  }
  return s;
}

double loss__value_and_grad(const double w[4], double w_bar[restrict 4]) {
  /* line 58: for (int i = 0; i < 4; i++) */
  for (int i = 0; i < 4; i++) {
    /* line 59: z[i] = tanh(w[i]); */
    w_bar[i] = tanh(w[i]);
  }
  /* line 61: return soft_max(4, z) - z[2]; */
  double w_bar_2 = w_bar[2];
  double z_bar[4];
  double soft_max_result = soft_max_vjp(4, w_bar, 1.0, z_bar);
  z_bar[2] += -1.0;
  /* line 58: for (int i = 0; i < 4; i++) */
  for (int i = 0; i < 4; i++) {
    /* line 59: z[i] = tanh(w[i]); */
    double w_bar_i = w_bar[i];
    w_bar[i] = z_bar[i] * (1.0 - w_bar_i * w_bar_i);
  }
  return soft_max_result - w_bar_2;
}

void waves__hessian(int n, const double q[n], double H[restrict n][n]) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  double *q_dot = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *q_dot);
  if (tape.failed_bytes > 0) {
    tl_tape_report("waves__hessian", &tape);
    for (size_t i = 0; i < (size_t)n; i++) {
      for (size_t j = 0; j < (size_t)n; j++) {
        H[i][j] = (double)NAN;
      }
    }
    return;
  }
  for (int i = 0; i < n; i++) {
    memset(q_dot, 0, (size_t)(n > 0 ? n : 0) * sizeof *q_dot);
    q_dot[i] = 1.0;
    /* line 50: for (int i = 0; i < n; i++) */
    for (int i_2 = 0; i_2 < n; i_2++) {
      /* line 51: s += soft_abs(q[i], 0.01) * sin(q[i]); */
      double q_i = q[i_2], q_dot_i = q_dot[i_2], sin_q_i = sin(q_i), cos_q_i = cos(q_i);
      double soft_abs_dot_value, soft_abs_dot_dot, soft_abs_jvp_dot;
      double soft_abs_result = soft_abs_jvp__value_and_jvp__x(q_i, 0.01, 1.0, 0.0, &soft_abs_dot_value,
          q_dot_i, &soft_abs_jvp_dot, &soft_abs_dot_dot);
      H[i_2][i] = soft_abs_jvp_dot * cos_q_i - q_dot_i * sin_q_i * soft_abs_result +
          (q_dot_i * cos_q_i * soft_abs_dot_value + soft_abs_dot_dot * sin_q_i);
    }
  }
  tl_tape_free(&tape, 0);
}

static double soft_abs_jvp__value_and_jvp__x(double x, double width, double x_dot, double width_dot,
    double *restrict soft_abs_dot, double x_dot_2, double *restrict soft_abs_jvp_dot,
    double *restrict soft_abs_dot_dot) {
  /* line 15: double y = soft_abs(x, width); */
  double soft_abs_dot_value;
  double y = soft_abs_jvp(x, width, x_dot_2, 0.0, &soft_abs_dot_value);
  double y_dot = soft_abs_dot_value;
  /* line 16: *soft_abs_dot = (x * x_dot + 0.5 * width_dot) / y; */
  double over_y = (x * x_dot + 0.5 * width_dot) / y;
  *soft_abs_dot = over_y;
  *soft_abs_dot_dot = (x_dot_2 * x_dot - y_dot * over_y) / y;
  *soft_abs_jvp_dot = y_dot;
  return y;
}
