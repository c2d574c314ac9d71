/* What a library of dense linear algebra does for the kernels. It is there twice: over BLAS, and without a library, for
 * builds that have none and for the compiler, which runs no kernels and would wait for the library to load. */
#ifndef TL_TENSOR_DENSE_H
#define TL_TENSOR_DENSE_H

#include "tensor/loops.h"

/* out = x y, out row-major without gaps. False, and nothing is done: the library is not there, does not take matrices
 * that lie so, or would not be faster. */
bool tl__dense_product(tl_dtype, const tl__product *, void *out, const void *x, const void *y);

/* LAPACK's routines of these names for one dtype, of matrices that lie by columns without gaps: square ones, for geqrf
 * and orgqr m by n. Of a symmetric matrix potrf and potri take the upper triangle and syevd the lower one. They return
 * LAPACK's info; pivots count from 1. */
typedef struct tl__lapack {
  int (*potrf)(int n, void *a);
  int (*potri)(int n, void *a);
  int (*getrf)(int n, void *a, int *pivots);
  int (*geqrf)(int m, int n, void *a, void *tau, void *work, int most);
  int (*orgqr)(int m, int n, void *a, const void *tau, void *work, int most);
  int (*syevd)(bool vectors, int n, void *a, void *w, void *work, int most, int *ints, int most_ints);
  /* x, n by `right` by rows, becomes op(t)^-1 x, where rows of t are `step` apart. */
  void (*trsm)(bool upper, bool transposed, bool unit, int n, int right, const void *t, int step, void *x);
} tl__lapack;

/* NULL: the library is not there, or would not be faster at n columns. */
const tl__lapack *tl__dense_lapack(tl_dtype, int64_t n);

#endif
