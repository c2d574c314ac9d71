/* A program, and the same program printed back from its tree with every conversion explicit, print the same. Programs: those
 * of cases/run_*.c, and random ones over all arithmetic types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ast_to_c.h"
#include "dump.h"

/* Out-of-range conversions, overflow and aliasing are the same in both when the compiler does not reason about them. */
#define CC "cc -w -O0 -fwrapv -fno-strict-aliasing -ffp-contract=off"

static char folder[] = "/tmp/tl_roundtrip_XXXXXX";

/* What the program prints; it must end with 0. */
static char *output_of(tl_arena *arena, const char *source, const char *name) {
  const char *binary = tl_arena_printf(arena, "%s/%s", folder, name);
  assert_int_equal(system(tl_arena_printf(arena, CC " -o %s %s -lm", binary, source)), 0);
  FILE *f = popen(binary, "r");
  assert_non_null(f);
  enum { MOST = 1 << 20 };
  char *text = tl_arena_alloc(arena, MOST);
  size_t n = fread(text, 1, MOST - 1, f);
  text[n] = '\0';
  assert_int_equal(pclose(f), 0);
  return text;
}

/* The first line in which the two outputs differ, or 0. `plant` may change the tree before it is printed. */
static unsigned differing_line(const char *source, void (*plant)(tl_unit *)) {
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  tl_parse_opts opts = {.file = source};
  tl_parse_result r;
  assert_int_equal(tl_parse_file(&arena, &diag, &opts, &r), TL_OK);
  assert_false(r.syntax_errors);
  if (plant) {
    plant(r.unit);
  }
  const char *again = tl_arena_printf(&arena, "%s/again.c", folder);
  FILE *out = fopen(again, "w");
  assert_non_null(out);
  bool whole = ast_to_c(out, r.unit);
  fclose(out);
  assert_true(whole);
  const char *want = output_of(&arena, source, "want"), *got = output_of(&arena, again, "got");
  assert_true(strlen(want) > 0);
  unsigned line = 0;
  if (strcmp(want, got) != 0) {
    line = 1;
    for (const char *a = want, *b = got; *a && *a == *b; a++, b++) {
      line += *a == '\n';
    }
  }
  tl_arena_deinit(&arena);
  return line;
}

static void check(const char *source) {
  unsigned line = differing_line(source, NULL);
  if (line) {
    fail_msg("%s: line %u of the output differs", source, line);
  }
}

static void test_program(void **state) { check(*state); }

/* The control: a tree that means something else prints something else. */
static void plant_operator(tl_unit *unit) {
  tl_expr *sum = tl_unit_find(unit, "swap")->body->body.data[0]->decls.data[0]->init->args.data[1]->a;
  assert_int_equal(sum->kind, TL_EXPR_BINARY);
  sum->op = TL_BIN_SUB;
}

static void plant_conversion(tl_unit *unit) {
  tl_expr *list = tl_unit_find(unit, "swap")->body->body.data[0]->decls.data[0]->init;
  list->args.data[1] = list->args.data[0]->args.data[0]; /* another value */
}

static void test_control(void **state) {
  (void)state;
  assert_true(differing_line("run_objects.c", plant_operator) > 0);
  assert_true(differing_line("run_objects.c", plant_conversion) > 0);
}

/* --- random programs ------------------------------------------------------------------------------------------------ */

static const char *const types[] = {"_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned",
                                    "long", "unsigned long", "long long", "float", "double", "long double", "enum small", "size_t"};
enum { TYPES = sizeof types / sizeof *types, FIRST_FLOAT = 11, LAST_FLOAT = 13, DEPTH = 4 };

static uint64_t state_;

static unsigned below(unsigned n) {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)((state_ >> 33) % n);
}

static bool is_float(unsigned t) { return t >= FIRST_FLOAT && t <= LAST_FLOAT; }

static void expression(FILE *out, int depth);

