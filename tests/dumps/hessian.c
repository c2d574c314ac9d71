/* A Hessian: Rosenbrock's function of n variables. */
#include "dumps.h"

static double rosenbrock(int n, const double x[n]) {
  double sum = 0;
  for (int i = 0; i + 1 < n; i++) {
    double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    sum += a * a + 100 * b * b;
  }
  return sum;
}

/* calls */
int RUN(double out[]) {
  double x[6];
  for (int i = 0; i < 6; i++) {
    x[i] = 1.5 - 0.4 * i;
  }
  CALL(hessian, rosenbrock)(6, x, (double(*)[6])out);
  return 36;
}
