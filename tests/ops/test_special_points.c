/* The values at singular points that the design states, in every floating type, forward and reverse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rig.h"

typedef struct point {
  tl_opcode code;
  long double args[2];
  uint32_t which;
  long double want;
} point;

#define EULER 0.577215664901532860606512090082402431L
#define LN2 0.693147180559945309417232121458176568L

static const point points[] = {
    {TL_OP_fabs, {0}, 0, 0},
    {TL_OP_fabs, {-0.0L}, 0, 0},
    {TL_OP_fabs, {-3}, 0, -1},
    {TL_OP_fmax, {1, 1}, 0, 0.5L},
    {TL_OP_fmax, {1, 1}, 1, 0.5L},
    {TL_OP_fmax, {0, -0.0L}, 0, 0.5L},
    {TL_OP_fmax, {NAN, 2}, 0, 0},
    {TL_OP_fmax, {NAN, 2}, 1, 1},
    {TL_OP_fmax, {2, NAN}, 0, 1},
    {TL_OP_fmax, {2, NAN}, 1, 0},
    {TL_OP_fmin, {1, 1}, 0, 0.5L},
    {TL_OP_fmin, {1, 1}, 1, 0.5L},
    {TL_OP_fmin, {NAN, 2}, 1, 1},
    {TL_OP_fmin, {2, NAN}, 0, 1},
    {TL_OP_fmin, {2, NAN}, 1, 0},
    {TL_OP_fmin, {1, INFINITY}, 0, 1},
    {TL_OP_sqrt, {0}, 0, INFINITY},
    {TL_OP_cbrt, {0}, 0, INFINITY},
    {TL_OP_log, {0}, 0, INFINITY},
    {TL_OP_log2, {0}, 0, INFINITY},
    {TL_OP_log10, {0}, 0, INFINITY},
    {TL_OP_log1p, {-1}, 0, INFINITY},
    {TL_OP_asin, {1}, 0, INFINITY},
    {TL_OP_asin, {-1}, 0, INFINITY},
    {TL_OP_acos, {1}, 0, -INFINITY},
    {TL_OP_acos, {-1}, 0, -INFINITY},
    {TL_OP_acosh, {1}, 0, INFINITY},
    {TL_OP_atanh, {1}, 0, INFINITY},
    {TL_OP_atanh, {-1}, 0, INFINITY},
    {TL_OP_hypot, {0, 0}, 0, 0},
    {TL_OP_hypot, {0, 0}, 1, 0},
    {TL_OP_hypot, {0, -2}, 1, -1},
    {TL_OP_hypot, {0, -2}, 0, 0},
    {TL_OP_atan2, {0, 0}, 0, 0},
    {TL_OP_atan2, {0, 0}, 1, 0},
    {TL_OP_atan2, {0, -2}, 0, -0.5L},
    {TL_OP_atan2, {0x1p-100L, 0}, 1, -0x1p100L}, /* the squares underflow in float */
    {TL_OP_pow, {0, 1}, 0, 1},
    {TL_OP_pow, {0, 2}, 0, 0},
    {TL_OP_pow, {0, 0.5L}, 0, INFINITY},
    {TL_OP_pow, {5, 0}, 0, 0},
    {TL_OP_pow, {0, 0}, 0, 0},
    {TL_OP_pow, {-0.0L, 0}, 0, 0},
    {TL_OP_pow, {0x1p-149L, 0}, 0, 0}, /* 1/x overflows in float */
    {TL_OP_pow, {NAN, 0}, 0, 0},
    {TL_OP_pow, {INFINITY, 0}, 0, 0},
    {TL_OP_pow, {-2, 3}, 0, 12},
    {TL_OP_pow, {2, 3}, 1, 8 * LN2},
    {TL_OP_pow, {0, 2}, 1, 0},
    {TL_OP_pow, {0, 0}, 1, 0},
    {TL_OP_pow, {0, -1}, 1, -INFINITY},
    {TL_OP_fmod, {5.5L, 2}, 0, 1},
    {TL_OP_fmod, {5.5L, 2}, 1, -2},
    {TL_OP_fmod, {-5.5L, 2}, 1, 2},
    {TL_OP_remainder, {5.5L, 2}, 0, 1},
    {TL_OP_remainder, {5.5L, 2}, 1, -3},
    {TL_OP_remainder, {5, 2}, 1, -2},
    {TL_OP_copysign, {-3, 2}, 0, -1},
    {TL_OP_copysign, {-3, -2}, 0, 1},
    {TL_OP_copysign, {3, -0.0L}, 0, -1},
    {TL_OP_copysign, {0, 1}, 0, 0},
    {TL_OP_copysign, {3, -2}, 1, 0},
    {TL_OP_fdim, {3, 1}, 0, 1},
    {TL_OP_fdim, {3, 1}, 1, -1},
    {TL_OP_fdim, {1, 1}, 0, 0},
    {TL_OP_fdim, {1, 3}, 1, 0},
    {TL_OP_frexp_fraction, {6}, 0, 0.125L},
    {TL_OP_frexp_fraction, {0}, 0, 1},
    {TL_OP_modf_fraction, {-2.5L}, 0, 1},
    {TL_OP_ldexp, {0.5L, -3}, 0, 0.125L},
    {TL_OP_ldexp, {0, 4}, 0, 16},
    {TL_OP_nextafter, {1, 2}, 0, 1},
    {TL_OP_nextafter, {1, 2}, 1, 0},
    {TL_OP_floor, {2}, 0, 0},
    {TL_OP_ceil, {2}, 0, 0},
    {TL_OP_trunc, {-2}, 0, 0},
    {TL_OP_round, {2.5L}, 0, 0},
    {TL_OP_rint, {2.5L}, 0, 0},
    {TL_OP_nearbyint, {2.5L}, 0, 0},
    {TL_OP_logb, {8}, 0, 0},
    {TL_OP_j0, {0}, 0, 0},
    {TL_OP_j1, {0}, 0, 0.5L},
    {TL_OP_jn, {0, 0}, 1, 0},
    {TL_OP_jn, {1, 0}, 1, 0.5L},
    {TL_OP_jn, {2, 0}, 1, 0},
    {TL_OP_lgamma, {1}, 0, -EULER},
    {TL_OP_tgamma, {2}, 0, 1 - EULER},
    {TL_OP_mul, {0, 5}, 0, 5},
    {TL_OP_mul, {0, 0}, 0, 0},
    {TL_OP_tanh, {INFINITY}, 0, 0},
    {TL_OP_exp, {-INFINITY}, 0, 0},
    {TL_OP_atan, {INFINITY}, 0, 0},
};

