/* tl_capture: parameters for the specs, the function called on their tracers, the outputs. */
#include <string.h>

#include "base/alloc.h"
#include "capture/record.h"

typedef struct request {
  const char *name;
  tl_fn *fn;
  void *ctx;
  size_t in_count, out_count;
  const tl_spec *in;
} request;

static tl_status check_spec(const tl_spec *s, size_t position) {
  if ((unsigned)s->dtype >= TL_DTYPE_COUNT || s->dtype == TL_F80) {
    return tl__graph_fail(TL_DTYPE_UNSUPPORTED, "capture: input %zu has a dtype that tensors do not have", position);
  }
  if (s->shape.rank < 0 || s->shape.rank > TL_MAX_RANK) {
    return tl__graph_fail(TL_TENSOR_SHAPE_MISMATCH, "capture: input %zu has rank %d; it is 0 to %d", position,
                          s->shape.rank, TL_MAX_RANK);
  }
  for (int i = 0; i < s->shape.rank; i++) {
    int64_t e = s->shape.dim[i];
    if (e == -1 || (tl__extent_is_symbol(e) && tl__extent_symbol(e) >= TL_GRAPH_MOST_SYMBOLS)) {
      return tl__graph_fail(TL_TENSOR_SHAPE_MISMATCH, "capture: extent %lld of input %zu", (long long)e, position);
    }
    if (tl__extent_is_bounded(e) && tl__extent_bound(e) < 1) {
      return tl__graph_fail(TL_BOUNDED_DIM_INVALID, "capture: axis %d of input %zu has the bound %lld", i, position,
                            (long long)tl__extent_bound(e));
    }
  }
  return TL_OK;
}

/* A name that no input before has: its own, with a number where that is taken. */
static const char *unique_name(tl_arena *arena, const tl_graph *g, const tl_spec *s, size_t position) {
  const char *base = s->name && *s->name ? s->name : tl_arena_printf(arena, "x%zu", position), *name = base;
  for (uint32_t i = 0, next = 2; i < g->params.count; i++) {
    if (!strcmp(g->params.data[i].spec.name, name)) {
      name = tl_arena_printf(arena, "%s_%u", base, next++);
      i = UINT32_MAX; /* from the first again */
    }
  }
  return name;
}

static tl_status add_inputs(tl_capture_state *c, const request *r) {
  tl_func *f = c->b.func;
  for (size_t k = 0; k < r->in_count; k++) {
    tl_status status = check_spec(&r->in[k], k);
    if (status != TL_OK) {
      return status;
    }
    tl_graph_param p = {.kind = TL_GRAPH_INPUT, .spec = r->in[k]};
    p.spec.name = unique_name(&c->scratch, c->graph, &r->in[k], k);
    tl_extent dim[TL_MAX_RANK] = {{0, 0}};
    for (int i = 0; i < p.spec.shape.rank; i++) {
      if (!tl__capture_extent(c, p.spec.shape.dim[i], &dim[i])) {
        dim[i].fixed = -1; /* read from this parameter, below */
      }
    }
    tl_value v = tl__capture_add_param(c, &p, dim);
    tl_extent *own = (tl_extent *)tl_type_of(f, v).extents;
    for (int i = 0; i < p.spec.shape.rank; i++) {
      int64_t e = p.spec.shape.dim[i];
      if (own[i].value || own[i].fixed >= 0) {
        continue;
      }
      if (tl__capture_extent(c, e, &own[i])) { /* an axis before had it */
        continue;
      }
      for (uint32_t s = 0; s < c->symbols.count; s++) {
        if (tl__extent_symbol(c->symbols.data[s].extent) == tl__extent_symbol(e)) {
          return tl__graph_fail(TL_BOUNDED_DIM_INVALID, "capture: extent %lld has two bounds, in input %zu and before",
                                (long long)tl__extent_symbol(e), k);
        }
      }
      own[i] = (tl_extent){.fixed = -1};
      tl_value n = tl_build_dim(&c->b, v, i);
      own[i] = (tl_extent){.value = n};
      TL_PUSH(&c->scratch, c->symbols, (tl_capture_symbol){.extent = e, .value = n});
      tl__capture_note_extent(c, n, e);
    }
  }
  return TL_OK;
}

/* A prefix for the names of parameters that no input's name begins with. */
static const char *constant_prefix(tl_arena *arena, const request *r) {
  const char *prefix = "constant_";
  for (size_t k = 0; k < r->in_count; k++) {
    if (r->in[k].name && !strncmp(r->in[k].name, prefix, strlen(prefix))) {
      prefix = tl_arena_printf(arena, "%s_", prefix);
      k = SIZE_MAX; /* from the first again */
    }
  }
  return prefix;
}

typedef struct ending {
  tl_capture_state *c;
  const tl_tensor *out;
  size_t count;
} ending;

static void yield_outputs(void *ctx) {
  const ending *e = ctx;
  for (size_t i = 0; i < e->count; i++) {
    TL_PUSH(e->c->b.func->arena, e->c->b.region->yields, tl__capture_value(e->c, e->out[i]));
  }
}

static void make_tracers(tl_capture_state *c, size_t count, tl_tensor *in) {
  for (size_t i = 0; i < count; i++) {
    in[i] = tl__capture_tracer(c, c->b.func->body->params.data[i]);
  }
}

/* What the function gave, as yields, or its first failure. */
static tl_status end(tl_capture_state *c, size_t count, const tl_tensor *out) {
  for (size_t i = 0; i < count && !c->out_of_memory; i++) {
    tl_tensor failed;
    if (!tl__capture_can_use(c, "capture", out[i], &failed)) {
      return tl__graph_fail(tl_status_of(failed), "%s", tl_message_of(failed));
    }
  }
  ending e = {c, out, count};
  return tl__capture_guard(c, yield_outputs, &e) ? TL_OK : TL_OUT_OF_MEMORY;
}

static tl_status run(tl_capture_state *c, const request *r) {
  tl_tensor *in = TL_NEW_ARRAY(&c->scratch, tl_tensor, r->in_count + 1);
  tl_tensor *out = TL_NEW_ARRAY(&c->scratch, tl_tensor, r->out_count + 1);
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return TL_OUT_OF_MEMORY;
  }
  tl__recorder_enter(&c->recorder);
  make_tracers(c, r->in_count, in);
  r->fn(r->ctx, in, out);
  tl_status status = end(c, r->out_count, out);
  tl__recorder_leave(&c->recorder);
  tl_scope_close(scope);
  return status;
}

static tl_status capture(void *ctx, tl_graph *g) {
  const request *r = ctx;
  g->module = tl_module_create(&g->arena, &g->diag);
  g->func = tl_func_create(g->module, r->name ? r->name : "graph");
  tl_capture_state c;
  tl__capture_init(&c, g, "");
  c.constant_prefix = constant_prefix(&c.scratch, r);
  tl_status status = add_inputs(&c, r);
  if (status == TL_OK) {
    status = run(&c, r);
  }
  if (status == TL_OK) {
    tl__graph_sign(g->func, g->params.count, g->params.data);
    status = tl__graph_finish(g);
  }
  tl_arena_deinit(&c.scratch);
  return status;
}

tl_status tl_capture(const char *name, tl_fn *fn, void *ctx, size_t in_count, const tl_spec in[], size_t out_count,
                     tl_graph **out_graph) {
  request r = {name, fn, ctx, in_count, out_count, in};
  return tl__graph_make(capture, &r, out_graph);
}
