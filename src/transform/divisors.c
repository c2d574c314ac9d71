/* Where a quotient may become a product with a reciprocal: where the divisor is known not to be subnormal, by what it
 * is computed from. 1/v is infinite for |v| <= 2^-1024 (of double), though x/v may be finite; for every other v that is
 * no subnormal number it is a normal one or has lost its last two bits at most. */
#include "transform/divisors.h"

#include <math.h>

#include "transform/rewrite.h"

/* What is known of a floating value that is not NaN. */
typedef struct magnitude {
  int low; /* it is 0 or at least 2^low in magnitude */
  bool is_nonzero, is_nonnegative;
} magnitude;

enum { MOST_STEPS = 6, LOWEST_COSINE = -128 /* no number of any type comes closer to a zero of the cosine */ };

/* The exponents of the least normal number and of epsilon. */
static const struct {
  int least, precision;
} limits[] = {{-126, 23}, {-1022, 52}, {-16382, 63}, {-14, 10}, {-126, 7}, {-6, 3}}; /* from TL_F32 on */

static int smaller(int x, int y) { return x < y ? x : y; }
static int larger(int x, int y) { return x > y ? x : y; }

static magnitude magnitude_of(const tl_func *f, tl_value v, int steps);

/* x + y or x - y. Near 0 the result is a multiple of the last digit of either operand that is not 0, which lies twice
 * as far down where the operand is a product that the sum is contracted with. */
static magnitude sum_of(magnitude x, magnitude y, int precision, bool same_sign) {
  if (same_sign) {
    int low = x.is_nonzero && y.is_nonzero ? larger(x.low, y.low)
              : x.is_nonzero               ? x.low
              : y.is_nonzero               ? y.low
                                           : smaller(x.low, y.low);
    return (magnitude){low, x.is_nonzero || y.is_nonzero, true};
  }
  int low = smaller(x.low, y.low);
  if (x.is_nonzero) {
    low = larger(low, x.low);
  }
  if (y.is_nonzero) {
    low = larger(low, y.low);
  }
  return (magnitude){low - 2 * precision - 3, false, false};
}

static magnitude magnitude_of_op(const tl_func *f, const tl_op *o, int steps, magnitude unknown, int precision) {
  magnitude x = unknown, y = unknown;
  long double c;
  uint32_t first = o->code == TL_OP_select;
  if (o->operand_count > first && tl_dtype_is_float(tl_type_of(f, o->operands[first]).dtype)) {
    x = magnitude_of(f, o->operands[first], steps - 1);
  }
  if (o->operand_count > first + 1 && tl_dtype_is_float(tl_type_of(f, o->operands[first + 1]).dtype)) {
    y = magnitude_of(f, o->operands[first + 1], steps - 1);
  }
  switch (o->code) {
  case TL_OP_cvt:
    if (tl_dtype_is_float(tl_type_of(f, o->operands[0]).dtype)) {
      return x;
    }
    return (magnitude){0, false, tl_dtype_is_unsigned(tl_type_of(f, o->operands[0]).dtype)};
  case TL_OP_neg:
    x.is_nonnegative = false;
    return x;
  case TL_OP_fabs:
    x.is_nonnegative = true;
    return x;
  case TL_OP_add:
    return sum_of(x, y, precision, x.is_nonnegative && y.is_nonnegative);
  case TL_OP_sub:
    return sum_of(x, y, precision, false);
  case TL_OP_mul:
    return (magnitude){x.low + y.low, x.is_nonzero && y.is_nonzero,
                       o->operands[0] == o->operands[1] || (x.is_nonnegative && y.is_nonnegative)};
  case TL_OP_sqrt:
    return (magnitude){x.low / 2 - 1, x.is_nonzero, true};
  case TL_OP_cbrt:
    return (magnitude){x.low / 3 - 1, x.is_nonzero, x.is_nonnegative};
  case TL_OP_exp:
  case TL_OP_exp2:
    unknown.is_nonnegative = true;
    return unknown;
  case TL_OP_cosh:
    return (magnitude){0, true, true};
  case TL_OP_cos:
    return (magnitude){LOWEST_COSINE, true, false};
  case TL_OP_log:
  case TL_OP_log2:
  case TL_OP_log10:
    return (magnitude){-precision - 3, false, false};
  case TL_OP_hypot:
    x.is_nonnegative = y.is_nonnegative = true;
    return sum_of(x, y, precision, true);
  case TL_OP_fmax: /* a constant bounds it also where the other operand is NaN */
    if (tl_is_const_float(f, o->operands[0], &c) && c > 0) {
      return x;
    }
    if (tl_is_const_float(f, o->operands[1], &c) && c > 0) {
      return y;
    }
    return (magnitude){smaller(x.low, y.low), false, x.is_nonnegative && y.is_nonnegative};
  case TL_OP_select:
    return (magnitude){smaller(x.low, y.low), x.is_nonzero && y.is_nonzero, x.is_nonnegative && y.is_nonnegative};
  default:
    return unknown;
  }
}

