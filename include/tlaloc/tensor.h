/* Tensors: immutable arrays of numbers, and ops on them that run at once.
 *
 * C17 and C++; library libtlaloc. A tl_tensor is an immutable value: an op returns a new one, or another view of the
 * same elements. NULL is the value of an op that could not allocate.
 *
 * Ownership. A returned tensor belongs to the innermost scope that the calling thread has open, or else to the thread's
 * root scope, which ends with the thread. tl_scope_keep hands it to the scope around that; tl_retain gives a count of
 * one's own, for tl_release. A tensor may be read by any number of threads; a scope belongs to the thread that opened
 * it.
 *
 * Errors. An op that refuses returns a tensor that has no elements but a status and a message (tl_status_of,
 * tl_message_of); an op on such a tensor returns it. Nothing is printed and nothing exits.
 *
 * Types. There is no implicit promotion: operands have one dtype, else DTYPE_MISMATCH. Shapes follow NumPy's
 * broadcasting: aligned from behind, extents are equal or 1, else TENSOR_SHAPE_MISMATCH. Every op computes in its
 * dtype: F16, BF16 and F8E4M3FN compute each op in float and round the result once more. Integers wrap; x/0 is -1 (all
 * bits set), its remainder x, and a shift by the width or more shifts everything out. F80 has no tensors. */
#ifndef TLALOC_TENSOR_H
#define TLALOC_TENSOR_H

#include <stdio.h>

#include "tlaloc/tlaloc.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

typedef struct tl_tensor_object *tl_tensor;

/* ---- making and reading ---- */

/* Copies the elements, which are row-major in `data`. */
TL_API tl_tensor tl_from(tl_dtype, tl_shape, const void *data);
/* Takes the elements where they lie, aligned for their type, which nobody changes while the tensor or a view of it
 * lives. When that ends, done(ctx, data) is called, unless `done` is NULL, on the thread that gave up the last of them.
 * It is called too where the tensor cannot be made. */
TL_API tl_tensor tl_wrap(tl_dtype, tl_shape, void *data, void (*done)(void *ctx, void *data), void *ctx);
/* Every element is the number, rounded to the dtype as tl_cast does. */
TL_API tl_tensor tl_fill(tl_dtype, tl_shape, double);
/* The number as a tensor of rank 0 with x's dtype. */
TL_API tl_tensor tl_scalar_like(tl_tensor x, double);

TL_API tl_tensor tl_retain(tl_tensor); /* returns its argument; NULL stays NULL */
TL_API void tl_release(tl_tensor);

TL_API tl_dtype tl_dtype_of(tl_tensor); /* of a failed tensor or NULL: TL_F32, rank 0 */
TL_API tl_shape tl_shape_of(tl_tensor);
/* Copies the elements row-major. `bytes` is what they take, else TENSOR_SHAPE_MISMATCH. */
TL_API tl_status tl_read(tl_tensor, void *out_data, size_t bytes);
/* The elements where they lie, while the tensor lives; NULL unless they are row-major without gaps. */
TL_API const void *tl_data(tl_tensor);
TL_API tl_status tl_status_of(tl_tensor);    /* of NULL OUT_OF_MEMORY; DONATED: see engine.h */
TL_API const char *tl_message_of(tl_tensor); /* "" where the status is TL_OK; lives as long as the tensor */

/* ---- scopes ---- */

typedef struct tl_scope_object *tl_scope;
/* NULL where there is no memory; then tensors go on belonging to the scope around. */
TL_API tl_scope tl_scope_open(void);
/* Releases what belongs to the scope, and to scopes opened in it that are still open. NULL is ignored. */
TL_API void tl_scope_close(tl_scope);
/* Hands a tensor that belongs to the scope to the one around it; returns it. One that does not belong to the scope is
 * retained for the scope around it. */
TL_API tl_tensor tl_scope_keep(tl_scope, tl_tensor);

/* ---- conversion ---- */

/* To another dtype: floating to floating and integer to floating to the nearest, of two the one whose last bit is 0;
 * what is beyond the largest becomes infinite (F8E4M3FN: NaN). Floating to integer toward zero, what is out of range to
 * the nearest number in range, NaN to 0. Integer to integer wraps. To BOOL: whether it is not 0. */
