/* The functions that math.h lacks: accuracy against mpmath, and the text for emitted programs, which has to compile as
 * strict C99 and to give the same bits. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/special.h"

/* Distance in units in the last place of `want` in a type with that many bits. */
static long double ulps(long double got, long double want, int bits, int least_exponent) {
  if (got == want) {
    return 0;
  }
  int exponent;
  frexpl(want, &exponent);
  if (exponent < least_exponent) {
    exponent = least_exponent;
  }
  return fabsl(got - want) / ldexpl(1, exponent - bits);
}

static void polygamma_is_accurate(void **state) {
  (void)state;
  FILE *f = fopen(TL_GOLDENS "/polygamma.csv", "r");
  assert_non_null(f);
  char line[256], x_text[64], value_text[64];
  int n, points = 0;
  assert_non_null(fgets(line, sizeof line, f));
  long double worst[3] = {0, 0, 0};
  while (fgets(line, sizeof line, f)) {
    assert_int_equal(sscanf(line, "%d,%63[^,],%63s", &n, x_text, value_text), 3);
    long double x = strtold(x_text, NULL), want = strtold(value_text, NULL);
    points++;
    if (fabsl(want) < FLT_MAX / 2) {
      long double e = ulps(tl__polygammaf(n, (float)x), want, FLT_MANT_DIG, FLT_MIN_EXP);
      if (!(e <= 1)) {
        fail_msg("polygamma(%d, %s) in float is off by %Lg ulp", n, x_text, e);
      }
      if (e > worst[0]) {
        worst[0] = e;
      }
    } else if (fabsl(want) > FLT_MAX) {
      assert_true(isinf(tl__polygammaf(n, (float)x)));
    }
    if (fabsl(want) < DBL_MAX / 2) {
      long double e = ulps(tl__polygamma(n, (double)x), want, DBL_MANT_DIG, DBL_MIN_EXP);
      if (!(e <= 1)) {
        fail_msg("polygamma(%d, %s) in double is off by %Lg ulp", n, x_text, e);
      }
      if (e > worst[1]) {
        worst[1] = e;
      }
    } else if (fabsl(want) > (long double)DBL_MAX) {
      assert_true(isinf(tl__polygamma(n, (double)x)));
    }
    /* of negative x the sum of two terms of either sign, which may nearly cancel */
    long double e = ulps(tl__polygammal(n, x), want, LDBL_MANT_DIG, LDBL_MIN_EXP), terms = 1;
    if (x < 0 && n % 2 == 0) {
      terms += tgammal(n + 1) / powl(fabsl(x - rintl(x)), n + 1) / fabsl(want);
    }
    if (!(e <= (n > 4 ? 8 : 4) * terms)) {
      fail_msg("polygamma(%d, %s) in long double is off by %Lg ulp", n, x_text, e);
    }
    if (x > 0 && e > worst[2]) {
      worst[2] = e;
    }
  }
  fclose(f);
  assert_true(points > 600);
  print_message("worst: %.2Lf ulp in float, %.2Lf in double, %.2Lf in long double (x > 0)\n", worst[0], worst[1],
                worst[2]);
}

static void poles_and_limits(void **state) {
  (void)state;
  assert_true(tl__polygamma(0, 0.0) == -INFINITY && tl__polygamma(0, -0.0) == INFINITY);
  assert_true(isnan(tl__polygamma(0, -3.0)) && isnan(tl__polygamma(0, NAN)) && isnan(tl__polygamma(0, -INFINITY)));
  assert_true(tl__polygamma(0, INFINITY) == INFINITY && tl__polygamma(1, INFINITY) == 0);
  assert_true(tl__polygamma(1, 0.0) == INFINITY && tl__polygamma(1, -2.0) == INFINITY && isnan(tl__polygamma(1, NAN)));
  assert_true(tl__polygamma(2, 0.0) == -INFINITY && tl__polygamma(2, -0.0) == INFINITY &&
              isnan(tl__polygamma(2, -1.0)));
  assert_true(isnan(tl__polygammaf(0, -1e10f)) && isnan(tl__polygammal(0, -1e30L)));
}

static void parts_of_frexp_modf_remquo(void **state) {
  (void)state;
  assert_true(tl__frexp_fraction(-6) == -0.75 && tl__frexp_exponent(-6) == 3);
  assert_true(tl__frexp_fractionf(0.5f) == 0.5f && tl__frexp_exponentf(0.5f) == 0);
  assert_true(tl__frexp_fractionl(0) == 0 && tl__frexp_exponentl(0) == 0);
  assert_true(tl__modf_fraction(-2.25) == -0.25 && tl__modf_fractionf(3) == 0 && tl__modf_fractionl(INFINITY) == 0);
  assert_true(tl__remquo_quotient(7, 2) == 4 && tl__remquo_quotientf(-7, 2) == -4 && tl__remquo_quotientl(1, 3) == 0);
}

static tl_special special_for(tl_builder *b, tl_opcode op, tl_value x, tl_value y) {
  tl_value v = y ? tl_build_binary(b, op, x, y) : tl_build_unary(b, op, x);
  return tl_special_of(b->func, tl_def(b->func, v));
}

