#include "lse.h"

#include "evals.h"

double lse_value(size_t n, const double *x) { return log_sum_exp(n, x); }

void lse_gradient(size_t n, const double *x, double *x_bar) {
  size_t top = 0;
  for (size_t i = 1; i < n; i++) {
    if (x[i] > x[top]) {
      top = i;
    }
  }
  double max = x[top], sum = 0;
  for (size_t i = 0; i < n; i++) {
    x_bar[i] = exp(x[i] - max);
    sum += x_bar[i];
  }
  double inverse = 1 / sum;
  for (size_t i = 0; i < n; i++) {
    x_bar[i] *= inverse;
  }
}
