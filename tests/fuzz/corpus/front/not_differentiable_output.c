#include <tlaloc/grad.h>
static double f(double x, double y[2]) {
  y[0] = x;
  y[1] = x * x;
  return x;
}
void g(double y[2], double y_bar[2]) { tl_grad(f, y)(1.0, y, y_bar); }
