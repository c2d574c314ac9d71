/* The transposes of the linear elementwise ops, and what forward and reverse mode make of the rules. */
#include "ops/ops.h"

#include <assert.h>

tl_value tl__transpose_add(tl_builder *b, const tl_value *args, uint32_t which, tl_value cotangent) {
  (void)b, (void)args, (void)which;
  return cotangent;
}

tl_value tl__transpose_sub(tl_builder *b, const tl_value *args, uint32_t which, tl_value cotangent) {
  (void)args;
  return which == 0 ? cotangent : tl_build_unary(b, TL_OP_neg, cotangent);
}

tl_value tl__transpose_neg(tl_builder *b, const tl_value *args, uint32_t which, tl_value cotangent) {
  (void)args, (void)which;
  return tl_build_unary(b, TL_OP_neg, cotangent);
}

/* The chosen operand takes all, the other zero. */
tl_value tl__transpose_select(tl_builder *b, const tl_value *args, uint32_t which, tl_value cotangent) {
  if (which == 0) {
    return TL_NO_VALUE;
  }
  tl_value zero = tl_build_zero(b, tl_type_of(b->func, cotangent).dtype);
  return which == 1 ? tl_build_select(b, args[0], cotangent, zero) : tl_build_select(b, args[0], zero, cotangent);
}

tl_value tl__transpose_cvt(tl_builder *b, const tl_value *args, uint32_t which, tl_value cotangent) {
  (void)which;
  return tl_build_cvt(b, tl_type_of(b->func, args[0]).dtype, cotangent);
}

tl_value tl__transpose_modf_fraction(tl_builder *b, const tl_value *args, uint32_t which, tl_value cotangent) {
  (void)b, (void)args, (void)which;
  return cotangent;
}

tl_value tl__transpose_nextafter(tl_builder *b, const tl_value *args, uint32_t which, tl_value cotangent) {
  (void)b, (void)args;
  return which == 0 ? cotangent : TL_NO_VALUE;
}

#define TL__ROW_ELEM(name)
#define TL__ROW_LINEAR(name) [TL_OP_##name] = tl__transpose_##name,
#define TL__ROW_ZEROGRAD(name)
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) TL__ROW_##class(name)
tl_transpose_fn *const tl_transpose_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};

static bool is_constant(const tl_func *f, tl_value v, long double c) {
  long double x;
  return tl_is_const_float(f, v, &x) && x == c;
}

/* A constant, or a choice between constants. */
static bool is_choice_of_constants(const tl_func *f, tl_value v) {
  const tl_op *op = tl_def(f, v);
  if (!op) {
    return false;
  }
  if (op->code == TL_OP_const) {
    return true;
  }
  return op->code == TL_OP_select && is_choice_of_constants(f, op->operands[1]) &&
         is_choice_of_constants(f, op->operands[2]);
}

/* seed * partial. Where either is a choice between zero and something, the product is formed inside the choice, so that
 * zero is never multiplied by an infinite partial of a branch that was not taken; a factor of 1 or -1 multiplies
 * nothing, and a quotient of a constant or of the op's result divides the seed (of another quotient seed/denominator
 * may leave the range where the partial does not). Only a partial that its rule just built is taken apart so (its id is
 * `fresh` or above): a value of the primal is at hand as it is. */
static tl_value scale(tl_builder *b, tl_value seed, tl_value partial, tl_value result, tl_value fresh) {
  tl_func *f = b->func;
  if (is_constant(f, partial, 1) || is_constant(f, seed, 0)) {
    return seed;
  }
  if (is_constant(f, partial, 0) || is_constant(f, seed, 1)) {
    return partial;
  }
  if (is_constant(f, partial, -1)) {
    return tl_build_unary(b, TL_OP_neg, seed);
  }
  /* s ? (c ? a : 0) * p : a choice made for the seed is made for the product */
  const tl_op *from = tl_def(f, seed);
  if (from && from->code == TL_OP_select) {
    tl_value c = from->operands[0], x = from->operands[1], y = from->operands[2];
    if (is_constant(f, y, 0)) {
      return tl_build_select(b, c, scale(b, x, partial, result, fresh), y);
    }
    if (is_constant(f, x, 0)) {
      return tl_build_select(b, c, x, scale(b, y, partial, result, fresh));
    }
  }
  const tl_op *factor = partial < fresh ? NULL : tl_def(f, partial);
  if (factor && factor->code == TL_OP_select && is_choice_of_constants(f, partial)) {
    tl_value c = factor->operands[0], x = factor->operands[1], y = factor->operands[2];
    return tl_build_select(b, c, scale(b, seed, x, result, fresh), scale(b, seed, y, result, fresh));
  }
  if (factor && factor->code == TL_OP_neg) {
    return tl_build_unary(b, TL_OP_neg, scale(b, seed, factor->operands[0], result, fresh));
  }
  long double c;
  if (factor && factor->code == TL_OP_div &&
      (factor->operands[0] == result || tl_is_const_float(f, factor->operands[0], &c))) {
    tl_value numerator = factor->operands[0], denominator = factor->operands[1];
    return scale(b, tl_build_binary(b, TL_OP_div, seed, denominator), numerator, result, fresh);
  }
  if (factor && factor->code == TL_OP_ldexp && is_constant(f, factor->operands[0], 1)) {
    return tl_build_binary(b, TL_OP_ldexp, seed, factor->operands[1]);
  }
  return tl_build_binary(b, TL_OP_mul, seed, partial);
}

/* A linear op maps tangents as it maps values, a missing tangent being zero; modf_fraction and nextafter, which move
 * their operand by what is locally constant, pass its tangent on. */
