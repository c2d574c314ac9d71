/* Graphs: counted, made where a failed allocation jumps, copied from functions that may go. */
#include "capture/graph.h"

#include <setjmp.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/shape.h"

tl_graph *tl__graph_create(void) {
  tl_graph *g = tl__alloc_try(sizeof *g);
  if (g) {
    memset(g, 0, sizeof *g);
    atomic_init(&g->references, 1);
    tl_arena_init(&g->arena);
    tl_diag_init(&g->diag, &g->arena);
  }
  return g;
}

tl_graph *tl_graph_retain(tl_graph *g) {
  if (g) {
    atomic_fetch_add_explicit(&g->references, 1, memory_order_relaxed);
  }
  return g;
}

static void release_constants(const tl_graph *g) {
  for (uint32_t i = 0; i < g->params.count; i++) {
    tl_release(g->params.data[i].constant);
  }
}

void tl_graph_release(tl_graph *g) {
  if (!g || atomic_fetch_sub_explicit(&g->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  release_constants(g);
  tl_arena_deinit(&g->arena);
  tl__free(g);
}

/* Apart from its caller, whose variables would not survive the jump. */
static tl_status run_guarded(tl_status (*work)(void *ctx, tl_graph *), void *ctx, tl_graph *g) {
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    return TL_OUT_OF_MEMORY;
  }
  tl_status status = work(ctx, g);
  tl__recovery_leave(&recovery);
  return status;
}

tl_status tl__graph_make(tl_status (*work)(void *ctx, tl_graph *), void *ctx, tl_graph **out_graph) {
  *out_graph = NULL;
  tl_graph *g = tl__graph_create();
  if (!g) {
    return tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  }
  tl_arena_watch watch;
  tl_arena_watch_begin(&watch);
  tl_status status = run_guarded(work, ctx, g);
  if (status == TL_OUT_OF_MEMORY) {
    tl__graph_fail(status, "an allocation failed");
    release_constants(g);
    tl_arena_watch_end(&watch, true);
    tl__free(g);
    return status;
  }
  tl_arena_watch_end(&watch, false);
  if (status != TL_OK) {
    tl_graph_release(g);
    return status;
  }
  *out_graph = g;
  return TL_OK;
}

typedef struct guarded {
  tl_status (*work)(void *ctx);
  void *ctx;
} guarded;

static tl_status run_without_graph(void *ctx, tl_graph *g) {
  const guarded *w = ctx;
  (void)g;
  return w->work(w->ctx);
}

tl_status tl__graph_guard(tl_status (*work)(void *ctx), void *ctx) {
  tl_arena_watch watch;
  tl_arena_watch_begin(&watch);
  tl_status status = run_guarded(run_without_graph, &(guarded){work, ctx}, NULL);
  tl_arena_watch_end(&watch, status == TL_OUT_OF_MEMORY);
  return status == TL_OUT_OF_MEMORY ? tl__graph_fail(status, "an allocation failed") : status;
}

/* ---- copies ---- */

/* Strings are copied once where many in a row are one. */
typedef struct copier {
  tl_arena *arena;
  const char *from, *to;
} copier;

static const char *own_string(copier *c, const char *s) {
  if (s && s != c->from) {
    c->from = s;
    c->to = tl_arena_strdup(c->arena, s);
  }
  return s ? c->to : NULL;
}

static tl_type own_type(copier *c, tl_type t) {
  if (t.rank) {
    tl_extent *extents = TL_NEW_ARRAY(c->arena, tl_extent, t.rank);
    tl_extents_copy(extents, t.extents, t.rank);
    t.extents = extents;
  }
  if (t.rank && t.axis_names) {
    const char **names = TL_NEW_ARRAY(c->arena, const char *, t.rank);
    for (int i = 0; i < t.rank; i++) {
      names[i] = own_string(c, t.axis_names[i]);
    }
    t.axis_names = names;
  }
  if (t.element) {
    tl_type *element = TL_NEW(c->arena, tl_type);
    *element = own_type(c, *t.element);
    t.element = element;
  }
  return t;
}

static void own_ops(copier *c, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *o = r->ops.data[i];
    const tl_op_info *row = &tl_op_table[o->code];
    o->spelling = own_string(c, o->spelling);
    o->loc.file = own_string(c, o->loc.file);
    if (o->attrs && row->attr_count) {
      o->attrs = tl_attrs_copy(c->arena, o->code, o->attrs);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      own_ops(c, o->regions[k]);
    }
  }
}

tl_func *tl__graph_copy_func(tl_module *to, const tl_func *f, const char *name) {
  tl_func *h = tl_func_create(to, name);
  copier c = {.arena = h->arena};
  tl_arena scratch;
  tl_arena_init(&scratch);
  tl_value *map = TL_NEW_ARRAY(&scratch, tl_value, f->values.count);
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_value v = f->body->params.data[i];
    map[v] = tl_region_add_param(h, h->body, tl_type_of(f, v), tl_info(f, v)->name);
  }
  tl_builder b = {.func = h, .region = h->body};
  tl_clone_ops_from(&b, f, f->body, map);
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    TL_PUSH(h->arena, h->body->yields, map[f->body->yields.data[i]]);
  }
  for (uint32_t v = 1; v < h->values.count; v++) {
    tl_value_info *info = &h->values.data[v];
    info->type = own_type(&c, info->type);
    info->name = own_string(&c, info->name);
  }
  for (uint32_t i = 0; i < h->body->params.count; i++) { /* their extents may be computed in the body */
    tl_type type = tl_type_of(h, h->body->params.data[i]);
    for (int k = 0; k < type.rank; k++) {
      tl_extent *e = (tl_extent *)&type.extents[k];
      e->value = e->value ? map[e->value] : TL_NO_VALUE;
    }
  }
  own_ops(&c, h->body);
  h->loc = f->loc;
  h->loc.file = own_string(&c, f->loc.file);
  h->reads_signs = f->reads_signs;
  tl_arena_deinit(&scratch);
  return h;
}

