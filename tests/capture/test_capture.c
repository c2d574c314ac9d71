/* Functions on tracers: what is recorded, what is refused and in which words, extents, constants, text, control. */
#include "parts.h"
#include "rig.h"

/* ---- a classifier, with symbolic rows ---- */

static void classify(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor h = tl_tanh(tl_add(tl_matmul(in[0], in[1]), in[2]));
  tl_tensor p = tl_softmax(tl_matmul(h, in[3]), 1);
  out[0] = tl_sum(tl_log(tl_max(p, TL_AXES(1), false)), TL_ALL, false);
  out[1] = p;
}

static const tl_spec classifier[] = {{TL_F64, {2, {TL_SYM(0), 4}}, "x"},
                                     {TL_F64, {2, {4, 5}}, "w"},
                                     {TL_F64, {1, {5}}, "b"},
                                     {TL_F64, {2, {5, 3}}, "v"}};

static void test_run(void **state) {
  (void)state;
  tl_graph *g = capture("classify", classify, NULL, 4, classifier, 2);
  assert_int_equal(tl_graph_input_count(g), 4);
  assert_int_equal(tl_graph_output_count(g), 2);
  assert_string_equal(tl_graph_input(g, 2).name, "b");
  assert_true(tl_graph_output(g, 1).shape.dim[0] == TL_SYM(0) && tl_graph_output(g, 1).shape.dim[1] == 3);
  for (int64_t n = 1; n < 9; n += 3) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[4], want[2], got[2];
    for (int i = 0; i < 4; i++) {
      tl_shape s = classifier[i].shape;
      s.dim[0] = s.dim[0] < 0 ? n : s.dim[0];
      in[i] = random_tensor(TL_F64, s, -1, 1);
    }
    classify(NULL, in, want);
    run_well(g, in, got);
    assert_true(same_bits(got[0], want[0]) && same_bits(got[1], want[1]));
    release_all(2, got);
    tl_scope_close(scope);
  }
  tl_graph_release(g);
}

/* ---- refusals have the eager call's words ---- */

static void bad_add(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_exp(tl_add(in[0], in[1]));
}

static void bad_dtype(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_add(in[0], tl_cast(in[0], TL_F32));
}

static void forgets(void *ctx, const tl_tensor in[], tl_tensor out[]) { (void)ctx, (void)in, (void)out; }

static void test_refusals(void **state) {
  (void)state;
  tl_spec in[] = {{TL_F64, {2, {2, 3}}, NULL}, {TL_F64, {2, {2, 4}}, NULL}};
  tl_graph *g = (tl_graph *)state;
  tl_scope scope = tl_scope_open();
  assert_int_equal(tl_capture("f", bad_add, NULL, 2, in, 1, &g), TL_TENSOR_SHAPE_MISMATCH);
  assert_null(g);
  tl_tensor x = tl_fill(TL_F64, TL_SHAPE(2, 3), 1), y = tl_fill(TL_F64, TL_SHAPE(2, 4), 1);
  assert_string_equal(tl_last_message(), tl_message_of(tl_add(x, y)));
  assert_int_equal(tl_capture("f", bad_dtype, NULL, 2, in, 1, &g), TL_DTYPE_MISMATCH);
  assert_string_equal(tl_last_message(), tl_message_of(tl_add(x, tl_cast(x, TL_F32))));
  assert_int_equal(tl_capture("f", forgets, NULL, 2, in, 1, &g), TL_OUT_OF_MEMORY); /* NULL is that value */
  tl_scope_close(scope);
}

/* ---- tracers elsewhere ---- */

static tl_tensor leaked;

static void leak(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  leaked = tl_retain(in[0]);
  double x;
  assert_null(tl_data(in[0]));
  assert_int_equal(tl_read(in[0], &x, sizeof x), TL_TRACED_TENSOR);
  out[0] = tl_neg(in[0]);
}

static void use_other(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)in;
  out[0] = tl_add(in[0], *(tl_tensor *)ctx);
}