static void ops_name_their_functions(void **state) {
  (void)state;
  tl_arena arena;
  tl_arena_init(&arena);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_func *f = tl_func_create(tl_module_create(&arena, &diag), "f");
  tl_builder b = {.func = f, .region = f->body};
  tl_value x = tl_region_add_param(f, f->body, tl_scalar(TL_F64), "x");
  tl_value n = tl_region_add_param(f, f->body, tl_scalar(TL_I32), "n");
  assert_int_equal(special_for(&b, TL_OP_polygamma, tl_build_int(&b, TL_I32, 0), x), TL_SPECIAL_digamma);
  assert_int_equal(special_for(&b, TL_OP_polygamma, tl_build_int(&b, TL_I32, 1), x), TL_SPECIAL_polygamma);
  assert_int_equal(special_for(&b, TL_OP_polygamma, n, x), TL_SPECIAL_polygamma);
  assert_int_equal(special_for(&b, TL_OP_frexp_exponent, x, 0), TL_SPECIAL_frexp_exponent);
  assert_int_equal(special_for(&b, TL_OP_frexp_fraction, x, 0), TL_SPECIAL_frexp_fraction);
  assert_int_equal(special_for(&b, TL_OP_modf_fraction, x, 0), TL_SPECIAL_modf_fraction);
  assert_int_equal(special_for(&b, TL_OP_remquo_quotient, x, x), TL_SPECIAL_remquo_quotient);
  assert_int_equal(special_for(&b, TL_OP_sin, x, 0), TL_SPECIAL_NONE);
  assert_int_equal(tl_special_needs(TL_SPECIAL_polygamma), TL_SPECIAL_digamma);
  assert_string_equal(tl_special_name(TL_SPECIAL_digamma, TL_F32), "tl__digammaf");
  assert_string_equal(tl_special_name(TL_SPECIAL_polygamma, TL_F80), "tl__polygammal");
  tl_arena_deinit(&arena);
}

static const struct {
  int n;
  double x;
} calls[] = {{0, 0.3}, {0, 1.4616}, {0, 25}, {0, -2.7}, {1, 0.25}, {2, 3.5}, {3, -1.25}, {30, 2}};

/* Compiled by the compilers that are there with every warning as an error. */
static void the_text_compiles_and_gives_the_same_bits(void **state) {
  (void)state;
  char folder[] = "/tmp/tl_special_XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64], command[512];
  snprintf(path, sizeof path, "%s/special.c", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("#include <math.h>\n#include <stdio.h>\n\n", f);
  for (int s = TL_SPECIAL_NONE + 1; s < TL_SPECIAL_COUNT; s++) {
    for (int d = TL_F32; d <= TL_F80; d++) {
      fprintf(f, "%s\n", tl_special_text((tl_special)s, (tl_dtype)d));
    }
  }
  fputs("int main(void) {\n", f);
  static const char *const suffixes[] = {"f", "", "l"};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    for (int k = 0; k < 3; k++) {
      fprintf(f, "  printf(\"%%.21Lg\\n\", (long double)tl__polygamma%s(%d, %a%s));\n", suffixes[k], calls[i].n,
              calls[i].x,
              k == 0   ? "f"
              : k == 2 ? "L"
                       : "");
    }
  }
  for (int k = 0; k < 3; k++) {
    const char *s = suffixes[k];
    fprintf(f,
            "  printf(\"%%.21Lg %%d %%.21Lg %%d\\n\", (long double)tl__frexp_fraction%s(6), tl__frexp_exponent%s(6),\n"
            "         (long double)tl__modf_fraction%s(-2.25%s), tl__remquo_quotient%s(7, 2));\n",
            s, s, s,
            k == 0   ? "f"
            : k == 2 ? "L"
                     : "",
            s);
  }
  fputs("  return 0;\n}\n", f);
  fclose(f);
  static const char *const compilers[] = {"cc", "gcc", "clang-19"};
  int compiled = 0;
  for (int c = 0; c < 3; c++) {
    snprintf(command, sizeof command, "command -v %s > /dev/null", compilers[c]);
    if (system(command) != 0) {
      continue;
    }
    snprintf(
        command, sizeof command,
        "%s -std=c99 -pedantic -O2 -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Werror -Wno-unused-function "
        "%s -o %s/special -lm",
        compilers[c], path, folder);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/special", folder);
    FILE *out = popen(command, "r");
    char line[256], want[256];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
      double x = calls[i].x;
      long double values[] = {tl__polygammaf(calls[i].n, (float)x), tl__polygamma(calls[i].n, x),
                              tl__polygammal(calls[i].n, x)};
      for (int k = 0; k < 3; k++) {
        snprintf(want, sizeof want, "%.21Lg\n", values[k]);
        assert_non_null(fgets(line, sizeof line, out));
        assert_string_equal(line, want);
      }
    }
    for (int k = 0; k < 3; k++) {
      assert_non_null(fgets(line, sizeof line, out));
      assert_string_equal(line, "0.75 3 -0.25 4\n");
    }
    assert_int_equal(pclose(out), 0);
    compiled++;
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  assert_true(compiled > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polygamma_is_accurate),
      cmocka_unit_test(poles_and_limits),
      cmocka_unit_test(parts_of_frexp_modf_remquo),
      cmocka_unit_test(ops_name_their_functions),
      cmocka_unit_test(the_text_compiles_and_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
