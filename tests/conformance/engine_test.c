/* What every engine does: engine_test NAME. A test opens the engine by its name and asks for nothing else of it. */
#include "../capture/program.h"

static const char *engine_name;

typedef struct open_program {
  tl_engine *engine;
  tl_program *program;
} open_program;

static open_program prepare(const tl_graph *g, const tl_prepare_opts *opts) {
  open_program o;
  assert_int_equal(tl_engine_open(engine_name, NULL, &o.engine), TL_OK);
  assert_int_equal(tl_engine_prepare(o.engine, g, opts, &o.program), TL_OK);
  return o;
}

static void close_program(open_program *o) {
  tl_program_close(o->program);
  tl_engine_close(o->engine);
}

static void step(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_sub(in[0], tl_mul(in[1], tl_scalar_like(in[1], 0.1)));
  out[1] = tl_sum(tl_mul(in[0], in[1]), TL_ALL, false);
}

static const tl_spec step_specs[] = {{TL_F64, {1, {TL_SYM(0)}}, "w"}, {TL_F64, {1, {TL_SYM(0)}}, "g"}};

static void test_names(void **state) {
  (void)state;
  tl_engine *e;
  assert_int_equal(tl_engine_open("no such engine", NULL, &e), TL_ENGINE_UNKNOWN);
  assert_null(e);
  assert_non_null(strstr(tl_last_message(), "'no such engine'"));
  assert_int_equal(tl_engine_open(engine_name, &(tl_engine_opts){0}, &e), TL_OK);
  tl_engine_close(e);
}

/* Outputs belong to the caller, whatever scopes there are. */
static void test_outputs(void **state) {
  (void)state;
  tl_graph *g = capture("step", step, NULL, 2, step_specs, 2);
  open_program o = prepare(g, NULL);
  tl_graph_release(g);
  tl_tensor out[2];
  for (int64_t n = 0; n < 4; n++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[] = {random_tensor(TL_F64, TL_SHAPE(n), -1, 1), random_tensor(TL_F64, TL_SHAPE(n), -1, 1)}, want[2];
    tl_scope inner = tl_scope_open();
    assert_int_equal(tl_program_run(o.program, in, out), TL_OK);
    tl_scope_close(inner);
    step(NULL, in, want);
    assert_true(same_bits(out[0], want[0]) && same_bits(out[1], want[1]));
    tl_scope_close(scope);
    assert_int_equal(tl_shape_of(out[0]).dim[0], n);
    release_all(2, out);
  }
  tl_program_info info = tl_program_describe(o.program);
  assert_true(info.peak_bytes >= 8 && info.compile_seconds >= 0 && info.route);
  close_program(&o);
}

static void hand_on(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = in[0];
  out[1] = tl_reshape(in[0], TL_SHAPE(-1, 1));
}

/* An output that is an input has storage of its own: what is donated later leaves it alone. */
static void test_handed_on(void **state) {
  (void)state;
  tl_graph *g = capture("hand_on", hand_on, NULL, 1, step_specs, 2);
  open_program o = prepare(g, &(tl_prepare_opts){1, (const size_t[][2]){{0, 0}}});
  tl_scope scope = tl_scope_open();
  tl_tensor x = random_tensor(TL_F64, TL_SHAPE(3), -1, 1), copy = tl_cast(x, TL_F64), out[2];
  assert_int_equal(tl_program_run(o.program, &x, out), TL_OK);
  assert_int_equal(tl_status_of(x), TL_DONATED);
  assert_true(same_bits(out[0], copy));
  assert_int_equal(tl_status_of(out[1]), TL_OK);
  release_all(2, out);
  tl_scope_close(scope);
  close_program(&o);
  tl_graph_release(g);
}