TL_API tl_tensor tl_cast(tl_tensor x, tl_dtype);

/* ---- elementwise: the rows of docs/ops.md, with broadcasting ---- */

#define TL__UNARY(X)                                                                                                   \
  X(neg)                                                                                                               \
  X(bitnot) X(not) X(signbit) X(fabs) X(sqrt) X(cbrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin)  \
      X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)          \
          X(lgamma) X(tgamma) X(floor) X(ceil) X(trunc) X(round) X(rint) X(nearbyint) X(logb) X(ilogb)                 \
              X(frexp_exponent) X(frexp_fraction) X(modf_fraction) X(j0) X(j1) X(y0) X(y1)
#define TL__BINARY(X)                                                                                                  \
  X(add)                                                                                                               \
  X(sub) X(mul) X(div) X(rem) X(and) X(or) X(xor) X(shl) X(shr) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(jn) X(yn)        \
      X(polygamma) X(pow) X(atan2) X(hypot) X(fmax) X(fmin) X(fdim) X(fmod) X(remainder) X(remquo_quotient)            \
          X(copysign) X(nextafter) X(ldexp)
#define TL__DECLARE_UNARY(name) TL_API tl_tensor tl_##name(tl_tensor x);
#define TL__DECLARE_BINARY(name) TL_API tl_tensor tl_##name(tl_tensor x, tl_tensor y);
TL__UNARY(TL__DECLARE_UNARY)
TL__BINARY(TL__DECLARE_BINARY)
#undef TL__DECLARE_UNARY
#undef TL__DECLARE_BINARY
TL_API tl_tensor tl_fma(tl_tensor x, tl_tensor y, tl_tensor z);
/* x where the condition, a BOOL, is true, else y. */
TL_API tl_tensor tl_where(tl_tensor condition, tl_tensor x, tl_tensor y);

/* ---- shape: views of the same elements where that can be ---- */

/* The same elements, row-major, in another shape. One extent may be -1: what is left. */
TL_API tl_tensor tl_reshape(tl_tensor x, tl_shape);
/* Axis i of the result is axis order.axis[i] of x; TL_ALL reverses them. A view. */
TL_API tl_tensor tl_transpose(tl_tensor x, tl_axes order);
/* x repeated along new axes in front and along those of extent 1. A view. */
TL_API tl_tensor tl_broadcast(tl_tensor x, tl_shape);

/* x summed to a shape that broadcasts to its own: what tl_broadcast is the transpose of. */
TL_API tl_tensor tl_sum_to(tl_tensor x, tl_shape);

/* ---- over axes ---- */

/* Sums and maxima over axes (TL_ALL: all), which with `keep` stay, of extent 1. An empty sum is 0. Integers wrap; what
 * is narrower than float is summed in float. max of NaN is NaN, that of an empty axis TENSOR_SHAPE_MISMATCH. */
TL_API tl_tensor tl_sum(tl_tensor x, tl_axes axes, bool keep);
TL_API tl_tensor tl_max(tl_tensor x, tl_axes axes, bool keep);
/* exp(x - max x) over its sum, along one axis. */
TL_API tl_tensor tl_softmax(tl_tensor x, int axis);

/* ---- products ---- */

/* The matrix product over the last axis of x and the last but one of y (its only one where it has rank 1); the axes in
 * front are broadcast. Small formats are summed in float and rounded once. */
TL_API tl_tensor tl_matmul(tl_tensor x, tl_tensor y);

/* ---- indices, of dtype I32 or I64; negative ones are outside ---- */

typedef struct tl_gather_opts {
  tl_index_mode mode;
  int batch; /* so many axes in front are common to x and the indices: each example has indices of its own */
} tl_gather_opts;
/* x with the axis replaced by those of the indices: NumPy's take. */
TL_API tl_tensor tl_gather(tl_tensor x, tl_tensor indices, int axis, tl_gather_opts);
/* x with updates, which have the shape of tl_gather(x, indices), added at the indices, equal ones in order. */
TL_API tl_tensor tl_scatter_add(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_gather_opts);

#ifdef __cplusplus
}
#endif

#endif
