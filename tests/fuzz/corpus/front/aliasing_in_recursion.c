#include <tlaloc/grad.h>
static double fold(int n, const double *a, double *b) {
  *b = *a * *b;
  return n > 0 ? fold(n - 1, a, b) : *b;
}
static double f(double x) {
  double v = x;
  return fold(3, &v, &v);
}
double g(double x) { return tl_grad(f)(x); }
