#include <tlaloc/grad.h>
double f(double x);
double g(double x) { return tl_grad(f)(x); } double f(double x) { return x; } double h(double x) { return tl_grad(f)(x); }
double u(double x) { return tl_grad(v)(x); } double v(double x) { return x; }
double t(double x) { return tl_grad(w)(x); }
double w(double x);
double w(double x) { return x * x; }
double s(double x) { return x > 1 ? tl_grad(s)(x) : x; }