static const tl_dtype floats[] = {TL_F32, TL_F64, TL_F80};

static bool agrees(long double got, long double want, tl_dtype dtype) {
  if (isinf(want)) {
    return got == want;
  }
  return fabsl(got - want) <= 8 * rig_epsilon(dtype) * (fabsl(want) > 1 ? fabsl(want) : 1);
}

static void first_derivatives(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    const point *p = &points[i];
    for (size_t k = 0; k < 3; k++) {
      rig r;
      rig_init(&r, p->code, floats[k]);
      long double forward = rig_eval(&r, rig_tangent(&r, r.result, p->which), p->args);
      tl_value one = tl_build_float(&r.builder, floats[k], 1, NULL);
      tl_value c = tl_op_cotangent(&r.builder, tl_def(r.func, r.result), r.args, r.result, one, p->which);
      long double reverse = c ? rig_eval(&r, c, p->args) : 0;
      if (!agrees(forward, p->want, floats[k]) || !agrees(reverse, p->want, floats[k])) {
        fail_msg("%s(%Lg, %Lg) in %s, operand %u: forward %Lg, reverse %Lg, not %Lg", tl_op_table[p->code].name,
                 p->args[0], p->args[1], tl_dtype_name(floats[k]), p->which, forward, reverse, p->want);
      }
      rig_deinit(&r);
    }
  }
}

