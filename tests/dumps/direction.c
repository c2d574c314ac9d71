/* A second derivative in one direction: a tangent of a gradient. */
#include "dumps.h"

#include <math.h>

static double energy(int n, const double x[n]) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += exp(-x[i] * x[i]) * (i ? x[i - 1] : 1);
  }
  return sum;
}

/* calls */
#ifdef DUMPED
#define CALL_TWICE(f) f##__grad__jvp__x
#else
#define CALL_TWICE(f) tl_jvp(tl_grad(f), x)
#endif
int RUN(double out[]) {
  double x[7], x_dot[7], x_bar[7];
  for (int i = 0; i < 7; i++) {
    x[i] = 0.3 * i - 1;
    x_dot[i] = i % 2 ? 1 : -0.5;
  }
  CALL_TWICE(energy)(7, x, x_bar, x_dot, out);
  return 7;
}
