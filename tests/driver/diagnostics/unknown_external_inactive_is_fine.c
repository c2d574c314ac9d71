#include <stdio.h>
#include <tlaloc/grad.h>
int level(void);
static double f(double x) {
  if (level() > 2) {
    printf("evaluated\n");
  }
  return x * x;
}
double g(double x) { return tl_grad(f)(x); }
