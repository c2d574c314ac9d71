/* Jacobians and Hessians: the primal runs once for its value and outputs; then one pass per column (forward mode) or row
 * (reverse mode) runs a derivative in a unit direction, in storage of its own, and its result becomes the column or row. */
#include <assert.h>
#include <string.h>

#include "transform/copy.h"
#include "transform/derive_priv.h"
#include "transform/frame.h"
#include "transform/transform.h"

/* Leaves whose elements lie one after another along one axis of a matrix. */
typedef struct block {
  const char *name;
  TL_VEC(uint32_t) leaves;   /* of f's parameters (columns) or results (rows) */
  TL_VEC(tl_value) offsets;  /* of each leaf's first element */
  tl_value count;
  const char *count_text;    /* the same in C */
  tl_dtype widest;
} block;

typedef struct matrix {
  tl_derive_ctx *d;
  tl_func *f, *h;
  tl_arena *arena;
  tl_frame frame;
  tl_builder *b;
  tl_signer s;
  tl_value *results;         /* f's, of the primal run */
  tl_value *map;             /* f's values in the primal run */
  TL_VEC(block) rows, columns;
  tl_value *param;           /* by row block * columns.count + column block */
  tl_value *content;         /* the matrices so far */
} matrix;

/* ---- C text of an extent ---- */

static const char *leaf_text(const tl_func *h, tl_value v) {
  for (uint32_t i = 0; i < h->params.count; i++) {
    const tl_param *p = &h->params.data[i];
    if (p->value == v && !strchr(p->access, '#')) {
      const char *dollar = strchr(p->access, '$');
      return tl_arena_printf(h->arena, "%.*s%s%s", (int)(dollar - p->access), p->access, h->cparams.data[p->cparam].name,
                             dollar + 1);
    }
  }
  return NULL;
}

static const char *extent_text(const tl_func *h, tl_value v) {
  const tl_op *o = tl_def(h, v);
  int64_t n;
  if (tl_is_const_int(h, v, &n)) {
    return tl_arena_printf(h->arena, "%lld", (long long)n);
  }
  if (!o) {
    return leaf_text(h, v);
  }
  if (o->code == TL_OP_cvt) {
    return extent_text(h, o->operands[0]);
  }
  if (o->code == TL_OP_index && o->operand_count == 1) {
    return leaf_text(h, o->operands[0]);
  }
  const char *sign = o->code == TL_OP_add   ? "+"
                     : o->code == TL_OP_sub ? "-"
                     : o->code == TL_OP_mul ? "*"
                     : o->code == TL_OP_div ? "/"
                                            : NULL;
  const char *x = sign ? extent_text(h, o->operands[0]) : NULL, *y = sign ? extent_text(h, o->operands[1]) : NULL;
  return x && y ? tl_arena_printf(h->arena, "(%s %s %s)", x, sign, y) : NULL;
}

/* ---- the frame ---- */

/* Begins h: f's parameters, then one run of f. */
static void begin(matrix *m, tl_derive_ctx *d) {
  tl_func *f = d->f;
  m->d = d;
  m->f = f;
  m->arena = d->arena;
  tl__frame_begin(&m->frame, d);
  m->h = m->frame.h;
  m->b = &m->frame.b;
  m->map = m->frame.map;
  m->s = (tl_signer){.f = f, .h = m->h, .arena = d->arena};
  for (uint32_t i = tl__func_extent_ops(f); i < f->body->ops.count; i++) {
    tl_clone_op_from(m->b, f, f->body->ops.data[i], m->map);
  }
  m->results = TL_NEW_ARRAY(d->arena, tl_value, f->results.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    m->results[i] = m->map[f->body->yields.data[i]];
  }
  tl__sign_primal_results(d, &m->s, d->spec->intrinsic != TL_INTRINSIC_HESSIAN);
  if (d->spec->intrinsic == TL_INTRINSIC_HESSIAN) {
    m->h->return_declarator = "void";
  }
}

