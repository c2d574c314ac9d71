/* Simpler forms of ops on tensors: views of views are one, and a tensor of equal elements is a scalar wherever an op
 * takes one. */
#include <string.h>

#include "transform/simplify.h"

static bool same_shape(tl_type x, tl_type y) {
  if (x.rank != y.rank) {
    return false;
  }
  for (int i = 0; i < x.rank; i++) {
    tl_extent m = x.extents[i], n = y.extents[i];
    if (m.value != n.value || (!m.value && (m.fixed != n.fixed || m.fixed < 0))) {
      return false;
    }
  }
  return true;
}

/* The scalar that every element of a tensor is; TL_NO_VALUE where it is none, or of a format without scalars. */
static tl_value uniform(const tl_func *f, tl_value v) {
  const tl_op *op = tl_def(f, v);
  bool is = op && op->code == TL_OP_broadcast && !tl_type_of(f, op->operands[0]).is_tensor;
  return is && !tl_dtype_is_stored_only(tl_type_of(f, v).dtype) ? op->operands[0] : TL_NO_VALUE;
}

static bool is_of(const tl_func *f, tl_value v, tl_opcode code) {
  const tl_op *op = tl_def(f, v);
  return op && op->code == code;
}

/* Of tensors with equal elements an elementwise op takes the scalars; where all are, it is one on scalars. */
static tl_value on_scalars(tl_builder *b, const tl_op *op) {
  const tl_func *f = b->func;
  tl_value operands[3];
  bool any = false, all = true;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    bool is_tensor = tl_type_of(f, op->operands[i]).is_tensor;
    tl_value s = is_tensor ? uniform(f, op->operands[i]) : op->operands[i];
    any = any || (is_tensor && s);
    all = all && s;
    operands[i] = s ? s : op->operands[i];
  }
  tl_type type = tl_type_of(f, op->first_result);
  if (!any || (all && tl_dtype_is_stored_only(type.dtype))) {
    return TL_NO_VALUE;
  }
  tl_value v = tl_build_elementwise(b, op->code, type.dtype, operands);
  return all ? tl_build_broadcast(b, v, type) : v;
}

static tl_value simplify_transpose(tl_builder *b, const tl_op *op) {
  const tl_func *f = b->func;
  int rank = tl_type_of(f, op->first_result).rank;
  tl_value x = op->operands[0];
  const tl_op *inner = is_of(f, x, TL_OP_transpose) ? tl_def(f, x) : NULL;
  tl_axes order = {.count = rank};
  bool identity = true;
  for (int i = 0; i < rank; i++) {
    tl_axes outer = op->attrs[0].axes;
    int axis = outer.count < 0 ? rank - 1 - i : (outer.axis[i] + rank) % rank;
    if (inner) {
      tl_axes own = inner->attrs[0].axes;
      axis = own.count < 0 ? rank - 1 - axis : (own.axis[axis] + rank) % rank;
    }
    order.axis[i] = (int8_t)axis;
    identity = identity && axis == i;
  }
  x = inner ? inner->operands[0] : x;
  return identity ? x : inner ? tl_build_tensor(b, TL_OP_transpose, &x, &(tl_attr){.axes = order}) : TL_NO_VALUE;
}

/* An op that states its shape, of another operand. */
static tl_value of_operand(tl_builder *b, const tl_op *op, tl_value x) {
  tl_type type = tl_type_of(b->func, op->first_result);
  tl_value v = tl_build_tensor(b, op->code, &x, &(tl_attr){.shape = {type.rank, type.extents}});
  b->func->values.data[v].type.axis_names = type.axis_names;
  return v;
}

tl_value tl__simplify_tensor_op(tl_builder *b, const tl_op *op) {
  const tl_func *f = b->func;
  tl_value x = op->operand_count ? op->operands[0] : TL_NO_VALUE;
  tl_type type = op->result_count ? tl_type_of(f, op->first_result) : (tl_type){0};
  tl_value s = x && tl_type_of(f, x).is_tensor ? uniform(f, x) : TL_NO_VALUE;
  switch (op->code) {
  case TL_OP_broadcast:
  case TL_OP_reshape:
    if (s) {
      return tl_build_broadcast(b, s, type);
    }
    if (tl_type_of(f, x).is_tensor && same_shape(tl_type_of(f, x), type)) {
      return x;
    }
    return is_of(f, x, op->code) ? of_operand(b, op, tl_def(f, x)->operands[0]) : TL_NO_VALUE;
  case TL_OP_sum_to:
    return same_shape(tl_type_of(f, x), type) ? x : TL_NO_VALUE;
  case TL_OP_transpose:
    return s ? tl_build_broadcast(b, s, type) : simplify_transpose(b, op);
  case TL_OP_sum:
    return !op->attrs[0].axes.count ? x : TL_NO_VALUE;
  case TL_OP_item:
    return s;
  case TL_OP_dim: {
    tl_extent e = tl_type_of(f, x).extents[op->u.integer];
    bool is_own = e.value && (tl_def(f, e.value) == op || !tl_def(f, x)); /* a parameter's is defined so */
    return (e.value || e.fixed >= 0) && !is_own ? tl_build_dim(b, x, (int)op->u.integer) : TL_NO_VALUE;
  }
  default:
    return tl_op_table[op->code].elementwise ? on_scalars(b, op) : TL_NO_VALUE;
  }
}