static void test_arguments(void **state) {
  (void)state;
  tl_graph *g = capture("step", step, NULL, 2, step_specs, 2);
  open_program o = prepare(g, NULL);
  tl_scope scope = tl_scope_open();
  tl_tensor good = tl_fill(TL_F64, TL_SHAPE(3), 1), out[2];
  const struct {
    tl_tensor second;
    tl_status status;
    const char *words;
  } cases[] = {
      {tl_fill(TL_F32, TL_SHAPE(3), 1), TL_DTYPE_MISMATCH, "input 1 of 'step' has dtype f32, not f64"},
      {tl_fill(TL_F64, TL_SHAPE(3, 1), 1), TL_TENSOR_SHAPE_MISMATCH, "input 1 of 'step' has rank 2, not 1"},
      {tl_fill(TL_F64, TL_SHAPE(4), 1), TL_TENSOR_SHAPE_MISMATCH, "axis 0 of input 1 of 'step' has extent 4"},
      {tl_add(good, tl_fill(TL_F32, TL_SCALAR, 1)), TL_DTYPE_MISMATCH, "operand 0 has dtype f64"},
      {NULL, TL_OUT_OF_MEMORY, "an allocation failed"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    out[0] = out[1] = good;
    assert_int_equal(tl_program_run(o.program, (tl_tensor[]){good, cases[i].second}, out), cases[i].status);
    assert_non_null(strstr(tl_last_message(), cases[i].words));
    assert_true(!out[0] && !out[1]);
  }
  tl_scope_close(scope);
  close_program(&o);
  tl_graph_release(g);
}

/* An op that fails when it runs gives its own status. */
static void pick(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_gather(in[0], in[1], 0, (tl_gather_opts){.mode = TL_INDEX_CHECK});
}

static void test_failing_op(void **state) {
  (void)state;
  tl_spec specs[] = {step_specs[0], {TL_I32, TL_SCALAR, "i"}};
  tl_graph *g = capture("pick", pick, NULL, 2, specs, 1);
  open_program o = prepare(g, NULL);
  tl_scope scope = tl_scope_open();
  tl_tensor in[] = {tl_fill(TL_F64, TL_SHAPE(3), 1), tl_fill(TL_I32, TL_SCALAR, 3)}, out;
  assert_int_equal(tl_program_run(o.program, in, &out), TL_INDEX_OUT_OF_RANGE);
  assert_null(out);
  assert_non_null(strstr(tl_last_message(), "index 3 on axis 0, which has extent 3"));
  in[1] = tl_fill(TL_I32, TL_SCALAR, 2);
  assert_int_equal(tl_program_run(o.program, in, &out), TL_OK);
  tl_release(out);
  tl_scope_close(scope);
  close_program(&o);
  tl_graph_release(g);
}

static void test_donation(void **state) {
  (void)state;
  tl_graph *g = capture("step", step, NULL, 2, step_specs, 2);
  open_program o = prepare(g, &(tl_prepare_opts){1, (const size_t[][2]){{0, 0}}});
  tl_scope scope = tl_scope_open();
  tl_tensor w = random_tensor(TL_F64, TL_SHAPE(4), -1, 1), d = random_tensor(TL_F64, TL_SHAPE(4), -1, 1), out[2],
            want[2];
  tl_tensor view = tl_reshape(w, TL_SHAPE(2, 2));
  double numbers[4];
  step(NULL, (tl_tensor[]){w, d}, want);
  /* Where nothing ran, nothing was given. */
  assert_int_equal(tl_program_run(o.program, (tl_tensor[]){w, tl_fill(TL_F32, TL_SHAPE(4), 1)}, out),
                   TL_DTYPE_MISMATCH);
  assert_int_equal(tl_program_run(o.program, (tl_tensor[]){w, w}, out), TL_DONATED);
  assert_int_equal(tl_status_of(w), TL_OK);
  assert_int_equal(tl_program_run(o.program, (tl_tensor[]){w, d}, out), TL_OK);
  assert_true(same_bits(out[0], want[0]) && same_bits(out[1], want[1]));
  assert_int_equal(tl_status_of(w), TL_DONATED);
  assert_int_equal(tl_read(w, numbers, sizeof numbers), TL_DONATED);
  assert_null(tl_data(w));
  assert_int_equal(tl_status_of(tl_add(w, d)), TL_DONATED);
  assert_int_equal(tl_status_of(tl_exp(view)), TL_DONATED);
  assert_int_equal(tl_read(view, numbers, sizeof numbers), TL_DONATED);
  assert_true(strlen(tl_message_of(view)) > 0);
  tl_tensor again[2];
  assert_int_equal(tl_program_run(o.program, (tl_tensor[]){w, d}, again), TL_DONATED);
  assert_int_equal(tl_status_of(d), TL_OK);
  release_all(2, out);
  tl_scope_close(scope);
  /* Pairs that cannot be. */
  const struct {
    size_t count, pairs[2][2];
    tl_status status;
  } cases[] = {{1, {{0, 1}}, TL_TENSOR_SHAPE_MISMATCH},
               {1, {{2, 0}}, TL_INDEX_OUT_OF_RANGE},
               {1, {{0, 2}}, TL_INDEX_OUT_OF_RANGE},
               {2, {{0, 0}, {1, 0}}, TL_DONATED},
               {2, {{0, 0}, {0, 0}}, TL_DONATED}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tl_program *p;
    tl_prepare_opts opts = {cases[i].count, cases[i].pairs};
    assert_int_equal(tl_engine_prepare(o.engine, g, &opts, &p), cases[i].status);
    assert_null(p);
  }
  close_program(&o);
  tl_graph_release(g);
}

static void test_closed(void **state) {
  (void)state;
  tl_graph *g = capture("step", step, NULL, 2, step_specs, 2);
  open_program o = prepare(g, NULL);
  tl_scope scope = tl_scope_open();
  tl_tensor x = tl_fill(TL_F64, TL_SHAPE(3), 1), out[2];
  tl_engine_close(o.engine);
  assert_int_equal(tl_program_run(o.program, (tl_tensor[]){x, x}, out), TL_ENGINE_CLOSED);
  tl_program_close(o.program);
  tl_scope_close(scope);
  tl_graph_release(g);
}

/* Random programs in every dtype: the interpreter is the reference, others are compared with the eager run too. */
static void test_programs(void **state) {
  (void)state;
  static const tl_shape shapes[] = {{2, {3, 4}}, {1, {4}}, {2, {3, 1}}};
  static const tl_dtype dtypes[] = {TL_F64, TL_F32};
  for (int round = 0; round < 40; round++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[3], want[4], got[4];
    tl_spec specs[3];
    for (int i = 0; i < 3; i++) {
      in[i] = random_tensor(dtypes[round % 2], shapes[i], -1, 1);
      specs[i] = (tl_spec){dtypes[round % 2], shapes[i], NULL};
    }
    program p = {.seed = (uint64_t)round * 1237 + 11, .inputs = 3, .ops = 25};
    p.constant = random_tensor(dtypes[round % 2], TL_SHAPE(4), -2, 2);
    tl_graph *g = capture("f", run_program, &p, 3, specs, 4);
    open_program o = prepare(g, NULL);
    run_program(&p, in, want);
    assert_int_equal(tl_program_run(o.program, in, got), TL_OK);
    for (int i = 0; i < 4; i++) {
      assert_true(same_bits(got[i], want[i]) || difference(got[i], want[i]) < 1e-5);
    }
    release_all(4, got);
    close_program(&o);
    tl_graph_release(g);
    tl_scope_close(scope);
  }
}

/* ---- bounded ---- */

static void masked_mean(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  int64_t n = tl_shape_of(in[0]).dim[0];
  tl_tensor valid = tl_reshape(tl_valid_mask(n), TL_SHAPE(n, 1)), e = tl_exp(tl_mul(in[0], in[1]));
  tl_tensor kept = tl_where(valid, e, tl_scalar_like(e, 0));
  tl_tensor count = tl_cast(tl_valid_length(n), tl_dtype_of(e));
  out[0] = tl_div(tl_sum(kept, TL_ALL, false), count);
}

static void with_rows(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  masked_mean(ctx, in, out);
  out[1] = tl_exp(tl_mul(in[0], in[1]));
}

static void unmasked(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_sum(tl_exp(in[0]), TL_ALL, false);
}

static void flattened(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_reshape(in[0], TL_SHAPE(-1));
}

static const tl_spec bounded_specs[] = {{TL_F64, {2, {TL_BOUNDED(0, 6), 2}}, "x"}, {TL_F64, {1, {2}}, "w"}};

static void test_bounded(void **state) {
  (void)state;
  tl_engine *e;
  assert_int_equal(tl_engine_open(engine_name, NULL, &e), TL_OK);
  tl_graph *f = capture("mean", masked_mean, NULL, 2, bounded_specs, 1),
           *rows = capture("rows", with_rows, NULL, 2, bounded_specs, 2);
  tl_graph *bad = capture("bad", unmasked, NULL, 1, bounded_specs, 1),
           *flat = capture("flat", flattened, NULL, 1, bounded_specs, 1);
  tl_graph *train;
  assert_int_equal(tl_graph_grad(f, 1, (size_t[]){1}, true, &train), TL_OK);
  for (int64_t n = 1; n <= 6; n++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[] = {random_tensor(TL_F64, TL_SHAPE(n, 2), -1, 1), random_tensor(TL_F64, TL_SHAPE(2), -1, 1)};
    tl_tensor want[2], exact[2], padded[2], refused[1];
    with_rows(NULL, in, want); /* eagerly every element is valid */
    assert_int_equal(tl_bounded_run(e, rows, false, in, exact), TL_OK);
    assert_int_equal(tl_bounded_run(e, rows, true, in, padded), TL_OK);
    assert_true(same_bits(exact[0], want[0]) && difference(padded[0], want[0]) < 1e-14);
    assert_true(same_bits(exact[1], want[1]) && same_bits(padded[1], want[1]));
    assert_int_equal(tl_bounded_check(e, rows, in), TL_OK);
    assert_int_equal(tl_bounded_check(e, train, in), TL_OK); /* loss and gradient per bucket */
    tl_status want_status =
        n == 1 || n == 2 || n == 4 || n == 6 ? TL_OK : TL_PADDING_DIFFERS; /* the buckets themselves */
    assert_int_equal(tl_bounded_check(e, bad, in), want_status);
    assert_int_equal(tl_bounded_run(e, flat, true, in, refused), TL_BOUNDED_AXIS_MISMATCH);
    release_all(2, exact);
    release_all(2, padded);
    tl_scope_close(scope);
  }
  tl_scope scope = tl_scope_open();
  tl_tensor out, large[] = {tl_fill(TL_F64, TL_SHAPE(7, 2), 1), tl_fill(TL_F64, TL_SHAPE(2), 1)};
  tl_tensor none[] = {tl_fill(TL_F64, TL_SHAPE(0, 2), 1), large[1]};
  assert_int_equal(tl_bounded_run(e, f, true, large, &out), TL_BOUNDED_DIM_EXCEEDED);
  assert_int_equal(tl_bounded_run(e, f, false, none, &out), TL_BOUNDED_DIM_EXCEEDED);
  tl_scope_close(scope);
  tl_graph *all[] = {f, rows, bad, flat, train};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    tl_graph_release(all[i]);
  }
  tl_engine_close(e);
}

