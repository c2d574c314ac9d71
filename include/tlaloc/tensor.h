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
/* The one element, of a tensor of whatever rank: to double, and integers exactly. NaN, and 0, where there is not one.
 */
TL_API double tl_item(tl_tensor);
TL_API int64_t tl_item_int(tl_tensor);
TL_API tl_status tl_status_of(tl_tensor);     /* of NULL OUT_OF_MEMORY; DONATED: see engine.h */
TL_API const char *tl_message_of(tl_tensor);  /* "" where the status is TL_OK; lives as long as the tensor */
TL_API const char *tl_status_name(tl_status); /* "DTYPE_MISMATCH" of TL_DTYPE_MISMATCH */

/* ---- as text and in files ---- */

/* The elements as NumPy prints an array, and a new line: at most 8 digits of a fraction, of more than 1000 elements the
 * ends of each axis. FILE_UNWRITABLE where the file fails; of a failed tensor its status, with nothing written. */
TL_API tl_status tl_print(FILE *, tl_tensor);
/* NumPy's .npy, of the formats 1.0 to 3.0, with any order of bytes and of axes (then a view). What is refused is
 * returned as the status, and *out_x is a failed tensor with the message; NULL where there is no memory. */
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
  X(bitnot)                                                                                                            \
  X(not)                                                                                                               \
  X(signbit)                                                                                                           \
  X(fabs)                                                                                                              \
  X(sqrt)                                                                                                              \
  X(cbrt)                                                                                                              \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh)        \
      X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(lgamma) X(tgamma) X(floor) X(ceil) X(trunc) X(round) \
          X(rint) X(nearbyint) X(logb) X(ilogb) X(frexp_exponent) X(frexp_fraction) X(modf_fraction) X(j0) X(j1) X(y0) \
              X(y1)
#define TL__BINARY(X)                                                                                                  \
  X(add)                                                                                                               \
  X(sub)                                                                                                               \
  X(mul)                                                                                                               \
  X(div)                                                                                                               \
  X(rem)                                                                                                               \
  X(and)                                                                                                               \
  X(or)                                                                                                                \
  X(xor) X(shl) X(shr) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(jn) X(yn) X(polygamma) X(pow) X(atan2) X(hypot) X(fmax)   \
      X(fmin) X(fdim) X(fmod) X(remainder) X(remquo_quotient) X(copysign) X(nextafter) X(ldexp)
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
/* softmax(s/h) - softmax(t/h) along an axis, made of the differences s - t, so that each element is exact to its own size
 * however close s and t are, where the difference of two tl_softmax is not. h has the shape of s and t with extent 1
 * along the axis. */
TL_API tl_tensor tl_softmax_difference(tl_tensor s, tl_tensor t, tl_tensor h, int axis);
/* The cross entropy of softmax(s/h), a student, by softmax(t/h), its teacher: the sum of -softmax(t/h) log softmax(s/h)
 * over the axis, which stays, of extent 1. Its derivative by s is that difference over h. Minus infinity has probability
 * 0, and what is improbable for both adds nothing. */
TL_API tl_tensor tl_soft_cross_entropy(tl_tensor s, tl_tensor t, tl_tensor h, int axis);

/* ---- made of the other ops, as which they are captured too ---- */

/* The mean; of integers DTYPE_UNSUPPORTED. */
TL_API tl_tensor tl_mean(tl_tensor x, tl_axes axes, bool keep);
/* log(sum(exp x)), without overflow, and x less that along an axis. tl_log_softmax is exact to its own size at the largest
 * element too, however little the others weigh, and so are the derivatives of it and of tl_softmax. */
TL_API tl_tensor tl_logsumexp(tl_tensor x, tl_axes axes, bool keep);
TL_API tl_tensor tl_log_softmax(tl_tensor x, int axis);
/* tl_soft_cross_entropy times the square of the temperature, which keeps the size of derivatives, without the axis. The
 * temperature has rank 0, or a number for each line. */
TL_API tl_tensor tl_distillation_loss(tl_tensor student, tl_tensor teacher, tl_tensor temperature, int axis);
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
TL_API tl_top_k_result tl_least_k(tl_tensor x, int64_t k, int axis); /* the k smallest */
/* A new last axis of the extent `count`: 1 at the index, else 0. */
TL_API tl_tensor tl_one_hot(tl_tensor indices, int64_t count, tl_dtype);

/* ---- products ---- */

/* The matrix product over the last axis of x and the last but one of y (its only one where it has rank 1); the axes in
 * front are broadcast. Small formats are summed in float and rounded once. */
TL_API tl_tensor tl_matmul(tl_tensor x, tl_tensor y);
/* The sum of products over axes of x and of y, pair by pair; x's other axes, then y's. Made of tl_matmul, as tl_einsum.
 */
