/* Random programs: captured they give the bits that they give eagerly; their derivatives are those of differences, a
 * batch is a loop over its examples, for every choice of what is batched; transforms of transforms. */
#include "program.h"

static void test_bits(void **state) {
  (void)state;
  static const tl_dtype dtypes[] = {TL_F64, TL_F32, TL_F16, TL_I32};
  size_t ops = 0;
  for (int round = 0; round < 400; round++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[INPUTS], want[4], got[4];
    tl_spec specs[INPUTS];
    make_inputs(dtypes[round % 4], in, specs, false);
    program p = {.seed = (uint64_t)round * 977 + 5, .inputs = INPUTS, .ops = 30};
    p.constant = random_tensor(dtypes[round % 4], TL_SHAPE(4), -2, 2);
    tl_graph *g = capture("f", run_program, &p, INPUTS, specs, 4);
    run_program(&p, in, want);
    run_well(g, in, got);
    for (int i = 0; i < 4; i++) {
      if (!same_bits(got[i], want[i])) {
        tl_graph_print(g, stderr);
        fail_msg("round %d, output %d: off by %g", round, i, difference(got[i], want[i]));
      }
    }
    ops += tl_graph_op_count(g);
    release_all(4, got);
    tl_graph_release(g);
    tl_scope_close(scope);
  }
  print_message("%zu ops\n", ops);
}

static double value_at(const tl_graph *f, const tl_tensor *in) {
  tl_tensor out;
  double x = NAN;
  run_well(f, in, &out);
  assert_int_equal(tl_read(out, &x, sizeof x), TL_OK);
  tl_release(out);
  return x;
}

/* The derivative along a direction, by differences. */
static double along(const tl_graph *f, const tl_tensor *in, const tl_tensor *direction) {
  const double h = 5e-4;
  double v[4];
  for (int k = 0; k < 4; k++) {
    tl_scope scope = tl_scope_open();
    tl_tensor moved[INPUTS];
    for (int i = 0; i < INPUTS; i++) {
      moved[i] = tl_add(in[i], tl_mul(direction[i], tl_scalar_like(in[i], (k < 2 ? k - 2 : k - 1) * h)));
    }
    v[k] = value_at(f, moved);
    tl_scope_close(scope);
  }
  return (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h);
}

static double dot(size_t count, const tl_tensor *x, const tl_tensor *y) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double part = NAN;
    tl_tensor s = tl_sum(tl_mul(x[i], y[i]), TL_ALL, false);
    assert_int_equal(tl_read(s, &part, sizeof part), TL_OK);
    sum += part;
  }
  return sum;
}

static tl_graph *derive(tl_status (*transform)(const tl_graph *, size_t, const size_t *, bool, tl_graph **),
                        const tl_graph *f, bool with_value) {
  tl_graph *g;
  tl_status status = transform(f, 0, NULL, with_value, &g);
  if (status != TL_OK) {
    tl_graph_print(f, stderr);
    fail_msg("%s [%s]", tl_last_message(), tl_status_name(status));
  }
  return g;
}

/* A program with symbolic extents may take it that two fit which do not. */
static bool runs(const tl_graph *f, const tl_tensor *in) {
  tl_tensor out;
  tl_status status = run_graph(f, in, &out);
  tl_release(out);
  return status == TL_OK;
}

