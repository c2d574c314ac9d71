#include <tlaloc/grad.h>
static double f(double x, double y) { return x * y; }
double f_jvp(double x, double x_dot, double y, double y_dot, double *f_dot);
TL_CUSTOM_JVP(f, f_jvp);
static double h(double x) { return f(x, x) + 1; }
double g(double x) { return tl_grad(h)(x); }
