/* The derivative and batching rules of the ops on parts of tensors. What picks elements and what places or adds them
 * are each other's transposes, with the same attributes. */
#include <string.h>

#include "ir/shape.h"
#include "ops/ops.h"

static tl_type type_of(tl_builder *b, tl_value v) { return tl_build_type(b, v); }

/* The op of the same attributes whose result has the type's shape, which is the first attribute. */
static tl_value stated(tl_builder *b, tl_opcode code, const tl_value *x, tl_type type, const tl_attr *rest) {
  tl_attr attrs[TL_MAX_ATTRS];
  memcpy(attrs + 1, rest, sizeof *attrs * (size_t)(tl_op_table[code].attr_count - 1));
  attrs[0].shape.rank = type.rank;
  attrs[0].shape.dim = type.extents;
  return tl_build_tensor(b, code, x, attrs);
}

/* ---- picked elements ---- */

tl_value tl__transpose_pick(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)which;
  return stated(b, TL_OP_place, &bar, type_of(b, args[0]), op->attrs + 1);
}

tl_value tl__transpose_place(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)which;
  return stated(b, TL_OP_pick, &bar, type_of(b, args[0]), op->attrs + 1);
}

static tl_value turned(tl_builder *b, tl_value x, int64_t axis) {
  return tl_build_tensor(b, TL_OP_reverse, &x, &(tl_attr){.axes = {1, {(int8_t)axis}}});
}

/* The elements from the first on. */
static tl_value head(tl_builder *b, tl_value x, tl_type type) {
  int64_t zeros[TL_MAX_RANK] = {0}, ones[TL_MAX_RANK];
  for (int i = 0; i < type.rank; i++) {
    ones[i] = 1;
  }
  return stated(b, TL_OP_pick, &x, type, (tl_attr[]){{.ints = {type.rank, zeros}}, {.ints = {type.rank, ones}}});
}

/* The second operand's elements are those from the end on, whatever the extents are. */
tl_value tl__transpose_concat(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  int64_t axis = op->attrs[0].integer;
  tl_type type = type_of(b, args[which]);
  return which == 0 ? head(b, bar, type) : turned(b, head(b, turned(b, bar, axis), type), axis);
}

tl_value tl__transpose_reverse(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)args, (void)which;
  return tl_build_tensor(b, TL_OP_reverse, &bar, op->attrs);
}

tl_value tl__transpose_windows(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)which;
  return stated(b, TL_OP_overlap_add, &bar, type_of(b, args[0]), op->attrs + 1);
}

tl_value tl__transpose_overlap_add(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)which;
  return stated(b, TL_OP_windows, &bar, type_of(b, args[0]), op->attrs + 1);
}

tl_value tl__transpose_reduce_precision(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which,
                                        tl_value bar) {
  (void)args, (void)which;
  return tl_build_tensor(b, TL_OP_reduce_precision, &bar, op->attrs);
}

/* ---- windows at indices ---- */

/* What is outside has no part in either direction. */
static int64_t dropping(int64_t mode) { return mode == TL_INDEX_FILL ? TL_INDEX_DROP : mode; }

tl_value tl__transpose_window_gather(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which,
                                     tl_value bar) {
  if (which) {
    return TL_NO_VALUE;
  }
  tl_attr attrs[] = {
      op->attrs[1], {.integer = TL_REDUCE_ADD}, {.integer = dropping(op->attrs[2].integer)}, op->attrs[3]};
  tl_value zero = tl_build_zero_like(b, args[0]);
  return tl_build_tensor(b, TL_OP_window_scatter, (tl_value[]){zero, args[1], bar}, attrs);
}

/* A scatter to the places of one, and the windows there. */
static tl_value scatter(tl_builder *b, const tl_op *op, tl_reducer reducer, tl_value x, tl_value i, tl_value u) {
  tl_attr attrs[] = {op->attrs[0], {.integer = reducer}, {.integer = dropping(op->attrs[2].integer)}, op->attrs[3]};
  return tl_build_tensor(b, TL_OP_window_scatter, (tl_value[]){x, i, u}, attrs);
}