static void nests(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_spec spec = {TL_F64, TL_SCALAR, NULL};
  tl_graph *g;
  tl_tensor mine = in[0];
  assert_int_equal(tl_capture("inner", use_other, &mine, 1, &spec, 1, &g), TL_TRACED_TENSOR);
  assert_int_equal(tl_capture("inner", leak, NULL, 1, &spec, 1, &g), TL_OK);
  tl_graph_release(g);
  out[0] = tl_mul(in[0], in[0]);
}

static void test_scopes_of_tracers(void **state) {
  (void)state;
  tl_spec spec = {TL_F64, TL_SCALAR, NULL};
  tl_graph *g = capture("f", leak, NULL, 1, &spec, 1), *h;
  tl_scope scope = tl_scope_open();
  assert_int_equal(tl_status_of(tl_exp(leaked)), TL_TRACED_TENSOR);
  assert_int_equal(tl_capture("g", use_other, &leaked, 1, &spec, 1, &h), TL_TRACED_TENSOR);
  tl_tensor out;
  assert_int_equal(run_graph(g, &leaked, &out), TL_TRACED_TENSOR);
  tl_release(leaked);
  tl_graph_release(g);
  g = capture("h", nests, NULL, 1, &spec, 1);
  tl_release(leaked);
  tl_graph_release(g);
  tl_scope_close(scope);
}

/* ---- constants ---- */

typedef struct constants {
  tl_tensor table;
} constants;

static void with_constants(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const constants *c = ctx;
  tl_tensor x = in[0];
  tl_tensor y = tl_add(tl_mul(x, tl_scalar_like(x, 0.1)), c->table);
  out[0] = tl_add(y, tl_mul(c->table, tl_fill(tl_dtype_of(x), TL_SHAPE(2, 1), 1.0 / 3)));
  out[1] = tl_broadcast(tl_fill(tl_dtype_of(x), TL_SCALAR, -0.0), tl_shape_of(x));
  out[2] = c->table;
  out[3] = tl_where(tl_lt(x, tl_scalar_like(x, 0)), tl_scalar_like(x, NAN), x);
}

static void test_constants(void **state) {
  (void)state;
  static const tl_dtype dtypes[] = {TL_F64, TL_F32, TL_F16, TL_BF16, TL_F8E4M3FN};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    tl_scope scope = tl_scope_open();
    constants c = {random_tensor(dtypes[d], TL_SHAPE(2, 3), -1, 1)};
    tl_spec spec = {dtypes[d], {2, {2, 3}}, "constant_0"}; /* a name that constants would have */
    tl_scope inner = tl_scope_open();
    tl_graph *g = capture("f", with_constants, &c, 1, &spec, 4);
    tl_scope_close(inner);
    tl_tensor x = random_tensor(dtypes[d], TL_SHAPE(2, 3), -1, 1), got[4], want[4];
    with_constants(&c, &x, want);
    run_well(g, &x, got);
    for (int i = 0; i < 4; i++) {
      if (!same_bits(got[i], want[i])) {
        tl_graph_print(g, stderr);
        fail_msg("dtype %zu output %d differs by %g", d, i, difference(got[i], want[i]));
      }
    }
    release_all(4, got);
    /* The same from the text. */
    char *text = text_of(g);
    write_file("constants.tlir", text);
    tl_graph *again;
    if (tl_graph_parse("constants.tlir", &again) != TL_OK) {
      fail_msg("%s\n%s", tl_last_message(), text);
    }
    char *second = text_of(again);
    assert_string_equal(text, second);
    run_well(again, &x, got);
    for (int i = 0; i < 4; i++) {
      assert_true(same_bits(got[i], want[i]));
    }
    release_all(4, got);
    free(text);
    free(second);
    tl_graph_release(again);
    tl_graph_release(g);
    tl_scope_close(scope);
  }
}

/* ---- extents ---- */

