/* The derivative rules of the ops on tensors, built from such ops. */
#include <assert.h>
#include <string.h>

#include "ops/ops.h"

/* ---- builders ---- */

static tl_type type_of(tl_builder *b, tl_value v) { return tl_build_type(b, v); }

static tl_value add(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_add, x, y); }

static tl_value to_shape(tl_builder *b, tl_opcode code, tl_value x, int rank, const tl_extent *dim) {
  return tl_build_tensor(b, code, &x, &(tl_attr){.shape = {rank, dim}});
}

static bool same_extent(tl_extent x, tl_extent y) { return x.value == y.value && (x.value || x.fixed == y.fixed); }

static bool same_shape(tl_type x, int rank, const tl_extent *dim) {
  for (int i = 0; i < rank; i++) {
    if (x.rank != rank || !same_extent(x.extents[i], dim[i])) {
      return false;
    }
  }
  return x.rank == rank;
}

static tl_value reshape(tl_builder *b, tl_value x, int rank, const tl_extent *dim) {
  return same_shape(type_of(b, x), rank, dim) ? x : to_shape(b, TL_OP_reshape, x, rank, dim);
}

/* x summed to a shape that broadcasts to its own, with the type's names. */
static tl_value sum_to(tl_builder *b, tl_value x, tl_type like) {
  if (same_shape(type_of(b, x), like.rank, like.extents)) {
    return x;
  }
  tl_value v = to_shape(b, TL_OP_sum_to, x, like.rank, like.extents);
  b->func->values.data[v].type.axis_names = like.axis_names;
  return v;
}

static tl_value reduce(tl_builder *b, tl_opcode code, tl_value x, tl_axes axes, bool keep) {
  return tl_build_tensor(b, code, &x, (tl_attr[]){{.axes = axes}, {.integer = keep}});
}

static tl_value swap_last_two(tl_builder *b, tl_value x) {
  int rank = type_of(b, x).rank;
  tl_axes order = {.count = rank};
  for (int i = 0; i < rank; i++) {
    order.axis[i] = (int8_t)(i < rank - 2 ? i : 2 * rank - 3 - i);
  }
  return tl_build_tensor(b, TL_OP_transpose, &x, &(tl_attr){.axes = order});
}

static tl_value matmul(tl_builder *b, tl_value x, tl_value y) {
  return tl_build_tensor(b, TL_OP_matmul, (tl_value[]){x, y}, NULL);
}

/* ---- linear ops ---- */

tl_value tl__transpose_broadcast(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)op, (void)which;
  tl_type x = type_of(b, args[0]);
  return x.is_tensor ? sum_to(b, bar, x) : tl_build_item(b, reduce(b, TL_OP_sum, bar, TL_ALL, false));
}

tl_value tl__transpose_sum_to(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)op, (void)which;
  return tl_build_broadcast(b, bar, type_of(b, args[0]));
}

tl_value tl__transpose_reshape(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)op, (void)which;
  tl_type x = type_of(b, args[0]);
  return reshape(b, bar, x.rank, x.extents);
}

tl_value tl__transpose_transpose(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)which;
  int rank = type_of(b, args[0]).rank;
  tl_axes order = op->attrs[0].axes, inverse = {.count = rank};
  for (int i = 0; i < rank; i++) {
    int axis = order.count < 0 ? rank - 1 - i : (order.axis[i] + rank) % rank;
    inverse.axis[axis] = (int8_t)i;
  }
  return tl_build_tensor(b, TL_OP_transpose, &bar, &(tl_attr){.axes = inverse});
}

/* A reduced value with the axes that the op has taken as ones, then as they were. */
static tl_value expand(tl_builder *b, const tl_op *op, tl_value reduced, tl_type x) {
  tl_axes axes = op->attrs[0].axes;
  tl_extent dim[TL_MAX_RANK];
  tl_extents_copy(dim, x.extents, x.rank);
  for (int i = 0; i < (axes.count < 0 ? x.rank : axes.count); i++) {
    dim[axes.count < 0 ? i : (axes.axis[i] + x.rank) % x.rank] = (tl_extent){.fixed = 1};
  }
  return tl_build_broadcast(b, reshape(b, reduced, x.rank, dim), x);
}

tl_value tl__transpose_sum(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)which;
  return expand(b, op, bar, type_of(b, args[0]));
}

tl_value tl__transpose_gather(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  if (which) {
    return TL_NO_VALUE;
  }
  tl_attr attrs[] = {op->attrs[0], op->attrs[1], op->attrs[2]};
  if (attrs[1].integer == TL_INDEX_FILL) {
    attrs[1].integer = TL_INDEX_DROP;
  }
  tl_value zero = tl_build_zero_like(b, args[0]);
  return tl_build_tensor(b, TL_OP_scatter_add, (tl_value[]){zero, args[1], bar}, attrs);
}

