/* The text form: what is printed parses back to the same, whatever it says; what is no text is refused with a place. */
#include "ir_testing.h"

#include <dirent.h>
#include <math.h>

#define SAMPLES TL_SOURCE_DIR "/tests/ir/samples"

static char *read_file(const char *path, size_t *out_length) {
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  char *text = malloc(1 << 20);
  *out_length = fread(text, 1, (1 << 20) - 1, in);
  text[*out_length] = 0;
  fclose(in);
  return text;
}

/* Calls `visit` with each sample; returns how many there are. */
static int each_sample(void (*visit)(const char *path, const char *text, size_t length, void *ctx), void *ctx) {
  DIR *folder = opendir(SAMPLES);
  assert_non_null(folder);
  int count = 0;
  for (struct dirent *e; (e = readdir(folder));) {
    size_t n = strlen(e->d_name);
    if (n < 5 || strcmp(e->d_name + n - 5, ".tlir") != 0) {
      continue;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", SAMPLES, e->d_name);
    size_t length;
    char *text = read_file(path, &length);
    visit(path, text, length, ctx);
    free(text);
    count++;
  }
  closedir(folder);
  return count;
}

/* What is printed parses, and prints again as the same bytes. */
static void check_fixpoint(const tl_module *m) {
  char *first = module_text(m);
  bench b;
  bench_open(&b);
  if (bench_parse(&b, first) != TL_OK) {
    bench_show(&b);
    fail_msg("what was printed does not parse:\n%s", first);
  }
  char *second = module_text(b.module);
  assert_string_equal(first, second);
  bench_close(&b);
  free(first);
  free(second);
}

static void round_trip(const char *path, const char *text, size_t length, void *ctx) {
  (void)ctx;
  bench b;
  bench_open(&b);
  tl_status status = tl_module_parse(b.module, path, text, length);
  if (status == TL_OK) {
    status = tl_module_verify(b.module);
  }
  bench_show(&b);
  assert_int_equal(status, TL_OK);
  check_fixpoint(b.module);
  bench_close(&b);
}

static void samples_round_trip(void **state) {
  (void)state;
  assert_true(each_sample(round_trip, NULL) >= 5);
}

static void mark_ops(const tl_region *r, bool *seen) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    seen[r->ops.data[i]->code] = true;
    for (uint32_t k = 0; k < r->ops.data[i]->region_count; k++) {
      mark_ops(r->ops.data[i]->regions[k], seen);
    }
  }
}

static void collect_ops(const char *path, const char *text, size_t length, void *ctx) {
  bench b;
  bench_open(&b);
  assert_int_equal(tl_module_parse(b.module, path, text, length), TL_OK);
  for (uint32_t i = 0; i < b.module->funcs.count; i++) {
    mark_ops(b.module->funcs.data[i]->body, ctx);
  }
  bench_close(&b);
}

static void samples_use_every_op(void **state) {
  (void)state;
  bool seen[TL_OP_COUNT] = {false};
  each_sample(collect_ops, seen);
  for (int i = 0; i < TL_OP_COUNT; i++) {
    if (!seen[i]) {
      fail_msg("no sample has an op '%s'", tl_op_table[i].name);
    }
  }
}

/* What samples say of tensors: every kind of attribute, every index mode, and every kind of type. */
typedef struct said {
  bool modes[TL_INDEX_FILL + 1], reducers[TL_REDUCE_REPLACE + 1], attr_dtype, ints, axes_all, axes_listed, negative, keep, batch, option, below;
  bool rank_0, symbolic, named, partly_named, array_of_tensors, dtypes[TL_DTYPE_COUNT];
} said;

static void note_type(tl_type t, said *s) {
  bool any = false, all = true;
  for (int i = 0; i < t.rank; i++) {
    bool named = t.axis_names && t.axis_names[i];
    any |= named;
    all &= named;
    s->symbolic |= t.is_tensor && t.extents[i].value != TL_NO_VALUE;
  }
  s->named |= t.is_tensor && any && all;
  s->partly_named |= t.is_tensor && any && !all;
  s->rank_0 |= t.is_tensor && t.rank == 0;
  s->array_of_tensors |= t.element != NULL;
  if (t.is_tensor) {
    s->dtypes[t.dtype] = true;
  }
}

