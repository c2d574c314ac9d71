/* The types of tensor ops: from the operands' types and the attributes to the result's type, or a refusal.
 *
 * One rule per op serves the eager call, where every extent is a number, and the compiler, where an extent may be a
 * value that is known at run time alone; so both refuse the same calls in the same words. Of two extents that are not
 * known the rule takes it that they fit; the run-time check is the eager call's. Names follow axes: axes that an op
 * aligns or contracts must have the same name where both have one, and the result's axis has it. */
#ifndef TL_OPS_SHAPE_H
#define TL_OPS_SHAPE_H

#include "ir/ir.h"
#include "tlaloc/tensor.h"

typedef struct tl_tensor_type {
  tl_dtype dtype;
  int rank;
  tl_extent dim[TL_MAX_RANK];
  const char *axis[TL_MAX_RANK]; /* interned, or NULL: without a name */
} tl_tensor_type;

/* Where a rule says why it refuses, and how it computes with extents that are values. */
typedef struct tl_shape_rules {
  char message[192];
  void *ctx;
  /* The product of two extents, of which one at least is a value. NULL: there are only numbers. */
  tl_extent (*product)(void *ctx, tl_extent, tl_extent);
} tl_shape_rules;

/* Each returns TL_OK and sets *out, or a status with the message in the rules. `out` may be an operand's. */
tl_status tl__shape_elementwise(tl_shape_rules *, tl_opcode, const tl_tensor_type *operands, tl_dtype given,
                                tl_tensor_type *out);
/* Of the target's extents one at most may be -1: what is left of the elements. */
tl_status tl__shape_reshape(tl_shape_rules *, const tl_tensor_type *x, int rank, const tl_extent *target,
                            tl_tensor_type *out);
tl_status tl__shape_transpose(tl_shape_rules *, const tl_tensor_type *x, tl_axes order, tl_tensor_type *out);
tl_status tl__shape_broadcast(tl_shape_rules *, const tl_tensor_type *x, int rank, const tl_extent *target,
                              tl_tensor_type *out);

#endif
