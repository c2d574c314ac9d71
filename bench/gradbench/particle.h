/* particle: the trajectory of a charge among two others, by Euler's method; its field is a derivative. */
#ifndef PARTICLE_H
#define PARTICLE_H

#include <math.h>
#include <stdbool.h>
#include <tlaloc/grad.h>

/* Of unit charges at (10, 10 - w) and (10, 0). */
static double particle_potential(double x, double y, double w) {
  double dx = x - 10, dy = y - (10 - w);
  return 1 / sqrt(dx * dx + dy * dy) + 1 / sqrt(dx * dx + y * y);
}

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

#endif
