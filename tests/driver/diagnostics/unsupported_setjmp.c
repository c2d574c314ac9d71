#include <setjmp.h>
#include <tlaloc/grad.h>
static jmp_buf point;
static double f(double x) {
  if (setjmp(point)) {
    return 0;
  }
  return x * x;
}
double g(double x) { return tl_grad(f)(x); }
