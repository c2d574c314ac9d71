/* Transforms of graphs. The transforms work on functions of one module, in an arena of their own; what they give gets a
 * graph's face, and is copied into the new graph, which keeps nothing of the way there. */
#include <string.h>

#include "base/dtype.h"
#include "capture/graph.h"
#include "ir/shape.h"
#include "transform/by_value.h"
#include "transform/derive.h"
#include "transform/rewrite.h"
#include "transform/tensor_batch.h"
#include "transform/transform.h"

/* A function of the working module with the face of a graph's. */
typedef struct program {
  tl_func *func;
  uint32_t count;
  const tl_graph_param *params;
} program;

typedef struct worker {
  tl_arena arena, scratch;
  tl_diag diag;
  tl_module *module;
  const tl_graph *from;
  program primal;
  TL_VEC(uint32_t) wrt; /* parameters */
} worker;

typedef struct request {
  const tl_graph *from;
  tl_intrinsic intrinsic, with_value_intrinsic;
  size_t wrt_count;
  const size_t *wrt;
  bool with_value;
  const bool *batched;
} request;

static program settle(tl_module *m, const tl_func *f, const char *name, uint32_t count, const tl_graph_param *params) {
  program p = {tl__graph_copy_func(m, f, name), count, params};
  tl__graph_sign(p.func, count, params);
  return p;
}

static tl_status worker_init(worker *w, const request *r) {
  *w = (worker){.from = r->from};
  tl_arena_init(&w->arena);
  tl_arena_init(&w->scratch);
  tl_diag_init(&w->diag, &w->arena);
  w->module = tl_module_create(&w->arena, &w->diag);
  const tl_graph *g = r->from;
  w->primal = settle(w->module, g->func, g->func->name, g->params.count, g->params.data);
  for (size_t k = 0; k < r->wrt_count; k++) {
    uint32_t i = 0;
    size_t input = 0;
    while (i < g->params.count && (g->params.data[i].kind != TL_GRAPH_INPUT || input++ != r->wrt[k])) {
      i++;
    }
    if (i == g->params.count) {
      return tl__graph_fail(TL_NO_SUCH_PARAMETER, "'%s' has no input %zu", g->func->name, r->wrt[k]);
    }
    TL_PUSH(&w->arena, w->wrt, i);
  }
  for (uint32_t i = 0; i < g->params.count && !r->wrt_count; i++) {
    const tl_graph_param *p = &g->params.data[i];
    if (p->kind == TL_GRAPH_INPUT && tl_dtype_is_float(p->spec.dtype)) {
      TL_PUSH(&w->arena, w->wrt, i);
    }
  }
  return TL_OK;
}

static void worker_deinit(worker *w) {
  tl_arena_deinit(&w->arena);
  tl_arena_deinit(&w->scratch);
}

/* ---- storage for results becomes results ---- */

static void add_yields(tl_func *h, bool derived, uint32_t count, const tl_result *results, const tl_value *yields) {
  for (uint32_t i = 0; i < count; i++) {
    const tl_result *r = &results[i];
    if (r->is_derived != derived || (!derived && r->role != TL_RESULT_RETURN)) {
      continue;
    }
    TL_PUSH(h->arena, h->results, (tl_result){.role = TL_RESULT_RETURN, .access = "$"});
    TL_PUSH(h->arena, h->body->yields, yields[i]);
  }
}

/* The C parameter's name; a number behind it for further members of a struct. */
static const char *param_name(worker *w, const tl_func *h, uint32_t i, uint32_t count, const tl_graph_param *before) {
  const char *own = h->cparams.data[h->params.data[i].cparam].name, *name = own;
  bool is_new = h->params.data[i].origin != TL_ORIGIN_PRIMAL;
  for (uint32_t k = 0, next = 1; is_new && k < count; k++) {
    if (!strcmp(before[k].spec.name, name)) {
      name = tl_arena_printf(&w->arena, "%s_%u", own, next++);
      k = UINT32_MAX; /* from the first again */
    }
  }
  return name;
}

/* What a derivative h of `of` was, by its signature for C, as a graph's function has it: what is written through a
 * pointer is returned. */
