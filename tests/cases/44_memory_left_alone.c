/* A recursive helper that writes what it read: its parameter is not const, but the memory stays as it is. */
#include "check.h"

#include <tlaloc/grad.h>

static double helper(int d, double x, double *p) {
  p[0] = p[0];
  return d <= 0 ? sin(x) : *p * helper(d - 1, x * *p, &x);
}

static double outer(double x) {
  double y = 1;
  for (int i = 0; i < 1; i++) {
    y = helper(1, x, &x);
  }
  return y * x; /* x * x * sin(x * x) */
}

int main(void) {
  double x = 0.7, want = 2 * x * sin(x * x) + 2 * x * x * x * cos(x * x), j[1][1];
  CHECK(tl_grad(outer)(x), want);
  CHECK(tl_jvp(outer)(x, 1), want);
  tl_jacobian(outer)(x, j);
  CHECK(j[0][0], want);
  tl_hessian(outer)(x, j);
  CHECK(j[0][0], 2 * sin(x * x) + 10 * x * x * cos(x * x) - 4 * x * x * x * x * sin(x * x));
  return check_done();
}
