/* An invalid operation in a dead value or in the branch not taken must not reach the derivative. */
#include "check.h"

#include <tlaloc/grad.h>

static double dead(double x) {
  double d = sqrt(-x * x);
  (void)d;
  return 3 * x;
}

static double untaken(int c, double x) { return c ? log(x) : 0; }

static double guarded(double x) {
  double y = 0;
  if (x > 0) {
    y = sqrt(x) * log(x);
  }
  return y + x;
}

/* The norm of a zero vector is not reached. */
static double norm_or_zero(size_t n, const double x[n]) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    s += x[i] * x[i];
  }
  return s == 0 ? 0 : sqrt(s);
}

static double multiplied_by_zero(double x) {
  double zero = 0;
  return zero * log(x) + x;
}

int main(void) {
  double zeros[2] = {0, 0}, right[2] = {3, 4}, x_bar[2];
  CHECK(tl_grad(dead)(2), 3);
  CHECK(tl_jvp(dead)(2, 1), 3);
  CHECK(tl_grad(untaken)(0, 0), 0);
  CHECK(tl_grad(untaken)(1, 4), 0.25);
  CHECK(tl_jvp(untaken)(0, 0, 1), 0);
  CHECK(tl_grad(guarded)(0), 1);
  CHECK(tl_grad(guarded)(1), 2);
  CHECK(tl_grad(tl_grad(guarded))(0), 0);
  tl_grad(norm_or_zero)(2, zeros, x_bar);
  CHECK(x_bar[0], 0);
  CHECK(x_bar[1], 0);
  tl_grad(norm_or_zero)(2, right, x_bar);
  CHECK(x_bar[0], 0.6);
  CHECK(x_bar[1], 0.8);
  CHECK(tl_grad(multiplied_by_zero)(2), 1);
  return check_done();
}
