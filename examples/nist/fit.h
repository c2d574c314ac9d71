/* Nonlinear least squares by Levenberg and Marquardt's method. */
#ifndef FIT_H
#define FIT_H

#include <stddef.h>

/* Residuals r[n] and, where `jacobian` is not NULL, their derivatives jacobian[n][p], at b[p]. */
typedef void fit_function(const void *context, size_t p, const double *b, size_t n, double *r, double *jacobian);

typedef struct {
  double rss;
  size_t iterations, evaluations, polish;
  int converged;
} fit_result;

/* Moves b from a start to a minimum of the sum of squares: a trust region scaled by the largest column norms seen so
   far, then Gauss-Newton steps for as long as they shrink. Returns -1 if memory is short. */
int fit_run(fit_function *function, const void *context, size_t p, double *b, size_t n, fit_result *out_result);

#endif
