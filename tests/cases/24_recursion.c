/* Recursion with a depth that the input decides. */
#include "check.h"

#include <tlaloc/grad.h>

static double horner(size_t n, const double c[n], double x) {
  if (n == 0) {
    return 0;
  }
  return c[0] + x * horner(n - 1, c + 1, x);
}

static double halved(double x, int *depth) {
  *depth += 1;
  return x < 1 ? x * x : 3 * halved(x / 2, depth) + x;
}

static double outer(double x) {
  int depth = 0;
  double y = halved(x, &depth);
  return y * depth;
}

int main(void) {
  double c[4] = {1, -2, 0.5, 3}, c_bar[4], x_bar;
  tl_grad(horner)(4, c, 2, c_bar, &x_bar);
  CHECK(x_bar, -2 + 2 * 0.5 * 2 + 3 * 3.0 * 4);
  for (int i = 0; i < 4; i++) {
    CHECK(c_bar[i], pow(2, i));
  }
  /* x = 3: 3 (3 (x/4)^2 + x/2) + x, depth 3 */
  CHECK(tl_grad(outer)(3), 3 * (9 * 2 * 3.0 / 16 + 1.5 + 1));
  CHECK(tl_jvp(outer)(3, 1), 3 * (9 * 2 * 3.0 / 16 + 1.5 + 1));
  return check_done();
}
