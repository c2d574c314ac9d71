/* Jacobians and Hessians: the primal runs once for its value and outputs; then passes run a derivative in unit
 * directions, in storage of their own, and store what it gives: a pass of forward mode the columns of several
 * directions at once, as lanes, or of one where calls are not inlined; a pass of reverse mode one row. Where one pass
 * of forward mode gives all columns, it gives the value and the outputs too, and is the only run. */
#include <assert.h>
#include <string.h>

#include "transform/copy.h"
#include "transform/derive_priv.h"
#include "transform/elements.h"
#include "transform/frame.h"
#include "transform/land.h"
#include "transform/transform.h"

/* Where a leaf's elements lie along the axis: offset + the sum of index * stride. An array of structs lies struct by
 * struct. */
typedef struct place {
  tl_type type; /* of the leaf, in h */
  const char *access;
  tl_value offset; /* TL_NO_VALUE: 0 */
  tl_value stride[TL_MAX_RANK];
  bool contiguous; /* one after another: offset + the element's number */
} place;

/* Leaves whose elements make up one axis of a matrix. */
typedef struct block {
  const char *name;
  TL_VEC(uint32_t) leaves; /* of f's parameters (columns) or results (rows) */
  TL_VEC(place) places;
  tl_value count;
  const char *count_text; /* the same in C */
  tl_dtype widest;
} block;

typedef struct matrix {
  tl_derive_ctx *d;
  tl_func *f, *h;
  tl_frame frame;
  tl_builder *b;
  tl_signer s;
  tl_value *results; /* f's, of the primal run */
  tl_value *map;     /* f's values in the primal run */
  TL_VEC(block) rows, columns;
  tl_value *param;   /* by row block * columns.count + column block */
  tl_value *content; /* the matrices so far */
} matrix;

/* ---- the frame ---- */

