/* The derivative rules of the elementwise ops.
 *
 * An op of class ELEM has a partial per floating operand, which forward and reverse mode both use; one of class LINEAR
 * its transpose, which is for reverse mode (forward, it maps tangents as it maps values); one of class ZEROGRAD
 * nothing. The declarations below come from ops.def, so a missing rule is a link error that names it. Rules build into
 * the builder's region. They never look at an op's own operands: the caller passes the values that stand for them. */
#ifndef TL_OPS_OPS_H
#define TL_OPS_OPS_H

#include "ir/ir.h"

/* The partial derivative with respect to operand `which` (a floating one), as a value of that operand's dtype;
 * TL_NO_VALUE where it is zero everywhere. `result` is the op's own result. */
typedef tl_value tl_partial_fn(tl_builder *, const tl_value *args, tl_value result, uint32_t which);
/* What operand `which` of a linear op receives from the cotangent of its result; TL_NO_VALUE for nothing. */
typedef tl_value tl_transpose_fn(tl_builder *, const tl_value *args, uint32_t which, tl_value cotangent);

#define TL__RULE_ELEM(name) tl_partial_fn tl__partial_##name;
#define TL__RULE_LINEAR(name) tl_transpose_fn tl__transpose_##name;
#define TL__RULE_ZEROGRAD(name)
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) TL__RULE_##class(name)
#include "ir/ops.def"
#undef TL__RULE_ELEM
#undef TL__RULE_LINEAR
#undef TL__RULE_ZEROGRAD

extern tl_partial_fn *const tl_partial_table[TL_OP_COUNT];     /* NULL where the class is not ELEM */
extern tl_transpose_fn *const tl_transpose_table[TL_OP_COUNT]; /* NULL where the op is not elementwise and LINEAR */

/* The tangent of an elementwise op's result from those of its operands (TL_NO_VALUE: zero); TL_NO_VALUE where it is
 * zero. `op` gives the opcode and the result's type. */
tl_value tl_op_tangent(tl_builder *, const tl_op *op, const tl_value *primal_operands, tl_value primal_result,
                       const tl_value *tangents);
/* What operand `which` of an elementwise op receives from the result's cotangent, in the operand's dtype; TL_NO_VALUE
 * for nothing. Of a tensor it is what each element gives: tl__tensor_fit makes it the operand's. */
tl_value tl_op_cotangent(tl_builder *, const tl_op *op, const tl_value *primal_operands, tl_value primal_result,
                         tl_value cotangent, uint32_t which);

/* ---- tensors ---- */

/* The same for the ops of the rows that are about tensors: `op` gives the opcode and the attributes. */
typedef tl_value tl_tensor_transpose_fn(tl_builder *, const tl_op *op, const tl_value *args, uint32_t which,
                                        tl_value cotangent);
typedef tl_value tl_tensor_tangent_fn(tl_builder *, const tl_op *op, const tl_value *args, tl_value result,
                                      const tl_value *tangents);
typedef tl_value tl_tensor_cotangent_fn(tl_builder *, const tl_op *op, const tl_value *args, tl_value result,
                                        tl_value cotangent, uint32_t which);
#define TL__RULE_LINEAR(name) tl_tensor_transpose_fn tl__transpose_##name;
#define TL__RULE_BILINEAR(name) TL__RULE_LINEAR(name)
#define TL__RULE_HAND(name)                                                                                            \
  tl_tensor_tangent_fn tl__tangent_##name;                                                                             \
  tl_tensor_cotangent_fn tl__cotangent_##name;
#define TL__RULE_ZEROGRAD(name)
#define TL_TEN(name, class, arity, attributes, doc) TL__RULE_##class(name)
#include "ir/ops.def"
#undef TL__RULE_LINEAR
#undef TL__RULE_BILINEAR
#undef TL__RULE_HAND
#undef TL__RULE_ZEROGRAD

/* The op again on other operands, those of its row and its extents; `type` is that of its result. */
tl_value tl_build_tensor_again(tl_builder *, const tl_op *, tl_type type, const tl_value *operands);

tl_value tl_tensor_op_tangent(tl_builder *, const tl_op *op, const tl_value *args, tl_value result,
                              const tl_value *tangents);
tl_value tl_tensor_op_cotangent(tl_builder *, const tl_op *op, const tl_value *args, tl_value result,
                                tl_value cotangent, uint32_t which);
/* ---- batching, batch.c ---- */

/* The op for a batch: `args` are the operands of its row; one that is `batched`, and the result, have the batch's axis
 * in front, and a batched scalar is a tensor of rank 1. At least one is batched. `type` is the result's in an example,
 * its extents values of the builder's function. */
typedef tl_value tl_batch_fn(tl_builder *, const tl_op *op, tl_type type, const tl_value *args, const bool *batched);
#define TL_TEN(name, class, arity, attributes, doc) tl_batch_fn tl__batch_##name;
#include "ir/ops.def"
tl_value tl_batch_elementwise(tl_builder *, const tl_op *op, tl_type type, const tl_value *args, const bool *batched);
tl_value tl_batch_tensor_op(tl_builder *, const tl_op *op, tl_type type, const tl_value *args, const bool *batched);

/* A derivative of an elementwise op in the type of `like`: a scalar stands for a tensor of equal elements; what
 * a scalar operand receives is the sum over the elements. TL_NO_VALUE stays. */
tl_value tl__tensor_fit(tl_builder *, tl_value, tl_value like);

#endif
