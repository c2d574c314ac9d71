/* The partial derivatives of the elementwise ops. In the formulas x, y, z are the operands and r is the result.
 *
 * A guard replaces the input of the operation that would be singular, not its output: then derivatives of the rule, of
 * any order, are free of 0 * infinity as well. */
#include "ops/ops.h"

#include <math.h>

static tl_value constant(tl_builder *b, tl_value like, long double c) {
  return tl_build_float(b, tl_type_of(b->func, like).dtype, c, NULL);
}
static tl_value one(tl_builder *b, tl_value like) { return constant(b, like, 1.0L); }
static tl_value add(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_add, x, y); }
static tl_value sub(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_sub, x, y); }
static tl_value mul(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_mul, x, y); }
static tl_value divide(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_div, x, y); }
static tl_value neg(tl_builder *b, tl_value x) { return tl_build_unary(b, TL_OP_neg, x); }
static tl_value square(tl_builder *b, tl_value x) { return mul(b, x, x); }
static tl_value square_root(tl_builder *b, tl_value x) { return tl_build_unary(b, TL_OP_sqrt, x); }
static tl_value scaled(tl_builder *b, long double c, tl_value x) { return mul(b, constant(b, x, c), x); }
static tl_value over(tl_builder *b, long double c, tl_value x) { return divide(b, constant(b, x, c), x); }
static tl_value is_zero(tl_builder *b, tl_value x) { return tl_build_binary(b, TL_OP_eq, x, constant(b, x, 0)); }

/* (1 - x)(1 + x): 1 - x*x without cancellation near 1 */
static tl_value one_minus_square(tl_builder *b, tl_value x) {
  return mul(b, sub(b, one(b, x), x), add(b, one(b, x), x));
}

#define TL_LN2 0.693147180559945309417232121458176568L
#define TL_LOG2_E 1.442695040888963407359924681001892137L
#define TL_LOG10_E 0.434294481903251827651128918916605082L
#define TL_TWO_OVER_ROOT_PI 1.128379167095512573896158903121545172L

/* Rules of one operand: f' as an expression in x and r. */
#define UNARY_RULE(name, formula)                                                                                      \
  tl_value tl__partial_##name(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {                       \
    tl_value x = args[0];                                                                                              \
    (void)b, (void)x, (void)r, (void)which;                                                                            \
    return formula;                                                                                                    \
  }

/* xy: y, x */
tl_value tl__partial_mul(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)b, (void)r;
  return args[1 - which];
}

/* x/y: 1/y, -r/y */
tl_value tl__partial_div(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  return which == 0 ? over(b, 1, args[1]) : neg(b, divide(b, r, args[1]));
}

/* xy + z: y, x, 1 */
tl_value tl__partial_fma(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)r;
  return which == 2 ? one(b, args[2]) : args[1 - which];
}

/* |x|: the sign of x, 0 at 0 */
static tl_value sign(tl_builder *b, tl_value x) {
  tl_value zero = constant(b, x, 0);
  tl_value below = tl_build_select(b, tl_build_binary(b, TL_OP_lt, x, zero), constant(b, x, -1), zero);
  return tl_build_select(b, tl_build_binary(b, TL_OP_gt, x, zero), one(b, x), below);
}
UNARY_RULE(fabs, sign(b, x))

