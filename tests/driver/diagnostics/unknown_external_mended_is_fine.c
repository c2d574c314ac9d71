/* The mend of UNKNOWN_EXTERNAL.md, in its example. */
#include <stddef.h>
#include <tlaloc/grad.h>

double spline(size_t n, const double table[n], double x);

double spline_weight(size_t n, size_t i, double x); /* of table[i] */
double spline_weight_slope(size_t n, size_t i, double x);

static double spline_vjp(size_t n, const double table[n], double x, double spline_bar, double table_bar[n], double *x_bar) {
  double slope = 0;
  for (size_t i = 0; i < n; i++) {
    table_bar[i] = spline_bar * spline_weight(n, i, x);
    slope += table[i] * spline_weight_slope(n, i, x);
  }
  *x_bar = spline_bar * slope;
  return spline(n, table, x);
}
TL_CUSTOM_VJP(spline, spline_vjp);

static double f(double x, size_t n, const double table[n]) { return 2 * spline(n, table, x); }

double slope(size_t n, const double table[n]) { return tl_grad(f, x)(1.0, n, table); }
