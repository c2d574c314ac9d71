/* Saved values of reverse mode: written into an array while their provider's head runs, loaded in the heads of the
 * adjoint.
 *
 * The array has an axis per loop between the provider and the value. Where an inner loop's trip count is not known
 * before the outermost of them, the array has one axis that grows, and each run of the inner loop records where it
 * starts (as rows of a sparse matrix do). A value that is saved out of branches alone is a variable. Arrays are saved
 * by their content, one more axis or more for each; those whose sizes are not known ahead lie one behind the other, and
 * each records its start. */
#include <assert.h>
#include <string.h>

#include "transform/elements.h"
#include "transform/peephole.h"
#include "transform/rewrite.h"
#include "transform/storage.h"
#include "transform/writer.h"

/* ---- places ---- */

/* Is the value at hand ahead of the op of the provider's region that holds the nest? */
static bool is_at_hand(tl_writer *w, const tl_mirror *provider, const tl_op *outermost, tl_value v) {
  const tl_op *def = tl__writer_primal(w, v)->op;
  const tl_region *home = tl__writer_primal(w, v)->region;
  while (outermost->parent != provider->primal) {
    outermost = outermost->parent->parent;
  }
  return !tl__op_contains(outermost, home) || (def && def->code == TL_OP_const);
}

/* Nothing but loops that run to their end stands between the op and the region around them. */
static bool runs_always(const tl_op *op, const tl_region *around) {
  for (const tl_region *r = op->parent; r != around; r = r->parent->parent) {
    if (r->parent->code != TL_OP_loop || !tl_loop_is_counted(r->parent) || r == tl_loop_cond(r->parent)) {
      return false;
    }
  }
  return true;
}

/* A bound ahead is at hand, or integer arithmetic on values that are. A difference of unsigned numbers may wrap where
 * the program does not compute it, or leaves the loop early; `may_wrap` says that neither happens. */
static bool is_ahead(tl_writer *w, const tl_mirror *provider, const tl_op *outermost, tl_value v, bool may_wrap,
                     int depth) {
  if (is_at_hand(w, provider, outermost, v)) {
    return true;
  }
  const tl_op *def = tl__writer_primal(w, v)->op;
  tl_dtype type = tl__writer_primal(w, v)->type.dtype;
  if (!def || !depth || tl_dtype_is_float(type) || type == TL_BOOL) {
    return false;
  }
  bool is_difference = def->code == TL_OP_sub, is_unsigned = tl_dtype_is_unsigned(type);
  bool is_made = is_difference || def->code == TL_OP_add || def->code == TL_OP_mul;
  if (def->code == TL_OP_cvt) {
    tl_dtype from = tl__writer_primal(w, def->operands[0])->type.dtype;
    is_made = !tl_dtype_is_float(from) && from != TL_BOOL && tl__cvt_is_lossless(from, type);
  }
  if (!is_made || (is_difference && is_unsigned && !(may_wrap && runs_always(def, provider->primal)))) {
    return false;
  }
  for (uint32_t i = 0; i < def->operand_count; i++) {
    if (!is_ahead(w, provider, outermost, def->operands[i], may_wrap, depth - 1)) {
      return false;
    }
  }
  return true;
}

enum { MOST_STEPS_AHEAD = 4 };

static bool is_bound_ahead(tl_writer *w, const tl_mirror *provider, const tl_op *outermost, tl_value v,
                           const tl_op *loop) {
  return is_ahead(w, provider, outermost, v, !loop || tl_loop_is_counted(loop), MOST_STEPS_AHEAD);
}

/* Whether v is the extent of a parameter, a constant more or less. */
static bool is_near_extent(tl_writer *w, tl_value v) {
  const tl_func *f = w->a->func;
  int64_t offset;
  for (const tl_op *def; (v = tl__index_split(f, v, &offset)) && (def = tl_def(f, v)) && def->code == TL_OP_cvt;) {
    v = def->operands[0];
  }
  for (uint32_t i = 0; v && i < f->params.count; i++) {
    tl_type t = tl_type_of(f, f->params.data[i].value);
    for (int k = 0; t.is_array && k < t.rank; k++) {
      if (t.extents[k].value == v) {
        return true;
      }
    }
  }
  return false;
}

