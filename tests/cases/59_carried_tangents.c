/* A loop whose carried array is a new one in each iteration hands on no elements: columns are read after it. */
#include "check.h"

#include <tlaloc/grad.h>

static double settle(const double a[2], double x) {
  double t = a[1] * a[1];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      t *= sin(1.2 * ((signbit(t) ? 0.25 : 0.5) * t));
    }
    t = atan(2 / (1 + x * t + a[i] * a[i]));
  }
  return t;
}

int main(void) {
  double a[2] = {-0.81, -0.75}, J[1][2], a_bar[2];
  tl_jacobian(settle, a)(a, 0.64, J);
  tl_grad(settle, a)(a, 0.64, a_bar);
  CHECK(J[0][0], a_bar[0]);
  CHECK(J[0][1], a_bar[1]);
  return check_done();
}
