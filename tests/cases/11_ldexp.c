/* An integer power of two in the adjoint. */
#include "check.h"

#include <tlaloc/grad.h>

static double scaled(double m, int e) { return ldexp(m, e); }

static double mantissa(double x) {
  int e;
  return frexp(x, &e);
}

static double scaled_by_loop(double x) {
  double y = x;
  for (int e = -3; e < 2; e++) {
    y = scalbn(y, e) + x;
  }
  return y;
}

int main(void) {
  CHECK(tl_grad(scaled)(.5, -3), 0.125);
  CHECK(tl_jvp(scaled)(.5, -3, 1), 0.125);
  CHECK(tl_grad(mantissa)(6.5), 0.125);
  double slope = 1;
  for (int e = -3; e < 2; e++) {
    slope = slope * pow(2, e) + 1;
  }
  CHECK(tl_grad(scaled_by_loop)(0.75), slope);
  return check_done();
}
