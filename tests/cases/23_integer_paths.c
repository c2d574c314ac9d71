/* Bounds, indices and branches that active values decide are piecewise constant; integers and bits are C's. */
#include "check.h"

#include <stdint.h>
#include <tlaloc/grad.h>

static double table_look_up(size_t n, const double x[n], double t) {
  size_t i = 0;
  while (i + 2 < n && x[i + 1] < t) {
    i++;
  }
  return x[i] + (t - (double)i) * (x[i + 1] - x[i]);
}

/* A hash decides signs: unsigned arithmetic wraps. */
static double signed_sum(size_t n, const double x[n]) {
  uint32_t state = 12345;
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    s += (state >> 31 ? x[i] : -x[i]) * (double)(state % 7);
  }
  return s;
}

int main(void) {
  double x[4] = {0, 1, 3, 4}, x_bar[4], t_bar;
  tl_grad(table_look_up)(4, x, 2.5, x_bar, &t_bar);
  CHECK(t_bar, 2);
  CHECK(x_bar[0], 0);
  CHECK(x_bar[1], 1 - 1.5);
  CHECK(x_bar[2], 1.5);
  CHECK(x_bar[3], 0);
  tl_grad(signed_sum)(4, x, x_bar);
  uint32_t state = 12345;
  for (int i = 0; i < 4; i++) {
    state = state * 1664525u + 1013904223u;
    CHECK(x_bar[i], (state >> 31 ? 1.0 : -1.0) * (double)(state % 7));
  }
  return check_done();
}
