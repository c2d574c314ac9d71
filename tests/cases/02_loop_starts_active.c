/* A loop that starts at an active value and ends at another: the derivative is that of the steps taken, so by the bound
   it is 0, although the integral's is not. */
#include "check.h"

#include <tlaloc/grad.h>

static double area(double a, double b) {
  double s = 0;
  for (double x = a; x < b; x += .25) {
    s += x * x * .25;
  }
  return s;
}

int main(void) {
  double a_bar, b_bar;
  tl_grad(area)(1.01, 2, &a_bar, &b_bar);
  CHECK(a_bar, 2.77);
  CHECK(b_bar, 0);
  CHECK(tl_grad(area, a)(1.01, 2), 2.77);
  CHECK(tl_grad(area, b)(1.01, 2), 0);
  CHECK(tl_jvp(area)(1.01, 2, 1, 0), 2.77);
  CHECK(tl_jvp(area)(1.01, 2, 0, 1), 0);
  CHECK(tl_grad(area, a)(3, 2), 0); /* no step */
  return check_done();
}