static void extents(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_shape s = tl_shape_of(in[0]);
  tl_tensor flat = tl_reshape(in[0], TL_SHAPE(-1));
  tl_tensor back = tl_reshape(tl_mul(flat, flat), s);
  tl_tensor ones = tl_fill(TL_F64, s, 1);
  out[0] = tl_add(tl_sum(back, TL_AXES(1), true), in[1]);
  out[1] = tl_sum_to(tl_mul(ones, in[0]), TL_SHAPE(s.dim[1]));
  out[2] = tl_broadcast(tl_sum(flat, TL_ALL, false), TL_SHAPE(tl_shape_of(flat).dim[0]));
  out[3] = tl_valid_length(s.dim[0]);
  out[4] = tl_valid_mask(s.dim[1]);
}

static void test_extents(void **state) {
  (void)state;
  tl_spec in[] = {{TL_F64, {2, {TL_SYM(3), TL_SYM(0)}}, NULL}, {TL_F64, {2, {TL_SYM(3), 1}}, NULL}};
  tl_graph *g = capture("f", extents, NULL, 2, in, 5);
  assert_true(tl_graph_output(g, 1).shape.dim[0] == TL_SYM(0));
  assert_true(tl_graph_output(g, 2).shape.dim[0] < TL_SYM(32767));
  tl_scope scope = tl_scope_open();
  for (int64_t n = 1; n < 5; n++) {
    tl_tensor x[] = {random_tensor(TL_F64, TL_SHAPE(n, 7 - n), -1, 1), random_tensor(TL_F64, TL_SHAPE(n, 1), -1, 1)};
    tl_tensor got[5], want[5];
    extents(NULL, x, want);
    run_well(g, x, got);
    for (int i = 0; i < 5; i++) {
      assert_true(same_bits(got[i], want[i]));
    }
    release_all(5, got);
  }
  tl_tensor wrong[] = {tl_fill(TL_F64, TL_SHAPE(2, 3), 1), tl_fill(TL_F64, TL_SHAPE(3, 1), 1)}, got[5];
  assert_int_equal(run_graph(g, wrong, got), TL_TENSOR_SHAPE_MISMATCH);
  assert_non_null(strstr(tl_last_message(), "axis 0 of input 1 of 'f' has extent 3, an axis before it"));
  wrong[1] = tl_fill(TL_F32, TL_SHAPE(2, 1), 1);
  assert_int_equal(run_graph(g, wrong, got), TL_DTYPE_MISMATCH);
  tl_scope_close(scope);
  tl_graph_release(g);
}

/* ---- extents that are computed from others ---- */

static void test_computed_extents(void **state) {
  (void)state;
  const tl_spec *specs = parts_specs;
  tl_graph *g = capture("parts", parts, NULL, 2, specs, PARTS), *square, *gradient, *known, *want_gradient;
  square = capture("square", squares_of_parts, NULL, 2, specs, 1);
  assert_int_equal(tl_graph_grad(square, 0, NULL, false, &gradient), TL_OK);
  for (int64_t n = 2; n < 9; n++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[] = {random_tensor(TL_F64, TL_SHAPE(n, 3), -1, 1), random_tensor(TL_F64, TL_SHAPE(2, 1, 2, 2), -1, 1)};
    tl_tensor want[PARTS], got[PARTS];
    parts(NULL, in, want);
    run_well(g, in, got);
    for (int i = 0; i < PARTS; i++) {
      assert_true(same_bits(got[i], want[i]));
    }
    release_all(PARTS, got);
    tl_spec fixed[] = {{TL_F64, {2, {n, 3}}, "x"}, specs[1]};
    known = capture("square", squares_of_parts, NULL, 2, fixed, 1);
    assert_int_equal(tl_graph_grad(known, 0, NULL, false, &want_gradient), TL_OK);
    run_well(want_gradient, in, want);
    run_well(gradient, in, got);
    for (int i = 0; i < 2; i++) {
      assert_true(difference(got[i], want[i]) <= 1e-14);
    }
    release_all(2, got);
    release_all(2, want);
    tl_graph_release(want_gradient);
    tl_graph_release(known);
    tl_scope_close(scope);
  }
  /* One row too few for a window. */
  tl_scope scope = tl_scope_open();
  tl_tensor few[] = {tl_fill(TL_F64, TL_SHAPE(0, 3), 1), tl_fill(TL_F64, TL_SHAPE(2, 1, 2, 2), 1)}, out[PARTS];
  assert_int_equal(run_graph(g, few, out), TL_TENSOR_SHAPE_MISMATCH);
  tl_scope_close(scope);
  tl_graph_release(gradient);
  tl_graph_release(square);
  tl_graph_release(g);
}

