/* The place is where the macro is used. */
#include <tlaloc/grad.h>
#define SQUARE(v) outside((v) * (v))
double outside(double x);
static double f(double x) { return 1 + SQUARE(x + 1); }
double g(double x) { return tl_grad(f)(x); }
