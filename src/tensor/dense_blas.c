#include <cblas.h>
#include <limits.h>

#include "base/dtype.h"
#include "tensor/dense.h"

enum { FEW = 32 * 32 * 32 }; /* multiplications that are done before BLAS has begun */

/* How a matrix of rows x columns lies in memory for BLAS: its rows or its columns consecutive. */
typedef struct layout {
  CBLAS_TRANSPOSE turned;
  int step;
} layout;

static bool lies(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t size, layout *out) {
  if (rows > INT_MAX || columns > INT_MAX) {
    return false;
  }
  bool by_rows = (column == size || columns == 1) && (rows == 1 || (row >= columns * size && row % size == 0));
  bool by_columns = (row == size || rows == 1) && (columns == 1 || (column >= rows * size && column % size == 0));
  int64_t step = by_rows ? (rows == 1 ? columns : row / size) : columns == 1 ? rows : column / size;
  *out = (layout){by_rows ? CblasNoTrans : CblasTrans, (int)step};
  return (by_rows || by_columns) && step <= INT_MAX;
}

bool tl__dense_product(tl_dtype dtype, const tl__product *p, void *out, const void *x, const void *y) {
  int64_t size = (int64_t)tl_dtype_size(dtype);
  layout lx, ly;
  if ((dtype != TL_F32 && dtype != TL_F64) || (double)p->rows * (double)p->inner * (double)p->columns < FEW ||
      !lies(p->rows, p->inner, p->x_row, p->x_inner, size, &lx) ||
      !lies(p->inner, p->columns, p->y_inner, p->y_column, size, &ly)) {
    return false;
  }
  int m = (int)p->rows, n = (int)p->columns, k = (int)p->inner;
  if (dtype == TL_F32) {
    cblas_sgemm(CblasRowMajor, lx.turned, ly.turned, m, n, k, 1, x, lx.step, y, ly.step, 0, out, n);
  } else {
    cblas_dgemm(CblasRowMajor, lx.turned, ly.turned, m, n, k, 1, x, lx.step, y, ly.step, 0, out, n);
  }
  return true;
}

/* ---- LAPACK, by Fortran's names, with the lengths of strings behind ---- */

#define WRAP(type, p)                                                                                                  \
  void p##potrf_(const char *uplo, const int *n, type *a, const int *lda, int *info, size_t);                          \
  void p##potri_(const char *uplo, const int *n, type *a, const int *lda, int *info, size_t);                          \
  void p##getrf_(const int *m, const int *n, type *a, const int *lda, int *pivots, int *info);                         \
  void p##geqrf_(const int *m, const int *n, type *a, const int *lda, type *tau, type *work, const int *most,          \
                 int *info);                                                                                           \
  void p##orgqr_(const int *m, const int *n, const int *k, type *a, const int *lda, const type *tau, type *work,       \
                 const int *most, int *info);                                                                          \
  void p##syevd_(const char *job, const char *uplo, const int *n, type *a, const int *lda, type *w, type *work,        \
                 const int *most, int *ints, const int *most_ints, int *info, size_t, size_t);                         \
  static int p##potrf(int n, void *a) {                                                                                \
    int info = 0;                                                                                                      \
    p##potrf_("U", &n, a, &n, &info, 1);                                                                               \
    return info;                                                                                                       \
  }                                                                                                                    \
  static int p##potri(int n, void *a) {                                                                                \
    int info = 0;                                                                                                      \
    p##potri_("U", &n, a, &n, &info, 1);                                                                               \
    return info;                                                                                                       \
  }                                                                                                                    \
  static int p##getrf(int n, void *a, int *pivots) {                                                                   \
    int info = 0;                                                                                                      \
    p##getrf_(&n, &n, a, &n, pivots, &info);                                                                           \
    return info;                                                                                                       \
  }                                                                                                                    \
  static int p##geqrf(int m, int n, void *a, void *tau, void *work, int most) {                                        \
    int info = 0;                                                                                                      \
    p##geqrf_(&m, &n, a, &m, tau, work, &most, &info);                                                                 \
    return info;                                                                                                       \
  }                                                                                                                    \
  static int p##orgqr(int m, int n, void *a, const void *tau, void *work, int most) {                                  \
    int info = 0;                                                                                                      \
    p##orgqr_(&m, &n, &n, a, &m, tau, work, &most, &info);                                                             \
    return info;                                                                                                       \
  }                                                                                                                    \
  static int p##syevd(bool vectors, int n, void *a, void *w, void *work, int most, int *ints, int most_ints) {         \
    int info = 0;                                                                                                      \
    p##syevd_(vectors ? "V" : "N", "L", &n, a, &n, w, work, &most, ints, &most_ints, &info, 1, 1);                     \
    return info;                                                                                                       \
  }                                                                                                                    \
  static void p##trsm(bool upper, bool transposed, bool unit, int n, int right, const void *t, int step, void *x) {    \
    cblas_##p##trsm(CblasRowMajor, CblasLeft, upper ? CblasUpper : CblasLower, transposed ? CblasTrans : CblasNoTrans, \
                    unit ? CblasUnit : CblasNonUnit, n, right, 1, t, step, x, right);                                  \
  }                                                                                                                    \
  static const tl__lapack p##lapack = {p##potrf, p##potri, p##getrf, p##geqrf, p##orgqr, p##syevd, p##trsm};
WRAP(float, s)
WRAP(double, d)

enum { FEW_COLUMNS = 32 }; /* for which the loops are as fast as a call of LAPACK */

const tl__lapack *tl__dense_lapack(tl_dtype dtype, int64_t n) {
  return n <= FEW_COLUMNS || n > INT_MAX ? NULL : dtype == TL_F32 ? &slapack : &dlapack;
}