/* ---- names of axes ---- */

tl_axis(Row);
tl_axis(Column);

static void named(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor x = tl_as(in[0], F64, Row, 3);
  out[0] = tl_add(tl_exp(x), tl_as(in[1], F64, Row, 1));
}

static void misnamed(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor x = tl_as(in[0], F64, Row, 3);
  out[0] = tl_add(tl_exp(x), tl_as(in[1], F64, Column, 1));
}

static void test_names(void **state) {
  (void)state;
  tl_spec in[] = {{TL_F64, {2, {TL_SYM(0), 3}}, NULL}, {TL_F64, {2, {TL_SYM(0), 1}}, NULL}};
  tl_scope scope = tl_scope_open();
  tl_graph *g = capture("named", named, NULL, 2, in, 1);
  tl_tensor x[] = {random_tensor(TL_F64, TL_SHAPE(2, 3), -1, 1), random_tensor(TL_F64, TL_SHAPE(2, 1), -1, 1)}, got,
            want;
  named(NULL, x, &want);
  run_well(g, x, &got);
  assert_true(same_bits(got, want));
  tl_release(got);
  tl_graph_release(g);
  assert_int_equal(tl_capture("misnamed", misnamed, NULL, 2, in, 1, &g), TL_NAMED_INDEX_MISMATCH);
  misnamed(NULL, x, &want);
  assert_string_equal(tl_last_message(), tl_message_of(want));
  tl_scope_close(scope);
}

/* ---- control flow ---- */

typedef struct newton {
  tl_tensor target;
} newton;

static void newton_goes_on(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const newton *n = ctx;
  tl_tensor error = tl_sub(tl_mul(in[0], in[0]), n->target);
  out[0] = tl_gt(tl_max(tl_fabs(error), TL_ALL, false), tl_scalar_like(in[0], 1e-13));
}

static void newton_step(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const newton *n = ctx;
  out[0] = tl_mul(tl_add(in[0], tl_div(n->target, in[0])), tl_scalar_like(in[0], 0.5));
  out[1] = tl_add(in[1], tl_scalar_like(in[1], 1));
}

static void newton_root(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  newton n = {in[0]};
  tl_tensor init[] = {tl_broadcast(tl_scalar_like(in[0], 1), tl_shape_of(in[0])), tl_fill(TL_I32, TL_SCALAR, 0)},
            last[2];
  tl_loop(newton_goes_on, newton_step, &n, 2, init, last);
  out[0] = tl_sum(last[0], TL_ALL, false);
  out[1] = last[1];
}

static void root_alone(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_tensor both[2];
  newton_root(ctx, in, both);
  out[0] = both[0];
}

static void check_same(tl_fn *fn, size_t in_count, const tl_spec *specs, const tl_tensor *in, size_t out_count) {
  tl_tensor want[8], got[8];
  tl_graph *g = capture("f", fn, NULL, in_count, specs, out_count);
  fn(NULL, in, want);
  run_well(g, in, got);
  for (size_t i = 0; i < out_count; i++) {
    if (!same_bits(got[i], want[i])) {
      tl_graph_print(g, stderr);
      fail_msg("output %zu: %s / %s", i, tl_message_of(got[i]), tl_message_of(want[i]));
    }
  }
  release_all(out_count, got);
  char *text = text_of(g);
  write_file("same.tlir", text);
  tl_graph *again;
  if (tl_graph_parse("same.tlir", &again) != TL_OK) {
    fail_msg("%s\n%s", tl_last_message(), text);
  }
  char *second = text_of(again);
  assert_string_equal(text, second);
  free(text);
  free(second);
  tl_graph_release(again);
  tl_graph_release(g);
}

