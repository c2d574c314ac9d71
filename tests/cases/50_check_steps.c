/* tl_check_vjp: its steps fit arguments of any size, and what leaves the domain; a wrong rule is seen all the same,
 * and so is a forward derivative that is NaN where tl_grad is that one. */
#include "check.h"

#include <tlaloc/grad.h>

static double logarithm(double x) { return log(x); }

static double circle(double x) { return sqrt(1 - x * x); }

double cube(double x);
double cube_vjp(double x, double bar, double *x_bar);

double cube(double x) { return x * x * x; }

double cube_vjp(double x, double bar, double *x_bar) {
  *x_bar = bar * 3 * x * x * (1 + 1e-6);
  return x * x * x;
}

TL_CUSTOM_VJP(cube, cube_vjp);

static double with_a_wrong_rule(double x) { return cube(x) + 1; }

/* By one number tl_grad goes forward, where the root of 0 with the tangent 0 is NaN: the check tells. */
static double roots_in_loop(double x, int from) {
  double m = 0, r = 1;
  for (int i = 0; i < 3; i++) {
    m += i >= from ? x * x : 0;
    r = 2 * sqrt(m) * r + 1;
  }
  return r;
}

static double roots(double x, double y, int from) {
  double m = 0, r = 1;
  for (int i = 0; i < 3; i++) {
    m += i >= from ? x * y : 0;
    r = 2 * sqrt(m) * r + 1;
  }
  return r;
}

int main(void) {
  CHECK(isnan(tl_grad(roots_in_loop)(1.5, 1)), 1);
  CHECK(tl_check_vjp(roots_in_loop)(1.5, 1, 0), 1);
  CHECK(tl_check_vjp(roots_in_loop)(1.5, 0, 0), 0);
  CHECK(tl_check_vjp(roots)(1.5, 0.5, 0, 0), 0);
  const double sizes[] = {1e-4, 1e-3, 0.01, 0.3, 1, 50, 1e6};
  for (int i = 0; i < 7; i++) {
    CHECK(tl_check_vjp(logarithm)(sizes[i], 0), 0);
  }
  CHECK(tl_check_vjp(circle)(0.999, 0), 0);
  CHECK(tl_check_vjp(with_a_wrong_rule)(0.7, 0), 1);
  CHECK(tl_check_vjp(with_a_wrong_rule)(0.7, 1e-5), 0);
  return check_done();
}
