#include <tlaloc/grad.h>
static double f(double x, int n) {
  double s = 0;
again:
  s += x * s + x;
  if (--n > 0) {
    goto again;
  }
  return s;
}
double g(double x) { return tl_grad(f, x)(x, 3); }
