/* Engines by name, programs, and what every engine's run has in common: arguments are checked against the graph's
 * specs, its own parameters are put among them, donated ones are given up. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "engine/engine_priv.h"
#include "tensor/op.h"

static const tl_backend *const backends[] = {&tl__interpreter};
enum { BACKENDS = sizeof backends / sizeof *backends };

/* Lives until it is closed and its last program is. */
struct tl_engine {
  const tl_backend *backend;
  pthread_mutex_t mutex;
  pthread_cond_t idle;
  size_t programs, running; /* calls in flight of any program */
  bool is_closed;
};

struct tl_program {
  tl_engine *engine;
  tl_graph *graph;
  void *own; /* the backend's */
  size_t running;
  bool *is_donated; /* by input */
  size_t peak_bytes;
  double seconds;
};

static void engine_free(tl_engine *e) {
  pthread_cond_destroy(&e->idle);
  pthread_mutex_destroy(&e->mutex);
  tl__free(e);
}

tl_status tl_engine_open(const char *name, const tl_engine_opts *opts, tl_engine **out_engine) {
  (void)opts; /* the interpreter has none */
  *out_engine = NULL;
  int i = 0;
  while (i < BACKENDS && strcmp(backends[i]->name, name) != 0) {
    i++;
  }
  if (i == BACKENDS) {
    return tl__graph_fail(TL_ENGINE_UNKNOWN, "there is no engine '%s'; there is 'interpreter'", name);
  }
  tl_engine *e = tl__alloc_try(sizeof *e);
  if (!e) {
    return tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  }
  *e = (tl_engine){.backend = backends[i]};
  pthread_mutex_init(&e->mutex, NULL);
  pthread_cond_init(&e->idle, NULL);
  *out_engine = e;
  return TL_OK;
}

void tl_engine_close(tl_engine *e) {
  if (!e) {
    return;
  }
  pthread_mutex_lock(&e->mutex);
  e->is_closed = true;
  while (e->running) {
    pthread_cond_wait(&e->idle, &e->mutex);
  }
  bool is_last = !e->programs;
  pthread_mutex_unlock(&e->mutex);
  if (is_last) {
    engine_free(e);
  }
}

/* ---- programs ---- */

static bool same_spec(const tl_spec *x, const tl_spec *y) {
  return x->dtype == y->dtype && x->shape.rank == y->shape.rank &&
         memcmp(x->shape.dim, y->shape.dim, (size_t)x->shape.rank * sizeof *x->shape.dim) == 0;
}