static tl_value gather(tl_builder *b, const tl_op *op, tl_value x, tl_value i, tl_value like) {
  tl_attr rest[] = {op->attrs[0], {.integer = dropping(op->attrs[2].integer)}, op->attrs[3]};
  return stated(b, TL_OP_window_gather, (tl_value[]){x, i}, type_of(b, like), rest);
}

static tl_value binary(tl_builder *b, tl_opcode code, tl_value x, tl_value y) { return tl_build_binary(b, code, x, y); }

static tl_value number_like(tl_builder *b, tl_value x, long double v) {
  tl_dtype d = type_of(b, x).dtype;
  tl_value c = tl_dtype_is_float(d) ? tl_build_float(b, d, v, NULL) : tl_build_int(b, d, (int64_t)v);
  return tl_build_broadcast(b, c, type_of(b, x));
}

/* A number of its own for each element, in the tensor's shape. */
static tl_value numbered(tl_builder *b, tl_value x) {
  tl_type t = type_of(b, x);
  tl_extent all = {.fixed = 1};
  for (int i = 0; i < t.rank; i++) {
    all = tl_build_extent_product(b, all, t.extents[i]);
  }
  tl_value flat = tl_build_tensor(b, TL_OP_reshape, &x, &(tl_attr){.shape = {1, &all}});
  tl_value places = tl_build_tensor(b, TL_OP_positions, &flat, &(tl_attr){.integer = 0});
  return tl_build_tensor(b, TL_OP_reshape, &places, &(tl_attr){.shape = {t.rank, t.extents}});
}

/* Which updates are what stands at their places in the end: of those at one place the last. */
static tl_value is_last(tl_builder *b, const tl_op *op, const tl_value *args) {
  tl_value own = numbered(b, args[2]);
  tl_value none = number_like(b, tl_build_tensor(b, TL_OP_positions, &args[0], &(tl_attr){.integer = 0}), -1);
  tl_value winners = scatter(b, op, TL_REDUCE_REPLACE, none, args[1], own);
  return binary(b, TL_OP_eq, gather(b, op, winners, args[1], own), own);
}

/* Which operands are the result at their places, and how many are it at each. */
typedef struct shares {
  tl_value of_x, of_u, count;
} shares;

static shares shared(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result) {
  shares s = {.of_x = binary(b, TL_OP_eq, args[0], result),
              .of_u = binary(b, TL_OP_eq, args[2], gather(b, op, result, args[1], args[2]))};
  tl_dtype d = type_of(b, result).dtype;
  s.count = scatter(b, op, TL_REDUCE_ADD, tl_build_cvt(b, d, s.of_x), args[1], tl_build_cvt(b, d, s.of_u));
  return s;
}

/* The product of the factors of each place but one: that of all others where none of these is 0. Where one alone is 0,
 * it is the only one whose partial is not. */
typedef struct partials {
  tl_value by_x, by_u;
} partials;

static tl_value without(tl_builder *b, tl_value factor, tl_value is_zero, tl_value all, tl_value zeros) {
  tl_value zero = number_like(b, factor, 0), one = number_like(b, factor, 1);
  tl_value others = binary(b, TL_OP_div, all, tl_build_select(b, is_zero, one, factor));
  tl_value of_zero = tl_build_select(b, binary(b, TL_OP_eq, zeros, one), all, zero);
  return tl_build_select(b, is_zero, of_zero, tl_build_select(b, binary(b, TL_OP_eq, zeros, zero), others, zero));
}

static partials products(tl_builder *b, const tl_op *op, const tl_value *args) {
  tl_value x = args[0], i = args[1], u = args[2];
  tl_dtype d = type_of(b, x).dtype;
  tl_value x_zero = binary(b, TL_OP_eq, x, number_like(b, x, 0)), u_zero = binary(b, TL_OP_eq, u, number_like(b, u, 0));
  tl_value all = scatter(b, op, TL_REDUCE_MUL, tl_build_select(b, x_zero, number_like(b, x, 1), x), i,
                         tl_build_select(b, u_zero, number_like(b, u, 1), u));
  tl_value zeros = scatter(b, op, TL_REDUCE_ADD, tl_build_cvt(b, d, x_zero), i, tl_build_cvt(b, d, u_zero));
  return (partials){.by_x = without(b, x, x_zero, all, zeros),
                    .by_u = without(b, u, u_zero, gather(b, op, all, i, u), gather(b, op, zeros, i, u))};
}

