#include <math.h>
#include <tlaloc/grad.h>
double g(double x) { return tl_grad(sin)(x); }
