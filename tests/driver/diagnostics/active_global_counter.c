#include <tlaloc/grad.h>
static int evaluations;
int evaluations_so_far(void) { return evaluations; }
static double f(double x) {
  evaluations++;
  return x * x;
}
static double h(double x) {
  static int calls;
  if (++calls > 100) {
    return 0;
  }
  return x * x;
}
double g(double x) { return tl_grad(f)(x) + tl_grad(h)(x); }
