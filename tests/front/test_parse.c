/* C files against their printed trees. TL_RECORD_GOLDENS=1 in the environment writes the goldens anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "dump.h"

typedef struct parsed {
  tl_arena arena;
  tl_diag diag;
  tl_parse_result result;
  tl_status status;
} parsed;

/* The second is an option that only gcc has. */
static const char *const arguments[] = {"-I" TL_INCLUDE_DIR, "-fipa-pta"};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

static void parse(parsed *p, const char *file, const char *prototypes) {
  tl_arena_init(&p->arena);
  tl_diag_init(&p->diag, &p->arena);
  tl_parse_opts opts = {.file = file, .args = arguments, .arg_count = ARGUMENTS};
  opts.prototypes = prototypes ? read_text(&p->arena, prototypes) : NULL;
  p->status = tl_parse_file(&p->arena, &p->diag, &opts, &p->result);
}

static void release(parsed *p) { tl_arena_deinit(&p->arena); }

/* Parses text written to a file of its own. */
static void parse_text(parsed *p, const char *text) {
  char path[] = "/tmp/tl_parse_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
  close(fd);
  parse(p, path, NULL);
  unlink(path);
}

static const struct golden {
  const char *file, *prototypes, *golden;
  bool sources;
} goldens[] = {
    {"expressions.c", NULL, "expressions.ast", false},
    {"statements.c", NULL, "statements.ast", false},
    {"initialisers.c", NULL, "initialisers.ast", false},
    {"types.c", NULL, "types.ast", false},
    {"macros.c", NULL, "macros.ast", true},
    {"unsupported.c", NULL, "unsupported.ast", false},
    {"generic.c", NULL, "generic.ast", false},
    {"lengths.c", NULL, "lengths.ast", true},
    {"intrinsics.c", NULL, "intrinsics.first.ast", true},
    {"intrinsics.c", "intrinsics.prototypes", "intrinsics.second.ast", true},
    {"in_header.c", NULL, "in_header.first.ast", false},
    {"in_header.c", "in_header.prototypes", "in_header.second.ast", false},
    {"headers.c", NULL, "headers.ast", true},
    {"broken.c", NULL, "broken.ast", false},
};

