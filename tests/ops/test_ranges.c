/* The rules over the whole range of double: a derivative that is a normal number must not come out infinite, zero or
 * otherwise far off, subnormal and huge arguments included. Goldens by mpmath. How exact a derivative is, test_rows.c
 * looks at. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

/* docs/conventions.md, "The ends of the range": where a derivative may leave it though its true value does not. */
static bool is_listed(tl_opcode code, const long double *args, uint32_t which, long double seed, bool is_reverse) {
  if (code == TL_OP_tanh) { /* 1 - r^2 */
    return fabsl(args[0]) > 7;
  }
  /* the product of r and the cotangent of x, which leaves the range */
  return code == TL_OP_div && is_reverse && which == 1 && fabsl(seed / args[1]) > DBL_MAX;
}

/* got, where the true value is want; a factor of 4 at the ends of the range is open, and what is below it is as good as
 * 0 */
static bool agrees(long double got, long double want) {
  if (fabsl(want) > DBL_MAX / 4) {
    return fabsl(got) > DBL_MAX / 16 && signbit(got) == signbit(want);
  }
  if (fabsl(want) < DBL_MIN) {
    return fabsl(got) <= 2 * DBL_MIN;
  }
  return fabsl(got - want) <= 0x1p-30L * fabsl(want);
}

static tl_opcode opcode_of(const char *name) {
  for (int i = 0; i < TL_OP_COUNT; i++) {
    if (strcmp(tl_op_table[i].name, name) == 0) {
      return (tl_opcode)i;
    }
  }
  fail_msg("the goldens name an op '%s' that does not exist", name);
  return TL_OP_COUNT;
}

static int of_listed[TL_OP_COUNT], failures_of_listed[TL_OP_COUNT];

/* Both modes with seed times 1. */
static int failures_with(tl_opcode code, const long double *args, uint32_t which, long double want, long double seed) {
  rig r;
  rig_init(&r, code, TL_F64);
  const tl_op *op = tl_def(r.func, r.result);
  /* Both are operands, so that their derivatives are formed as for any seed. */
  tl_value given = tl_build_float(&r.builder, TL_F64, seed, NULL);
  tl_value tangents[3] = {TL_NO_VALUE, TL_NO_VALUE, TL_NO_VALUE};
  tangents[which] = given;
  tl_value forward = tl_op_tangent(&r.builder, op, r.args, r.result, tangents);
  tl_value reverse = tl_op_cotangent(&r.builder, op, r.args, r.result, given, which);
  int failures = 0;
  for (int mode = 0; mode < 2; mode++) {
    tl_value v = mode == 0 ? forward : reverse;
    long double got = v ? rig_eval(&r, v, args) : 0;
    bool listed = is_listed(code, args, which, seed, mode == 1);
    of_listed[code] += listed;
    if (listed) {
      failures_of_listed[code] += !agrees(got, seed * want);
    } else if (!agrees(got, seed * want)) {
      print_message("%s(%La, %La) by operand %u times %La, %s: %Lg, not %Lg\n", tl_op_table[code].name, args[0],
                    args[1], which, seed, mode == 0 ? "forward" : "reverse", got, seed * want);
      failures++;
    }
  }
  rig_deinit(&r);
  return failures;
}

static void derivatives_over_the_range(void **state) {
  (void)state;
  FILE *in = fopen(TL_GOLDENS "/ranges.csv", "r");
  assert_non_null(in);
  char line[512];
  assert_non_null(fgets(line, sizeof line, in));
  int count = 0, failures = 0;
  while (fgets(line, sizeof line, in)) {
    char *field[5] = {line};
    for (int i = 1; i < 5; i++) {
      char *comma = strchr(field[i - 1], ',');
      assert_non_null(comma);
      *comma = 0;
      field[i] = comma + 1;
    }
    tl_opcode code = opcode_of(field[0]);
    long double args[3] = {strtold(field[1], NULL), strtold(field[2], NULL)};
    uint32_t which = (uint32_t)atoi(field[3]);
    long double want = strtold(field[4], NULL);
    count++;
    static const long double seeds[] = {1, -3, 0x3p-40L, 0x3p40L};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
      /* A seed brings no partial back that is out of range itself. */
      if (i < 2 || (fabsl(want) <= DBL_MAX / 4 && fabsl(want) >= DBL_MIN)) {
        failures += failures_with(code, args, which, want, seeds[i]);
      }
    }
  }
  fclose(in);
  assert_true(count > 2000);
  assert_int_equal(failures, 0);
  for (int i = 0; i < TL_OP_COUNT; i++) {
    if (of_listed[i] && !failures_of_listed[i]) {
      fail_msg("%s is listed for nothing", tl_op_table[i].name);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_over_the_range)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
