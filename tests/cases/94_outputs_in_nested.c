/* Intrinsics of derivatives that have outputs beside what they return. */
#include <math.h>
#include <tlaloc/grad.h>

#include "check.h"

static double f(const double v[2], double k, double *o) {
  *o = k * k * v[1];
  return v[0] * k * k * k * v[1] * v[1];
}

/* v is an in-out. */
static double in_place(double v[2], double k) {
  v[1] *= k;
  return v[0] * k * k * v[1];
}

/* By one number in a loop, which goes forward. */
static double powers(double k, double o[3]) {
  double p = 1;
  for (int i = 0; i < 3; i++) {
    p *= k;
    o[i] = p * k;
  }
  return p * k;
}

int main(void) {
  double v[2] = {3, 5}, k = 0.7, o, d, bar[2];
  CHECK(tl_grad(f, k)(v, k, &o), 3 * v[0] * k * k * v[1] * v[1]);
  CHECK(o, k * k * v[1]);
  o = NAN;
  CHECK(tl_grad(tl_grad(f, k), k)(v, k, &o), 6 * v[0] * k * v[1] * v[1]);
  CHECK(o, k * k * v[1]);
  CHECK(tl_grad(tl_grad(tl_grad(f, k), k), k)(v, k, &o), 6 * v[0] * v[1] * v[1]);
  tl_grad(tl_grad(f, k), v)(v, k, &o, bar);
  CHECK(bar[0], 3 * k * k * v[1] * v[1]);
  CHECK(bar[1], 6 * v[0] * k * k * v[1]);
  d = NAN;
  CHECK(tl_value_and_grad(tl_grad(f, k), k)(v, k, &o, &d), 3 * v[0] * k * k * v[1] * v[1]);
  CHECK(d, 6 * v[0] * k * v[1] * v[1]);
  CHECK(tl_grad(tl_jvp(tl_grad(f, k), k), k)(v, k, &o, 1, &d), 6 * v[0] * v[1] * v[1]);
  CHECK(d, 2 * v[1] * k);
  double by_o = NAN;
  CHECK(tl_jvp(tl_grad(f, k), k)(v, k, &o, 1, &by_o), 6 * v[0] * k * v[1] * v[1]);
  CHECK(by_o, 2 * k * v[1]);

  double w[2] = {3, 5};
  CHECK(tl_grad(tl_grad(in_place, k), k)(w, k), 6 * v[0] * k * v[1]);
  CHECK(w[1], v[1] * k);

  double all[3], dots[3];
  CHECK(tl_grad(tl_grad(powers, k), k)(k, all), 12 * k * k);
  CHECK(all[2], k * k * k * k);
  CHECK(tl_jvp(tl_grad(powers, k), k)(k, all, 1, dots), 12 * k * k);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(dots[i], (i + 2) * pow(k, i + 1), 1e-14);
  }
  return check_done();
}
