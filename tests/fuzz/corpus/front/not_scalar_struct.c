#include <tlaloc/grad.h>
struct two { double a, b; };
static struct two f(double x) { return (struct two){x, x * x}; }
double g(double x) { return tl_grad(f)(x); }
