/* Derivatives of functions of /work/main/tests/dumps/hessian.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <stddef.h>
#include <string.h>

void rosenbrock__hessian(int n, const double x[n], double H[n][n]);

void rosenbrock__hessian(int n, const double x[n], double H[restrict n][n]) {
  for (size_t start = 0; start < (size_t)n; start += 8) {
    double x_dot[n > 0 ? n : 1][8];
    memset(x_dot, 0, sizeof x_dot);
    size_t k = (size_t)n - start < 8 ? (size_t)n - start : 8;
    for (size_t lane = 0; lane < k; lane++) {
      x_dot[start + lane][lane] = 1.0;
    }
    /* line 6: for (int i = 0; i + 1 < n; i++) */
    double x_bar_dot[n > 0 ? n : 1][8];
    memset(x_bar_dot, 0, sizeof x_bar_dot);
    for (int i = 0; i < n - 1; i++) {
      /* line 7: double a = 1 - x[i], b = x[i + 1] - x[i] * x[i]; */
      double x_i = x[i], b = x[i + 1] - x_i * x_i, b_scaled = 400.0 * b;
      for (int lane = 0; lane < 8; lane++) {
        double x_dot_i_lane = x_dot[i][lane];
        double b_dot = x_dot[i + 1][lane] - x_i * x_dot_i_lane * 2.0;
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
}