/* An expression of integer type. */
static void integer_expression(FILE *out, int depth) {
  static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  if (depth == 0 || below(5) == 0) {
    unsigned t = below(TYPES - 3);
    t = is_float(t) ? TYPES - 1 - (t - FIRST_FLOAT) % 2 : t;
    fprintf(out, below(4) ? "v%u" : "s.f%u", t);
    return;
  }
  switch (below(8)) {
    case 0:
      fprintf(out, "%d%s", (int)below(300), (const char *const[]){"", "u", "l", "ul", "ll"}[below(5)]);
      return;
    case 1:
      fputs((const char *const[]){"(-", "(~", "(!", "(+"}[below(4)], out);
      integer_expression(out, depth - 1);
      fputs(")", out);
      return;
    case 2:
      fputs("(", out);
      integer_expression(out, depth - 1);
      fprintf(out, " %s (", below(2) ? "<<" : ">>");
      integer_expression(out, depth - 1);
      fputs(" & 7))", out);
      return;
    case 3:
      fputs("(", out);
      integer_expression(out, depth - 1);
      fprintf(out, " %s ((", below(2) ? "/" : "%");
      integer_expression(out, depth - 1);
      fputs(" & 15) + 1))", out);
      return;
    case 4:
      fputs("(", out);
      expression(out, depth - 1);
      fprintf(out, " %s ", operators[6 + below(8)]);
      expression(out, depth - 1);
      fputs(")", out);
      return;
    case 5:
      fprintf(out, "s.b%u", below(3));
      return;
    default:
      fputs("(", out);
      integer_expression(out, depth - 1);
      fprintf(out, " %s ", operators[below(sizeof operators / sizeof *operators)]);
      integer_expression(out, depth - 1);
      fputs(")", out);
  }
}

static void expression(FILE *out, int depth) {
  if (depth == 0) {
    fprintf(out, "v%u", below(TYPES));
    return;
  }
  switch (below(9)) {
    case 0:
      integer_expression(out, depth - 1);
      return;
    case 1:
      fprintf(out, "%u.%u%s", below(9), below(100), (const char *const[]){"", "f", "L"}[below(3)]);
      return;
    case 2:
      fputs("(", out);
      integer_expression(out, depth - 1);
      fputs(" ? ", out);
      expression(out, depth - 1);
      fputs(" : ", out);
      expression(out, depth - 1);
      fputs(")", out);
      return;
    case 3:
      fprintf(out, "((%s)", types[below(TYPES)]);
      expression(out, depth - 1);
      fputs(")", out);
      return;
    case 4:
      fprintf(out, "(v%u, ", below(TYPES));
      expression(out, depth - 1);
      fputs(")", out);
      return;
    case 5:
      fprintf(out, "call%u(", below(TYPES));
      expression(out, depth - 1);
      fputs(")", out);
      return;
    case 6:
      fputs("(", out);
      integer_expression(out, depth - 1);
      fputs(" ?: ", out);
      expression(out, depth - 1);
      fputs(")", out);
      return;
    default:
      fputs("(", out);
      expression(out, depth - 1);
      fprintf(out, " %s ", (const char *const[]){"+", "-", "*"}[below(3)]);
      expression(out, depth - 1);
      fputs(")", out);
  }
}

static void random_statement(FILE *out) {
  unsigned t = below(TYPES);
  switch (below(5)) {
    case 0: {
      static const char *const any[] = {"+=", "-=", "*="}, *const integers[] = {"&=", "|=", "^="};
      bool integer = !is_float(t) && below(2);
      fprintf(out, "  v%u %s ", t, integer ? integers[below(3)] : any[below(3)]);
      if (integer) {
        integer_expression(out, DEPTH - 1);
      } else {
        expression(out, DEPTH - 1);
      }
      break;
    }
    case 1:
      if (!is_float(t)) {
        fprintf(out, "  v%u %s= ", t, below(2) ? "<<" : ">>");
        integer_expression(out, DEPTH - 1);
        fputs(" & 3", out);
        break;
      }
      fprintf(out, "  v%u /= 3", t);
      break;
    case 2:
      fprintf(out, (const char *const[]){"  v%u++", "  --v%u", "  s.f%u++", "  ++s.f%u"}[below(4)], t == 0 ? 6 : t);
      break;
    case 3:
      fprintf(out, "  s.b%u %s ", below(3), (const char *const[]){"=", "+=", "|=", "-="}[below(4)]);
      integer_expression(out, DEPTH - 1);
      break;
    default:
      /* Assignments within expressions stand in chains only, where their order is fixed. */
      fprintf(out, below(3) ? "  v%u = " : "  s.f%u = ", t);
      if (below(3) == 0) {
        fprintf(out, "v%u = ", below(TYPES));
      }
      expression(out, DEPTH);
  }
  fputs(";\n  show();\n", out);
}

