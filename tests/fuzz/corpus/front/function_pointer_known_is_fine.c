double sin(double), cos(double), exp(double), log(double), sqrt(double), floor(double), pow(double, double);
#include <tlaloc/grad.h>
static double apply(double (*h)(double), double x) { return h(x) + 1; }
static double f(double x) { return apply(sin, x); }
double g(double x) { return tl_grad(f)(x); }
