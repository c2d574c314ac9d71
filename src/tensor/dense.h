/* What a library of dense linear algebra does for the kernels. It is there twice: over BLAS, and without a library, for
 * builds that have none and for the compiler, which runs no kernels and would wait for the library to load. */
#ifndef TL_TENSOR_DENSE_H
#define TL_TENSOR_DENSE_H

#include "tensor/loops.h"

/* out = x y, out row-major without gaps. False, and nothing is done: the library is not there, does not take matrices
 * that lie so, or would not be faster. */
bool tl__dense_product(tl_dtype, const tl__product *, void *out, const void *x, const void *y);

#endif
