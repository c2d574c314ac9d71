#include <tlaloc/grad.h>
double lookup(double x);
static double f(double x) {
  double a = x * x;
  return a * lookup(a);
}
double g(double x) { return tl_grad(f)(x); }
