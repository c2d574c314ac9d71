/* Ops on arrays as NumPy and PyTorch have them. Part of tensor.h, which includes it.
 *
 * All are made of the other ops, as which they are captured, differentiated and batched. Operands are of one dtype,
 * which the result has too; formats narrower than float are computed in float and rounded once. Axes count from behind
 * where negative; what is said to need numbers refuses extents that a program that is being captured does not know
 * yet (TRACED_TENSOR). */
#ifndef TLALOC_ARRAY_OPS_H
#define TLALOC_ARRAY_OPS_H

#include "tlaloc/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- elementwise, with broadcasting ---- */

/* log(e^x + e^y) and log2(2^x + 2^y), without overflow. */
TL_API tl_tensor tl_logaddexp(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_logaddexp2(tl_tensor x, tl_tensor y);
/* x log y and x log(1 + y), which are 0, with derivatives 0, where x is 0 and the logarithm not finite. */
TL_API tl_tensor tl_xlogy(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_xlog1py(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_entr(tl_tensor x); /* -x log x; 0 at 0, -infinity below */
/* log(x/(1 - x)), of x no less than `margin` and no more than 1 - margin; 0: of x as it is. */
TL_API tl_tensor tl_logit(tl_tensor x, double margin);
TL_API tl_tensor tl_sinc(tl_tensor x); /* sin(pi x)/(pi x), 1 at 0 */
/* x + weight*(y - x); x where the weight is 0 and y where it is 1, exactly. */
TL_API tl_tensor tl_lerp(tl_tensor x, tl_tensor y, tl_tensor weight);
/* x + factor*y*z; x + factor*y/z; x_factor*x + factor*(the matrix product of a and b). */
TL_API tl_tensor tl_addcmul(tl_tensor x, tl_tensor y, tl_tensor z, double factor);
TL_API tl_tensor tl_addcdiv(tl_tensor x, tl_tensor y, tl_tensor z, double factor);
TL_API tl_tensor tl_addmm(tl_tensor x, tl_tensor a, tl_tensor b, double x_factor, double factor);
/* Numbers in place of NaN and of the infinities; of one beyond the dtype's, the largest of it. Derivative 0 there. */
TL_API tl_tensor tl_nan_to_num(tl_tensor x, double nan, double above, double below);
/* 0 below 0, 1 above, `at_zero` at 0. */
TL_API tl_tensor tl_heaviside(tl_tensor x, tl_tensor at_zero);
/* The quotient rounded down, and what is left, which has y's sign; of integers too, x/0 as tl_div and tl_rem. The
 * derivatives of what is left are 1 and minus the quotient. */
TL_API tl_tensor tl_floor_div(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_mod(tl_tensor x, tl_tensor y);

/* ---- over axes ---- */

/* The sum of squares about the mean over how many they are less a correction (no less than 0), and its root, whose
 * derivative is 0 where it is 0. Correction 1 is of a sample. */
TL_API tl_tensor tl_var(tl_tensor x, tl_axes axes, double correction, bool keep);
TL_API tl_tensor tl_std(tl_tensor x, tl_axes axes, double correction, bool keep);
/* The p-th root of the sum of p-th powers of |x|, without overflow; p = INFINITY: the largest, -INFINITY: the smallest,
 * 0: how many are not 0. Derivative 0 where the norm, or for p below 2 an element, is 0. */
TL_API tl_tensor tl_norm(tl_tensor x, double p, tl_axes axes, bool keep);
/* The norm of the difference of each point of x, the rows of its last two axes, and each of y. */
TL_API tl_tensor tl_cdist(tl_tensor x, tl_tensor y, double p);
/* The differences of neighbours along an axis, so many times. The extent is a number. */
TL_API tl_tensor tl_diff(tl_tensor x, int64_t order, int axis);

/* ---- in other places; extents along the axes that are about are numbers ---- */

/* Each element moved on by a shift along each axis; those at the end come in at the start. */
TL_API tl_tensor tl_roll(tl_tensor x, tl_ints shifts, tl_axes axes);
/* x so many times along each axis, counted from the last; each element so many times along one. */
TL_API tl_tensor tl_tile(tl_tensor x, tl_ints counts);
TL_API tl_tensor tl_repeat_interleave(tl_tensor x, int64_t count, int axis);
/* At most 64 tensors of one shape along a new axis. */
TL_API tl_tensor tl_stack(int count, const tl_tensor x[], int axis);
/* sizes.rank parts of these extents along an axis, which they fill. On a refusal every part is the failed tensor. */
TL_API tl_status tl_split(tl_tensor x, tl_ints sizes, int axis, tl_tensor out_parts[]);
/* Each of `count` tensors of rank 0 or 1 along an axis of its own of a tensor of rank `count`; by_columns: with the
 * first two axes exchanged, as NumPy has it. */
TL_API tl_status tl_meshgrid(int count, const tl_tensor x[], bool by_columns, tl_tensor out_grids[]);
/* The diagonal of two axes, offset by so many columns, as the last axis; its sum; the reverse: zeros but for the last
 * axis of x on such a diagonal of two new axes. */
TL_API tl_tensor tl_diagonal(tl_tensor x, int64_t offset, int axis1, int axis2);
TL_API tl_tensor tl_trace(tl_tensor x, int64_t offset, int axis1, int axis2);
TL_API tl_tensor tl_diag_embed(tl_tensor x, int64_t offset, int axis1, int axis2);
/* The products of each element of x and each of y: in a matrix; in blocks, x's elements times the whole of y. */
TL_API tl_tensor tl_outer(tl_tensor x, tl_tensor y);
TL_API tl_tensor tl_kron(tl_tensor x, tl_tensor y);
/* The cross product along an axis of extent 3. */
TL_API tl_tensor tl_cross(tl_tensor x, tl_tensor y, int axis);
/* x with updates taken into each line along an axis at indices of its own, of the updates' shape: what tl_take_along
 * reads. */
TL_API tl_tensor tl_scatter_along(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_reducer,
                                  tl_index_mode);
/* x with elements of its own in front and behind: those mirrored at the last one, or behind it, the last one again, or
 * those from the other end; no more than there are. Negative numbers take elements away, first. */
typedef enum tl_border { TL_BORDER_REFLECT, TL_BORDER_SYMMETRIC, TL_BORDER_EDGE, TL_BORDER_WRAP } tl_border;
TL_API tl_tensor tl_pad_border(tl_tensor x, tl_ints low, tl_ints high, tl_border);

#ifdef __cplusplus
}
#endif

#endif