static void write_program(FILE *out, unsigned seed) {
  state_ = seed * 2654435761u + 12345;
  fputs("#include <math.h>\n#include <stdio.h>\n#include <stddef.h>\nenum small { ONE = 1, TWO, MANY = 200 };\nstruct all {\n", out);
  for (unsigned t = 0; t < TYPES; t++) {
    fprintf(out, "  %s f%u;\n", types[t], t);
  }
  fputs("  unsigned b0 : 3;\n  int b1 : 5;\n  unsigned b2 : 17;\n};\nstatic struct all s = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12.5, 13.25, 14.125, TWO, 16, 1, 2, 3};\n", out);
  for (unsigned t = 0; t < TYPES; t++) {
    fprintf(out, "static %s v%u = %d;\nstatic %s call%u(%s x) { return x + %d; }\n", types[t], t, (int)below(100) - 30, types[t], t,
            types[below(TYPES)], (int)below(9));
  }
  /* Values are kept small, so that conversions to integers stay in range for most of the way. */
  fputs("static void show(void) {\n", out);
  for (unsigned t = 0; t < TYPES; t++) {
    if (is_float(t)) {
      fprintf(out, "  printf(\"%%La %%La \", (long double)v%u, (long double)s.f%u);\n", t, t);
      fprintf(out, "  if (!(v%u > -1000 && v%u < 1000)) v%u = %u.5;\n  if (!(s.f%u > -1000 && s.f%u < 1000)) s.f%u = 2;\n", t, t, t, t, t, t, t);
    } else {
      fprintf(out, "  printf(\"%%lld %%lld \", (long long)v%u, (long long)s.f%u);\n", t, t);
      fprintf(out, "  v%u = v%u %% 100;\n  s.f%u = s.f%u %% 100;\n", t, t, t, t);
    }
  }
  fputs("  printf(\"%d %d %d\\n\", (int)s.b0, (int)s.b1, (int)s.b2);\n}\nint main(void) {\n", out);
  for (int i = 0; i < 60; i++) {
    random_statement(out);
  }
  fputs("  return 0;\n}\n", out);
}

static void test_random(void **state) {
  (void)state;
  const char *from = getenv("TL_SEED"), *count = getenv("TL_SEEDS");
  unsigned first = from ? (unsigned)strtoul(from, NULL, 10) : 1, programs = count ? (unsigned)strtoul(count, NULL, 10) : 12;
  for (unsigned seed = first; seed < first + programs; seed++) {
    char path[128];
    snprintf(path, sizeof path, "%s/random_%u.c", folder, seed);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    write_program(out, seed);
    fclose(out);
    check(path);
  }
}

int main(void) {
  if (chdir(TL_CASES_DIR) != 0 || !mkdtemp(folder)) {
    perror(TL_CASES_DIR);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      {.name = "run_statements.c", .test_func = test_program, .initial_state = (void *)(uintptr_t)"run_statements.c"},
      {.name = "run_objects.c", .test_func = test_program, .initial_state = (void *)(uintptr_t)"run_objects.c"},
      cmocka_unit_test(test_control),
      cmocka_unit_test(test_random),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (!failed) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    failed = system(command) != 0;
  }
  return failed;
}
