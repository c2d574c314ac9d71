#include "descent.h"
#include "evals.h"

/* The path and, by w, its tangent. */
static double miss(double w, double *slope) {
  double x = 0, y = 8, vx = 0.75, vy = 0, dt = 0.1;
  double x_dot = 0, y_dot = 0, vx_dot = 0, vy_dot = 0;
  for (;;) {
    double dx = x - 10, d1 = y - (10 - w), d2 = y, d1_dot = y_dot + 1;
    double s1 = 1 / (dx * dx + d1 * d1), s2 = 1 / (dx * dx + d2 * d2);
    double c1 = s1 * sqrt(s1), c2 = s2 * sqrt(s2);
    double c1_dot = -3 * c1 * s1 * (dx * x_dot + d1 * d1_dot), c2_dot = -3 * c2 * s2 * (dx * x_dot + d2 * y_dot);
    x += dt * vx;
    y += dt * vy;
    double next_x_dot = x_dot + dt * vx_dot, next_y_dot = y_dot + dt * vy_dot;
    if (y <= 0) {
      double ratio = vx / vy, crossing = x - y * ratio;
      double ratio_dot = (vx_dot - ratio * vy_dot) / vy;
      *slope = 2 * crossing * (next_x_dot - next_y_dot * ratio - y * ratio_dot);
      return crossing * crossing;
    }
    vx += dt * dx * (c1 + c2);
    vy += dt * (d1 * c1 + d2 * c2);
    vx_dot += dt * (x_dot * (c1 + c2) + dx * (c1_dot + c2_dot));
    vy_dot += dt * (d1_dot * c1 + d1 * c1_dot + y_dot * c2 + d2 * c2_dot);
    x_dot = next_x_dot;
    y_dot = next_y_dot;
  }
}

static double value(const void *context, const double w[]) {
  double x = 0, y = 8, vx = 0.75, vy = 0, dt = 0.1;
  (void)context;
  for (;;) {
    double dx = x - 10, d1 = y - (10 - w[0]), d2 = y;
    double s1 = 1 / (dx * dx + d1 * d1), s2 = 1 / (dx * dx + d2 * d2);
    double c1 = s1 * sqrt(s1), c2 = s2 * sqrt(s2);
    x += dt * vx;
    y += dt * vy;
    if (y <= 0) {
      double crossing = x - y / vy * vx;
      return crossing * crossing;
    }
    vx += dt * dx * (c1 + c2);
    vy += dt * (d1 * c1 + d2 * c2);
  }
}

static void slope(const void *context, const double w[], double slope[]) {
  (void)context;
  miss(w[0], slope);
}

double particle_solve(bool outer_reverse, bool inner_reverse, double w) {
  (void)outer_reverse;
  (void)inner_reverse;
  descend(1, &w, NULL, value, slope);
  return w;
}
