/* A callee that overwrites what its pointer points at, before the caller uses it again. */
#include "check.h"

#include <tlaloc/grad.h>

static double square_in_place(double *p) {
  p[0] = p[0] * p[0];
  return p[0];
}

static double twice(double *p) {
  double y = square_in_place(p);
  return y * p[0];
}

static double by_value(double x) {
  double y = square_in_place(&x);
  return y * x;
}

int main(void) {
  double p[1] = {1.5}, p_bar[1] = {7};
  tl_grad(twice)(p, p_bar);
  CHECK(p_bar[0], 13.5);
  CHECK(p[0], 2.25); /* as the function leaves it */
  p[0] = 1.5;
  double p_dot[1] = {1};
  CHECK(tl_jvp(twice)(p, p_dot), 13.5);
  CHECK(p_dot[0], 3); /* of the content that is left */
  p[0] = 1.5;
  p_bar[0] = 1; /* a cotangent of the final content, x^2, comes in; that of the initial content goes out */
  CHECK(tl_vjp(twice)(p, 1, p_bar), 5.0625);
  CHECK(p_bar[0], 13.5 + 3);
  CHECK(tl_grad(by_value)(1.5), 13.5);
  CHECK(tl_jvp(by_value)(1.5, 1), 13.5);
  return check_done();
}
