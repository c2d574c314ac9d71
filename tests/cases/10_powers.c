/* pow at 0 and at negative bases, to second order. */
#include "check.h"

#include <tlaloc/grad.h>

static double power(double x, double k) { return pow(x, k); }

static double square(double x) { return pow(x, 2); }

static double first(double x) { return pow(x, 1); }

static double zeroth(double x) { return pow(x, 0); }

int main(void) {
  double x_bar, k_bar;
  CHECK(tl_grad(power, x)(0, 0), 0);
  CHECK(tl_grad(power, x)(0, 1), 1);
  CHECK(tl_grad(power, x)(0, 2), 0);
  CHECK(tl_grad(zeroth)(0), 0);
  CHECK(tl_grad(first)(0), 1);
  CHECK(tl_grad(square)(0), 0);
  CHECK(tl_grad(tl_grad(square))(0), 2);
  CHECK(tl_grad(tl_grad(square))(-3), 2);
  CHECK(tl_grad(tl_grad(power, x), x)(0, 2), 2);
  tl_grad(power)(0, 2, &x_bar, &k_bar);
  CHECK(x_bar, 0);
  CHECK(k_bar, 0);
  CHECK(tl_grad(power, x)(-2, 3), 12);
  CHECK(tl_jvp(power, x)(-2, 3, 1), 12);
  tl_grad(power)(-2, 3, &x_bar, &k_bar);
  CHECK(x_bar, 12); /* the other is not defined and does not leak */
  tl_grad(power)(2, 3, &x_bar, &k_bar);
  CHECK(x_bar, 12);
  CHECK(k_bar, 8 * log(2.0));
  return check_done();
}
