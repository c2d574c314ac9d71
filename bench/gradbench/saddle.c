#include "saddle.h"

#include "descent.h"
#include "evals.h"

static double value_reverse(const void *context, const double x[]) {
  return saddle_greatest_reverse(x, context);
}

static double value_forward(const void *context, const double x[]) {
  return saddle_greatest_forward(x, context);
}

static void slope_rr(const void *context, const double x[], double slope[]) {
  tl_grad(saddle_greatest_reverse, x)(x, context, slope);
}

static void slope_rf(const void *context, const double x[], double slope[]) {
  tl_grad(saddle_greatest_forward, x)(x, context, slope);
}

static void slope_fr(const void *context, const double x[], double slope[]) {
  slope[0] = tl_jvp(saddle_greatest_reverse, x)(x, context, (double[]){1, 0});
  slope[1] = tl_jvp(saddle_greatest_reverse, x)(x, context, (double[]){0, 1});
}

static void slope_ff(const void *context, const double x[], double slope[]) {
  slope[0] = tl_jvp(saddle_greatest_forward, x)(x, context, (double[]){1, 0});
  slope[1] = tl_jvp(saddle_greatest_forward, x)(x, context, (double[]){0, 1});
}

void saddle_solve(bool outer_reverse, bool inner_reverse, const double *start, double *result) {
  static descent_slope *const slopes[2][2] = {{slope_ff, slope_fr}, {slope_rf, slope_rr}};
  double *x = result, *y = result + 2;
  for (size_t i = 0; i < 2; i++) {
    x[i] = start[i];
    y[i] = start[i];
  }
  descend(2, x, start, inner_reverse ? value_reverse : value_forward, slopes[outer_reverse][inner_reverse]);
  saddle_ascend(inner_reverse, x, y);
}
