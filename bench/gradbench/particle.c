#include "particle.h"

#include "descent.h"
#include "evals.h"

#include <tlaloc/grad.h>

/* The squared distance from the origin at which the path meets the x axis. The potential's gradient is taken in reverse
   or in forward mode. */
static double particle_miss_reverse(double w) {
  double x = 0, y = 8, vx = 0.75, vy = 0, dt = 0.1;
  for (;;) {
    double ux, uy;
    tl_grad(particle_potential, x, y)(x, y, w, &ux, &uy);
    x += dt * vx;
    y += dt * vy;
    if (y <= 0) {
      double crossing = x - y / vy * vx;
      return crossing * crossing;
    }
    vx -= dt * ux;
    vy -= dt * uy;
  }
}

static double particle_miss_forward(double w) {
  double x = 0, y = 8, vx = 0.75, vy = 0, dt = 0.1;
  for (;;) {
    double ux = tl_jvp(particle_potential, x, y)(x, y, w, 1, 0);
    double uy = tl_jvp(particle_potential, x, y)(x, y, w, 0, 1);
    x += dt * vx;
    y += dt * vy;
    if (y <= 0) {
      double crossing = x - y / vy * vx;
      return crossing * crossing;
    }
    vx -= dt * ux;
    vy -= dt * uy;
  }
}

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
