#include <tlaloc/grad.h>
static double f(double x, double y) { return x * y; }
static double f_jvp(double x, double *f_dot, double y, double x_dot, double y_dot) {
  *f_dot = x_dot * y + x * y_dot;
  return x * y;
}
TL_CUSTOM_JVP(f, f_jvp);
static double h(double x) { return f(x, x) + 1; }
double g(double x) { return tl_jvp(h)(x, 1.0); }
