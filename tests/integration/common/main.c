#include <stdio.h>

#include "spring.h"

int main(void) {
  double x[3] = {0.2, 0.5, 0.9}, force[3];
  spring_forces(3, x, force);
  printf("%.6f %.6f %.6f\n", force[0], force[1], force[2]);
  return 0;
}
