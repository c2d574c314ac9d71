/* Powers that are written as products, and the factors of 2 and 1/2 that they bring: exact polynomials, in both modes
 * and of second order. All values are integers or halves, so that any order of the operations gives them exactly. */
#include "check.h"

#include <tlaloc/grad.h>

static double fifth(double x) { return x * x * x * x * x; }
static double scaled(double x) { return 0.5 * x * x * (x * -4) * x; }
static double by_parts(double x) {
  double square = x * x, cube = square * x;
  return square * cube + 3 * cube + square * square;
}
static double own_use(double x) { /* the power itself is an operand elsewhere */
  double p = 2 * x * x;
  return p * x + p * p + sin(p * x);
}
static double many(const double x[3]) {
  double p = 1;
  for (int i = 0; i < 3; i++) {
    p *= x[i] * x[i] * x[i];
  }
  return p;
}
static float cube_of_float(float x) { return x * x * x; }
static double carried(double x) { /* x is another value in each iteration */
  double s = 0;
  for (int i = 0; i < 4; i++) {
    s += x * x * x;
    x = s - x;
  }
  return s;
}
static double from_outside(double z, double x) { /* z*x is made ahead of the loops that multiply it by x */
  double y = z * x, s = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      s += y * x * i;
    }
    if (i) {
      s += y * x;
    }
  }
  return s;
}
static double halves(double x, double y, double z) { return 0.5 * (x * x) + 0.5 * (y * y) - 0.5 * (z * z) - 2 * x * y; }
static double opposite(double x, double y) { return -0.25 * x * x - 0.25 * y * y + 0.25 * x * y; }
static double distance(double x, double y) { return 1 / sqrt(x * x + y * y); }

int main(void) {
  for (double x = -3; x <= 3; x += 0.5) {
    double x2 = x * x, x3 = x2 * x, x4 = x3 * x, h[1][1];
    CHECK(tl_grad(fifth)(x), 5 * x4);
    CHECK(tl_jvp(fifth)(x, 2), 10 * x4);
    tl_hessian(fifth)(x, h);
    CHECK(h[0][0], 20 * x3);
    CHECK(tl_grad(scaled)(x), -8 * x3);
    tl_hessian(scaled)(x, h);
    CHECK(h[0][0], -24 * x2);
    CHECK(tl_grad(by_parts)(x), 5 * x4 + 9 * x2 + 4 * x3);
    CHECK(tl_jvp(by_parts)(x, 1), 5 * x4 + 9 * x2 + 4 * x3);
    tl_hessian(by_parts)(x, h);
    CHECK(h[0][0], 20 * x3 + 18 * x + 12 * x2);
    CHECK_TO(tl_grad(own_use)(x), 6 * x2 + 16 * x3 + cos(2 * x3) * 6 * x2, 1e-13);
    CHECK_TO(tl_jvp(own_use)(x, 1), 6 * x2 + 16 * x3 + cos(2 * x3) * 6 * x2, 1e-13);
    CHECK(tl_grad(cube_of_float)((float)x), 3 * x2);
    double gx, gy, gz;
    tl_grad(halves)(x, x + 1, x - 2, &gx, &gy, &gz);
    CHECK(gx, x - 2 * (x + 1));
    CHECK(gy, x + 1 - 2 * x);
    CHECK(gz, 2 - x);
    tl_grad(from_outside)(x, x + 2, &gx, &gy);
    CHECK(gx, 8 * (x + 2) * (x + 2));
    CHECK(gy, 16 * x * (x + 2));
    tl_grad(opposite)(x, 2 * x, &gx, &gy);
    CHECK(gx, -0.5 * x + 0.5 * x);
    CHECK(gy, -x + 0.25 * x);
    double step = 1e-5, slope = (carried(x + step) - carried(x - step)) / (2 * step);
    CHECK_TO(tl_grad(carried)(x) / (1 + fabs(slope)), slope / (1 + fabs(slope)), 1e-4);
    CHECK_TO(tl_jvp(carried)(x, 1), tl_grad(carried)(x), 1e-9 * (1 + fabs(slope)));
  }
  double p[3] = {2, -1, 0.5}, by[3];
  tl_grad(many)(p, by);
  CHECK(by[0], 12 * -1 * 0.125);
  CHECK(by[1], 8 * 3 * 0.125);
  CHECK(by[2], 8 * -1 * 0.75);
  double gx, gy, h[2][2];
  tl_grad(distance)(3, 4, &gx, &gy);
  CHECK_TO(gx, -3.0 / 125, 1e-17);
  CHECK_TO(gy, -4.0 / 125, 1e-17);
  tl_hessian(distance)(3, 4, h);
  CHECK_TO(h[0][0], (3 * 9 - 25) / 3125.0, 1e-17);
  CHECK_TO(h[0][1], 3 * 12 / 3125.0, 1e-17);
  CHECK_TO(h[1][1], (3 * 16 - 25) / 3125.0, 1e-17);
  return check_done();
}
