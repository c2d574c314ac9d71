/* Quotients by divisors whose reciprocals are infinite: the derivative is finite where the true one is. */
#include "check.h"

#include <float.h>
#include <tlaloc/grad.h>

/* relative, at any magnitude */
#define CHECK_RELATIVE(got, want) check_near(#got, (got) / (want), 1, 1e-12)

static double sum(double a, double b, double y) { return a / y + b / y; }
static double scaled(double x, double y) { return x / y * 1e-310 + 0x1p-1030 / y; }
static double guarded(double x, double y) {
  double reciprocal = 1 / y;
  return isinf(reciprocal) ? x / y : x * reciprocal;
}
static double inactive(double a, double y) { return a / y; }
static double many(int n, const double a[n], double y) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += a[i] / y;
  }
  return s;
}
static float sum_of_floats(float a, float b, float y) { return a / y + b / y; }
/* A root is never subnormal, nor is what lies away from 0: these may multiply by reciprocals. */
static double direction(double x, double y) {
  double r = sqrt(x * x + y * y), s = 1 + x * x;
  return x / r + 2 * (y / r) + x / s + y / s;
}
static double differences(double x, double y) {
  double d = x - 3, e = fmax(fabs(y), 1e-3);
  return x / d + y / d + x / e + y / e;
}
static double cosines(double x, double y) {
  double c = cos(x), l = log(y);
  return x / c + y / c + x / l + y / l;
}

int main(void) {
  double a_bar, b_bar, y_bar, x_bar, seed = 1e-10;
  const double y = 0x1p-1030;

  tl_vjp(sum)(0x1p-1035, 0x1p-1040, y, seed, &a_bar, &b_bar, &y_bar);
  CHECK_RELATIVE(a_bar, seed / y);
  CHECK_RELATIVE(b_bar, seed / y);
  CHECK_RELATIVE(y_bar, -(seed / y) * (0x1p-5 + 0x1p-10));
  double dot = tl_jvp(sum)(0x1p-1035, 0x1p-1040, y, seed, seed, -seed);
  CHECK_RELATIVE(dot, seed * (2 + 0x1p-5 + 0x1p-10) / y);
  dot = tl_jvp(sum)(0x1p-1035, 0, y, 0, 0, 0x1p-3);
  CHECK_RELATIVE(dot, -0x1p-8 / y);

  tl_vjp(scaled)(0x1p-1031, y, 1, &x_bar, &y_bar);
  CHECK_RELATIVE(x_bar, 1e-310 / y);
  CHECK(y_bar, -INFINITY); /* -1/2^-1030 */
  tl_vjp(scaled)(0x1p-1031, y, 1e-5, &x_bar, &y_bar);
  CHECK_RELATIVE(y_bar, -1e-5 / y);

  tl_vjp(guarded, x)(0, y, seed, &x_bar);
  CHECK_RELATIVE(x_bar, seed / y);

  /* only the divisor is a variable: (r_bar r)/y, for any seed and also where r_bar/y is infinite */
  tl_vjp(inactive, y)(0x1p-1050, y, 3, &y_bar);
  CHECK_RELATIVE(y_bar, -3 * 0x1p-20 / y);
  tl_vjp(inactive, y)(0, y, 3, &y_bar);
  CHECK(y_bar, 0);
  const double numbers[3] = {0x1p-1050, 0, -0x1p-1049};
  tl_vjp(many, y)(3, numbers, y, 1.5, &y_bar);
  CHECK_RELATIVE(y_bar, 1.5 * 0x1p-20 / y);
  /* and the bound that is stated where both are: r_bar/y is infinite, and r_bar/y times 0 is not a number */
  tl_vjp(inactive)(0x1p-1030, 0x1p-1024, 0.75, &x_bar, &y_bar);
  CHECK_RELATIVE(x_bar, 0x1.8p1023);
  CHECK_RELATIVE(y_bar, -0x1.8p1017);
  tl_vjp(inactive)(0, 0x1p-1024, 1.5, &x_bar, &y_bar);
  CHECK(x_bar, INFINITY);
  CHECK(isnan(y_bar), 1);

  float fa, fb, fy;
  tl_vjp(sum_of_floats)(0x1p-140F, 0x1p-141F, 0x1p-135F, 0x1p-20F, &fa, &fb, &fy);
  check_near("float by a", fa / 0x1p115F, 1, 1e-6);
  check_near("float by b", fb / 0x1p115F, 1, 1e-6);
  check_near("float by y", fy / -0x1.8p110F, 1, 1e-6);

  const double points[] = {1e-300, 2e-162, 5e-324, 0.7, 3e100, 2.5};
  for (int i = 0; i < 6; i++) {
    double p = points[i], r = hypot(p, p), s = 1 + p * p;
    tl_grad(direction)(p, p, &x_bar, &y_bar);
    if (p > 1e-150 && p < 1e150) {
      CHECK_RELATIVE(x_bar, -1 / (2 * r) + (1 - 3 * p * p) / s / s);
    }
    tl_grad(differences)(p, 2 * p, &x_bar, &y_bar);
    double e = fmax(2 * p, 1e-3);
    CHECK_RELATIVE(x_bar, 1 / (p - 3) - 3 * p / (p - 3) / (p - 3) + 1 / e);
    tl_grad(cosines)(0.5 * fmin(p, 1), 2 + p, &x_bar, &y_bar);
    CHECK_RELATIVE(y_bar, 1 / cos(0.5 * fmin(p, 1)) + 1 / log(2 + p) -
                              (0.5 * fmin(p, 1) / (2 + p) / log(2 + p) / log(2 + p) + 1 / log(2 + p) / log(2 + p)));
  }
  return check_done();
}