static void note_attributes(const tl_region *r, said *s) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    const tl_op_info *row = &tl_op_table[op->code];
    for (int k = 0; k < row->attr_count && op->attrs; k++) {
      const tl_attr *a = &op->attrs[k];
      switch (row->attrs[k].kind) {
      case TL_ATTR_AXES:
        s->axes_all |= a->axes.count < 0;
        s->axes_listed |= a->axes.count > 1;
        break;
      case TL_ATTR_AXIS:
        s->negative |= a->integer < 0;
        break;
      case TL_ATTR_FLAG:
        s->keep |= a->integer == 1;
        break;
      case TL_ATTR_OPTION:
        s->option |= a->integer == 1;
        break;
      case TL_ATTR_INTEGER:
        s->below |= a->integer < 0;
        break;
      case TL_ATTR_COUNT:
        s->batch |= a->integer > 0;
        break;
      case TL_ATTR_MODE:
        s->modes[a->integer] = true;
        break;
      case TL_ATTR_REDUCER:
        s->reducers[a->integer] = true;
        break;
      case TL_ATTR_DTYPE:
        s->attr_dtype = true;
        break;
      case TL_ATTR_INTS:
        s->ints |= a->ints.count > 1;
        break;
      case TL_ATTR_SHAPE:
        break;
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      note_attributes(op->regions[k], s);
    }
  }
}

static void collect_said(const char *path, const char *text, size_t length, void *ctx) {
  bench b;
  bench_open(&b);
  assert_int_equal(tl_module_parse(b.module, path, text, length), TL_OK);
  for (uint32_t i = 0; i < b.module->funcs.count; i++) {
    const tl_func *f = b.module->funcs.data[i];
    note_attributes(f->body, ctx);
    for (tl_value v = 1; v < f->values.count; v++) {
      note_type(tl_type_of(f, v), ctx);
    }
  }
  bench_close(&b);
}

static void samples_say_all_of_tensors(void **state) {
  (void)state;
  said s = {.keep = false};
  each_sample(collect_said, &s);
  for (int i = 0; i <= TL_INDEX_FILL; i++) {
    assert_true(s.modes[i]);
  }
  for (int i = 0; i <= TL_REDUCE_REPLACE; i++) {
    assert_true(s.reducers[i]);
  }
  assert_true(s.attr_dtype && s.ints);
  assert_true(s.axes_all && s.axes_listed && s.negative && s.keep && s.batch && s.option && s.below);
  assert_true(s.rank_0 && s.symbolic && s.named && s.partly_named && s.array_of_tensors);
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    assert_true(s.dtypes[d] || d == TL_F80);
  }
}

