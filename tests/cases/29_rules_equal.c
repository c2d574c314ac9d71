/* Functions with custom rules whose own bodies compare for equality: the prototype that the rule must have comes from them. */
#include "check.h"

#include <tlaloc/grad.h>

static double cube(double x, double y) { return x == 0 ? y : x * x * x * y; }

static double cube_vjp(double x, double y, double cube_bar, double *x_bar, double *y_bar) {
  *x_bar = 3 * x * x * y * cube_bar;
  *y_bar = x * x * x * cube_bar;
  return cube(x, y);
}

TL_CUSTOM_VJP(cube, cube_vjp);

static double quad(double x, double y) {
  if (x != y) {
    return x * x * y;
  }
  return x * x * x;
}

static double quad_jvp(double x, double y, double x_dot, double y_dot, double *quad_dot) {
  *quad_dot = 2 * x * y * x_dot + x * x * y_dot;
  return quad(x, y);
}

TL_CUSTOM_JVP(quad, quad_jvp);

static void squares(size_t n, const double x[n], double y[n]) {
  for (size_t i = 0; i < n; i++) {
    y[i] = x[i] == 0 ? 0 : x[i] * x[i];
  }
}

static void squares_vjp(size_t n, const double x[n], double y[n], double y_bar[n], double x_bar[n]) {
  squares(n, x, y);
  for (size_t i = 0; i < n; i++) {
    x_bar[i] = 2 * x[i] * y_bar[i];
  }
}

TL_CUSTOM_VJP(squares, squares_vjp);

/* 8 x^4 sin(x) + 3 x^3 */
static double scalars(double x) { return sin(x) * cube(x * 2, x) + quad(x, 3 * x); }

static double norm(size_t n, const double x[n]) {
  double y[n], s = 0;
  squares(n, x, y);
  for (size_t i = 0; i < n; i++) {
    s += y[i];
  }
  return s;
}

int main(void) {
  double x = 0.7, x_bar, y_bar;
  double first = 32 * x * x * x * sin(x) + 8 * x * x * x * x * cos(x) + 9 * x * x;
  CHECK(tl_grad(scalars)(x), first);
  CHECK(tl_jvp(scalars)(x, 1), first);
  tl_grad(cube)(0, 2, &x_bar, &y_bar); /* the rule's word counts, not the body's */
  CHECK(x_bar, 0);
  CHECK(y_bar, 0);
  CHECK(tl_jvp(quad)(x, x, 1, 1), 3 * x * x);
  double w[3] = {1, 0, 3}, w_bar[3];
  tl_grad(norm)(3, w, w_bar);
  for (int i = 0; i < 3; i++) {
    CHECK(w_bar[i], 2 * w[i]);
  }
  return check_done();
}