static void block_add(matrix *m, block *k, uint32_t leaf, tl_type type) {
  tl_builder *b = m->b;
  tl_value count = tl_build_int(b, TL_U64, 1);
  for (int axis = 0; axis < type.rank; axis++) {
    count = tl_build_binary(b, TL_OP_mul, count, tl_build_cvt(b, TL_U64, tl__extent_value(b, type.extents[axis])));
  }
  TL_PUSH(m->d->arena, k->leaves, leaf);
  TL_PUSH(m->d->arena, k->offsets, k->count);
  if (k->leaves.count == 1 || k->widest < type.dtype) {
    k->widest = type.dtype;
  }
  k->count = k->count ? tl_build_binary(b, TL_OP_add, k->count, count) : count;
}

static bool block_end(matrix *m, block *k) {
  k->count_text = extent_text(m->h, k->count);
  if (!k->count_text) {
    tl_diag_error(m->f->module->diag, TL_EXTENT_UNKNOWN, m->d->spec->loc,
                  "the number of elements of '%s' is not an expression over the parameters", k->name);
    return false;
  }
  size_t length = strlen(k->count_text);
  if (k->count_text[0] == '(') { /* the brackets of the declarator are enough */
    k->count_text = tl_arena_strndup(m->h->arena, k->count_text + 1, length - 2);
  }
  return true;
}

/* One block per wrt; scalars by value that are all of the wrt share one. */
static bool find_columns(matrix *m) {
  tl_func *f = m->f;
  bool all_scalars = true;
  for (uint32_t i = 0; i < m->d->wrt.count; i++) {
    const tl_cparam *c = &f->cparams.data[m->d->wrt.data[i]];
    all_scalars &= c->by_value && !c->is_struct;
  }
  for (uint32_t i = 0; i < m->d->wrt.count; i++) {
    if (i == 0 || !all_scalars) {
      TL_PUSH(m->d->arena, m->columns, (block){.name = f->cparams.data[m->d->wrt.data[i]].name});
    }
    block *k = &m->columns.data[m->columns.count - 1];
    for (uint32_t leaf = 0; leaf < f->params.count; leaf++) {
      if (f->params.data[leaf].cparam == m->d->wrt.data[i] && m->d->wrt_leaf[leaf]) {
        block_add(m, k, leaf, tl_type_of(m->h, m->map[f->params.data[leaf].value]));
      }
    }
  }
  bool ok = true;
  for (uint32_t i = 0; i < m->columns.count; i++) {
    ok &= block_end(m, &m->columns.data[i]);
  }
  return ok;
}

/* The returned value, then outputs and in-outs by declaration. */
static bool find_rows(matrix *m) {
  tl_func *f = m->f;
  for (uint32_t c = 0; c <= f->cparams.count; c++) {
    block k = {.name = c ? f->cparams.data[c - 1].name : f->name};
    for (uint32_t i = 0; i < f->results.count; i++) {
      const tl_result *r = &f->results.data[i];
      bool here = r->role == TL_RESULT_RETURN ? c == 0 : c && f->params.data[r->param].cparam == c - 1;
      if (here && tl__is_float_result(f, i)) {
        block_add(m, &k, i, tl_type_of(m->h, m->map[f->body->yields.data[i]]));
      }
    }
    if (k.leaves.count) {
      if (!block_end(m, &k)) {
        return false;
      }
      TL_PUSH(m->d->arena, m->rows, k);
    }
  }
  if (!m->rows.count) {
    tl_diag_error(f->module->diag, TL_NOT_DIFFERENTIABLE, m->d->spec->loc, "'%s' has no differentiable result", f->name);
  }
  return m->rows.count > 0;
}

