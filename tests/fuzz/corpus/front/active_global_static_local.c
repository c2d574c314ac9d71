#include <tlaloc/grad.h>
static double f(double x) {
  static double calls;
  calls = calls + x;
  return calls;
}
double g(double x) { return tl_grad(f)(x); }
