#include "llsq.h"

#include "evals.h"

#include <string.h>

double llsq_value(size_t m, const double *x, size_t n) { return llsq(m, x, n); }

void llsq_gradient(size_t m, const double *x, size_t n, double *x_bar) {
  double power[m];
  memset(x_bar, 0, m * sizeof *x_bar);
  for (size_t i = 0; i < n; i++) {
    double t = -1 + (double)i * 2 / ((double)n - 1);
    double residual = t > 0 ? 1 : t < 0 ? -1 : 0;
    double p = 1;
    for (size_t j = 0; j < m; j++) {
      power[j] = p;
      residual -= x[j] * p;
      p *= t;
    }
    for (size_t j = 0; j < m; j++) {
      x_bar[j] -= residual * power[j];
    }
  }
}
