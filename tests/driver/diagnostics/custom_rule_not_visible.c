#include <tlaloc/grad.h>
double f(double x);
double f_vjp(double x, double f_bar, double *x_bar);
TL_CUSTOM_VJP(f, f_vjp);
double p(double x);
double p_jvp(double x, double x_dot, double *p_dot);
TL_CUSTOM_JVP(p, p_jvp);
static double h(double x) { return f(x) + 1; }
static double q(double x) {
  return p(x) + 1;
}
double g(double x) { return tl_jvp(h)(x, 1); }
double second(double x) {
  double y;
  tl_hessian(q)(x, &y);
  return y;
}
