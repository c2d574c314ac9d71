/* Jacobians and Hessians of functions on tensors: a derivative is run for all unit directions at once, as a batch. A
 * matrix is one tensor, with the axes of the result and then those of the parameter. */
#include <string.h>

#include "base/dtype.h"
#include "transform/by_value.h"
#include "transform/derive_priv.h"
#include "transform/elements.h"
#include "transform/frame.h"
#include "transform/tensor_batch.h"
#include "transform/transform.h"

typedef struct matrix {
  tl_derive_ctx *d;
  tl_func *f, *h;
  tl_func *plain; /* f with every tensor by value */
  tl_frame frame;
  tl_builder *b;
  tl_signer s;
  tl_value *results;              /* f's in h, tensors by value */
  TL_VEC(uint32_t) rows, columns; /* results and leaves of f; a Hessian's rows are leaves too */
  TL_VEC(tl_value) contents;      /* row-major */
} matrix;

static tl_type tensor_type(tl_dtype dtype, int rank, const tl_extent *dim) {
  return (tl_type){.dtype = dtype, .is_tensor = true, .rank = rank, .extents = dim};
}

/* ---- what can have a matrix ---- */

bool tl__is_on_tensors(const tl_func *f) {
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (tl_type_of(f, f->body->yields.data[i]).is_tensor) {
      return true;
    }
  }
  return tl__has_tensor_params(f);
}

static bool refuse(const matrix *m, tl_loc loc, const char *name, const char *why) {
  tl_diag *diag = m->f->module->diag;
  tl_diag_error(diag, TL_UNSUPPORTED_CONSTRUCT, m->d->spec->loc, "tl_%s of '%s', a function on tensors: '%s' %s",
                tl_intrinsic_name(m->d->spec->intrinsic), m->f->name, name, why);
  tl_diag_note(diag, loc, "declared here");
  return false;
}

static bool find_columns(matrix *m) {
  const tl_func *f = m->f;
  for (uint32_t k = 0; k < m->d->wrt.count; k++) {
    const tl_cparam *c = &f->cparams.data[m->d->wrt.data[k]];
    if (!c->by_value || c->is_struct) {
      return refuse(m, c->loc, c->name, "is no tensor or number by value, so it has no matrix");
    }
    for (uint32_t i = 0; i < f->params.count; i++) {
      if (f->params.data[i].cparam == m->d->wrt.data[k] && m->d->wrt_leaf[i]) {
        TL_PUSH(m->d->arena, m->columns, i);
      }
    }
  }
  return true;
}

static const char *row_name(const matrix *m, uint32_t result) {
  const tl_result *r = &m->f->results.data[result];
  return r->role == TL_RESULT_RETURN ? m->f->name : m->f->cparams.data[m->f->params.data[r->param].cparam].name;
}

/* The returned value, then outputs by declaration: the order of results. */
static bool find_rows(matrix *m) {
  const tl_func *f = m->f;
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    if (!tl__is_float_result(f, i)) {
      continue;
    }
    tl_type type = tl_type_of(m->plain, m->plain->body->yields.data[i]);
    tl_loc loc = r->role == TL_RESULT_RETURN ? f->loc : f->cparams.data[f->params.data[r->param].cparam].loc;
    if (type.is_array || (r->role == TL_RESULT_RETURN && strcmp(r->access, "$") != 0)) {
      return refuse(m, loc, row_name(m, i), "gives no tensor or number, so it has no matrix");
    }
    TL_PUSH(m->d->arena, m->rows, i);
  }
  if (!m->rows.count) {
    tl_diag_error(f->module->diag, TL_NOT_DIFFERENTIABLE, m->d->spec->loc, "'%s' has no differentiable result",
                  f->name);
  }
  return m->rows.count > 0;
}

/* ---- the generated function ---- */

