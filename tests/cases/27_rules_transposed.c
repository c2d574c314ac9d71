/* A custom rule of one mode serves the other: it is linear in its seeds. */
#include "check.h"

#include <tlaloc/grad.h>

static double cube(double x, double y) { return x * x * x * y; }

static double cube_vjp(double x, double y, double cube_bar, double *x_bar, double *y_bar) {
  *x_bar = 3 * x * x * y * cube_bar;
  *y_bar = x * x * x * cube_bar;
  return cube(x, y);
}

TL_CUSTOM_VJP(cube, cube_vjp);

static double quad(double x, double y) { return x * x * y; }

static double quad_jvp(double x, double y, double x_dot, double y_dot, double *quad_dot) {
  *quad_dot = 2 * x * y * x_dot + x * x * y_dot;
  return quad(x, y);
}

TL_CUSTOM_JVP(quad, quad_jvp);

static void square(size_t n, const double x[n], double y[n]) {
  for (size_t i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
  }
}

static void square_vjp(size_t n, const double x[n], double y[n], double y_bar[n], double x_bar[n]) {
  square(n, x, y);
  for (size_t i = 0; i < n; i++) {
    x_bar[i] = 2 * x[i] * y_bar[i];
  }
}

TL_CUSTOM_VJP(square, square_vjp);

static void again(size_t n, const double x[n], double y[n]) { square(n, x, y); }

static void again_jvp(size_t n, const double x[n], double y[n], const double x_dot[n], double y_dot[n]) {
  square(n, x, y);
  for (size_t i = 0; i < n; i++) {
    y_dot[i] = 2 * x[i] * x_dot[i];
  }
}

TL_CUSTOM_JVP(again, again_jvp);

/* 8 x^4 sin(x) + 3 x^3 */
static double scalars(double x) { return sin(x) * cube(x * 2, x) + quad(x, 3 * x); }

/* The sum of x^4. */
static double arrays(size_t n, const double x[n]) {
  double y[n], z[n], s = 0;
  square(n, x, y);
  again(n, x, z);
  for (size_t i = 0; i < n; i++) {
    s += y[i] * z[i];
  }
  return s;
}

int main(void) {
  double x = 0.7;
  double first = 32 * x * x * x * sin(x) + 8 * x * x * x * x * cos(x) + 9 * x * x;
  double second = 96 * x * x * sin(x) + 64 * x * x * x * cos(x) - 8 * x * x * x * x * sin(x) + 18 * x;
  CHECK(tl_grad(scalars)(x), first);
  CHECK(tl_jvp(scalars)(x, 1), first);
  CHECK(tl_grad(tl_grad(scalars, x), x)(x), second);
  CHECK(tl_jvp(tl_grad(scalars, x), x)(x, 1), second);
  double w[3] = {1, 2, 3}, w_dot[3] = {1, 0, 2}, w_bar[3];
  tl_grad(arrays, x)(3, w, w_bar);
  for (int i = 0; i < 3; i++) {
    CHECK(w_bar[i], 4 * w[i] * w[i] * w[i]);
  }
  CHECK(tl_jvp(arrays, x)(3, w, w_dot), w_bar[0] + 2 * w_bar[2]);
  return check_done();
}
