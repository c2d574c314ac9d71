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

static double twice(const double p[2]) {
  double w = 0;
  for (int i = 0; i < 2; i++) {
    w = sin(w + p[i]);
  }
  return w * w;
}

int main(void) {
  double a[2] = {-0.81, -0.75}, J[1][2], a_bar[2];
  tl_jacobian(settle, a)(a, 0.64, J);
  tl_grad(settle, a)(a, 0.64, a_bar);
  CHECK(J[0][0], a_bar[0]);
  CHECK(J[0][1], a_bar[1]);
  double p[2] = {0.3, 0.4}, H[2][2];
  tl_hessian(twice, p)(p, H);
  double v = sin(p[0]), dv = cos(p[0]), s = sin(v + p[1]), c = cos(v + p[1]), two = 2 * (c * c - s * s);
  CHECK(H[0][0], two * dv * dv - 2 * s * c * v);
  CHECK(H[0][1], two * dv);
  CHECK(H[1][0], two * dv);
  CHECK(H[1][1], two);
  return check_done();
}