/* Begins h: f's parameters, then one run of f. */
static bool begin(matrix *m, tl_derive_ctx *d) {
  tl_func *f = d->f;
  *m = (matrix){.d = d, .f = f};
  m->plain = tl__func_by_value(f, tl_arena_printf(f->module->arena, "%s by value", d->spec->name));
  f->module->funcs.count--;
  tl__frame_begin(&m->frame, d);
  m->h = m->frame.h;
  m->b = &m->frame.b;
  m->s = (tl_signer){.f = f, .h = m->h, .arena = d->arena};
  tl_value *map = TL_NEW_ARRAY(d->arena, tl_value, m->plain->values.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    map[m->plain->body->params.data[i]] = m->frame.map[f->params.data[i].value];
  }
  tl_clone_ops_from(m->b, m->plain, m->plain->body, map);
  m->results = TL_NEW_ARRAY(d->arena, tl_value, f->results.count + 1);
  for (uint32_t i = 0; i < f->results.count; i++) {
    m->results[i] = map[m->plain->body->yields.data[i]];
  }
  bool with_value = d->spec->intrinsic != TL_INTRINSIC_HESSIAN || d->spec->with_value;
  tl__sign_primal_results(d, &m->s, with_value);
  if (!with_value) {
    m->h->return_declarator = "void";
  }
  return find_columns(m);
}

static const char *leaf_name(const matrix *m, uint32_t leaf) {
  return m->f->cparams.data[m->f->params.data[leaf].cparam].name;
}

/* Where what f writes through a pointer was put by value, it goes behind the pointer. */
static tl_value *primal_results(matrix *m) {
  for (uint32_t i = 0; i < m->f->results.count; i++) {
    const tl_result *r = &m->f->results.data[i];
    if (r->role == TL_RESULT_FINAL && m->plain->results.data[i].role == TL_RESULT_RETURN) {
      tl_value storage = m->frame.map[m->f->params.data[r->param].value];
      m->results[i] = tl_build_update(m->b, storage, 0, NULL, m->results[i]);
    }
  }
  return m->results;
}

/* The parameters for the matrices, and the end of h. */
static tl_func *finish(matrix *m, const char *letter, bool rows_are_leaves) {
  uint32_t count = m->rows.count * m->columns.count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = m->rows.data[i / m->columns.count], column = m->columns.data[i % m->columns.count];
    const char *name =
        count == 1 ? letter
                   : tl_arena_printf(m->h->arena, "%s_%s_%s", letter,
                                     rows_are_leaves ? leaf_name(m, row) : row_name(m, row), leaf_name(m, column));
    uint32_t cparam = tl__signer_add(&m->s, tl__signer_name(&m->s, name, ""), "tl_tensor *@", TL_ROLE_OUTPUT);
    tl__signer_cell(&m->s, cparam, "(*$)", tl_type_of(m->h, m->contents.data[i]), TL_PROMISE_DERIVED, i);
  }
  tl__signer_finish(&m->s);
  tl__signer_yield(&m->s, m->b, primal_results(m), m->contents.data);
  return m->h;
}

/* ---- all directions at once ---- */

/* The unit directions of n elements: n by n, each row with a 1 at its own number. */
static tl_value build_directions(tl_builder *b, tl_dtype dtype, tl_extent n) {
  tl_value numbers = tl__build_numbers(b, n);
  tl_value zeros = tl_build_broadcast(b, tl_build_zero(b, dtype), tensor_type(dtype, 2, (tl_extent[]){n, n}));
  tl_value ones = tl_build_broadcast(b, tl_build_float(b, dtype, 1, NULL), tensor_type(dtype, 1, &n));
  const tl_attr diagonal[] = {{.integer = 1}, {.integer = TL_INDEX_CLIP}, {.integer = 1}};
  return tl_build_tensor(b, TL_OP_scatter_add, (tl_value[]){zeros, numbers, ones}, diagonal);
}

/* Completes a derivative as a function of f's leaves and the direction, its last parameter, that returns tensors. */
static void close_derivative(tl_func *g, tl_value direction, uint32_t count, const tl_value *yields) {
  if (direction) {
    bool is_tensor = tl_type_of(g, direction).is_tensor;
    TL_PUSH(g->arena, g->cparams,
            (tl_cparam){.name = "direction", .declarator = is_tensor ? "tl_tensor @" : "double @", .by_value = true});
    TL_PUSH(g->arena, g->params, (tl_param){.value = direction, .cparam = g->cparams.count - 1, .access = "$"});
  }
  for (uint32_t i = 0; i < count; i++) {
    TL_PUSH(g->arena, g->results, (tl_result){.role = TL_RESULT_RETURN, .access = "$"});
    TL_PUSH(g->arena, g->body->yields, yields[i]);
  }
}

