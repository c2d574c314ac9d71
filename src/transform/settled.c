/* Loads of elements that a loop leaves alone from then on, so that its result holds the number too. A factorisation in
 * place, or the solution of a triangular system, keeps no copy of what it reads of earlier rows and columns. */
#include "transform/keep_priv.h"
#include "transform/storage.h"

/* A load of an element, or an op that stores into the array. */
typedef struct access {
  const tl_op *op;
  tl_value storage;
  bool is_load;
} access;

typedef struct settling {
  tl_planner *p;
  TL_VEC(access) accesses; /* in the order in which they run */
} settling;

static void collect(settling *s, const tl_region *r, uint32_t count) {
  const tl_func *f = s->p->f;
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *o = r->ops.data[i];
    if (o->code == TL_OP_index || tl_op_stores(o)) {
      access a = {o, tl__storage_root(f, o->operands[0]), o->code == TL_OP_index};
      TL_PUSH(s->p->arena, s->accesses, a);
    }
    for (uint32_t k = 0; o->code == TL_OP_call && k < o->operand_count; k++) {
      if (tl__keep_is_array(s->p, o->operands[k])) {
        access a = {o, tl__storage_root(f, o->operands[k]), false};
        TL_PUSH(s->p->arena, s->accesses, a);
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      collect(s, o->regions[k], o->regions[k]->ops.count);
    }
  }
}

/* Where a store of a loop goes, seen from the element of a load. */
typedef struct apartness {
  bool later; /* elsewhere in all later iterations */
  bool now;   /* elsewhere in the load's own iteration */
} apartness;

/* Whether one of two indices is always less than the other, both in terms of a number that the loop does not change. */
static bool are_apart_by(const tl_func *f, tl_value base, tl_value x, tl_value y) {
  int64_t most, least;
  return (tl__index_bound(f, x, base, true, &most) && tl__index_bound(f, y, base, false, &least) && most < least) ||
         (tl__index_bound(f, y, base, true, &most) && tl__index_bound(f, x, base, false, &least) && most < least);
}

static bool are_always_apart(const tl_func *f, const tl_op *loop, tl_value x, tl_value y) {
  tl_value bases[] = {tl__index_base(f, x), tl__index_base(f, y)};
  for (int i = 0; i < 2; i++) {
    bool is_fixed = !bases[i] || !tl__region_contains(tl_loop_body(loop), tl_info(f, bases[i])->region);
    if (is_fixed && are_apart_by(f, bases[i], x, y)) {
      return true;
    }
  }
  return false;
}

/* By one axis: below row i where the store is at row i or above it, or the other way round in a loop that goes down.
 * `shared`: both are in a loop inside this one, in different iterations of which the indices stand for other numbers.
 */
static apartness by_axis(const tl_func *f, const tl_op *loop, tl_value load, tl_value store, bool shared) {
  tl_value iv = tl_loop_body(loop)->params.data[0];
  bool up = (loop->u.step > 0) != loop->reversed;
  int64_t c, d;
  if (are_always_apart(f, loop, load, store)) {
    return (apartness){true, true};
  }
  bool bounded = tl__index_bound(f, load, iv, up, &d) && tl__index_bound(f, store, iv, !up, &c);
  bool differ = !shared && (tl__index_order(f, load, store) || tl__index_compare(f, load, store) == TL_INDEX_DIFFERENT);
  return (apartness){.later = bounded && (up ? d <= c : d >= c), .now = differ || (bounded && (up ? d < c : d > c))};
}

typedef struct load_axes {
  tl_axis axis[TL_MAX_AXES];
  uint32_t count;
} load_axes;

static apartness find_apartness(const tl_func *f, const tl_op *loop, const access *load, const load_axes *axes,
                                const access *store, bool shared) {
  apartness all = {0};
  for (uint32_t i = 0; i < axes->count && store->op->code == TL_OP_update; i++) {
    tl_value at = tl__index_on(f, store->op, &axes->axis[i]);
    apartness a = {0};
    if (at) {
      a = by_axis(f, loop, tl__index_on(f, load->op, &axes->axis[i]), at, shared);
    }
    all.later = all.later || a.later;
    all.now = all.now || a.now;
  }
  return all;
}

/* Whether no store of the loop reaches the load's element after it. `inner`: the next loop around the load that stores
 * into the array, where that is so in it; else NULL. */
static bool stays(const settling *s, const access *load, const load_axes *axes, const tl_op *loop, const tl_op *inner) {
  const tl_region *body = tl_loop_body(loop);
  for (uint32_t i = 0; i < s->accesses.count; i++) {
    const access *store = &s->accesses.data[i];
    if (store->is_load || store->storage != load->storage || !tl__region_contains(body, store->op->parent)) {
      continue;
    }
    const tl_op *common = tl__enclosing_loop(store->op->parent);
    while (!tl__region_contains(tl_loop_body(common), load->op->parent)) {
      common = tl__enclosing_loop(common->parent);
    }
    apartness a = find_apartness(s->p->f, loop, load, axes, store, common != loop);
    bool is_before = common == loop && store < load;
    bool is_seen_to = inner && tl__region_contains(tl_loop_body(inner), store->op->parent);
    if (!a.later || (!a.now && !is_before && !is_seen_to)) {
      return false;
    }
  }
  return true;
}

/* The result of the loop for the storage; TL_NO_VALUE where the loop does not carry it. */
static tl_value result_of(const tl_planner *p, const tl_op *loop, tl_value storage) {
  const tl_region *body = tl_loop_body(loop);
  for (uint32_t c = 0; c < tl_loop_carries(loop); c++) {
    if (tl__keep_is_array(p, body->params.data[1 + c]) && tl__storage_root(p->f, body->params.data[1 + c]) == storage &&
        tl__storage_root(p->f, body->yields.data[c]) == storage) {
      return tl_op_result(loop, c);
    }
  }
  return TL_NO_VALUE;
}

static void find_settled(const settling *s, const access *load) {
  tl_planner *p = s->p;
  const tl_region *version = tl__keep_region(p, load->op->operands[0]);
  const tl_op *inner = NULL;
  load_axes axes;
  axes.count = tl__index_axes(p->f, load->op, axes.axis);
  for (const tl_op *loop = tl__enclosing_loop(load->op->parent); loop; loop = tl__enclosing_loop(loop->parent)) {
    const tl_region *body = tl_loop_body(loop);
    if (!tl__region_contains(body, version) || !tl__region_contains(body, load->op->parent)) {
      continue; /* it does not store into the array, or the load is in its condition */
    }
    tl_value result = result_of(p, loop, load->storage);
    inner = result && stays(s, load, &axes, loop, inner) ? loop : NULL;
    if (inner) {
      p->k->settled[load->op->first_result] = result; /* the outermost loop's result lasts longest */
    }
  }
}

void tl__keep_find_settled(tl_planner *p) {
  settling s = {.p = p};
  collect(&s, p->f->body, p->a->primal_ops);
  for (uint32_t i = 0; i < s.accesses.count; i++) {
    if (s.accesses.data[i].is_load) {
      find_settled(&s, &s.accesses.data[i]);
    }
  }
}