/* ---- faces ---- */

void tl__graph_sign(tl_func *f, uint32_t count, const tl_graph_param *params) {
  tl_arena *arena = f->arena;
  f->is_primal = true;
  for (uint32_t i = 0; i < count; i++) {
    const tl_graph_param *p = &params[i];
    tl_cparam c = {.name = tl_arena_strdup(arena, p->spec.name),
                   .declarator = "tl_tensor @",
                   .bare = "tl_tensor @",
                   .by_value = true,
                   .differentiable = p->kind == TL_GRAPH_INPUT && tl_dtype_is_float(p->spec.dtype)};
    TL_PUSH(arena, f->cparams, c);
    tl_value v = f->body->params.data[i];
    f->values.data[v].name = c.name;
    TL_PUSH(arena, f->params, (tl_param){.value = v, .cparam = i, .access = "$"});
  }
  uint32_t results = f->body->yields.count;
  f->return_declarator = results == 1 ? "tl_tensor"
                         : results    ? tl_arena_printf(arena, "struct %s_result", f->name)
                                      : "void";
  for (uint32_t i = 0; i < results; i++) {
    TL_PUSH(arena, f->results,
            (tl_result){.role = TL_RESULT_RETURN, .access = results == 1 ? "$" : tl_arena_printf(arena, "$.r%u", i)});
  }
}

void tl__graph_add_param(tl_graph *g, const tl_graph_param *p) {
  tl_graph_param own = *p;
  own.spec.name = tl_arena_strdup(&g->arena, p->spec.name);
  own.constant = NULL;
  TL_PUSH(&g->arena, g->params, own);
  g->params.data[g->params.count - 1].constant = tl_retain(p->constant);
}

/* An extent of a value's type as specs have it: a number, what a parameter's spec says, or the next computed one. */
static int64_t extent_of(const tl_graph *g, tl_extent e, int64_t *next) {
  const tl_op *def = e.value ? tl_def(g->func, e.value) : NULL;
  if (def && def->code == TL_OP_const) {
    return def->u.integer;
  }
  if (def && def->code == TL_OP_dim && !tl_def(g->func, def->operands[0])) {
    const tl_value_info *param = tl_info(g->func, def->operands[0]);
    if (param->region == g->func->body) {
      return g->params.data[param->index].spec.shape.dim[def->u.integer];
    }
  }
  return !e.value && e.fixed >= 0 ? e.fixed : TL_SYM((*next)++);
}

/* The first symbol for a computed extent that no parameter has. */
static int64_t first_computed(const tl_graph *g) {
  int64_t first = TL_GRAPH_MOST_SYMBOLS;
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_shape *s = &g->params.data[i].spec.shape;
    for (int k = 0; k < s->rank; k++) {
      int64_t symbol = tl__extent_is_symbol(s->dim[k]) ? tl__extent_symbol(s->dim[k]) : 0;
      first = symbol >= first ? symbol + 1 : first;
    }
  }
  return first;
}

static uint32_t count_ops(const tl_region *r) {
  uint32_t count = r->ops.count;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      count += count_ops(o->regions[k]);
    }
  }
  return count;
}

tl_status tl__graph_finish(tl_graph *g) {
  const tl_func *f = g->func;
  g->op_count = count_ops(f->body);
  g->input_count = 0;
  for (uint32_t i = 0; i < g->params.count; i++) {
    g->input_count += g->params.data[i].kind == TL_GRAPH_INPUT;
  }
  int64_t next = first_computed(g);
  g->outputs = TL_NEW_ARRAY(&g->arena, tl_spec, f->body->yields.count + 1);
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    tl_type type = tl_type_of(f, f->body->yields.data[i]);
    g->outputs[i] = (tl_spec){.dtype = type.dtype, .shape.rank = type.rank};
    for (int k = 0; k < type.rank; k++) {
      g->outputs[i].shape.dim[k] = extent_of(g, type.extents[k], &next);
    }
  }
  return tl_func_verify(f) == TL_OK ? TL_OK : tl__graph_fail_by(&g->diag);
}

/* ---- what a graph says of itself ---- */

const char *tl_graph_name(const tl_graph *g) { return g->func->name; }
size_t tl_graph_input_count(const tl_graph *g) { return g->input_count; }
size_t tl_graph_output_count(const tl_graph *g) { return g->func->body->yields.count; }
size_t tl_graph_op_count(const tl_graph *g) { return g->op_count; }

tl_spec tl_graph_input(const tl_graph *g, size_t position) {
  uint32_t i = 0;
  for (;; i++) {
    if (i == g->params.count) {
      return (tl_spec){.dtype = TL_F32};
    }
    if (g->params.data[i].kind == TL_GRAPH_INPUT && !position--) {
      return g->params.data[i].spec;
    }
  }
}

tl_spec tl_graph_output(const tl_graph *g, size_t i) {
  return i < g->func->body->yields.count ? g->outputs[i] : (tl_spec){.dtype = TL_F32};
}
