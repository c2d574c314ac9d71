/* Zeros ahead of a loop stay where the loop may not run: nothing else gives the array its content then. */
#include "check.h"

#include <tlaloc/grad.h>

static double rows(int n, const double x[n + 1]) {
  double t[4] = {0};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      t[j] = x[i] * j;
    }
  }
  return t[2] * t[3];
}

static double last(int n, const double y[n]) {
  double s = 0.1;
  for (int i = 0; i < n - 2; i++) {
    s = sin(y[i]);
  }
  return s;
}

/* What an empty sum is multiplied by may be infinite. */
static double root_up(int n, const double y[n], double c) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += exp(y[i] - c);
  }
  return sqrt(s) + 2 * c;
}

static double root_down(int n, const double y[n], double c) {
  double s = 0;
  for (int i = n - 1; i >= 0; i--) {
    s += exp(y[i] - c);
  }
  return sqrt(s) + 2 * c;
}

/* What a function finds on the stack is not zero. */
static double __attribute__((noinline)) spoil(void) {
  volatile double old[4096];
  for (int i = 0; i < 4096; i++) {
    old[i] = 7;
  }
  return old[11];
}

int main(void) {
  double x[3] = {2, 3, 5}, x_bar[3] = {0}, J[1][3];
  for (int n = 0; n < 3; n++) {
    double end = n ? x[n - 1] : 0;
    spoil();
    CHECK(tl_value_and_grad(rows, x)(n, x, x_bar), 6 * end * end);
    if (n) {
      CHECK(x_bar[n - 1], 12 * end);
    }
  }
  for (int n = 2; n < 4; n++) {
    spoil();
    tl_jacobian(last, y)(n, x, (double(*)[n])J);
    CHECK(J[0][0], n == 3 ? cos(x[0]) : 0);
    CHECK(J[0][1], 0);
  }

  double y[2] = {0.5, 0.75}, y_bar[2], c_bar;
  for (int n = 0; n < 3; n++) {
    double s = 0;
    for (int i = 0; i < n; i++) {
      s += exp(y[i] - 0.25);
    }
    tl_grad(root_up)(n, y, 0.25, y_bar, &c_bar);
    CHECK(c_bar, n ? 2 - sqrt(s) / 2 : 2);
    tl_grad(root_down)(n, y, 0.25, y_bar, &c_bar);
    CHECK(c_bar, n ? 2 - sqrt(s) / 2 : 2);
  }
  return check_done();
}
