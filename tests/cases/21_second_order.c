/* Forward over forward, forward over reverse and reverse over reverse give one second derivative, and so for the third.
 */
#include "check.h"

#include <tlaloc/grad.h>

static double swing(double x) {
  double y = x, s = 0;
  for (int i = 1; i < 5; i++) {
    y = sin(y) + x / i;
    s += y * exp(-x * i);
  }
  return s;
}

static double slope_forward(double x) { return tl_jvp(swing)(x, 1); }

static double slope_reverse(double x) { return tl_grad(swing)(x); }

static double cubic(double x) { return x * x * x; }

int main(void) {
  double x = 0.6, second = tl_grad(tl_grad(swing))(x);
  CHECK(slope_forward(x), slope_reverse(x));
  CHECK(tl_jvp(slope_forward)(x, 1), second);
  CHECK(tl_jvp(slope_reverse)(x, 1), second);
  CHECK(tl_grad(slope_forward)(x), second);
  CHECK(tl_grad(slope_reverse)(x), second);
  double h[1][1];
  tl_hessian(swing)(x, h);
  CHECK(h[0][0], second);
  double step = 1e-3;
  CHECK_TO((slope_reverse(x - 2 * step) - 8 * slope_reverse(x - step) + 8 * slope_reverse(x + step) -
            slope_reverse(x + 2 * step)) /
               (12 * step),
           second, 1e-9);
  CHECK(tl_grad(tl_grad(tl_grad(cubic)))(0.3), 6);
  CHECK(tl_grad(tl_grad(tl_grad(tl_grad(cubic))))(0.3), 0);
  return check_done();
}
