/* Chained assignments that overwrite the parameters. */
#include "check.h"

#include <tlaloc/grad.h>

static double chained(double u, double v) {
  double r;
  r = (u = v = u * u);
  return r * v;
}

static double swapped(double u, double v) {
  double t = u;
  u = v;
  v = t;
  u *= u;
  return u - v;
}

int main(void) {
  double u_bar, v_bar;
  tl_grad(chained)(1.5, 2, &u_bar, &v_bar);
  CHECK(u_bar, 13.5);
  CHECK(v_bar, 0);
  CHECK(tl_jvp(chained)(1.5, 2, 1, 0), 13.5);
  CHECK(tl_jvp(chained)(1.5, 2, 0, 1), 0);
  tl_grad(swapped)(1.5, 2, &u_bar, &v_bar);
  CHECK(u_bar, -1);
  CHECK(v_bar, 4);
  return check_done();
}
