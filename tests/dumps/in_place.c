/* Updates in place: heat along a rod, and how the end depends on the start. */
#include "dumps.h"

static void diffuse(int n, double u[n], int steps) {
  for (int k = 0; k < steps; k++) {
    double left = u[0];
    for (int i = 1; i + 1 < n; i++) {
      double here = u[i];
      u[i] += 0.2 * (left - 2 * here + u[i + 1]) - 0.01 * here * here;
      left = here;
    }
  }
}

/* calls */
int RUN(double out[]) {
  double seed[9];
  for (int i = 0; i < 9; i++) {
    out[i] = i * (8 - i);
    seed[i] = i == 3;
  }
  CALL_BY(vjp, diffuse, u)(9, out, 12, seed);
  for (int i = 0; i < 9; i++) {
    out[9 + i] = seed[i];
  }
  return 18;
}
