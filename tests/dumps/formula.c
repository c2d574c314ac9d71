/* One formula: the energy of a pendulum on a spring. */
#include "dumps.h"

#include <math.h>

static double energy(double length, double angle, double speed, double turn) {
  double kinetic = 0.5 * (speed * speed + length * length * turn * turn);
  double stretch = length - 1;
  return kinetic + 20 * stretch * stretch - 9.81 * length * cos(angle);
}

/* calls */
int RUN(double out[]) {
  int n = 0;
  for (int i = 0; i < 50; i++, n += 4) {
    CALL(grad, energy)(0.5 + 0.03 * i, 0.1 * i, 1 - 0.07 * i, 0.01 * i * i, &out[n], &out[n + 1], &out[n + 2], &out[n + 3]);
  }
  return n;
}
