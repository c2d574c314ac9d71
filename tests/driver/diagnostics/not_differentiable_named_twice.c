#include <tlaloc/grad.h>
static double f(double x, double y) { return x * y; }
double g(double x) { return tl_grad(f, x, x)(x, 2.0); }
double h(double x) { return tl_grad(tl_grad(f, x), y, x, y)(x, 2.0); }
