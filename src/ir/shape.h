/* The types of tensor ops: from the operands' types and the attributes to the result's type, or a refusal.
 *
 * One rule per op serves the eager call, where every extent is a number, and the compiler, where an extent may be a
 * value that is known at run time alone; so both refuse the same calls in the same words. Of two extents that are not
 * known the rule takes it that they fit; the run-time check is the eager call's. Names follow axes: axes that an op
 * aligns or contracts must have the same name where both have one, and the result's axis has it. */
#ifndef TL_IR_SHAPE_H
#define TL_IR_SHAPE_H

#include "ir/ir.h"

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

/* One rule per row of the table that is about tensors. */
typedef tl_status tl_shape_rule(tl_shape_rules *, const tl_tensor_type *operands, const tl_attr *, tl_tensor_type *out);
#define TL_TEN(name, class, arity, attributes, doc) tl_shape_rule tl__shape_##name;
#include "ir/ops.def"
extern tl_shape_rule *const tl_shape_table[TL_OP_COUNT]; /* NULL where the row is not */

/* Between the rules' types and those of values; a scalar has rank 0. */
tl_tensor_type tl__shape_of_value(const tl_func *, tl_value);
tl_type tl__shape_to_type(tl_func *, const tl_tensor_type *);

/* The axis from the front that `axis` is, which counts from behind where negative. */
tl_status tl__shape_axis(tl_shape_rules *, const char *op, int rank, int64_t axis, int *out_axis);
/* Which of the axes are named, each at most once. */
tl_status tl__shape_axes(tl_shape_rules *, const char *op, int rank, tl_axes, bool out_named[TL_MAX_RANK]);

#endif
