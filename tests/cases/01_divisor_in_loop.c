/* A divisor that is written inline in a loop: sum of 1 / (i + a^2), i = 1..3. */
#include "check.h"

#include <tlaloc/grad.h>

static double series(double a) {
  double s = 0;
  for (int i = 1; i <= 3; i++) {
    s += 1.0 / (i + a * a);
  }
  return s;
}

int main(void) {
  double value = series(1), slope;
  CHECK(tl_grad(series)(1), -61.0 / 72);
  CHECK(tl_jvp(series)(1, 1), -61.0 / 72);
  CHECK(tl_vjp(series)(1, 2, &slope), value);
  CHECK(slope, -61.0 / 36);
  CHECK(tl_value_and_grad(series)(1, &slope), value);
  CHECK(slope, -61.0 / 72);
  /* sum of 8 a^2 / (i + a^2)^3 - 2 / (i + a^2)^2 */
  double curvature = 8.0 * (1.0 / 8 + 1.0 / 27 + 1.0 / 64) - 2.0 * (1.0 / 4 + 1.0 / 9 + 1.0 / 16);
  CHECK(tl_grad(tl_grad(series))(1), curvature);
  CHECK(tl_check_vjp(series)(1, 0), 0);
  return check_done();
}