enum { FEW_TRIPS = 4096 };

/* How often the innermost statements run in a run of the region at most, FEW_TRIPS + 1 for more than are few. */
static uint64_t most_runs(const tl_func *f, const tl_region *r) {
  uint64_t most = 1;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    uint64_t trips = 1;
    bool is_known = o->code != TL_OP_loop || (tl__loop_const_bound(f, o, &trips) && trips <= FEW_TRIPS);
    for (uint32_t k = 0; k < o->region_count; k++) {
      uint64_t runs = is_known ? trips * most_runs(f, o->regions[k]) : FEW_TRIPS + 1;
      most = runs > most ? runs : most;
    }
  }
  return most <= FEW_TRIPS ? most : FEW_TRIPS + 1;
}

/* Whether a tape for as many iterations as the bounds allow is not much more than what is needed: a loop that is left
 * early, or stands in a branch, may have a bound that says nothing (`while (i < INT_MAX)`). */
static bool is_bound_tight(tl_writer *w, const tl_mirror *provider, const tl_op *outermost, const tl_op *loop) {
  uint64_t trips;
  if (tl__loop_const_bound(w->a->func, loop, &trips)) {
    return (trips <= FEW_TRIPS && trips * most_runs(w->a->func, tl_loop_body(loop)) <= FEW_TRIPS) ||
           (trips <= INT32_MAX && tl_loop_is_counted(loop) && runs_always(loop, provider->primal));
  }
  tl_value lo = tl_loop_lo(loop), hi = tl_loop_hi(loop), far = loop->u.step > 0 ? hi : lo;
  if (tl_loop_is_counted(loop)) {
    return runs_always(loop, provider->primal) ||
           (is_at_hand(w, provider, outermost, lo) && is_at_hand(w, provider, outermost, hi));
  }
  return is_near_extent(w, far);
}

static tl_nest *nest_of(tl_writer *w, const tl_mirror *provider, const tl_op *loop) {
  if (!loop || !tl__region_contains(provider->primal, loop->parent)) {
    return NULL;
  }
  for (uint32_t i = 0; i < w->nests.count; i++) {
    if (w->nests.data[i]->provider == provider && w->nests.data[i]->loop == loop) {
      return w->nests.data[i];
    }
  }
  tl_nest *n = TL_NEW(w->a->arena, tl_nest);
  n->provider = provider;
  n->loop = loop;
  n->outer = nest_of(w, provider, tl__enclosing_loop(loop->parent));
  const tl_nest *outermost = n;
  while (outermost->outer) {
    outermost = outermost->outer;
  }
  n->sized = tl_loop_hi(loop) && is_bound_ahead(w, provider, outermost->loop, loop->operands[0], loop) &&
             is_bound_ahead(w, provider, outermost->loop, loop->operands[1], loop) &&
             is_bound_tight(w, provider, outermost->loop, loop);
  n->rows = n->outer && (n->outer->rows || !n->sized || !outermost->sized);
  TL_PUSH(w->a->arena, w->nests, n);
  return n;
}

static tl_thread *thread_new(tl_writer *w, const tl_region *site, tl_value initial) {
  tl_thread *t = TL_NEW(w->a->arena, tl_thread);
  t->site = site;
  t->current = initial;
  TL_PUSH(w->a->arena, w->threads, t);
  return t;
}

static tl_value to_i64(tl_writer *w, tl_value v) { return tl_build_cvt(&w->b, TL_I64, v); }

static bool is_signed(const tl_func *f, tl_value v) { return !tl_dtype_is_unsigned(tl_type_of(f, v).dtype); }

/* A bound ahead of its nest: at hand, a constant that may stand further in, or made here; what is signed is then made
 * with 64 bits, as it may be too large for the loop's own type where the loop does not run. */