static void add_both(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_add(in[0], in[1]);
}

static void test_bounds(void **state) {
  (void)state;
  const struct {
    int64_t first, second;
    tl_status status;
  } cases[] = {{TL_BOUNDED(0, 8), TL_BOUNDED(1, 8), TL_BOUNDED_AXIS_MISMATCH},
               {TL_BOUNDED(0, 8), TL_BOUNDED(0, 4), TL_BOUNDED_DIM_INVALID},
               {TL_BOUNDED(0, 0), 1, TL_BOUNDED_DIM_INVALID},
               {TL_BOUNDED(0, -3), 1, TL_BOUNDED_DIM_INVALID},
               {TL_BOUNDED(0, 8), 9, TL_BOUNDED_DIM_EXCEEDED},
               {TL_BOUNDED(0, 8), 0, TL_BOUNDED_DIM_EXCEEDED},
               {TL_BOUNDED(0, 8), 5, TL_OK},
               {TL_BOUNDED(0, 8), 1, TL_OK},
               {TL_BOUNDED(0, 8), TL_BOUNDED(0, 8), TL_OK}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tl_spec specs[] = {{TL_F64, {1, {cases[i].first}}, NULL}, {TL_F64, {1, {cases[i].second}}, NULL}};
    tl_graph *g;
    assert_int_equal(tl_capture("f", add_both, NULL, 2, specs, 1, &g), cases[i].status);
    tl_graph_release(g);
  }
}

int main(int argc, char **argv) {
  engine_name = argc > 1 ? argv[1] : "interpreter";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),     cmocka_unit_test(test_outputs),    cmocka_unit_test(test_handed_on),
      cmocka_unit_test(test_arguments), cmocka_unit_test(test_failing_op), cmocka_unit_test(test_donation),
      cmocka_unit_test(test_closed),    cmocka_unit_test(test_programs),   cmocka_unit_test(test_bounded),
      cmocka_unit_test(test_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
