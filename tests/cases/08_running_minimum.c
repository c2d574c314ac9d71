/* A running minimum by comparisons of active values. */
#include "check.h"

#include <tlaloc/grad.h>

static double least_squared(size_t n, const double p[n]) {
  double m = p[0];
  for (size_t k = 0; k < n; k++) {
    if (p[k] <= m) {
      m = p[k];
    }
  }
  return m * m;
}

int main(void) {
  double p[3] = {3, 1, 2}, p_bar[3], unit[3] = {0, 1, 0};
  tl_grad(least_squared)(3, p, p_bar);
  CHECK(p_bar[0], 0);
  CHECK(p_bar[1], 2);
  CHECK(p_bar[2], 0);
  CHECK(tl_jvp(least_squared)(3, p, unit), 2);
  p[2] = 1; /* a tie: the later one is taken */
  tl_grad(least_squared)(3, p, p_bar);
  CHECK(p_bar[1], 0);
  CHECK(p_bar[2], 2);
  return check_done();
}
