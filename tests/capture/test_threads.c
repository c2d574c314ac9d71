/* Threads that capture at once, derive from one graph, print it, and run one program; engines that close meanwhile. */
#include <pthread.h>

#include "program.h"

enum { THREADS = 4, ROUNDS = 12 };

typedef struct shared {
  const tl_graph *graph;
  tl_program *program;
  tl_engine *engine;
  tl_tensor x, want;
} shared;

static void work(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_sum(tl_mul(tl_tanh(in[0]), tl_exp(in[0])), TL_ALL, false);
}

static const tl_spec spec = {TL_F64, {1, {TL_SYM(0)}}, "x"};

static void *run_thread(void *ctx) {
  const shared *s = ctx;
  size_t faults = 0;
  for (int i = 0; i < ROUNDS; i++) {
    tl_scope scope = tl_scope_open();
    tl_graph *g = NULL, *h = NULL;
    tl_program *p = NULL;
    tl_tensor out = NULL;
    faults += tl_program_run(s->program, &s->x, &out) != TL_OK || !same_bits(out, s->want);
    tl_release(out);
    faults += tl_capture("mine", work, NULL, 1, &spec, 1, &g) != TL_OK;
    faults += tl_graph_grad(s->graph, 0, NULL, false, &h) != TL_OK;
    faults += tl_engine_prepare(s->engine, g, NULL, &p) != TL_OK;
    faults += tl_program_run(p, &s->x, &out) != TL_OK || !same_bits(out, s->want);
    tl_release(out);
    char *text = text_of(s->graph);
    faults += !strstr(text, "tanh");
    free(text);
    tl_program_close(p);
    tl_graph_release(g);
    tl_graph_release(h);
    tl_scope_close(scope);
  }
  return (void *)faults;
}

static void test_threads(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  shared s = {.x = random_tensor(TL_F64, TL_SHAPE(50), -1, 1)};
  work(NULL, &s.x, &s.want);
  tl_graph *g = capture("work", work, NULL, 1, &spec, 1);
  s.graph = g;
  assert_int_equal(tl_engine_open("interpreter", NULL, &s.engine), TL_OK);
  assert_int_equal(tl_engine_prepare(s.engine, s.graph, NULL, &s.program), TL_OK);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_thread, &s), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *faults;
    pthread_join(threads[i], &faults);
    assert_null(faults);
  }
  tl_program_close(s.program);
  tl_engine_close(s.engine);
  tl_graph_release(g);
  tl_scope_close(scope);
}

/* Closing waits for calls in flight; later ones are ENGINE_CLOSED. */
static void *run_until_closed(void *ctx) {
  const shared *s = ctx;
  tl_status status = TL_OK;
  while (status == TL_OK) {
    tl_tensor out = NULL;
    status = tl_program_run(s->program, &s->x, &out);
    tl_release(out);
  }
  return status == TL_ENGINE_CLOSED ? NULL : ctx;
}

static void test_close(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  shared s = {.x = random_tensor(TL_F64, TL_SHAPE(500), -1, 1)};
  tl_graph *g = capture("work", work, NULL, 1, &spec, 1);
  assert_int_equal(tl_engine_open("interpreter", NULL, &s.engine), TL_OK);
  assert_int_equal(tl_engine_prepare(s.engine, g, NULL, &s.program), TL_OK);
  tl_graph_release(g); /* the program has it */
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_until_closed, &s), 0);
  }
  tl_engine_close(s.engine);
  for (int i = 0; i < THREADS; i++) {
    void *fault;
    pthread_join(threads[i], &fault);
    assert_null(fault);
  }
  tl_program_close(s.program);
  tl_scope_close(scope);
}

/* ---- a bounded program, whose buckets are prepared when the first call needs them ---- */

static void exponentials(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_exp(in[0]);
}

enum { BOUND = 9 };

static void *run_bounded(void *ctx) {
  const shared *s = ctx;
  size_t faults = 0;
  for (int i = 0; i < ROUNDS * BOUND; i++) {
    tl_scope scope = tl_scope_open();
    tl_tensor x = tl_slice(s->x, TL_INTS(0), TL_INTS(1 + i % BOUND), TL_SCALAR), want, out = NULL;
    exponentials(NULL, &x, &want);
    faults += tl_bounded_run(s->engine, s->graph, i / BOUND % 2 == 0, &x, &out) != TL_OK || !same_bits(out, want);
    tl_release(out);
    tl_scope_close(scope);
  }
  return (void *)faults;
}

static void test_bounded_by_threads(void **state) {
  (void)state;
  tl_spec bounded = {TL_F64, {1, {TL_BOUNDED(0, BOUND)}}, "x"};
  tl_scope scope = tl_scope_open();
  tl_graph *g = capture("exponentials", exponentials, NULL, 1, &bounded, 1);
  shared s = {.graph = g, .x = random_tensor(TL_F64, TL_SHAPE(BOUND), -1, 1)};
  assert_int_equal(tl_engine_open("interpreter", NULL, &s.engine), TL_OK);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_bounded, &s), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *faults;
    pthread_join(threads[i], &faults);
    assert_null(faults);
  }
  tl_engine_close(s.engine);
  tl_graph_release(g);
  tl_scope_close(scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_close),
                                     cmocka_unit_test(test_bounded_by_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