/* ---- matrices ---- */

static void factors(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor a = in[0];
  tl_qr_result qr = tl_qr(a);
  tl_eigh_result e = tl_eigh(a);
  tl_slogdet_result s = tl_slogdet(a);
  out[0] = tl_cholesky(a);
  out[1] = tl_triangular_solve(out[0], in[1], (tl_triangular_solve_opts){.transposed = true});
  out[2] = qr.q;
  out[3] = tl_matmul(qr.r, tl_scale_triangles(a, 0, 2, -1));
  out[4] = e.values;
  out[5] = e.vectors;
  out[6] = tl_mul(s.sign, s.log);
  out[7] = tl_add(tl_solve(a, in[1], true), tl_solve_spd(a, in[1]));
}

static void volume(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor a = tl_add(in[0], tl_inv_spd(in[0]));
  out[0] = tl_sum(tl_add(tl_log_det_spd(a), tl_mul(tl_det(a), tl_det(tl_inverse(a)))), TL_ALL, false);
}

static void solved(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_solve(in[0], in[1], false);
}

/* The rows of a captured program, of any number of matrices, give the bits of the eager calls, which share
 * factorizations. */
static void test_matrices(void **state) {
  (void)state;
  tl_spec specs[] = {{TL_F64, {3, {TL_SYM(0), 3, 3}}, NULL}, {TL_F64, {1, {3}}, NULL}};
  for (int64_t n = 0; n < 3; n++) {
    tl_scope scope = tl_scope_open();
    tl_tensor x = random_tensor(TL_F64, TL_SHAPE(n, 3, 3), -1, 1), one = tl_identity_like(x);
    tl_tensor in[] = {tl_add(x, tl_mul(one, tl_scalar_like(x, 4))), random_tensor(TL_F64, TL_SHAPE(3), -1, 1)};
    check_same(factors, 2, specs, in, 8);
    check_same(volume, 1, specs, in, 1);
    tl_scope_close(scope);
  }

  tl_scope scope = tl_scope_open();
  double as[9] = {2, 0.5, 0, 0.5, 1, -0.25, 0, -0.25, 3};
  tl_tensor a = tl_from(TL_F64, TL_SHAPE(1, 3, 3), as), moved[3], out[2], sides[2];
  tl_graph *g = capture("volume", volume, NULL, 1, specs, 1), *grad, *hessian;
  assert_int_equal(tl_graph_grad(g, 0, NULL, false, &grad), TL_OK);
  assert_int_equal(tl_graph_hessian(g, 0, NULL, false, &hessian), TL_OK);
  run_well(hessian, &a, out);
  double h[81], left[9], right[9];
  assert_int_equal(tl_read(out[0], h, sizeof h), TL_OK);
  for (int k = 0; k < 9; k++) {
    double was = as[k];
    for (int side = 0; side < 2; side++) {
      as[k] = was + (side ? 1e-4 : -1e-4);
      moved[0] = tl_from(TL_F64, TL_SHAPE(1, 3, 3), as);
      run_well(grad, moved, &sides[side]);
      assert_int_equal(tl_read(sides[side], side ? right : left, sizeof left), TL_OK);
    }
    as[k] = was;
    for (int i = 0; i < 9; i++) {
      assert_true(fabs(h[9 * k + i] - (right[i] - left[i]) / 2e-4) < 1e-7);
    }
    release_all(2, sides);
  }
  release_all(1, out);
  tl_graph *all[] = {g, grad, hessian};
  for (int i = 0; i < 3; i++) {
    tl_graph_release(all[i]);
  }
  tl_scope_close(scope);
  tl_spec bounded[] = {{TL_F64, {2, {TL_BOUNDED(0, 9), TL_BOUNDED(0, 9)}}, NULL},
                       {TL_F64, {1, {TL_BOUNDED(1, 9)}}, NULL}};
  assert_int_equal(tl_capture("solved", solved, NULL, 2, bounded, 1, &g), TL_BOUNDED_AXIS_MISMATCH);
}