static program normalise(worker *w, const program *of, const tl_spec *outputs, tl_func *raw, bool with_value,
                         const char *name) {
  tl_func *h = tl__func_by_value(raw, tl_arena_printf(&w->arena, "%s by value", raw->name));
  for (uint32_t i = 0; i < raw->params.count; i++) {
    h->params.data[i].origin = raw->params.data[i].origin;
    h->params.data[i].origin_index = raw->params.data[i].origin_index;
  }
  uint32_t count = h->results.count;
  tl_result *results = TL_NEW_ARRAY(&w->arena, tl_result, count + 1);
  tl_value *yields = TL_NEW_ARRAY(&w->arena, tl_value, count + 1);
  memcpy(results, raw->results.data, count * sizeof *results);
  memcpy(yields, h->body->yields.data, count * sizeof *yields);
  h->results.count = h->body->yields.count = 0;
  if (with_value) {
    add_yields(h, false, count, results, yields);
  }
  add_yields(h, true, count, results, yields);
  tl__dce_run(h, &w->scratch);
  uint32_t kept = 0, *order = TL_NEW_ARRAY(&w->arena, uint32_t, h->params.count + 1);
  for (uint32_t i = 0; i < h->params.count; i++) {
    const tl_param *p = &h->params.data[i];
    if (!p->is_memory) { /* by C parameter: seeds of wrt are in the order named; nearly sorted already */
      uint32_t at = kept++;
      for (; at && h->params.data[order[at - 1]].cparam > p->cparam; at--) {
        order[at] = order[at - 1];
      }
      order[at] = i;
    }
  }
  tl_graph_param *params = TL_NEW_ARRAY(&w->arena, tl_graph_param, kept + 1);
  for (uint32_t i = 0; i < kept; i++) {
    const tl_param *p = &h->params.data[order[i]];
    params[i] =
        p->origin == TL_ORIGIN_SEED ? (tl_graph_param){.spec = outputs[p->origin_index]} : of->params[p->origin_index];
    params[i].spec.name = param_name(w, h, order[i], i, params);
    h->body->params.data[i] = p->value;
  }
  h->body->params.count = kept;
  return settle(w->module, h, name, kept, params);
}

/* ---- derivatives ---- */

static const char *derived_name(worker *w, const program *of, const char *what) {
  const char *name = tl_arena_printf(&w->arena, "%s__%s", of->func->name, what);
  for (int n = 2; tl_module_find(w->module, name); n++) {
    name = tl_arena_printf(&w->arena, "%s__%s_%d", of->func->name, what, n);
  }
  return name;
}

/* False with errors in the sink. */
static bool derive(worker *w, const program *of, const tl_spec *outputs, tl_intrinsic intrinsic, uint32_t wrt_count,
                   const uint32_t *wrt, bool with_value, program *out) {
  const char *name = derived_name(w, of, tl_intrinsic_name(intrinsic));
  const char **names = TL_NEW_ARRAY(&w->arena, const char *, wrt_count + 1);
  for (uint32_t i = 0; i < wrt_count; i++) {
    names[i] = of->params[wrt[i]].spec.name;
  }
  tl_func *raw = tl_derive(w->module, of->func,
                           &(tl_derivation){.intrinsic = intrinsic,
                                            .name = tl_arena_printf(&w->arena, "%s raw", name),
                                            .wrt_count = wrt_count,
                                            .wrt = names,
                                            .with_value = with_value});
  if (raw) {
    *out = normalise(w, of, outputs, raw, with_value, name);
  }
  return raw;
}

static tl_status adopt(tl_graph *g, const program *p, const char *name) {
  g->module = tl_module_create(&g->arena, &g->diag);
  for (uint32_t i = 0; i < p->count; i++) {
    tl__graph_add_param(g, &p->params[i]);
  }
  g->func = settle(g->module, p->func, name, p->count, g->params.data).func;
  return tl__graph_finish(g);
}

static tl_status derive_graph(void *ctx, tl_graph *g) {
  const request *r = ctx;
  worker w;
  program made;
  tl_status status = worker_init(&w, r);
  if (status == TL_OK) {
    tl_intrinsic intrinsic = r->with_value ? r->with_value_intrinsic : r->intrinsic;
    bool ok = derive(&w, &w.primal, r->from->outputs, intrinsic, (uint32_t)(r->wrt_count ? w.wrt.count : 0), w.wrt.data,
                     r->with_value, &made);
    status =
        ok ? adopt(g, &made, tl_arena_printf(&w.arena, "%s__%s", r->from->func->name, tl_intrinsic_name(intrinsic)))
           : tl__graph_fail_by(&w.diag);
  }
  worker_deinit(&w);
  return status;
}

