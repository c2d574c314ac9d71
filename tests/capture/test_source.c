/* Graphs printed as C: each file compiles without a warning, by gcc and by clang, and gives the bits of the eager ops.
 * source DIR INCLUDE LIBRARY FLAGS... */
#include <dlfcn.h>

#include "parts.h"
#include "program.h"

enum { MOST = 400, MOST_OUTPUTS = 10 };
static const char *dir, *include, *library;
static char flags[512];

/* A graph to print, its inputs and what it has to give; each has a count of its own. */
typedef struct item {
  tl_graph *graph;
  size_t in_count, out_count;
  tl_tensor in[8], want[MOST_OUTPUTS];
} item;

static item items[MOST];
static size_t count;

/* `want` NULL: what the interpreter gives, which is what the eager ops give. */
static void add(tl_graph *g, const tl_tensor *in, const tl_tensor *want) {
  assert_true(count < MOST);
  item *t = &items[count++];
  *t = (item){.graph = g, .in_count = tl_graph_input_count(g), .out_count = tl_graph_output_count(g)};
  assert_true(t->in_count <= 8 && t->out_count <= MOST_OUTPUTS);
  tl_tensor got[MOST_OUTPUTS];
  if (!want) {
    run_well(g, in, got);
  }
  for (size_t i = 0; i < t->in_count; i++) {
    t->in[i] = tl_retain(in[i]);
  }
  for (size_t i = 0; i < t->out_count; i++) {
    t->want[i] = want ? tl_retain(want[i]) : got[i];
  }
}

/* ---- compiling and running ---- */

static void print_all(void) {
  for (size_t i = 0; i < count; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/source_%zu.c", dir, i);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fprintf(f, "#define %s graph_%zu\n", tl_graph_name(items[i].graph), i); /* all in one library */
    tl_status status = tl_graph_source(items[i].graph, f);
    fclose(f);
    if (status != TL_OK) {
      fail_msg("%s: %s", path, tl_last_message());
    }
  }
}

static void *compile(const char *cc) {
  static char command[1024];
  snprintf(
      command, sizeof command,
      "cd '%s' && %s -std=c17 -O1 -Wall -Wextra -Werror -fPIC -shared %s -I'%s' -o source_%s.so source_*.c '%s' -lm",
      dir, cc, flags, include, cc, library);
  if (system(command) != 0) {
    fail_msg("%s", command);
  }
  snprintf(command, sizeof command, "%s/source_%s.so", dir, cc);
  void *all = dlopen(command, RTLD_NOW | RTLD_LOCAL);
  if (!all) {
    fail_msg("%s", dlerror());
  }
  return all;
}

static tl_fn *find(void *all, size_t i) {
  char name[64];
  snprintf(name, sizeof name, "graph_%zu", i);
  tl_fn *fn = NULL;
  *(void **)&fn = dlsym(all, name);
  assert_non_null(fn);
  return fn;
}

static void check(const char *cc) {
  void *all = compile(cc);
  size_t outputs = 0;
  for (size_t i = 0; i < count; i++) {
    const item *t = &items[i];
    tl_scope scope = tl_scope_open();
    tl_tensor got[MOST_OUTPUTS];
    find(all, i)(NULL, t->in, got);
    for (size_t k = 0; k < t->out_count; k++, outputs++) {
      if (!same_bits(got[k], t->want[k])) {
        tl_graph_print(t->graph, stderr);
        fail_msg("%s: graph %zu, output %zu: off by %g, %s", cc, i, k,
                 tl_status_of(got[k]) == TL_OK ? difference(got[k], t->want[k]) : NAN, tl_message_of(got[k]));
      }
    }
    tl_scope_close(scope);
  }
  print_message("%s: %zu graphs, %zu outputs\n", cc, count, outputs);
  dlclose(all);
}

static void check_all(void) {
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", dir, dir);
  assert_int_equal(system(command), 0);
  print_all();
  check("gcc");
  check("clang-19");
  for (size_t i = 0; i < count; i++) {
    tl_graph_release(items[i].graph);
    release_all(items[i].in_count, items[i].in);
    release_all(items[i].out_count, items[i].want);
  }
  count = 0;
}

