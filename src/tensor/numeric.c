/* Elementwise ops made of others: powers of any dtypes, tests of numbers, any number of operands. */
#include <math.h>

#include "tensor/compose.h"

/* By squares, one for each bit of the exponent: products that wrap, as all integers do. */
static tl_tensor integer_power(tl_tensor x, tl_tensor y) {
  tl_tensor zero = tl_scalar_like(y, 0), one = tl_scalar_like(y, 1), unit = tl_scalar_like(x, 1);
  tl_tensor out = unit, power = x;
  int bits = 8 * (int)tl_dtype_size(y->dtype);
  for (int i = 0; i < bits; i++) {
    tl_tensor has_bit = tl_ne(tl_and(tl_shr(y, tl_scalar_like(y, i)), one), zero);
    out = tl_where(has_bit, tl_mul(out, power), out);
    power = i + 1 < bits ? tl_mul(power, power) : power;
  }
  /* 1/x is x where x is 1 or -1, and 0 beyond; its even powers are 1 where it is not 0. */
  tl_tensor inverse = tl_div(unit, x);
  tl_tensor is_even = tl_eq(tl_and(y, one), zero), is_unit = tl_eq(tl_mul(inverse, x), unit);
  return tl_where(tl_lt(y, zero), tl_where(tl_and(is_even, is_unit), unit, inverse), out);
}

tl_tensor tl_power(tl_tensor x, tl_tensor y) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, y}, &scope, &out)) {
    return out;
  }
  bool floats = tl_dtype_is_float(x->dtype), floating = tl_dtype_is_float(y->dtype);
  if (x->dtype == TL_BOOL || y->dtype == TL_BOOL) {
    out = tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "power: of truth values it is none");
  } else if (x->dtype == y->dtype && floats) {
    out = tl_pow(x, y);
  } else if (floats || floating) {
    out = tl_cast(tl_pow(tl_cast(x, TL_F64), tl_cast(y, TL_F64)), x->dtype);
  } else {
    out = integer_power(x, y);
  }
  return tl__compose_leave("power", scope, out);
}

tl_tensor tl_is_nan(tl_tensor x) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  out = tl_dtype_is_float(x->dtype)
            ? tl_ne(x, x)
            : tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "is_nan: operand 0 has dtype %s, which it does not take",
                                tl_dtype_name(x->dtype));
  return tl__compose_leave("is_nan", scope, out);
}

tl_tensor tl_is_inf(tl_tensor x, bool negative, bool positive) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (!tl_dtype_is_float(x->dtype)) {
    out = tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "is_inf: operand 0 has dtype %s, which it does not take",
                            tl_dtype_name(x->dtype));
  } else if (x->dtype == TL_F8E4M3FN || !(negative || positive)) { /* the format has none */
    out = tl_lt(x, x);
  } else {
    tl_tensor most = tl_scalar_like(x, INFINITY);
    out = tl_eq(negative && positive ? tl_fabs(x) : x, positive ? most : tl_neg(most));
  }
  return tl__compose_leave("is_inf", scope, out);
}

/* ---- any number of operands ---- */

static tl_tensor take_two(tl_reducer reducer, tl_tensor x, tl_tensor y) {
  bool is_truth = tl__tensor_is_valid(x) && x->dtype == TL_BOOL;
  switch (reducer) {
  case TL_REDUCE_ADD:
    return is_truth ? tl_or(x, y) : tl_add(x, y);
  case TL_REDUCE_MUL:
    return is_truth ? tl_and(x, y) : tl_mul(x, y);
  case TL_REDUCE_MIN:
    return is_truth ? tl_and(x, y) : tl_minimum(x, y);
  case TL_REDUCE_MAX:
    return is_truth ? tl_or(x, y) : tl_maximum(x, y);
  case TL_REDUCE_REPLACE:
    break;
  }
  return tl__tensor_refuse(TL_UNSUPPORTED_CONSTRUCT, "reduce_list: one that replaces another is the last of them");
}

/* Of small formats in float, but for the extremes, which are elements. */
static tl_tensor take_all(tl_reducer reducer, int count, const tl_tensor *x) {
  bool widens = reducer == TL_REDUCE_ADD || reducer == TL_REDUCE_MUL;
  tl_tensor out = widens ? tl__widened(x[0]) : x[0];
  for (int i = 1; i < count; i++) {
    if (x[i]->dtype != x[0]->dtype) {
      return tl__tensor_refuse(TL_DTYPE_MISMATCH, "reduce_list: operand 0 has dtype %s, operand %d %s",
                               tl_dtype_name(x[0]->dtype), i, tl_dtype_name(x[i]->dtype));
    }
    out = take_two(reducer, out, widens ? tl__widened(x[i]) : x[i]);
  }
  return out;
}

static bool enter_list(const char *op, int count, const tl_tensor *x, tl_scope *scope, tl_tensor *out) {
  if (count < 1) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: no operand", op);
    return false;
  }
  return tl__compose_enter(count, x, scope, out);
}

tl_tensor tl_reduce_list(tl_reducer reducer, int count, const tl_tensor *x) {
  tl_scope scope;
  tl_tensor out;
  if (!enter_list("reduce_list", count, x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("reduce_list", scope, tl__like(take_all(reducer, count, x), x[0]));
}

tl_tensor tl_mean_list(int count, const tl_tensor *x) {
  tl_scope scope;
  tl_tensor out;
  if (!enter_list("mean_list", count, x, &scope, &out)) {
    return out;
  }
  if (tl_dtype_is_float(x[0]->dtype)) {
    tl_tensor sum = take_all(TL_REDUCE_ADD, count, x);
    out = tl__like(tl_div(sum, tl_scalar_like(sum, count)), x[0]);
  } else {
    out = tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "mean_list: of integers it would not be one: cast them");
  }
  return tl__compose_leave("mean_list", scope, out);
}
