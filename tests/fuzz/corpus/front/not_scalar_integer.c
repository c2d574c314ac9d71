#include <tlaloc/grad.h>
static int f(double x) { return x > 0; }
double g(double x) { return tl_grad(f)(x); }
