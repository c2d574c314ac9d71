/* What cc -E prints against what libclang read: the same program passes, and each planted difference is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dump.h"

static const char *const arguments[] = {"-I" TL_INCLUDE_DIR};

static char *preprocess(tl_arena *arena, const char *file) {
  FILE *f = popen(tl_arena_printf(arena, "cc -E -D__TLALOCC__ -I%s %s", TL_INCLUDE_DIR, file), "r");
  assert_non_null(f);
  enum { MOST = 1 << 22 };
  char *text = tl_arena_alloc(arena, MOST);
  size_t n = fread(text, 1, MOST - 1, f);
  text[n] = '\0';
  assert_int_equal(pclose(f), 0);
  return text;
}

typedef struct comparison {
  tl_arena arena;
  tl_diag diag;
  tl_parse_result result;
  tl_status status;
} comparison;

/* All functions of the file that have a body, or the one named. */
static void compare(comparison *c, const char *file, const char *prototypes, const char *only) {
  tl_arena_init(&c->arena);
  tl_diag_init(&c->diag, &c->arena);
  tl_parse_opts opts = {.file = file, .args = arguments, .arg_count = 1};
  opts.prototypes = prototypes ? read_text(&c->arena, prototypes) : NULL;
  assert_int_equal(tl_parse_file(&c->arena, &c->diag, &opts, &c->result), TL_OK);
  TL_VEC(tl_function *) functions = {0};
  for (uint32_t i = 0; i < c->result.unit->functions.count; i++) {
    tl_function *f = c->result.unit->functions.data[i];
    if (f->body && strcmp(f->loc.file, file) == 0 && (!only || strcmp(f->name, only) == 0)) {
      TL_PUSH(&c->arena, functions, f);
    }
  }
  c->status = tl_front_compare(&c->arena, &c->diag, &opts, preprocess(&c->arena, file), functions.count,
                               functions.data);
}

static void print_items(const tl_diag *diag) {
  for (uint32_t i = 0; i < diag->items.count; i++) {
    const tl_diag_item *d = &diag->items.data[i];
    print_error("%s:%u:%u: %s\n", d->loc.file, d->loc.line, d->loc.column, d->message);
  }
}

static void test_same(void **state) {
  (void)state;
  static const char *const files[][2] = {
      {"expressions.c", NULL}, {"statements.c", NULL}, {"initialisers.c", NULL},
      {"types.c", NULL},       {"macros.c", NULL},     {"generic.c", NULL},
      {"unsupported.c", NULL}, {"intrinsics.c", NULL}, {"intrinsics.c", "intrinsics.prototypes"},
      {"generic_math.c", NULL}, {"in_header.c", NULL},   {"in_header.c", "in_header.prototypes"}, {"numeric.c", NULL},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    comparison c;
    compare(&c, files[i][0], files[i][1], NULL);
    if (c.status != TL_OK) {
      print_items(&c.diag);
      fail_msg("%s", files[i][0]);
    }
    tl_arena_deinit(&c.arena);
  }
}

/* Each function of different.c reads in one way by clang and in another by a compiler without __clang__. */
static void test_different(void **state) {
  (void)state;
  comparison all;
  compare(&all, "different.c", NULL, NULL);
  assert_int_equal(all.status, TL_FRONT_MISMATCH);
  unsigned checked = 0;
  for (uint32_t i = 0; i < all.result.unit->functions.count; i++) {
    const char *name = all.result.unit->functions.data[i]->name;
    bool should_differ = strncmp(name, "differs_", 8) == 0;
    if (!should_differ && strncmp(name, "same_", 5) != 0) {
      continue;
    }
    comparison one;
    compare(&one, "different.c", NULL, name);
    if (one.status != (should_differ ? TL_FRONT_MISMATCH : TL_OK)) {
      print_items(&one.diag);
      fail_msg("%s", name);
    }
    if (should_differ) {
      assert_int_equal(one.diag.items.data[0].code, TL_FRONT_MISMATCH);
      assert_string_equal(one.diag.items.data[0].loc.file, "different.c");
    }
    checked++;
    tl_arena_deinit(&one.arena);
  }
  assert_true(checked >= 20);
  tl_arena_deinit(&all.arena);
}

static void test_message(void **state) {
  (void)state;
  comparison c;
  compare(&c, "different.c", NULL, "differs_by_a_constant");
  assert_int_equal(c.diag.items.count, 2);
  assert_string_equal(c.diag.items.data[0].message,
                      "in 'differs_by_a_constant' the C compiler reads '3.0' where libclang reads '2.0'");
  assert_int_equal(c.diag.items.data[0].loc.line, 21);
  assert_int_equal(c.diag.items.data[1].loc.line, 21);
  assert_string_equal(c.diag.items.data[1].message,
                      "the C compiler's line is: double differs_by_a_constant(double x) { return x * 3.0; }");
  tl_arena_deinit(&c.arena);
  compare(&c, "different.c", NULL, "differs_by_being_there");
  assert_int_equal(c.diag.items.count, 1);
  assert_string_equal(c.diag.items.data[0].message, "the C compiler does not read 'differs_by_being_there'");
  tl_arena_deinit(&c.arena);
}

int main(void) {
  if (chdir(TL_CASES_DIR) != 0) {
    perror(TL_CASES_DIR);
    return 1;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_different), cmocka_unit_test(test_message)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
