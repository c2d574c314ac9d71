/* What is stored before a loop stays where the loop reads it in a loop inside before it stores. */
#include "check.h"

#include <tlaloc/grad.h>

static void settle(double x, double *c, const double v[1]) {
  *c = 0.5 * *c + erf(v[0]);
  double m = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      int k = 0;
      while (k < 2) {
        k++;
        *c = *c;
        m = 0.5 * m + tanh(*c);
      }
      x = *c;
    }
    c[0] = x;
  }
}

int main(void) {
  double x = 0.7, c = 0.6, v[1] = {0.3}, plain = 0.6, c_bar = 1, x_bar, v_bar[1];
  settle(x, &plain, v);
  tl_vjp(settle)(x, &c, v, &c_bar, &x_bar, v_bar);
  CHECK(c, plain);
  CHECK(c_bar, 0.5);
  CHECK(x_bar, 0);
  CHECK(v_bar[0], 2 / sqrt(acos(-1)) * exp(-v[0] * v[0]));
  return check_done();
}