static bool check_derivatives(int round, bool symbolic) {
  tl_scope scope = tl_scope_open();
  tl_tensor in[2 * INPUTS], out[2 * INPUTS * INPUTS], direction[INPUTS], value;
  tl_spec specs[INPUTS];
  make_inputs(TL_F64, in, specs, symbolic);
  program p = {.seed = (uint64_t)round * 31 + 3, .inputs = INPUTS, .ops = 12, .smooth = true};
  p.constant = random_tensor(TL_F64, TL_SHAPE(4), -1, 1);
  for (int i = 0; i < INPUTS; i++) {
    direction[i] = in[INPUTS + i] = random_tensor(TL_F64, shapes[i], -1, 1);
  }
  tl_graph *f = capture("f", run_program, &p, INPUTS, specs, 1);
  if (!runs(f, in)) {
    tl_graph_release(f);
    tl_scope_close(scope);
    return false;
  }
  run_well(f, in, out);
  value = out[0]; /* not the eager program's, in which other calls may have been refused */
  tl_graph *grad = derive(tl_graph_grad, f, true), *jvp = derive(tl_graph_jvp, f, true);
  run_well(grad, in, out);
  assert_true(difference(out[0], value) < 1e-14);
  double reverse = dot(INPUTS, out + 1, direction), want = along(f, in, direction), forward = NAN;
  if (!(fabs(reverse - want) <= 2e-7 * (1 + fabs(want)))) {
    tl_graph_print(f, stderr);
    fail_msg("round %d: reverse %.17g, differences %.17g", round, reverse, want);
  }
  release_all(1 + INPUTS, out);
  run_well(jvp, in, out);
  tl_read(out[1], &forward, sizeof forward);
  if (!(fabs(forward - reverse) <= 1e-11 * (1 + fabs(reverse)))) {
    fail_msg("round %d: forward %.17g, reverse %.17g", round, forward, reverse);
  }
  release_all(2, out);
  /* Second order: the Hessian times a direction, and the gradient's tangent. */
  tl_graph *plain = derive(tl_graph_grad, f, false), *along_it = derive(tl_graph_jvp, plain, false);
  tl_tensor tangents[INPUTS];
  run_well(along_it, in, tangents);
  tl_graph *hessian;
  assert_int_equal(tl_graph_hessian(f, 0, NULL, true, &hessian), TL_OK);
  run_well(hessian, in, out);
  assert_true(difference(out[0], value) < 1e-14);
  for (int j = 0; j < INPUTS; j++) {
    tl_tensor sum = NULL;
    for (int i = 0; i < INPUTS; i++) { /* H[i][j]: i's axes are contracted */
      tl_tensor h = out[1 + i * INPUTS + j];
      int64_t rows = (int64_t)count_of(in[i]), columns = (int64_t)count_of(in[j]);
      tl_tensor part = tl_matmul(tl_reshape(direction[i], TL_SHAPE(rows)), tl_reshape(h, TL_SHAPE(rows, columns)));
      sum = sum ? tl_add(sum, part) : part;
    }
    double off = difference(tl_reshape(sum, tl_shape_of(tangents[j])), tangents[j]);
    if (!(off < 1e-10)) {
      fail_msg("round %d: the Hessian times a direction is off by %g at %d", round, off, j);
    }
  }
  release_all(1 + INPUTS * INPUTS, out);
  release_all(INPUTS, tangents);
  tl_graph *all[] = {f, grad, jvp, plain, along_it, hessian};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    tl_graph_release(all[i]);
  }
  tl_release(value);
  tl_scope_close(scope);
  return true;
}

static void test_derivatives(void **state) {
  (void)state;
  int checked = 0;
  for (int round = 0; round < 60; round++) {
    checked += check_derivatives(round, round % 2);
  }
  assert_true(checked > 40);
}

/* One input of a batch: an example's own, or the one that all share. */
static tl_tensor example(tl_tensor x, bool batched, int64_t k) {
  tl_shape s = tl_shape_of(x);
  if (!batched) {
    return x;
  }
  tl_tensor row = tl_gather(x, tl_from(TL_I64, TL_SHAPE(1), &k), 0, (tl_gather_opts){.mode = TL_INDEX_CHECK});
  memmove(s.dim, s.dim + 1, sizeof *s.dim * (size_t)--s.rank);
  return tl_reshape(row, s);
}

static void check_batch(const tl_graph *f, int choice, int64_t size, size_t outputs) {
  tl_scope scope = tl_scope_open();
  bool batched[INPUTS];
  tl_tensor whole[INPUTS], one[INPUTS], got[8], want[8];
  for (int i = 0; i < INPUTS; i++) {
    batched[i] = choice >> i & 1;
    tl_shape s = shapes[i];
    if (batched[i]) {
      memmove(s.dim + 1, s.dim, sizeof *s.dim * (size_t)s.rank++);
      s.dim[0] = size;
    }
    whole[i] = random_tensor(TL_F64, s, -1, 1);
  }
  tl_graph *g;
  if (tl_graph_vmap(f, batched, &g) != TL_OK) {
    fail_msg("%s", tl_last_message());
  }
  assert_true(tl_graph_output(g, 0).shape.dim[0] < -1);
  run_well(g, whole, got);
  for (int64_t k = 0; k < size; k++) {
    for (int i = 0; i < INPUTS; i++) {
      one[i] = example(whole[i], batched[i], k);
    }
    run_well(f, one, want);
    for (size_t i = 0; i < outputs; i++) {
      double off = difference(example(got[i], true, k), want[i]);
      if (!(off < 1e-11)) {
        tl_graph_print(g, stderr);
        fail_msg("example %lld of output %zu is off by %g", (long long)k, i, off);
      }
    }
    release_all(outputs, want);
  }
  release_all(outputs, got);
  tl_graph_release(g);
  tl_scope_close(scope);
}

