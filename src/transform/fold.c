/* Constant folding. Only what the run time would compute to the same bits is folded: arithmetic, comparisons,
 * conversions and the library functions that are exact or correctly rounded (in the default rounding mode). A result
 * that is not finite is left to the run time, as is what C leaves undefined. And quotients of a loop's count by what it
 * does not reach. */
#include "transform/fold.h"

#include <math.h>

#define FLOAT_FOLDS(F)                                                                                                 \
  F(add, x + y)                                                                                                        \
  F(sub, x - y)                                                                                                        \
  F(mul, x *y)                                                                                                         \
  F(div, x / y)                                                                                                        \
  F(neg, -x)                                                                                                           \
  F(fma, M(fma)(x, y, z))                                                                                              \
  F(fabs, M(fabs)(x))                                                                                                  \
  F(sqrt, M(sqrt)(x))                                                                                                  \
  F(floor, M(floor)(x))                                                                                                \
  F(ceil, M(ceil)(x))                                                                                                  \
  F(trunc, M(trunc)(x))                                                                                                \
  F(round, M(round)(x))                                                                                                \
  F(rint, M(rint)(x))                                                                                                  \
  F(nearbyint, M(nearbyint)(x))                                                                                        \
  F(fmax, M(fmax)(x, y))                                                                                               \
  F(fmin, M(fmin)(x, y))                                                                                               \
  F(copysign, M(copysign)(x, y))                                                                                       \
  F(fdim, M(fdim)(x, y))                                                                                               \
  F(fmod, M(fmod)(x, y))                                                                                               \
  F(remainder, M(remainder)(x, y))                                                                                     \
  F(nextafter, M(nextafter)(x, y))

#define FOLD_CASE(op, expression)                                                                                      \
  if (code == TL_OP_##op) {                                                                                            \
    *out = (expression);                                                                                               \
    return true;                                                                                                       \
  }
#define DEFINE_FLOAT_FOLD(type, name)                                                                                  \
  static bool name(tl_opcode code, type x, type y, type z, type *out) {                                                \
    (void)y, (void)z;                                                                                                  \
    FLOAT_FOLDS(FOLD_CASE)                                                                                             \
    return false;                                                                                                      \
  }
#define M(name) name##f
DEFINE_FLOAT_FOLD(float, fold_f32)
#undef M
#define M(name) name
DEFINE_FLOAT_FOLD(double, fold_f64)
#undef M
#define M(name) name##l
DEFINE_FLOAT_FOLD(long double, fold_f80)
#undef M

static bool fold_float(tl_opcode code, tl_dtype t, const long double *x, long double *out) {
  if ((code == TL_OP_fmax || code == TL_OP_fmin) && x[0] == 0 && x[1] == 0) {
    return false; /* which of two zeros it is, C leaves to the library */
  }
  if (t == TL_F32) {
    float r;
    bool ok = fold_f32(code, (float)x[0], (float)x[1], (float)x[2], &r);
    *out = ok ? r : 0;
    return ok;
  }
  if (t == TL_F64) {
    double r;
    bool ok = fold_f64(code, (double)x[0], (double)x[1], (double)x[2], &r);
    *out = ok ? r : 0;
    return ok;
  }
  return fold_f80(code, x[0], x[1], x[2], out);
}

static bool fold_int(tl_opcode code, tl_dtype t, int64_t a, int64_t b, int64_t *out) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  int bits = t == TL_BOOL ? 1 : 8 * (int)tl_dtype_size(t);
  bool is_unsigned = tl_dtype_is_unsigned(t);
  bool divides = b != 0 && (is_unsigned || b != -1);
  bool shifts = b >= 0 && b < bits;
#define INT_FOLD(op, when, expression)                                                                                 \
  if (code == TL_OP_##op) {                                                                                            \
    *out = (when) ? tl_dtype_wrap(t, (int64_t)(expression)) : 0;                                                       \
    return (when);                                                                                                     \
  }
  INT_FOLD(add, true, x + y)
  INT_FOLD(sub, true, x - y)
  INT_FOLD(mul, true, x * y)
  INT_FOLD(neg, true, 0 - x)
  INT_FOLD(div, divides, is_unsigned ? (int64_t)(x / y) : a / b)
  INT_FOLD(rem, divides, is_unsigned ? (int64_t)(x % y) : a % b)
  INT_FOLD(and, true, x & y)
  INT_FOLD(or, true, x | y)
  INT_FOLD(xor, true, x ^ y)
  INT_FOLD(bitnot, t != TL_BOOL, ~x)
  INT_FOLD(not, t == TL_BOOL, !x)
  INT_FOLD(shl, shifts, x << (b & 63))
  INT_FOLD(shr, shifts, is_unsigned ? (int64_t)(x >> (b & 63)) : a >> (b & 63))
#undef INT_FOLD
  return false;
}

static bool is_comparison(tl_opcode code) {
  return code == TL_OP_eq || code == TL_OP_ne || code == TL_OP_lt || code == TL_OP_le || code == TL_OP_gt ||
         code == TL_OP_ge;
}

#define COMPARE(code, x, y)                                                                                            \
  ((code) == TL_OP_eq   ? (x) == (y)                                                                                   \
   : (code) == TL_OP_ne ? (x) != (y)                                                                                   \
   : (code) == TL_OP_lt ? (x) < (y)                                                                                    \
   : (code) == TL_OP_le ? (x) <= (y)                                                                                   \
   : (code) == TL_OP_gt ? (x) > (y)                                                                                    \
                        : (x) >= (y))