/* A graph with every attribute set, made by hand, against its copy by way of text. */
static void every_attribute_survives(void **state) {
  (void)state;
  bench a, b;
  bench_open(&a);
  tl_func *f = tl_func_create(a.module, "all\n\x01 of \"them\"\\");
  f->is_primal = f->recursive = true;
  f->custom_vjp = "rule";
  f->custom_jvp = "";
  f->return_declarator = "struct s *";
  f->loc = (tl_loc){"main.c", 3, 4, 5};
  tl_value n = tl_region_add_param(f, f->body, tl_scalar(TL_U64), "n");
  tl_value x = tl_region_add_param(f, f->body, tl_array_type(f, TL_F32, 2, (tl_extent[]){{0, n}, {7, 0}}), "x y");
  TL_PUSH(f->arena, f->cparams,
          (tl_cparam){"n", "const size_t @", "size_t @", TL_ROLE_INPUT, true, false, false, {"main.c", 3, 6, 8}, NULL, false});
  TL_PUSH(f->arena, f->cparams,
          (tl_cparam){"x y", "struct q @[n]", "struct q @[n]", TL_ROLE_OUTPUT, false, true, true, {"other.h", 9, 8, 7}, NULL, false});
  TL_PUSH(f->arena, f->params, (tl_param){.value = n, .cparam = 0, .access = "$"});
  TL_PUSH(f->arena, f->params, (tl_param){.value = x, .cparam = 1, .access = "$[#].x[#]", .is_memory = true});
  TL_PUSH(f->arena, f->results, (tl_result){.role = TL_RESULT_FINAL, .param = 1});
  TL_PUSH(f->arena, f->results, (tl_result){.role = TL_RESULT_RETURN, .access = "$.a"});
  tl_builder at = {.func = f, .region = f->body, .loc = {"main.c", 10, 11, 12}};
  tl_value c = tl_build_float(&at, TL_F32, 0.1L, "0.1f");
  at.loc = (tl_loc){"other.h", 20, 21, 22};
  tl_value lo = tl_build_int(&at, TL_U64, -1);
  at.loc = (tl_loc){0};
  tl_op *loop = tl_build_loop(&at, lo, n, -3, "i", 1, &c);
  loop->reversed = true;
  tl_value carried = tl_loop_body(loop)->params.data[1];
  TL_PUSH(f->arena, tl_loop_body(loop)->yields, carried);
  tl_build_loop_results(&at, loop);
  at.loc = (tl_loc){NULL, 1, 2, 3};
  tl_op *ext = tl_op_create(&at, TL_OP_extern, 1, &n);
  ext->callee = "printf";
  ext->format = "\"%%zu\\n\", %0";
  ext->has_effect = true;
  tl_value a2 = tl_build_alloc(&at, TL_I8, 1, (tl_extent[]){{5, 0}}, TL_ALLOC_GROW | TL_ALLOC_LOCAL, NULL);
  (void)a2;
  TL_PUSH(f->arena, f->body->yields, x);
  TL_PUSH(f->arena, f->body->yields, tl_op_result(loop, 0));
  assert_int_equal(tl_module_verify(a.module), TL_OK);

  char *text = module_text(a.module);
  bench_open(&b);
  bench_read(&b, text);
  const tl_func *g = b.module->funcs.data[0];
  assert_string_equal(g->name, f->name);
  assert_true(g->is_primal && g->recursive);
  assert_string_equal(g->custom_vjp, "rule");
  assert_string_equal(g->custom_jvp, "");
  assert_string_equal(g->return_declarator, "struct s *");
  assert_string_equal(g->loc.file, "main.c");
  assert_int_equal(g->loc.line, 3);
  assert_int_equal(g->cparams.count, 2);
  for (uint32_t i = 0; i < 2; i++) {
    const tl_cparam *p = &f->cparams.data[i], *q = &g->cparams.data[i];
    assert_string_equal(p->name, q->name);
    assert_string_equal(p->declarator, q->declarator);
    assert_string_equal(p->bare, q->bare);
    assert_string_equal(p->loc.file, q->loc.file);
    assert_true(p->role == q->role && p->by_value == q->by_value && p->differentiable == q->differentiable &&
                p->is_struct == q->is_struct && p->loc.line == q->loc.line && p->loc.column == q->loc.column &&
                p->loc.end_column == q->loc.end_column);
    assert_string_equal(f->params.data[i].access, g->params.data[i].access);
    assert_true(f->params.data[i].cparam == g->params.data[i].cparam &&
                f->params.data[i].is_memory == g->params.data[i].is_memory);
    assert_true(f->results.data[i].role == g->results.data[i].role &&
                f->results.data[i].param == g->results.data[i].param);
  }
  assert_string_equal(g->results.data[1].access, "$.a");
  tl_type t = tl_type_of(g, g->body->params.data[1]);
  assert_true(t.is_array && t.rank == 2 && t.dtype == TL_F32 && t.extents[0].value == g->body->params.data[0] &&
              t.extents[1].value == TL_NO_VALUE && t.extents[1].fixed == 7);
  assert_string_equal(tl_info(g, g->body->params.data[1])->name, "x y");
  const tl_op *const *ops = (const tl_op *const *)g->body->ops.data;
  assert_string_equal(ops[0]->spelling, "0.1f");
  assert_true(ops[0]->u.floating == (long double)0.1f);
  assert_string_equal(ops[0]->loc.file, "main.c");
  assert_int_equal(ops[1]->u.integer, -1);
  assert_string_equal(ops[1]->loc.file, "other.h");
  assert_int_equal(ops[1]->loc.end_column, 22);
  assert_true(ops[2]->reversed && ops[2]->u.step == -3 && !ops[2]->loc.line && !ops[2]->loc.file);
  assert_string_equal(tl_info(g, tl_loop_cond(ops[2])->params.data[0])->name, "i");
  assert_string_equal(ops[3]->callee, "printf");
  assert_string_equal(ops[3]->format, ext->format);
  assert_true(ops[3]->has_effect && !ops[3]->loc.file && ops[3]->loc.line == 1);
  assert_int_equal(ops[4]->u.flags, TL_ALLOC_GROW | TL_ALLOC_LOCAL);
  check_fixpoint(a.module);
  free(text);
  bench_close(&a);
  bench_close(&b);
}

