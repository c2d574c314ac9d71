/* Only the definition's names count. */
#include <tlaloc/grad.h>
static double f(double first, double second);
double g(void) { return tl_grad(f, first)(1.0, 2.0); }
static double f(double x, double y) { return x * y; }
