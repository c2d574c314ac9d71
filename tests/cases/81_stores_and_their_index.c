/* A value that is stored into the element that it is itself the number of: it is set before the element is found. */
#include "check.h"

#include <tlaloc/grad.h>

enum { N = 4 };

static double stored(double y, double p[N], double q[N]) {
  double s = 0;
  // clang-format off
  double x = floor(y * y); p[(int)x] = x; q[(int)x] = x * y;
  // clang-format on
  for (int i = 0; i < N; i++) {
    s += p[i] * p[i] * y + q[i];
  }
  return s * x;
}

static double assigned(double y, double p[N]) {
  double x = 3, s = 0;
  for (int k = 0; k < 3; k++) {
    // clang-format off
    s += x * y; x = trunc(s); p[(int)x % N] = x;
    // clang-format on
  }
  for (int i = 0; i < N; i++) {
    s += p[i] * y;
  }
  return s * x;
}

int main(void) {
  double p[N] = {1, 2, 3, 4}, q[N] = {5, 6, 7, 8}, p_bar[N] = {0}, q_bar[N] = {0}, y_bar;
  double value = tl_vjp(stored)(1.25, p, q, 1, p_bar, q_bar, &y_bar);
  CHECK(value, (1 + 1 + 9 + 16) * 1.25 + 5 + 1.25 + 7 + 8);
  CHECK(p[1], 1);
  CHECK(q[1], 1.25);
  CHECK(y_bar, 1 + 1 + 9 + 16 + 1);
  CHECK(p_bar[0], 2 * 1.25);
  CHECK(p_bar[1], 0);
  CHECK(q_bar[0], 1);
  CHECK(q_bar[1], 0);

  double a[N] = {1, 2, 3, 4}, a_bar[N] = {0}, up[N] = {1, 2, 3, 4}, down[N] = {1, 2, 3, 4}, h = 1e-6;
  tl_vjp(assigned)(0.7, a, 1, a_bar, &y_bar);
  CHECK_TO(y_bar, (assigned(0.7 + h, up) - assigned(0.7 - h, down)) / (2 * h), 1e-7);
  for (int i = 0; i < N; i++) {
    CHECK(a[i], up[i]);
  }
  return check_done();
}
