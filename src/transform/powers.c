#include "transform/powers.h"

#include <math.h>

enum { MOST_FACTORS = 8, MOST_EXPONENT = 60 };

/* The n of v = c*x^n, by at most `left` products; 0 where v is none. */
static uint32_t degree_of(const tl_func *f, tl_value v, tl_value x, int left) {
  const tl_op *o = tl_def(f, v);
  if (v == x) {
    return 1;
  }
  if (!o || o->code != TL_OP_mul || left == 0) {
    return 0;
  }
  long double c;
  for (uint32_t i = 0; i < 2; i++) {
    if (tl_is_const_float(f, o->operands[i], &c)) {
      return degree_of(f, o->operands[1 - i], x, left - 1);
    }
  }
  uint32_t a = degree_of(f, o->operands[0], x, left - 1), b = a ? degree_of(f, o->operands[1], x, left - 1) : 0;
  return b ? a + b : 0;
}

/* The n of v = z*x^n, x a factor of each product, all in one region: what is in a loop reads x and z there. */
static uint32_t chain_degree(const tl_func *f, const tl_region *region, tl_value v, tl_value x, tl_value *out_z) {
  for (uint32_t n = 0; n < MOST_FACTORS; n++) {
    const tl_op *o = tl_def(f, v);
    if (!o || o->code != TL_OP_mul || o->parent != region || (o->operands[0] != x && o->operands[1] != x)) {
      *out_z = v;
      return n;
    }
    v = o->operands[o->operands[0] == x];
  }
  return 0;
}

uint32_t tl__power_degree(const tl_func *f, const tl_op *o, uint32_t *out_which, tl_value *out_z) {
  for (uint32_t i = 0; o->code == TL_OP_mul && i < 2; i++) {
    tl_value x = o->operands[i], y = o->operands[1 - i];
    if (!tl_dtype_is_float(tl_type_of(f, x).dtype)) {
      continue;
    }
    uint32_t rest = degree_of(f, y, x, MOST_FACTORS);
    *out_z = TL_NO_VALUE;
    *out_which = i;
    rest = rest ? rest : chain_degree(f, o->parent, y, x, out_z);
    if (rest) {
      return rest + 1;
    }
  }
  return 0;
}

tl_value tl__power_derivative(tl_builder *b, tl_value y, uint32_t n, tl_value by) {
  tl_value product = tl_build_binary(b, TL_OP_mul, y, by);
  return tl_build_binary(b, TL_OP_mul, product, tl_build_float(b, tl_type_of(b->func, y).dtype, n, NULL));
}

/* The operand of the product that is no constant, and the constant; TL_NO_VALUE. */
static tl_value scaled(const tl_func *f, tl_value v, tl_value *out_constant, long double *out_c) {
  const tl_op *o = tl_def(f, v);
  for (uint32_t i = 0; o && o->code == TL_OP_mul && i < 2; i++) {
    if (tl_is_const_float(f, o->operands[i], out_c)) {
      *out_constant = o->operands[i];
      return o->operands[1 - i];
    }
  }
  return TL_NO_VALUE;
}

tl_value tl__power_factor(tl_builder *b, tl_opcode code, const tl_value *operands) {
  if (code != TL_OP_add && code != TL_OP_sub) {
    return TL_NO_VALUE;
  }
  tl_value c, d;
  long double by, other;
  int exponent;
  tl_value x = scaled(b->func, operands[0], &c, &by), y = x ? scaled(b->func, operands[1], &d, &other) : TL_NO_VALUE;
  if (!y || fabsl(by) != fabsl(other) || fabsl(by) == 1 || fabsl(frexpl(by, &exponent)) != 0.5L ||
      exponent < -MOST_EXPONENT || exponent > MOST_EXPONENT) {
    return TL_NO_VALUE;
  }
  tl_opcode inner = (by == other) == (code == TL_OP_add) ? TL_OP_add : TL_OP_sub;
  return tl_build_binary(b, TL_OP_mul, tl_build_binary(b, inner, x, y), c);
}
