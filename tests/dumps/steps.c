/* Time steps that keep what the way back needs: a damped oscillator driven by a force, Heun's method. */
#include "dumps.h"

#include <stddef.h>

static double distance(size_t steps, const double force[steps], double stiffness) {
  double x = 0, v = 0, dt = 0.01;
  for (size_t i = 0; i < steps; i++) {
    double a = force[i] - stiffness * x * x * x - 0.1 * v;
    double half_v = v + dt * a;
    x += 0.5 * dt * (v + half_v);
    v = half_v;
  }
  return x * x;
}

/* calls */
int RUN(double out[]) {
  double force[40];
  for (int i = 0; i < 40; i++) {
    force[i] = i % 7 - 2;
  }
  CALL(grad, distance)(40, force, 3, out, &out[40]);
  return 41;
}
