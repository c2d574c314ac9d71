#include <tlaloc/grad.h>

static double product(double x, double y) { return x * y; }
static double product_vjp(double x, double y, double product_bar, double *x_bar, double *y_bar) {
  *x_bar = product_bar * y;
  (void)y_bar;
  return x * y;
}
TL_CUSTOM_VJP(product, product_vjp);
static double by_cell(double x) { return product(x, x) + 1; }

/* Not even looked at, and without its extent. */
static double sum(const double x[3], const double y[3]) { return x[0] + x[1] + x[2] + y[0]; }
static double sum_vjp(const double x[3], const double y[3], double sum_bar, double x_bar[3], double *y_bar) {
  (void)y_bar;
  x_bar[0] = x_bar[1] = x_bar[2] = sum_bar;
  return x[0] + x[1] + x[2] + y[0];
}
TL_CUSTOM_VJP(sum, sum_vjp);
static double by_array(const double x[3]) { return sum(x, x); }

/* What the function itself writes, and the tangent of it. */
static void both(double x, double *square, double *cube) { *square = x * x, *cube = x * x * x; }
static void both_jvp(double x, double *square, double *cube, double x_dot, double *square_dot, double *cube_dot) {
  *square = x * x, *cube = x * x * x;
  *square_dot = 2 * x * x_dot;
  if (0) {
    *cube_dot = 3 * x * x * x_dot;
  }
}
TL_CUSTOM_JVP(both, both_jvp);
static double by_output(double x) {
  double square, cube;
  both(x, &square, &cube);
  return square + cube;
}

static void set(double p[2], double x) { p[1] = x; }
static void set_vjp(double p[2], double x, double p_bar[2], double *x_bar) {
  (void)p, (void)x;
  *x_bar = p_bar[1];
  p_bar[1] = 0;
}
TL_CUSTOM_VJP(set, set_vjp);
static double by_inout(double x) {
  double p[2] = {x, x};
  set(p, 2 * x);
  return p[0] * p[1];
}

struct pair {
  double a;
  struct {
    double b;
  } inner;
};
static double of_pair(struct pair p) { return p.a * p.inner.b; }
static double of_pair_vjp(struct pair p, double of_pair_bar, struct pair *p_bar) {
  p_bar->a = of_pair_bar * p.inner.b;
  return p.a * p.inner.b;
}
TL_CUSTOM_VJP(of_pair, of_pair_vjp);
static double by_member(double x) {
  struct pair p = {x, {x}};
  return of_pair(p);
}

double g(double x, const double y[3], double y_bar[3]) {
  tl_grad(by_array)(y, y_bar);
  return tl_grad(by_cell)(x) + tl_grad(by_output)(x) + tl_grad(by_inout)(x) + tl_grad(by_member)(x);
}
