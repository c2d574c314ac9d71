/* A first gradient: build with `tlalocc first.c -lm`. */
#include <math.h>
#include <stdio.h>
#include <tlaloc/grad.h>

static double rosenbrock(double x, double y) { return pow(1 - x, 2) + 100 * pow(y - x * x, 2); }

int main(void) {
  double x_bar, y_bar;
  tl_grad(rosenbrock)(-1.2, 1, &x_bar, &y_bar);
  printf("%g %g\n", x_bar, y_bar); /* -215.6 -88 */
}
