#include <tlaloc/grad.h>
static double f_one(double x1, double x2) { return x1 * x2; }
#define FUNCTION(name) f_##name
#define PARAMETER(n) x##n
#define NOTHING
#define DERIVATIVE(name, n) tl_grad(FUNCTION(name), PARAMETER(n))
double a(double x) { return tl_grad(FUNCTION(one), PARAMETER(1))(x, 1); }
double b(double x) { return DERIVATIVE(one, 2)(x, 1); }
double c(double x) { return tl_grad(/* the */ f_one /* by */, x1 /* and */, x2 // no other
  )(x, 1, &x, &x), x; }
double d(double x) { return tl_grad(NOTHING f_one, NOTHING x1)(x, 1); }
double e(double x) { return tl_grad ( f_one ,
                                      x2 ) (x, 1); }
double g(double x) { return tl_grad(tl_grad(FUNCTION(one), x1), PARAMETER(2))(x, 1); }
