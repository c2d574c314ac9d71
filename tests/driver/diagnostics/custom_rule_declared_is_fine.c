#include <tlaloc/grad.h>
double f(int n, const double x[n]);
double f_vjp(int n, const double x[n], double f_bar, double x_bar[n]);
TL_CUSTOM_VJP(f, f_vjp);
double p(double x);
double p_jvp(double x, double x_dot, double *p_dot);
TL_CUSTOM_JVP(p, p_jvp);
static double h(int n, const double x[n]) { return f(n, x) * p(x[0]); }
void g(int n, const double x[n], double x_bar[n]) { tl_grad(h, x)(n, x, x_bar); }
static double q(double x) { return p(x) + 1; }
double slope(double x) { return tl_jvp(q)(x, 1) + tl_grad(q)(x); }