UNARY_RULE(sqrt, over(b, 0.5L, r))                                           /* 1/(2r) */
UNARY_RULE(cbrt, over(b, 1, scaled(b, 3, square(b, r))))                     /* 1/(3r^2) */
UNARY_RULE(exp, r)                                                           /* r */
UNARY_RULE(exp2, scaled(b, TL_LN2, r))                                       /* r log 2 */
UNARY_RULE(expm1, tl_build_unary(b, TL_OP_exp, x))                           /* e^x; r + 1 would cancel for x << 0 */
UNARY_RULE(log, over(b, 1, x))                                               /* 1/x */
UNARY_RULE(log2, over(b, TL_LOG2_E, x))                                      /* (1/log 2)/x */
UNARY_RULE(log10, over(b, TL_LOG10_E, x))                                    /* (1/log 10)/x */
UNARY_RULE(log1p, over(b, 1, add(b, one(b, x), x)))                          /* 1/(1 + x) */
UNARY_RULE(sin, tl_build_unary(b, TL_OP_cos, x))                             /* cos x */
UNARY_RULE(cos, neg(b, tl_build_unary(b, TL_OP_sin, x)))                     /* -sin x */
UNARY_RULE(tan, add(b, one(b, x), square(b, r)))                             /* 1 + r^2 */
UNARY_RULE(asin, over(b, 1, square_root(b, one_minus_square(b, x))))         /* 1/sqrt(1 - x^2) */
UNARY_RULE(acos, neg(b, over(b, 1, square_root(b, one_minus_square(b, x))))) /* -1/sqrt(1 - x^2) */
UNARY_RULE(atan, over(b, 1, add(b, one(b, x), square(b, x))))                /* 1/(1 + x^2) */
UNARY_RULE(sinh, tl_build_unary(b, TL_OP_cosh, x))                           /* cosh x */
UNARY_RULE(cosh, tl_build_unary(b, TL_OP_sinh, x))                           /* sinh x */
UNARY_RULE(tanh, sub(b, one(b, x), square(b, r)))                            /* 1 - r^2 */
/* sqrt(1 + x^2), which is |x| long before x^2 overflows */
static tl_value root_of_one_plus_square(tl_builder *b, tl_value x) {
  static const long double huge[] = {0x1p60L, 0x1p500L, 0x1p8000L, 0x1p7L, 0x1p60L, 0x1p3L}; /* from F32 on */
  tl_value size = tl_build_unary(b, TL_OP_fabs, x);
  tl_value is_huge = tl_build_binary(b, TL_OP_gt, size, constant(b, x, huge[tl_type_of(b->func, x).dtype - TL_F32]));
  tl_value moderate = tl_build_select(b, is_huge, one(b, x), x);
  return tl_build_select(b, is_huge, size, square_root(b, add(b, one(b, x), square(b, moderate))));
}
UNARY_RULE(asinh, over(b, 1, root_of_one_plus_square(b, x))) /* 1/sqrt(1 + x^2) */
/* 1/(sqrt(x - 1) sqrt(x + 1)) */
UNARY_RULE(acosh, over(b, 1, mul(b, square_root(b, sub(b, x, one(b, x))), square_root(b, add(b, x, one(b, x))))))
UNARY_RULE(atanh, over(b, 1, one_minus_square(b, x))) /* 1/(1 - x^2) */

/* 2/sqrt(pi) e^(-x^2) */
static tl_value bell(tl_builder *b, tl_value x, long double factor) {
  return scaled(b, factor, tl_build_unary(b, TL_OP_exp, neg(b, square(b, x))));
}
UNARY_RULE(erf, bell(b, x, TL_TWO_OVER_ROOT_PI))
UNARY_RULE(erfc, bell(b, x, -TL_TWO_OVER_ROOT_PI))

/* digamma(x) = polygamma(0, x) */
static tl_value digamma(tl_builder *b, tl_value x) {
  return tl_build_binary(b, TL_OP_polygamma, tl_build_int(b, TL_I32, 0), x);
}
UNARY_RULE(lgamma, digamma(b, x))            /* digamma(x) */
UNARY_RULE(tgamma, mul(b, r, digamma(b, x))) /* r digamma(x) */

/* polygamma(n, x): polygamma(n + 1, x) */
tl_value tl__partial_polygamma(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)r, (void)which;
  return tl_build_binary(b, TL_OP_polygamma, add(b, args[0], tl_build_int(b, TL_I32, 1)), args[1]);
}

/* 2^-e, where x = r 2^e */
UNARY_RULE(frexp_fraction,
           tl_build_binary(b, TL_OP_ldexp, one(b, x), neg(b, tl_build_unary(b, TL_OP_frexp_exponent, x))))

/* x 2^e: 2^e */
tl_value tl__partial_ldexp(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)r, (void)which;
  return tl_build_binary(b, TL_OP_ldexp, one(b, args[0]), args[1]);
}