tl_value tl__transpose_scatter_add(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  if (which == 0) {
    return bar;
  }
  tl_attr attrs[] = {op->attrs[0], op->attrs[1], op->attrs[2]};
  if (attrs[1].integer == TL_INDEX_FILL) {
    attrs[1].integer = TL_INDEX_DROP;
  }
  return which == 1 ? TL_NO_VALUE : tl_build_tensor(b, TL_OP_gather, (tl_value[]){bar, args[1]}, attrs);
}

/* ---- products ---- */

/* x as matrices: a row in front, or a column behind, where it is a vector. */
static tl_value as_matrix(tl_builder *b, tl_value x, bool as_row) {
  tl_type t = type_of(b, x);
  if (t.rank != 1) {
    return x;
  }
  tl_extent dim[2] = {as_row ? (tl_extent){.fixed = 1} : t.extents[0], as_row ? t.extents[0] : (tl_extent){.fixed = 1}};
  return reshape(b, x, 2, dim);
}

/* The axes of x ahead of the last one as one. */
static tl_value flat_rows(tl_builder *b, tl_value x) {
  tl_type t = type_of(b, x);
  tl_extent dim[2] = {{.fixed = -1}, t.extents[t.rank - 1]};
  if (t.rank == 2) {
    return x;
  }
  tl_extent rows = {.fixed = 1};
  for (int i = 0; i < t.rank - 1; i++) {
    rows = tl_build_extent_product(b, rows, t.extents[i]);
  }
  dim[0] = rows;
  return reshape(b, x, 2, dim);
}

/* bar has the shape of the product of matrices x and y. Where one operand is a single matrix for all, its cotangent is
 * one product over all rows, not a sum of one per matrix. */
tl_value tl__transpose_matmul(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)op;
  tl_type tx = type_of(b, args[0]), ty = type_of(b, args[1]), out = type_of(b, args[which]), tb = type_of(b, bar);
  tl_value x = as_matrix(b, args[0], true), y = as_matrix(b, args[1], false);
  if (tx.rank == 1 || ty.rank == 1) { /* the axes that the result lacks */
    tl_extent dim[TL_MAX_RANK + 2];
    int front = tb.rank - (tx.rank > 1) - (ty.rank > 1), rank = front;
    tl_extents_copy(dim, tb.extents, front);
    dim[rank++] = tx.rank == 1 ? (tl_extent){.fixed = 1} : tb.extents[front];
    dim[rank++] = ty.rank == 1 ? (tl_extent){.fixed = 1} : tb.extents[tb.rank - 1];
    bar = reshape(b, bar, rank, dim);
  }
  tl_value product;
  if (which == 1 && type_of(b, y).rank == 2 && type_of(b, x).rank > 2) {
    product = matmul(b, swap_last_two(b, flat_rows(b, x)), flat_rows(b, bar));
  } else if (which == 0 && type_of(b, x).rank == 2 && type_of(b, y).rank > 2) {
    /* the columns of all matrices side by side, as rows of the transposes */
    tl_value columns = flat_rows(b, swap_last_two(b, y)), bars = flat_rows(b, swap_last_two(b, bar));
    product = matmul(b, swap_last_two(b, bars), columns);
  } else {
    product = which == 0 ? matmul(b, bar, swap_last_two(b, y)) : matmul(b, swap_last_two(b, x), bar);
  }
  if (out.rank == 1 && type_of(b, product).rank > 2) { /* a vector meets many matrices */
    tl_type t = type_of(b, product);
    product = sum_to(b, product,
                     (tl_type){.dtype = t.dtype, .is_tensor = true, .rank = 2, .extents = t.extents + t.rank - 2});
  }
  return out.rank == 1 ? reshape(b, product, 1, out.extents) : sum_to(b, product, out);
}

/* ---- by hand ---- */

/* Where x is the largest, and the number of such places. */
static tl_value is_largest(tl_builder *b, const tl_op *op, tl_value x, tl_value result, tl_value *out_count) {
  tl_value mask = tl_build_binary(b, TL_OP_eq, x, expand(b, op, result, type_of(b, x)));
  tl_value ones = tl_build_cvt(b, type_of(b, x).dtype, mask);
  *out_count = reduce(b, TL_OP_sum, ones, op->attrs[0].axes, op->attrs[1].integer);
  return mask;
}

tl_value tl__tangent_max(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                         const tl_value *tangents) {
  tl_value count, mask = is_largest(b, op, args[0], result, &count);
  tl_value zero = tl_build_zero(b, type_of(b, result).dtype);
  tl_value chosen = tl_build_select(b, mask, tangents[0], zero);
  return tl_build_binary(b, TL_OP_div, reduce(b, TL_OP_sum, chosen, op->attrs[0].axes, op->attrs[1].integer), count);
}

tl_value tl__cotangent_max(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result, tl_value bar,
                           uint32_t which) {
  (void)which;
  tl_value count, mask = is_largest(b, op, args[0], result, &count);
  tl_value share = expand(b, op, tl_build_binary(b, TL_OP_div, bar, count), type_of(b, args[0]));
  return tl_build_select(b, mask, share, tl_build_zero(b, type_of(b, result).dtype));
}

