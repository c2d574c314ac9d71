/* Factorisations in place keep nothing for the way back: what a step reads of earlier rows and columns still stands
 * where the step found it. Of n * n numbers in rows or in one row, by int and by size_t. There is no memory here for
 * n * n * n numbers.
 *
 * The sum of the logarithms of the pivots is log |det x|, whose derivative is the inverse, transposed. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <tlaloc/grad.h>

enum { FEW = 5, MANY = 300, MOST_BYTES = 1 << 26 };

#define FLAT(i, j) a[(i) * n + (j)]
#define ROWS(i, j) a[i][j]

/* Of functions of `int` and `size_t` n, with elements A(i, j). */
#define ALGORITHMS(SUFFIX, INDEX, LENGTH, A)                                                                           \
  static double by_columns_##SUFFIX(INDEX n, const double x[n][n]) {                                                   \
    double a LENGTH, s = 0;                                                                                            \
    for (INDEX i = 0; i < n; i++) {                                                                                    \
      for (INDEX j = 0; j < n; j++) {                                                                                  \
        A(i, j) = x[i][j];                                                                                             \
      }                                                                                                                \
    }                                                                                                                  \
    for (INDEX j = 0; j < n; j++) {                                                                                    \
      for (INDEX i = j; i < n; i++) {                                                                                  \
        double t = A(i, j);                                                                                            \
        for (INDEX k = 0; k < j; k++) {                                                                                \
          t -= A(i, k) * A(j, k);                                                                                      \
        }                                                                                                              \
        A(i, j) = i == j ? sqrt(t) : t / A(j, j);                                                                      \
      }                                                                                                                \
      s += log(A(j, j));                                                                                               \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double by_rows_##SUFFIX(INDEX n, const double x[n][n]) {                                                      \
    double a LENGTH, s = 0;                                                                                            \
    for (INDEX i = 0; i < n; i++) {                                                                                    \
      for (INDEX j = 0; j <= i; j++) {                                                                                 \
        double t = x[i][j];                                                                                            \
        for (INDEX k = 0; k < j; k++) {                                                                                \
          t -= A(i, k) * A(j, k);                                                                                      \
        }                                                                                                              \
        if (i == j) {                                                                                                  \
          A(i, i) = sqrt(t);                                                                                           \
        } else {                                                                                                       \
          A(i, j) = t / A(j, j);                                                                                       \
        }                                                                                                              \
      }                                                                                                                \
      s += log(A(i, i));                                                                                               \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double by_steps_##SUFFIX(INDEX n, const double x[n][n]) {                                                     \
    double a LENGTH, s = 0;                                                                                            \
    for (INDEX i = 0; i < n; i++) {                                                                                    \
      for (INDEX j = 0; j < n; j++) {                                                                                  \
        A(i, j) = x[i][j];                                                                                             \
      }                                                                                                                \
    }                                                                                                                  \
    for (INDEX k = 0; k < n; k++) {                                                                                    \
      for (INDEX i = k + 1; i < n; i++) {                                                                              \
        A(i, k) /= A(k, k);                                                                                            \
        for (INDEX j = k + 1; j < n; j++) {                                                                            \
          A(i, j) -= A(i, k) * A(k, j);                                                                                \
        }                                                                                                              \
      }                                                                                                                \
      s += log(fabs(A(k, k)));                                                                                         \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double rows_then_columns_##SUFFIX(INDEX n, const double x[n][n]) {                                            \
    double a LENGTH, s = 0;                                                                                            \
    for (INDEX i = 0; i < n; i++) {                                                                                    \
      for (INDEX j = i; j < n; j++) {                                                                                  \
        double t = x[i][j];                                                                                            \
        for (INDEX k = 0; k < i; k++) {                                                                                \
          t -= A(i, k) * A(k, j);                                                                                      \
        }                                                                                                              \
        A(i, j) = t;                                                                                                   \
      }                                                                                                                \
      for (INDEX j = i + 1; j < n; j++) {                                                                              \
        double t = x[j][i];                                                                                            \
        for (INDEX k = 0; k < i; k++) {                                                                                \
          t -= A(j, k) * A(k, i);                                                                                      \
        }                                                                                                              \
        A(j, i) = t / A(i, i);                                                                                         \
      }                                                                                                                \
      s += log(fabs(A(i, i)));                                                                                         \
    }                                                                                                                  \
    return s;                                                                                                          \
  }

ALGORITHMS(flat, int, [n * n], FLAT)
ALGORITHMS(square, int, [n][n], ROWS)
ALGORITHMS(flat_size, size_t, [n * n], FLAT)
ALGORITHMS(square_size, size_t, [n][n], ROWS)

/* x_bar times x transposed is the identity; where only the lower triangle of a symmetric x was read, and half of the
 * logarithm of the determinant taken, twice the symmetric part. */
static void check_inverse(const char *what, int n, double x[n][n], double x_bar[n][n], int is_lower) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      double s = i == k ? -1 : 0;
      for (int j = 0; j < n; j++) {
        double by = !is_lower ? x_bar[i][j] : i == j ? 2 * x_bar[i][i] : i > j ? x_bar[i][j] : x_bar[j][i];
        s += by * x[k][j];
      }
      worst = fabs(s) <= worst ? worst : fabs(s);
    }
  }
  check_near(what, worst, 0, 1e-10);
}

static void fill(int n, double x[n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      x[i][j] = x[j][i] = (i == j ? n : 0) + rand() / (double)RAND_MAX;
    }
  }
}

#define CHECK_ALL(SUFFIX, INDEX)                                                                                       \
  for (int step = 0; step < 2; step++) {                                                                               \
    int n = step ? MANY : FEW;                                                                                         \
    double(*x)[n] = malloc(n * sizeof *x), (*bar)[n] = malloc(n * sizeof *bar);                                        \
    if (!x || !bar) {                                                                                                  \
      return 1;                                                                                                        \
    }                                                                                                                  \
    fill(n, x);                                                                                                        \
    tl_grad(by_columns_##SUFFIX, x)((INDEX)n, (const double(*)[n])x, bar);                                             \
    check_inverse("by columns, " #SUFFIX, n, x, bar, 1);                                                               \
    tl_grad(by_rows_##SUFFIX, x)((INDEX)n, (const double(*)[n])x, bar);                                                \
    check_inverse("by rows, " #SUFFIX, n, x, bar, 1);                                                                  \
    x[1][0] += 0.5;                                                                                                    \
    tl_grad(by_steps_##SUFFIX, x)((INDEX)n, (const double(*)[n])x, bar);                                               \
    check_inverse("by steps, " #SUFFIX, n, x, bar, 0);                                                                 \
    tl_grad(rows_then_columns_##SUFFIX, x)((INDEX)n, (const double(*)[n])x, bar);                                      \
    check_inverse("rows, then columns, " #SUFFIX, n, x, bar, 0);                                                       \
    free(x);                                                                                                           \
    free(bar);                                                                                                         \
  }

int main(void) {
  struct rlimit memory = {MOST_BYTES, MOST_BYTES};
  if (setrlimit(RLIMIT_AS, &memory)) {
    return 1;
  }
  CHECK_ALL(flat, int)
  CHECK_ALL(square, int)
  CHECK_ALL(flat_size, size_t)
  CHECK_ALL(square_size, size_t)
  return check_done();
}