/* ---- random programs ---- */

static void test_programs(void **state) {
  (void)state;
  static const tl_dtype dtypes[] = {TL_F64, TL_F32, TL_F16, TL_I32, TL_BF16, TL_I64};
  for (int round = 0; round < 60; round++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[INPUTS], want[4];
    tl_spec specs[INPUTS];
    tl_dtype dtype = dtypes[round % 6];
    make_inputs(dtype, in, specs, false);
    program p = {.seed = (uint64_t)round * 977 + 5, .inputs = INPUTS, .ops = 30};
    p.constant = random_tensor(dtype, TL_SHAPE(4), -2, 2);
    tl_graph *g = capture("f", run_program, &p, INPUTS, specs, 4);
    run_program(&p, in, want);
    add(g, in, want);
    tl_scope_close(scope);
  }
  check_all();
}

static bool runs(const tl_graph *f, const tl_tensor *in) {
  tl_tensor out;
  tl_status status = run_graph(f, in, &out);
  tl_release(out);
  return status == TL_OK;
}

static void add_batch(const tl_graph *g, const tl_tensor *in, int choice) {
  bool batched[INPUTS];
  tl_tensor whole[INPUTS];
  for (int i = 0; i < INPUTS; i++) {
    batched[i] = choice >> i & 1;
    tl_shape s = tl_shape_of(in[i]);
    if (batched[i]) {
      memmove(s.dim + 1, s.dim, sizeof *s.dim * (size_t)s.rank++);
      s.dim[0] = 5;
    }
    whole[i] = random_tensor(tl_dtype_of(in[i]), s, -1, 1);
  }
  tl_graph *b;
  assert_int_equal(tl_graph_vmap(g, batched, &b), TL_OK);
  add(b, whole, NULL);
}

static void add_transforms(tl_graph *f, const tl_tensor *in, int round) {
  tl_graph *g, *j, *h, *v;
  assert_int_equal(tl_graph_grad(f, 0, NULL, true, &g), TL_OK);
  assert_int_equal(tl_graph_jvp(f, 0, NULL, true, &j), TL_OK);
  assert_int_equal(tl_graph_vjp(f, 0, NULL, true, &v), TL_OK);
  tl_tensor seeds[2 * INPUTS];
  for (int i = 0; i < INPUTS; i++) {
    seeds[i] = in[i];
    seeds[INPUTS + i] = random_tensor(tl_dtype_of(in[i]), tl_shape_of(in[i]), -1, 1);
  }
  add(g, in, NULL);
  add(j, seeds, NULL);
  seeds[INPUTS] = tl_fill(tl_dtype_of(in[0]), TL_SCALAR, 1.5);
  add(v, seeds, NULL);
  add_batch(f, in, 1 + round % 7);
  add_batch(g, in, 1 + (round + 3) % 7);
  if (round % 3 == 0) {
    assert_int_equal(tl_graph_hessian(f, 0, NULL, true, &h), TL_OK);
    add(h, in, NULL);
  }
}

static void test_transforms(void **state) {
  (void)state;
  static const tl_dtype dtypes[] = {TL_F64, TL_F64, TL_F32, TL_F16};
  size_t before = 0;
  for (int round = 0; round < 24; round++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[INPUTS];
    tl_spec specs[INPUTS];
    make_inputs(dtypes[round % 4], in, specs, round % 2);
    program p = {.seed = (uint64_t)round * 31 + 3, .inputs = INPUTS, .ops = 12, .smooth = true};
    p.constant = random_tensor(dtypes[round % 4], TL_SHAPE(4), -1, 1);
    tl_graph *f = capture("f", run_program, &p, INPUTS, specs, 1);
    if (runs(f, in)) {
      add_transforms(f, in, round);
      add(f, in, NULL);
      before++;
    } else {
      tl_graph_release(f);
    }
    tl_scope_close(scope);
  }
  assert_true(before > 12);
  check_all();
}

