#include <tlaloc/grad.h>
static void f(double x, double *y) { *y = x * x; }
void g(double *y) { tl_grad(f, x)(1.0, y); }
