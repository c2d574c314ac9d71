/* Only a variable, an output or an in-out needs one. */
typedef unsigned long size_t;
#include <tlaloc/grad.h>
static double f(size_t n, const double *table, double x) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    s += table[i] * x;
  }
  return s;
}
double g(size_t n, const double *table) { return tl_grad(f, x)(n, table, 2.0); }
