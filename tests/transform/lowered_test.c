/* The functions of tests/lower after the whole pipeline, against the same C compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../lower/differential.h"
#include "transform/transform.h"

static const char *const files[] = {
    "expressions", "control",     "loops",    "arrays", "structs",   "pointers",
    "calls",       "mathematics", "programs", "tables", "recursion",
};

static void run_pipeline(tl_func *f) {
  tl_arena scratch;
  tl_arena_init(&scratch);
  tl__pipeline_run(f, &scratch);
  tl_arena_deinit(&scratch);
}

/* The control: a pass that is wrong. Sums become differences. */
static void spoil_region(tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    op->code = op->code == TL_OP_add ? TL_OP_sub : op->code;
    for (uint32_t k = 0; k < op->region_count; k++) {
      spoil_region(op->regions[k]);
    }
  }
}

static void run_wrong_pass(tl_func *f) { spoil_region(f->body); }

static int run_files(uint32_t count, void (*prepare)(tl_func *)) {
  tl_differential_counts counts = {0};
  tl_differential_prepare = prepare;
  int failures = 0;
  for (uint32_t i = 0; i < count; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.c", TL_CASES_DIR, files[i]);
    failures += tl_differential_run(path, TL_INCLUDE_DIR, NULL, &counts);
  }
  print_message("%u functions\n", counts.functions);
  return failures;
}

static void pipeline_keeps_the_meaning(void **state) {
  (void)state;
  assert_int_equal(run_files(sizeof files / sizeof *files, run_pipeline), 0);
}

static void a_wrong_pass_is_seen(void **state) {
  (void)state;
  assert_true(run_files(1, run_wrong_pass) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pipeline_keeps_the_meaning),
                                     cmocka_unit_test(a_wrong_pass_is_seen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
