/* What the function leaves alone itself, its rules may leave alone, and the cotangent or tangent of an in-out may stay.
 */
#include <tlaloc/grad.h>

struct pair {
  double a, b;
};
static void scale(struct pair *p, double x) { p->a *= x; }
static void scale_vjp(struct pair *p, double x, struct pair *p_bar, double *x_bar) {
  *x_bar = p_bar->a * p->a;
  p_bar->a *= x;
  p->a *= x;
}
TL_CUSTOM_VJP(scale, scale_vjp);
static double by_vjp(double x) {
  struct pair p = {x, x};
  scale(&p, 2 * x);
  return p.a * p.b;
}

static void shift(double p[2], double x) { p[1] += x; }
static void shift_jvp(double p[2], double x, double p_dot[2], double x_dot) {
  p[1] += x;
  p_dot[1] += x_dot;
}
TL_CUSTOM_JVP(shift, shift_jvp);
static double by_jvp(double x) {
  double p[2] = {x, x};
  shift(p, 2 * x);
  return p[0] * p[1];
}

double g(double x) { return tl_grad(by_vjp)(x) + tl_jvp(by_vjp)(x, 1) + tl_grad(by_jvp)(x) + tl_jvp(by_jvp)(x, 1); }