static tl_value bound_ahead(tl_writer *w, const tl_mirror *m, tl_value v) {
  int64_t n;
  const tl_func *f = w->a->func;
  if (tl_is_const_int(f, v, &n)) {
    return tl_build_int(&w->b, tl__writer_primal(w, v)->type.dtype, n);
  }
  tl_value found = tl__writer_find(w, m, v);
  if (found && tl__value_visible(w->h, found, w->b.region)) { /* not in a branch that ran before */
    return found;
  }
  const tl_op *def = tl_def(f, v);
  tl_dtype type = is_signed(f, v) ? TL_I64 : tl_type_of(f, v).dtype;
  tl_value operands[2] = {TL_NO_VALUE, TL_NO_VALUE};
  for (uint32_t i = 0; i < def->operand_count; i++) {
    operands[i] = tl_build_cvt(&w->b, type, bound_ahead(w, m, def->operands[i]));
  }
  return def->code == TL_OP_cvt ? operands[0] : tl_build_binary(&w->b, def->code, operands[0], operands[1]);
}

/* A tape of a mirror inside a loop is made once, ahead of that loop, which may not run at all: a difference of unsigned
 * numbers that only it computes is then no size. */
static tl_value without_wrapping(tl_writer *w, const tl_mirror *m, tl_value bound) {
  const tl_op *def = tl_def(w->h, bound);
  if (!m->index || !def || def->code != TL_OP_sub || is_signed(w->h, bound)) {
    return bound;
  }
  tl_value runs = tl_build_binary(&w->b, TL_OP_gt, def->operands[0], def->operands[1]);
  return tl_build_select(&w->b, runs, bound, tl_build_int(&w->b, tl_type_of(w->h, bound).dtype, 0));
}

/* Upper bound of a counted loop's trip count, in the bound's own type where that is simple. */
static tl_value trip_bound(tl_writer *w, const tl_mirror *m, const tl_op *loop) {
  tl_builder *b = &w->b;
  tl_value lo = bound_ahead(w, m, tl_loop_lo(loop)), hi = bound_ahead(w, m, tl_loop_hi(loop));
  tl_dtype type = tl_type_of(w->h, hi).dtype;
  int64_t step = loop->u.step, zero = 1;
  bool from_zero = tl_is_const_int(w->h, lo, &zero) && zero == 0;
  int64_t fixed;
  if (from_zero && step == 1 && (tl_dtype_is_unsigned(type) || (tl_is_const_int(w->h, hi, &fixed) && fixed >= 0))) {
    return without_wrapping(w, m, hi);
  }
  lo = to_i64(w, lo);
  hi = to_i64(w, hi);
  tl_value distance = step > 0 ? tl_build_binary(b, TL_OP_sub, hi, lo) : tl_build_binary(b, TL_OP_sub, lo, hi);
  int64_t stride = step > 0 ? step : -step;
  if (stride != 1) {
    distance = tl_build_binary(b, TL_OP_add, distance, tl_build_int(b, TL_I64, stride - 1));
    distance = tl_build_binary(b, TL_OP_div, distance, tl_build_int(b, TL_I64, stride));
  }
  tl_value nothing = tl_build_int(b, TL_I64, 0);
  return tl_build_select(b, tl_build_binary(b, TL_OP_gt, distance, nothing), distance, nothing);
}

static int depth_of(const tl_nest *n) {
  int depth = 0;
  for (; n; n = n->outer) {
    depth++;
  }
  return depth;
}

/* An array with a place for every iteration of the nest, made ahead of the nest's outermost op. Where the value is an
 * array itself (`element`), a place has its axes; in a tape that grows, all is one axis. */
