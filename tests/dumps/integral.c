/* An integral by the trapezoidal rule: one loop, which keeps nothing. */
#include "dumps.h"

#include <math.h>

static double trapezoid(double a, double b, int n) {
  double h = (b - a) / n, s = 0.5 * (exp(-a * a) + exp(-b * b));
  for (int i = 1; i < n; i++) {
    double t = a + i * h;
    s += exp(-t * t);
  }
  return s * h;
}

/* calls */
int RUN(double out[]) {
  int n = 0;
  for (int i = 1; i < 20; i++, n += 2) {
    CALL(grad, trapezoid)(-0.1 * i, 0.2 * i, 3 * i, &out[n], &out[n + 1]);
  }
  return n;
}