static uint64_t random_bits(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  return *seed ^= *seed << 17;
}

/* Constants of any bits come back exactly, the sign of zero and of NaN included. */
static void floats_are_exact(void **state) {
  (void)state;
  bench a, b;
  bench_open(&a);
  tl_func *f = tl_func_create(a.module, "f");
  f->return_declarator = "void";
  tl_builder at = {.func = f, .region = f->body};
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 3000; i++) {
    uint64_t bits = random_bits(&seed);
    if (i % 3 == 0) {
      float v;
      uint32_t half = (uint32_t)bits;
      memcpy(&v, &half, sizeof v);
      tl_build_float(&at, TL_F32, v, NULL);
    } else if (i % 3 == 1) {
      double v;
      memcpy(&v, &bits, sizeof v);
      tl_build_float(&at, TL_F64, v, NULL);
    } else {
      tl_build_float(&at, TL_F80, ldexpl((long double)(bits | 1u << 31), (int)(random_bits(&seed) % 32000) - 16100), NULL);
    }
  }
  char *text = module_text(a.module);
  bench_open(&b);
  bench_read(&b, text);
  tl_func *g = b.module->funcs.data[0];
  assert_int_equal(g->body->ops.count, 3000);
  for (uint32_t i = 0; i < g->body->ops.count; i++) {
    long double x = f->body->ops.data[i]->u.floating, y = g->body->ops.data[i]->u.floating;
    assert_true((x != x && y != y) || x == y);
    assert_int_equal(!signbit(x), !signbit(y));
  }
  free(text);
  bench_close(&a);
  bench_close(&b);
}

static void the_short_form_is_completed(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  bench_read(&b, "func @f(%n: i32, %a: f32[%n, 2], %c: f64[], out %o: f64[%n], %w: f64[3], %3: f64) -> (final %w, return) {\n"
                 "  yield %w, %3\n}");
  const tl_func *f = b.module->funcs.data[0];
  static const struct {
    const char *name, *declarator, *bare, *access;
    tl_role role;
    bool by_value, differentiable;
  } want[] = {
      {"n", "int @", "int @", "$", TL_ROLE_INPUT, true, false},
      {"a", "const float @[n][2]", "float @[n][2]", "$[#][#]", TL_ROLE_INPUT, false, true},
      {"c", "const double *@", "double *@", "(*$)", TL_ROLE_INPUT, false, true},
      {"o", "double @[n]", "double @[n]", "$[#]", TL_ROLE_OUTPUT, false, false},
      {"w", "double @[3]", "double @[3]", "$[#]", TL_ROLE_INOUT, false, true},
      {"p5", "double @", "double @", "$", TL_ROLE_INPUT, true, true},
  };
  assert_int_equal(f->cparams.count, 6);
  for (uint32_t i = 0; i < 6; i++) {
    const tl_cparam *c = &f->cparams.data[i];
    assert_string_equal(c->name, want[i].name);
    assert_string_equal(c->declarator, want[i].declarator);
    assert_string_equal(c->bare, want[i].bare);
    assert_string_equal(f->params.data[i].access, want[i].access);
    assert_true(c->role == want[i].role && c->by_value == want[i].by_value &&
                c->differentiable == want[i].differentiable);
  }
  assert_string_equal(f->return_declarator, "double");
  assert_int_equal(f->results.data[0].role, TL_RESULT_FINAL);
  assert_int_equal(f->results.data[0].param, 4);
  assert_string_equal(f->results.data[1].access, "$");
  check_fixpoint(b.module);
  bench_close(&b);
}

