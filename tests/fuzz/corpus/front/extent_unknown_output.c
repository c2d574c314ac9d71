typedef unsigned long size_t;
#include <tlaloc/grad.h>
static void f(size_t n, const double x[n], double *y) {
  for (size_t i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
  }
}
void g(size_t n, const double x[n], double y[n], double x_dot[n], double y_dot[n]) { tl_jvp(f, x)(n, x, y, x_dot, y_dot); }
