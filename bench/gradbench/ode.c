#include "ode.h"

#include "evals.h"

#include <stdlib.h>
#include <tlaloc/grad.h>

void ode_value(size_t n, const double *x, size_t s, double *y) { ode(n, x, s, y); }

void ode_gradient(size_t n, const double *x, size_t s, double *x_bar) {
  double *y = malloc(n * sizeof *y), *y_bar = calloc(n, sizeof *y_bar);
  y_bar[n - 1] = 1;
  tl_vjp(ode, x)(n, x, s, y, y_bar, x_bar);
  free(y_bar);
  free(y);
}