static void test_loop(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  tl_tensor x = random_tensor(TL_F64, TL_SHAPE(5), 0.5, 9);
  tl_spec spec = {TL_F64, {1, {TL_SYM(0)}}, "a"};
  check_same(newton_root, 1, &spec, &x, 2);
  tl_graph *f = capture("root", root_alone, NULL, 1, &spec, 1), *g;
  assert_int_equal(tl_graph_grad(f, 0, NULL, true, &g), TL_OK);
  tl_tensor got[2];
  run_well(g, &x, got);
  assert_true(difference(got[1], tl_div(tl_scalar_like(x, 0.5), tl_sqrt(x))) < 1e-12);
  release_all(2, got);
  tl_graph_release(f);
  tl_graph_release(g);
  tl_scope_close(scope);
}

static void gru_step(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const tl_tensor *w = ctx;
  out[0] = tl_tanh(tl_add(tl_matmul(in[0], *w), in[1]));
  out[1] = tl_sum(out[0], TL_ALL, false);
  out[2] = tl_gt(out[0], tl_scalar_like(out[0], 0));
  out[3] = tl_neg(tl_mul(out[0], tl_scalar_like(out[0], 0)));
}

static void recurrent(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor w = in[0];
  tl_scan(gru_step, &w, 1, &in[1], 1, &in[2], 3, out);
}

static void recurrent_loss(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_tensor all[4];
  recurrent(ctx, in, all);
  out[0] = tl_sum(tl_mul(all[1], all[1]), TL_ALL, false);
}

static void test_scan(void **state) {
  (void)state;
  tl_spec specs[] = {{TL_F64, {2, {3, 3}}, "w"}, {TL_F64, {1, {3}}, "h"}, {TL_F64, {2, {TL_SYM(0), 3}}, "x"}};
  for (int64_t n = 0; n < 6; n++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[] = {random_tensor(TL_F64, TL_SHAPE(3, 3), -1, 1), random_tensor(TL_F64, TL_SHAPE(3), -1, 1),
                      random_tensor(TL_F64, TL_SHAPE(n, 3), -1, 1)};
    check_same(recurrent, 3, specs, in, 4);
    tl_graph *f = capture("f", recurrent_loss, NULL, 3, specs, 1), *g;
    assert_int_equal(tl_graph_grad(f, 0, NULL, false, &g), TL_OK);
    tl_tensor got[3], high, low;
    run_well(g, in, got);
    /* along a direction, by differences */
    double along = 0, want, h = 1e-4, value[4];
    tl_tensor d = random_tensor(TL_F64, TL_SHAPE(3, 3), -1, 1);
    tl_tensor dot = tl_sum(tl_mul(got[0], d), TL_ALL, false);
    tl_read(dot, &along, sizeof along);
    for (int k = 0; k < 4; k++) {
      double s = (k < 2 ? k - 2 : k - 1) * h;
      tl_tensor moved[] = {tl_add(in[0], tl_mul(d, tl_scalar_like(d, s))), in[1], in[2]};
      recurrent_loss(NULL, moved, &high);
      tl_read(high, &value[k], sizeof value[k]);
    }
    (void)low;
    want = (value[0] - 8 * value[1] + 8 * value[2] - value[3]) / (12 * h);
    assert_true(fabs(along - want) <= 1e-9 * (1 + fabs(want)));
    release_all(3, got);
    tl_graph_release(f);
    tl_graph_release(g);
    tl_scope_close(scope);
  }
}

static void root_of(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_sqrt(in[0]);
  out[1] = tl_fill(TL_I32, TL_SHAPE(2), 1);
}

static void square_of(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_mul(in[0], in[0]);
  out[1] = tl_from(TL_I32, TL_SHAPE(2), (int32_t[]){3, 4});
}

