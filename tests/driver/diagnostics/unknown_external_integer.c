#include <tlaloc/grad.h>
int level(double x);
static double f(double x) {
  int n = level(x) + 1;
  return x * n;
}
double g(double x) { return tl_grad(f)(x); }