/* The type of a tensor in a tape: an extent that is not at hand ahead of the loops is not stated. */
static tl_type saved_tensor(tl_writer *w, const tl_mirror *m, const tl_nest *n, tl_type type) {
  tl_extent *extents = TL_NEW_ARRAY(w->h->arena, tl_extent, type.rank + 1);
  while (n && n->outer) {
    n = n->outer;
  }
  for (int i = 0; i < type.rank; i++) {
    tl_extent e = type.extents[i];
    bool at_hand = e.value && n && is_at_hand(w, m, n->loop, e.value) && tl__writer_find(w, m, e.value);
    extents[i] = at_hand   ? (tl_extent){.value = tl__writer_find(w, m, e.value)}
                 : e.value ? (tl_extent){.fixed = -1}
                           : e;
  }
  type.extents = extents;
  return type;
}

static tl_value build_tape(tl_writer *w, const tl_mirror *m, const tl_nest *n, tl_type element, const char *name) {
  tl_type saved = element.is_tensor ? saved_tensor(w, m, n, element) : tl_scalar(element.dtype);
  tl_extent extents[TL_MAX_RANK];
  const char *label = name ? tl_arena_printf(w->h->arena, "%s_saved", name) : NULL;
  if (n && (n->rows || !n->sized)) {
    extents[0] = (tl_extent){64, TL_NO_VALUE};
    return tl_build_alloc_of(&w->b, saved, 1, extents, TL_ALLOC_TAPE | TL_ALLOC_GROW, label);
  }
  int rank = depth_of(n);
  for (int axis = rank; axis-- > 0; n = n->outer) {
    assert(n);
    tl_value bound = trip_bound(w, m, n->loop);
    int64_t fixed;
    extents[axis] = tl_is_const_int(w->h, bound, &fixed) ? (tl_extent){fixed, TL_NO_VALUE} : (tl_extent){0, bound};
  }
  for (int axis = 0; element.is_array && axis < element.rank; axis++) {
    tl_extent e = element.extents[axis];
    extents[rank++] = (tl_extent){e.fixed, e.value ? bound_ahead(w, m, e.value) : TL_NO_VALUE};
  }
  return tl_build_alloc_of(&w->b, saved, rank, extents, TL_ALLOC_TAPE, label);
}

/* Can arrays of this type have places of one size in a tape made ahead of op `o`? */
static bool fits_tape(tl_writer *w, const tl_mirror *m, const tl_nest *n, const tl_op *o, tl_type type) {
  for (int axis = 0; axis < type.rank; axis++) {
    if (type.extents[axis].value && !is_bound_ahead(w, m, o, type.extents[axis].value, NULL)) {
      return false;
    }
  }
  return depth_of(n) + type.rank <= TL_MAX_RANK;
}

/* A tape in which arrays lie one behind the other. */
static void begin_run_of_arrays(tl_writer *w, const tl_mirror *m, const tl_nest *n, tl_save *s) {
  const tl_value_info *info = tl__writer_primal(w, s->value);
  const char *name = info->name ? tl_arena_printf(w->h->arena, "%s_saved", info->name) : NULL;
  tl_extent guess = {64, TL_NO_VALUE};
  tl_value tape = tl_build_alloc(&w->b, info->type.dtype, 1, &guess, TL_ALLOC_TAPE | TL_ALLOC_GROW, name);
  s->storage = thread_new(w, info->region, tape);
  s->cursor = thread_new(w, info->region, tl_build_int(&w->b, TL_I64, 0));
  s->starts = n ? thread_new(w, info->region, build_tape(w, m, n, tl_scalar(TL_I64), "start")) : NULL;
}

/* What a saved value's variable holds where the branch is not taken; nobody reads it. A tensor without elements where
 * its extents are not known yet. */
static tl_value placeholder(tl_writer *w, const tl_mirror *m, tl_type type) {
  tl_value zero = tl_build_zero(&w->b, type.dtype);
  if (!type.is_tensor) {
    return zero;
  }
  tl_extent *extents = TL_NEW_ARRAY(w->h->arena, tl_extent, type.rank + 1);
  for (int i = 0; i < type.rank; i++) {
    extents[i] = type.extents[i];
    extents[i].value = extents[i].value ? tl__writer_find(w, m, extents[i].value) : TL_NO_VALUE;
    extents[i].fixed = extents[i].fixed < 0 ? 0 : extents[i].fixed;
  }
  type.extents = extents;
  return tl_build_broadcast(&w->b, zero, type);
}