/* Declares the matrices, `letter` followed by the names of its blocks where there are several. */
static void declare(matrix *m, const char *letter) {
  uint32_t count = m->rows.count * m->columns.count;
  m->param = TL_NEW_ARRAY(m->d->arena, tl_value, count);
  m->content = TL_NEW_ARRAY(m->d->arena, tl_value, count);
  for (uint32_t r = 0; r < m->rows.count; r++) {
    for (uint32_t c = 0; c < m->columns.count; c++) {
      block *row = &m->rows.data[r], *column = &m->columns.data[c];
      tl_dtype type = row->widest > column->widest ? row->widest : column->widest;
      static const char *const spelled[] = {"float", "double", "long double"};
      const char *name = count == 1 ? letter : tl_arena_printf(m->h->arena, "%s_%s_%s", letter, row->name, column->name);
      name = tl__signer_name(&m->s, name, "");
      const char *declarator = tl_arena_printf(m->h->arena, "%s @[%s][%s]", spelled[type - TL_F32], row->count_text,
                                               column->count_text);
      uint32_t cparam = tl__signer_add(&m->s, name, declarator, TL_ROLE_OUTPUT);
      tl_extent extents[2] = {{0, row->count}, {0, column->count}};
      for (int i = 0; i < 2; i++) {
        int64_t fixed;
        if (tl_is_const_int(m->h, extents[i].value, &fixed)) {
          extents[i] = (tl_extent){fixed, TL_NO_VALUE};
        }
      }
      tl_value v = tl_region_add_param(m->h, m->h->body, tl_array_type(m->h, type, 2, extents), name);
      tl__signer_add_leaf(&m->s, v, cparam, "$[#][#]", true, TL_ORIGIN_CELL, r * m->columns.count + c);
      m->param[r * m->columns.count + c] = m->content[r * m->columns.count + c] = v;
    }
  }
}

static tl_func *finish(matrix *m) {
  for (uint32_t i = 0; i < m->rows.count * m->columns.count; i++) {
    tl__signer_final(&m->s, m->param[i], TL_PROMISE_DERIVED, i);
  }
  tl__signer_finish(&m->s);
  tl__signer_yield(&m->s, m->b, m->results, m->content);
  return m->h;
}

/* ---- one pass ---- */

/* `linear` along a block, the leaf's offset added. */
static tl_value shifted(matrix *m, const block *k, uint32_t leaf, tl_value linear) {
  if (!k->offsets.data[leaf]) {
    return linear;
  }
  return tl_build_binary(m->b, TL_OP_add, tl_build_cvt(m->b, TL_U64, k->offsets.data[leaf]), tl_build_cvt(m->b, TL_U64, linear));
}

typedef struct store {
  matrix *m;
  tl_value source;    /* scalar or array */
  const block *along; /* the axis that the source's elements lie along */
  uint32_t leaf;
  tl_value other;     /* index on the other axis */
  bool source_is_row; /* elements lie along the columns */
} store;

static void store_element(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  store *s = ctx;
  matrix *m = s->m;
  tl_type type = tl_type_of(m->h, s->source);
  tl_value v = type.is_array ? tl_build_index(m->b, s->source, (uint32_t)type.rank, at) : s->source;
  tl_value index = shifted(m, s->along, s->leaf, linear);
  tl_value pair[2] = {s->source_is_row ? s->other : index, s->source_is_row ? index : s->other};
  carries[0] = tl_build_update(m->b, carries[0], 2, pair, tl_build_cvt(m->b, tl_type_of(m->h, carries[0]).dtype, v));
}

static void store_line(matrix *m, tl_value *content, tl_value source, const block *along, uint32_t leaf, tl_value other,
                       bool source_is_row) {
  store s = {m, source, along, leaf, other, source_is_row};
  tl__each_element(m->b, tl_type_of(m->h, source), 1, content, store_element, &s);
}

/* ---- columns by forward mode ---- */

typedef struct column_pass {
  matrix *m;
  uint32_t block, leaf; /* leaf: position in the block */
  const tl_forwarded *g;
  const tl_func *inner;  /* the function that is pushed forward: f, or its raw gradient */
  const tl_value *extra; /* by parameter of inner beyond f's leaves: argument */
} column_pass;

static void build_column(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  column_pass *p = ctx;
  matrix *m = p->m;
  const tl_func *g = p->g->func;
  tl_value *map = TL_NEW_ARRAY(m->d->arena, tl_value, g->values.count);
  tl__frame_pass_leaves(&m->frame, g, map);
  uint32_t wrt = m->columns.data[p->block].leaves.data[p->leaf];
  for (uint32_t i = 0; i < p->inner->params.count; i++) {
    tl_value param = g->body->params.data[i], dot = p->g->dot_params[i];
    if (i >= m->f->params.count) {
      map[param] = tl__frame_scratch(&m->frame, p->extra[i], 0, "_bar");
    }
    if (dot && i == wrt) {
      tl_type type = tl_type_of(g, param);
      map[dot] = type.is_array ? tl__frame_unit(&m->frame, m->map[m->f->params.data[i].value], at, "_dot")
                               : tl_build_float(m->b, type.dtype, 1, NULL);
    } else if (dot) {
      map[dot] = i < m->f->params.count ? tl__frame_scratch(&m->frame, m->map[m->f->params.data[i].value], 0, "_dot")
                                        : tl__frame_scratch(&m->frame, p->extra[i], 0, "_bar_dot");
    }
  }
  tl_clone_ops_from(m->b, g, g->body, map);
  tl_value column = shifted(m, &m->columns.data[p->block], p->leaf, linear);
  for (uint32_t r = 0; r < m->rows.count; r++) {
    for (uint32_t k = 0; k < m->rows.data[r].leaves.count; k++) {
      tl_value dot = p->g->dots[m->rows.data[r].leaves.data[k]];
      store_line(m, &carries[r], map[dot], &m->rows.data[r], k, column, false);
    }
  }
}