/* Bessel functions: C0' = -C1 and C_n' = (C_(n-1) - C_(n+1))/2, which has no division by x. */
static tl_value bessel_of(tl_builder *b, tl_opcode op, int order, tl_value x) {
  return tl_build_binary(b, op, tl_build_int(b, TL_I32, order), x);
}
static tl_value half_difference(tl_builder *b, tl_value x, tl_value y) { return scaled(b, 0.5L, sub(b, x, y)); }
UNARY_RULE(j0, neg(b, tl_build_unary(b, TL_OP_j1, x)))
UNARY_RULE(y0, neg(b, tl_build_unary(b, TL_OP_y1, x)))
UNARY_RULE(j1, half_difference(b, tl_build_unary(b, TL_OP_j0, x), bessel_of(b, TL_OP_jn, 2, x)))
UNARY_RULE(y1, half_difference(b, tl_build_unary(b, TL_OP_y0, x), bessel_of(b, TL_OP_yn, 2, x)))

static tl_value bessel_rule(tl_builder *b, tl_opcode op, const tl_value *args) {
  tl_value unit = tl_build_int(b, TL_I32, 1);
  tl_value below = tl_build_binary(b, op, sub(b, args[0], unit), args[1]);
  return half_difference(b, below, tl_build_binary(b, op, add(b, args[0], unit), args[1]));
}
tl_value tl__partial_jn(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)r, (void)which;
  return bessel_rule(b, TL_OP_jn, args);
}
tl_value tl__partial_yn(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)r, (void)which;
  return bessel_rule(b, TL_OP_yn, args);
}

/* A floating constant, also one that was converted from an integer constant. */
static bool known_constant(tl_builder *b, tl_value v, long double *out) {
  if (tl_is_const_float(b->func, v, out)) {
    return true;
  }
  const tl_op *op = tl_def(b->func, v);
  int64_t i;
  if (!op || op->code != TL_OP_cvt || !tl_is_const_int(b->func, op->operands[0], &i)) {
    return false;
  }
  *out = tl_type_of(b->func, op->operands[0]).dtype == TL_U64 ? (long double)(uint64_t)i : (long double)i;
  return true;
}

/* d(x^k)/dx = k x^(k-1) for a constant k; small powers as products */
static tl_value power_by_base(tl_builder *b, tl_value x, tl_value r, long double k) {
  if (k == 0) {
    return TL_NO_VALUE;
  }
  if (k == 1) {
    return one(b, x);
  }
  if (k == 2) {
    return scaled(b, 2, x);
  }
  if (k == 3) {
    return mul(b, scaled(b, 3, x), x);
  }
  if (k == 4) {
    return mul(b, mul(b, scaled(b, 4, x), x), x);
  }
  if (k == 0.5L) {
    return over(b, 0.5L, r);
  }
  if (k == 1.5L) {
    return scaled(b, 1.5L, square_root(b, x));
  }
  if (k == -1) {
    return neg(b, over(b, 1, square(b, x)));
  }
  if (k == -2) {
    return over(b, -2, mul(b, square(b, x), x));
  }
  return mul(b, constant(b, x, k), tl_build_binary(b, TL_OP_pow, x, constant(b, x, k - 1)));
}

/* x^y: y x^(y-1), 0 where y is 0; r log x, 0 where x is 0 and y >= 0 */
tl_value tl__partial_pow(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  tl_value x = args[0], y = args[1];
  long double c;
  if (which == 0) {
    if (known_constant(b, y, &c)) {
      return power_by_base(b, x, r, c);
    }
    /* Where y is 0 and 1/x may overflow (or x is NaN) the exponent is masked: 0 * x^0. Elsewhere x^-1 stays, for the
     * sake of the second derivatives. */
    static const long double tiny[] = {0x1p-126L, 0x1p-1022L, 0x1p-16382L,
                                       0x1p-14L,  0x1p-126L,  0x1p-6L}; /* from F32 on */
    tl_value bound = constant(b, x, tiny[tl_type_of(b->func, x).dtype - TL_F32]);
    tl_value regular = tl_build_binary(b, TL_OP_ge, tl_build_unary(b, TL_OP_fabs, x), bound);
    tl_value masked = tl_build_binary(b, TL_OP_and, is_zero(b, y), tl_build_unary(b, TL_OP_not, regular));
    tl_value exponent = sub(b, tl_build_select(b, masked, one(b, y), y), one(b, y));
    return mul(b, y, tl_build_binary(b, TL_OP_pow, x, exponent));
  }
  if (known_constant(b, x, &c) && c > 0) {
    return c == 1 ? TL_NO_VALUE : scaled(b, logl(c), r);
  }
  tl_value at_zero = tl_build_binary(b, TL_OP_and, is_zero(b, x), tl_build_binary(b, TL_OP_ge, y, constant(b, y, 0)));
  return mul(b, r, tl_build_unary(b, TL_OP_log, tl_build_select(b, at_zero, one(b, x), x)));
}

