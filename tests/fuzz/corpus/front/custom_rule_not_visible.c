#include <tlaloc/grad.h>
double f(double x);
double f_vjp(double x, double f_bar, double *x_bar);
TL_CUSTOM_VJP(f, f_vjp);
static double h(double x) { return f(x) + 1; }
double g(double x) { return tl_grad(h)(x); }
