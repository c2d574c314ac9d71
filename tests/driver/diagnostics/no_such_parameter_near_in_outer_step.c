#include <tlaloc/grad.h>
static double f(double width, double depth) { return width * width * depth; }
double g(void) { return tl_grad(tl_grad(f, width), dpeth)(1.0, 2.0); }
static double one(double only) { return only; }
double h(void) { return tl_grad(one, x)(1.0); }
static double none(void) { return 1; }
double i(void) { return tl_grad(none, x)(); }
