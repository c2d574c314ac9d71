#include "det.h"

#include "evals.h"

#include <string.h>

double det_value(size_t n, const double *a) { return det(n, (const double(*)[n])a); }

/* The value of a minor, whose derivative `bar` is known on the way down, since the determinant is linear in each minor:
   one pass gives all. */
static double minor(size_t n, const double *a, size_t m, const size_t *columns, double bar, double *a_bar) {
  const double *row = a + (n - m) * n;
  double *row_bar = a_bar + (n - m) * n;
  if (m == 1) {
    row_bar[columns[0]] += bar;
    return row[columns[0]];
  }
  if (m == 2) {
    size_t i = columns[0], j = columns[1];
    const double *next = row + n;
    double *next_bar = row_bar + n;
    row_bar[i] += bar * next[j];
    next_bar[j] += bar * row[i];
    row_bar[j] -= bar * next[i];
    next_bar[i] -= bar * row[j];
    return row[i] * next[j] - row[j] * next[i];
  }
  double sum = 0, sign = 1;
  size_t others[m - 1];
  memcpy(others, columns + 1, (m - 1) * sizeof *others);
  for (size_t j = 0; j < m; j++) {
    size_t c = columns[j];
    double factor = sign * row[c];
    double value = minor(n, a, m - 1, others, bar * factor, a_bar);
    row_bar[c] += bar * sign * value;
    sum += factor * value;
    sign = -sign;
    if (j < m - 1) {
      others[j] = c;
    }
  }
  return sum;
}

void det_gradient(size_t n, const double *a, double *a_bar) {
  size_t columns[n];
  for (size_t j = 0; j < n; j++) {
    columns[j] = j;
  }
  memset(a_bar, 0, n * n * sizeof *a_bar);
  minor(n, a, n, columns, 1, a_bar);
}