static bool has_full_rank(const tl_func *f) {
  for (tl_value v = 1; v < f->values.count; v++) {
    tl_type type = tl_type_of(f, v);
    if (type.is_tensor && type.rank == TL_MAX_RANK) {
      return true;
    }
  }
  return false;
}

/* Rank 0 has none, not even an address of them. */
static void put_extents(tl_extent *to, tl_type t) {
  for (int i = 0; i < t.rank; i++) {
    to[i] = t.extents[i];
  }
}

/* Runs g, whose last parameter is the direction, for all unit directions of a value of type `own`: out[i] is what it
 * returns, with an axis of those in front. */
static bool run_all(matrix *m, tl_func *g, tl_type own, tl_value *out) {
  tl_arena *arena = m->d->arena;
  bool *batched = TL_NEW_ARRAY(arena, bool, g->params.count);
  uint32_t last = g->params.count - 1;
  batched[last] = true;
  tl__pipeline_run(g, arena);
  if (has_full_rank(g)) {
    tl_diag_error(m->f->module->diag, TL_VMAP_NO_BATCHING_RULE, m->d->spec->loc,
                  "'%s' has a tensor of %d axes, the most there can be, so its directions cannot be batched",
                  m->f->name, TL_MAX_RANK);
    return false;
  }
  tl_func *all = tl__batch_run(g, tl_arena_printf(m->f->module->arena, "%s all", g->name), NULL, batched);
  if (!all) {
    return false;
  }
  m->h->lost_rule = all->lost_rule ? all->lost_rule : m->h->lost_rule;
  tl_value *map = TL_NEW_ARRAY(arena, tl_value, all->values.count);
  for (uint32_t i = 0; i < last; i++) {
    map[all->body->params.data[i]] = m->frame.map[m->f->params.data[i].value];
  }
  tl_extent dim[TL_MAX_RANK + 1] = {tl__tensor_count(m->b, own)};
  put_extents(dim + 1, own);
  tl_value directions = build_directions(m->b, own.dtype, dim[0]);
  map[all->body->params.data[last]] =
      tl_build_tensor(m->b, TL_OP_reshape, &directions, &(tl_attr){.shape = {own.rank + 1, dim}});
  tl_clone_ops_from(m->b, all, all->body, map);
  for (uint32_t i = 0; i < all->body->yields.count; i++) {
    out[i] = map[all->body->yields.data[i]];
  }
  tl__frame_forget(&m->frame, all);
  return true;
}

static tl_dtype wider(tl_dtype x, tl_dtype y) { return tl_dtype_size(x) > tl_dtype_size(y) ? x : y; }

/* v as the matrix of a result of type `row` by a value of type `column`: the elements are in that order. */
static tl_value as_matrix(matrix *m, tl_value v, tl_type row, tl_type column) {
  tl_extent dim[2 * TL_MAX_RANK];
  put_extents(dim, row);
  put_extents(dim + row.rank, column);
  if (!tl_type_of(m->h, v).is_tensor) {
    v = tl_build_broadcast(m->b, v, tensor_type(tl_type_of(m->h, v).dtype, 0, NULL));
  }
  v = tl_build_tensor(m->b, TL_OP_reshape, &v, &(tl_attr){.shape = {row.rank + column.rank, dim}});
  return tl_build_cvt(m->b, wider(row.dtype, column.dtype), v);
}

static bool ranks_fit(const matrix *m, tl_type row, tl_type column) {
  if (row.rank + column.rank > TL_MAX_RANK) {
    tl_diag_error(m->f->module->diag, TL_TENSOR_SHAPE_MISMATCH, m->d->spec->loc,
                  "tl_%s of '%s' would have more than %d axes", tl_intrinsic_name(m->d->spec->intrinsic), m->f->name,
                  TL_MAX_RANK);
    return false;
  }
  return true;
}

