#include <tlaloc/grad.h>
static double f(double x, double y) {
  long k = (long)(x * 10);
  double back = k / 10.0;
  return back * y;
}
double g(double x) { return tl_grad(f, x)(x, 2.0); }
