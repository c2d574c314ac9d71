/* Elementwise functions of one or more numbers, made of other ops. As in activation.c it is inputs that are masked. */
#include <math.h>

#include "tensor/compose.h"

/* ---- logarithms ---- */

/* log_b(b^x + b^y) for a base b with the logarithm `scale`: the larger, and what the other adds. */
static tl_tensor log_add(tl_tensor x, tl_tensor y, double scale) {
  tl_tensor is_first = tl_ge(x, y), large = tl_where(is_first, x, y), small = tl_where(is_first, y, x);
  /* Of one infinity twice the difference is none. */
  tl_tensor size = tl_fabs(large), is_infinite = tl_eq(size, tl__number(size, INFINITY));
  tl_tensor is_equal = tl_and(tl_eq(large, small), is_infinite), zero = tl__number(size, 0);
  tl_tensor difference = tl_sub(tl_where(is_equal, zero, small), tl_where(is_equal, zero, large));
  if (scale == 1) {
    return tl_add(large, tl__softplus_of(difference));
  }
  tl_tensor factor = tl__number(size, scale);
  return tl_add(large, tl_div(tl__softplus_of(tl_mul(difference, factor)), factor));
}

typedef tl_tensor function(const tl_tensor *x, const double *c);

static tl_tensor apply(const char *op, function *f, int count, const tl_tensor *operands, const double *c) {
  enum { MOST = 3 };
  tl_tensor wide[MOST], out;
  tl_scope scope;
  if (!tl__compose_enter_floats(op, count, operands, &scope, &out)) {
    return out;
  }
  for (int i = 0; i < count; i++) {
    wide[i] = tl__widened(operands[i]);
  }
  return tl__compose_leave(op, scope, tl__like(f(wide, c), operands[0]));
}

#define OPERANDS(...)                                                                                                  \
  (const tl_tensor[]) { __VA_ARGS__ }
#define CONSTANTS(...)                                                                                                 \
  (const double[]) { __VA_ARGS__ }

static tl_tensor logaddexp(const tl_tensor *x, const double *c) { return log_add(x[0], x[1], c[0]); }
tl_tensor tl_logaddexp(tl_tensor x, tl_tensor y) {
  return apply("logaddexp", logaddexp, 2, OPERANDS(x, y), CONSTANTS(1));
}
tl_tensor tl_logaddexp2(tl_tensor x, tl_tensor y) {
  return apply("logaddexp2", logaddexp, 2, OPERANDS(x, y), CONSTANTS(0.69314718055994530942));
}

static tl_tensor xlogy(const tl_tensor *x, const double *c) {
  (void)c;
  return tl__xlogy_of(x[0], x[1]);
}
static tl_tensor xlog1py(const tl_tensor *x, const double *c) {
  (void)c;
  tl_tensor y = x[1], is_out = tl_or(tl_le(y, tl__number(y, -1)), tl_eq(y, tl__number(y, INFINITY)));
  tl_tensor is_none = tl_and(tl_eq(x[0], tl__number(y, 0)), is_out);
  return tl_mul(x[0], tl_log1p(tl_where(is_none, tl__number(y, 0), y)));
}
tl_tensor tl_xlogy(tl_tensor x, tl_tensor y) { return apply("xlogy", xlogy, 2, OPERANDS(x, y), NULL); }
tl_tensor tl_xlog1py(tl_tensor x, tl_tensor y) { return apply("xlog1py", xlog1py, 2, OPERANDS(x, y), NULL); }

static tl_tensor entropy(const tl_tensor *x, const double *c) {
  (void)c;
  return tl_neg(tl__xlogy_of(x[0], x[0]));
}
tl_tensor tl_entr(tl_tensor x) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("entr", 1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x), zero = wide ? tl__number(wide, 0) : NULL, is_below = tl_lt(wide, zero);
  tl_tensor inside = tl_where(is_below, zero, wide);
  out = inside ? tl_where(is_below, tl__number(wide, -INFINITY), entropy(&inside, NULL)) : NULL;
  return tl__compose_leave("entr", scope, tl__like(out, x));
}

/* log(x/(1 - x)) of x no less than c and no more than 1 - c. */
static tl_tensor logit(const tl_tensor *x, const double *c) {
  tl_tensor p = c[0] > 0 ? tl_clip(x[0], tl__number(x[0], c[0]), tl__number(x[0], 1 - c[0])) : x[0];
  return tl_sub(tl_log(p), tl_log1p(tl_neg(p)));
}
tl_tensor tl_logit(tl_tensor x, double margin) { return apply("logit", logit, 1, &x, CONSTANTS(margin)); }

/* ---- other functions ---- */

/* sin(t)/t, t = pi x, near 0 by its series, which has the derivatives too. */
static tl_tensor sinc(const tl_tensor *x, const double *c) {
  (void)c;
  static const double terms[] = {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1};
  tl_tensor t = tl_mul(tl__number(x[0], 3.14159265358979323846), x[0]);
  tl_tensor is_near = tl_lt(tl_fabs(t), tl__number(t, 0.1)), zero = tl__number(t, 0);
  tl_tensor near = tl_square(tl_where(is_near, t, zero)), far = tl_where(is_near, tl__number(t, 1), t);
  tl_tensor series = tl__number(t, terms[0]);
  for (int i = 1; i < (int)(sizeof terms / sizeof *terms); i++) {
    series = tl_add(tl_mul(series, near), tl__number(t, terms[i]));
  }
  return tl_where(is_near, series, tl_div(tl_sin(far), far));
}
tl_tensor tl_sinc(tl_tensor x) { return apply("sinc", sinc, 1, &x, NULL); }