static tl_value linear_tangent(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
                               const tl_value *tangents) {
  tl_value x = tangents[0], y = op->operand_count > 1 ? tangents[1] : TL_NO_VALUE;
  tl_dtype dtype = tl_type_of(b->func, result).dtype;
  if (op->code == TL_OP_add) {
    return !x ? y : !y ? x : tl_build_binary(b, TL_OP_add, x, y);
  }
  if (op->code == TL_OP_sub) {
    return !y ? x : !x ? tl_build_unary(b, TL_OP_neg, y) : tl_build_binary(b, TL_OP_sub, x, y);
  }
  if (op->code == TL_OP_select) {
    tl_value z = tangents[2];
    if (!y && !z) {
      return TL_NO_VALUE;
    }
    if (!y) {
      y = tl_build_zero(b, dtype);
    }
    if (!z) {
      z = tl_build_zero(b, dtype);
    }
    return tl_build_select(b, args[0], y, z);
  }
  if (!x) {
    return TL_NO_VALUE;
  }
  if (op->code == TL_OP_neg) {
    return tl_build_unary(b, TL_OP_neg, x);
  }
  if (op->code == TL_OP_cvt) {
    return tl_build_cvt(b, dtype, x);
  }
  assert(op->code == TL_OP_modf_fraction || op->code == TL_OP_nextafter);
  return x;
}

/* r = x/y: (x' - r y')/y. The partials 1/y and -r/y are both quotients by y, and what is left of them is divided once:
 * y'/y alone may overflow, as may a 1/y that the primal has, which the builder would find. Not for r = 1/y, where r is
 * infinite where y'/y is. */
static tl_value quotient_tangent(tl_builder *b, const tl_value *args, tl_value r, const tl_value *tangents) {
  tl_func *f = b->func;
  tl_value numerator = TL_NO_VALUE, rest = TL_NO_VALUE;
  for (uint32_t i = 0; i < 2; i++) {
    if (!tangents[i]) {
      continue;
    }
    tl_value fresh = f->values.count;
    tl_builder plain = *b;
    plain.peephole = NULL;
    tl_value partial = tl_partial_table[TL_OP_div](&plain, args, r, i);
    if (!partial) {
      continue;
    }
    const tl_op *op = tl_def(f, partial);
    bool negative = op && op->code == TL_OP_neg;
    op = negative ? tl_def(f, op->operands[0]) : op;
    if (op && op->code == TL_OP_div && op->operands[1] == args[1]) {
      tl_value product = scale(b, tangents[i], op->operands[0], r, fresh);
      numerator = numerator  ? tl_build_binary(b, negative ? TL_OP_sub : TL_OP_add, numerator, product)
                  : negative ? tl_build_unary(b, TL_OP_neg, product)
                             : product;
    } else {
      tl_value term = scale(b, tangents[i], partial, r, fresh);
      rest = rest ? tl_build_binary(b, TL_OP_add, rest, term) : term;
    }
  }
  tl_value quotient = numerator ? tl_build_binary(b, TL_OP_div, numerator, args[1]) : TL_NO_VALUE;
  return quotient && rest ? tl_build_binary(b, TL_OP_add, quotient, rest) : quotient ? quotient : rest;
}

static bool is_float(const tl_func *f, tl_value v) { return tl_dtype_is_float(tl_type_of(f, v).dtype); }

static tl_value elementwise_tangent(tl_builder *b, const tl_op *op, const tl_value *primal_operands,
                                    tl_value primal_result, const tl_value *tangents) {
  assert(tl_op_table[op->code].elementwise);
  if (!is_float(b->func, primal_result)) {
    return TL_NO_VALUE;
  }
  if (tl_transpose_table[op->code]) {
    return linear_tangent(b, op, primal_operands, primal_result, tangents);
  }
  if (!tl_partial_table[op->code]) {
    return TL_NO_VALUE;
  }
  if (op->code == TL_OP_div && !is_constant(b->func, primal_operands[0], 1)) {
    return quotient_tangent(b, primal_operands, primal_result, tangents);
  }
  tl_value sum = TL_NO_VALUE;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!tangents[i]) {
      continue;
    }
    tl_value fresh = b->func->values.count;
    tl_value partial = tl_partial_table[op->code](b, primal_operands, primal_result, i);
    if (!partial) {
      continue;
    }
    tl_value term = scale(b, tangents[i], partial, primal_result, fresh);
    sum = sum ? tl_build_binary(b, TL_OP_add, sum, term) : term;
  }
  return sum;
}

tl_value tl_op_tangent(tl_builder *b, const tl_op *op, const tl_value *primal_operands, tl_value primal_result,
                       const tl_value *tangents) {
  tl_value v = elementwise_tangent(b, op, primal_operands, primal_result, tangents);
  return tl__tensor_fit(b, v, primal_result);
}

tl_value tl_op_cotangent(tl_builder *b, const tl_op *op, const tl_value *primal_operands, tl_value primal_result,
                         tl_value cotangent, uint32_t which) {
  assert(tl_op_table[op->code].elementwise && which < op->operand_count);
  if (!cotangent || !is_float(b->func, primal_result) || !is_float(b->func, primal_operands[which])) {
    return TL_NO_VALUE;
  }
  if (tl_transpose_table[op->code]) {
    return tl_transpose_table[op->code](b, primal_operands, which, cotangent);
  }
  if (!tl_partial_table[op->code]) {
    return TL_NO_VALUE;
  }
  tl_value fresh = b->func->values.count;
  tl_value partial = tl_partial_table[op->code](b, primal_operands, primal_result, which);
  return partial ? scale(b, cotangent, partial, primal_result, fresh) : TL_NO_VALUE;
}