/* ---- loops, branches ---- */

static void far(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const tl_tensor *a = ctx;
  tl_tensor error = tl_fabs(tl_sub(tl_mul(in[0], in[0]), *a));
  out[0] = tl_gt(error, tl_scalar_like(error, 1e-12));
}

static void closer(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const tl_tensor *a = ctx;
  out[0] = tl_mul(tl_add(in[0], tl_div(*a, in[0])), tl_scalar_like(in[0], 0.5));
  out[1] = tl_add(in[1], in[0]);
}

static void root(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor a = in[0], init[] = {tl_scalar_like(a, 1), tl_scalar_like(a, 0)}, end[2];
  tl_loop(far, closer, &a, 2, init, end);
  out[0] = tl_mul(end[0], end[1]);
}

static void cell(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const tl_tensor *w = ctx;
  out[0] = tl_tanh(tl_add(tl_matmul(in[0], *w), in[1]));
  out[1] = tl_sum(out[0], TL_ALL, false);
}

static void recurrent(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor w = in[0], carry = in[1], end[2];
  tl_scan(cell, &w, 1, &carry, 1, &in[2], 1, end);
  out[0] = tl_add(tl_sum(end[0], TL_ALL, false), tl_sum(tl_mul(end[1], end[1]), TL_ALL, false));
}

static void square(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_mul(in[0], in[0]);
}

static void sine(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_sin(in[0]);
}

static void choice(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor s = tl_sum(in[0], TL_ALL, false);
  tl_cond(tl_gt(s, tl_scalar_like(s, 0)), square, sine, NULL, 1, in, 1, out);
  out[0] = tl_sum(out[0], TL_ALL, false);
}

static void add_with_derivatives(tl_graph *f, const tl_tensor *in) {
  tl_graph *g, *h, *v;
  bool all[8] = {true, true, true};
  tl_tensor rows[8];
  assert_int_equal(tl_graph_grad(f, 0, NULL, true, &g), TL_OK);
  assert_int_equal(tl_graph_hessian(f, 1, (size_t[]){0}, false, &h), TL_OK);
  assert_int_equal(tl_graph_vmap(g, all, &v), TL_OK);
  for (size_t i = 0; i < tl_graph_input_count(f); i++) {
    tl_shape s = tl_shape_of(in[i]);
    memmove(s.dim + 1, s.dim, sizeof *s.dim * (size_t)s.rank++);
    s.dim[0] = 3;
    rows[i] = tl_mul(tl_broadcast(in[i], s), random_tensor(tl_dtype_of(in[i]), s, 0.5, 1));
  }
  add(f, in, NULL);
  add(g, in, NULL);
  add(h, in, NULL);
  add(v, rows, NULL);
}

static void test_control(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  tl_tensor two = tl_fill(TL_F64, TL_SCALAR, 2);
  add_with_derivatives(capture("root", root, NULL, 1, &(tl_spec){TL_F64, TL_SCALAR, "a"}, 1), &two);
  tl_tensor in[] = {random_tensor(TL_F64, TL_SHAPE(3, 3), -1, 1), random_tensor(TL_F64, TL_SHAPE(3), -1, 1),
                    random_tensor(TL_F64, TL_SHAPE(6, 3), -1, 1)};
  tl_spec specs[] = {{TL_F64, {2, {3, 3}}, "w"}, {TL_F64, {1, {3}}, "start"}, {TL_F64, {2, {TL_SYM(0), 3}}, "steps"}};
  add_with_derivatives(capture("recurrent", recurrent, NULL, 3, specs, 1), in);
  for (int sign = -1; sign <= 1; sign += 2) {
    tl_tensor x = tl_fill(TL_F64, TL_SHAPE(4), 0.3 * sign);
    add_with_derivatives(capture("choice", choice, NULL, 1, &(tl_spec){TL_F64, {1, {4}}, "x"}, 1), &x);
  }
  tl_tensor x[] = {random_tensor(TL_F64, TL_SHAPE(5, 3), -1, 1), random_tensor(TL_F64, TL_SHAPE(2, 1, 2, 2), -1, 1)};
  add(capture("parts", parts, NULL, 2, parts_specs, PARTS), x, NULL);
  add_with_derivatives(capture("squares", squares_of_parts, NULL, 2, parts_specs, 1), x);
  tl_scope_close(scope);
  check_all();
}

