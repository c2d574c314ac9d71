#include <stdarg.h>
#include <tlaloc/grad.h>
static double f(double x, ...) {
  va_list args;
  va_start(args, x);
  double y = va_arg(args, double);
  va_end(args);
  return x * y;
}
double g(double x) { return tl_grad(f, x)(x, 2.0); }
