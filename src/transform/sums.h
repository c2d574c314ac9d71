/* Sums that were made before. In
 *
 *     for i: e = exp(x[i] - max), sum += e
 *
 * the cotangent of max loses sum_bar * e in every iteration of the adjoint, which is sum_bar times the sum that is
 * known. So nothing is added up again, one addition behind the other. A loop that does not run takes nothing from it:
 * the factor may be infinite, 1 / 0 or the derivative of a root, and the empty sum is 0. */
#ifndef TL_TRANSFORM_SUMS_H
#define TL_TRANSFORM_SUMS_H

#include "ir/ir.h"

/* What a cotangent that the adjoint of `loop` carries, `param` in an iteration and `after` behind it, ends with, built
 * from what it begins with; TL_NO_VALUE where that is no multiple of a sum that the loop makes. */
tl_value tl__sum_multiple(tl_builder *, const tl_op *loop, tl_value begin, tl_value param, tl_value after);

#endif