static void branch(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor s = tl_sum(in[0], TL_ALL, false);
  tl_cond(tl_gt(s, tl_scalar_like(s, 0)), root_of, square_of, NULL, 1, in, 2, out);
}

static void longer(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_reshape(tl_transpose(tl_broadcast(in[0], TL_SHAPE(2, tl_shape_of(in[0]).dim[0])), TL_ALL), TL_SHAPE(-1));
}

static void as_it_is(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_exp(in[0]);
}

static void ragged_branch(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor s = tl_sum(in[0], TL_ALL, false);
  tl_cond(tl_gt(s, tl_scalar_like(s, 0)), as_it_is, longer, NULL, 1, in, 1, out);
  out[1] = tl_sum(tl_mul(out[0], out[0]), TL_ALL, false);
}

static void test_cond(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  tl_spec specs[] = {{TL_F64, {1, {3}}, NULL}};
  tl_tensor above = random_tensor(TL_F64, TL_SHAPE(3), 0.1, 1), below = tl_neg(above);
  check_same(branch, 1, specs, &above, 2);
  check_same(branch, 1, specs, &below, 2);
  check_same(ragged_branch, 1, specs, &above, 2);
  check_same(ragged_branch, 1, specs, &below, 2);
  specs[0].shape.dim[0] = TL_SYM(0);
  check_same(ragged_branch, 1, specs, &below, 2);
  tl_scope_close(scope);
}

/* What cannot go on from one iteration to the next is refused alike eagerly and captured. */
static void always(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_lt(in[0], tl_scalar_like(in[0], 3));
}

static void narrows(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_cast(in[0], TL_F32);
}

static void grows(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_broadcast(in[0], TL_SHAPE(2));
}

static void no_condition(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = in[0];
}

static void loop_that(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_fn **fns = ctx;
  tl_loop(fns[0], fns[1], NULL, 1, in, out);
}

static void test_loop_refusals(void **state) {
  (void)state;
  tl_fn *const pairs[][2] = {{always, narrows}, {always, grows}, {no_condition, as_it_is}, {always, bad_dtype}};
  static const tl_status want[] = {TL_DTYPE_MISMATCH, TL_TENSOR_SHAPE_MISMATCH, TL_DTYPE_MISMATCH, TL_DTYPE_MISMATCH};
  tl_spec spec = {TL_F64, TL_SCALAR, NULL};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    tl_scope scope = tl_scope_open();
    tl_tensor x = tl_fill(TL_F64, TL_SCALAR, 1), out;
    loop_that((void *)pairs[i], &x, &out);
    tl_graph *g;
    assert_int_equal(tl_status_of(out), want[i]);
    assert_int_equal(tl_capture("f", loop_that, (void *)pairs[i], 1, &spec, 1, &g), want[i]);
    assert_string_equal(tl_last_message(), tl_message_of(out));
    tl_scope_close(scope);
  }
}

/* A value of a loop's body is none outside of it. */
static void keep_inner(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_tensor *kept = ctx;
  out[0] = tl_add(in[0], tl_scalar_like(in[0], 1));
  tl_release(*kept);
  *kept = tl_retain(out[0]);
}

static void escapes(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_tensor last;
  tl_loop(always, keep_inner, ctx, 1, in, &last);
  out[0] = tl_add(last, *(tl_tensor *)ctx);
}

static void test_escape(void **state) {
  (void)state;
  tl_spec spec = {TL_F64, TL_SCALAR, NULL};
  tl_tensor kept = NULL;
  tl_graph *g;
  assert_int_equal(tl_capture("f", escapes, &kept, 1, &spec, 1, &g), TL_TRACED_TENSOR);
  assert_non_null(strstr(tl_last_message(), "has ended"));
  tl_release(kept);
}

/* Eager loops hold what an iteration needs, not more with every trip. */
static void counts(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_lt(in[0], tl_scalar_like(in[0], 20000));
}

static void counts_on(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_add(in[0], tl_scalar_like(in[0], 1));
  out[1] = tl_add(tl_mul(in[1], tl_scalar_like(in[1], 0.5)), tl_scalar_like(in[1], 1));
}