static magnitude magnitude_of(const tl_func *f, tl_value v, int steps) {
  tl_dtype dtype = tl_type_of(f, v).dtype;
  int least = limits[dtype - TL_F32].least, precision = limits[dtype - TL_F32].precision;
  magnitude unknown = {least - precision, false, false};
  long double c;
  if (tl_is_const_float(f, v, &c)) {
    return c == 0 || isnan(c) ? (magnitude){least, false, c == 0}
           : isinf(c)         ? (magnitude){0, true, c > 0}
                              : (magnitude){ilogbl(c), true, c > 0};
  }
  const tl_op *o = tl_def(f, v);
  if (steps == 0 || !o || !tl_op_table[o->code].elementwise) {
    return unknown;
  }
  magnitude m = magnitude_of_op(f, o, steps, unknown, precision);
  m.is_nonzero &= m.low >= least; /* below it may have been rounded to 0 */
  m.low = larger(m.low, unknown.low);
  return m;
}

/* 1/v is finite wherever x/v may be. */
static bool has_reciprocal(const tl_func *f, tl_value v) {
  return magnitude_of(f, v, MOST_STEPS).low >= limits[tl_type_of(f, v).dtype - TL_F32].least;
}

/* As far as the root of the least number is: 1/v leaves half of the range, and so does its square root. */
static bool is_away(tl_dtype t, int low) {
  return 2 * (low + 1) >= limits[t - TL_F32].least - limits[t - TL_F32].precision;
}

bool tl__divisors_is_away(tl_dtype t, long double v) { return v != 0 && isfinite(v) && is_away(t, ilogbl(v)); }

bool tl__divisors_are_away(const tl_func *f, tl_value v) {
  magnitude m = magnitude_of(f, v, MOST_STEPS);
  return m.is_nonzero && is_away(tl_type_of(f, v).dtype, m.low);
}

typedef struct finder {
  const tl_func *f;
  bool *shared;
  tl_value *first; /* by divisor: what it divides first */
} finder;

static void note(void *ctx, tl_op *o) {
  finder *d = ctx;
  long double c;
  if (o->code != TL_OP_div || !tl_dtype_is_float(tl_type_of(d->f, o->first_result).dtype) ||
      tl_is_const_float(d->f, o->operands[1], &c)) {
    return;
  }
  tl_value x = o->operands[0], v = o->operands[1];
  if (d->first[v] != TL_NO_VALUE || (tl_is_const_float(d->f, x, &c) && c == 1)) {
    d->shared[v] = d->shared[v] || has_reciprocal(d->f, v);
  }
  d->first[v] = x;
}

bool *tl__divisors_find(const tl_func *f, tl_arena *arena) {
  finder d = {f, TL_NEW_ARRAY(arena, bool, f->values.count), TL_NEW_ARRAY(arena, tl_value, f->values.count)};
  tl__region_each_op(f->body, note, &d);
  return d.shared;
}

bool tl__divisors_own(const tl_func *f, const tl_op *o, tl_value v) {
  long double c;
  return o && o->code == TL_OP_div && o->operands[1] == v && tl_is_const_float(f, o->operands[0], &c) && c == 1;
}

tl_value tl__divisors_multiply(tl_builder *b, tl_value x, tl_value v) {
  long double c;
  if (tl_is_const_float(b->func, x, &c)) {
    return TL_NO_VALUE;
  }
  tl_value one = tl_build_float(b, tl_type_of(b->func, v).dtype, 1, NULL);
  return tl_build_binary(b, TL_OP_mul, x, tl_build_binary(b, TL_OP_div, one, v));
}