static tl_value convert_int(tl_builder *b, tl_dtype from, tl_dtype to, int64_t v) {
  if (!tl_dtype_is_float(to)) {
    return tl_build_int(b, to, v);
  }
  long double r;
  if (from == TL_U64) {
    r = to == TL_F32 ? (float)(uint64_t)v : to == TL_F64 ? (double)(uint64_t)v : (long double)(uint64_t)v;
  } else {
    r = to == TL_F32 ? (float)v : to == TL_F64 ? (double)v : (long double)v;
  }
  return tl_build_float(b, to, r, NULL);
}

static tl_value convert_float(tl_builder *b, tl_dtype to, long double v) {
  if (tl_dtype_is_float(to)) {
    long double r = tl_dtype_round(to, v);
    return isfinite(r) ? tl_build_float(b, to, r, NULL) : TL_NO_VALUE;
  }
  if (to == TL_BOOL) {
    return tl_build_int(b, to, v != 0);
  }
  long double whole = truncl(v);
  bool is_unsigned = tl_dtype_is_unsigned(to);
  int bits = 8 * (int)tl_dtype_size(to);
  long double limit = ldexpl(1, is_unsigned ? bits : bits - 1);
  if (!(whole < limit && whole >= (is_unsigned ? 0 : -limit))) {
    return TL_NO_VALUE;
  }
  return tl_build_int(b, to, is_unsigned ? (int64_t)(uint64_t)whole : (int64_t)whole);
}

/* An integer under the conversions to wider ones. */
static tl_value narrowest(const tl_func *f, tl_value v) {
  const tl_op *op = tl_def(f, v);
  while (op && op->code == TL_OP_cvt) {
    tl_dtype to = tl_type_of(f, v).dtype, from = tl_type_of(f, op->operands[0]).dtype;
    bool widens = !tl_dtype_is_float(from) && from != TL_BOOL && tl_dtype_size(from) <= tl_dtype_size(to) &&
                  tl_dtype_is_unsigned(from) == tl_dtype_is_unsigned(to);
    if (!widens) {
      break;
    }
    v = op->operands[0];
    op = tl_def(f, v);
  }
  return v;
}

/* x is a count from 0 or more up to less than d, or one plus a constant: the index of a row's element. */
static bool is_count_below(const tl_func *f, tl_value x, tl_value d) {
  x = narrowest(f, x);
  int64_t offset = 0, lo, hi, most;
  const tl_op *sum = tl_def(f, x);
  if (sum && sum->code == TL_OP_add && tl_is_const_int(f, sum->operands[1], &offset)) {
    x = narrowest(f, sum->operands[0]);
  } else if (sum && sum->code == TL_OP_add && tl_is_const_int(f, sum->operands[0], &offset)) {
    x = narrowest(f, sum->operands[1]);
  } else if (sum) {
    return false;
  }
  const tl_value_info *info = tl_info(f, x);
  const tl_op *loop = info->op ? NULL : info->region->parent;
  if (!loop || loop->code != TL_OP_loop || info->index != 0 || loop->u.step < 1 || tl_loop_hi(loop) == TL_NO_VALUE ||
      !tl_is_const_int(f, tl_loop_lo(loop), &lo) || lo < 0 || offset < -lo) {
    return false;
  }
  if (tl_is_const_int(f, tl_loop_hi(loop), &hi) && tl_is_const_int(f, d, &most)) {
    return hi <= INT32_MAX && offset <= INT32_MAX && hi + offset <= most;
  }
  return offset <= 0 && narrowest(f, tl_loop_hi(loop)) == narrowest(f, d);
}

tl_value tl__fold(tl_builder *b, tl_opcode code, tl_dtype result, const tl_value *operands) {
  const tl_func *f = b->func;
  if ((code == TL_OP_rem || code == TL_OP_div) && !tl_dtype_is_float(result) &&
      is_count_below(f, operands[0], operands[1])) {
    return code == TL_OP_rem ? operands[0] : tl_build_int(b, result, 0);
  }
  int arity = tl_op_table[code].arity;
  if (arity < 1 || arity > 3 || code == TL_OP_select) {
    return TL_NO_VALUE;
  }
  tl_dtype t = tl_type_of(f, operands[0]).dtype;
  int64_t i[3] = {0};
  long double x[3] = {0};
  for (int k = 0; k < arity; k++) {
    if (!tl_is_const_int(f, operands[k], &i[k]) && !tl_is_const_float(f, operands[k], &x[k])) {
      return TL_NO_VALUE;
    }
  }
  bool is_float = tl_dtype_is_float(t);
  if (code == TL_OP_cvt) {
    return is_float ? convert_float(b, result, x[0]) : convert_int(b, t, result, i[0]);
  }
  if (code == TL_OP_signbit) {
    return tl_build_int(b, TL_BOOL, signbit(x[0]) != 0);
  }
  if (is_comparison(code)) {
    bool holds = is_float                  ? COMPARE(code, x[0], x[1])
                 : tl_dtype_is_unsigned(t) ? COMPARE(code, (uint64_t)i[0], (uint64_t)i[1])
                                           : COMPARE(code, i[0], i[1]);
    return tl_build_int(b, TL_BOOL, holds);
  }
  if (is_float) {
    long double r;
    return result == t && fold_float(code, t, x, &r) && isfinite(r) ? tl_build_float(b, t, r, NULL) : TL_NO_VALUE;
  }
  int64_t r;
  return fold_int(code, t, i[0], i[1], &r) ? tl_build_int(b, result, r) : TL_NO_VALUE;
}
