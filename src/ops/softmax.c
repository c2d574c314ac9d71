/* The derivative and batching rules of softmax, of the difference of two and of the cross entropy of one by another.
 *
 * Where one element p of a softmax is nearly 1, 1 - p has no digits left: what is about the largest element is written
 * by the others. */
#include <string.h>

#include "ops/ops.h"

static tl_type type_of(tl_builder *b, tl_value v) { return tl_build_type(b, v); }
static tl_value mul(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_mul, x, y); }
static tl_value sub(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_sub, x, y); }
static tl_value over(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_div, x, y); }
static tl_value neg(tl_builder *b, tl_value x) { return tl_build_unary(b, TL_OP_neg, x); }
/* Where there is no tangent there is no term. */
static tl_value plus(tl_builder *b, tl_value x, tl_value y) {
  return !x ? y : !y ? x : tl_build_binary(b, TL_OP_add, x, y);
}

static tl_value sum(tl_builder *b, const tl_op *op, tl_value x) {
  tl_attr attrs[] = {{.axes = {1, {(int8_t)op->attrs[0].integer}}}, {.integer = true}};
  return tl_build_tensor(b, TL_OP_sum, &x, attrs);
}

static tl_value softmax(tl_builder *b, const tl_op *op, tl_value x) {
  return tl_build_tensor(b, TL_OP_softmax, &x, &op->attrs[0]);
}

/* y (v - sum(y v)): the Jacobian diag(y) - y y' is symmetric. Of v the element where y is above 1/2, if there is one,
 * is taken away first, which changes nothing but that nearly all of the sum is not taken from itself there. */
static tl_value softmax_product(tl_builder *b, const tl_op *op, tl_value y, tl_value v) {
  tl_type type = type_of(b, y);
  tl_value half = tl_build_float(b, type.dtype, 0.5L, NULL);
  tl_value is_most = tl_build_binary(b, TL_OP_gt, y, half);
  tl_value at_most = sum(b, op, tl_build_select(b, is_most, v, tl_build_zero(b, type.dtype)));
  tl_value apart = sub(b, v, tl_build_broadcast(b, at_most, type));
  tl_value mean = sum(b, op, mul(b, y, apart));
  return mul(b, y, sub(b, apart, tl_build_broadcast(b, mean, type)));
}

tl_value tl__tangent_softmax(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                             const tl_value *tangents) {
  (void)args;
  return softmax_product(b, op, result, tangents[0]);
}

tl_value tl__cotangent_softmax(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result, tl_value bar,
                               uint32_t which) {
  (void)args, (void)which;
  return softmax_product(b, op, result, bar);
}

/* ---- of two, s and t, over a temperature h ---- */

enum { S, T, H };

typedef struct pair {
  const tl_op *op;
  tl_type type;     /* of s and t */
  tl_value x[2], h; /* s/h and t/h; h, repeated along the axis */
} pair;

static pair pair_of(tl_builder *b, const tl_op *op, const tl_value *args) {
  pair p = {.op = op, .type = type_of(b, args[S])};
  p.h = tl_build_broadcast(b, args[H], p.type);
  p.x[S] = over(b, args[S], p.h);
  p.x[T] = over(b, args[T], p.h);
  return p;
}

/* The Jacobian of softmax at s/h or t/h. */
static tl_value jacobian(tl_builder *b, const pair *p, int which, tl_value v) {
  return softmax_product(b, p->op, softmax(b, p->op, p->x[which]), v);
}

/* The tangent of s/h or t/h. */
static tl_value tangent_of(tl_builder *b, const pair *p, int which, const tl_value *tangents) {
  tl_value dx = tangents[which], dh = tangents[H];
  tl_value by_h = dh ? neg(b, mul(b, p->x[which], tl_build_broadcast(b, dh, p->type))) : TL_NO_VALUE;
  tl_value both = plus(b, dx, by_h);
  return both ? over(b, both, p->h) : TL_NO_VALUE;
}

/* From the cotangents of s/h and t/h that of an operand. */
static tl_value cotangent_of(tl_builder *b, const pair *p, const tl_value bars[2], uint32_t which) {
  if (which != H) {
    return over(b, bars[which], p->h);
  }
  tl_value both = plus(b, mul(b, bars[S], p->x[S]), mul(b, bars[T], p->x[T]));
  return sum(b, p->op, neg(b, over(b, both, p->h)));
}

