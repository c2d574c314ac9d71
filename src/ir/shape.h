/* The types of tensor ops: from the operands' types and the attributes to the result's type, or a refusal.
 *
 * One rule per op serves the eager call, where every extent is a number, and the compiler, where an extent may be a
 * value that is known at run time alone; so both refuse the same calls in the same words. Of two extents that are not
 * known the rule takes it that they fit; the run-time check is the eager call's. Names follow axes: axes that an op
 * aligns or contracts must have the same name where both have one, and the result's axis has it. */
#ifndef TL_IR_SHAPE_H
#define TL_IR_SHAPE_H

#include "ir/ir.h"

/* What the extent of an axis cannot exceed; it is at least 1. Two are the same if their names are. */
typedef struct tl_axis_bound {
  const char *name;
  int64_t most;
} tl_axis_bound;

typedef struct tl_tensor_type {
  tl_dtype dtype;
  int rank;
  tl_extent dim[TL_MAX_RANK];
  const char *axis[TL_MAX_RANK];           /* interned, or NULL: without a name */
  const tl_axis_bound *bound[TL_MAX_RANK]; /* or NULL. Types of values in the IR have none. */
} tl_tensor_type;

/* Where a rule says why it refuses, and how it computes with extents that are values. */
typedef struct tl_shape_rules {
  char message[192];
  int at; /* the argument of the op's C function that does not fit: the operands in order, then the attributes */
  void *ctx;
  /* The product of two extents, of which one at least is a value. NULL: there are only numbers. */
  tl_extent (*product)(void *ctx, tl_extent, tl_extent);
  /* A quotient that is taken to have no remainder, likewise. NULL: an extent of -1 that comes to one is refused. */
  tl_extent (*quotient)(void *ctx, tl_extent, tl_extent);
} tl_shape_rules;

/* Each returns TL_OK and sets *out, or a status with the message in the rules. `out` may be an operand's. */
/* The dtypes alone, of operands that have one shape and no names. */
tl_status tl__shape_elementwise_dtype(tl_shape_rules *, tl_opcode, const tl_dtype *operands, tl_dtype given,
                                      tl_dtype *out);
tl_status tl__shape_elementwise(tl_shape_rules *, tl_opcode, const tl_tensor_type *operands, tl_dtype given,
                                tl_tensor_type *out);

/* One rule per row of the table that is about tensors. */
typedef tl_status tl_shape_rule(tl_shape_rules *, const tl_tensor_type *operands, const tl_attr *, tl_tensor_type *out);
#define TL_TEN(name, class, arity, attributes, doc) tl_shape_rule tl__shape_##name;
#include "ir/ops.def"
extern tl_shape_rule *const tl_shape_table[TL_OP_COUNT]; /* NULL where the row is not */

/* The rule of any of these rows, and whether a tensor can have so many elements. `given` is the dtype of cvt. */
tl_status tl__shape_op(tl_shape_rules *, tl_opcode, const tl_tensor_type *operands, const tl_attr *, tl_dtype given,
                       tl_tensor_type *out);
/* Whether a tensor can be made: of a dtype that tensors have (argument 0), extents that are not negative and so few
 * elements that they can be counted (argument 1). */
tl_status tl__shape_create(tl_shape_rules *, const char *op, tl_dtype, int rank, const tl_extent *dim);
/* Whether x (argument 0) is what is stated of it. There a number is an extent, a value one that is not stated; axes of
 * one value have one extent. *out is x with the names and bounds that are stated. */
tl_status tl__shape_as(tl_shape_rules *, const char *op, const tl_tensor_type *x, const tl_tensor_type *stated,
                       tl_tensor_type *out);

/* Whether it is at least 1 (argument 0). */
tl_status tl__shape_bound(tl_shape_rules *, const tl_axis_bound *);

/* The op where the rule accepts its operands, with NumPy's broadcasting as ops of its own; else the rule's refusal. */
tl_status tl_build_tensor_checked(tl_builder *, tl_opcode, const tl_value *operands, const tl_attr *, tl_dtype given,
                                  tl_shape_rules *out_rules, tl_value *out);

/* Between the rules' types and those of values; a scalar has rank 0. */
tl_tensor_type tl__shape_of_value(const tl_func *, tl_value);
tl_type tl__shape_to_type(tl_func *, const tl_tensor_type *);

/* The axis from the front that `axis`, argument `at`, is, which counts from behind where negative. */
tl_status tl__shape_axis(tl_shape_rules *, const char *op, int at, int rank, int64_t axis, int *out_axis);
/* Which of the axes, argument 1, are named, each at most once. */
tl_status tl__shape_axes(tl_shape_rules *, const char *op, int rank, tl_axes, bool out_named[TL_MAX_RANK]);
/* The axes as numbers from the front; they have passed tl__shape_axes. Returns how many. */
int tl__shape_axis_list(tl_axes, int rank, int out[TL_MAX_RANK]);

#endif
