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
