#include <tlaloc/grad.h>
double f(double x, double grad) { return x * grad; }
double g(double x) { return x * x; } double h(double x) { return tl_grad(g)(x) + tl_grad(g, x)(x); }
struct pair {
  double a, b;
};
struct pair s(struct pair p);
struct pair s(struct pair p) { return p; }
double rule(double x, double y, double f_bar, double *x_bar, double *y_bar);
TL_CUSTOM_VJP(f, rule);
TL_CUSTOM_JVP(g, g);
double (*stored)(double) = tl_grad(g);
int main(void) {
  double (*again)(double) = tl_grad(tl_grad(g, x), x);
  double bar;
  tl_grad(f, x, grad)(1, 2, &bar, &bar);
  struct pair p = tl_jvp(s)((struct pair){1, 2}, (struct pair){3, 4});
  return tl_check_vjp(g)(1, 0) + tl_value_and_grad(tl_hessian(g), x)(1) + again(1) + stored(2) + p.a + tl_grad(missing)(1);
}
double last(void) { return tl_grad(g)(3); }
