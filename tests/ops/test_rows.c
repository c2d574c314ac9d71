/* Every row of ops.def against goldens of mpmath (values, first and second derivatives), against differences, and
 * forward against reverse mode, in every floating type. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

enum { NAME, KIND, X, Y, Z, VALUE, DX, DXX = DX + 3, COLUMNS = DXX + 6 };

typedef struct golden {
  tl_opcode code;
  bool is_float;
  const char *field[COLUMNS];
  long double args[3];
} golden;

static golden *goldens;
static size_t golden_count;

static tl_opcode opcode_named(const char *name) {
  for (int i = 0; i < TL_OP_COUNT; i++) {
    if (!strcmp(tl_op_table[i].name, name)) {
      return (tl_opcode)i;
    }
  }
  fail_msg("the goldens name an op '%s' that does not exist", name);
  return TL_OP_COUNT;
}

static int read_goldens(void **state) {
  (void)state;
  FILE *f = fopen(TL_GOLDENS "/elementwise.csv", "r");
  if (!f) {
    return -1;
  }
  char *line = NULL;
  size_t room = 0, capacity = 0;
  bool header = true;
  while (getline(&line, &room, f) > 0) {
    if (header) {
      header = false;
      continue;
    }
    if (golden_count == capacity) {
      goldens = realloc(goldens, sizeof *goldens * (capacity = 2 * capacity + 256));
    }
    golden *g = &goldens[golden_count++];
    char *rest = strdup(line);
    rest[strcspn(rest, "\n")] = 0;
    for (int i = 0; i < COLUMNS; i++) {
      char *field = strsep(&rest, ",");
      g->field[i] = field && *field ? field : NULL;
    }
    g->code = opcode_named(g->field[NAME]);
    g->is_float = !strcmp(g->field[KIND], "float");
    for (int i = 0; i < 3; i++) {
      g->args[i] = g->field[X + i] ? strtold(g->field[X + i], NULL) : 0;
    }
  }
  free(line);
  fclose(f);
  return 0;
}

static const tl_dtype floats[] = {TL_F32, TL_F64, TL_F80};

static void expect(const golden *g, tl_dtype dtype, const char *what, long double got, const char *want_text,
                   long double factor) {
  long double want = strtold(want_text, NULL);
  long double scale = fabsl(want) > 1 ? fabsl(want) : 1;
  if (fabsl(got - want) <= factor * rig_epsilon(dtype) * scale) {
    return;
  }
  fail_msg("%s of %s(%s, %s, %s) in %s is %.20Lg, not %s", what, g->field[NAME], g->field[X],
           g->field[Y] ? g->field[Y] : "", g->field[Z] ? g->field[Z] : "", tl_dtype_name(dtype), got, want_text);
}

static void values_agree_with_mpmath(void **state) {
  (void)state;
  for (size_t i = 0; i < golden_count; i++) {
    const golden *g = &goldens[i];
    for (size_t k = 0; g->is_float && k < 3; k++) {
      rig r;
      rig_init(&r, g->code, floats[k]);
      expect(g, floats[k], "the value", rig_eval(&r, r.result, g->args), g->field[VALUE], 8);
      rig_deinit(&r);
    }
  }
}

static void integer_values_agree(void **state) {
  (void)state;
  for (size_t i = 0; i < golden_count; i++) {
    const golden *g = &goldens[i];
    for (int d = TL_BOOL; !g->is_float && d <= TL_U64; d++) {
      bool is_bool = tl_op_table[g->code].operands == TL_OPERANDS_BOOL;
      if ((d == TL_BOOL) != is_bool) {
        continue;
      }
      bool fits = true; /* the points are small numbers; negative ones fit no unsigned type */
      for (int k = 0; k < 3; k++) {
        fits &= g->args[k] >= 0 || !tl_dtype_is_unsigned((tl_dtype)d);
      }
      if (!fits) {
        continue;
      }
      rig r;
      rig_init(&r, g->code, (tl_dtype)d);
      int64_t want = tl_dtype_wrap(tl_type_of(r.func, r.result).dtype, strtoll(g->field[VALUE], NULL, 10));
      long double got = rig_eval(&r, r.result, g->args);
      if (got != (d == TL_U64 && want < 0 ? (long double)(uint64_t)want : (long double)want)) {
        fail_msg("%s(%s, %s, %s) in %s is %Lg", g->field[NAME], g->field[X], g->field[Y] ? g->field[Y] : "",
                 g->field[Z] ? g->field[Z] : "", tl_dtype_name((tl_dtype)d), got);
      }
      rig_deinit(&r);
    }
  }
}