static void test_golden(void **state) {
  const struct golden *g = *state;
  parsed p;
  parse(&p, g->file, g->prototypes);
  assert_int_equal(p.status, TL_OK);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  dump_parse(out, &p.diag, &p.result, g->sources);
  fclose(out);
  const char *record = getenv("TL_RECORD_GOLDENS");
  if (record && strcmp(record, "1") == 0) {
    FILE *f = fopen(g->golden, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
  }
  const char *want = read_text(&p.arena, g->golden);
  assert_non_null(want);
  if (strcmp(text, want) != 0) {
    const char *a = text, *b = want;
    unsigned line = 1;
    for (; *a && *a == *b; a++, b++) {
      line += *a == '\n';
    }
    print_error("%s line %u differs: got\n%.200s\nwant\n%.200s\n", g->golden, line, a, b);
    fail();
  }
  free(text);
  release(&p);
}

/* --- every kind occurs in a golden ------------------------------------------------------------------------------- */

enum {
  EXPR_KINDS = TL_EXPR_UNSUPPORTED + 1,
  STMT_KINDS = TL_STMT_UNSUPPORTED + 1,
  TYPE_KINDS = TL_CT_UNSUPPORTED + 1,
  BINARIES = TL_BIN_GE + 1,
  STORAGES = TL_STORAGE_FILE + 1
};

typedef struct seen {
  unsigned expr[EXPR_KINDS], stmt[STMT_KINDS], type[TYPE_KINDS], binary[BINARIES], compound[BINARIES],
      dtype[TL_DTYPE_COUNT], storage[STORAGES], unary[128];
} seen;

static void count_stmt(seen *, const tl_stmt *);
static void count_decl(seen *, const tl_decl *);

static void count_type(seen *s, const tl_ctype *t) {
  s->type[t->kind]++;
  if (t->kind == TL_CT_SCALAR) {
    s->dtype[t->dtype]++;
  }
  if (t->kind == TL_CT_POINTER || t->kind == TL_CT_ARRAY) {
    assert_non_null(t->target);
    if (t->target->kind != TL_CT_RECORD) {
      count_type(s, t->target);
    }
  }
  if (t->kind == TL_CT_RECORD) {
    assert_non_null(t->record);
  }
}

static void count_expr(seen *s, const tl_expr *e) {
  if (!e) {
    return;
  }
  assert_non_null(e->type);
  assert_non_null(e->loc.file);
  assert_true(e->loc.end_column > e->loc.column);
  s->expr[e->kind]++;
  count_type(s, e->type);
  if (e->kind == TL_EXPR_BINARY) {
    s->binary[e->op]++;
  } else if (e->kind == TL_EXPR_COMPOUND_ASSIGN) {
    s->compound[e->op]++;
  } else if (e->kind == TL_EXPR_UNARY) {
    s->unary[(unsigned char)e->unary]++;
  } else if (e->kind == TL_EXPR_VAR) {
    assert_non_null(e->decl);
    assert_ptr_equal(e->type, e->decl->type);
  } else if (e->kind == TL_EXPR_UNSUPPORTED) {
    assert_true(e->text && *e->text);
  }
  count_expr(s, e->a);
  count_expr(s, e->b);
  count_expr(s, e->c);
  for (uint32_t i = 0; i < e->args.count; i++) {
    count_expr(s, e->args.data[i]);
  }
  if (e->body) {
    count_stmt(s, e->body);
  }
}

static void count_decl(seen *s, const tl_decl *d) {
  assert_non_null(d->loc.file);
  s->storage[d->storage]++;
  count_type(s, d->type);
  count_expr(s, d->init);
}

static void count_stmt(seen *s, const tl_stmt *t) {
  if (!t) {
    return;
  }
  s->stmt[t->kind]++;
  assert_non_null(t->loc.file);
  for (uint32_t i = 0; i < t->decls.count; i++) {
    count_decl(s, t->decls.data[i]);
  }
  for (uint32_t i = 0; i < t->body.count; i++) {
    count_stmt(s, t->body.data[i]);
  }
  count_expr(s, t->expr);
  count_expr(s, t->init);
  count_expr(s, t->step);
  count_stmt(s, t->then_body);
  count_stmt(s, t->else_body);
}

static void test_every_kind(void **state) {
  (void)state;
  seen s = {0};
  for (size_t g = 0; g < sizeof goldens / sizeof *goldens; g++) {
    parsed p;
    parse(&p, goldens[g].file, goldens[g].prototypes);
    const tl_unit *u = p.result.unit;
    for (uint32_t i = 0; i < u->globals.count; i++) {
      count_decl(&s, u->globals.data[i]);
    }
    for (uint32_t i = 0; i < u->functions.count; i++) {
      const tl_function *f = u->functions.data[i];
      assert_int_equal(f->params.count, f->declarators.count);
      for (uint32_t k = 0; k < f->params.count; k++) {
        s.storage[f->params.data[k]->storage]++;
        count_type(&s, f->params.data[k]->type);
        assert_int_equal(f->params.data[k]->index, k);
        assert_true(!f->declarators.data[k] || strchr(f->declarators.data[k], '@'));
      }
      assert_true(!f->body == !f->source);
      count_stmt(&s, f->body);
    }
    release(&p);
  }
  for (int i = 0; i < EXPR_KINDS; i++) {
    if (!s.expr[i]) {
      fail_msg("no golden has an expression of kind %d", i);
    }
  }
  for (int i = 0; i < STMT_KINDS; i++) {
    if (!s.stmt[i]) {
      fail_msg("no golden has a statement of kind %d", i);
    }
  }
  for (int i = 0; i < TYPE_KINDS; i++) {
    if (!s.type[i]) {
      fail_msg("no golden has a type of kind %d", i);
    }
  }
  for (int i = 0; i < TL_DTYPE_COUNT; i++) {
    assert_true(s.dtype[i] > 0 || tl_dtype_is_stored_only(i)); /* C has no type for those */
  }
  for (int i = 0; i < BINARIES; i++) {
    assert_true(s.binary[i] > 0);
    assert_true(i > TL_BIN_XOR || s.compound[i] > 0);
  }
  for (int i = 0; i < STORAGES; i++) {
    assert_true(s.storage[i] > 0);
  }
  assert_true(s.unary['-'] && s.unary['+'] && s.unary['~'] && s.unary['!']);
}

/* --- places --------------------------------------------------------------------------------------------------------
 */

static void assert_loc(tl_loc loc, unsigned line, unsigned column, unsigned end_column) {
  assert_int_equal(loc.line, line);
  assert_int_equal(loc.column, column);
  assert_int_equal(loc.end_column, end_column);
}

static void test_places(void **state) {
  (void)state;
  parsed p;
  parse(&p, "places.c", NULL);
  const tl_function *f = tl_unit_find(p.result.unit, "first");
  assert_string_equal(f->loc.file, "places.c");
  assert_loc(f->loc, 2, 5, 10);
  assert_loc(f->params.data[0]->loc, 2, 15, 20);
  assert_loc(f->params.data[1]->loc, 3, 15, 19);
  const tl_stmt *body = f->body;
  assert_loc(body->body.data[0]->decls.data[0]->loc, 4, 7, 8);
  const tl_expr *sum = body->body.data[0]->decls.data[0]->init;
  assert_loc(sum->loc, 4, 17, 18); /* the operator */
  assert_loc(sum->a->loc, 4, 11, 16);
  const tl_expr *assign = body->body.data[1]->expr;
  assert_loc(assign->loc, 5, 5, 6);
  assert_loc(assign->b->loc, 5, 26, 27); /* behind a parenthesis and a comment */
  const tl_expr *macro = body->body.data[2]->expr;
  assert_loc(macro->loc, 6, 5, 7);
  assert_int_equal(macro->b->a->loc.line, 6); /* the expansion, not the definition */
  assert_int_equal(macro->b->a->loc.column, 8);
  assert_loc(body->body.data[3]->expr->loc, 8, 23, 25); /* an operator on another line than its left operand's start */
  const tl_expr *product = tl_unit_find(p.result.unit, "second")->body->body.data[0]->expr;
  assert_loc(product->loc, 11, 42, 43);
  assert_loc(product->a->loc, 11, 37, 41);
  release(&p);
}

/* --- single facts ---------------------------------------------------------------------------------------------------
 */

static void test_syntax_error(void **state) {
  (void)state;
  parsed p;
  parse_text(&p, "int f(int x) { return x +; }\n");
  assert_int_equal(p.status, TL_OK);
  assert_true(p.result.syntax_errors);
  assert_non_null(p.result.syntax_message);
  assert_loc(p.result.syntax_loc, 1, 26, 27);
  release(&p);
  parse_text(&p, "#include <no_such_header.h>\nint f(int x) { return f$$grad(x); }\n");
  assert_true(p.result.syntax_errors); /* fatal, in spite of a request */
  release(&p);
}

/* Before C23 a call declares the function: cc says what it makes of that. */
static void test_not_declared(void **state) {
  (void)state;
  parsed p;
  parse_text(&p, "double f(double x) { return other(x) + sin(x); }\n");
  assert_false(p.result.syntax_errors);
  assert_true(p.result.doubtful);
  assert_false(p.result.unknown_names);
  assert_true(tl_unit_find(p.result.unit, "other")->is_implicit);
  assert_false(tl_unit_find(p.result.unit, "sin")->is_implicit);
  release(&p);
  parse_text(&p, "double f(real x) { return x; }\ndouble g(double x) { return f$$grad(x); }\n");
  assert_true(p.result.doubtful && p.result.unknown_names && p.result.maybe_syntax_errors);
  release(&p);
  parse_text(&p, "double f(double x) { return x; }\ndouble g(double x) { return f$$grad(x); }\n");
  assert_false(p.result.doubtful || p.result.unknown_names || p.result.maybe_syntax_errors);
  release(&p);
}

static void test_calls_and_order(void **state) {
  (void)state;
  parsed p;
  parse_text(&p, "double g(double x) { return f$$grad(x); }\n"
                 "double f(double x) { return x; }\n"
                 "double h(double x) { return f$$grad$x() + f$$grad$x(x, f$$grad$x(x)); }\n"
                 "double (*p)(double) = f$$grad$x;\n");
  assert_int_equal(p.result.requests.count, 2);
  const tl_request *early = &p.result.requests.data[0], *r = &p.result.requests.data[1];
  assert_loc(early->ahead, 1, 29, 36);
  assert_int_equal(early->calls.count, 1);
  assert_int_equal(r->ahead.line, 0);
  assert_int_equal(r->uses.count, 4);
  assert_int_equal(r->calls.count, 3);
  uint32_t arguments = 0;
  for (uint32_t i = 0; i < 3; i++) {
    arguments = 10 * arguments + r->calls.data[i].arguments;
  }
  assert_int_equal(arguments, 12); /* 0, and the inner one before the outer one */
  assert_loc(r->calls.data[2].loc, 3, 43, 69);
  release(&p);
}

static void test_unknown_intrinsic_word(void **state) {
  (void)state;
  parsed p;
  parse_text(&p, "double f(double x) { return x; }\ndouble g(double x) { return f$$gradient(x); }\n");
  assert_int_equal(p.result.requests.count, 0);
  assert_true(p.result.doubtful);
  release(&p);
}

static void test_clash(void **state) {
  (void)state;
  parsed p;
  parse_text(&p, "double f(double x, double y, double x__y);\n"
                 "int g(void) { f$$grad$x$y(); return f$$grad$x__y(); }\n");
  assert_int_equal(p.result.requests.count, 2);
  assert_string_equal(p.result.requests.data[0].clash, "f$$grad$x__y");
  assert_string_equal(p.result.requests.data[1].clash, "f$$grad$x$y");
  assert_string_equal(p.result.requests.data[0].name, p.result.requests.data[1].name);
  release(&p);
}

static void test_unreadable(void **state) {
  (void)state;
  parsed p;
  parse(&p, "no_such_file.c", NULL);
  assert_true(p.status != TL_OK || p.result.syntax_errors);
  release(&p);
}

static void test_rounding(void **state) {
  (void)state;
  parsed p;
  /* The literal lies just above the middle of two floats and of two doubles: rounding twice would go to even. */
  parse_text(
      &p, "float f(void) { return 1.00000005960464477540f; }\ndouble d(void) { return 0x1.00000000000008000001p0; }\n");
  const tl_unit *u = p.result.unit;
  assert_true(tl_unit_find(u, "f")->body->body.data[0]->expr->floating == 1.00000011920928955078125L);
  assert_true(tl_unit_find(u, "d")->body->body.data[0]->expr->floating == 0x1.0000000000001p0L);
  release(&p);
}

/* Memory that runs out at any allocation becomes a status, and libclang's memory is given back. */
static void test_out_of_memory(void **state) {
  (void)state;
  parsed p;
  tl_status status = TL_OUT_OF_MEMORY;
  int failures = 0;
  for (uint64_t n = 1; status == TL_OUT_OF_MEMORY; n++) {
    tl_arena_init(&p.arena);
    tl_diag_init(&p.diag, &p.arena);
    tl_parse_opts opts = {.file = "places.c", .args = arguments, .arg_count = ARGUMENTS};
    tl__alloc_fail_at(n);
    status = tl_parse_file(&p.arena, &p.diag, &opts, &p.result);
    tl__alloc_fail_at(0);
    failures += status == TL_OUT_OF_MEMORY;
    release(&p);
  }
  assert_int_equal(status, TL_OK);
  assert_true(failures > 0);
}

int main(void) {
  if (chdir(TL_CASES_DIR) != 0) {
    perror(TL_CASES_DIR);
    return 1;
  }
  enum { GOLDENS = sizeof goldens / sizeof *goldens };
  struct CMUnitTest golden_tests[GOLDENS];
  for (int i = 0; i < GOLDENS; i++) {
    golden_tests[i] = (struct CMUnitTest){
        .name = goldens[i].golden, .test_func = test_golden, .initial_state = (void *)(uintptr_t)&goldens[i]};
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind),      cmocka_unit_test(test_places),
      cmocka_unit_test(test_syntax_error),    cmocka_unit_test(test_not_declared),
      cmocka_unit_test(test_calls_and_order), cmocka_unit_test(test_unknown_intrinsic_word),
      cmocka_unit_test(test_clash),           cmocka_unit_test(test_unreadable),
      cmocka_unit_test(test_rounding),        cmocka_unit_test(test_out_of_memory),
  };
  int failed = cmocka_run_group_tests_name("goldens", golden_tests, NULL, NULL);
  return failed + cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