static tl_status check_donation(const tl_graph *g, const tl_prepare_opts *opts) {
  for (size_t i = 0; opts && i < opts->donate_count; i++) {
    size_t input = opts->donate[i][0], output = opts->donate[i][1];
    if (input >= tl_graph_input_count(g) || output >= tl_graph_output_count(g)) {
      return tl__graph_fail(TL_INDEX_OUT_OF_RANGE, "prepare: '%s' has no input %zu or no output %zu", tl_graph_name(g),
                            input, output);
    }
    tl_spec x = tl_graph_input(g, input), y = tl_graph_output(g, output);
    if (!same_spec(&x, &y)) {
      return tl__graph_fail(x.dtype != y.dtype ? TL_DTYPE_MISMATCH : TL_TENSOR_SHAPE_MISMATCH,
                            "prepare: input %zu of '%s' has another dtype or shape than output %zu", input,
                            tl_graph_name(g), output);
    }
    for (size_t k = 0; k < i; k++) {
      if (opts->donate[k][0] == input || opts->donate[k][1] == output) {
        return tl__graph_fail(TL_DONATED, "prepare: input %zu or output %zu of '%s' is donated twice", input, output,
                              tl_graph_name(g));
      }
    }
  }
  return TL_OK;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tl_status add_program(tl_engine *e) {
  pthread_mutex_lock(&e->mutex);
  bool is_closed = e->is_closed;
  e->programs += !is_closed;
  pthread_mutex_unlock(&e->mutex);
  return is_closed ? tl__graph_fail(TL_ENGINE_CLOSED, "prepare: the engine was closed") : TL_OK;
}

static void remove_program(tl_engine *e) {
  pthread_mutex_lock(&e->mutex);
  bool is_last = !--e->programs && e->is_closed;
  pthread_mutex_unlock(&e->mutex);
  if (is_last) {
    engine_free(e);
  }
}

tl_status tl_engine_prepare(tl_engine *e, const tl_graph *g, const tl_prepare_opts *opts, tl_program **out_program) {
  *out_program = NULL;
  tl_status status = check_donation(g, opts);
  if (status != TL_OK || (status = add_program(e)) != TL_OK) {
    return status;
  }
  double start = now();
  tl_program *p = tl__alloc_try(sizeof *p);
  bool *donated = tl__alloc_try(tl_graph_input_count(g) + 1);
  void *own = NULL;
  status = p && donated ? e->backend->prepare(g, &own) : tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  if (status != TL_OK) {
    tl__free(p);
    tl__free(donated);
    remove_program(e);
    return status;
  }
  memset(donated, 0, tl_graph_input_count(g) + 1);
  for (size_t i = 0; opts && i < opts->donate_count; i++) {
    donated[opts->donate[i][0]] = true;
  }
  *p = (tl_program){.engine = e, .graph = tl_graph_retain((tl_graph *)g), .own = own, .is_donated = donated};
  p->seconds = now() - start;
  *out_program = p;
  return TL_OK;
}

void tl_program_close(tl_program *p) {
  if (!p) {
    return;
  }
  tl_engine *e = p->engine;
  pthread_mutex_lock(&e->mutex);
  while (p->running) {
    pthread_cond_wait(&e->idle, &e->mutex);
  }
  pthread_mutex_unlock(&e->mutex);
  e->backend->close(p->own);
  tl_graph_release(p->graph);
  tl__free(p->is_donated);
  tl__free(p);
  remove_program(e);
}

tl_program_info tl_program_describe(const tl_program *p) {
  tl_engine *e = p->engine;
  pthread_mutex_lock(&e->mutex);
  tl_program_info info = {.peak_bytes = p->peak_bytes, .compile_seconds = p->seconds, .route = e->backend->route};
  pthread_mutex_unlock(&e->mutex);
  return info;
}

/* ---- running ---- */

/* The sizes' storage is the caller's to free, whatever is returned. */
static tl_status check_inputs(const tl_graph *g, tl_input_sizes *s, const tl_tensor in[]) {
  tl_status status = tl__input_sizes_init(s, tl_graph_input_count(g));
  size_t input = 0;
  for (uint32_t i = 0; status == TL_OK && i < g->params.count; i++) {
    if (g->params.data[i].kind == TL_GRAPH_INPUT) {
      status = tl__input_check(tl_graph_name(g), &g->params.data[i].spec, in[input], input, s);
      input++;
    }
  }
  return status;
}

tl_status tl__engine_check_inputs(const tl_graph *g, const tl_tensor in[]) {
  tl_input_sizes s;
  tl_status status = check_inputs(g, &s, in);
  tl__input_sizes_deinit(&s);
  return status;
}

/* A donated input's elements are no other input's. */
static tl_status check_shared(const tl_program *p, const tl_tensor in[]) {
  size_t count = tl_graph_input_count(p->graph);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; p->is_donated[i] && k < count; k++) {
      if (i != k && tl__tensor_shares(in[i], in[k])) {
        return tl__graph_fail(TL_DONATED, "run: input %zu of '%s' is donated, and is input %zu too", i,
                              tl_graph_name(p->graph), k);
      }
    }
  }
  return TL_OK;
}