/* From the end that is nearer, so that both are met exactly. */
static tl_tensor lerp(const tl_tensor *x, const double *c) {
  (void)c;
  tl_tensor span = tl_sub(x[1], x[0]), half = tl__number(span, 0.5), one = tl__number(span, 1);
  tl_tensor from_second = tl_sub(x[1], tl_mul(span, tl_sub(one, x[2])));
  return tl_where(tl_lt(x[2], half), tl_add(x[0], tl_mul(x[2], span)), from_second);
}
tl_tensor tl_lerp(tl_tensor x, tl_tensor y, tl_tensor weight) {
  return apply("lerp", lerp, 3, OPERANDS(x, y, weight), NULL);
}

static tl_tensor scaled(tl_tensor x, double factor) { return factor == 1 ? x : tl_mul(tl__number(x, factor), x); }

static tl_tensor addcmul(const tl_tensor *x, const double *c) { return tl_add(x[0], scaled(tl_mul(x[1], x[2]), c[0])); }
static tl_tensor addcdiv(const tl_tensor *x, const double *c) { return tl_add(x[0], scaled(tl_div(x[1], x[2]), c[0])); }
static tl_tensor addmm(const tl_tensor *x, const double *c) {
  return tl_add(scaled(x[0], c[0]), scaled(tl_matmul(x[1], x[2]), c[1]));
}
tl_tensor tl_addcmul(tl_tensor x, tl_tensor y, tl_tensor z, double factor) {
  return apply("addcmul", addcmul, 3, OPERANDS(x, y, z), CONSTANTS(factor));
}
tl_tensor tl_addcdiv(tl_tensor x, tl_tensor y, tl_tensor z, double factor) {
  return apply("addcdiv", addcdiv, 3, OPERANDS(x, y, z), CONSTANTS(factor));
}
tl_tensor tl_addmm(tl_tensor x, tl_tensor a, tl_tensor b, double x_factor, double factor) {
  return apply("addmm", addmm, 3, OPERANDS(x, a, b), CONSTANTS(x_factor, factor));
}

/* What a number is where it is to be finite. */
static double saturated(tl_tensor x, double number) {
  double most = tl_dtype_largest(tl_dtype_of(x));
  return number > most ? most : number < -most ? -most : number;
}
tl_tensor tl_nan_to_num(tl_tensor x, double nan, double above, double below) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("nan_to_num", 1, &x, &scope, &out)) {
    return out;
  }
  out = tl_where(tl_ne(x, x), tl__number(x, nan), x);
  out = tl_where(tl_eq(x, tl__number(x, INFINITY)), tl__number(x, saturated(x, above)), out);
  out = tl_where(tl_eq(x, tl__number(x, -INFINITY)), tl__number(x, saturated(x, below)), out);
  return tl__compose_leave("nan_to_num", scope, out);
}

tl_tensor tl_heaviside(tl_tensor x, tl_tensor at_zero) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, at_zero}, &scope, &out)) {
    return out;
  }
  tl_tensor zero = tl__number(x, 0), step = tl_where(tl_gt(x, zero), tl__number(x, 1), zero);
  out = tl_where(tl_eq(x, zero), at_zero, tl_where(tl_ne(x, x), x, step));
  return tl__compose_leave("heaviside", scope, out);
}

/* ---- division by floor ---- */

/* Whether a remainder has the sign that its divisor has not. */
static tl_tensor is_opposite(tl_tensor rest, tl_tensor y) {
  tl_tensor zero = tl__number(y, 0);
  return tl_and(tl_ne(rest, zero), tl_xor(tl_lt(rest, zero), tl_lt(y, zero)));
}

tl_tensor tl_mod(tl_tensor x, tl_tensor y) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, y}, &scope, &out)) {
    return out;
  }
  tl_tensor rest = tl_dtype_is_float(x->dtype) ? tl_fmod(x, y) : tl_rem(x, y);
  out = tl_where(is_opposite(rest, y), tl_add(rest, y), rest);
  return tl__compose_leave("mod", scope, out);
}

tl_tensor tl_floor_div(tl_tensor x, tl_tensor y) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, y}, &scope, &out)) {
    return out;
  }
  if (tl_dtype_is_float(x->dtype)) {
    /* x less its remainder is a multiple of y, up to rounding: which one, says rint. */
    tl_tensor rest = tl_fmod(x, y), whole = tl_rint(tl_div(tl_sub(x, rest), y));
    tl_tensor lower = tl_sub(whole, tl__number(whole, 1)), is_zero = tl_eq(y, tl__number(y, 0));
    out = tl_where(is_zero, tl_div(x, y), tl_where(is_opposite(rest, y), lower, whole));
  } else {
    tl_tensor whole = tl_div(x, y);
    out = tl_where(is_opposite(tl_rem(x, y), y), tl_sub(whole, tl_scalar_like(whole, 1)), whole);
  }
  return tl__compose_leave("floor_div", scope, out);
}