/* `inner` has f's leaves in front; its results are numbered as the leaves of the rows' blocks. */
static bool build_columns(matrix *m, tl_func *inner, const tl_value *extra) {
  for (uint32_t c = 0; c < m->columns.count; c++) {
    for (uint32_t k = 0; k < m->columns.data[c].leaves.count; k++) {
      uint32_t leaf = m->columns.data[c].leaves.data[k];
      bool *wrt = TL_NEW_ARRAY(m->d->arena, bool, inner->params.count);
      bool *want = TL_NEW_ARRAY(m->d->arena, bool, inner->results.count);
      wrt[leaf] = true;
      for (uint32_t i = 0; i < inner->results.count; i++) {
        want[i] = tl__is_float_result(inner, i);
      }
      tl_forwarded g;
      const char *name = tl_arena_printf(m->d->arena, "%s.column", m->h->name);
      if (!tl__forward_run(inner, &(tl_forward_spec){name, wrt, want, NULL, NULL}, m->d->arena, &g)) {
        return false;
      }
      column_pass pass = {m, c, k, &g, inner, extra};
      tl_value *carries = TL_NEW_ARRAY(m->d->arena, tl_value, m->rows.count);
      for (uint32_t r = 0; r < m->rows.count; r++) {
        carries[r] = m->content[r * m->columns.count + c];
      }
      tl_type type = tl_type_of(m->h, m->map[m->f->params.data[leaf].value]);
      tl__each_element(m->b, type, m->rows.count, carries, build_column, &pass);
      for (uint32_t r = 0; r < m->rows.count; r++) {
        m->content[r * m->columns.count + c] = carries[r];
      }
      tl__frame_forget(&m->frame, g.func);
    }
  }
  return true;
}

tl_func *tl__derive_jacobian(tl_derive_ctx *d) {
  matrix m = {0};
  begin(&m, d);
  if (!find_columns(&m) || !find_rows(&m)) {
    return NULL;
  }
  declare(&m, "J");
  return build_columns(&m, d->f, NULL) ? finish(&m) : NULL;
}

/* ---- rows by reverse mode ---- */

typedef struct row_pass {
  matrix *m;
  uint32_t block, leaf;
  const tl_reversed *g;
} row_pass;

static void build_row(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  row_pass *p = ctx;
  matrix *m = p->m;
  const tl_func *f = m->f, *g = p->g->func;
  tl_value *map = TL_NEW_ARRAY(m->d->arena, tl_value, g->values.count);
  tl__frame_pass_leaves(&m->frame, g, map);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (p->g->bar_params[i]) {
      map[p->g->bar_params[i]] = tl__frame_scratch(&m->frame, m->map[f->params.data[i].value], 0, "_bar");
    }
  }
  uint32_t result = m->rows.data[p->block].leaves.data[p->leaf];
  if (p->g->seed_params[result]) {
    map[p->g->seed_params[result]] = tl__frame_unit(&m->frame, m->map[f->body->yields.data[result]], at, "_bar");
  }
  tl_clone_ops_from(m->b, g, g->body, map);
  tl_value row = shifted(m, &m->rows.data[p->block], p->leaf, linear);
  for (uint32_t c = 0; c < m->columns.count; c++) {
    for (uint32_t k = 0; k < m->columns.data[c].leaves.count; k++) {
      tl_value bar = p->g->bars[m->columns.data[c].leaves.data[k]];
      store_line(m, &carries[c], map[bar], &m->columns.data[c], k, row, true);
    }
  }
}

