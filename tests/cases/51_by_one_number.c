/* Gradients by one number, of loops and recursion: forward mode, which keeps nothing. */
#include "check.h"

#include <tlaloc/grad.h>

/* x + x^2 / 2 + ... + x^n / n, whose slope is (1 - x^n) / (1 - x). */
static double series(double x, int n) {
  double sum = 0, power = 1;
  for (int i = 1; i <= n; i++) {
    power *= x;
    sum += power / i;
  }
  return sum;
}

/* Until |r| is small, Newton's method for r = y^3 - x: its slope is that of the cube root. */
static double root(double x) {
  double y = 1;
  for (;;) {
    double r = y * y * y - x;
    if (fabs(r) < 1e-15) {
      return y;
    }
    y -= r / (3 * y * y);
  }
}

static double raised(double x, int n) { return n == 0 ? 1 : n % 2 ? x * raised(x, n - 1) : raised(x * x, n / 2); }

static float halved(float x, int n, float *last) {
  double y = x;
  for (int i = 0; i < n; i++) {
    *last = (float)y;
    y = y / 2 + sin(y);
  }
  return (float)y;
}

static double slope_of_series(double x) { return tl_grad(series, x)(x, 20); }

int main(void) {
  double x = 0.7, x_bar;
  double slope = (1 - pow(x, 20)) / (1 - x);
  CHECK(tl_grad(series, x)(x, 20), slope);
  CHECK(tl_value_and_grad(series, x)(x, 20, &x_bar), series(x, 20));
  CHECK(x_bar, slope);
  CHECK(tl_grad(slope_of_series)(x), (slope - 20 * pow(x, 19)) / (1 - x));
  CHECK(tl_grad(root)(5.0), 1 / (3 * pow(5.0, 2.0 / 3)));
  CHECK(tl_grad(raised, x)(1.3, 13), 13 * pow(1.3, 12));
  float last, y = 0.4f, two_steps = y / 2 + sinf(y), y_bar = tl_grad(halved, x)(y, 2, &last);
  CHECK_TO(y_bar, (0.5 + cosf(y)) * (0.5 + cosf(two_steps)), 1e-6);
  CHECK_TO(last, two_steps, 1e-7);
  return check_done();
}
