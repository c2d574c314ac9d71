/* Derivatives of functions of direction.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <string.h>

void energy__grad__jvp__x(int n, const double x[n], double x_bar[n], double x_dot[n], double x_bar_dot[n]);

void energy__grad__jvp__x(int n, const double x[n], double x_bar[restrict n], double x_dot[n],
    double x_bar_dot[restrict n]) {
  /* line 8: for (int i = 0; i < n; i++) */
  memset(x_bar, 0, (size_t)(n > 0 ? n : 0) * sizeof *x_bar);
  memset(x_bar_dot, 0, (size_t)(n > 0 ? n : 0) * sizeof *x_bar_dot);
  for (int i = 0; i < n; i++) {
    /* line 9: sum += exp(-x[i] * x[i]) * (i ? x[i - 1] : 1); */
    double x_i = x[i], x_dot_i = x_dot[i], x_i_times_x_dot_i = x_i * x_dot_i;
    double exp_value = exp(-(x_i * x_i));
    double x_i_minus_1, x_dot_i_minus_1;
    if (i != 0) {
      x_i_minus_1 = x[i - 1];
      x_dot_i_minus_1 = x_dot[i - 1];
      x_bar[i - 1] += exp_value;
      x_bar_dot[i - 1] -= 2.0 * x_i_times_x_dot_i * exp_value;
    } else {
      x_i_minus_1 = 1.0;
      x_dot_i_minus_1 = 0.0;
    }
    double t = x_i_minus_1 * exp_value;
    x_bar[i] -= 2.0 * (t * x_i);
    x_bar_dot[i] -= ((x_dot_i_minus_1 * exp_value + -2.0 * x_i_times_x_dot_i * exp_value * x_i_minus_1) *
        x_i + x_dot_i * t) * 2.0;
  }
}