/* Makes what is threaded through primal op `o` and not there yet: called ahead of each op of the provider's own region.
 */
void tl__saved_begin(tl_writer *w, const tl_mirror *m, const tl_op *o) {
  for (uint32_t i = 0; i < w->k->saves.count; i++) {
    tl_save *s = w->k->saves.data[i];
    const tl_value_info *info = tl__writer_primal(w, s->value);
    if (s->provider != m || s->holder || s->storage || !tl__op_contains(o, info->region)) {
      continue;
    }
    tl_nest *n = nest_of(w, m, tl__enclosing_loop(info->region));
    if (!n && !s->is_copied) {
      tl_value initial;
      if (info->type.is_array) {
        tl_value v = s->value;
        /* The version that goes into the op: what stands where the branch is not taken. */
        while (tl__op_contains(o, tl__writer_primal(w, v)->region)) {
          const tl_value_info *at = tl__writer_primal(w, v);
          if (!at->op) {
            v = tl_loop_init(at->region->parent, at->index - 1);
          } else if (at->op->code == TL_OP_loop) {
            v = tl_loop_init(at->op, at->index);
          } else if (at->op->code == TL_OP_if) {
            v = at->op->regions[0]->yields.data[at->index];
          } else if (at->op->code == TL_OP_call) {
            v = tl__storage_of_result(w->a->func, at->op, at->index);
          } else {
            v = at->op->operands[0];
          }
        }
        initial = tl__writer_lookup(w, m, v);
      } else {
        initial = placeholder(w, m, info->type);
      }
      s->storage = thread_new(w, info->region, initial);
      continue;
    }
    for (tl_nest *x = n; x; x = x->outer) {
      if (x->rows && !x->cursor) {
        x->cursor = thread_new(w, x->loop->parent, tl_build_int(&w->b, TL_I64, 0));
        x->starts = thread_new(w, x->loop->parent, build_tape(w, m, x->outer, tl_scalar(TL_I64), "start"));
      }
    }
    if (!info->type.is_array || fits_tape(w, m, n, o, info->type)) {
      s->storage = thread_new(w, info->region, build_tape(w, m, n, info->type, info->name));
    } else {
      begin_run_of_arrays(w, m, n, s);
    }
  }
}

static tl_value loop_counter(tl_writer *w, const tl_op *loop) {
  tl_value k = w->counter[tl_loop_body(loop)->params.data[0]];
  assert(k);
  return k;
}

static uint32_t place_of(tl_writer *w, const tl_nest *n, tl_value *at) {
  if (n->rows) {
    at[0] = tl_build_binary(&w->b, TL_OP_add, n->start, to_i64(w, loop_counter(w, n->loop)));
    return 1;
  }
  uint32_t count = n->outer ? place_of(w, n->outer, at) : 0;
  at[count] = loop_counter(w, n->loop);
  return count + 1;
}

/* ---- loops of a provider's head ---- */

static tl_nest *rows_of(tl_writer *w, const tl_mirror *m, const tl_op *loop) {
  for (uint32_t i = 0; i < w->nests.count; i++) {
    tl_nest *n = w->nests.data[i];
    if (n->provider == m && n->loop == loop && n->rows) {
      return n;
    }
  }
  return NULL;
}

void tl__saved_enter_loop(tl_writer *w, const tl_mirror *m, const tl_op *loop) {
  tl_nest *n = rows_of(w, m, loop);
  if (n) {
    tl_value at[TL_MAX_RANK];
    uint32_t count = place_of(w, n->outer, at);
    n->start = n->cursor->current;
    n->starts->current = tl_build_update(&w->b, n->starts->current, count, at, n->start);
  }
}

void tl__saved_leave_loop(tl_writer *w, const tl_mirror *m, const tl_op *loop, const tl_op *made) {
  tl_nest *n = rows_of(w, m, loop);
  if (n) {
    n->cursor->current = tl_build_binary(&w->b, TL_OP_add, n->cursor->current, tl_loop_trips(made));
  }
}

