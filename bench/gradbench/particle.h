/* particle: the potential of two charges, among which a third one moves. */
#ifndef PARTICLE_H
#define PARTICLE_H

#include <math.h>

/* Of unit charges at (10, 10 - w) and (10, 0). */
static double particle_potential(double x, double y, double w) {
  double dx = x - 10, dy = y - (10 - w);
  return 1 / sqrt(dx * dx + dy * dy) + 1 / sqrt(dx * dx + y * y);
}

#endif
