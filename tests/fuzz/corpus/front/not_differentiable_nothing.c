#include <tlaloc/grad.h>
static double f(int n) { return n; }
double g(void) { return tl_value_and_grad(f)(3); }