tl_status tl_graph_grad(const tl_graph *g, size_t wrt_count, const size_t wrt[], bool with_value,
                        tl_graph **out_graph) {
  request r = {g, TL_INTRINSIC_GRAD, TL_INTRINSIC_VALUE_AND_GRAD, wrt_count, wrt, with_value, NULL};
  return tl__graph_make(derive_graph, &r, out_graph);
}

tl_status tl_graph_jvp(const tl_graph *g, size_t wrt_count, const size_t wrt[], bool with_value, tl_graph **out_graph) {
  request r = {g, TL_INTRINSIC_JVP, TL_INTRINSIC_VALUE_AND_JVP, wrt_count, wrt, with_value, NULL};
  return tl__graph_make(derive_graph, &r, out_graph);
}

tl_status tl_graph_vjp(const tl_graph *g, size_t wrt_count, const size_t wrt[], bool with_value, tl_graph **out_graph) {
  request r = {g, TL_INTRINSIC_VJP, TL_INTRINSIC_VJP, wrt_count, wrt, with_value, NULL};
  return tl__graph_make(derive_graph, &r, out_graph);
}

tl_status tl_graph_hessian(const tl_graph *g, size_t wrt_count, const size_t wrt[], bool with_value,
                           tl_graph **out_graph) {
  request r = {g, TL_INTRINSIC_HESSIAN, TL_INTRINSIC_HESSIAN, wrt_count, wrt, with_value, NULL};
  return tl__graph_make(derive_graph, &r, out_graph);
}

/* ---- batches ---- */

static int64_t next_symbol(const tl_graph *g) {
  int64_t next = 0;
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_shape *s = &g->params.data[i].spec.shape;
    for (int k = 0; k < s->rank; k++) {
      int64_t used = tl__extent_is_symbol(s->dim[k]) ? tl__extent_symbol(s->dim[k]) : -1;
      next = used >= next && used < TL_GRAPH_MOST_SYMBOLS ? used + 1 : next;
    }
  }
  return next;
}

static bool has_full_rank(const tl_func *f) {
  for (uint32_t v = 1; v < f->values.count; v++) {
    if (f->values.data[v].type.is_tensor && f->values.data[v].type.rank == TL_MAX_RANK) {
      return true;
    }
  }
  return false;
}

static tl_status batch(worker *w, const request *r, tl_graph *g) {
  const tl_graph *from = r->from;
  const char *name = from->func->name;
  bool *leaves = TL_NEW_ARRAY(&w->arena, bool, from->params.count + 1), any = false;
  tl_graph_param *params = TL_NEW_ARRAY(&w->arena, tl_graph_param, from->params.count + 1);
  int64_t size = TL_SYM(next_symbol(from));
  if (has_full_rank(from->func) || next_symbol(from) == TL_GRAPH_MOST_SYMBOLS) {
    return tl__graph_fail(TL_VMAP_NO_BATCHING_RULE, "'%s' has a tensor with as many axes as a tensor can have", name);
  }
  for (uint32_t i = 0, input = 0; i < from->params.count; i++) {
    params[i] = from->params.data[i];
    if (params[i].kind == TL_GRAPH_INPUT && r->batched[input++]) {
      leaves[i] = any = true;
      tl_shape *s = &params[i].spec.shape;
      memmove(s->dim + 1, s->dim, (size_t)s->rank * sizeof *s->dim);
      s->dim[0] = size;
      s->rank++;
    }
  }
  if (!any) {
    return tl__graph_fail(TL_VMAP_NO_BATCHING_RULE, "no input of '%s' is batched", name);
  }
  tl_func *h = tl__batch_run(w->primal.func, tl_arena_printf(&w->arena, "%s raw", name), NULL, leaves);
  program made = {h, from->params.count, params};
  return h ? adopt(g, &made, tl_arena_printf(&w->arena, "%s__vmap", name)) : tl__graph_fail_by(&w->diag);
}

static tl_status batch_graph(void *ctx, tl_graph *g) {
  const request *r = ctx;
  worker w;
  tl_status status = worker_init(&w, r);
  if (status == TL_OK) {
    status = batch(&w, r, g);
  }
  worker_deinit(&w);
  return status;
}

tl_status tl_graph_vmap(const tl_graph *g, const bool batched[], tl_graph **out_graph) {
  request r = {.from = g, .batched = batched};
  return tl__graph_make(batch_graph, &r, out_graph);
}