typedef struct refused {
  const char *text;
  uint32_t line, column;
  const char *says;
} refused;

static const refused bad_texts[] = {
    {"fun @f() {}", 1, 1, "'func' is expected"},
    {"func f() {}", 1, 6, "a function's name"},
    {"func @() {}", 1, 6, "missing after '@'"},
    {"func @f() {}\nfunc @f() {}", 2, 6, "already"},
    {"func @f() {\n  %x: f64 = neg %y\n}", 2, 17, "%y is not defined"},
    {"func @f(%x: f64) {\n  %x: f64 = neg %x\n}", 2, 3, "defined twice"},
    {"func @f(%x: f65) {}", 1, 13, "a type is expected"},
    {"func @f(%x: f64[1,2,3,4,5,6,7,8,9,10,11,12,13]) {}", 1, 43, "at most 12 axes"},
    {"func @f(%x: f64[a=1, b]) {}", 1, 23, "'=' is expected"},
    {"func @f(%x: f64<1,2,3,4,5,6,7,8,9,10,11,12,13>) {}", 1, 43, "at most 12 axes"},
    {"func @f(%x: f64<2]) {}", 1, 18, "',' is expected"},
    {"func @f(%x: f64<2>[3>) {}", 1, 21, "',' is expected"},
    {"func @f(%x: f64<%n>) {}", 1, 17, "%n is not defined"},
    {"func @f(%x: f64<2>) { %s: f64<> = sum %x }", 1, 42, "'with' is expected"},
    {"func @f(%x: f64<2>) { %s: f64<> = sum %x with keep 0, axes all }", 1, 47, "'axes' is expected"},
    {"func @f(%x: f64<2>) { %s: f64<> = sum %x with axes all keep 0 }", 1, 56, "',' is expected"},
    {"func @f(%x: f64<2>) { %s: f64<> = sum %x with axes (0, 12), keep 0 }", 1, 58, "at most 12 axes"},
    {"func @f(%x: f64<2>) { %s: f64<> = sum %x with axes (-13), keep 0 }", 1, 56, "at most 12 axes"},
    {"func @f(%x: f64<2>) { %s: f64<> = sum %x with axes (0 1), keep 0 }", 1, 55, "',' is expected"},
    {"func @f(%x: f64<2>) { %s: f64<> = sum %x with axes 0, keep 0 }", 1, 52, "'(' is expected"},
    {"func @f(%x: f64<2>) { %s: f64<2> = softmax %x with axis (0) }", 1, 57, "an integer"},
    {"func @f(%x: f64<2>, %i: i64<2>) { %r: f64<2> = gather %x, %i with axis 0, mode wrap, batch 0 }", 1, 80, "an index mode"},
    {"func @f(%x: f64<2>) { %y: f64<2> = place %x with start (0, step (1) }", 1, 60, "an integer"},
    {"func @f(%x: f64<2>) { %y: f64<2> = place %x with start 0, step (1) }", 1, 56, "'(' is expected"},
    {"func @f(%x: f64<1>) { %y: f64<1> = place %x with start (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), step (1) }", 1,
     96, "at most 12 numbers"},
    {"func @f(%x: f64<2>) { %y: i64<2> = bitcast %x with dtype q8 }", 1, 58, "a dtype"},
    {"func @f(%x: f64<2>, %i: i64<1, 1>) { %y: f64<2> = window_scatter %x, %i, %x with axes (0), reducer xor, mode clip, "
     "batch 0 }", 1, 100, "a reducer"},
    {"func @f(%x: f64<2>) { %n: i64 = dim %x 0 }", 1, 40, "'axis' is expected"},
    {"func @f(%x: f64<2>) { %y: f64<2> = matmul %x, %x with axes all }", 1, 50, "an op's name"},
    {"func @f() { %x: f64 = frobnicate }", 1, 23, "an op's name"},
    {"func @f() { %x: f64 = const 1.5x }", 1, 29, "a floating constant"},
    {"func @f() { %x: i32 = const 1.5 }", 1, 29, "an integer"},
    {"func @f() { %x: i64 = const 9223372036854775808 }", 1, 29, "an integer"},
    {"func @f() { %x: u64 = const 18446744073709551616 }", 1, 29, "an integer"},
    {"func @f() { %x: i64 = const -9223372036854775809 }", 1, 29, "an integer"},
    {"func @f() { const 1 }", 1, 19, "one result"},
    {"func @f() { call f() }", 1, 18, "a function's name"},
    {"func @f() { extern @f() \"\\q\" }", 1, 25, "an escape"},
    {"func @f() { extern @f() \"\\x00\" }", 1, 25, "an escape"},
    {"func @f() { extern @f() \"abc\n\" }", 1, 25, "does not end on its line"},
    {"func @f() { extern @f() \"\" at 1:2 }", 1, 35, "the end column"},
    {"func @f() { extern @f() \"\" at 4294967296:2-3 }", 1, 41, "2^32"},
    {"func @f() { yield }", 1, 19, "a value"},
    {"func @f() -> (final %x) { }", 1, 21, "%x is not defined"},
    {"func @f() -> (final %x) { %x: f64 = const 1 }", 1, 21, "a parameter"},
    {"func @f() {", 1, 12, "an op's name"},
    {"func @f(%) {}", 1, 9, "missing after '%'"},
    {"func @f(%x: f64) $ {}", 1, 18, "unexpected byte 0x24"},
    {"func @f(cparam \"x\") {}", 1, 19, "a string"},
    {"\n\n   \xff", 3, 4, "unexpected byte 0xff"},
};

