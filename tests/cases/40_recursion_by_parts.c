/* A recursive helper whose derivative by one parameter needs that by two, which needs it in turn. */
#include "check.h"

#include <tlaloc/grad.h>

static double helper(int d, double a, double b) {
  if (d <= 0) {
    return 0.25 * sin(a);
  }
  double t = helper(d - 1, sin(0.5 * d), sin(a * a));
  double u = helper(d - 1, sin(t + a), t);
  return 0.25 * sin(a) + 0.3 * sin(u + a) + b;
}

static double outer(unsigned n, double x) { return helper((int)(n & 3), x, x); }

int main(void) {
  double e = 1e-3, x = 0.4;
  double want = (8 * (outer(3, x + e) - outer(3, x - e)) - outer(3, x + 2 * e) + outer(3, x - 2 * e)) / (12 * e);
  CHECK_TO(tl_grad(outer)(3, x), want, 1e-9);
  CHECK_TO(tl_jvp(outer)(3, x, 1), want, 1e-9);
  return check_done();
}