/* ---- arrays as saved values ---- */

typedef struct array_copy {
  tl_writer *w;
  tl_value from;
  uint32_t count; /* of places in front of the array's own indices */
  tl_value place[TL_MAX_RANK];
  tl_value start; /* in a tape of one axis: of the array; else TL_NO_VALUE */
} array_copy;

static uint32_t index_in_tape(const array_copy *c, tl_type type, const tl_value *at, tl_value linear, tl_value *out) {
  if (c->start) {
    out[0] = tl_build_binary(&c->w->b, TL_OP_add, c->start, to_i64(c->w, linear));
    return 1;
  }
  memcpy(out, c->place, sizeof *out * c->count);
  memcpy(out + c->count, at, sizeof *out * (size_t)type.rank);
  return c->count + (uint32_t)type.rank;
}

static void store_in_tape(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  array_copy *c = ctx;
  tl_type type = tl_type_of(c->w->h, c->from);
  tl_value index[TL_MAX_RANK];
  uint32_t count = index_in_tape(c, type, at, linear, index);
  tl_value v = tl_build_index(&c->w->b, c->from, (uint32_t)type.rank, at);
  carries[0] = tl_build_update(&c->w->b, carries[0], count, index, v);
}

static void load_from_tape(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  array_copy *c = ctx;
  tl_type type = tl_type_of(c->w->h, carries[0]);
  tl_value index[TL_MAX_RANK];
  uint32_t count = index_in_tape(c, type, at, linear, index);
  tl_value v = tl_build_index(&c->w->b, c->from, count, index);
  carries[0] = tl_build_update(&c->w->b, carries[0], (uint32_t)type.rank, at, v);
}

/* Where an array of that type starts in a tape that is one growing axis; TL_NO_VALUE where the tape has all axes. */
static tl_value start_in_places(tl_writer *w, const tl_nest *n, tl_type type, tl_value place) {
  if (!n || (!n->rows && n->sized)) {
    return TL_NO_VALUE;
  }
  return tl_build_binary(&w->b, TL_OP_mul, to_i64(w, place), tl__element_count(&w->b, type, 0, TL_I64));
}

static void store_array(tl_writer *w, const tl_nest *n, tl_save *s, tl_value v, uint32_t count, const tl_value *at) {
  array_copy c = {.w = w, .from = v, .count = count};
  tl_type type = tl_type_of(w->h, v);
  memcpy(c.place, at, sizeof *at * count);
  if (s->cursor) {
    c.start = s->cursor->current;
    if (s->starts) {
      s->starts->current = tl_build_update(&w->b, s->starts->current, count, at, c.start);
    }
    s->cursor->current = tl_build_binary(&w->b, TL_OP_add, c.start, tl__element_count(&w->b, type, 0, TL_I64));
  } else {
    c.start = start_in_places(w, n, type, at[0]);
  }
  tl__each_element(&w->b, type, 1, &s->storage->current, store_in_tape, &c);
}

/* Stores a value that the plan saves, right after it was computed. */
void tl__saved_store(tl_writer *w, const tl_mirror *m, tl_value v) {
  tl_save *s = w->k->saved[v];
  if (!s || s->provider != m || !s->storage) {
    return;
  }
  const tl_value_info *info = tl__writer_primal(w, v);
  tl_nest *n = nest_of(w, m, tl__enclosing_loop(info->region));
  if (!n && !s->is_copied) {
    s->storage->current = tl__writer_lookup(w, m, v);
    return;
  }
  tl_value at[TL_MAX_RANK] = {TL_NO_VALUE};
  uint32_t count = n ? place_of(w, n, at) : 0;
  if (info->type.is_array) {
    store_array(w, n, s, tl__writer_lookup(w, m, v), count, at);
    return;
  }
  s->storage->current = tl_build_update(&w->b, s->storage->current, count, at, tl__writer_lookup(w, m, v));
}