static void bad_text_is_refused_at_its_place(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
    const refused *r = &bad_texts[i];
    bench b;
    bench_open(&b);
    tl_status status = bench_parse(&b, r->text);
    const tl_diag_item *d = b.diag.items.data;
    bool ok = status == TL_IR_INVALID && b.diag.errors == 1 && d->loc.line == r->line && d->loc.column == r->column &&
              !strcmp(d->loc.file, "test.tlir") && strstr(d->message, r->says);
    if (!ok) {
      bench_show(&b);
      print_message("%s should be refused at %u:%u with \"%s\"\n", r->text, r->line, r->column, r->says);
      wrong++;
    }
    assert_int_equal(b.module->funcs.count, 0);
    bench_close(&b);
  }
  assert_int_equal(wrong, 0);
}

/* Whatever the bytes are: a graph that prints to a fixpoint or one error. The text lies at the end of an allocation so that
 * a sanitizer sees a read past it. */
static void feed(const char *text, size_t length) {
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  bench b;
  bench_open(&b);
  tl_status status = tl_module_parse(b.module, "hostile.tlir", exact, length);
  assert_true(status == TL_OK ? b.diag.errors == 0 : b.diag.errors == 1 && b.module->funcs.count == 0);
  if (status == TL_OK && tl_module_verify(b.module) == TL_OK) {
    check_fixpoint(b.module);
  }
  bench_close(&b);
  free(exact);
}

