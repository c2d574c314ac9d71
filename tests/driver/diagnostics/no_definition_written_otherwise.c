#include <tlaloc/grad.h>
static double f(double x, double y) { return x * y; }
double a(double x) { return tl_grad(f(x, 1)); }
double b(double x) { return tl_grad(f(x), x)(x, 1); }
double c(double x) { return tl_grad("f", x)(x, 1); }
double d(double x) { return tl_grad(&f, x)(x, 1); }
double e(double x) { return tl_grad((f), x)(x, 1); }
double h(double x) { return tl_grad(f x)(x, 1); }
double i(double x) { return tl_grad(double f, x)(x, 1); }
double j(double x) { return tl_grad(tl_grad(f(x), x), y)(x, 1); }
double k(double x) { return tl_grad(3.0)(x); }
double l(double x) {
  return tl_value_and_jvp(f(x,
                            1))(x, 1);
}
