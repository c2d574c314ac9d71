/* Recursion over the halves of an array: the logarithm of a sum of exponentials, pairwise. */
#include "dumps.h"

#include <math.h>

static double join(double a, double b) { return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b)); }

static double log_sum(int n, const double x[n]) {
  if (n == 1) {
    return x[0];
  }
  return join(log_sum(n / 2, x), log_sum(n - n / 2, x + n / 2));
}

/* calls */
int RUN(double out[]) {
  double x[13];
  for (int i = 0; i < 13; i++) {
    x[i] = 3 * sin(i);
  }
  CALL(grad, log_sum)(13, x, out);
  return 13;
}
