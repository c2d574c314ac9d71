/* float stays float, long double stays long double, and a derivative has the type of its parameter. */
#include "check.h"

#include <tlaloc/grad.h>

static float mixed(float x, double y) { return x * x * (float)y + x; }

static long double wide(long double x) { return expl(x) * x; }

static double narrow_sum(size_t n, const float x[n]) {
  float s = 0;
  for (size_t i = 0; i < n; i++) {
    s += x[i] * x[i];
  }
  return s;
}

int main(void) {
  float x_bar;
  double y_bar;
  tl_grad(mixed)(3.0f, 0.5, &x_bar, &y_bar);
  CHECK(x_bar, 4);
  CHECK(y_bar, 9);
  CHECK(sizeof tl_grad(mixed, y)(3.0f, 0.5), sizeof(double));
  CHECK(sizeof tl_grad(mixed, x)(3.0f, 0.5), sizeof(float));
  long double x = 0.3L, slope = tl_grad(wide)(x), want = expl(x) * (1 + x);
  CHECK(fabsl(slope - want) < 1e-17L, 1);
  float v[3] = {1.5f, -2, 0.25f}, v_bar[3];
  tl_grad(narrow_sum)(3, v, v_bar);
  for (int i = 0; i < 3; i++) {
    CHECK(v_bar[i], 2 * v[i]);
  }
  return check_done();
}