tl_value tl__tangent_softmax_difference(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                                        const tl_value *tangents) {
  (void)result;
  pair p = pair_of(b, op, args);
  tl_value ds = tangent_of(b, &p, S, tangents), dt = tangent_of(b, &p, T, tangents);
  return plus(b, ds ? jacobian(b, &p, S, ds) : TL_NO_VALUE, dt ? neg(b, jacobian(b, &p, T, dt)) : TL_NO_VALUE);
}

tl_value tl__cotangent_softmax_difference(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                                          tl_value bar, uint32_t which) {
  (void)result;
  pair p = pair_of(b, op, args);
  tl_value bars[2] = {which != T ? jacobian(b, &p, S, bar) : TL_NO_VALUE,
                      which != S ? neg(b, jacobian(b, &p, T, bar)) : TL_NO_VALUE};
  return cotangent_of(b, &p, bars, which);
}

/* By s/h the difference of the softmaxes, as it stands. By t/h its Jacobian times -log softmax(s/h), from which it
 * takes what all elements have in common, so times -s/h; where a softmax is 0 it is 0, whatever s is. */
static tl_value by_s(tl_builder *b, const pair *p, const tl_value *args) {
  return tl_build_tensor(b, TL_OP_softmax_difference, args, &p->op->attrs[0]);
}
static tl_value by_t(tl_builder *b, const pair *p) {
  tl_value y = softmax(b, p->op, p->x[T]), zero = tl_build_zero(b, p->type.dtype);
  tl_value v = tl_build_select(b, tl_build_binary(b, TL_OP_eq, y, zero), zero, neg(b, p->x[S]));
  return softmax_product(b, p->op, y, v);
}

tl_value tl__tangent_soft_cross_entropy(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                                        const tl_value *tangents) {
  (void)result;
  pair p = pair_of(b, op, args);
  tl_value ds = tangent_of(b, &p, S, tangents), dt = tangent_of(b, &p, T, tangents);
  tl_value terms =
      plus(b, ds ? mul(b, by_s(b, &p, args), ds) : TL_NO_VALUE, dt ? mul(b, by_t(b, &p), dt) : TL_NO_VALUE);
  return sum(b, op, terms);
}

tl_value tl__cotangent_soft_cross_entropy(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                                          tl_value bar, uint32_t which) {
  (void)result;
  pair p = pair_of(b, op, args);
  bar = tl_build_broadcast(b, bar, p.type);
  tl_value bars[2] = {which != T ? mul(b, bar, by_s(b, &p, args)) : TL_NO_VALUE,
                      which != S ? mul(b, bar, by_t(b, &p)) : TL_NO_VALUE};
  return cotangent_of(b, &p, bars, which);
}

/* ---- batches: along the axis behind the batch's; what is shared is repeated, as a view ---- */

static tl_value batch(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) {
  tl_value operands[3];
  tl_extent extent = {.fixed = 0};
  int count = (int)tl_op_table[op->code].arity;
  for (int i = 0; i < count; i++) {
    extent = batched[i] ? type_of(b, args[i]).extents[0] : extent;
  }
  for (int i = 0; i < count; i++) {
    tl_type t = type_of(b, args[i]);
    tl_extent dim[TL_MAX_RANK] = {extent};
    if (!batched[i]) {
      tl_extents_copy(dim + 1, t.extents, t.rank);
    }
    operands[i] =
        batched[i] ? args[i] : tl_build_tensor(b, TL_OP_broadcast, &args[i], &(tl_attr){.shape = {t.rank + 1, dim}});
  }
  int64_t axis = op->attrs[0].integer;
  return tl_build_tensor(b, op->code, operands, &(tl_attr){.integer = 1 + axis + (axis < 0 ? type.rank : 0)});
}

#define BATCH(name)                                                                                                    \
  tl_value tl__batch_##name(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) { \
    return batch(b, op, type, args, batched);                                                                          \
  }
BATCH(softmax)
BATCH(softmax_difference)
BATCH(soft_cross_entropy)
