#include <tlaloc/grad.h>
double outside(double x);
static double f(double x) {
	/* größer */ return 1 + outside(x);
}
double g(double x) { return tl_grad(f)(x); }