TL_API tl_tensor tl_contract(tl_tensor x, tl_tensor y, tl_axes x_axes, tl_axes y_axes);
/* By letters for the axes, as NumPy's: "bi,io->bo". A letter that the result has not is summed over; one that an
 * operand has twice is its diagonal. Operands are contracted from the first on. */
TL_API tl_tensor tl_einsum(const char *letters, int count, const tl_tensor *operands);

/* ---- matrices: the last two axes, of floating dtypes; those in front are any, and broadcast ---- */

/* Formats narrower than float are computed in float. What is said to be symmetric is read as (a + a')/2, as JAX does, and
 * its derivative is symmetric. A failed factorization is NaN, not a failed tensor. Derivatives of every order are
 * by implicit differentiation. */

/* x with 0 above, or below, a diagonal: 0 is the main one, 1 the one above it. Of any dtype and extents. */
TL_API tl_tensor tl_tril(tl_tensor x, int diagonal);
TL_API tl_tensor tl_triu(tl_tensor x, int diagonal);
/* x with what is below the diagonal, it and what is above times a number each; 0 sets 0 whatever x has there. Made of the
 * other ops. */
TL_API tl_tensor tl_scale_triangles(tl_tensor x, double below, double diagonal, double above);
/* The identity in the shape and dtype of a square matrix. */
TL_API tl_tensor tl_identity_like(tl_tensor a);

/* The lower l with l l' = a for a symmetric a. Where a is not positive definite l is NaN on and below the diagonal. */
TL_API tl_tensor tl_cholesky(tl_tensor a);
typedef struct tl_triangular_solve_opts {
  bool upper;         /* which triangle of a; the other one is not read */
  bool transposed;    /* t' x = b */
  bool unit_diagonal; /* of ones, whatever a has there */
} tl_triangular_solve_opts;
/* x with t x = b for one triangle t of a; not finite where its diagonal has a 0. Here and below b has the columns of its
 * last two axes, or is one column, of rank 1. */
TL_API tl_tensor tl_triangular_solve(tl_tensor a, tl_tensor b, tl_triangular_solve_opts);
/* x with a x = b, or a' x = b, by LU with partial pivoting; NaN where a pivot is 0 or not finite. */
TL_API tl_tensor tl_solve(tl_tensor a, tl_tensor b, bool transposed);
TL_API tl_tensor tl_inverse(tl_tensor a);
/* The same of a symmetric a, by Cholesky; NaN where it is not positive definite. */
TL_API tl_tensor tl_solve_spd(tl_tensor a, tl_tensor b);
TL_API tl_tensor tl_inv_spd(tl_tensor a);

/* x with l[i] x[i-1] + d[i] x[i] + u[i] x[i+1] = b[i] for the columns of b, by elimination with exchanges of rows. The
 * diagonals have b's axes but the last one; the first of `lower` and the last of `upper` are not read. */
TL_API tl_tensor tl_tridiagonal_solve(tl_tensor lower, tl_tensor diagonal, tl_tensor upper, tl_tensor b);

/* p a = l u of a square a by partial pivoting: l is below the diagonal of tl_lu, its ones left out, u on and above it; row
 * i of p a is row tl_lu_permutation[i] of a, an I64. As LAPACK's, it goes on where a pivot is 0. */
TL_API tl_tensor tl_lu(tl_tensor a);
TL_API tl_tensor tl_lu_permutation(tl_tensor a);

/* The determinant, by LU. Its derivative det a a^-T is NaN where a is singular. */
TL_API tl_tensor tl_det(tl_tensor a);
/* log det a of a symmetric a, twice the sum of the logarithms of Cholesky's diagonal; NaN where a is not positive
 * definite. */
TL_API tl_tensor tl_log_det_spd(tl_tensor a);
typedef struct tl_slogdet_result {
  tl_tensor sign, log; /* 1, -1 or 0; log |det a|, -inf where it is 0 */
} tl_slogdet_result;
TL_API tl_slogdet_result tl_slogdet(tl_tensor a);
TL_API tl_tensor tl_slogdet_sign(tl_tensor a);
TL_API tl_tensor tl_slogdet_log(tl_tensor a);

typedef struct tl_qr_result {
  tl_tensor q, r;
} tl_qr_result;
/* a = q r for a with no more columns than rows: q of a's shape with orthonormal columns, r upper and square, by
 * Householder's reflections with LAPACK's signs. Both are NaN where an element is not finite. Their derivatives are those
 * of full column rank. */
TL_API tl_qr_result tl_qr(tl_tensor a);
TL_API tl_tensor tl_qr_q(tl_tensor a);
TL_API tl_tensor tl_qr_r(tl_tensor a);

typedef struct tl_eigh_result {
  tl_tensor values, vectors;
} tl_eigh_result;
/* The eigenvalues of a symmetric a, ascending, and the eigenvectors as columns, each with its element of the largest
 * magnitude (the first of equal ones) positive. Both are NaN where an element is not finite. The derivative of the
 * vectors is infinite, or NaN, at a repeated eigenvalue, that of the values is not. */
