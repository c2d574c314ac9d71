/* Where no partial ahead of a guard can be infinite no guard is taken; where one can, it is, through what follows it. */
#include "check.h"

#include <tlaloc/grad.h>

/* The factor is a number between two constants whatever the root is: what it makes of h needs no guard; the root does. */
static double clamped(double x, double y) {
  double h = 1, s = 0;
  for (int i = 0; i < 6 && s < 2; i++) {
    double r = sqrt(x * x + (i > 2 ? y * y : 0));
    h *= fmin(2, fmax(0.5, 0.25 / r));
    s += h * y;
  }
  return s;
}

/* One bound only: 1/x goes through the maximum. */
static double half_clamped(double x, double y) {
  double v = fmax(0.5, 1 / x), m = v * v * y, s = x * y;
  int use = v < 1e9;
  for (int i = 0; i < 3; i++) {
    if (use && i == 1) {
      s += m;
    }
  }
  return s;
}

/* The divisor is at least 1, the root's operand at least 2: neither is infinite. */
static double away(double x, double y) {
  double q = y / (1 + x * x), r = sqrt(2 + fabs(x)), s = x * y;
  int use = x > 0;
  for (int i = 0; i < 3; i++) {
    if (use && i == 1) {
      s += q * r;
    }
  }
  return s;
}

/* Positive by the branch: the root and the quotient by it are numbers; the quotient by x is none at 0. */
static double known(double x, double y) {
  double s = 0;
  for (int i = 0; i < 2; i++) {
    if (!(x + i > 0)) {
      continue;
    }
    double root = sqrt(x + i), q = y / root, far = y / (x + i - 1);
    if (i == 1 && far > 1e9) {
      continue;
    }
    s += q * root * q + far * x;
  }
  return s;
}

/* One factor alone may be infinite, and the other's cotangent meets it. */
static double one_factor(double x, double y) {
  double inverse = 1 / x, product = inverse * y, s = 3 * x + y;
  for (int i = 0; i < 3; i++) {
    if (product < 1e9 && i) {
      s += product;
    }
  }
  return s;
}

/* The larger of the errors, with ties and NaN. */
static double largest(const double e[3]) {
  double most = 0;
  for (int i = 0; i < 3; i++) {
    most = fmax(most, fabs(e[i]));
  }
  return most * most;
}

static void check_gradient(const char *what, double (*f)(double, double), double x, double y, const double g[2]) {
  const double h = 1e-6;
  check_near(what, g[0], (f(x + h, y) - f(x - h, y)) / (2 * h), 1e-6 * (1 + fabs(g[0])));
  check_near(what, g[1], (f(x, y + h) - f(x, y - h)) / (2 * h), 1e-6 * (1 + fabs(g[1])));
}

#define TRY(f, x, y)                                                                                                   \
  tl_grad(f)(x, y, &g[0], &g[1]);                                                                                      \
  check_gradient(#f, f, x, y, g)

int main(void) {
  double g[2], h[2][2];
  TRY(clamped, 0.3, 0.2);
  TRY(clamped, 0.1, 0.7);
  TRY(half_clamped, 0.4, 0.7);
  TRY(away, 0.4, 0.7);
  TRY(away, -0.4, 0.7);
  TRY(known, 0.4, 0.7);
  TRY(known, -0.4, 0.7);
  TRY(one_factor, 0.4, 0.7);

  tl_grad(clamped)(0, 0.2, &g[0], &g[1]); /* the root at 0 is kept out by fmin */
  check_near("clamped by x", g[0], 0, 0);
  tl_grad(half_clamped)(0, 0.7, &g[0], &g[1]);
  check_near("half_clamped by x", g[0], 0.7, 0);
  check_near("half_clamped by y", g[1], 0, 0);
  tl_hessian(half_clamped)(0, 0.7, h);
  check_near("half_clamped by x, x", h[0][0], 0, 0);
  check_near("half_clamped by x, y", h[0][1], 1, 0);
  check_near("half_clamped by y, y", h[1][1], 0, 0);
  tl_grad(one_factor)(0, 0.7, &g[0], &g[1]);
  check_near("one_factor by x", g[0], 3, 0);
  check_near("one_factor by y", g[1], 1, 0);

  double e[][3] = {{1, -2, 0.5}, {2, -2, 1}, {1, 0, -1}, {0, 0, 0}}, e_bar[3];
  double right[][3] = {{0, -4, 0}, {2, -2, 0}, {1, 0, -1}, {0, 0, 0}};
  for (int k = 0; k < 4; k++) {
    tl_grad(largest)(e[k], e_bar);
    for (int i = 0; i < 3; i++) {
      check_near("largest", e_bar[i], right[k][i], 0);
    }
  }
  double one_is_nan[3] = {NAN, 3, -1};
  tl_grad(largest)(one_is_nan, e_bar);
  check_near("largest beside NaN", e_bar[1], 6, 0);
  check_near("smaller beside NaN", e_bar[2], 0, 0);
  return check_done();
}