static void test_batches(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    tl_scope scope = tl_scope_open();
    tl_tensor in[INPUTS];
    tl_spec specs[INPUTS];
    make_inputs(TL_F64, in, specs, round % 2);
    program p = {.seed = (uint64_t)round * 7 + 1, .inputs = INPUTS, .ops = 10, .smooth = true};
    p.constant = random_tensor(TL_F64, TL_SHAPE(4), -1, 1);
    tl_graph *f = capture("f", run_program, &p, INPUTS, specs, 1), *g = derive(tl_graph_grad, f, true);
    bool fits = runs(f, in);
    for (int choice = 1; fits && choice < 1 << INPUTS; choice++) {
      check_batch(f, choice, round % 3 ? 5 : 1, 1);
      check_batch(g, choice, round % 3 ? 5 : 1, 1 + INPUTS);
    }
    tl_graph_release(f);
    tl_graph_release(g);
    tl_scope_close(scope);
  }
}

/* ---- what is asked for, and what is refused ---- */

static void product(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_mul(in[0], tl_cast(in[1], TL_F64));
  out[1] = tl_add(in[1], in[1]);
  out[2] = tl_mul(tl_mul(in[0], in[0]), in[2]);
}

static void test_orders(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  tl_spec specs[] = {{TL_F64, {1, {2}}, "x"}, {TL_I32, {1, {2}}, "n"}, {TL_F64, {1, {2}}, "y"}};
  tl_graph *f = capture("f", product, NULL, 3, specs, 3), *g;
  assert_int_equal(tl_graph_grad(f, 0, NULL, false, &g), TL_NOT_SCALAR);
  assert_int_equal(tl_graph_vjp(f, 1, (size_t[]){1}, false, &g), TL_NOT_DIFFERENTIABLE);
  assert_non_null(strstr(tl_last_message(), "'n'"));
  assert_int_equal(tl_graph_vjp(f, 1, (size_t[]){3}, false, &g), TL_NO_SUCH_PARAMETER);
  assert_int_equal(tl_graph_jvp(f, 2, (size_t[]){0, 0}, false, &g), TL_NOT_DIFFERENTIABLE);
  assert_int_equal(tl_graph_hessian(f, 0, NULL, false, &g), TL_NOT_SCALAR);
  assert_int_equal(tl_graph_vmap(f, (bool[]){false, false, false}, &g), TL_VMAP_NO_BATCHING_RULE);
  tl_tensor in[5] = {tl_from(TL_F64, TL_SHAPE(2), (double[]){2, 3}), tl_from(TL_I32, TL_SHAPE(2), (int32_t[]){5, 7}),
                     tl_from(TL_F64, TL_SHAPE(2), (double[]){11, 13})};
  in[3] = tl_from(TL_F64, TL_SHAPE(2), (double[]){1, 10}), in[4] = tl_from(TL_F64, TL_SHAPE(2), (double[]){100, 1000});
  tl_tensor out[5];
  double got[2];
  /* vjp by y, then x: seeds of outputs 0 and 2, cotangents in that order. */
  if (tl_graph_vjp(f, 2, (size_t[]){2, 0}, false, &g) != TL_OK) {
    fail_msg("%s", tl_last_message());
  }
  assert_int_equal(tl_graph_input_count(g), 5);
  assert_int_equal(tl_graph_output_count(g), 2);
  run_well(g, in, out);
  tl_read(out[0], got, sizeof got);
  assert_true(got[0] == 4 * 100 && got[1] == 9 * 1000);
  tl_read(out[1], got, sizeof got);
  assert_true(got[0] == 5 * 1 + 2 * 2 * 11 * 100 && got[1] == 7 * 10 + 2 * 3 * 13 * 1000);
  release_all(2, out);
  tl_graph_release(g);
  /* jvp with the values: three outputs, then the tangents of the floating ones. */
  assert_int_equal(tl_graph_jvp(f, 2, (size_t[]){2, 0}, true, &g), TL_OK);
  assert_int_equal(tl_graph_output_count(g), 5);
  run_well(g, in, out);
  assert_int_equal(tl_dtype_of(out[1]), TL_I32);
  tl_read(out[3], got, sizeof got);
  assert_true(got[0] == 5 * 100 && got[1] == 7 * 1000);
  tl_read(out[4], got, sizeof got);
  assert_true(got[0] == 4 * 1 + 2 * 2 * 11 * 100 && got[1] == 9 * 10 + 2 * 3 * 13 * 1000);
  release_all(5, out);
  tl_graph_release(g);
  tl_graph_release(f);
  tl_scope_close(scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_derivatives),
                                     cmocka_unit_test(test_batches), cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
