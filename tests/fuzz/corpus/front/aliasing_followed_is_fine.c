#include <tlaloc/grad.h>
static void shift(const double from[3], double to[3]) {
  for (int i = 0; i < 3; i++) {
    to[i] = 2 * from[i];
  }
}
static double f(double x[4]) {
  shift(x, x + 1);
  return x[3];
}
void g(double x[4], double x_bar[4]) { tl_grad(f, x)(x, x_bar); }
