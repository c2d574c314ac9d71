/* The engine "interpreter": the walk of src/interp over the graph's function. */
#include <string.h>

#include "base/alloc.h"
#include "engine/engine_priv.h"
#include "interp/interp.h"
#include "tensor/op.h"

static tl_status prepare(const tl_graph *g, void **out_program) {
  (void)g;
  *out_program = NULL;
  return TL_OK;
}

static void close_program(void *program) { (void)program; }

/* An output that is an input, a constant or a part of one is copied: it is the caller's alone. */
static tl_tensor output_of(const tl_graph *g, const tl_tensor params[], tl_tensor x) {
  for (uint32_t i = 0; i < g->params.count; i++) {
    if (tl__tensor_shares(x, params[i])) {
      tl_tensor copy = tl_retain(tl_cast(x, tl_dtype_of(x)));
      tl_release(x);
      return copy;
    }
  }
  return x;
}

typedef struct storage {
  tl_interp_value *args, *results;
} storage;

static tl_status run_with(const storage *s, const tl_graph *g, const tl_tensor params[], tl_tensor out[]) {
  const tl_func *f = g->func;
  uint32_t count = g->params.count, outputs = f->body->yields.count;
  for (uint32_t i = 0; i < count; i++) {
    s->args[i] = tl_interp_tensor(params[i]);
  }
  tl_arena arena;
  tl_arena_init(&arena);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_status status = tl_interp_run(f, count, s->args, &(tl_interp_opts){.diag = &diag}, s->results, NULL);
  if (status == TL_OUT_OF_MEMORY) {
    tl__graph_fail(status, "an allocation failed");
  } else if (status != TL_OK) {
    status = tl__graph_fail(status, "run: %s", diag.items.count ? diag.items.data[0].message : "failed");
  }
  tl_arena_deinit(&arena);
  bool complete = true;
  for (uint32_t i = 0; status == TL_OK && i < outputs; i++) {
    out[i] = output_of(g, params, s->results[i].tensor);
    complete = complete && out[i];
  }
  if (complete) {
    return status;
  }
  for (uint32_t i = 0; i < outputs; i++) {
    tl_release(out[i]);
    out[i] = NULL;
  }
  return tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
}

static tl_status run(void *program, const tl_graph *g, const tl_tensor params[], tl_tensor out[]) {
  (void)program;
  storage s = {tl__alloc_try((g->params.count + 1) * sizeof *s.args),
               tl__alloc_try((tl_graph_output_count(g) + 1) * sizeof *s.results)};
  tl_status status =
      s.args && s.results ? run_with(&s, g, params, out) : tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  tl__free(s.args);
  tl__free(s.results);
  return status;
}

const tl_backend tl__interpreter = {"interpreter", "interpreter", prepare, run, close_program};