static void partials_agree_with_mpmath(void **state) {
  (void)state;
  static const char *const names[] = {"the derivative by x", "the derivative by y", "the derivative by z"};
  for (size_t i = 0; i < golden_count; i++) {
    const golden *g = &goldens[i];
    for (size_t k = 0; g->is_float && k < 3; k++) {
      rig r;
      rig_init(&r, g->code, floats[k]);
      for (uint32_t a = 0; a < r.arity; a++) {
        if (!rig_is_floating(&r, a)) {
          continue;
        }
        expect(g, floats[k], names[a], rig_eval(&r, rig_tangent(&r, r.result, a), g->args), g->field[DX + a], 64);
      }
      rig_deinit(&r);
    }
  }
}

static void second_derivatives_agree_with_mpmath(void **state) {
  (void)state;
  static const char *const names[] = {"the derivative by x and x", "the derivative by x and y",
                                      "the derivative by x and z", "the derivative by y and y",
                                      "the derivative by y and z", "the derivative by z and z"};
  for (size_t i = 0; i < golden_count; i++) {
    const golden *g = &goldens[i];
    for (size_t k = 0; g->is_float && k < 3; k++) {
      rig r;
      rig_init(&r, g->code, floats[k]);
      for (uint32_t a = 0, column = 0; a < 3; a++) {
        for (uint32_t b = a; b < 3; b++, column++) {
          if (!g->field[DXX + column]) {
            continue;
          }
          expect(g, floats[k], names[column], rig_eval(&r, rig_tangent(&r, rig_tangent(&r, r.result, a), b), g->args),
                 g->field[DXX + column], 512);
          expect(g, floats[k], names[column], rig_eval(&r, rig_tangent(&r, rig_tangent(&r, r.result, b), a), g->args),
                 g->field[DXX + column], 512);
        }
      }
      rig_deinit(&r);
    }
  }
}

/* How far x is from where an op with these samples may be singular, at most 1. */
static long double room_around(samples s, long double x) {
  long double edge = fabsl(x) > 0 ? fabsl(x) : 1;
  if (s == UNIT || s == ABOVE_ONE) {
    edge = fminl(edge, fabsl(1 - fabsl(x)));
  } else if (s == OFF_INTEGER) {
    edge = fminl(edge, fabsl(x - roundl(x)));
  }
  return fminl(edge, 1);
}

/* (f(x - 2h) - 8 f(x - h) + 8 f(x + h) - f(x + 2h)) / 12h in long double, of the op itself. With h = room / 1024 Taylor's
   series leaves h^4 f^(5) / 30: at a pole of order 4, which polygamma has, 5 * 6 * 7 * 8 / 30 / 1024^4 = 5e-11 of the
   derivative, and less elsewhere. The points leave a room of 1e-3 or more, so that rounding adds less than 1e-12. */
