/* Structs with inactive members, and tables without a stated extent, in calls that stay calls. */
#include "check.h"

#include <tlaloc/grad.h>
struct P {
  double q;
  int k;
};
static double rr(int d, int n, const struct P a[n]) { return d ? rr(d - 1, n, a) : a[0].q * a[0].k; }
static double f(double x) {
  struct P a[1] = {{x, 3}};
  return rr(1, 1, a);
}
static double ev(int d, const double *t, double y) { return d ? t[d] * ev(d - 1, t, y) : y; }
static double f2(double x) {
  static const double t[] = {1, 2, 3};
  return ev(2, t, x);
}
static double ei(int d, const int *t, double y) { return d ? t[d] * ei(d - 1, t, y) : y; }
static double f3(double x) {
  const int t[] = {1, 2, 3};
  return ei(2, t, x);
}
static double f4(double x) {
  double t[3] = {1, 2, 3};
  return ev(2, t, x);
}
static double es(int d, const struct P *t, double y) { return d ? t[d].q * t[d].k * es(d - 1, t, y) : y; }
static double f5(double x) {
  static const struct P t[] = {{1, 1}, {2, 2}, {3, 3}};
  return es(2, t, x);
}

int main(void) {
  CHECK(tl_grad(f)(1), 3);
  CHECK(tl_jvp(f)(1, 1), 3);
  CHECK(tl_grad(f2)(1), 6);
  CHECK(tl_grad(f3)(1), 6);
  CHECK(tl_grad(f4)(1), 6);
  CHECK(tl_grad(f5)(1), 36);
  return check_done();
}