static void cut_and_change(const char *path, const char *text, size_t length, void *ctx) {
  (void)path;
  uint64_t *seed = ctx;
  for (size_t i = 0; i < length; i += 1 + length / 400) {
    feed(text, i);
  }
  char *copy = malloc(length);
  for (int i = 0; i < 400; i++) {
    memcpy(copy, text, length);
    for (int k = 0; k < 3; k++) {
      size_t at = random_bits(seed) % length;
      switch (random_bits(seed) % 3) {
      case 0:
        copy[at] = (char)random_bits(seed);
        break;
      case 1:
        copy[at] = text[random_bits(seed) % length];
        break;
      default: {
        size_t from = random_bits(seed) % length, n = random_bits(seed) % 32;
        n = n > length - at ? length - at : n;
        n = n > length - from ? length - from : n;
        memcpy(copy + at, text + from, n);
      }
      }
    }
    feed(copy, length);
  }
  free(copy);
}

static void hostile_text_is_harmless(void **state) {
  (void)state;
  uint64_t seed = 1234567;
  each_sample(cut_and_change, &seed);
}

static char *repeat(const char *before, const char *unit, int times, const char *after) {
  size_t room = strlen(before) + strlen(unit) * (size_t)times + strlen(after) + 1;
  char *text = malloc(room), *at = text;
  at += sprintf(at, "%s", before);
  for (int i = 0; i < times; i++) {
    at += sprintf(at, "%s", unit);
  }
  sprintf(at, "%s", after);
  return text;
}

static void depth_and_length_are_bounded(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  char *deep = repeat("func @f(%c: i1) {", " if %c {", 100000, "");
  assert_int_equal(bench_parse(&b, deep), TL_IR_INVALID);
  assert_non_null(strstr(b.diag.items.data[0].message, "nested"));
  free(deep);
  char *number = repeat("func @f() { %x: f64 = const 1", "0", 100000, " }");
  assert_int_equal(bench_parse(&b, number), TL_IR_INVALID);
  free(number);
  char *wide = repeat("func @f(%c: i1) { yield %c", ", %c", 100000, " }");
  assert_int_equal(bench_parse(&b, wide), TL_OK);
  free(wide);
  bench_close(&b);
}

/* Each allocation of parse, verify and print fails once; nothing is left behind but the arena. */
static void exhaustion_is_survived(void **state) {
  (void)state;
  size_t length;
  char *text = read_file(SAMPLES "/control.tlir", &length);
  FILE *out = fopen("/dev/null", "w");
  assert_non_null(out);
  for (uint64_t n = 1;; n++) {
    bench b;
    tl_arena_init(&b.arena);
    b.arena.block_bytes = 256;
    tl_recovery recovery;
    tl__recovery_enter(&recovery);
    tl__alloc_fail_at(n);
    volatile bool finished = false;
    if (!setjmp(recovery.jump)) {
      tl_diag_init(&b.diag, &b.arena);
      b.module = tl_module_create(&b.arena, &b.diag);
      assert_int_equal(tl_module_parse(b.module, "control.tlir", text, length), TL_OK);
      assert_int_equal(tl_module_verify(b.module), TL_OK);
      tl_module_print(b.module, out);
      tl__recovery_leave(&recovery);
      finished = true;
    }
    tl__alloc_fail_at(0);
    tl_arena_deinit(&b.arena);
    if (finished) {
      assert_true(n > 5);
      break;
    }
  }
  fclose(out);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_round_trip),
      cmocka_unit_test(samples_use_every_op),
      cmocka_unit_test(samples_say_all_of_tensors),
      cmocka_unit_test(every_attribute_survives),
      cmocka_unit_test(floats_are_exact),
      cmocka_unit_test(the_short_form_is_completed),
      cmocka_unit_test(bad_text_is_refused_at_its_place),
      cmocka_unit_test(hostile_text_is_harmless),
      cmocka_unit_test(depth_and_length_are_bounded),
      cmocka_unit_test(exhaustion_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
