/* An array parameter of run-time extents that both branches overwrite, beside values that a loop in one of them saves:
 * the copy stood on the stack below the goto to where memory is out, which C does not allow. */
#include "check.h"

#include <stddef.h>
#include <tlaloc/grad.h>

static double f(size_t n, double *c, double a[n][n], double x) {
  *c = sin(x / (2.5 + a[1][0]));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      a[i][j] = 0.5 * a[i][j] + x * x;
    }
  }
  if (a[0][1] > 0.3) {
    for (size_t i = 1; i <= n; i++) {
      a[0][1] = sin(x + a[0][0] * *c);
      x = sin(x * a[0][1]);
    }
  } else if (n >= 2) {
    for (size_t i = 2; i-- > 0;) {
      a[1][i] = cos(x) * x;
    }
    x -= cos(x * a[1][0]);
  }
  return erf(x);
}

static double value(double shift, double x) {
  double c, a[3][3];
  for (int i = 0; i < 9; i++) {
    (&a[0][0])[i] = 0.1 * i + (i == 3 ? shift : 0) + (i == 0 ? 2 * shift : 0);
  }
  double y = f(3, &c, a, x);
  return y + 2 * c + 3 * a[1][1];
}

int main(void) {
  for (double x = 0.15; x < 1; x += 0.2) {
    double c, c_bar = 2, a[3][3], a_bar[3][3] = {{0, 0, 0}, {0, 3, 0}, {0, 0, 0}}, x_bar, h = 1e-5;
    for (int i = 0; i < 9; i++) {
      (&a[0][0])[i] = 0.1 * i;
    }
    tl_vjp(f)(3, &c, a, x, 1, &c_bar, a_bar, &x_bar);
    CHECK_TO(x_bar, (value(0, x + h) - value(0, x - h)) / (2 * h), 1e-8);
    CHECK_TO(a_bar[1][0] + 2 * a_bar[0][0], (value(h, x) - value(-h, x)) / (2 * h), 1e-8);
  }
  return check_done();
}
