/* Every allocation of capture, of each transform, of text, of runs and of control flow fails once: the status says so,
 * nothing crashes, and nothing is lost (the sanitizer build looks). */
#include "base/alloc.h"
#include "rig.h"

static void halves(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_gt(tl_max(tl_fabs(in[0]), TL_ALL, false), tl_scalar_like(in[0], 0.5));
}

static void halve(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const tl_tensor *table = ctx;
  out[0] = tl_mul(in[0], tl_tanh(*table));
}

static void accumulate(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_add(in[0], in[1]);
  out[1] = tl_mul(out[0], in[1]);
}

static void negate(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_neg(in[0]);
}

static void same(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = in[0];
}

static void everything(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_tensor x, scanned[2], y;
  tl_tensor table = tl_from(TL_F64, TL_SHAPE(3), (double[]){0.1, 0.2, 0.3});
  (void)ctx;
  tl_loop(halves, halve, &table, 1, &in[0], &x);
  tl_scan(accumulate, NULL, 1, &x, 1, &in[1], 1, scanned);
  tl_tensor s = tl_sum(scanned[1], TL_ALL, false);
  tl_cond(tl_lt(s, tl_scalar_like(s, 0)), negate, same, NULL, 1, &s, 1, &y);
  out[0] = tl_sum(tl_mul(tl_softmax(tl_matmul(in[1], tl_transpose(in[1], TL_ALL)), 1), y), TL_ALL, false);
}

typedef struct job {
  const tl_graph *graph;
  tl_tensor in[2];
  const char *path;
} job;

static const tl_spec specs[] = {{TL_F64, {1, {3}}, "x"}, {TL_F64, {2, {TL_SYM(0), 3}}, "rows"}};

static tl_status do_capture(job *j) {
  (void)j;
  tl_graph *g;
  tl_status status = tl_capture("everything", everything, NULL, 2, specs, 1, &g);
  assert_true((status == TL_OK) == (g != NULL));
  tl_graph_release(g);
  return status;
}

static tl_status do_grad(job *j) {
  tl_graph *g;
  tl_status status = tl_graph_grad(j->graph, 0, NULL, true, &g);
  tl_graph_release(g);
  return status;
}

static tl_status do_jvp(job *j) {
  tl_graph *g;
  tl_status status = tl_graph_jvp(j->graph, 0, NULL, true, &g);
  tl_graph_release(g);
  return status;
}

static tl_status do_vjp(job *j) {
  tl_graph *g;
  tl_status status = tl_graph_vjp(j->graph, 0, NULL, false, &g);
  tl_graph_release(g);
  return status;
}

static tl_status do_hessian(job *j) {
  tl_graph *g;
  tl_status status = tl_graph_hessian(j->graph, 1, (size_t[]){0}, false, &g);
  tl_graph_release(g);
  return status;
}

static tl_status do_vmap(job *j) {
  tl_graph *g;
  tl_status status = tl_graph_vmap(j->graph, (bool[]){true, true}, &g);
  tl_graph_release(g);
  return status;
}

static tl_status do_print(job *j) {
  FILE *f = fopen("/dev/null", "w");
  tl_status status = tl_graph_print(j->graph, f);
  fclose(f);
  return status;
}

static tl_status do_source(job *j) {
  FILE *f = fopen("/dev/null", "w");
  tl_status status = tl_graph_source(j->graph, f);
  fclose(f);
  return status;
}

static tl_status do_fit(job *j) {
  tl_spec in[] = {tl_graph_input(j->graph, 0), tl_graph_input(j->graph, 1)};
  tl_tensor failed;
  return tl_inputs_fit("f", 2, in, j->in, &failed) ? TL_OK : tl_status_of(failed);
}

static tl_status do_parse(job *j) {
  tl_graph *g;
  tl_status status = tl_graph_parse(j->path, &g);
  tl_graph_release(g);
  return status;
}

static tl_status do_run(job *j) {
  tl_engine *e;
  tl_program *p = NULL;
  tl_tensor out;
  tl_status status = tl_engine_open("interpreter", NULL, &e);
  if (status == TL_OK) {
    status = tl_engine_prepare(e, j->graph, NULL, &p);
  }
  if (status == TL_OK) {
    status = tl_program_run(p, j->in, &out);
    tl_release(out);
  }
  tl_program_close(p);
  tl_engine_close(e);
  return status;
}

static tl_status do_eager(job *j) {
  tl_tensor out;
  everything(NULL, j->in, &out);
  return tl_status_of(out);
}

typedef struct operation {
  const char *name;
  tl_status (*run)(job *);
} operation;

static void test_each_allocation(void **state) {
  (void)state;
  static const operation operations[] = {{"capture", do_capture}, {"grad", do_grad},       {"jvp", do_jvp},
                                         {"vjp", do_vjp},         {"hessian", do_hessian}, {"vmap", do_vmap},
                                         {"print", do_print},     {"parse", do_parse},     {"run", do_run},
                                         {"eager", do_eager},     {"source", do_source},   {"fit", do_fit}};
  tl_scope scope = tl_scope_open();
  tl_graph *g = capture("everything", everything, NULL, 2, specs, 1);
  char *text = text_of(g);
  write_file("oom.tlir", text);
  free(text);
  job j = {g, {random_tensor(TL_F64, TL_SHAPE(3), -1, 1), random_tensor(TL_F64, TL_SHAPE(4, 3), -1, 1)}, "oom.tlir"};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    uint64_t failures = 0;
    tl_status status = TL_OUT_OF_MEMORY;
    while (status != TL_OK) {
      tl_scope inner = tl_scope_open();
      tl__alloc_fail_at(failures + 1);
      status = operations[i].run(&j);
      tl__alloc_fail_at(0);
      tl_scope_close(inner);
      if (status != TL_OK) {
        failures++;
        if (status != TL_OUT_OF_MEMORY) {
          fail_msg("%s, allocation %llu: %s [%s]", operations[i].name, (unsigned long long)failures, tl_last_message(),
                   tl_status_name(status));
        }
      }
    }
    print_message("%s: %llu allocations failed\n", operations[i].name, (unsigned long long)failures);
    assert_true(failures > 0);
  }
  tl_graph_release(g);
  tl_scope_close(scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