/* Begins h: f's parameters, then one run of f. */
static void begin(matrix *m, tl_derive_ctx *d) {
  tl_func *f = d->f;
  m->d = d;
  m->f = f;
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

static tl_value elements_from(matrix *m, tl_type type, int axis) { return tl__element_count(m->b, type, axis, TL_U64); }

static void block_add(matrix *m, block *k, uint32_t leaf, tl_type type, const char *access) {
  TL_PUSH(m->d->arena, k->leaves, leaf);
  TL_PUSH(m->d->arena, k->places, (place){.type = type, .access = access});
  if (k->leaves.count == 1 || k->widest < type.dtype) {
    k->widest = type.dtype;
  }
}

/* How much of an access names the object behind its first `axes` indices; all of it where there are no more. */
static size_t prefix_length(const char *access, int axes) {
  const char *at = access;
  for (; axes > 0; axes--) {
    const char *next = strstr(at, "#]");
    if (!next) {
      return strlen(access);
    }
    at = next + 2;
  }
  return (size_t)(at - access);
}

static bool share_prefix(const place *a, const place *b, int axes) {
  size_t n = prefix_length(a->access, axes);
  return n == prefix_length(b->access, axes) && !strncmp(a->access, b->access, n);
}

static tl_value sum_of(matrix *m, tl_value x, tl_value y) { return x ? tl_build_binary(m->b, TL_OP_add, x, y) : y; }

/* The elements of what a shares with others behind its first `axes` indices, one element of those. */
static tl_value object_size(matrix *m, const block *k, const place *a, int axes) {
  tl_value size = TL_NO_VALUE;
  for (uint32_t i = 0; i < k->places.count; i++) {
    if (share_prefix(a, &k->places.data[i], axes)) {
      size = sum_of(m, size, elements_from(m, k->places.data[i].type, axes));
    }
  }
  return size;
}

/* Scalars that share a block are objects of their own. */
static void find_places(matrix *m, block *k, bool scalars) {
  for (uint32_t i = 0; i < k->places.count; i++) {
    place *a = &k->places.data[i];
    a->contiguous = true;
    if (scalars) {
      a->offset = i ? tl_build_int(m->b, TL_U64, i) : TL_NO_VALUE;
      continue;
    }
    for (int axis = 0; axis <= a->type.rank; axis++) {
      for (uint32_t n = 0; n < i; n++) { /* members ahead of it in the object at this depth */
        if (share_prefix(a, &k->places.data[n], axis) && !share_prefix(a, &k->places.data[n], axis + 1)) {
          a->offset = sum_of(m, a->offset, elements_from(m, k->places.data[n].type, axis));
        }
      }
      if (axis < a->type.rank) {
        a->stride[axis] = object_size(m, k, a, axis + 1);
        for (uint32_t n = 0; n < k->places.count; n++) {
          a->contiguous &= n == i || !share_prefix(a, &k->places.data[n], axis + 1);
        }
      }
    }
  }
  k->count = TL_NO_VALUE;
  if (scalars) {
    k->count = tl_build_int(m->b, TL_U64, k->places.count);
  } else {
    k->count = object_size(m, k, &k->places.data[0], 0);
  }
}

static bool block_end(matrix *m, block *k, bool scalars) {
  find_places(m, k, scalars);
  k->count_text = tl__signer_extent_text(m->h, k->count);
  if (!k->count_text) {
    tl_diag_error(m->f->module->diag, TL_EXTENT_UNKNOWN, m->d->spec->loc,
                  "the number of elements of '%s' is not an expression over the parameters", k->name);
    return false;
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
        block_add(m, k, leaf, tl_type_of(m->h, m->map[f->params.data[leaf].value]), f->params.data[leaf].access);
      }
    }
  }
  bool ok = true;
  for (uint32_t i = 0; i < m->columns.count; i++) {
    ok &= block_end(m, &m->columns.data[i], all_scalars);
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
        const char *access = r->role == TL_RESULT_RETURN ? r->access : f->params.data[r->param].access;
        block_add(m, &k, i, tl_type_of(m->h, m->map[f->body->yields.data[i]]), access);
      }
    }
    if (k.leaves.count) {
      if (!block_end(m, &k, false)) {
        return false;
      }
      TL_PUSH(m->d->arena, m->rows, k);
    }
  }
  if (!m->rows.count) {
    tl_diag_error(f->module->diag, TL_NOT_DIFFERENTIABLE, m->d->spec->loc, "'%s' has no differentiable result",
                  f->name);
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
      const char *name =
          count == 1 ? letter : tl_arena_printf(m->h->arena, "%s_%s_%s", letter, row->name, column->name);
      name = tl__signer_name(&m->s, name, "");
      const char *declarator =
          tl_arena_printf(m->h->arena, "%s @[%s][%s]", spelled[type - TL_F32], row->count_text, column->count_text);
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

/* Where element `at`, number `linear`, of a block's leaf lies. */
static tl_value position(matrix *m, const block *k, uint32_t leaf, const tl_value *at, tl_value linear) {
  const place *p = &k->places.data[leaf];
  if (p->contiguous && !p->offset) {
    return linear;
  }
  tl_value sum = p->offset;
  if (p->contiguous) {
    return sum_of(m, sum, tl_build_cvt(m->b, TL_U64, linear));
  }
  assert(at);
  for (int axis = 0; axis < p->type.rank; axis++) {
    tl_value step = tl_build_binary(m->b, TL_OP_mul, tl_build_cvt(m->b, TL_U64, at[axis]), p->stride[axis]);
    sum = sum_of(m, sum, step);
  }
  return sum;
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
  tl_value index = position(m, s->along, s->leaf, at, linear);
  tl_value pair[2] = {s->source_is_row ? s->other : index, s->source_is_row ? index : s->other};
  carries[0] = tl_build_update(m->b, carries[0], 2, pair, tl_build_cvt(m->b, tl_type_of(m->h, carries[0]).dtype, v));
}

static void store_line(matrix *m, tl_value *content, tl_value source, const block *along, uint32_t leaf, tl_value other,
                       bool source_is_row) {
  store s = {m, source, along, leaf, other, source_is_row};
  tl__each_element(m->b, tl_type_of(m->h, source), 1, content, store_element, &s);
}

/* ---- columns by forward mode ---- */

enum { LANES = 8, MOST_LANES = 32 }; /* directions a pass: of a long axis; of an axis that fits in one pass */

/* A run of leaves of one block that is pushed forward together: one array, or leaves of one element each. */
typedef struct column_pass {
  matrix *m;
  uint32_t block, first, count; /* positions in the block */
  uint32_t lanes;               /* 0: one direction, for functions whose calls are not inlined */
  const tl_forwarded *g;
  tl_func *inner;        /* what is pushed forward: f, or its raw gradient */
  const tl_value *extra; /* by parameter of inner beyond f's leaves: an array of h like it */
  tl_value columns;      /* how many the leaves have in all, where a pass may be short of it */
  bool is_only;          /* all columns come from it, in one go */
} column_pass;

/* An array for the tangents of h's value `like`. */
static tl_value dot_array(matrix *m, tl_value like, uint32_t lanes, unsigned flags, const char *suffix) {
  tl_type type = tl__lane_type(m->h, tl_type_of(m->h, like), lanes);
  const char *name = tl_info(m->h, like)->name;
  return tl_build_alloc(m->b, type.dtype, type.rank, type.extents, flags,
                        tl_arena_printf(m->h->arena, "%s%s", name ? name : "work", suffix));
}

/* The indices of element number `linear` of an array. */
static void decode(matrix *m, tl_type type, tl_value linear, tl_value *at) {
  for (int axis = type.rank; axis-- > 0;) {
    if (axis == 0) {
      at[0] = linear;
      return;
    }
    tl_value extent = tl_build_cvt(m->b, tl_type_of(m->h, linear).dtype, tl__extent_value(m->b, type.extents[axis]));
    at[axis] = tl_build_binary(m->b, TL_OP_rem, linear, extent);
    linear = tl_build_binary(m->b, TL_OP_div, linear, extent);
  }
}

/* The type of the number of a lane: as in the loops over all lanes, unless a pass may be short of some. */
static tl_dtype lane_dtype(const column_pass *p) { return p->columns ? TL_U64 : TL_I32; }

/* How many lanes are in use in the pass from `start`. */
static tl_value lane_bound(const column_pass *p, tl_value start) {
  tl_builder *b = p->m->b;
  tl_value hi = tl_build_int(b, lane_dtype(p), p->lanes);
  if (p->columns) {
    tl_value left = tl_build_binary(b, TL_OP_sub, p->columns, start);
    hi = tl_build_select(b, tl_build_binary(b, TL_OP_lt, left, hi), left, hi);
  }
  return hi;
}

/* The tangent of an array leaf: lane l is the unit direction of element start + l. */
static tl_value lane_units(const column_pass *p, tl_value like, tl_value start) {
  matrix *m = p->m;
  tl_builder *b = m->b;
  tl_value dot = dot_array(m, like, p->lanes, TL_ALLOC_ZEROED, "_dot");
  tl_type type = tl_type_of(m->h, like);
  tl_value hi = lane_bound(p, start);
  tl_op *loop = tl_build_loop(b, tl_build_int(b, lane_dtype(p), 0), hi, 1, "lane", 1, &dot);
  loop->is_ours = true;
  tl_build_loop_enter(b, loop, &dot);
  tl_value at[TL_MAX_RANK], lane = b->region->params.data[0];
  decode(m, type, start ? tl_build_binary(b, TL_OP_add, start, lane) : lane, at);
  at[type.rank] = lane;
  tl_value one = tl_build_float(b, type.dtype, 1, NULL);
  dot = tl_build_update(b, dot, (uint32_t)type.rank + 1, at, one);
  tl_build_loop_leave(b, loop, &dot);
  return dot;
}

/* The unit direction of the k-th of a run of leaves of one element each. */
static tl_value unit_of_run(const column_pass *p, tl_value like, uint32_t k) {
  matrix *m = p->m;
  tl_type type = tl_type_of(m->h, like);
  tl_value one = tl_build_float(m->b, type.dtype, 1, NULL);
  if (!p->lanes) {
    return type.is_array ? tl__frame_unit(&m->frame, like, NULL, "_dot") : one;
  }
  tl_value dot = dot_array(m, like, p->lanes, TL_ALLOC_ZEROED, "_dot");
  tl_value lane = tl_build_int(m->b, TL_U64, k);
  return tl_build_update(m->b, dot, 1, &lane, one);
}

typedef struct lane_store {
  const column_pass *p;
  const tl_value *sources; /* of leaves of the rows from row_leaf on: an array, or a run of numbers */
  uint32_t row_leaf, count;
  const block *rows;
  tl_value start;
} lane_store;

/* The column of a lane. */
static tl_value lane_column(const column_pass *p, tl_value start, tl_value lane) {
  matrix *m = p->m;
  const block *k = &m->columns.data[p->block];
  tl_value linear = start ? tl_build_binary(m->b, TL_OP_add, start, lane) : lane;
  const place *first = &k->places.data[p->first];
  if (first->contiguous || p->count > 1) { /* a run of single elements lies side by side */
    return first->offset ? sum_of(m, first->offset, tl_build_cvt(m->b, TL_U64, linear)) : linear;
  }
  tl_value at[TL_MAX_RANK];
  decode(m, first->type, linear, at);
  return position(m, k, p->first, at, linear);
}

/* The elements of a row, or of a row for each source, side by side. */
static void store_lanes(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  lane_store *s = ctx;
  matrix *m = s->p->m;
  tl_builder *b = m->b;
  tl_value *rows = TL_NEW_ARRAY(m->d->arena, tl_value, s->count);
  for (uint32_t k = 0; k < s->count; k++) {
    rows[k] = position(m, s->rows, s->row_leaf + k, at, linear);
  }
  tl_value hi = lane_bound(s->p, s->start);
  tl_op *loop = tl_build_loop(b, tl_build_int(b, lane_dtype(s->p), 0), hi, 1, "lane", 1, carries);
  loop->is_ours = true;
  tl_build_loop_enter(b, loop, carries);
  tl_value lane = b->region->params.data[0], index[TL_MAX_RANK];
  uint32_t rank = (uint32_t)tl_type_of(m->h, s->sources[0]).rank;
  for (uint32_t i = 0; i + 1 < rank; i++) {
    index[i] = at[i];
  }
  index[rank - 1] = lane;
  for (uint32_t k = 0; k < s->count; k++) {
    tl_value v = tl_build_index(b, s->sources[k], rank, index);
    tl_value pair[2] = {rows[k], lane_column(s->p, s->start, lane)};
    carries[0] = tl_build_update(b, carries[0], 2, pair, tl_build_cvt(b, tl_type_of(m->h, carries[0]).dtype, v));
  }
  tl_build_loop_leave(b, loop, carries);
}

static bool in_run(const column_pass *p, uint32_t leaf, uint32_t *out_position) {
  const block *k = &p->m->columns.data[p->block];
  for (uint32_t i = p->first; i < p->first + p->count; i++) {
    if (k->leaves.data[i] == leaf) {
      *out_position = i - p->first;
      return true;
    }
  }
  return false;
}

/* Whether the pass gives one array with all of a matrix of which there is nothing yet, element for element. */
static bool is_whole_matrix(const column_pass *p, const block *rows, tl_value content) {
  const block *columns = &p->m->columns.data[p->block];
  const place *row = &rows->places.data[0], *column = &columns->places.data[0];
  return !p->columns && p->count == columns->leaves.count && (p->count > 1 || column->contiguous) &&
         rows->leaves.count == 1 && row->contiguous && !row->offset && !tl_def(p->m->h, content);
}

static bool is_of_one_result(const column_pass *p, const tl_value *map, tl_value dot) {
  uint32_t count = 0;
  for (uint32_t r = 0; r < p->m->rows.count; r++) {
    for (uint32_t k = 0; k < p->m->rows.data[r].leaves.count; k++) {
      count += map[p->g->dots[p->m->rows.data[r].leaves.data[k]]] == dot;
    }
  }
  return count == 1;
}

/* Where the lanes of the rows' leaves from `first` on go: those of an array, or of as many numbers as follow. */
static uint32_t store_run(const column_pass *p, tl_value start, const block *rows, uint32_t first, const tl_value *map,
                          const tl_value *dots, tl_value *content) {
  matrix *m = p->m;
  tl_type type = tl_type_of(m->h, dots[first]);
  uint32_t count = 1;
  if (is_whole_matrix(p, rows, *content) && is_of_one_result(p, map, dots[first])) {
    tl_value landed = tl__land(m->h, dots[first], *content, m->d->arena);
    if (landed) {
      *content = landed;
      return 1;
    }
  }
  while (type.rank == 1 && first + count < rows->leaves.count && tl_type_of(m->h, dots[first + count]).rank == 1) {
    count++;
  }
  lane_store s = {p, dots + first, first, count, rows, start};
  type.rank--;
  tl__each_element(m->b, type, 1, content, store_lanes, &s);
  return count;
}

/* Stores what a pass gave in the matrices. */
static void store_results(const column_pass *p, tl_value start, const tl_value *at, const tl_value *map,
                          tl_value *carries) {
  matrix *m = p->m;
  tl_value first = start ? start : tl_build_int(m->b, TL_U64, 0);
  tl_value column = p->lanes ? TL_NO_VALUE : position(m, &m->columns.data[p->block], p->first, at, first);
  for (uint32_t r = 0; r < m->rows.count; r++) {
    const block *rows = &m->rows.data[r];
    tl_value *dots = TL_NEW_ARRAY(m->d->arena, tl_value, rows->leaves.count);
    for (uint32_t k = 0; k < rows->leaves.count; k++) {
      dots[k] = map[p->g->dots[rows->leaves.data[k]]];
    }
    for (uint32_t k = 0; k < rows->leaves.count;) {
      if (p->lanes) {
        k += store_run(p, start, rows, k, map, dots, &carries[r]);
      } else {
        store_line(m, &carries[r], dots[k], rows, k, column, false);
        k++;
      }
    }
  }
}

/* Runs the pushed function with the columns from `start` (TL_NO_VALUE: 0) of the run; `at` is the element where there
 * are no lanes. */
static void build_pass(const column_pass *p, tl_value start, const tl_value *at, tl_value *carries) {
  matrix *m = p->m;
  const tl_func *g = p->g->func;
  tl_value *map = TL_NEW_ARRAY(m->d->arena, tl_value, g->values.count);
  if (p->is_only) {
    for (uint32_t i = 0; i < m->f->params.count; i++) {
      map[g->body->params.data[i]] = m->map[m->f->params.data[i].value];
    }
  } else {
    tl__frame_pass_leaves(&m->frame, g, map);
  }
  for (uint32_t i = 0; i < p->inner->params.count; i++) {
    bool own = i < m->f->params.count;
    tl_value like = own ? m->map[m->f->params.data[i].value] : p->extra[i];
    tl_value param = g->body->params.data[i], dot = p->g->dot_params[i];
    uint32_t position;
    if (!own) {
      map[param] = tl__frame_scratch(&m->frame, like, 0, "_bar");
    }
    if (!dot) {
      continue;
    }
    if (!in_run(p, i, &position)) {
      map[dot] = dot_array(m, like, p->lanes, 0, own ? "_dot" : "_bar_dot");
    } else if (tl_type_of(m->h, like).rank == 0) {
      map[dot] = unit_of_run(p, like, position);
    } else {
      map[dot] = p->lanes ? lane_units(p, like, start) : tl__frame_unit(&m->frame, like, at, "_dot");
    }
  }
  tl_clone_ops_from(m->b, g, g->body, map);
  for (uint32_t i = 0; i < m->f->results.count && p->is_only; i++) {
    m->results[i] = map[p->g->results[i]];
  }
  store_results(p, start, at, map, carries);
}

static void build_single_column(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count,
                                tl_value *carries) {
  (void)carry_count;
  build_pass(ctx, tl_build_cvt(((column_pass *)ctx)->m->b, TL_U64, linear), at, carries);
}

/* Passes of LANES columns each along an array. */
static void build_lane_passes(column_pass *p, uint32_t carry_count, tl_value *carries) {
  tl_builder *b = p->m->b;
  tl_op *loop = tl_build_loop(b, tl_build_int(b, TL_U64, 0), p->columns, p->lanes, "start", carry_count, carries);
  loop->is_ours = true;
  tl_build_loop_enter(b, loop, carries);
  build_pass(p, b->region->params.data[0], NULL, carries);
  tl_build_loop_leave(b, loop, carries);
}

/* Lanes need every op to be in sight and every array to have its extents: no calls but of rules, no arrays that grow,
 * no tensors. */
static bool admits_lanes(const tl_func *f, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    if ((o->code == TL_OP_call && !tl__forward_lanes_admit(f, o)) ||
        (o->code == TL_OP_alloc && o->u.flags & TL_ALLOC_GROW)) {
      return false;
    }
    for (uint32_t k = 0; k < o->result_count; k++) {
      tl_type type = tl_type_of(f, tl_op_result(o, k));
      if (type.is_tensor || type.element) {
        return false;
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      if (!admits_lanes(f, o->regions[k])) {
        return false;
      }
    }
  }
  return true;
}

/* The next run of a block: an array, or as many leaves of one element as fit. */
static column_pass next_run(matrix *m, uint32_t c, uint32_t first, bool lanes) {
  const block *k = &m->columns.data[c];
  column_pass p = {.m = m, .block = c, .first = first, .count = 1};
  tl_type type = tl_type_of(m->h, m->map[m->f->params.data[k->leaves.data[first]].value]);
  if (type.rank == 0) {
    while (lanes && first + p.count < k->leaves.count && p.count < MOST_LANES &&
           tl_type_of(m->h, m->map[m->f->params.data[k->leaves.data[first + p.count]].value]).rank == 0) {
      p.count++;
    }
    p.lanes = lanes && p.count > 1 ? p.count : 0;
    return p;
  }
  if (lanes) {
    int64_t columns = tl_extents_count(type.extents, type.rank, MOST_LANES);
    p.lanes = columns <= 0 ? LANES : columns > 1 ? (uint32_t)columns : 0;
    p.columns = columns <= 0 ? elements_from(m, type, 0) : TL_NO_VALUE;
  }
  return p;
}

/* `inner` has f's leaves in front; its results are numbered as the leaves of the rows' blocks. */
static bool build_columns(matrix *m, tl_func *inner, const tl_value *extra) {
  bool lanes = admits_lanes(inner, inner->body);
  for (uint32_t c = 0; c < m->columns.count; c++) {
    column_pass p;
    for (uint32_t first = 0; first < m->columns.data[c].leaves.count; first += p.count) {
      p = next_run(m, c, first, lanes);
      p.inner = inner;
      p.extra = extra;
      tl_type type = tl_type_of(m->h, m->map[m->f->params.data[m->columns.data[c].leaves.data[first]].value]);
      bool is_one_go = !p.columns && (p.lanes || type.rank == 0);
      p.is_only = inner == m->f && is_one_go && m->columns.count == 1 && p.count == m->columns.data[c].leaves.count;
      bool *wrt = TL_NEW_ARRAY(m->d->arena, bool, inner->params.count);
      for (uint32_t i = 0; i < p.count; i++) {
        wrt[m->columns.data[c].leaves.data[first + i]] = true;
      }
      const bool *want = tl__float_results(inner, m->d->arena);
      tl_forwarded g;
      const char *name = tl_arena_printf(m->d->arena, "%s.column", m->h->name);
      if (!tl__forward_run(inner, &(tl_forward_spec){.name = name, .wrt = wrt, .want = want, .lanes = p.lanes},
                           m->d->arena, &g)) {
        return false;
      }
      p.g = &g;
      tl_value *carries = TL_NEW_ARRAY(m->d->arena, tl_value, m->rows.count);
      for (uint32_t r = 0; r < m->rows.count; r++) {
        carries[r] = m->content[r * m->columns.count + c];
      }
      if (p.columns) {
        build_lane_passes(&p, m->rows.count, carries);
      } else if (is_one_go) {
        build_pass(&p, TL_NO_VALUE, NULL, carries);
      } else {
        tl__each_element(m->b, type, m->rows.count, carries, build_single_column, &p);
      }
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
  tl_value row = position(m, &m->rows.data[p->block], p->leaf, at, linear);
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
      if (!tl__reverse_run(f, &(tl_reverse_spec){.name = name, .wrt = d->wrt_leaf, .seeds = seeds, .keep = keep},
                           d->arena, &g)) {
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
    tl_diag_error(f->module->diag, TL_NOT_SCALAR, d->spec->loc,
                  "'%s' does not return a floating scalar, so it has no Hessian", f->name);
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
  if (!tl__reverse_run(f, &(tl_reverse_spec){.name = name, .wrt = d->wrt_leaf, .seeds = seeds, .keep = keep}, d->arena,
                       &g)) {
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
    k.leaves.data = NULL; /* the places are the columns' */
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
