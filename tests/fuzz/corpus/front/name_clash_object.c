#include <tlaloc/grad.h>
static double f(double x) { return x * x; }
double f__grad__x;
double g(double x) { return tl_grad(f, x)(x); }
