/* The batching rules of the ops on tensors: what an op becomes where some of its operands have one more axis in front.
 *
 * A rule builds the op for all examples at once. Operands that are not batched are shared by all; a rule repeats one
 * (as a view) only where the op itself has no way to share it. */
#include <assert.h>
#include <string.h>

#include "ops/ops.h"

static tl_type type_of(tl_builder *b, tl_value v) { return tl_build_type(b, v); }

static tl_value to_shape(tl_builder *b, tl_opcode code, tl_value x, int rank, const tl_extent *dim) {
  return tl_build_tensor(b, code, &x, &(tl_attr){.shape = {rank, dim}});
}

/* x, of rank `rank` in each example, with axes of extent 1 behind the batch's, so that an example has rank `to`. */
static tl_value lift(tl_builder *b, tl_value x, int to) {
  tl_type t = type_of(b, x);
  int missing = to - (t.rank - 1);
  if (missing <= 0) {
    return x;
  }
  tl_extent dim[TL_MAX_RANK];
  dim[0] = t.extents[0];
  for (int i = 0; i < missing; i++) {
    dim[1 + i] = (tl_extent){.fixed = 1};
  }
  tl_extents_copy(dim + 1 + missing, t.extents + 1, (t.rank - 1));
  return to_shape(b, TL_OP_reshape, x, to + 1, dim);
}

/* The batch's axis and those of an example. */
static int with_batch(tl_extent batch, int rank, const tl_extent *dim, tl_extent out[TL_MAX_RANK]) {
  out[0] = batch;
  tl_extents_copy(out + 1, dim, rank);
  return rank + 1;
}

/* x, which is shared, repeated for each example. */
static tl_value repeat(tl_builder *b, tl_value x, tl_extent batch) {
  tl_type t = type_of(b, x);
  tl_extent dim[TL_MAX_RANK];
  int rank = with_batch(batch, t.rank, t.extents, dim);
  return to_shape(b, TL_OP_broadcast, x, rank, dim);
}

tl_value tl_batch_elementwise(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  tl_value operands[3], like = TL_NO_VALUE;
  int rank = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_type t = tl_type_of(b->func, args[i]);
    int own = t.rank - batched[i];
    if (t.is_tensor && own >= rank && (!like || batched[i] || own > rank)) {
      rank = own;
      like = args[i];
    }
  }
  /* The shape of the result: the batch, and the axes of the operand that has them. */
  tl_extent batch = {.fixed = 0}, dim[TL_MAX_RANK];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (batched[i]) {
      batch = type_of(b, args[i]).extents[0];
    }
  }
  assert(like);
  tl_type example = type_of(b, like);
  int skip = example.rank - rank;
  with_batch(batch, rank, example.extents + skip, dim);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_type t = tl_type_of(b->func, args[i]);
    operands[i] = args[i];
    if (t.is_tensor && t.rank != rank + 1) { /* shared, or a number per example */
      operands[i] = to_shape(b, TL_OP_broadcast, batched[i] ? lift(b, args[i], rank) : args[i], rank + 1, dim);
    }
  }
  return tl_build_elementwise(b, op->code, type.dtype, operands);
}

tl_value tl__batch_broadcast(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)op, (void)batched;
  tl_extent dim[TL_MAX_RANK];
  int rank = with_batch(type_of(b, args[0]).extents[0], type.rank, type.extents, dim);
  return to_shape(b, TL_OP_broadcast, lift(b, args[0], type.rank), rank, dim);
}

tl_value tl__batch_sum_to(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)op, (void)batched;
  tl_type x = type_of(b, args[0]);
  tl_extent dim[TL_MAX_RANK], apart[TL_MAX_RANK];
  int rank = with_batch(x.extents[0], type.rank, type.extents, dim), front = x.rank - rank;
  apart[0] = dim[0];
  for (int i = 0; i < front; i++) {
    apart[1 + i] = (tl_extent){.fixed = 1};
  }
  tl_extents_copy(apart + 1 + front, type.extents, type.rank);
  tl_value sum = to_shape(b, TL_OP_sum_to, args[0], x.rank, apart);
  return front ? to_shape(b, TL_OP_reshape, sum, rank, dim) : sum;
}

tl_value tl__batch_reshape(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)op, (void)batched;
  tl_extent dim[TL_MAX_RANK];
  int rank = with_batch(type_of(b, args[0]).extents[0], type.rank, type.extents, dim);
  return to_shape(b, TL_OP_reshape, args[0], rank, dim);
}

/* The axes of an example as those of a batch: from the front, one further. */
static tl_axes shifted(tl_axes axes, int rank) {
  tl_axes out = {.count = axes.count < 0 ? rank : axes.count};
  for (int i = 0; i < out.count; i++) {
    out.axis[i] = (int8_t)(1 + (axes.count < 0 ? i : (axes.axis[i] + rank) % rank));
  }
  return out;
}

static int64_t shifted_axis(int64_t axis, int rank) { return 1 + (axis < 0 ? axis + rank : axis); }

tl_value tl__batch_transpose(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)batched;
  tl_axes order = op->attrs[0].axes, all = {.count = type.rank + 1, .axis = {0}};
  for (int i = 0; i < type.rank; i++) {
    all.axis[1 + i] = (int8_t)(1 + (order.count < 0 ? type.rank - 1 - i : (order.axis[i] + type.rank) % type.rank));
  }
  return tl_build_tensor(b, TL_OP_transpose, args, &(tl_attr){.axes = all});
}

static tl_value reduce(tl_builder *b, const tl_op *op, const tl_value *args) {
  int rank = tl_type_of(b->func, args[0]).rank - 1;
  return tl_build_tensor(b, op->code, args, (tl_attr[]){{.axes = shifted(op->attrs[0].axes, rank)}, op->attrs[1]});
}

