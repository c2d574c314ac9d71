/* Rows of a batch that calls write to, or take as arrays of arrays, are copied; what an array of numbers only reads is not,
 * nor are a few numbers. */
#include <stddef.h>
#include <tlaloc/grad.h>

static double sum(size_t n, const double x[n]) { return n ? x[0] + sum(n - 1, x + 1) : 0; }

static void halve(size_t n, double x[n]) {
  if (n) {
    x[n - 1] *= .5;
    halve(n - 1, x);
  }
}

static double corners(size_t n, double m[8][8]) { return n ? m[0][n] + corners(n - 1, m) : m[0][0]; }

static double all(size_t n, double x[n], const double y[n], double few[3], double m[8][8]) {
  halve(n, x);
  halve(3, few);
  return sum(n, y) + corners(2, m);
}

void totals(size_t n, double x[4][n], double y[4][n], double few[4][3], double m[4][8][8], double out[4]) {
  tl_vmap(all, b)(4, n, x, y, few, m, out);
}