TL_API tl_eigh_result tl_eigh(tl_tensor a);
TL_API tl_tensor tl_eigh_values(tl_tensor a);
TL_API tl_tensor tl_eigh_vectors(tl_tensor a);

/* ---- indices, of dtype I32 or I64; negative ones are outside ---- */

typedef struct tl_gather_opts {
  tl_index_mode mode;
  int batch; /* so many axes in front are common to x and the indices: each example has indices of its own */
} tl_gather_opts, tl_scatter_add_opts;
/* x with the axis replaced by those of the indices: NumPy's take. */
TL_API tl_tensor tl_gather(tl_tensor x, tl_tensor indices, int axis, tl_gather_opts);
/* x with updates, which have the shape of tl_gather(x, indices), added at the indices, equal ones in order. */
TL_API tl_tensor tl_scatter_add(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_scatter_add_opts);

/* ---- parts of tensors ---- */

/* The elements of x at start + step*i, in a tensor of the shape, and 0 where x has none; a view where it has them all.
 * Start and step have a number for each axis, the steps at least 1. */
TL_API tl_tensor tl_pick(tl_tensor x, tl_shape, tl_ints start, tl_ints step);
/* The reverse: x at start + step*i of a tensor of zeros; what falls outside is dropped. */
TL_API tl_tensor tl_place(tl_tensor x, tl_shape, tl_ints start, tl_ints step);
/* x, and behind it y, along an axis. */
TL_API tl_tensor tl_concat(tl_tensor x, tl_tensor y, int axis);
/* The elements along axes in reverse order. A view. */
TL_API tl_tensor tl_reverse(tl_tensor x, tl_axes axes);
/* The windows of x along axes: the shape is x's with the axes' extents replaced by how many windows there are, and
 * behind it the extents of a window, in the order of the axes. Element k of window m lies at stride*m + dilation*k; all
 * have to be in x. A view. */
TL_API tl_tensor tl_windows(tl_tensor x, tl_shape, tl_axes axes, tl_ints stride, tl_ints dilation);
/* The transpose: the sums of what windows have at each place of a tensor of the shape. */
TL_API tl_tensor tl_overlap_add(tl_tensor windows, tl_shape, tl_axes axes, tl_ints stride, tl_ints dilation);

/* A window of x for each vector of indices. The last axis of the indices, of dtype I32 or I64, is the vector: where the
 * window starts along each of the axes; along all others it starts at 0. The shape is that of the indices without their
 * last axis, then a window's, with an extent for each axis of x but the first `batch` ones, which are common to x and
 * the indices. CLIP moves a window until it is inside; DROP and FILL read 0 or the fill where an element is outside. */
typedef struct tl_window_gather_opts {
  tl_index_mode mode;
  int batch;
} tl_window_gather_opts, tl_window_scatter_opts;
TL_API tl_tensor tl_window_gather(tl_tensor x, tl_tensor indices, tl_shape, tl_axes axes, tl_window_gather_opts);
/* x with the updates taken into it at these places, in the order of the indices; with DROP and FILL those that are
 * outside are not. Elements of a small format are computed in float and rounded once. The derivative of a minimum or
 * maximum is shared in equal parts at a tie; that of a product is right where factors are 0, its own derivative where
 * none is. */
TL_API tl_tensor tl_window_scatter(tl_tensor x, tl_tensor indices, tl_tensor updates, tl_axes axes, tl_reducer,
                                   tl_window_scatter_opts);

/* ---- general forms, made of the other ops ---- */

/* The elements from start to limit, which is not one of them, by steps of stride (none given: 1); all in x. A negative
 * stride goes back, at the most to a limit of -1. */
TL_API tl_tensor tl_slice(tl_tensor x, tl_ints start, tl_ints limit, tl_ints stride);
/* x with so many values in front, behind and (none given: 0) between the elements of each axis. Negative numbers in
 * front and behind take elements away. The value has rank 0. */
TL_API tl_tensor tl_pad(tl_tensor x, tl_tensor value, tl_ints low, tl_ints high, tl_ints interior);
/* `count` tensors, at least 1, behind one another along an axis. */
TL_API tl_tensor tl_concatenate(int count, const tl_tensor x[], int axis);
/* The window of these sizes that starts at data: a tensor of rank 1, with an index for each axis, moved until the
 * window is inside; and x with that window replaced. */
TL_API tl_tensor tl_dynamic_slice(tl_tensor x, tl_tensor starts, tl_shape sizes);
TL_API tl_tensor tl_dynamic_update_slice(tl_tensor x, tl_tensor update, tl_tensor starts);

