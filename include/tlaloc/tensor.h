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
/* 0, 1, 2 ... along an axis, converted to the dtype as tl_cast does; the same along all others. */
TL_API tl_tensor tl_iota(tl_dtype, tl_shape, int axis);
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
/* The one element, of a tensor of whatever rank: to double, and integers exactly. NaN, and 0, where there is not one. */
TL_API double tl_item(tl_tensor);
TL_API int64_t tl_item_int(tl_tensor);
TL_API tl_status tl_status_of(tl_tensor);     /* of NULL OUT_OF_MEMORY; DONATED: see engine.h */
TL_API const char *tl_message_of(tl_tensor);  /* "" where the status is TL_OK; lives as long as the tensor */
TL_API const char *tl_status_name(tl_status); /* "DTYPE_MISMATCH" of TL_DTYPE_MISMATCH */

/* ---- as text and in files ---- */

/* The elements as NumPy prints an array, and a new line: at most 8 digits of a fraction, of more than 1000 elements the
 * ends of each axis. FILE_UNWRITABLE where the file fails; of a failed tensor its status, with nothing written. */
TL_API tl_status tl_print(FILE *, tl_tensor);
/* NumPy's .npy, of the formats 1.0 to 3.0, with any order of bytes and of axes (then a view). What is refused is returned
 * as the status, and *out_x is a failed tensor with the message; NULL where there is no memory. */
TL_API tl_status tl_npy_load(const char *path, tl_tensor *out_x);
/* Format 1.0. The file is there whole or, where it fails, as it was. BF16 and F8E4M3FN, which .npy does not have, are
 * DTYPE_UNSUPPORTED. */
TL_API tl_status tl_npy_save(const char *path, tl_tensor);

/* ---- scopes ---- */

typedef struct tl_scope_object *tl_scope;
/* NULL where there is no memory; then tensors go on belonging to the scope around. */
TL_API tl_scope tl_scope_open(void);
/* Releases what belongs to the scope, and to scopes opened in it that are still open. NULL is ignored. */
TL_API void tl_scope_close(tl_scope);
/* Hands a tensor that belongs to the scope to the one around it; returns it. One that does not belong to the scope is
 * retained for the scope around it. */
TL_API tl_tensor tl_scope_keep(tl_scope, tl_tensor);
/* For what a loop carries, whose iterations have scopes of their own: keeps `next` as tl_scope_keep does, and releases
 * `last`, which the iteration before has handed over so (NULL in the first one). Returns `next`. */
TL_API tl_tensor tl_scope_carry(tl_scope, tl_tensor next, tl_tensor last);

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
/* Whether an element, or each, of a BOOL is true; of none: false, true. */
TL_API tl_tensor tl_reduce_or(tl_tensor x, tl_axes axes, bool keep);
TL_API tl_tensor tl_reduce_and(tl_tensor x, tl_axes axes, bool keep);
/* The place of the first largest or smallest element along an axis, as an I64: that of the first NaN where there is
 * one. */
TL_API tl_tensor tl_argmax(tl_tensor x, int axis, bool keep);
TL_API tl_tensor tl_argmin(tl_tensor x, int axis, bool keep);
/* The places of the elements along an axis in their order, as I64; equal ones in theirs, NaN last either way. */
TL_API tl_tensor tl_argsort(tl_tensor x, int axis, bool descending);
/* exp(x - max x) over its sum, along one axis. */
TL_API tl_tensor tl_softmax(tl_tensor x, int axis);

/* ---- made of the other ops, as which they are captured too ---- */

/* The mean; of integers DTYPE_UNSUPPORTED. */
TL_API tl_tensor tl_mean(tl_tensor x, tl_axes axes, bool keep);
/* log(sum(exp x)) and x - log(sum(exp x)), without overflow. */
TL_API tl_tensor tl_logsumexp(tl_tensor x, tl_axes axes, bool keep);
TL_API tl_tensor tl_log_softmax(tl_tensor x, int axis);
/* x, but no less than `least` and then no more than `most`; NaN stays. */
TL_API tl_tensor tl_clip(tl_tensor x, tl_tensor least, tl_tensor most);
/* The elements of each line along an axis at indices of its own. */
TL_API tl_tensor tl_take_along(tl_tensor x, tl_tensor indices, int axis, tl_index_mode);
/* The elements along an axis in the order of tl_argsort; the k largest of them and their places. */
TL_API tl_tensor tl_sort(tl_tensor x, int axis, bool descending);
typedef struct tl_top_k_result {
  tl_tensor values, indices;
} tl_top_k_result;
TL_API tl_top_k_result tl_top_k(tl_tensor x, int64_t k, int axis);
/* A new last axis of the extent `count`: 1 at the index, else 0. */
TL_API tl_tensor tl_one_hot(tl_tensor indices, int64_t count, tl_dtype);

