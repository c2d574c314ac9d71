#include <tlaloc/grad.h>
static double f(double x, const int k[3]) { return x * k[1]; }
void g(const int k[3], int *k_bar) { tl_grad(f, k)(1.0, k, k_bar); }
