#include <tlaloc/grad.h>
static double f(double x) {
  double a[2] = {x, 2 * x};
  float *p = (float *)a;
  return p[0];
}
double g(double x) { return tl_grad(f)(x); }
