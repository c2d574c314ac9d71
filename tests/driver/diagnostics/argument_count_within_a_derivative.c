#include <tlaloc/grad.h>
static double area(double width, double height) { return width * height; }
static double slope(double x) { return tl_grad(area, width)(x) * x; }
double f(double x) { return tl_grad(slope)(x); }
double g(double x) { return tl_grad(slope)(x, x); }
