/* The least over x of the greatest over y, each by gradient descent, so that the outer descent differentiates through
   the inner one, which itself uses derivatives. */
#include "saddle.h"

#include "descent.h"
#include "evals.h"

#include <math.h>
#include <tlaloc/grad.h>

/* The slope by y of -saddle, in reverse or in forward mode. */
static void saddle_slope(bool reverse, const double x[2], const double y[2], double slope[2]) {
  if (reverse) {
    tl_grad(saddle, y1, y2)(x[0], x[1], y[0], y[1], &slope[0], &slope[1]);
  } else {
    slope[0] = tl_jvp(saddle, y1, y2)(x[0], x[1], y[0], y[1], 1, 0);
    slope[1] = tl_jvp(saddle, y1, y2)(x[0], x[1], y[0], y[1], 0, 1);
  }
  slope[0] = -slope[0];
  slope[1] = -slope[1];
}

/* Moves y to the greatest value for this x. The same descent as descent.h's, on -saddle. */
static void saddle_ascend(bool reverse, const double x[2], double y[2]) {
  double slope[2], at = -saddle(x[0], x[1], y[0], y[1]), step = 1e-5;
  int good = 0;
  saddle_slope(reverse, x, y, slope);
  while (sqrt(slope[0] * slope[0] + slope[1] * slope[1]) > 1e-5) {
    if (good == 10) {
      step *= 2;
      good = 0;
      continue;
    }
    double next1 = y[0] - step * slope[0], next2 = y[1] - step * slope[1];
    if (sqrt((next1 - y[0]) * (next1 - y[0]) + (next2 - y[1]) * (next2 - y[1])) <= 1e-5) {
      break;
    }
    double there = -saddle(x[0], x[1], next1, next2);
    if (there < at) {
      y[0] = next1;
      y[1] = next2;
      at = there;
      saddle_slope(reverse, x, y, slope);
      good++;
    } else {
      step /= 2;
      good = 0;
    }
  }
}

static double saddle_greatest_reverse(const double x[2], const double start[2]) {
  double y[2] = {start[0], start[1]};
  saddle_ascend(true, x, y);
  return saddle(x[0], x[1], y[0], y[1]);
}

static double saddle_greatest_forward(const double x[2], const double start[2]) {
  double y[2] = {start[0], start[1]};
  saddle_ascend(false, x, y);
  return saddle(x[0], x[1], y[0], y[1]);
}

static double value_reverse(const void *context, const double x[]) { return saddle_greatest_reverse(x, context); }

static double value_forward(const void *context, const double x[]) { return saddle_greatest_forward(x, context); }

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
