/* Rows that a loop makes, in arrays of pointers of constant length, on the heap or not. */
#include "check.h"

#include <stdlib.h>

#include <tlaloc/grad.h>

enum { N = 3 };

static double heap(const double x[4]) {
  int n = N;
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) {
    a[i] = calloc(n, sizeof **a);
    for (int j = 0; j <= i; j++) {
      a[i][j] = x[j] * x[i];
    }
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      s += a[i][j] * a[j][i];
    }
  }
  s *= a[2][0];
  for (int i = n; i-- > 0;) {
    free(a[i]);
  }
  free(a);
  return s;
}

static double local(int m, const double x[4]) {
  double *rows[N], s = 0;
  for (int i = 0; i < N; i++) {
    rows[i] = malloc(m * sizeof(double));
    for (int j = 0; j < m; j++) {
      rows[i][j] = x[i] * x[j];
    }
  }
  double *last = rows[N - 1];
  for (int j = 0; j < m; j++) {
    s += rows[0][j] * last[j] * rows[1][0];
  }
  for (int i = 0; i < N; i++) {
    free(rows[i]);
  }
  return s;
}

/* Rows that do not outlive their iteration, and rows of several lengths, which stay what they were. */
static double within(const double x[4]) {
  double *row[2], s = 0;
  for (int i = 0; i < 2; i++) {
    row[i] = malloc(2 * sizeof(double));
    row[i][0] = x[i];
    row[i][1] = x[i + 1];
    s += row[i][0] * row[i][1] * row[i][1];
    free(row[i]);
  }
  return s;
}
static double unrolled(const double x[4]) {
  double *row[2] = {malloc(2 * sizeof(double)), malloc(3 * sizeof(double))};
  row[0][1] = x[0] * x[1];
  row[1][2] = x[2] * row[0][1];
  double s = row[1][2] * row[0][1];
  free(row[0]);
  free(row[1]);
  return s;
}

int main(void) {
  double x[4] = {2, 3, 5, 7}, b[4];
  tl_grad(heap)(x, b);
  double s = 16 + 81 + 625;
  CHECK(b[0], 4 * 8 * 10 + s * 5);
  CHECK(b[1], 4 * 27 * 10);
  CHECK(b[2], 4 * 125 * 10 + s * 2);
  CHECK(b[3], 0);
  CHECK(tl_check_vjp(heap)(x, 0), 0);
  CHECK(tl_check_vjp(local, x)(4, x, 0), 0);
  tl_grad(local, x)(2, x, b);
  /* (x0 x0 + x1 x1) x0 x2 x1 x0 */
  CHECK(b[2], 13 * 12);
  tl_grad(within)(x, b);
  CHECK(b[1], 2 * 2 * 3 + 25);
  tl_grad(unrolled)(x, b);
  CHECK(b[2], 36);
  CHECK(tl_check_vjp(unrolled)(x, 0), 0);
  return check_done();
}