static tl_type type_in_h(matrix *m, uint32_t leaf) {
  return tl_build_type(m->b, m->frame.map[m->f->params.data[leaf].value]);
}

static const char *work_name(const matrix *m, const char *what, uint32_t i) {
  return tl_arena_printf(m->f->module->arena, "%s %s %u", m->d->spec->name, what, i);
}

static bool *only(const matrix *m, uint32_t leaf) {
  bool *wrt = TL_NEW_ARRAY(m->d->arena, bool, m->f->params.count + 1);
  wrt[leaf] = true;
  return wrt;
}

/* ---- columns by forward mode ---- */

/* The axis of the directions, in front, becomes the last. */
static tl_value directions_last(tl_builder *b, tl_value v) {
  int rank = tl_type_of(b->func, v).rank;
  tl_attr order = {.axes = {.count = rank}};
  for (int i = 0; i < rank; i++) {
    order.axes.axis[i] = (int8_t)((i + 1) % rank);
  }
  return rank > 1 ? tl_build_tensor(b, TL_OP_transpose, &v, &order) : v;
}

static bool build_column(matrix *m, uint32_t column) {
  bool *want = TL_NEW_ARRAY(m->d->arena, bool, m->f->results.count + 1);
  for (uint32_t r = 0; r < m->rows.count; r++) {
    want[m->rows.data[r]] = true;
  }
  uint32_t leaf = m->columns.data[column];
  tl_forward_spec spec = {.name = work_name(m, "column", column), .wrt = only(m, leaf), .want = want};
  tl_forwarded g;
  if (!tl__forward_run(m->plain, &spec, m->d->arena, &g)) {
    return false;
  }
  tl_value *dots = TL_NEW_ARRAY(m->d->arena, tl_value, m->rows.count + 1);
  for (uint32_t r = 0; r < m->rows.count; r++) {
    dots[r] = g.dots[m->rows.data[r]];
  }
  tl_type own = type_in_h(m, leaf);
  close_derivative(g.func, g.dot_params[leaf], m->rows.count, dots);
  bool ok = run_all(m, g.func, own, dots);
  tl__frame_forget(&m->frame, g.func);
  for (uint32_t r = 0; ok && r < m->rows.count; r++) {
    tl_type row = tl_build_type(m->b, m->results[m->rows.data[r]]);
    ok = ranks_fit(m, row, own);
    if (ok) {
      m->contents.data[r * m->columns.count + column] = as_matrix(m, directions_last(m->b, dots[r]), row, own);
    }
  }
  return ok;
}

static void make_contents(matrix *m) {
  for (uint32_t i = 0; i < m->rows.count * m->columns.count; i++) {
    TL_PUSH(m->d->arena, m->contents, TL_NO_VALUE);
  }
}

tl_func *tl__derive_tensor_jacobian(tl_derive_ctx *d) {
  matrix m;
  if (!begin(&m, d) || !find_rows(&m)) {
    return NULL;
  }
  make_contents(&m);
  for (uint32_t c = 0; c < m.columns.count; c++) {
    if (!build_column(&m, c)) {
      return NULL;
    }
  }
  return finish(&m, "J", false);
}

/* ---- rows by reverse mode ---- */

/* f's vjp by all columns with one seed; *out_bars are theirs. */
static bool reverse(matrix *m, const char *name, uint32_t result, tl_seed seed, tl_reversed *out, tl_value **out_bars) {
  tl_seed *seeds = TL_NEW_ARRAY(m->d->arena, tl_seed, m->f->results.count + 1);
  bool *keep = TL_NEW_ARRAY(m->d->arena, bool, m->f->results.count + 1);
  seeds[result] = seed;
  tl_reverse_spec spec = {.name = name, .wrt = m->d->wrt_leaf, .seeds = seeds, .keep = keep};
  if (!tl__reverse_run(m->plain, &spec, m->d->arena, out)) {
    return false;
  }
  *out_bars = TL_NEW_ARRAY(m->d->arena, tl_value, m->columns.count + 1);
  for (uint32_t c = 0; c < m->columns.count; c++) {
    (*out_bars)[c] = out->bars[m->columns.data[c]];
  }
  return true;
}