/* ---- the tables, and what forward and reverse mode make of the rules ---- */

#define TL__ROW_LINEAR(name) [TL_OP_##name] = {.transpose = tl__transpose_##name},
#define TL__ROW_BILINEAR(name) TL__ROW_LINEAR(name)
#define TL__ROW_HAND(name) [TL_OP_##name] = {.tangent = tl__tangent_##name, .cotangent = tl__cotangent_##name},
#define TL__ROW_ZEROGRAD(name)
#define TL_TEN(name, class, arity, attributes, doc) TL__ROW_##class(name)
static const struct {
  tl_tensor_transpose_fn *transpose;
  tl_tensor_tangent_fn *tangent;
  tl_tensor_cotangent_fn *cotangent;
} rules[TL_OP_COUNT] = {
#include "ir/ops.def"
};

static bool is_float(const tl_builder *b, tl_value v) { return tl_dtype_is_float(tl_type_of(b->func, v).dtype); }

tl_value tl_build_tensor_again(tl_builder *b, const tl_op *op, tl_type type, const tl_value *operands) {
  const tl_op_info *row = &tl_op_table[op->code];
  if (!tl_op_states_shape(op->code)) {
    return tl_build_tensor(b, op->code, operands, op->attrs);
  }
  tl_extent dim[TL_MAX_RANK];
  const tl_value *next = operands + row->arity;
  for (int i = 0; i < type.rank; i++) {
    dim[i] = type.extents[i].value ? (tl_extent){.value = *next++} : type.extents[i];
  }
  tl_attr attrs[TL_MAX_ATTRS];
  memcpy(attrs, op->attrs, sizeof *attrs * (size_t)row->attr_count);
  attrs[0].shape.rank = type.rank;
  attrs[0].shape.dim = dim;
  tl_value v = tl_build_tensor(b, op->code, operands, attrs);
  b->func->values.data[v].type.axis_names = type.axis_names;
  return v;
}

tl_value tl_tensor_op_tangent(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                              const tl_value *tangents) {
  const tl_op_info *row = &tl_op_table[op->code];
  bool any = false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    any = any || tangents[i];
  }
  if (op->code == TL_OP_item) {
    return any ? tl_build_item(b, tangents[0]) : TL_NO_VALUE;
  }
  if (!any || !is_float(b, result) || row->op_class == TL_CLASS_ZEROGRAD) {
    return TL_NO_VALUE;
  }
  tl_type type = type_of(b, result);
  if (row->op_class == TL_CLASS_HAND) {
    return rules[op->code].tangent(b, op, args, result, tangents);
  }
  tl_value operands[4 + TL_MAX_RANK], sum = TL_NO_VALUE;
  if (row->op_class == TL_CLASS_BILINEAR) {
    for (uint32_t i = 0; i < 2; i++) {
      if (tangents[i]) {
        operands[i] = tangents[i];
        operands[1 - i] = args[1 - i];
        tl_value term = tl_build_tensor_again(b, op, type, operands);
        sum = sum ? add(b, sum, term) : term;
      }
    }
    return sum;
  }
  assert(row->op_class == TL_CLASS_LINEAR);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    operands[i] = tangents[i] ? tangents[i] : is_float(b, args[i]) ? tl_build_zero_like(b, args[i]) : args[i];
  }
  return tl_build_tensor_again(b, op, type, operands);
}

tl_value tl_tensor_op_cotangent(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result, tl_value bar,
                                uint32_t which) {
  if (!bar || !is_float(b, result) || !is_float(b, args[which]) ||
      tl_op_table[op->code].op_class == TL_CLASS_ZEROGRAD) {
    return TL_NO_VALUE;
  }
  if (op->code == TL_OP_item) {
    return tl_build_broadcast(b, bar, type_of(b, args[0]));
  }
  tl_value fresh = b->func->values.count;
  tl_value v = rules[op->code].transpose ? rules[op->code].transpose(b, op, args, which, bar)
                                         : rules[op->code].cotangent(b, op, args, result, bar, which);
  if (v >= fresh) { /* axes that the op has aligned may have the other's names */
    tl_type *type = &b->func->values.data[v].type;
    type->axis_names = type->is_tensor ? tl_type_of(b->func, args[which]).axis_names : NULL;
  }
  return v;
}

tl_value tl__tensor_fit(tl_builder *b, tl_value v, tl_value like) {
  tl_type type = tl_type_of(b->func, like);
  if (!v || tl_type_of(b->func, v).is_tensor == type.is_tensor) {
    return v;
  }
  return type.is_tensor ? tl_build_broadcast(b, v, tl_build_type(b, like))
                        : tl_build_item(b, reduce(b, TL_OP_sum, v, TL_ALL, false));
}