/* ---- constants: every dtype, and the bits that a number in C's text can lose ---- */

static void give(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const tl_tensor *c = ctx;
  (void)in;
  for (int i = 0; i < 8; i++) {
    out[i] = c[i];
  }
}

static tl_tensor constant(tl_dtype d, const void *bits, int64_t n) { return tl_from(d, TL_SHAPE(n), bits); }

static void test_constants(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  const uint64_t doubles[] = {0x7ff4000000000001u, 0xfff8000000000000u, 0x8000000000000000u, 1, 0x7ff0000000000000u};
  const uint64_t finite[] = {0x8000000000000000u, 1, 0x7fefffffffffffffu, 0x3fb999999999999au};
  const uint32_t singles[] = {0x7fa00001u, 0xffc00000u, 0x80000000u, 1, 0xff800000u},
                 tame[] = {0x80000000u, 1, 0x3dcccccd};
  const uint16_t halves[] = {0x7d01, 0xfe00, 0x8000, 1, 0xfc00};
  const uint8_t bytes[] = {0x7f, 0xff, 0x80, 1, 0};
  const int64_t wide[] = {INT64_MIN, INT64_MAX, -1, (int64_t)1 << 53, 0};
  const int32_t narrow[] = {INT32_MIN, INT32_MAX, -1};
  tl_tensor lists[][8] = {
      {constant(TL_F64, doubles, 5), constant(TL_F64, finite, 4), constant(TL_F32, singles, 5),
       constant(TL_F32, tame, 3), constant(TL_F16, halves, 5), constant(TL_BF16, halves, 5),
       constant(TL_F8E4M3FN, bytes, 5), constant(TL_U64, wide, 5)},
      {constant(TL_I64, wide, 5), constant(TL_I32, narrow, 3), constant(TL_U32, narrow, 3), constant(TL_I16, halves, 5),
       constant(TL_U16, halves, 5), constant(TL_I8, bytes, 5), constant(TL_U8, bytes, 5),
       constant(TL_BOOL, (uint8_t[]){1, 0, 1}, 3)},
      /* all elements equal: numbers of the program */
      {constant(TL_F64, &doubles[1], 1), constant(TL_F64, &doubles[0], 1), constant(TL_F32, &singles[1], 1),
       constant(TL_F32, &singles[4], 1), constant(TL_F16, &halves[1], 1), constant(TL_I64, &wide[0], 1),
       constant(TL_U64, &wide[2], 1), tl_fill(TL_F64, TL_SHAPE(0, 3), 0)},
      {constant(TL_F64, &doubles[2], 1), constant(TL_BF16, &halves[1], 1), constant(TL_F8E4M3FN, &bytes[1], 1),
       constant(TL_I32, &narrow[0], 1), constant(TL_U32, &narrow[2], 1), constant(TL_BOOL, (uint8_t[]){1}, 1),
       constant(TL_I64, &wide[3], 1), constant(TL_F8E4M3FN, &bytes[0], 1)}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    tl_spec none = {TL_F32, TL_SCALAR, "unused"};
    tl_tensor zero = tl_fill(TL_F32, TL_SCALAR, 0);
    add(capture("f", give, lists[i], i % 2, &none, 8), &zero, lists[i]);
  }
  tl_scope_close(scope);
  check_all();
}

/* ---- extents, names, refusals ---- */

static void mean(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  int64_t n = tl_shape_of(in[0]).dim[0];
  tl_tensor valid = tl_where(tl_valid_mask(n), in[0], tl_scalar_like(in[0], 0));
  out[0] = tl_div(tl_sum(valid, TL_ALL, false), tl_cast(tl_valid_length(n), TL_F64));
  out[1] = tl_add(tl_broadcast(out[0], tl_shape_of(in[0])), in[1]);
}

