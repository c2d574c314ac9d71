/* Nonlinear least squares by Levenberg and Marquardt's method. */
#ifndef FIT_H
#define FIT_H

#include <stddef.h>

/* Residuals r[n] and, where `jacobian` is not NULL, their derivatives jacobian[n][p], at b[p]. */
typedef void fit_function(const void *context, size_t p, const double *b, size_t n, double *r, double *jacobian);

typedef enum {
  FIT_CONVERGED,
  FIT_NOT_FINITE,    /* residuals or derivatives at the start, or where the steps led */
  FIT_NO_DERIVATIVE, /* at the start, all of them being 0 where the residuals are not */
  FIT_NO_END         /* in the steps allowed */
} fit_outcome;

typedef struct {
  double rss;
  size_t iterations, evaluations, polish;
  fit_outcome outcome; /* b is a result where it is FIT_CONVERGED */
} fit_result;

/* Moves b from a start to a minimum of the sum of squares: a trust region scaled by the largest column norms seen so
   far, then Gauss-Newton steps for as long as they shrink. Returns -1 if memory is short. */
int fit_run(fit_function *function, const void *context, size_t p, double *b, size_t n, fit_result *out_result);

/* Why there is no result. */
const char *fit_outcome_text(fit_outcome outcome);

#endif
