/* Jacobians in forward and reverse mode, rows by tl_vjp and columns by tl_jvp, and the dot-product test. */
#include "check.h"

#include <tlaloc/grad.h>

enum { N = 4, M = 3 };

/* Loops, branches, in-place updates and an early exit. */
static double tangle(size_t n, const double x[n], size_t m, double y[m]) {
  double carry = 1;
  for (size_t i = 0; i < m; i++) {
    y[i] = 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (x[i] > 0.5) {
      carry = carry * x[i] + sin(x[i]);
    } else {
      carry -= x[i] * x[i];
    }
    for (size_t j = 0; j < m; j++) {
      y[j] += carry * cos(x[(i + j) % n]);
      if (j > i) {
        break;
      }
    }
    y[0] *= 1 + 0.1 * y[m - 1];
  }
  return carry;
}

int main(void) {
  double x[N] = {0.9, 0.2, 1.4, 0.7}, y[M];
  double f_by_x[1][N], y_by_x[M][N], f_by_x_2[1][N], y_by_x_2[M][N];
  double value = tl_jacobian(tangle)(N, x, M, y, f_by_x, y_by_x);
  CHECK(value, tangle(N, x, M, y));
  CHECK(tl_jacobian_reverse(tangle)(N, x, M, y, f_by_x_2, y_by_x_2), value);
  for (int j = 0; j < N; j++) {
    double x_dot[N] = {0}, y_dot[M];
    CHECK(f_by_x_2[0][j], f_by_x[0][j]);
    x_dot[j] = 1;
    CHECK(tl_jvp(tangle)(N, x, M, y, x_dot, y_dot), f_by_x[0][j]);
    for (int i = 0; i < M; i++) {
      CHECK(y_dot[i], y_by_x[i][j]);
      CHECK(y_by_x_2[i][j], y_by_x[i][j]);
    }
    /* fourth-order differences */
    double at[4], ys[4][M], h = 1e-3, keep = x[j];
    static const double shift[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
      x[j] = keep + shift[k] * h;
      at[k] = tangle(N, x, M, ys[k]);
    }
    x[j] = keep;
    CHECK_TO((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h), f_by_x[0][j], 1e-9);
    for (int i = 0; i < M; i++) {
      CHECK_TO((ys[0][i] - 8 * ys[1][i] + 8 * ys[2][i] - ys[3][i]) / (12 * h), y_by_x[i][j], 1e-9);
    }
  }
  for (int i = 0; i < M; i++) {
    double y_bar[M] = {0}, x_bar[N];
    y_bar[i] = 1;
    CHECK(tl_vjp(tangle)(N, x, M, y, 0, y_bar, x_bar), value);
    for (int j = 0; j < N; j++) {
      CHECK(x_bar[j], y_by_x[i][j]);
    }
  }
  double u[N] = {0.3, -1.1, 0.8, 0.05}, w[M] = {1.7, -0.4, 0.9}, y_dot[M], x_bar[N];
  double left = 0.6 * tl_jvp(tangle)(N, x, M, y, u, y_dot), right = 0;
  tl_vjp(tangle)(N, x, M, y, 0.6, w, x_bar);
  for (int i = 0; i < M; i++) {
    left += w[i] * y_dot[i];
  }
  for (int j = 0; j < N; j++) {
    right += x_bar[j] * u[j];
  }
  CHECK(right, left);
  CHECK(tl_check_vjp(tangle)(N, x, M, y, 0), 0);
  return check_done();
}