/* ---- loads of saved values, in adjoint regions ---- */

static const tl_mirror *mirror_of_loop(const tl_mirror *m, const tl_op *loop) {
  while (m->primal_op != loop || !m->is_loop) {
    m = m->outer;
  }
  return m;
}

/* The iteration number of a primal loop in its mirror. */
static tl_value mirror_counter(tl_writer *w, const tl_mirror *m) {
  if (m->counter) {
    return w->adjoint_map[m->counter];
  }
  tl_value iv = w->adjoint_map[m->iv], lo = tl__writer_lookup(w, m->outer, tl_loop_lo(m->primal_op));
  int64_t zero = 1, step = m->primal_op->u.step;
  if (tl_is_const_int(w->h, lo, &zero) && zero == 0 && step == 1) {
    return iv;
  }
  tl_value k = tl_build_binary(&w->b, TL_OP_sub, to_i64(w, iv), to_i64(w, lo));
  return step == 1 ? k : tl_build_binary(&w->b, TL_OP_div, k, tl_build_int(&w->b, TL_I64, step));
}

static uint32_t place_in_mirror(tl_writer *w, const tl_mirror *m, const tl_nest *n, tl_value *at) {
  tl_value k = mirror_counter(w, mirror_of_loop(m, n->loop));
  if (n->rows) {
    tl_value outer_at[TL_MAX_RANK];
    uint32_t count = place_in_mirror(w, m, n->outer, outer_at);
    at[0] = tl_build_binary(&w->b, TL_OP_add, tl_build_index(&w->b, n->starts->current, count, outer_at), to_i64(w, k));
    return 1;
  }
  uint32_t count = n->outer ? place_in_mirror(w, m, n->outer, at) : 0;
  at[count] = k;
  return count + 1;
}

void tl__saved_load(tl_writer *w, tl_mirror *m, tl_value v) {
  tl_save *s = w->k->saved[v];
  const tl_value_info *info = tl__writer_primal(w, v);
  if (s->holder) {
    tl_value at[TL_MAX_RANK];
    uint32_t rank = s->store->operand_count - 2;
    for (uint32_t i = 0; i < rank; i++) {
      at[i] = tl__writer_bring(w, m, s->store->operands[1 + i]);
    }
    m->map[v] = tl_build_index(&w->b, tl__writer_lookup(w, m, s->holder), rank, at);
    tl__writer_keep_name(w, m->map[v], info->name);
    return;
  }
  tl_nest *n = nest_of(w, s->provider, tl__enclosing_loop(info->region));
  if (!n && !s->is_copied) {
    m->map[v] = s->storage->current;
    return;
  }
  tl_value at[TL_MAX_RANK] = {TL_NO_VALUE};
  uint32_t count = n ? place_in_mirror(w, m, n, at) : 0;
  if (info->type.is_array) {
    tl_extent extents[TL_MAX_RANK];
    for (int axis = 0; axis < info->type.rank; axis++) {
      extents[axis] =
          (tl_extent){info->type.extents[axis].fixed, tl__writer_lookup(w, m, info->type.extents[axis].value)};
    }
    m->map[v] = tl_build_alloc(&w->b, info->type.dtype, info->type.rank, extents,
                               tl__storage_flags_beside(w->a->func, v), info->name);
    array_copy c = {.w = w, .from = s->storage->current, .count = count};
    memcpy(c.place, at, sizeof *at * count);
    if (s->starts) {
      c.start = tl_build_index(&w->b, s->starts->current, count, at);
    } else if (s->cursor) {
      c.start = tl_build_int(&w->b, TL_I64, 0);
    } else {
      c.start = start_in_places(w, n, tl_type_of(w->h, m->map[v]), at[0]);
    }
    tl__each_element(&w->b, tl_type_of(w->h, m->map[v]), 1, &m->map[v], load_from_tape, &c);
    return;
  }
  m->map[v] = tl_build_index(&w->b, s->storage->current, count, at);
  tl__writer_keep_name(w, m->map[v], info->name);
}
