#include <tlaloc/grad.h>
static double f(double width, double x) { return width * x * x; }
double g(double x) {
  double y = tl_grad(f, widht)(2, x);
  y += tl_grad(f,  widht)(3, x);
  return y + tl_grad(f, widht)(4, x);
}