/* How much is valid of an extent: as it is said, else all of what the inputs have. */
static tl_tensor validity(const tl_graph_param *p, const tl_input_sizes *s, size_t count,
                          const tl_valid_extent *valid) {
  int64_t all = tl__valid_of(s->count, s->all, p->extent), some = tl__valid_of(count, valid, p->extent);
  some = some < 0 ? all : some;
  if (p->kind == TL_GRAPH_LENGTH) {
    return tl_from(TL_I64, TL_SCALAR, &some);
  }
  return tl__tensor_padded(tl_fill(TL_BOOL, TL_SHAPE(some), 1), TL_SHAPE(all));
}

static tl_status set_params(const tl_graph *g, const tl_input_sizes *s, size_t valid_count,
                            const tl_valid_extent *valid, const tl_tensor in[], tl_tensor *params) {
  size_t input = 0;
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_graph_param *p = &g->params.data[i];
    switch (p->kind) {
    case TL_GRAPH_INPUT:
      params[i] = in[input++];
      break;
    case TL_GRAPH_CONSTANT:
      params[i] = p->constant;
      break;
    case TL_GRAPH_MASK:
    case TL_GRAPH_LENGTH:
      params[i] = validity(p, s, valid_count, valid);
      break;
    }
    if (tl_status_of(params[i]) != TL_OK) {
      return tl__graph_fail(tl_status_of(params[i]), "run: %s", tl_message_of(params[i]));
    }
  }
  return TL_OK;
}

static tl_status enter(tl_program *p) {
  tl_engine *e = p->engine;
  pthread_mutex_lock(&e->mutex);
  bool is_closed = e->is_closed;
  e->running += !is_closed;
  p->running += !is_closed;
  pthread_mutex_unlock(&e->mutex);
  return is_closed ? tl__graph_fail(TL_ENGINE_CLOSED, "run: the engine was closed") : TL_OK;
}

static void leave(tl_program *p, size_t peak_bytes) {
  tl_engine *e = p->engine;
  pthread_mutex_lock(&e->mutex);
  p->peak_bytes = peak_bytes > p->peak_bytes ? peak_bytes : p->peak_bytes;
  p->running--;
  e->running--;
  pthread_cond_broadcast(&e->idle);
  pthread_mutex_unlock(&e->mutex);
}

static tl_status run(tl_program *p, size_t valid_count, const tl_valid_extent *valid, const tl_tensor in[],
                     tl_tensor out[]) {
  const tl_graph *g = p->graph;
  tl_input_sizes s;
  tl_status status = check_inputs(g, &s, in);
  if (status == TL_OK) {
    status = check_shared(p, in);
  }
  tl_scope scope = status == TL_OK ? tl_scope_open() : NULL;
  tl_tensor *params = scope ? tl__alloc_try((g->params.count + 1) * sizeof *params) : NULL;
  if (status == TL_OK) {
    status = params ? set_params(g, &s, valid_count, valid, in, params)
                    : tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  }
  if (status == TL_OK) {
    status = p->engine->backend->run(p->own, g, params, out);
  }
  tl__free(params);
  tl__input_sizes_deinit(&s);
  tl_scope_close(scope);
  for (size_t i = 0; status == TL_OK && i < tl_graph_input_count(g); i++) {
    if (p->is_donated[i]) {
      tl__tensor_donate(in[i]);
    }
  }
  return status;
}

tl_status tl__program_run_valid(tl_program *p, size_t valid_count, const tl_valid_extent *valid, const tl_tensor in[],
                                tl_tensor out[]) {
  memset(out, 0, tl_graph_output_count(p->graph) * sizeof *out);
  tl_status status = enter(p);
  if (status != TL_OK) {
    return status;
  }
  tl__tensor_bytes_reset();
  status = run(p, valid_count, valid, in, out);
  leave(p, tl__tensor_bytes_peak());
  return status;
}

tl_status tl_program_run(tl_program *p, const tl_tensor in[], tl_tensor out[]) {
  return tl__program_run_valid(p, 0, NULL, in, out);
}