/* The tangent of x, or zero. */
static tl_value or_zero(tl_builder *b, tl_value tangent, tl_value like) {
  return tangent ? tangent : tl_build_zero_like(b, like);
}

tl_value tl__tangent_window_scatter(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                                    const tl_value *tangents) {
  tl_value x = or_zero(b, tangents[0], args[0]), u = or_zero(b, tangents[2], args[2]);
  switch ((tl_reducer)op->attrs[1].integer) {
  case TL_REDUCE_ADD:
  case TL_REDUCE_REPLACE:
    return scatter(b, op, (tl_reducer)op->attrs[1].integer, x, args[1], u);
  case TL_REDUCE_MUL: {
    partials p = products(b, op, args);
    return scatter(b, op, TL_REDUCE_ADD, binary(b, TL_OP_mul, x, p.by_x), args[1], binary(b, TL_OP_mul, u, p.by_u));
  }
  case TL_REDUCE_MIN:
  case TL_REDUCE_MAX:
    break;
  }
  shares s = shared(b, op, args, result);
  tl_value zero = tl_build_zero(b, type_of(b, result).dtype);
  tl_value sum =
      scatter(b, op, TL_REDUCE_ADD, tl_build_select(b, s.of_x, x, zero), args[1], tl_build_select(b, s.of_u, u, zero));
  return binary(b, TL_OP_div, sum, s.count);
}

tl_value tl__cotangent_window_scatter(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                                      tl_value bar, uint32_t which) {
  tl_value zero = tl_build_zero(b, type_of(b, result).dtype);
  switch ((tl_reducer)op->attrs[1].integer) {
  case TL_REDUCE_ADD:
    return which == 0 ? bar : gather(b, op, bar, args[1], args[2]);
  case TL_REDUCE_REPLACE:
    return which == 0 ? scatter(b, op, TL_REDUCE_REPLACE, bar, args[1], tl_build_zero_like(b, args[2]))
                      : tl_build_select(b, is_last(b, op, args), gather(b, op, bar, args[1], args[2]), zero);
  case TL_REDUCE_MUL: {
    partials p = products(b, op, args);
    return which == 0 ? binary(b, TL_OP_mul, bar, p.by_x)
                      : binary(b, TL_OP_mul, gather(b, op, bar, args[1], args[2]), p.by_u);
  }
  case TL_REDUCE_MIN:
  case TL_REDUCE_MAX:
    break;
  }
  shares s = shared(b, op, args, result);
  tl_value share = binary(b, TL_OP_div, bar, s.count);
  return which == 0 ? tl_build_select(b, s.of_x, share, zero)
                    : tl_build_select(b, s.of_u, gather(b, op, share, args[1], args[2]), zero);
}

/* ---- batches ---- */

/* The batch's axis and those of an example. */
static tl_type with_batch(tl_extent batch, tl_type type, tl_extent dim[TL_MAX_RANK]) {
  dim[0] = batch;
  tl_extents_copy(dim + 1, type.extents, type.rank);
  type.extents = dim;
  type.rank++;
  type.axis_names = NULL;
  return type;
}

static tl_value repeat(tl_builder *b, tl_value x, tl_extent batch) {
  tl_extent dim[TL_MAX_RANK];
  tl_type t = with_batch(batch, type_of(b, x), dim);
  return tl_build_tensor(b, TL_OP_broadcast, &x, &(tl_attr){.shape = {t.rank, t.extents}});
}

/* Every operand for each example. */
static void all_batched(tl_builder *b, int count, const tl_value *args, const bool *batched, tl_value *out) {
  tl_extent batch = {.fixed = 0};
  for (int i = 0; i < count; i++) {
    batch = batched[i] ? type_of(b, args[i]).extents[0] : batch;
  }
  for (int i = 0; i < count; i++) {
    out[i] = batched[i] ? args[i] : repeat(b, args[i], batch);
  }
}

