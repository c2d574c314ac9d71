#include <tlaloc/grad.h>
double gain = 2;
static const double offsets[2] = {1, 2};
static double f(double x) { return gain * x + offsets[0]; }
double g(double x) { return tl_grad(f)(x); }
