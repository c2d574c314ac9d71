/* The Hessian of exp(v0 - v1) v1, in every nesting. */
#include "check.h"

#include <tlaloc/grad.h>

static double wave(const double v[2]) { return exp(v[0] - v[1]) * v[1]; }

int main(void) {
  double v[2] = {-.7, 2.3}, h[2][2], e = exp(-3.0);
  double want[2][2] = {{2.3 * e, (1 - 2.3) * e}, {(1 - 2.3) * e, 0.3 * e}};
  tl_hessian(wave)(v, h);
  for (int i = 0; i < 2; i++) {
    double unit[2] = {i == 0, i == 1}, v_bar[2], column[2];
    tl_jvp(tl_grad(wave), v)(v, v_bar, unit, column); /* forward over reverse */
    for (int j = 0; j < 2; j++) {
      CHECK(h[i][j], want[i][j]);
      CHECK(column[j], want[i][j]);
    }
  }
  CHECK_TO(h[0][0], .1145098, 1e-6);
  CHECK_TO(h[0][1], -.0647232, 1e-6);
  CHECK_TO(h[1][1], .0149361, 1e-6);
  return check_done();
}
