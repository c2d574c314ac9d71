/* det: the determinant by expansion by minors. */
#ifndef DET_H
#define DET_H

#include <stddef.h>

/* Of the last m rows and the listed columns of a, expanded along the first of these rows. */
static double det_of_minor(size_t n, const double a[n][n], size_t m, const size_t columns[m]) {
  size_t row = n - m;
  if (m == 1) {
    return a[row][columns[0]];
  }
  if (m == 2) {
    return a[row][columns[0]] * a[row + 1][columns[1]] - a[row][columns[1]] * a[row + 1][columns[0]];
  }
  double sum = 0, sign = 1;
  for (size_t j = 0; j < m; j++) {
    size_t others[m - 1];
    for (size_t i = 0; i < m - 1; i++) {
      others[i] = columns[i < j ? i : i + 1];
    }
    sum += sign * a[row][columns[j]] * det_of_minor(n, a, m - 1, others);
    sign = -sign;
  }
  return sum;
}

static double det(size_t n, const double a[n][n]) {
  size_t columns[n];
  for (size_t j = 0; j < n; j++) {
    columns[j] = j;
  }
  return det_of_minor(n, a, n, columns);
}

#endif
