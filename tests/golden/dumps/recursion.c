/* Derivatives of functions of recursion.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <string.h>

void log_sum__grad(int n, const double x[n], double x_bar[n]);
static double log_sum__add_vjp__x(int n, const double x[n], double log_sum_bar, double x_bar[n]);

/* Copied from recursion.c. */
static double join(double a, double b);
static double log_sum(int n, const double x[n]);
static double join(double a, double b) { return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b)); }
static double log_sum(int n, const double x[n]) {
  if (n == 1) {
    return x[0];
  }
  return join(log_sum(n / 2, x), log_sum(n - n / 2, x + n / 2));
}

void log_sum__grad(int n, const double x[n], double x_bar[restrict n]) {
  /* line 9: if (n == 1) */
  memset(x_bar, 0, (size_t)(n > 0 ? n : 0) * sizeof *x_bar);
  if (n == 1) {
    /* line 10: return x[0]; */
    x_bar[0] = 1.0;
  } else {
    /* line 12: return join(log_sum(n / 2, x), log_sum(n - n / 2, x + n / 2)); */
    int n_over_two = n / 2;
    double a = log_sum(n_over_two, x), b = log_sum(n - n_over_two, x + n_over_two);
    /* line 6: static double join(double a, double b) { return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b)); } */
    double b_bar, a_bar;
    if (a > b) {
      double exp_value = exp(b - a);
      b_bar = 1.0 / (1.0 + exp_value) * exp_value;
      a_bar = 1.0 - b_bar;
    } else {
      double exp_value = exp(a - b);
      a_bar = 1.0 / (1.0 + exp_value) * exp_value;
      b_bar = 1.0 - a_bar;
    }
    /* line 12: return join(log_sum(n / 2, x), log_sum(n - n / 2, x + n / 2)); */
    (void)log_sum__add_vjp__x(n - n_over_two, x + n_over_two, b_bar, x_bar + n_over_two);
    (void)log_sum__add_vjp__x(n_over_two, x, a_bar, x_bar);
  }
}

static double log_sum__add_vjp__x(int n, const double x[n], double log_sum_bar, double x_bar[restrict n]) {
  /* line 9: if (n == 1) */
  double log_sum_2;
  if (n == 1) {
    /* line 10: return x[0]; */
    log_sum_2 = x[0];
    x_bar[0] += log_sum_bar;
  } else {
    /* line 12: return join(log_sum(n / 2, x), log_sum(n - n / 2, x + n / 2)); */
    int n_over_two = n / 2;
    double a = log_sum(n_over_two, x), b = log_sum(n - n_over_two, x + n_over_two);
    /* line 6: static double join(double a, double b) { return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b)); } */
    double join, b_bar, a_bar;
    if (a > b) {
      double exp_value = exp(b - a);
      join = a + log1p(exp_value);
      b_bar = log_sum_bar / (1.0 + exp_value) * exp_value;
      a_bar = log_sum_bar - b_bar;
    } else {
      double exp_value = exp(a - b);
      join = b + log1p(exp_value);
      a_bar = log_sum_bar / (1.0 + exp_value) * exp_value;
      b_bar = log_sum_bar - a_bar;
    }
    /* line 12: return join(log_sum(n / 2, x), log_sum(n - n / 2, x + n / 2)); */
    (void)log_sum__add_vjp__x(n - n_over_two, x + n_over_two, b_bar, x_bar + n_over_two);
    (void)log_sum__add_vjp__x(n_over_two, x, a_bar, x_bar);
    log_sum_2 = join;
  }
  return log_sum_2;
}
