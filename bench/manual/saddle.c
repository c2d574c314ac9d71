#include "descent.h"
#include "evals.h"

static double inner_value(const void *context, const double y[]) {
  const double *x = context;
  return y[0] * y[0] + y[1] * y[1] - (x[0] * x[0] + x[1] * x[1]);
}

static void inner_slope(const void *context, const double y[], double slope[]) {
  (void)context;
  slope[0] = 2 * y[0];
  slope[1] = 2 * y[1];
}

static double value(const void *context, const double x[]) {
  const double *start = context;
  double y[2] = {start[0], start[1]};
  descend(2, y, x, inner_value, inner_slope);
  return -inner_value(x, y);
}

/* Where the inner descent ends does not depend on x, so that nothing comes through it. */
static void slope(const void *context, const double x[], double slope[]) {
  (void)context;
  slope[0] = 2 * x[0];
  slope[1] = 2 * x[1];
}

void saddle_solve(bool outer_reverse, bool inner_reverse, const double *start, double *result) {
  (void)outer_reverse;
  (void)inner_reverse;
  for (size_t i = 0; i < 2; i++) {
    result[i] = start[i];
    result[2 + i] = start[i];
  }
  descend(2, result, start, value, slope);
  descend(2, result + 2, result, inner_value, inner_slope);
}
