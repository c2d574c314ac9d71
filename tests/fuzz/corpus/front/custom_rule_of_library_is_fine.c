#include <tlaloc/grad.h>
double f(double x);
static double f_vjp(double x, double f_bar, double *x_bar) {
  double y = f(x);
  *x_bar = f_bar * y;
  return y;
}
TL_CUSTOM_VJP(f, f_vjp);
static double h(double x) { return f(2 * x) + 1; }
double g(double x) { return tl_grad(h)(x) + tl_jvp(h)(x, 1.0); }
