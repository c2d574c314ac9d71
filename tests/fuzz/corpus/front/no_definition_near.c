#include <tlaloc/grad.h>
static double area(double width, double height) { return width * height; }
double g(void) { return tl_grad(aera, width)(1.0, 2.0); }
