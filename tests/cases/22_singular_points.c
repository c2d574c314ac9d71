/* The values that the conventions give at points where there is no derivative. */
#include "check.h"

#include <tlaloc/grad.h>

static double f_fabs(double x) { return fabs(x); }
static double f_sqrt(double x) { return sqrt(x); }
static double f_cbrt(double x) { return cbrt(x); }
static double f_log(double x) { return log(x); }
static double f_asin(double x) { return asin(x); }
static double f_acos(double x) { return acos(x); }
static double f_acosh(double x) { return acosh(x); }
static double f_atanh(double x) { return atanh(x); }
static double f_hypot(double x, double y) { return hypot(x, y); }
static double f_atan2(double y, double x) { return atan2(y, x); }
static double f_fmod(double x, double y) { return fmod(x, y); }
static double f_remainder(double x, double y) { return remainder(x, y); }
static double f_copysign(double x, double y) { return copysign(x, y); }
static double f_fdim(double x, double y) { return fdim(x, y); }
static double f_nextafter(double x, double y) { return nextafter(x, y); }
static double f_floor(double x) { return floor(x) + ceil(x) + trunc(x) + round(x) + rint(x) + nearbyint(x) + logb(x); }
static double f_modf(double x) {
  double whole, part = modf(x, &whole);
  return 3 * part + 5 * whole;
}
static double f_product(double x, double y) { return x * y * x; }

int main(void) {
  double x_bar, y_bar;
  CHECK(tl_grad(f_fabs)(0), 0);
  CHECK(tl_grad(f_fabs)(-2), -1);
  CHECK(tl_grad(f_sqrt)(0), INFINITY);
  CHECK(tl_grad(f_cbrt)(0), INFINITY);
  CHECK(tl_grad(f_log)(0), INFINITY);
  CHECK(tl_grad(f_asin)(1), INFINITY);
  CHECK(tl_grad(f_acos)(1), -INFINITY);
  CHECK(tl_grad(f_acosh)(1), INFINITY);
  CHECK(tl_grad(f_atanh)(1), INFINITY);
  tl_grad(f_hypot)(0, 0, &x_bar, &y_bar);
  CHECK(x_bar, 0);
  CHECK(y_bar, 0);
  tl_grad(f_atan2)(0, 0, &y_bar, &x_bar);
  CHECK(x_bar, 0);
  CHECK(y_bar, 0);
  tl_grad(f_fmod)(7.5, -2, &x_bar, &y_bar);
  CHECK(x_bar, 1);
  CHECK(y_bar, 3);
  tl_grad(f_remainder)(7.5, 2, &x_bar, &y_bar);
  CHECK(x_bar, 1);
  CHECK(y_bar, -4);
  tl_grad(f_copysign)(-2, 3, &x_bar, &y_bar);
  CHECK(x_bar, -1);
  CHECK(y_bar, 0);
  tl_grad(f_copysign)(-2, -3, &x_bar, &y_bar);
  CHECK(x_bar, 1);
  tl_grad(f_fdim)(3, 2, &x_bar, &y_bar);
  CHECK(x_bar, 1);
  CHECK(y_bar, -1);
  tl_grad(f_fdim)(2, 2, &x_bar, &y_bar);
  CHECK(x_bar, 0);
  CHECK(y_bar, 0);
  tl_grad(f_nextafter)(1, 2, &x_bar, &y_bar);
  CHECK(x_bar, 1);
  CHECK(y_bar, 0);
  CHECK(tl_grad(f_floor)(2.5), 0);
  CHECK(tl_grad(f_modf)(2.75), 3);
  tl_grad(f_product)(0, 0, &x_bar, &y_bar);
  CHECK(x_bar, 0);
  CHECK(y_bar, 0);
  tl_grad(f_product)(0, 4, &x_bar, &y_bar);
  CHECK(x_bar, 0);
  CHECK(y_bar, 0);
  return check_done();
}