void tl__tensor_bytes_reset(void);
size_t tl__tensor_bytes_peak(void);

static void test_eager_memory(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  tl_tensor init[] = {tl_fill(TL_I32, TL_SCALAR, 0), tl_fill(TL_F64, TL_SHAPE(1000), 1)}, out[2];
  tl__tensor_bytes_reset();
  tl_loop(counts, counts_on, NULL, 2, init, out);
  assert_true(tl__tensor_bytes_peak() < 40000);
  int32_t n;
  assert_int_equal(tl_read(out[0], &n, sizeof n), TL_OK);
  assert_int_equal(n, 20000);
  tl_scope_close(scope);
}

/* ---- text ---- */

static void test_bad_text(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"graph\ninput f64<3\nfunc @f(%x: f64<3>) -> (return) { yield %x }", "bad.tlir:3:1: ',' is expected here"},
      {"graph\ninput f64<4>\nfunc @f(%x: f64<3>) -> (return) { yield %x }",
       "bad.tlir:2:1: the function's parameter has another extent"},
      {"graph\nconstant f64<1> \"00\"\nfunc @f(%x: f64<1>) -> (return) { yield %x }",
       "bad.tlir:2:17: the elements take another number of bytes"},
      {"graph\nconstant i8<1> \"0g\"\nfunc @f(%x: i8<1>) -> (return) { yield %x }",
       "bad.tlir:2:16: byte 0 is not two hexadecimal digits"},
      {"graph\ninput f64<>\n\nfunc @f(%x: f64<>) -> (return) {\n  %y: f64<> = nosuch %x\n  yield %y\n}",
       "bad.tlir:5:15: "},
      {"func @f(%x: f64) -> (return) { yield %x }", "a graph's function takes tensors alone"},
      {"func @f(%x: f64<>) -> (return) { yield %x }\nfunc @g(%x: f64<>) -> (return) { yield %x }",
       "a graph is one function"},
      {"graph\nmask sym 0\nfunc @f(%x: i1<>) -> (return) { yield %x }",
       "bad.tlir:2:1: only an extent with a bound has a mask or a length"},
      {"nothing", "bad.tlir:1:1: 'graph' or 'func' is expected here"},
      {"", "bad.tlir:1:1: 'graph' or 'func' is expected here"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_file("bad.tlir", cases[i][0]);
    tl_graph *g;
    assert_int_equal(tl_graph_parse("bad.tlir", &g), TL_IR_INVALID);
    assert_null(g);
    if (!strstr(tl_last_message(), cases[i][1])) {
      fail_msg("case %zu says '%s'", i, tl_last_message());
    }
  }
  tl_graph *g;
  assert_int_equal(tl_graph_parse("there/is/none.tlir", &g), TL_FILE_UNREADABLE);
  write_file("bad.tlir",
             "func @f(%x: f64<%n, 4>, %y: f64<%n>) -> (return) {\n  %n: i64 = dim %x axis 0\n  yield %y\n}");
  assert_int_equal(tl_graph_parse("bad.tlir", &g), TL_OK);
  assert_true(tl_graph_input(g, 1).shape.dim[0] == tl_graph_input(g, 0).shape.dim[0]);
  assert_true(tl_graph_output(g, 0).shape.dim[0] == TL_SYM(0));
  tl_graph_release(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run),           cmocka_unit_test(test_computed_extents),
      cmocka_unit_test(test_refusals),      cmocka_unit_test(test_scopes_of_tracers),
      cmocka_unit_test(test_constants),     cmocka_unit_test(test_extents),
      cmocka_unit_test(test_names),         cmocka_unit_test(test_loop),
      cmocka_unit_test(test_scan),          cmocka_unit_test(test_cond),
      cmocka_unit_test(test_loop_refusals), cmocka_unit_test(test_escape),
      cmocka_unit_test(test_eager_memory),  cmocka_unit_test(test_bad_text),
      cmocka_unit_test(test_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