static void partials_agree_with_differences(void **state) {
  (void)state;
  for (size_t i = 0; i < golden_count; i++) {
    const golden *g = &goldens[i];
    if (!g->is_float || g->code == TL_OP_nextafter) {
      continue; /* moves in steps of an ulp, not as x does */
    }
    rig r;
    rig_init(&r, g->code, TL_F80);
    for (uint32_t a = 0; a < r.arity; a++) {
      if (!rig_is_floating(&r, a) || !tl_dtype_is_float(tl_type_of(r.func, r.result).dtype)) {
        continue;
      }
      long double h = room_around(rig_samples[g->code], g->args[a]) / 1024;
      static const int at[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
      long double sum = 0, largest = 0;
      bool defined = true;
      for (int k = 0; k < 4; k++) {
        long double args[3] = {g->args[0], g->args[1], g->args[2]};
        args[a] += at[k] * h;
        long double f = rig_eval(&r, r.result, args);
        defined &= isfinite(f);
        sum += weights[k] * f / (12 * h);
        largest = fabsl(f) > largest ? fabsl(f) : largest;
      }
      long double got = rig_eval(&r, rig_tangent(&r, r.result, a), g->args);
      if (!defined) {
        continue; /* an edge of the domain within two steps */
      }
      long double scale = fabsl(got) + largest + 1;
      if (!(fabsl(sum - got) <= 1e-10L * scale)) {
        fail_msg("%s(%s, %s): derivative %u is %.20Lg, differences give %.20Lg", g->field[NAME], g->field[X],
                 g->field[Y] ? g->field[Y] : "", a, got, sum);
      }
    }
    rig_deinit(&r);
  }
}

/* <w, J t> = <J' w, t> for fixed w and t. */
static void forward_and_reverse_agree(void **state) {
  (void)state;
  for (size_t i = 0; i < golden_count; i++) {
    const golden *g = &goldens[i];
    for (size_t k = 0; g->is_float && k < 3; k++) {
      tl_dtype d = floats[k];
      rig r;
      rig_init(&r, g->code, d);
      const tl_op *op = tl_def(r.func, r.result);
      bool differentiable = tl_dtype_is_float(tl_type_of(r.func, r.result).dtype);
      static const long double t[] = {0.75L, -1.25L, 0.5L}, w = 1.5L;
      tl_value tangents[3] = {0}, contributions[3];
      for (uint32_t a = 0; a < r.arity; a++) {
        if (rig_is_floating(&r, a)) {
          tangents[a] = tl_build_float(&r.builder, d, t[a], NULL);
        }
      }
      tl_value tangent = tl_op_tangent(&r.builder, op, r.args, r.result, tangents);
      tl_value seed = tl_build_float(&r.builder, differentiable ? d : TL_F64, w, NULL);
      for (uint32_t a = 0; a < r.arity; a++) {
        contributions[a] = tl_op_cotangent(&r.builder, op, r.args, r.result, seed, a);
      }
      long double forward = tangent ? w * rig_eval(&r, tangent, g->args) : 0, reverse = 0, size = 1;
      for (uint32_t a = 0; a < r.arity; a++) {
        if (!contributions[a]) {
          continue;
        }
        assert_true(rig_is_floating(&r, a));
        assert_int_equal(tl_type_of(r.func, contributions[a]).dtype, d);
        long double c = rig_eval(&r, contributions[a], g->args);
        reverse += t[a] * c;
        size += fabsl(c);
      }
      if (!(fabsl(forward - reverse) <= 16 * rig_epsilon(d) * size)) {
        fail_msg("%s(%s, %s) in %s: forward %.20Lg, reverse %.20Lg", g->field[NAME], g->field[X],
                 g->field[Y] ? g->field[Y] : "", tl_dtype_name(d), forward, reverse);
      }
      rig_deinit(&r);
    }
  }
}

/* The tangent of a linear op is linear in the tangents and does not depend on the point but through the condition. */
static void linear_rows_are_linear(void **state) {
  (void)state;
  for (int code = 0; code < TL_OP_COUNT; code++) {
    if (!tl_op_table[code].elementwise || tl_op_table[code].op_class != TL_CLASS_LINEAR) {
      continue;
    }
    rig r;
    rig_init(&r, (tl_opcode)code, TL_F64);
    const tl_op *op = tl_def(r.func, r.result);
    static const long double t[3][3] = {{0.5L, -3, 2}, {4, 0.25L, -1}, {2 * 0.5L - 4, 2 * -3 - 0.25L, 2 * 2 + 1}};
    long double results[3];
    const long double args[] = {1, 0.5L, -2};
    for (int k = 0; k < 3; k++) {
      tl_value tangents[3] = {0};
      for (uint32_t a = 0; a < r.arity; a++) {
        if (rig_is_floating(&r, a)) {
          tangents[a] = tl_build_float(&r.builder, TL_F64, t[k][a], NULL);
        }
      }
      results[k] = rig_eval(&r, tl_op_tangent(&r.builder, op, r.args, r.result, tangents), args);
    }
    assert_true(results[2] == 2 * results[0] - results[1]);
    tl_value none[3] = {0};
    assert_int_equal(tl_op_tangent(&r.builder, op, r.args, r.result, none), TL_NO_VALUE);
    rig_deinit(&r);
  }
}

static void conversions_carry_derivatives_between_types(void **state) {
  (void)state;
  for (size_t from = 0; from < 3; from++) {
    for (size_t to = 0; to < 3; to++) {
      rig r;
      rig_init(&r, TL_OP_neg, floats[from]);
      tl_value y = tl_build_elementwise(&r.builder, TL_OP_cvt, floats[to], &r.result);
      const tl_op *op = tl_def(r.func, y);
      tl_value seed = tl_build_float(&r.builder, floats[from], 3, NULL);
      tl_value tangent = tl_op_tangent(&r.builder, op, op->operands, y, &seed);
      assert_int_equal(tl_type_of(r.func, tangent).dtype, floats[to]);
      tl_value back =
          tl_op_cotangent(&r.builder, op, op->operands, y, tl_build_float(&r.builder, floats[to], 5, NULL), 0);
      assert_int_equal(tl_type_of(r.func, back).dtype, floats[from]);
      long double x = 1;
      assert_true(rig_eval(&r, tangent, &x) == 3 && rig_eval(&r, back, &x) == 5);
      rig_deinit(&r);
    }
  }
  rig r;
  rig_init(&r, TL_OP_neg, TL_I64);
  tl_value y = tl_build_cvt(&r.builder, TL_F64, r.result), none = TL_NO_VALUE;
  const tl_op *op = tl_def(r.func, y);
  tl_value seed = tl_build_float(&r.builder, TL_F64, 1, NULL);
  assert_int_equal(tl_op_cotangent(&r.builder, op, op->operands, y, seed, 0), TL_NO_VALUE);
  assert_int_equal(tl_op_tangent(&r.builder, op, op->operands, y, &none), TL_NO_VALUE);
  rig_deinit(&r);
}

/* Each elementwise row has the rule that its class asks for, and goldens for each kind of operands that it takes. */
static void every_row_has_its_rule_and_goldens(void **state) {
  (void)state;
  for (int code = 0; code < TL_OP_COUNT; code++) {
    const tl_op_info *row = &tl_op_table[code];
    assert_int_equal(tl_partial_table[code] != NULL, row->elementwise && row->op_class == TL_CLASS_ELEM);
    assert_int_equal(tl_transpose_table[code] != NULL, row->elementwise && row->op_class == TL_CLASS_LINEAR);
    if (!row->elementwise) {
      continue;
    }
    int seen[2] = {0, 0};
    for (size_t i = 0; i < golden_count; i++) {
      seen[goldens[i].is_float] += goldens[i].code == (tl_opcode)code;
    }
    bool integers = row->operands == TL_OPERANDS_INT || row->operands == TL_OPERANDS_BOOL;
    bool both =
        row->operands == TL_OPERANDS_NUM || row->operands == TL_OPERANDS_ANY || row->operands == TL_OPERANDS_SELECT;
    if ((integers || both) != (seen[0] >= 12) || (!integers || both) != (seen[1] >= 12)) {
      fail_msg("%s has %d integer and %d floating goldens", row->name, seen[0], seen[1]);
    }
  }
}

/* A wrong rule has to be found: the derivative of tan in place of that of atan, and a value that is off by 1e-6. */
static void a_wrong_rule_is_found(void **state) {
  (void)state;
  size_t wrong = 0, off = 0;
  for (size_t i = 0; i < golden_count; i++) {
    const golden *g = &goldens[i];
    if (g->code != TL_OP_atan) {
      continue;
    }
    long double x = g->args[0], want = strtold(g->field[DX], NULL);
    wrong += fabsl(1 + tanl(x) * tanl(x) - want) > 64 * rig_epsilon(TL_F64);
    off += fabsl(1 / (1 + x * x) * (1 + 1e-6L) - want) > 64 * rig_epsilon(TL_F64);
  }
  assert_int_equal(wrong, 12);
  assert_int_equal(off, 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_has_its_rule_and_goldens),
      cmocka_unit_test(values_agree_with_mpmath),
      cmocka_unit_test(integer_values_agree),
      cmocka_unit_test(partials_agree_with_mpmath),
      cmocka_unit_test(second_derivatives_agree_with_mpmath),
      cmocka_unit_test(partials_agree_with_differences),
      cmocka_unit_test(forward_and_reverse_agree),
      cmocka_unit_test(linear_rows_are_linear),
      cmocka_unit_test(conversions_carry_derivatives_between_types),
      cmocka_unit_test(a_wrong_rule_is_found),
  };
  return cmocka_run_group_tests(tests, read_goldens, NULL);
}
