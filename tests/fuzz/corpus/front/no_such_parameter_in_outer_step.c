#include <tlaloc/grad.h>
static double f(double x, double y) { return x * y * y; }
double g(void) { return tl_grad(tl_grad(f, y), z)(1.0, 2.0); }