/* The larger and the smaller, of any dtype; NaN where one is; a tie is shared half and half. */
TL_API tl_tensor tl_maximum(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_minimum(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_is_finite(tl_tensor x);
TL_API tl_tensor tl_abs(tl_tensor x); /* of integers too; the least one stays */
TL_API tl_tensor tl_square(tl_tensor x);
TL_API tl_tensor tl_rsqrt(tl_tensor x); /* 1/sqrt(x) */
/* The case that `which`, a BOOL, I32 or I64, says, of at least one, the first being 0; the last where it says more. */
TL_API tl_tensor tl_select_n(tl_tensor which, int count, const tl_tensor cases[]);
/* x in a larger shape: its axis i becomes axis dims.axis[i], repeated where its extent is 1. */
TL_API tl_tensor tl_broadcast_in_dim(tl_tensor x, tl_shape, tl_axes dims);
TL_API tl_tensor tl_logistic(tl_tensor x); /* 1/(1 + exp(-x)) */
/* x to an integer power, by products; of a negative one the reciprocal. */
TL_API tl_tensor tl_integer_pow(tl_tensor x, int exponent);
TL_API tl_tensor tl_shr_logical(tl_tensor x, tl_tensor y); /* zeros move in, whatever the dtype */

/* As tl_max; products are taken in halves, so that derivatives hold where elements are 0. */
TL_API tl_tensor tl_min(tl_tensor x, tl_axes axes, bool keep);
TL_API tl_tensor tl_prod(tl_tensor x, tl_axes axes, bool keep);
/* By any reducer but the one that replaces. Of BOOL a sum is or, a product and. */
TL_API tl_tensor tl_reduce(tl_tensor x, tl_reducer, tl_axes axes, bool keep);

/* Of all elements of the axis up to each, itself included; with `reverse` from it on. Sums by doubling, so that their
 * error grows with the logarithm of the extent; products without quotients, so that derivatives hold where elements are
 * 0; equal largest elements share a derivative. The extent is a number. */
TL_API tl_tensor tl_cumsum(tl_tensor x, int axis, bool reverse);
TL_API tl_tensor tl_cumsum_before(tl_tensor x, int axis, bool reverse); /* without itself: the first is 0 */
TL_API tl_tensor tl_cumprod(tl_tensor x, int axis, bool reverse);
TL_API tl_tensor tl_cummax(tl_tensor x, int axis, bool reverse);
TL_API tl_tensor tl_cummin(tl_tensor x, int axis, bool reverse);

/* Windows with a number for each of their axes; a list that is not given is 1 for strides and dilations, 0 for
 * padding. `low` and `high` are elements in front and behind that change nothing, base_dilation - 1 such between any
 * two; `dilation` is the step from one element of a window to the next. */
typedef struct tl_window_opts {
  tl_ints stride, low, high, base_dilation, dilation;
} tl_window_opts;
/* The reduction of each window of x, as tl_reduce. */
TL_API tl_tensor tl_reduce_window(tl_tensor x, tl_reducer, tl_shape window, tl_window_opts);
/* Zeros of x's shape, to which each window's element of `source` is added where the window has its first largest or
 * smallest (`select`: TL_REDUCE_MAX, TL_REDUCE_MIN). */
TL_API tl_tensor tl_select_and_scatter(tl_tensor x, tl_tensor source, tl_reducer select, tl_shape window,
                                       tl_window_opts);

/* x of examples, channels and places, w of filters, channels and places: for each example and filter the sums of
 * products with the windows. With groups (0: 1) of channels w has a group's channels, and its filters are those of one
 * group after another; with batch_groups so are groups of examples. Padding is with zeros. */
typedef struct tl_convolution_opts {
  tl_window_opts window;
  int64_t groups, batch_groups;
} tl_convolution_opts;
TL_API tl_tensor tl_convolution(tl_tensor x, tl_tensor w, tl_convolution_opts);
/* The transpose: x with the filters w of the convolution that it is the transpose of, which have their channels second.
 * `low` and `high` are taken away from the result, or where negative added to it. */
typedef struct tl_convolution_transpose_opts {
  tl_ints stride, low, high, dilation;
  int64_t groups;
} tl_convolution_transpose_opts;
TL_API tl_tensor tl_convolution_transpose(tl_tensor x, tl_tensor w, tl_convolution_transpose_opts);
/* Two axes of places, x NCHW and w OIHW; 0 is 1 for strides, dilations and groups. The transpose, which has w as the
 * convolution that it is the transpose of, is PyTorch's ConvTranspose2d with its output_padding. */
typedef struct tl_conv2d_opts {
  int64_t stride[2], padding[2], dilation[2], groups, output_padding[2];
} tl_conv2d_opts, tl_conv2d_transpose_opts;
TL_API tl_tensor tl_conv2d(tl_tensor x, tl_tensor w, tl_conv2d_opts);
TL_API tl_tensor tl_conv2d_transpose(tl_tensor x, tl_tensor w, tl_conv2d_transpose_opts);

/* The largest element and the mean of windows of x, which has examples, channels and as many axes as the window. A list
 * that is not given: a stride is the window's extent, a dilation 1, padding 0, `padding_behind` as `padding`; padding is
 * less than what a window spans. It is never the largest; a mean counts it as zeros, or, with `without_padding`, not at
 * all. With `ceil_mode` there are windows up to the end, of which what lies beyond the padding does not count; the first
 * element of each is still in x or in front of it, and in a program that is captured the extents are known. Equal
 * largest elements share the derivative. PyTorch's max_pool1d to
 * 3d and avg_pool1d to 3d, ONNX's MaxPool and AveragePool. */
typedef struct tl_pool_opts {
  tl_ints window, stride, padding, padding_behind, dilation;
  bool ceil_mode;
  bool without_padding; /* of the mean */
} tl_pool_opts;
TL_API tl_tensor tl_max_pool(tl_tensor x, tl_pool_opts);
/* The places of the largest elements, of equal ones the first, numbered through all of x, row-major, as I64. */
TL_API tl_tensor tl_max_pool_places(tl_tensor x, tl_pool_opts);
TL_API tl_tensor tl_avg_pool(tl_tensor x, tl_pool_opts); /* of floating dtypes */

/* x of examples, channels and any other axes, each channel less its mean, over the root of its variance and epsilon (0:
 * 1e-5), times a weight, and a bias. In training mean and variance are those of x, at least 2 elements of each channel,
 * and `mean` and `variance` of the result are the given ones moved on by the share `momentum` (0: 0.1) to x's, the
 * variance to the unbiased one, or with `biased` to the one that is divided by; else they are the given ones, which are handed on. As PyTorch's, but that derivatives by
 * all five operands, and of all three results, are there. */
typedef struct tl_batch_norm_opts {
  double epsilon, momentum;
  bool training, biased;
} tl_batch_norm_opts;
typedef struct tl_batch_norm_result {
  tl_tensor values, mean, variance;
} tl_batch_norm_result;
TL_API tl_batch_norm_result tl_batch_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, tl_tensor mean,
                                          tl_tensor variance, tl_batch_norm_opts);

/* The rows of a table at the indices, of dtype I32 or I64. With `has_padding` the row of the index `padding` gets no
 * derivative where it is read. */
typedef struct tl_embedding_opts {
  tl_index_mode mode;
  bool has_padding;
  int64_t padding;
} tl_embedding_opts;
TL_API tl_tensor tl_embedding(tl_tensor table, tl_tensor indices, tl_embedding_opts);
/* The rows of each bag as one; of none 0. Bag i has the indices from starts[i] to starts[i + 1], the last all that are
 * left, so that starts[0] is 0; indices of padding are left out. Equal largest elements share the derivative. In a
 * program that is captured the number of indices is known. */
typedef enum tl_bag_reduction { TL_BAG_SUM, TL_BAG_MEAN, TL_BAG_MAX } tl_bag_reduction;
typedef struct tl_embedding_bag_opts {
  tl_bag_reduction reduction;
  tl_index_mode mode;
  bool has_padding;
  int64_t padding;
} tl_embedding_bag_opts;
TL_API tl_tensor tl_embedding_bag(tl_tensor table, tl_tensor indices, tl_tensor starts, tl_embedding_bag_opts);

/* The product of a sparse matrix and y, of one axis or more: `values` at rows and columns, equal places added up, of
 * `count` rows; or the values of row i from starts[i] to starts[i + 1]. Indices outside are what the mode says, of y's
 * rows as tl_gather, of the result's as tl_scatter_add; where the starts leave a value without a row, it is outside. Of
 * compressed rows the numbers of values and of rows are known in a program that is captured. */
TL_API tl_tensor tl_coo_matmul(tl_tensor values, tl_tensor rows, tl_tensor columns, tl_tensor y, int64_t count,
                               tl_index_mode);
TL_API tl_tensor tl_csr_matmul(tl_tensor values, tl_tensor columns, tl_tensor starts, tl_tensor y, tl_index_mode);

/* The sum of products over axes of x and of y, pair by pair, for each place on the common axes: these come first, then
 * x's other axes, then y's. Of BOOL a sum is or, a product and. */
TL_API tl_tensor tl_dot_general(tl_tensor x, tl_tensor y, tl_axes x_batch, tl_axes y_batch, tl_axes x_axes,
                                tl_axes y_axes);

/* Windows at indices whose axes lie in any order: StableHLO's gather and scatter. */
typedef struct tl_index_dims {
  tl_axes window;                 /* of the result, or the updates: those of a window, in x's order */
  tl_axes squeezed;               /* of x, along which a window has extent 1 and no axis */
  tl_axes x_batch, indices_batch; /* common axes, pair by pair */
  tl_axes axes;                   /* of x: what an index of a vector is about */
  int vector;                     /* the indices' axis of vectors; their rank where each index is one */
} tl_index_dims;
TL_API tl_tensor tl_gather_general(tl_tensor x, tl_tensor indices, tl_index_dims, tl_ints sizes, tl_index_mode);
TL_API tl_tensor tl_scatter_general(tl_tensor x, tl_tensor indices, tl_tensor updates, tl_index_dims, tl_reducer,
                                    tl_index_mode);

/* Sorts `count` tensors of one shape along an axis by the first `keys` of them, those of the first key that are equal
 * by the second, and so on; the order of each is tl_argsort's. Sets out_sorted[0] to [count - 1]. */
TL_API tl_status tl_sort_by(int keys, int count, const tl_tensor x[], int axis, bool descending,
                            tl_tensor out_sorted[]);

/* Special functions, of one floating dtype, all computed in F64 and rounded to it; made of other ops, so that
 * derivatives by each operand are those of what they are made of. The inverse of erf: infinite at -1 and 1, NaN beyond.
 * The derivative of the logarithm of the gamma function. exp(-|x|) times the modified Bessel functions of order 0
 * and 1. */
TL_API tl_tensor tl_erf_inv(tl_tensor x);
TL_API tl_tensor tl_digamma(tl_tensor x);
TL_API tl_tensor tl_bessel_i0e(tl_tensor x);
TL_API tl_tensor tl_bessel_i1e(tl_tensor x);
/* The incomplete gamma functions over the whole, P and Q = 1 - P, for a > 0 and x >= 0; elsewhere P is NaN and Q is 1,
 * as in XLA. The incomplete beta function over the whole, I_x(a, b), for a, b > 0 and x from 0 to 1; elsewhere NaN. The
 * broadcast of the operands; at most 2000 terms, which is enough for a up to 10^5. */
TL_API tl_tensor tl_igamma(tl_tensor a, tl_tensor x);
TL_API tl_tensor tl_igammac(tl_tensor a, tl_tensor x);
TL_API tl_tensor tl_betainc(tl_tensor a, tl_tensor b, tl_tensor x);

/* ---- random numbers: Threefry-2x32, bit for bit those of JAX (jax_threefry_partitionable off) ---- */

/* A key is two numbers of dtype U32. One key gives one draw: split it for more. */
TL_API tl_tensor tl_random_key(uint64_t seed);
TL_API tl_tensor tl_random_split(tl_tensor key, int64_t count); /* keys as rows */
TL_API tl_tensor tl_random_fold_in(tl_tensor key, uint32_t data);
/* Bits of U8 to U64; numbers from low on and below high, of F64, F32, F16 or BF16. */
TL_API tl_tensor tl_random_bits(tl_tensor key, tl_dtype, tl_shape);
TL_API tl_tensor tl_random_uniform(tl_tensor key, tl_dtype, tl_shape, double low, double high);
/* Of the uniform bits that JAX takes too; the functions of these are nearest numbers, JAX's are a few steps off. */
TL_API tl_tensor tl_random_normal(tl_tensor key, tl_dtype, tl_shape);
TL_API tl_tensor tl_random_gumbel(tl_tensor key, tl_dtype, tl_shape);
/* For each line along an axis a place, by the exponentials of the logits; an I64. */
TL_API tl_tensor tl_random_categorical(tl_tensor key, tl_tensor logits, int axis);
/* Of the gamma distribution with each of these parameters, F64 or F32, and scale 1. As draws reject, not captured. */
TL_API tl_tensor tl_random_gamma(tl_tensor key, tl_tensor alpha);

/* ---- bits and places ---- */

/* The place of each element along an axis, as I64. */
TL_API tl_tensor tl_positions(tl_tensor x, int axis);
/* The same bits as another dtype. One of a smaller size gives a new last axis, the lowest bits first; one of a larger
 * size takes such an axis away. Not of BOOL. */
TL_API tl_tensor tl_bitcast(tl_tensor x, tl_dtype);
/* -1, 0 or 1 in x's dtype; a zero keeps its sign, NaN stays. */
TL_API tl_tensor tl_sign(tl_tensor x);
/* How many bits are set; how many are not ahead of the first that is. In x's dtype, which is of integers. */
TL_API tl_tensor tl_popcnt(tl_tensor x);
TL_API tl_tensor tl_clz(tl_tensor x);
/* x rounded to the nearest number, of two the even one, with so many bits of exponent, at least 1, and of fraction, in
 * x's dtype. Where these are fewer bits of exponent than the dtype has, what would be subnormal becomes 0. */
typedef struct tl_reduce_precision_opts {
  int exponent, mantissa;
} tl_reduce_precision_opts;
TL_API tl_tensor tl_reduce_precision(tl_tensor x, tl_reduce_precision_opts);

/* ---- more of what arrays are asked for, made of the other ops ---- */

/* x to the power y in x's dtype, whatever y's is. Of two integers by products, which wrap; 1/x is tl_div's. Where one
 * alone is of integers, in F64. */
TL_API tl_tensor tl_power(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_is_nan(tl_tensor x);
TL_API tl_tensor tl_is_inf(tl_tensor x, bool negative, bool positive); /* of these signs */
/* Each element of `count` tensors, at least 1, that are broadcast, taken into the next, as tl_reduce does; their mean. */
TL_API tl_tensor tl_reduce_list(tl_reducer, int count, const tl_tensor x[]);
TL_API tl_tensor tl_mean_list(int count, const tl_tensor x[]);

/* The sum of x*x; the logarithm of the sum. */
TL_API tl_tensor tl_sum_square(tl_tensor x, tl_axes axes, bool keep);
TL_API tl_tensor tl_log_sum(tl_tensor x, tl_axes axes, bool keep);
/* As tl_argmax and tl_argmin, but of equal ones the last. */
TL_API tl_tensor tl_argmax_last(tl_tensor x, int axis, bool keep);
TL_API tl_tensor tl_argmin_last(tl_tensor x, int axis, bool keep);
/* 1 at the first largest element along an axis, else 0. */
TL_API tl_tensor tl_hardmax(tl_tensor x, int axis);
/* x less its mean over axes, by its deviation, the root of the mean square, plus epsilon. */
TL_API tl_tensor tl_standardize(tl_tensor x, tl_axes axes, double epsilon);
/* 1 over the root of x's variance over axes and epsilon. */
TL_API tl_tensor tl_inverse_deviation(tl_tensor x, tl_axes axes, bool keep, double epsilon);
/* alpha a b + beta c, of matrices that may be transposed; c is broadcast. Nothing here has a default. */
typedef struct tl_gemm_opts {
  double alpha, beta;
  bool transpose_a, transpose_b;
} tl_gemm_opts;
TL_API tl_tensor tl_gemm(tl_tensor a, tl_tensor b, tl_tensor c, tl_gemm_opts);

/* The extents of the axes from `from` up to `to`, which is none of them, as an I64 of rank 1; how many elements there
 * are, an I64 of rank 0. */
TL_API tl_tensor tl_extents(tl_tensor x, int from, int to);
TL_API tl_tensor tl_size(tl_tensor x);
/* 1 on a diagonal, the main one or that so many columns to its right, else 0. */
TL_API tl_tensor tl_eye(tl_dtype, int64_t rows, int64_t columns, int64_t diagonal);
/* start, start + step and so on before the limit; three tensors of rank 0. As its extent is their elements', not
 * captured. */
TL_API tl_tensor tl_range(tl_tensor start, tl_tensor limit, tl_tensor step);
/* The sum of (-1)^k a[k] cos(2 pi k i/n) for the coefficients a and i from 0 below `count`; n is count, or where it is
 * not periodic one less. Hann's window has 1/2 twice, Hamming's 0.54 and 0.46, Blackman's 0.42, 0.5 and 0.08. */
TL_API tl_tensor tl_cosine_window(tl_dtype, int64_t count, bool periodic, int terms, const double coefficients[]);
/* x of examples, channels, rows and columns: blocks of block*block channels become places, whose number in a block is
 * the first part of the channel's, or with `channels_first` the last. And back, into the first part. */
TL_API tl_tensor tl_depth_to_space(tl_tensor x, int64_t block, bool channels_first);
TL_API tl_tensor tl_space_to_depth(tl_tensor x, int64_t block);
/* Here indices from -1 down count from behind; what is outside then is what the mode says. x with the axis replaced by
 * those of the indices. */
TL_API tl_tensor tl_take(tl_tensor x, tl_tensor indices, int axis, tl_index_mode);
/* x at the places of the indices, which have x's rank, but along the axis at the index; the updates taken into x
 * there, in order. */
TL_API tl_tensor tl_gather_elements(tl_tensor x, tl_tensor indices, int axis, tl_index_mode);
TL_API tl_tensor tl_scatter_elements(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_reducer,
                                     tl_index_mode);
/* Zeros of a shape with x's elements at the indices, which number its elements, row-major; of equal ones the last.
 * What tl_max_pool has taken, back at tl_max_pool_places. */
TL_API tl_tensor tl_place_flat(tl_tensor x, tl_tensor indices, tl_shape);
/* x at vectors of indices, the last axis of `indices`, which are for as many axes of x as they are long: those behind
 * the first `batch` ones, which are common; the updates taken into x there, in order. */
TL_API tl_tensor tl_gather_nd(tl_tensor x, tl_tensor indices, int batch, tl_index_mode);
TL_API tl_tensor tl_scatter_nd(tl_tensor x, tl_tensor indices, tl_tensor updates, tl_reducer, tl_index_mode);
/* A new axis, of the extent `count`: `on` at the index, else `off`; these have rank 0. */
TL_API tl_tensor tl_one_of(tl_tensor indices, int64_t count, int axis, tl_tensor off, tl_tensor on);
/* x with the first lengths[b] elements along the axis in reverse order, at each place b on the other axis. */
TL_API tl_tensor tl_reverse_sequence(tl_tensor x, tl_tensor lengths, int axis, int batch_axis);

/* ---- sizes ---- */

typedef enum tl_resize_method { TL_RESIZE_NEAREST, TL_RESIZE_LINEAR, TL_RESIZE_CUBIC } tl_resize_method;
/* Where element i of the result lies, by the scale s: (i + 1/2)/s - 1/2, or that and 0 where there is one; the ends at
 * the ends; i/s; (i + 1/2)/s, for the nearest rounded down; from crop_start to crop_end of the axis, 0 and 1 being its
 * ends. */
typedef enum tl_resize_places {
  TL_RESIZE_HALF_PIXEL,
  TL_RESIZE_HALF_PIXEL_OR_FIRST,
  TL_RESIZE_ALIGN_CORNERS,
  TL_RESIZE_ASYMMETRIC,
  TL_RESIZE_HALF_PIXEL_NEAREST,
  TL_RESIZE_CROP
} tl_resize_places;
typedef enum tl_resize_rounding {
  TL_RESIZE_HALVES_DOWN,
  TL_RESIZE_HALVES_UP,
  TL_RESIZE_DOWN,
  TL_RESIZE_UP
} tl_resize_rounding;
typedef struct tl_resize_opts {
  tl_resize_method method;
  tl_resize_places places;
  tl_resize_rounding rounding; /* which is the nearest */
  double cubic;                /* the coefficient of the cubic kernel, 0: -0.75 */
  bool only_inside;            /* elements beyond the ends have no weight; else they are those at the ends */
  double scale[TL_MAX_RANK];   /* 0: the new extent over the old one */
  double crop_start[TL_MAX_RANK], crop_end[TL_MAX_RANK];
  double outside; /* what a crop reads beyond the ends */
} tl_resize_opts;
/* x with other extents: elements at places between its own, axis by axis. Integers by the nearest only. */
TL_API tl_tensor tl_resize(tl_tensor x, tl_shape, tl_resize_opts);

/* x of examples, channels, rows and columns at places of examples, rows, columns and two numbers: the column and the row,
 * from -1 to 1, which are the outer ends of x, or with `align_corners` the middles of its elements there. Beyond the ends
 * x is 0, or the elements at the ends, or its mirror image. Of the nearest a tie is the even one; PyTorch's grid_sample. */
typedef enum tl_sample_border { TL_SAMPLE_ZEROS, TL_SAMPLE_EDGE, TL_SAMPLE_MIRROR } tl_sample_border;
typedef struct tl_sample_opts {
  tl_resize_method method;
  tl_sample_border border;
  bool align_corners;
} tl_sample_opts;
TL_API tl_tensor tl_grid_sample(tl_tensor x, tl_tensor places, tl_sample_opts);

/* ---- integers that stand for numbers: (q - zero) scale ---- */

/* A scale, of a floating dtype, and a zero point, of I8, U8, I16, U16 or I32, have one element, or one for each place
 * on an axis. x/scale to the nearest integer, of two the even one, plus the zero point, the nearest that the zero
 * point's dtype has; and back, in the scale's dtype. */
TL_API tl_tensor tl_quantize(tl_tensor x, tl_tensor scale, tl_tensor zero, int axis);
TL_API tl_tensor tl_dequantize(tl_tensor q, tl_tensor scale, tl_tensor zero, int axis);
typedef struct tl_quantized {
  tl_tensor values, scale, zero;
} tl_quantized;
/* x as U8, by the scale with which its least and largest element, and 0, are 0 to 255. */
TL_API tl_quantized tl_quantize_range(tl_tensor x);
/* The product of a and b less their zero points, as an I32; a row of a, or a column of b, may have a zero point of its
 * own, and a filter of w. */
TL_API tl_tensor tl_matmul_integer(tl_tensor a, tl_tensor a_zero, tl_tensor b, tl_tensor b_zero);
TL_API tl_tensor tl_convolution_integer(tl_tensor x, tl_tensor x_zero, tl_tensor w, tl_tensor w_zero,
                                        tl_convolution_opts);
/* The same product of what the integers stand for, by the scale and the zero point. */
TL_API tl_tensor tl_quantized_matmul(tl_quantized a, tl_quantized b, tl_tensor scale, tl_tensor zero);
TL_API tl_tensor tl_quantized_convolution(tl_quantized x, tl_quantized w, tl_tensor scale, tl_tensor zero,
                                          tl_convolution_opts);

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

#include "tlaloc/array_ops.h"
#include "tlaloc/nn_ops.h"

#endif