tl_value tl__batch_sum(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)type, (void)batched;
  return reduce(b, op, args);
}

tl_value tl__batch_max(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)type, (void)batched;
  return reduce(b, op, args);
}

tl_value tl__batch_reduce_or(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)type, (void)batched;
  return reduce(b, op, args);
}

tl_value tl__batch_reduce_and(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)type, (void)batched;
  return reduce(b, op, args);
}

/* An op along one axis, which is the first attribute. */
static tl_value along(tl_builder *b, const tl_op *op, const tl_value *args) {
  int rank = type_of(b, args[0]).rank - 1;
  tl_attr attrs[2] = {{.integer = shifted_axis(op->attrs[0].integer, rank)}, op->attrs[1]};
  return tl_build_tensor(b, op->code, args, attrs);
}

tl_value tl__batch_argmax(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)type, (void)batched;
  return along(b, op, args);
}

tl_value tl__batch_argmin(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)type, (void)batched;
  return along(b, op, args);
}

tl_value tl__batch_argsort(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)type, (void)batched;
  return along(b, op, args);
}

static tl_value matmul(tl_builder *b, tl_value x, tl_value y) {
  return tl_build_tensor(b, TL_OP_matmul, (tl_value[]){x, y}, NULL);
}

/* A vector as a matrix: a row, or a column. */
static tl_value as_matrix(tl_builder *b, tl_value x, bool is_batched, bool as_row) {
  tl_type t = type_of(b, x);
  if (t.rank - is_batched != 1) {
    return x;
  }
  tl_extent dim[3] = {t.extents[0]}, one = {.fixed = 1}, n = t.extents[t.rank - 1];
  dim[is_batched] = as_row ? one : n;
  dim[is_batched + 1] = as_row ? n : one;
  return to_shape(b, TL_OP_reshape, x, 2 + is_batched, dim);
}

/* Where the second operand is one matrix or vector for all, the product is one, over all rows. */
tl_value tl__batch_matmul(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)op;
  int rx = tl_type_of(b->func, args[0]).rank - batched[0], ry = tl_type_of(b->func, args[1]).rank - batched[1];
  if (!batched[1] && ry <= 2) {
    return matmul(b, args[0], args[1]);
  }
  if (!batched[0] && ry == 1 && rx <= 2) { /* x y for vectors y: their rows times x' */
    tl_value x = rx == 1 ? args[0] : tl_build_tensor(b, TL_OP_transpose, args, &(tl_attr){.axes = TL_ALL});
    return matmul(b, args[1], x);
  }
  tl_value x = as_matrix(b, args[0], batched[0], true), y = as_matrix(b, args[1], batched[1], false);
  int most = (rx > ry ? rx : ry) < 2 ? 2 : rx > ry ? rx : ry;
  x = batched[0] ? lift(b, x, most) : x;
  y = batched[1] ? lift(b, y, most) : y;
  tl_value product = matmul(b, x, y);
  if (rx > 1 && ry > 1) {
    return product;
  }
  tl_extent dim[TL_MAX_RANK];
  int rank = with_batch(type_of(b, product).extents[0], type.rank, type.extents, dim);
  return to_shape(b, TL_OP_reshape, product, rank, dim);
}

/* The indices of each example are into its own x. */
static tl_value indexed(tl_builder *b, const tl_op *op, const tl_value *args, int rank) {
  tl_attr attrs[] = {op->attrs[0], op->attrs[1], op->attrs[2]};
  attrs[0].integer = shifted_axis(attrs[0].integer, rank);
  attrs[2].integer++;
  return tl_build_tensor(b, op->code, args, attrs);
}

tl_value tl__batch_gather(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  tl_value x = args[0], i = args[1];
  int rank = tl_type_of(b->func, x).rank - batched[0];
  int64_t common = op->attrs[2].integer, axis = shifted_axis(op->attrs[0].integer, rank) - 1;
  if (batched[0] && !batched[1] && common == 0) {
    tl_attr attrs[] = {{.integer = axis + 1}, op->attrs[1], op->attrs[2]};
    return tl_build_tensor(b, TL_OP_gather, args, attrs);
  }
  if (!batched[0] && common == 0) { /* the batch's axis is the first of the indices': it moves to the front */
    tl_attr attrs[] = {{.integer = axis}, op->attrs[1], op->attrs[2]};
    tl_value out = tl_build_tensor(b, TL_OP_gather, args, attrs);
    tl_axes order = {.count = type.rank + 1, .axis = {(int8_t)axis}};
    for (int k = 1; k <= type.rank; k++) {
      order.axis[k] = (int8_t)(k <= axis ? k - 1 : k);
    }
    return axis ? tl_build_tensor(b, TL_OP_transpose, &out, &(tl_attr){.axes = order}) : out;
  }
  tl_extent batch = type_of(b, batched[0] ? x : i).extents[0];
  return indexed(b, op, (tl_value[]){batched[0] ? x : repeat(b, x, batch), batched[1] ? i : repeat(b, i, batch)}, rank);
}

tl_value tl__batch_scatter_add(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args,
                               const bool *batched) {
  tl_value operands[3];
  tl_extent batch = {.fixed = 0};
  for (int i = 0; i < 3; i++) {
    batch = batched[i] ? type_of(b, args[i]).extents[0] : batch;
  }
  for (int i = 0; i < 3; i++) {
    operands[i] = batched[i] ? args[i] : repeat(b, args[i], batch);
  }
  return indexed(b, op, operands, type.rank);
}

#define TL_TEN(name, class, arity, attributes, doc) [TL_OP_##name] = tl__batch_##name,
static tl_batch_fn *const batch_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};

tl_value tl_batch_tensor_op(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  return batch_table[op->code](b, op, type, args, batched);
}
