#include <stdlib.h>
#include <tlaloc/grad.h>
static double f(double x) {
  double *p = malloc(sizeof *p);
  *p = x * x;
  double y = *p;
  free(p);
  return y;
}
double g(double x) { return tl_grad(f)(x); }