/* ---- products ---- */

/* The matrix product over the last axis of x and the last but one of y (its only one where it has rank 1); the axes in
 * front are broadcast. Small formats are summed in float and rounded once. */
TL_API tl_tensor tl_matmul(tl_tensor x, tl_tensor y);
/* The sum of products over axes of x and of y, pair by pair; x's other axes, then y's. Made of tl_matmul, as tl_einsum. */
TL_API tl_tensor tl_contract(tl_tensor x, tl_tensor y, tl_axes x_axes, tl_axes y_axes);
/* By letters for the axes, as NumPy's: "bi,io->bo". A letter that the result has not is summed over; one that an operand
 * has twice is its diagonal. Operands are contracted from the first on. */
TL_API tl_tensor tl_einsum(const char *letters, int count, const tl_tensor *operands);

/* ---- indices, of dtype I32 or I64; negative ones are outside ---- */

typedef struct tl_gather_opts {
  tl_index_mode mode;
  int batch; /* so many axes in front are common to x and the indices: each example has indices of its own */
} tl_gather_opts, tl_scatter_add_opts;
/* x with the axis replaced by those of the indices: NumPy's take. */
TL_API tl_tensor tl_gather(tl_tensor x, tl_tensor indices, int axis, tl_gather_opts);
/* x with updates, which have the shape of tl_gather(x, indices), added at the indices, equal ones in order. */
TL_API tl_tensor tl_scatter_add(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_scatter_add_opts);

/* ---- types ---- */

/* A type of a tensor is a dtype and its axes, which tlalocc checks in every function; without it, and in C++, it is a
 * comment. At file scope, once in a unit, each with a name that the unit has for nothing else:
 *   tl_axis(Batch);           an axis by the name Batch
 *   tl_bound(MaxSeq, 4096);   a bound: an extent from 1 to 4096
 * Then tl_typed(F32, Batch, 3, MaxSeq, Seq(MaxSeq), Class(10), tl_any) stands where tl_tensor stands: of the object,
 * parameter, member or result (for arrays and pointers, of the tensors in them) it states that the dtype is TL_F32 and
 * that the axes are: Batch; one of extent 3; one within the bound; Seq, within the bound; Class, of extent 10; one of
 * which nothing is known. An op that lays axes over one another, or sums over two at once, refuses different names and
 * different bounds. */
#define tl_axis(name)                                                                                                  \
  TL__UNUSED static inline int64_t name(int64_t extent) { return TL__NAMED + extent; }                                 \
  struct tl__axis_##name
#define tl_bound(name, most)                                                                                           \
  TL__UNUSED static const int64_t name = TL__BOUNDED + (most);                                                         \
  struct tl__bound_##name
#if defined __TLALOC_FRONT__
#define tl_typed(...) TL__TYPED(__VA_ARGS__)
#define TL__TYPED(...) tl_tensor __attribute__((annotate("tl_typed:" #__VA_ARGS__)))
#else
#define tl_typed(...) tl_tensor
#endif
enum { tl_any = -1 };

/* tl_as(x, F32, Batch, 3): x, of which this is checked now, with these names and bounds; axes of one name or bound have
 * one extent. The numbers may be any integer expressions. Else a failed tensor: DTYPE_MISMATCH, TENSOR_SHAPE_MISMATCH,
 * BOUNDED_DIM_EXCEEDED; NAMED_INDEX_MISMATCH or BOUNDED_AXIS_MISMATCH where x has other names or bounds already. A
 * view. */
