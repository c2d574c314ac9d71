/* test_lower [FILE [FUNCTION]]: the cases against compiled C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "differential.h"

static const char *const files[] = {
    "expressions", "control",     "loops",    "arrays", "structs",   "pointers",
    "calls",       "mathematics", "programs", "tables", "recursion", "memory",
};

static void test_cases(void **unused) {
  (void)unused;
  tl_differential_counts counts = {0};
  int failures = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.c", TL_CASES_DIR, files[i]);
    failures += tl_differential_run(path, TL_INCLUDE_DIR, NULL, &counts);
  }
  print_message("%u functions agree with compiled C\n", counts.functions);
  assert_int_equal(failures, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    tl_differential_counts counts = {0};
    int failures = tl_differential_run(argv[1], TL_INCLUDE_DIR, argc > 2 ? argv[2] : NULL, &counts);
    printf("%u functions, %d failures\n", counts.functions, failures);
    return failures != 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