static void test_extents(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  tl_spec specs[] = {{TL_F64, {1, {TL_BOUNDED(0, 8)}}, "int"}, {TL_F64, {1, {TL_BOUNDED(0, 8)}}, "f"}};
  tl_graph *g = capture("f", mean, NULL, 2, specs, 2);
  tl_tensor in[] = {random_tensor(TL_F64, TL_SHAPE(5), -1, 1), random_tensor(TL_F64, TL_SHAPE(5), -1, 1)}, want[2];
  mean(NULL, in, want);
  add(g, in, want);
  /* what does not fit is refused in the words of a run */
  tl_graph_retain(g);
  tl_tensor wrong[][2] = {{tl_fill(TL_F64, TL_SHAPE(9), 0), tl_fill(TL_F64, TL_SHAPE(9), 0)},
                          {in[0], tl_fill(TL_F64, TL_SHAPE(4), 0)},
                          {in[0], tl_fill(TL_F32, TL_SHAPE(5), 0)},
                          {tl_fill(TL_F64, TL_SHAPE(1, 5), 0), in[1]},
                          {in[0], tl_add(in[0], tl_fill(TL_F64, TL_SHAPE(4), 0))}};
  static const tl_status statuses[] = {TL_BOUNDED_DIM_EXCEEDED, TL_TENSOR_SHAPE_MISMATCH, TL_DTYPE_MISMATCH,
                                       TL_TENSOR_SHAPE_MISMATCH, TL_TENSOR_SHAPE_MISMATCH};
  tl_tensor failures[5][2];
  for (int i = 0; i < 5; i++) {
    tl_tensor failed;
    assert_false(tl_inputs_fit("f", 2, specs, wrong[i], &failed));
    assert_int_equal(tl_status_of(failed), statuses[i]);
    tl_tensor got[2];
    assert_int_equal(run_graph(g, wrong[i], got), statuses[i]);
    assert_string_equal(tl_message_of(failed), tl_last_message());
    failures[i][0] = failures[i][1] = failed;
  }
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", dir, dir);
  assert_int_equal(system(command), 0);
  print_all();
  void *all = compile("gcc");
  for (int i = 0; i < 5; i++) {
    tl_tensor got[2];
    find(all, 0)(NULL, wrong[i], got);
    for (int k = 0; k < 2; k++) {
      assert_int_equal(tl_status_of(got[k]), statuses[i]);
      assert_string_equal(tl_message_of(got[k]), tl_message_of(failures[i][k]));
    }
  }
  dlclose(all);
  tl_graph_release(g);
  check_all();
  tl_scope_close(scope);
}

static void test_names(void **state) {
  (void)state;
  static const char *const names[] = {"while", "main", "exp", "sinf", "tl_add", "a b", "1x", "_f", "printf"};
  tl_spec spec = {TL_F64, TL_SCALAR, "x"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    tl_graph *g = capture(names[i], sine, NULL, 1, &spec, 1);
    FILE *f = fopen("/dev/null", "w");
    assert_int_equal(tl_graph_source(g, f), TL_NAME_CLASH);
    assert_non_null(strstr(tl_last_message(), names[i]));
    fclose(f);
    tl_graph_release(g);
  }
  tl_graph *g = capture("f", sine, NULL, 1, &spec, 1);
  FILE *full = fopen("/dev/full", "w");
  setvbuf(full, NULL, _IONBF, 0);
  assert_int_equal(tl_graph_source(g, full), TL_FILE_UNWRITABLE);
  fclose(full);
  tl_graph_release(g);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    return 2;
  }
  dir = argv[1], include = argv[2], library = argv[3];
  for (int i = 4; i < argc; i++) {
    strcat(strcat(flags, " "), argv[i]);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_transforms),
                                     cmocka_unit_test(test_control),  cmocka_unit_test(test_constants),
                                     cmocka_unit_test(test_extents),  cmocka_unit_test(test_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
