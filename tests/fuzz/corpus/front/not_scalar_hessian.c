#include <tlaloc/grad.h>
static void f(double x, double *y) { *y = x * x; }
void g(double *y, double H[1][1]) { tl_hessian(f, x)(1.0, y, H); }
