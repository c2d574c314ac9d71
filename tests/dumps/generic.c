/* Names of <tgmath.h> in functions that the dump copies, beside a macro of the user's. */
#include "dumps.h"

#include <tgmath.h>

#define TWICE(x) (2 * (x))

static double descend(float y, double z, int n, long double w) {
  if (n == 0) {
    return (double)TWICE(fabs(y)) + fma(y, z, n) + ldexp(sin(z), n) + (double)cos(w) + atan2(y, z) + sqrt(n);
  }
  return descend(y, exp(-pow(z, sin(pow(y, 2)))), n - 1, w) * hypot(z, y);
}

static double product(float y, double z) { return descend(y, z, 3, 2.0L) * descend(1, y, 1, y); }

/* calls */
int RUN(double out[]) {
  float y_bar;
  CALL(grad, product)(0.5f, 0.7, &y_bar, &out[0]);
  out[1] = (double)y_bar;
  return 2;
}
