#ifndef SPRING_H
#define SPRING_H

#include <stddef.h>

#define STIFFNESS 2.0

/* Energy of a chain of springs with ends at 0 and 1, and its gradient by the inner joints. */
double spring_energy(size_t n, const double x[n]);
void spring_forces(size_t n, const double x[n], double force[n]);

#endif
