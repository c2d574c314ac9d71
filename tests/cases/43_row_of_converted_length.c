/* A row of an output whose length the call converts to another type: the copy of the row ahead of the call can only be made
 * behind that conversion. */
#include "check.h"

#include <tlaloc/grad.h>

static double helper(int d, int n, double x, double *q TL_LEN(n)) {
  if (d <= 0) {
    return sin(x) * q[n - 1];
  }
  q[0] = sin(x * q[1]);
  return 0.5 * x + helper(d - 1, n, x, q);
}

static double outer(long n, double x, double a[2][n]) {
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < n; j++) {
      a[i][j] = x + j;
    }
  }
  a[0][1] *= 0.8;
  return helper((int)n - 2, (int)n, x, a[0]);
}

int main(void) {
  double a[2][3], a_bar[2][3] = {{1, 2, 3}, {4, 5, 6}}, x = 0.4, b = 0.8 * (x + 1), x_bar;
  tl_vjp(outer)(3, x, a, 2, a_bar, &x_bar);
  double row = cos(x * b) * (b + 0.8 * x); /* a[0][0] = sin(x * b) */
  CHECK(x_bar, row + 0.8 * 2 + 3 + 4 + 5 + 6 + 2 * (0.5 + cos(x) * (x + 2) + sin(x)));
  return check_done();
}
