/* Statements after a return, and returns within loops. */
#include "check.h"

#include <tlaloc/grad.h>

static double unreachable(double x) {
  return 3 * x;
  x = 1;
}

static double first_above(size_t n, const double x[n], double bound) {
  for (size_t i = 0; i < n; i++) {
    if (x[i] > bound) {
      return x[i] * x[i] + bound;
    }
    if (x[i] < 0) {
      break;
    }
  }
  return bound * bound;
}

int main(void) {
  double x[4] = {1, 2, 3, 4}, x_bar[4], bound_bar;
  CHECK(tl_grad(unreachable)(1.25), 3);
  CHECK(tl_jvp(unreachable)(1.25, 1), 3);
  tl_grad(first_above)(4, x, 2.5, x_bar, &bound_bar);
  CHECK(x_bar[0], 0);
  CHECK(x_bar[1], 0);
  CHECK(x_bar[2], 6);
  CHECK(x_bar[3], 0);
  CHECK(bound_bar, 1);
  tl_grad(first_above)(4, x, 9, x_bar, &bound_bar);
  CHECK(x_bar[2], 0);
  CHECK(bound_bar, 18);
  x[1] = -1;
  tl_grad(first_above)(4, x, 2.5, x_bar, &bound_bar);
  CHECK(x_bar[2], 0);
  CHECK(bound_bar, 5);
  return check_done();
}
