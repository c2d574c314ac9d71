#include <tlaloc/grad.h>
static double f(double x) {
  double y = x;
  __asm__("" : "+x"(y));
  return y;
}
double g(double x) { return tl_grad(f)(x); }