/* The axes of an example, of this rank, one further. */
static tl_axes shifted(tl_axes axes, int rank) {
  int list[TL_MAX_RANK], count = tl__shape_axis_list(axes, rank, list);
  tl_axes out = {.count = count};
  for (int i = 0; i < count; i++) {
    out.axis[i] = (int8_t)(1 + list[i]);
  }
  return out;
}

static int64_t shifted_axis(int64_t axis, int rank) { return 1 + (axis < 0 ? axis + rank : axis); }

static tl_value batch_strided(tl_builder *b, const tl_op *op, tl_type type, tl_value x) {
  tl_extent dim[TL_MAX_RANK];
  tl_type all = with_batch(type_of(b, x).extents[0], type, dim);
  int64_t start[TL_MAX_RANK] = {0}, step[TL_MAX_RANK] = {1};
  for (int i = 0; i < type.rank; i++) {
    start[1 + i] = op->attrs[1].ints.at[i];
    step[1 + i] = op->attrs[2].ints.at[i];
  }
  return stated(b, op->code, &x, all, (tl_attr[]){{.ints = {all.rank, start}}, {.ints = {all.rank, step}}});
}

tl_value tl__batch_pick(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)batched;
  return batch_strided(b, op, type, args[0]);
}

tl_value tl__batch_place(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)batched;
  return batch_strided(b, op, type, args[0]);
}

tl_value tl__batch_concat(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  tl_value operands[2];
  all_batched(b, 2, args, batched, operands);
  return tl_build_tensor(b, TL_OP_concat, operands,
                         &(tl_attr){.integer = shifted_axis(op->attrs[0].integer, type.rank)});
}

tl_value tl__batch_reverse(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)batched;
  return tl_build_tensor(b, TL_OP_reverse, args, &(tl_attr){.axes = shifted(op->attrs[0].axes, type.rank)});
}

static tl_value batch_windowed(tl_builder *b, const tl_op *op, tl_type type, tl_value x, int rank) {
  tl_extent dim[TL_MAX_RANK];
  tl_type all = with_batch(type_of(b, x).extents[0], type, dim);
  return stated(b, op->code, &x, all,
                (tl_attr[]){{.axes = shifted(op->attrs[1].axes, rank)}, op->attrs[2], op->attrs[3]});
}

tl_value tl__batch_windows(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)batched;
  return batch_windowed(b, op, type, args[0], type_of(b, args[0]).rank - 1);
}

tl_value tl__batch_overlap_add(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args,
                               const bool *batched) {
  (void)batched;
  return batch_windowed(b, op, type, args[0], type.rank);
}

tl_value tl__batch_window_gather(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args,
                                 const bool *batched) {
  tl_value operands[2];
  all_batched(b, 2, args, batched, operands);
  tl_extent dim[TL_MAX_RANK];
  tl_type x = type_of(b, operands[0]), all = with_batch(x.extents[0], type, dim);
  tl_attr rest[] = {
      {.axes = shifted(op->attrs[1].axes, x.rank - 1)}, op->attrs[2], {.integer = op->attrs[3].integer + 1}};
  return stated(b, TL_OP_window_gather, operands, all, rest);
}

tl_value tl__batch_window_scatter(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args,
                                  const bool *batched) {
  tl_value operands[3];
  all_batched(b, 3, args, batched, operands);
  tl_attr attrs[] = {{.axes = shifted(op->attrs[0].axes, type.rank)},
                     op->attrs[1],
                     op->attrs[2],
                     {.integer = op->attrs[3].integer + 1}};
  return tl_build_tensor(b, TL_OP_window_scatter, operands, attrs);
}

tl_value tl__batch_positions(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  (void)batched;
  return tl_build_tensor(b, TL_OP_positions, args,
                         &(tl_attr){.integer = shifted_axis(op->attrs[0].integer, type.rank)});
}

/* What is done to each element, wherever it is. */
#define BATCH_AS_IT_IS(name)                                                                                           \
  tl_value tl__batch_##name(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) { \
    (void)type, (void)batched;                                                                                         \
    return tl_build_tensor(b, op->code, args, op->attrs);                                                              \
  }
BATCH_AS_IT_IS(bitcast)
BATCH_AS_IT_IS(sign)
BATCH_AS_IT_IS(popcnt)
BATCH_AS_IT_IS(clz)
BATCH_AS_IT_IS(reduce_precision)
