/* lse: the logarithm of the sum of the exponentials. */
#ifndef LSE_H
#define LSE_H

#include <math.h>
#include <stddef.h>

static double log_sum_exp(size_t n, const double x[n]) {
  size_t top = 0;
  for (size_t i = 1; i < n; i++) {
    if (x[i] > x[top]) {
      top = i;
    }
  }
  double max = x[top], sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += exp(x[i] - max);
  }
  return max + log(sum);
}

#endif
