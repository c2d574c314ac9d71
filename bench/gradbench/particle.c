#include "particle.h"

#include "descent.h"
#include "evals.h"

static double value_reverse(const void *context, const double w[]) {
  (void)context;
  return particle_miss_reverse(w[0]);
}

static double value_forward(const void *context, const double w[]) {
  (void)context;
  return particle_miss_forward(w[0]);
}

static void slope_rr(const void *context, const double w[], double slope[]) {
  (void)context;
  slope[0] = tl_grad(particle_miss_reverse)(w[0]);
}

static void slope_rf(const void *context, const double w[], double slope[]) {
  (void)context;
  slope[0] = tl_grad(particle_miss_forward)(w[0]);
}

static void slope_fr(const void *context, const double w[], double slope[]) {
  (void)context;
  slope[0] = tl_jvp(particle_miss_reverse)(w[0], 1);
}

static void slope_ff(const void *context, const double w[], double slope[]) {
  (void)context;
  slope[0] = tl_jvp(particle_miss_forward)(w[0], 1);
}

double particle_solve(bool outer_reverse, bool inner_reverse, double w) {
  static descent_slope *const slopes[2][2] = {{slope_ff, slope_fr}, {slope_rf, slope_rr}};
  descend(1, &w, NULL, inner_reverse ? value_reverse : value_forward, slopes[outer_reverse][inner_reverse]);
  return w;
}