static bool build_row(matrix *m, uint32_t row) {
  uint32_t result = m->rows.data[row], count = m->columns.count;
  tl_type own = tl_build_type(m->b, m->results[result]);
  tl_reversed g;
  tl_value *bars;
  if (!reverse(m, work_name(m, "row", row), result, TL_SEED_PARAM, &g, &bars)) {
    return false;
  }
  close_derivative(g.func, g.seed_params[result], count, bars);
  bool ok = run_all(m, g.func, own, bars);
  tl__frame_forget(&m->frame, g.func);
  for (uint32_t c = 0; ok && c < count; c++) {
    tl_type column = type_in_h(m, m->columns.data[c]);
    ok = ranks_fit(m, own, column);
    if (ok) {
      m->contents.data[row * count + c] = as_matrix(m, bars[c], own, column);
    }
  }
  return ok;
}

tl_func *tl__derive_tensor_jacobian_reverse(tl_derive_ctx *d) {
  matrix m;
  if (!begin(&m, d) || !find_rows(&m)) {
    return NULL;
  }
  make_contents(&m);
  for (uint32_t r = 0; r < m.rows.count; r++) {
    if (!build_row(&m, r)) {
      return NULL;
    }
  }
  return finish(&m, "J", false);
}

/* ---- Hessians: the gradient pushed forward ---- */

/* The gradient as a function of f's leaves that returns a value per column; NULL with errors in the sink. */
static tl_func *make_gradient(matrix *m) {
  tl_reversed g;
  tl_value *bars;
  if (!reverse(m, work_name(m, "gradient", 0), 0, TL_SEED_ONE, &g, &bars)) {
    return NULL;
  }
  close_derivative(g.func, TL_NO_VALUE, m->columns.count, bars);
  tl__pipeline_run(g.func, m->d->arena);
  return g.func;
}

static bool build_hessian_row(matrix *m, tl_func *gradient, uint32_t row) {
  uint32_t count = m->columns.count, leaf = m->columns.data[row];
  bool *want = TL_NEW_ARRAY(m->d->arena, bool, count + 1);
  for (uint32_t c = 0; c < count; c++) {
    want[c] = true;
  }
  tl_forward_spec spec = {.name = work_name(m, "row", row), .wrt = only(m, leaf), .want = want};
  tl_forwarded g;
  if (!tl__forward_run(gradient, &spec, m->d->arena, &g)) {
    return false;
  }
  tl_type own = type_in_h(m, leaf);
  tl_value *dots = TL_NEW_ARRAY(m->d->arena, tl_value, count + 1);
  memcpy(dots, g.dots, sizeof *dots * count);
  close_derivative(g.func, g.dot_params[leaf], count, dots);
  bool ok = run_all(m, g.func, own, dots);
  tl__frame_forget(&m->frame, g.func);
  for (uint32_t c = 0; ok && c < count; c++) {
    m->contents.data[row * count + c] = as_matrix(m, dots[c], own, type_in_h(m, m->columns.data[c]));
  }
  return ok;
}

tl_func *tl__derive_tensor_hessian(tl_derive_ctx *d) {
  matrix m;
  if (!tl__returns_float(d->f)) {
    tl_diag_error(d->f->module->diag, TL_NOT_SCALAR, d->spec->loc,
                  "'%s' does not return a floating scalar, so it has no Hessian", d->f->name);
    return NULL;
  }
  if (!begin(&m, d)) {
    return NULL;
  }
  for (uint32_t i = 0; i < m.columns.count; i++) {
    TL_PUSH(d->arena, m.rows, m.columns.data[i]);
    for (uint32_t k = 0; k <= i; k++) {
      if (!ranks_fit(&m, type_in_h(&m, m.columns.data[i]), type_in_h(&m, m.columns.data[k]))) {
        return NULL;
      }
    }
  }
  make_contents(&m);
  tl_func *gradient = make_gradient(&m);
  for (uint32_t r = 0; gradient && r < m.columns.count; r++) {
    if (!build_hessian_row(&m, gradient, r)) {
      return NULL;
    }
  }
  if (!gradient) {
    return NULL;
  }
  tl__frame_forget(&m.frame, gradient);
  return finish(&m, "H", true);
}