/* d^2/dx^a dx^b, where the first derivative's guards must not spoil it */
static void second_derivatives(void **state) {
  (void)state;
  static const struct {
    point p;
    uint32_t other;
  } table[] = {
      {{TL_OP_pow, {0, 2}, 0, 2}, 0},    {{TL_OP_pow, {0, 3}, 0, 0}, 0},         {{TL_OP_pow, {0, 2}, 1, 0}, 1},
      {{TL_OP_pow, {2, 0}, 0, 0.5L}, 1}, {{TL_OP_pow, {2, 0}, 1, LN2 * LN2}, 1}, {{TL_OP_pow, {0, 2}, 0, 0}, 1},
      {{TL_OP_pow, {-2, 3}, 0, -12}, 0}, {{TL_OP_fmax, {1, 1}, 0, 0}, 0},        {{TL_OP_fabs, {0}, 0, 0}, 0},
      {{TL_OP_j1, {0}, 0, 0}, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    for (size_t k = 0; k < 3; k++) {
      rig r;
      rig_init(&r, table[i].p.code, floats[k]);
      tl_value second = rig_tangent(&r, rig_tangent(&r, r.result, table[i].p.which), table[i].other);
      long double got = rig_eval(&r, second, table[i].p.args);
      if (!agrees(got, table[i].p.want, floats[k])) {
        fail_msg("row %zu, %s in %s: %Lg, not %Lg", i, tl_op_table[table[i].p.code].name, tl_dtype_name(floats[k]), got,
                 table[i].p.want);
      }
      rig_deinit(&r);
    }
  }
}

/* x^k with a constant k: no logarithm, products for small k, the right values at 0. */
static void powers_with_constant_exponents(void **state) {
  (void)state;
  static const struct {
    long double k, x, first, second;
  } table[] = {{0, 0, 0, 0},
               {1, 0, 1, 0},
               {2, 0, 0, 2},
               {3, 0, 0, 0},
               {3, -2, 12, -12},
               {4, -2, -32, 48},
               {5, -2, 80, -160},
               {-1, -2, -0.25L, -0.25L},
               {-2, 2, -0.25L, 0.375L},
               {0.5L, 4, 0.25L, -0.03125L},
               {1.5L, 4, 3, 0.375L},
               {2.5L, 4, 20, 7.5L}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    for (size_t k = 0; k < 3; k++) {
      rig r;
      rig_init(&r, TL_OP_neg, floats[k]);
      tl_value exponent = tl_build_float(&r.builder, floats[k], table[i].k, NULL);
      tl_value y = tl_build_binary(&r.builder, TL_OP_pow, r.args[0], exponent);
      uint32_t before = r.func->body->ops.count;
      tl_value first = rig_tangent(&r, y, 0), second = rig_tangent(&r, first, 0);
      for (uint32_t n = before; n < r.func->body->ops.count; n++) {
        assert_true(r.func->body->ops.data[n]->code != TL_OP_log);
      }
      assert_true(agrees(rig_eval(&r, first, &table[i].x), table[i].first, floats[k]));
      assert_true(agrees(rig_eval(&r, second, &table[i].x), table[i].second, floats[k]));
      rig_deinit(&r);
    }
  }
}

/* fmax(x, y) + log1p(exp(-|x - y|)), whose gradient at x = y is (1/2, 1/2): the conventions of fmax and fabs agree. */
static void conventions_agree(void **state) {
  (void)state;
  rig r;
  rig_init(&r, TL_OP_fmax, TL_F64);
  tl_builder *b = &r.builder;
  tl_value gap = tl_build_unary(b, TL_OP_fabs, tl_build_binary(b, TL_OP_sub, r.args[0], r.args[1]));
  tl_value rest = tl_build_unary(b, TL_OP_log1p, tl_build_unary(b, TL_OP_exp, tl_build_unary(b, TL_OP_neg, gap)));
  tl_value sum = tl_build_binary(b, TL_OP_add, r.result, rest);
  const long double at[] = {1, 1};
  assert_true(rig_eval(&r, rig_tangent(&r, sum, 0), at) == 0.5L);
  assert_true(rig_eval(&r, rig_tangent(&r, sum, 1), at) == 0.5L);
  rig_deinit(&r);
}

/* What is not taken gives 0 although its own derivative is infinite: fmax(sqrt x, 1) and (c ? log x : 0) at x = 0. */
static void nothing_comes_from_what_is_not_taken(void **state) {
  (void)state;
  for (int reverse = 0; reverse < 2; reverse++) {
    for (int chosen = 0; chosen < 2; chosen++) {
      rig r;
      rig_init(&r, chosen ? TL_OP_log : TL_OP_sqrt, TL_F64);
      tl_builder *b = &r.builder;
      tl_value one = tl_build_float(b, TL_F64, 1, NULL), zero = tl_build_zero(b, TL_F64), y;
      if (chosen) {
        tl_value c = tl_build_binary(b, TL_OP_gt, r.args[0], zero);
        y = tl_build_select(b, c, r.result, zero);
      } else {
        y = tl_build_binary(b, TL_OP_fmax, r.result, one);
      }
      tl_value derivative;
      if (reverse) {
        const tl_op *outer = tl_def(r.func, y), *inner = tl_def(r.func, r.result);
        tl_value c = tl_op_cotangent(b, outer, outer->operands, y, one, chosen ? 1 : 0);
        derivative = tl_op_cotangent(b, inner, inner->operands, r.result, c, 0);
      } else {
        derivative = rig_tangent(&r, y, 0);
      }
      const long double at = 0;
      assert_true(rig_eval(&r, derivative, &at) == 0);
      rig_deinit(&r);
    }
  }
}

/* Where x/y rounds up to an integer, the quotient of fmod is the one below. */
static void quotients_are_exact(void **state) {
  (void)state;
  rig r;
  rig_init(&r, TL_OP_fmod, TL_F64);
  tl_value partial = rig_tangent(&r, r.result, 1);
  int rounded_up = 0;
  for (int i = 1; i < 2000; i++) {
    double y = i / 997.0, x = 7 * y;
    x = fma(7, y, -x) < 0 ? nextafter(x, 0) : x; /* the largest value up to 7y */
    double q = fma(7, y, -x) > 0 ? 6 : 7;
    rounded_up += trunc(x / y) != q;
    const long double args[] = {x, y};
    assert_true(rig_eval(&r, partial, args) == -q);
  }
  assert_true(rounded_up > 100);
  rig_deinit(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_derivatives),
      cmocka_unit_test(second_derivatives),
      cmocka_unit_test(powers_with_constant_exponents),
      cmocka_unit_test(quotients_are_exact),
      cmocka_unit_test(conventions_agree),
      cmocka_unit_test(nothing_comes_from_what_is_not_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