/* Where the radius is 0 it is replaced by 1, which makes both partials of atan2 and hypot 0. */
static tl_value nonzero_radius(tl_builder *b, tl_value radius) {
  return tl_build_select(b, is_zero(b, radius), one(b, radius), radius);
}

/* atan2(x, y), the angle of (y, x), with h = hypot(x, y): (y/h)/h, -(x/h)/h. h*h could overflow. */
tl_value tl__partial_atan2(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)r;
  tl_value h = nonzero_radius(b, tl_build_binary(b, TL_OP_hypot, args[0], args[1]));
  tl_value p = divide(b, divide(b, args[1 - which], h), h);
  return which == 0 ? p : neg(b, p);
}

/* sqrt(x^2 + y^2): x/r, y/r */
tl_value tl__partial_hypot(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  return divide(b, args[which], nonzero_radius(b, r));
}

/* max, min: 1 for the operand that is the result, 1/2 where both are, 0 for the other; r is never a lone NaN operand.
 * Where both are the result they are equal, which is one test for both operands. */
static tl_value share(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  tl_value mine = tl_build_binary(b, TL_OP_eq, args[which], r);
  tl_value tie = tl_build_binary(b, TL_OP_eq, args[0], args[1]);
  tl_value part = tl_build_select(b, tie, constant(b, r, 0.5L), one(b, r));
  return tl_build_select(b, mine, part, constant(b, r, 0));
}
tl_value tl__partial_fmax(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  return share(b, args, r, which);
}
tl_value tl__partial_fmin(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  return share(b, args, r, which);
}

/* max(x - y, 0): 1 and -1 where x > y, else 0 */
tl_value tl__partial_fdim(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  tl_value above = tl_build_binary(b, TL_OP_gt, args[0], args[1]);
  return tl_build_select(b, above, constant(b, r, which == 0 ? 1 : -1), constant(b, r, 0));
}

/* x - qy with the integer q = (x - r)/y: 1, -q. x/y itself may round to another integer. */
static tl_value quotient_rule(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  if (which == 0) {
    return one(b, args[0]);
  }
  return neg(b, tl_build_unary(b, TL_OP_rint, divide(b, sub(b, args[0], r), args[1])));
}
tl_value tl__partial_fmod(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  return quotient_rule(b, args, r, which);
}
tl_value tl__partial_remainder(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  return quotient_rule(b, args, r, which);
}

/* |x| with the sign of y: sign(x) sign(y), 0. The sign of y is its sign bit; that of x is 0 at 0, as for |x|. */
tl_value tl__partial_copysign(tl_builder *b, const tl_value *args, tl_value r, uint32_t which) {
  (void)r;
  if (which == 1) {
    return TL_NO_VALUE;
  }
  tl_value x = args[0];
  tl_value differ =
      tl_build_binary(b, TL_OP_xor, tl_build_unary(b, TL_OP_signbit, x), tl_build_unary(b, TL_OP_signbit, args[1]));
  tl_value side = tl_build_select(b, differ, constant(b, x, -1), one(b, x));
  return tl_build_select(b, is_zero(b, x), constant(b, x, 0), side);
}

#define TL__ROW_ELEM(name) [TL_OP_##name] = tl__partial_##name,
#define TL__ROW_LINEAR(name)
#define TL__ROW_ZEROGRAD(name)
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) TL__ROW_##class(name)
tl_partial_fn *const tl_partial_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};
