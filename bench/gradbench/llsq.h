/* llsq: half the squared distance between a polynomial and the sign of t at n points of [-1, 1]. */
#ifndef LLSQ_H
#define LLSQ_H

#include <stddef.h>

static double llsq(size_t m, const double x[m], size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double t = -1 + (double)i * 2 / ((double)n - 1);
    double residual = t > 0 ? 1 : t < 0 ? -1 : 0;
    double power = 1;
    for (size_t j = 0; j < m; j++) {
      residual -= x[j] * power;
      power *= t;
    }
    sum += residual * residual;
  }
  return sum / 2;
}

#endif
