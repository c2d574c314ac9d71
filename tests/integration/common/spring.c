#include "spring.h"

#include <tlaloc/grad.h>

double spring_energy(size_t n, const double x[n]) {
  double energy = 0, before = 0;
  for (size_t i = 0; i < n; i++) {
    double stretch = x[i] - before;
    energy += 0.5 * STIFFNESS * stretch * stretch;
    before = x[i];
  }
  return energy + 0.5 * STIFFNESS * (1 - before) * (1 - before);
}

void spring_forces(size_t n, const double x[n], double force[n]) {
  tl_grad(spring_energy, x)(n, x, force);
  for (size_t i = 0; i < n; i++) {
    force[i] = -force[i];
  }
}
