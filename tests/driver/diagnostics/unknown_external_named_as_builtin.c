#include <tlaloc/grad.h>
double expect(double x);
double inf(double x);
int isgreater(double x, double y);
static double f(double x) { return expect(x) * 2; }
static double g(double x) { return inf(x) * 2; }
static double h(double x) { return isgreater(x, 1) ? x : 2 * x; }
double df(double x) { return tl_grad(f)(x); }
double dg(double x) { return tl_grad(g)(x); }
double dh(double x) { return tl_grad(h)(x); }
