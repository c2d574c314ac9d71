/* The diagnostics printer: text with carets, JSON, warning options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag_print.h"
#include "base/near.h"
#include "base/warning.h"

static const char *line_of(void *ctx, const char *file, uint32_t line) {
  (void)file;
  return line == 1 ? ctx : NULL;
}

static char *printed(tl_diag *d, bool json, const char *source) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  tl_diag_print(d, &(tl_diag_print_opts){.json = json, .source_line = line_of, .ctx = (void *)(uintptr_t)source}, out);
  fclose(out);
  return text;
}

static void expect(tl_diag *d, bool json, const char *source, const char *expected) {
  char *text = printed(d, json, source);
  assert_string_equal(text, expected);
  free(text);
}

static tl_loc at(uint32_t column, uint32_t end) { return (tl_loc){"a.c", 1, column, end}; }

typedef struct fixture {
  tl_arena arena;
  tl_diag diag;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tl_arena_init(&f->arena);
  tl_diag_init(&f->diag, &f->arena);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tl_arena_deinit(&f->arena);
  free(f);
  return 0;
}

static void text_has_caret_and_notes(void **state) {
  fixture *f = *state;
  tl_diag_error(&f->diag, TL_NOT_SCALAR, at(5, 8), "no '%s'", "f");
  tl_diag_note(&f->diag, (tl_loc){"b.h", 9, 2, 3}, "declared here");
  expect(&f->diag, false, "y = foo(x);",
         "a.c:1:5: error: no 'f' [NOT_SCALAR]\n"
         "    1 | y = foo(x);\n"
         "      |     ^~~\n"
         "b.h:9:2: note: declared here\n");
}

static void caret_stands_right_behind_tabs_and_wide_characters(void **state) {
  fixture *f = *state;
  tl_diag_error(&f->diag, TL_NOT_SCALAR, at(5, 7), "m");
  expect(&f->diag, false, "\t\xc3\xa4+\xc3\xa4",
         "a.c:1:5: error: m [NOT_SCALAR]\n"
         "    1 | \t\xc3\xa4+\xc3\xa4\n"
         "      | \t  ^\n");
}

static void place_may_lack_column_line_and_file(void **state) {
  fixture *f = *state;
  tl_diag_error(&f->diag, TL_INTERNAL_ERROR, (tl_loc){.file = "a.c"}, "one");
  tl_diag_error(&f->diag, TL_INTERNAL_ERROR, (tl_loc){0}, "two");
  tl_diag_error(&f->diag, TL_INTERNAL_ERROR, (tl_loc){.file = "a.c", .line = 7}, "three");
  expect(
      &f->diag, false, NULL,
      "a.c: error: one [INTERNAL_ERROR]\ntlalocc: error: two [INTERNAL_ERROR]\na.c:7: error: three [INTERNAL_ERROR]\n");
}

static void repeated_items_are_printed_once(void **state) {
  fixture *f = *state;
  for (int i = 0; i < 2; i++) {
    tl_diag_error(&f->diag, TL_NOT_SCALAR, (tl_loc){"a.c", 3, 1, 2}, "m");
    tl_diag_note(&f->diag, (tl_loc){0}, "n");
  }
  expect(&f->diag, false, NULL, "a.c:3:1: error: m [NOT_SCALAR]\ntlalocc: note: n\n");
}

static void json_is_one_object_a_line(void **state) {
  fixture *f = *state;
  tl_diag_error(&f->diag, TL_NO_SUCH_PARAMETER, at(5, 8), "no \"%s\"\n\x01", "z");
  tl_diag_note(&f->diag, (tl_loc){"b.h", 9, 2, 3}, "here");
  f->diag.items.data[0].fix = "x";
  tl_diag_warn(&f->diag, "tl-array-copy", at(1, 0), "copy");
  expect(&f->diag, true, NULL,
         "{\"file\":\"a.c\",\"line\":1,\"column\":5,\"end\":8,\"severity\":\"error\",\"code\":\"NO_SUCH_PARAMETER\","
         "\"message\":\"no "
         "\\\"z\\\"\\n\\u0001\",\"notes\":[{\"file\":\"b.h\",\"line\":9,\"column\":2,\"end\":3,\"message\":\"here\"}],"
         "\"fix\":\"x\"}\n"
         "{\"file\":\"a.c\",\"line\":1,\"column\":1,\"end\":2,\"severity\":\"warning\",\"code\":\"tl-array-copy\","
         "\"message\":\"copy\",\"notes\":[],\"fix\":null}\n");
}

static void warn(fixture *f) {
  tl_diag_warn(&f->diag, "tl-array-copy", at(1, 2), "copy");
  tl_diag_note(&f->diag, at(1, 2), "note of copy");
  tl_diag_warn(&f->diag, "tl-equality-branch", at(1, 2), "branch");
}

static void apply(fixture *f, uint32_t count, const char *const *options, bool all_off, bool all_errors) {
  tl_diag_apply_warning_options(&f->diag, &(tl_warning_opts){count, options, all_off, all_errors});
}

static void equality_branch_is_off_by_default(void **state) {
  fixture *f = *state;
  warn(f);
  apply(f, 0, NULL, false, false);
  assert_int_equal(f->diag.items.count, 2);
  assert_string_equal(f->diag.items.data[0].message, "copy");
  assert_int_equal(f->diag.errors, 0);
}

static void options_apply_in_order(void **state) {
  fixture *f = *state;
  warn(f);
  apply(f, 3, (const char *const[]){"-Wno-tl-array-copy", "-Wtl-equality-branch", "-Werror=tl-equality-branch"}, false,
        false);
  assert_int_equal(f->diag.items.count, 1);
  assert_int_equal(f->diag.items.data[0].severity, TL_ERROR);
  assert_int_equal(f->diag.errors, 1);
  expect(&f->diag, false, NULL, "a.c:1:1: error: branch [-Werror=tl-equality-branch]\n");
}

static void werror_and_w_are_the_compilers(void **state) {
  fixture *f = *state;
  warn(f);
  apply(f, 1, (const char *const[]){"-Wno-error=tl-array-copy"}, false, true);
  assert_int_equal(f->diag.errors, 0);
  assert_int_equal(f->diag.items.count, 2);
  apply(f, 0, NULL, true, false);
  assert_int_equal(f->diag.items.count, 0);
}

static void warning_names_that_there_are(void **state) {
  (void)state;
  assert_int_equal(tl_warning_status("tl-active-integer"), TL_ACTIVE_INTEGER);
  static const char *const none[] = {"tl-active",
                                     "tl-active-integers",
                                     "tl-ACTIVE-INTEGER",
                                     "tl-active_integer",
                                     "active-integer",
                                     "tl-no-definition",
                                     "tl-ok",
                                     "tl-array-copy",
                                     ""};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    assert_int_equal(tl_warning_status(none[i]), TL_OK);
    assert_int_equal(tl_warning_is_known(none[i]), strcmp(none[i], "tl-array-copy") == 0);
  }
  assert_true(tl_warning_is_on("tl-array-copy"));
  assert_true(tl_warning_is_on("tl-active-integer"));
  assert_false(tl_warning_is_on("tl-equality-branch"));
}

static const char *nearest(const char *wrong, bool any_case, const char *first, const char *second) {
  tl_near near = {.wrong = wrong, .any_case = any_case};
  tl_near_consider(&near, first);
  tl_near_consider(&near, second);
  return near.best ? near.best : "";
}

static void near_names(void **state) {
  (void)state;
  assert_string_equal(nearest("hight", false, "width", "height"), "height");
  assert_string_equal(nearest("wdith", false, "width", "height"), "width"); /* two that were swapped count as one */
  assert_string_equal(nearest("mass", false, "mask", "mass"), "mass");
  assert_string_equal(nearest("x", false, "y", "xy"), "");
  assert_string_equal(nearest("xx", false, "x", "y"), "x");
  assert_string_equal(nearest("unrelated", false, "width", "height"), "");
  assert_string_equal(nearest("WIDTH", false, "width", "height"), "");
  assert_string_equal(nearest("WIDHT", true, "width", "height"), "width");
}

static void warning_name_of_a_code(void **state) {
  fixture *f = *state;
  assert_string_equal(tl_status_warning(&f->arena, TL_ACTIVE_INTEGER), "tl-active-integer");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(text_has_caret_and_notes),
      TEST(caret_stands_right_behind_tabs_and_wide_characters),
      TEST(place_may_lack_column_line_and_file),
      TEST(repeated_items_are_printed_once),
      TEST(json_is_one_object_a_line),
      TEST(equality_branch_is_off_by_default),
      TEST(options_apply_in_order),
      TEST(werror_and_w_are_the_compilers),
      TEST(warning_name_of_a_code),
      cmocka_unit_test(warning_names_that_there_are),
      cmocka_unit_test(near_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
