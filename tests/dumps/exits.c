/* A loop that leaves early: square roots by Newton's method, until the step is small. */
#include "dumps.h"

#include <math.h>

static double sum_of_roots(int n, const double x[n]) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double root = x[i];
    for (int k = 0; k < 50; k++) {
      double step = 0.5 * (x[i] / root - root);
      root += step;
      if (fabs(step) < 1e-12) {
        break;
      }
    }
    sum += root;
  }
  return sum;
}

/* calls */
int RUN(double out[]) {
  double x[12];
  for (int i = 0; i < 12; i++) {
    x[i] = 0.3 + i;
  }
  CALL(grad, sum_of_roots)(12, x, out);
  return 12;
}
