#include <tlaloc/grad.h>
double f(double x);
double g(double x) { return tl_grad(f)(x) + tl_grad(f)(2 * x) + tl_jvp(f)(x, 1.0); }
