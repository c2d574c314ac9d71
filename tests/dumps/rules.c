/* A rule of the user's: the solution of x = cos(k x) by iteration, differentiated at the fixed point. */
#include "dumps.h"

#include <math.h>

static double fixed_point(double k) {
  double x = 0.5;
  for (int i = 0; i < 100; i++) {
    x = cos(k * x);
  }
  return x;
}

static double fixed_point_vjp(double k, double x_bar, double *k_bar) {
  double x = fixed_point(k), slope = -sin(k * x);
  *k_bar = x_bar * slope * x / (1 - slope * k);
  return x;
}
#ifdef TL_CUSTOM_VJP
TL_CUSTOM_VJP(fixed_point, fixed_point_vjp);
#endif

static double sum(int n, const double k[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += fixed_point(k[i]) * i;
  }
  return s;
}

/* calls */
int RUN(double out[]) {
  double k[8];
  for (int i = 0; i < 8; i++) {
    k[i] = 0.1 * i;
  }
  CALL(grad, sum)(8, k, out);
  return 8;
}
