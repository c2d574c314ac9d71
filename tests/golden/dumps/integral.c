/* Derivatives of functions of integral.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

void trapezoid__grad(double a, double b, int n, double *a_bar, double *b_bar);

void trapezoid__grad(double a, double b, int n, double *restrict a_bar, double *restrict b_bar) {
  /* line 7: double h = (b - a) / n, s = 0.5 * (exp(-a * a) + exp(-b * b)); */
  double h = (b - a) / n, exp_value = exp(-(a * a)), exp_value_2 = exp(-(b * b));
  /* line 8: for (int i = 1; i < n; i++) */
  double s = 0.5 * (exp_value + exp_value_2), h_bar = 0.0, a_bar_2 = 0.0;
  for (int i = 1; i < n; i++) {
    /* line 9: double t = a + i * h; */
    double t = a + i * h;
    /* line 10: s += exp(-t * t); */
    double exp_value_3 = exp(-(t * t));
    s += exp_value_3;
    /* line 9: double t = a + i * h; */
    double term = 2.0 * (h * exp_value_3 * t);
    a_bar_2 -= term;
    h_bar -= term * i;
  }
  /* line 7: double h = (b - a) / n, s = 0.5 * (exp(-a * a) + exp(-b * b)); */
  double h_bar_over_n = (h_bar + s) / n;
  *a_bar = a_bar_2 - h * exp_value * a - h_bar_over_n;
  *b_bar = h_bar_over_n - h * exp_value_2 * b;
}