tl_func *tl__derive_jacobian_reverse(tl_derive_ctx *d) {
  matrix m = {0};
  begin(&m, d);
  tl_func *f = d->f;
  if (!find_columns(&m) || !find_rows(&m)) {
    return NULL;
  }
  declare(&m, "J");
  for (uint32_t r = 0; r < m.rows.count; r++) {
    for (uint32_t k = 0; k < m.rows.data[r].leaves.count; k++) {
      uint32_t result = m.rows.data[r].leaves.data[k];
      tl_seed *seeds = TL_NEW_ARRAY(d->arena, tl_seed, f->results.count);
      bool *keep = TL_NEW_ARRAY(d->arena, bool, f->results.count);
      tl_type type = tl_type_of(m.h, m.map[f->body->yields.data[result]]);
      seeds[result] = type.is_array ? TL_SEED_PARAM : TL_SEED_ONE;
      tl_reversed g;
      const char *name = tl_arena_printf(d->arena, "%s.row", m.h->name);
      if (!tl__reverse_run(f, &(tl_reverse_spec){name, d->wrt_leaf, seeds, keep, NULL, NULL}, d->arena, &g)) {
        return NULL;
      }
      row_pass pass = {&m, r, k, &g};
      tl__each_element(m.b, type, m.columns.count, m.content + r * m.columns.count, build_row, &pass);
      tl__frame_forget(&m.frame, g.func);
    }
  }
  return finish(&m);
}

/* ---- Hessians: the gradient pushed forward ---- */

tl_func *tl__derive_hessian(tl_derive_ctx *d) {
  tl_func *f = d->f;
  if (!tl__returns_float(f)) {
    tl_diag_error(f->module->diag, TL_NOT_SCALAR, d->spec->loc, "'%s' does not return a floating scalar, so it has no Hessian",
                  f->name);
    return NULL;
  }
  matrix m = {0};
  begin(&m, d);
  if (!find_columns(&m)) {
    return NULL;
  }
  tl_seed *seeds = TL_NEW_ARRAY(d->arena, tl_seed, f->results.count);
  bool *keep = TL_NEW_ARRAY(d->arena, bool, f->results.count);
  seeds[0] = TL_SEED_ONE;
  tl_reversed g;
  const char *name = tl_arena_printf(d->arena, "%s.gradient", m.h->name);
  if (!tl__reverse_run(f, &(tl_reverse_spec){name, d->wrt_leaf, seeds, keep, NULL, NULL}, d->arena, &g)) {
    return NULL;
  }
  /* The raw gradient as a function of its own: a result per wrt leaf. Rows are columns, numbered by these results. */
  tl_value *extra = TL_NEW_ARRAY(d->arena, tl_value, f->params.count * 2);
  uint32_t *result_of = TL_NEW_ARRAY(d->arena, uint32_t, f->params.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (!d->wrt_leaf[i]) {
      continue;
    }
    tl_result r = {.role = TL_RESULT_RETURN, .access = "$"};
    if (g.bar_params[i]) {
      r = (tl_result){.role = TL_RESULT_FINAL, .param = g.func->params.count};
      extra[g.func->params.count] = m.map[f->params.data[i].value];
      tl_param leaf = f->params.data[i];
      leaf.value = g.bar_params[i];
      TL_PUSH(g.func->arena, g.func->params, leaf);
    }
    result_of[i] = g.func->results.count;
    TL_PUSH(g.func->arena, g.func->results, r);
    TL_PUSH(g.func->arena, g.func->body->yields, g.bars[i]);
  }
  tl__pipeline_run(g.func, d->arena);
  for (uint32_t c = 0; c < m.columns.count; c++) {
    block k = m.columns.data[c];
    k.leaves.data = NULL;
    k.leaves.count = k.leaves.room = 0;
    for (uint32_t i = 0; i < m.columns.data[c].leaves.count; i++) {
      TL_PUSH(d->arena, k.leaves, result_of[m.columns.data[c].leaves.data[i]]);
    }
    TL_PUSH(d->arena, m.rows, k);
  }
  declare(&m, "H");
  bool ok = build_columns(&m, g.func, extra);
  tl__frame_forget(&m.frame, g.func);
  return ok ? finish(&m) : NULL;
}