#define tl_as(x, ...) tl__as(x, TL__FIRST(__VA_ARGS__, 0), TL__TEXT(__VA_ARGS__), TL__STATED(__VA_ARGS__))
TL_API tl_tensor tl__as(tl_tensor x, tl_dtype, const char *text, tl_shape stated);

/* What is stated of an axis is one number: an extent, or a bound; with a name more. An axis alone has the extent
 * tl_any. */
#define TL__BOUNDED ((int64_t)1 << 60)
#define TL__NAMED ((int64_t)1 << 61)
#if defined __cplusplus
extern "C++" {
static inline int64_t tl__stated(int64_t (*axis)(int64_t)) { return axis(tl_any); }
template <class T> static inline int64_t tl__stated(T number) { return (int64_t)number; }
}
#else
#define tl__stated(a)                                                                                                  \
  _Generic((a), int64_t (*)(int64_t): (uint64_t)(TL__NAMED + tl_any), default: (int64_t)(intptr_t)(a))
#endif
#if defined __GNUC__
#define TL__UNUSED __attribute__((unused))
#else
#define TL__UNUSED
#endif
#define TL__FIRST(dtype, ...) TL_##dtype
#define TL__TEXT(...) #__VA_ARGS__
#define TL__STATED(...)                                                                                                \
  TL__FOURTEENTH(__VA_ARGS__, TL__STATED_12, TL__STATED_11, TL__STATED_10, TL__STATED_9, TL__STATED_8, TL__STATED_7,   \
                 TL__STATED_6, TL__STATED_5, TL__STATED_4, TL__STATED_3, TL__STATED_2, TL__STATED_1, TL__STATED_0, 0)  \
  (__VA_ARGS__)
#define TL__FOURTEENTH(a, b, c, d, e, f, g, h, i, j, k, l, m, chosen, ...) chosen
#define TL__STATED_0(t) TL_SCALAR
#define TL__STATED_1(t, a) TL__LITERAL(tl_shape, 1, tl__stated(a))
#define TL__STATED_2(t, a, b) TL__LITERAL(tl_shape, 2, tl__stated(a), tl__stated(b))
#define TL__STATED_3(t, a, b, c) TL__LITERAL(tl_shape, 3, tl__stated(a), tl__stated(b), tl__stated(c))
#define TL__STATED_4(t, a, b, c, d) TL__LITERAL(tl_shape, 4, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d))
#define TL__STATED_5(t, a, b, c, d, e)                                                                                 \
  TL__LITERAL(tl_shape, 5, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e))
#define TL__STATED_6(t, a, b, c, d, e, f)                                                                              \
  TL__LITERAL(tl_shape, 6, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e), tl__stated(f))
#define TL__STATED_7(t, a, b, c, d, e, f, g)                                                                           \
  TL__LITERAL(tl_shape, 7, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e), tl__stated(f),   \
              tl__stated(g))
#define TL__STATED_8(t, a, b, c, d, e, f, g, h)                                                                        \
  TL__LITERAL(tl_shape, 8, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e), tl__stated(f),   \
              tl__stated(g), tl__stated(h))
#define TL__STATED_9(t, a, b, c, d, e, f, g, h, i)                                                                     \
  TL__LITERAL(tl_shape, 9, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e), tl__stated(f),   \
              tl__stated(g), tl__stated(h), tl__stated(i))
#define TL__STATED_10(t, a, b, c, d, e, f, g, h, i, j)                                                                 \
  TL__LITERAL(tl_shape, 10, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e), tl__stated(f),  \
              tl__stated(g), tl__stated(h), tl__stated(i), tl__stated(j))
#define TL__STATED_11(t, a, b, c, d, e, f, g, h, i, j, k)                                                              \
  TL__LITERAL(tl_shape, 11, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e), tl__stated(f),  \
              tl__stated(g), tl__stated(h), tl__stated(i), tl__stated(j), tl__stated(k))
#define TL__STATED_12(t, a, b, c, d, e, f, g, h, i, j, k, l)                                                           \
  TL__LITERAL(tl_shape, 12, tl__stated(a), tl__stated(b), tl__stated(c), tl__stated(d), tl__stated(e), tl__stated(f),  \
              tl__stated(g), tl__stated(h), tl__stated(i), tl__stated(j), tl__stated(k), tl__stated(l))

#ifdef __cplusplus
}
#endif

#endif
