#include <tlaloc/grad.h>
static double (*f)(double);
double g(double x) {
  return tl_grad(f)(x);
}
