#include "ode.h"

#include "evals.h"

#include <stdlib.h>
#include <string.h>

void ode_value(size_t n, const double *x, size_t s, double *y) { ode(n, x, s, y); }

/* z = y + c slope(v). */
static void stage(size_t n, const double *restrict x, const double *restrict y, double c, const double *restrict v,
                  double *restrict z) {
  z[0] = y[0] + c * x[0];
  for (size_t i = 1; i < n; i++) {
    z[i] = y[i] + c * x[i] * v[i - 1];
  }
}

/* The adjoint of slope(v) = k, with k's derivative b y_bar + c z_bar, z being what was built from k (none where c is
   0): adds to x_bar, sets v_bar. */
static void stage_back(size_t n, const double *restrict x, const double *restrict v, double b,
                       const double *restrict y_bar, double c, const double *restrict z_bar, double *restrict x_bar,
                       double *restrict v_bar) {
  x_bar[0] += b * y_bar[0] + c * z_bar[0];
  for (size_t i = 1; i < n; i++) {
    double k_bar = b * y_bar[i] + c * z_bar[i];
    x_bar[i] += k_bar * v[i - 1];
    v_bar[i - 1] = k_bar * x[i];
  }
  v_bar[n - 1] = 0;
}

/* Keeps y before each step; the way back computes a step's stages again. */
void ode_gradient(size_t n, const double *x, size_t s, double *x_bar) {
  double h = 2 / (double)s;
  double *memory = malloc((s + 9) * n * sizeof *memory);
  double *y = memory, *u1 = memory + s * n, *u2 = u1 + n, *u3 = u2 + n, *y_bar = u3 + n, *b1 = y_bar + n, *b2 = b1 + n,
         *b3 = b2 + n, *b4 = b3 + n;
  memset(y, 0, n * sizeof *y);
  for (size_t step = 0; step + 1 < s; step++, y += n) {
    double *next = y + n;
    stage(n, x, y, h / 2, y, u1);
    stage(n, x, y, h / 2, u1, u2);
    stage(n, x, y, h, u2, u3);
    next[0] = y[0] + h * x[0];
    for (size_t i = 1; i < n; i++) {
      next[i] = y[i] + h / 6 * x[i] * (y[i - 1] + 2 * u1[i - 1] + 2 * u2[i - 1] + u3[i - 1]);
    }
  }
  memset(x_bar, 0, n * sizeof *x_bar);
  memset(y_bar, 0, n * sizeof *y_bar);
  y_bar[n - 1] = 1;
  for (size_t step = s; step-- > 0; y -= n) {
    stage(n, x, y, h / 2, y, u1);
    stage(n, x, y, h / 2, u1, u2);
    stage(n, x, y, h, u2, u3);
    stage_back(n, x, u3, h / 6, y_bar, 0, y_bar, x_bar, b3);
    stage_back(n, x, u2, h / 3, y_bar, h, b3, x_bar, b2);
    stage_back(n, x, u1, h / 3, y_bar, h / 2, b2, x_bar, b1);
    stage_back(n, x, y, h / 6, y_bar, h / 2, b1, x_bar, b4);
    for (size_t i = 0; i < n; i++) {
      y_bar[i] += b1[i] + b2[i] + b3[i] + b4[i];
    }
  }
  free(memory);
}
