double sin(double), cos(double), exp(double), log(double), sqrt(double), floor(double), pow(double, double);
#include <tlaloc/grad.h>
static double f(const double table[8], double x) {
  int k = (int)x;
  return table[k] + (x - floor(x)) * (table[k + 1] - table[k]);
}
double g(const double table[8], double x) { return tl_grad(f, x)(table, x); }
