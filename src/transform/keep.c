/* See keep.h. The decision per group is a minimum cut. A value that has to be at hand is either saved, at the price of
 * its storage, or computed again, at the price of its op, and then its operands have to be at hand too. */
#include "transform/keep.h"

#include <assert.h>

#include "transform/mincut.h"
#include "transform/storage.h"

enum { /* prices, in units of one addition */
       PRICE_SIMPLE = 1,
       PRICE_DIVIDE = 4,
       PRICE_CALL = 12, /* a call of libm */
       PRICE_LOOP = 200,
       PRICE_SAVE = 8,          /* a store and a load, through memory */
       PRICE_SAVE_ARRAY = 1000, /* a whole array in every iteration: where nothing else will do */
       PRICE_EXPORT = 3,        /* out of a branch, without a loop: a variable */
};

typedef struct use {
  const tl_op *op; /* NULL: a yield of `region` */
  const tl_region *region;
  uint32_t index;
} use;

typedef TL_VEC(use) use_list;

typedef struct pending {
  tl_mirror *mirror;
  tl_value value;
} pending;

typedef struct planner {
  tl_keep *k;
  tl_adjoint *a;
  tl_func *f;
  tl_arena *arena;
  bool *need;               /* by primal value: wanted in the head of mirror_of[value] */
  use_list *uses;           /* by primal value */
  signed char *overwritten; /* by primal value: 0 not known, 1 no, 2 yes */
  signed char *rebuildable; /* by primal array, in its own region: likewise */
  TL_VEC(pending) work;
  const tl_op *group; /* the loop whose group is being decided */
  bool group_decided;
} planner;

/* ---- structure ---- */

tl_op *tl__enclosing_loop(const tl_region *r) {
  for (; r->parent; r = r->parent->parent) {
    if (r->parent->code == TL_OP_loop) {
      return r->parent;
    }
  }
  return NULL;
}

static tl_region *region_of(const planner *p, tl_value v) { return p->f->values.data[v].region; }
static const tl_op *group_of(const planner *p, tl_value v) { return tl__enclosing_loop(region_of(p, v)); }
static bool is_array(const planner *p, tl_value v) { return p->f->values.data[v].type.is_array; }

static void find_uses(planner *p, const tl_region *r, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      if (o->operands[k]) {
        TL_PUSH(p->arena, p->uses[o->operands[k]], (use){o, r, k});
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      find_uses(p, o->regions[k], o->regions[k]->ops.count);
    }
  }
  if (r->parent) {
    for (uint32_t i = 0; i < r->yields.count; i++) {
      TL_PUSH(p->arena, p->uses[r->yields.data[i]], (use){NULL, r, i});
    }
  }
}

/* ---- arrays ---- */

/* Does anything write into the storage of this version, so that its content is gone afterward? The next iteration of
 * the loop around it does not count: heads run one iteration. */
static bool is_overwritten(planner *p, tl_value v) {
  if (p->overwritten[v]) {
    return p->overwritten[v] == 2;
  }
  p->overwritten[v] = 1;
  bool gone = false;
  for (uint32_t i = 0; i < p->uses[v].count && !gone; i++) {
    use u = p->uses[v].data[i];
    if (!u.op) {
      gone = u.region->parent->code == TL_OP_if && is_overwritten(p, tl_op_result(u.region->parent, u.index));
    } else if (u.op->code == TL_OP_loop && u.index >= 2) {
      const tl_region *body = tl_loop_body(u.op);
      gone = body->yields.data[u.index - 2] != body->params.data[u.index - 1];
    } else {
      gone = tl__op_overwrites(p->f, u.op, u.index);
    }
  }
  p->overwritten[v] = gone ? 2 : 1;
  return gone;
}

/* May the array leave a branch of the root group, its storage lying outside of all branches? */
static bool is_exportable(planner *p, tl_value v) {
  return region_of(p, tl__storage_root(p->f, v)) == p->f->body && !is_overwritten(p, v);
}

/* Does the array live in storage that is made inside `r`, so that it can be made again there? */
static bool is_owned(const planner *p, tl_value v, const tl_region *r) {
  for (;;) {
    const tl_value_info *info = tl_info(p->f, v);
    if (!tl__region_contains(r, info->region)) {
      return false;
    }
    const tl_op *o = info->op;
    if (!o) {
      if (info->region == r || !info->region->parent) {
        return false; /* the content comes from the iteration before */
      }
      v = tl_loop_init(info->region->parent, info->index - 1);
    } else if (o->code == TL_OP_loop) {
      v = tl_loop_init(o, info->index);
    } else if (o->code == TL_OP_if) {
      if (!is_owned(p, o->regions[1]->yields.data[info->index], r)) {
        return false;
      }
      v = o->regions[0]->yields.data[info->index];
    } else if (tl_op_stores(o)) {
      v = o->operands[0];
    } else {
      return o->code == TL_OP_alloc || o->code == TL_OP_clone;
    }
  }
}

/* ---- arrays that last ----
 *
 * Where every iteration of a loop writes a slice of its own of an array that the loop carries, what an iteration leaves
 * in its slice is still there when the loop is over: the loop's result stands for the iteration's last version, for
 * reads of that slice. A person who keeps `centered[c][j]` of all components for the way back relies on this. */

/* Do all stores in the region into the storage name the iteration on that axis? */
static bool stores_keep_to_slice(const planner *p, const tl_region *r, tl_value storage, uint32_t axis, tl_value iv) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      if (!stores_keep_to_slice(p, o->regions[k], storage, axis, iv)) {
        return false;
      }
    }
    if (o->code == TL_OP_call) {
      for (uint32_t k = 0; k < o->operand_count; k++) {
        if (is_array(p, o->operands[k]) && tl__storage_root(p->f, o->operands[k]) == storage) {
          return false;
        }
      }
    }
    if (tl_op_stores(o) && tl__storage_root(p->f, o->operands[0]) == storage &&
        (o->code != TL_OP_update || o->operands[1 + axis] != iv)) {
      return false;
    }
  }
  return true;
}

static bool reads_keep_to_slice(const planner *p, tl_value v, const tl_region *body, uint32_t axis) {
  for (uint32_t i = 0; i < p->uses[v].count; i++) {
    use u = p->uses[v].data[i];
    if (u.op ? u.op->code != TL_OP_index || u.op->operands[1 + axis] != body->params.data[0] : u.region != body) {
      return false;
    }
  }
  return true;
}

static void find_lasting(planner *p) {
  for (tl_value v = 1; v < p->a->primal_values; v++) {
    const tl_value_info *info = tl_info(p->f, v);
    const tl_op *loop = info->op && info->region ? info->region->parent : NULL;
    if (!loop || !info->type.is_array || loop->code != TL_OP_loop || info->region != tl_loop_body(loop)) {
      continue;
    }
    const tl_region *body = tl_loop_body(loop);
    uint32_t carry = 0, found = 0;
    for (uint32_t i = 0; i < body->yields.count; i++) {
      if (body->yields.data[i] == v) {
        carry = i;
        found++;
      }
    }
    tl_value storage = tl__storage_root(p->f, v);
    if (found != 1 || storage != tl__storage_root(p->f, body->params.data[1 + carry])) {
      continue;
    }
    for (uint32_t axis = 0; axis < (uint32_t)info->type.rank && !p->k->lasting[v]; axis++) {
      if (reads_keep_to_slice(p, v, body, axis) && stores_keep_to_slice(p, body, storage, axis, body->params.data[0])) {
        p->k->lasting[v] = tl_op_result(loop, carry);
      }
    }
  }
}

tl_value tl__keep_stand_in(const tl_keep *k, const tl_region *at, tl_value v) {
  tl_value lasting = k->lasting[v];
  return lasting && tl__region_contains(k->adjoint->func->values.data[v].region, at) ? lasting : v;
}

/* A load from a slice that an earlier iteration wrote: this one and those that follow leave it as it is, so that the
 * loop's result holds the number too. A factorisation in place, or the solution of a triangular system, keeps no copy
 * of what it reads of earlier columns. */
static tl_value find_settled(const planner *p, const tl_op *load, const tl_op *loop) {
  const tl_region *body = tl_loop_body(loop);
  tl_value v = load->operands[0], storage = tl__storage_root(p->f, v), iv = body->params.data[0];
  if (!tl__region_contains(body, region_of(p, v))) {
    return TL_NO_VALUE;
  }
  bool is_upward = (loop->u.step > 0) != loop->reversed;
  for (uint32_t c = 0; c < tl_loop_carries(loop); c++) {
    if (!is_array(p, body->params.data[1 + c]) || tl__storage_root(p->f, body->params.data[1 + c]) != storage ||
        tl__storage_root(p->f, body->yields.data[c]) != storage) {
      continue;
    }
    int rank = tl_type_of(p->f, v).rank;
    for (uint32_t axis = 0; axis < (uint32_t)rank; axis++) {
      int order = tl__index_order(p->f, load->operands[1 + axis], iv);
      if (order && (order < 0) == is_upward && stores_keep_to_slice(p, body, storage, axis, iv)) {
        return tl_op_result(loop, c);
      }
    }
    break;
  }
  return TL_NO_VALUE;
}

static void find_all_settled(planner *p) {
  for (tl_value v = 1; v < p->a->primal_values; v++) {
    const tl_value_info *info = tl_info(p->f, v);
    if (!info->op || !info->region || info->op->code != TL_OP_index) {
      continue;
    }
    for (const tl_op *loop = tl__enclosing_loop(info->region); loop; loop = tl__enclosing_loop(loop->parent)) {
      tl_value settled = tl__region_contains(tl_loop_body(loop), info->region) ? find_settled(p, info->op, loop) : 0;
      if (settled) { /* the outermost loop's result lasts longest */
        p->k->settled[v] = settled;
      }
    }
  }
}

tl_value tl__keep_operand(const tl_keep *k, const tl_region *at, const tl_op *o, uint32_t i) {
  uint32_t primal = k->adjoint->primal_values;
  if (o->first_result >= primal || o->operands[i] >= primal) {
    return o->operands[i];
  }
  tl_value settled = o->code == TL_OP_index && i == 0 ? k->settled[o->first_result] : TL_NO_VALUE;
  const tl_op *loop = settled ? tl_def(k->adjoint->func, settled) : NULL;
  return loop && tl__region_contains(tl_loop_body(loop), at) ? settled : tl__keep_stand_in(k, at, o->operands[i]);
}

static bool is_rebuildable(planner *p, tl_value v, const tl_region *at);

/* Can the head of the mirror of region `at` load from version v? */
static bool is_readable(planner *p, tl_value v, const tl_region *at) {
  v = tl__keep_stand_in(p->k, at, v);
  const tl_region *home = region_of(p, v);
  if (tl__region_contains(at, home)) {
    return is_owned(p, v, at) || (!tl__enclosing_loop(home) && is_exportable(p, v));
  }
  return !is_overwritten(p, v) &&
         (home == p->f->body || is_rebuildable(p, v, home) || (!tl__enclosing_loop(home) && is_exportable(p, v)));
}

/* ---- what an op needs if it is computed again ---- */

typedef struct closure {
  planner *p;
  const tl_region *at; /* the region whose head it runs in */
  const tl_op *stop;   /* values of this loop's group are not expanded but listed */
  bool *seen;          /* by value; only what `touched` lists is set */
  TL_VEC(tl_value) touched;
  TL_VEC(tl_value) inputs; /* of the group or outside `at` */
  bool possible;
} closure;

static void reach(closure *c, tl_value v) {
  if (v && !c->seen[v]) {
    c->seen[v] = true;
    TL_PUSH(c->p->arena, c->touched, v);
  }
}

static void reach_control(closure *c, const tl_region *r) {
  for (const tl_op *o = r->parent; o && tl__region_contains(c->at, o->parent); r = o->parent, o = r->parent) {
    reach(c, o->operands[0]);
    if (o->code == TL_OP_loop) {
      reach(c, o->operands[1]);
      if (tl_loop_cond(o)->yields.count) {
        reach(c, tl_loop_cond(o)->yields.data[0]);
      }
    }
  }
}

static void reach_result(closure *c, const tl_op *o, uint32_t index) {
  if (o->code == TL_OP_if) {
    reach(c, o->operands[0]);
    reach(c, o->regions[0]->yields.data[index]);
    reach(c, o->regions[1]->yields.data[index]);
    return;
  }
  reach(c, o->operands[0]);
  reach(c, o->operands[1]);
  if (tl_loop_cond(o)->yields.count) {
    reach(c, tl_loop_cond(o)->yields.data[0]);
  }
  if (index < tl_loop_carries(o)) {
    reach(c, tl_loop_init(o, index));
    reach(c, tl_loop_body(o)->yields.data[index]);
  }
}

static void expand(closure *c, tl_value v) {
  const planner *p = c->p;
  const tl_value_info info = *tl_info(p->f, v);
  const tl_op *o = info.op;
  if (!o) {
    const tl_op *loop = info.region->parent;
    if (info.index > 0) {
      reach_result(c, loop, info.index - 1);
    } else {
      reach(c, loop->operands[0]);
    }
  } else if (o->code == TL_OP_if || o->code == TL_OP_loop) {
    reach_result(c, o, info.index);
  } else {
    if (o->code == TL_OP_extern || o->code == TL_OP_call) {
      c->possible = false;
    }
    if (o->code == TL_OP_index && !is_readable(c->p, tl__keep_operand(p->k, c->at, o, 0), c->at)) {
      c->possible = false;
    }
    for (uint32_t i = 0; i < o->operand_count; i++) {
      reach(c, o->code == TL_OP_index && i == 0 ? tl__keep_operand(p->k, c->at, o, 0) : o->operands[i]);
    }
  }
  reach_control(c, info.region);
}

/* Everything that computing `count` values of loops nested in the group needs, down to values of the group. */
static void close(closure *c, uint32_t count, const tl_value *values) {
  c->possible = true;
  for (uint32_t i = 0; i < count; i++) {
    reach(c, values[i]);
  }
  for (uint32_t i = 0; i < c->touched.count; i++) {
    tl_value v = c->touched.data[i];
    bool start = i < count;
    if (!start && (!tl__region_contains(c->at, region_of(c->p, v)) || group_of(c->p, v) == c->stop)) {
      TL_PUSH(c->p->arena, c->inputs, v);
      if (is_array(c->p, v) && !is_readable(c->p, v, c->at)) {
        c->possible = false;
      }
    } else {
      expand(c, v);
    }
  }
  for (uint32_t i = 0; i < c->touched.count; i++) {
    c->seen[c->touched.data[i]] = false;
  }
}

/* Can the arrays of the group that the closure starts from be made again? */
static bool has_rebuildable_inputs(closure *c) {
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    tl_value v = c->inputs.data[i];
    const tl_region *home = region_of(c->p, v);
    if (is_array(c->p, v) && tl__region_contains(c->at, home) && !is_rebuildable(c->p, v, c->at) &&
        !(!tl__enclosing_loop(home) && is_exportable(c->p, v))) {
      return false;
    }
  }
  return true;
}

/* Can the head of the mirror of `at` make the array again, scalars of the group being at hand? */
static bool find_rebuildable(planner *p, tl_value v, const tl_region *at) {
  const tl_value_info *info = tl_info(p->f, v);
  const tl_op *o = info->op;
  if (!is_owned(p, v, at)) {
    return false;
  }
  if (!o) {
    return is_rebuildable(p, tl_loop_init(info->region->parent, info->index - 1), at);
  }
  switch (o->code) {
  case TL_OP_alloc:
    return true;
  case TL_OP_clone:
    return is_readable(p, o->operands[0], at);
  case TL_OP_accumulate:
    return is_rebuildable(p, o->operands[0], at) && is_readable(p, o->operands[1], at);
  case TL_OP_if:
    return is_rebuildable(p, o->regions[0]->yields.data[info->index], at) &&
           is_rebuildable(p, o->regions[1]->yields.data[info->index], at);
  case TL_OP_loop: {
    closure c = {.p = p, .at = at, .stop = tl__enclosing_loop(at)};
    c.seen = TL_NEW_ARRAY(p->arena, bool, p->a->primal_values);
    close(&c, 1, &v);
    return c.possible && has_rebuildable_inputs(&c);
  }
  default:
    return is_rebuildable(p, o->operands[0], at);
  }
}

static bool is_rebuildable(planner *p, tl_value v, const tl_region *at) {
  bool own_region = region_of(p, v) == at;
  if (own_region && p->rebuildable[v]) {
    return p->rebuildable[v] == 2;
  }
  bool ok = find_rebuildable(p, v, at);
  if (own_region) {
    p->rebuildable[v] = ok ? 2 : 1;
  }
  return ok;
}

/* ---- marking heads ---- */

bool tl__keep_is_fetched(const tl_keep *k, const tl_mirror *m, tl_value v) {
  return k->saved[v] && k->saved[v]->provider != m &&
         tl__enclosing_loop(k->adjoint->func->values.data[v].region) == tl__enclosing_loop(m->primal);
}

static void want(planner *p, tl_mirror *m, tl_value v) {
  if (!v) {
    return;
  }
  v = tl__keep_stand_in(p->k, m->primal, v);
  const tl_region *home = region_of(p, v);
  while (!tl__region_contains(m->primal, home)) {
    m = m->outer;
  }
  bool root = m->index == 0;
  const tl_op *group = tl__enclosing_loop(home);
  if (!root && group == tl__enclosing_loop(m->primal) && !(p->group_decided && group == p->group)) {
    p->need[v] = true; /* its own group decides about it later */
  } else if (!p->k->head[m->index][v]) {
    p->k->head[m->index][v] = true;
    TL_PUSH(p->arena, p->work, (pending){m, v});
  }
}

static void want_control(planner *p, tl_mirror *m, const tl_region *r) {
  for (const tl_op *o = r->parent; o && tl__region_contains(m->primal, o->parent); o = o->parent->parent) {
    want(p, m, o->operands[0]);
    if (o->code == TL_OP_loop) {
      want(p, m, o->operands[1]);
      if (tl_loop_cond(o)->yields.count) {
        want(p, m, tl_loop_cond(o)->yields.data[0]);
      }
    }
  }
}

static void want_result(planner *p, tl_mirror *m, const tl_op *o, uint32_t index) {
  want(p, m, o->operands[0]);
  if (o->code == TL_OP_if) {
    want(p, m, o->regions[0]->yields.data[index]);
    want(p, m, o->regions[1]->yields.data[index]);
    return;
  }
  want(p, m, o->operands[1]);
  if (tl_loop_cond(o)->yields.count) {
    want(p, m, tl_loop_cond(o)->yields.data[0]);
  }
  if (index < tl_loop_carries(o)) {
    want(p, m, tl_loop_init(o, index));
    want(p, m, tl_loop_body(o)->params.data[1 + index]);
    want(p, m, tl_loop_body(o)->yields.data[index]);
  }
}

static void settle(planner *p) {
  while (p->work.count) {
    pending w = p->work.data[--p->work.count];
    const tl_value_info info = *tl_info(p->f, w.value);
    if (tl__keep_is_fetched(p->k, w.mirror, w.value)) {
      for (int axis = 0; axis < info.type.rank; axis++) {
        want(p, w.mirror, info.type.extents[axis].value);
      }
      continue;
    }
    if (!info.op) {
      const tl_op *loop = info.region->parent;
      if (loop && info.region != w.mirror->primal && info.index > 0) {
        want_result(p, w.mirror, loop, info.index - 1);
      }
      assert(info.region != w.mirror->primal || !loop || info.index == 0);
    } else if (info.op->code == TL_OP_if || info.op->code == TL_OP_loop) {
      want_result(p, w.mirror, info.op, info.index);
    } else {
      for (uint32_t i = 0; i < info.op->operand_count; i++) {
        want(p, w.mirror, tl__keep_operand(p->k, w.mirror->primal, info.op, i));
      }
    }
    if (info.region != w.mirror->primal) {
      want_control(p, w.mirror, info.region);
    }
  }
}

/* ---- the cut ---- */

typedef struct node {
  tl_value value;
  uint32_t in, out; /* in the cut's graph: cutting between the two saves the value */
  int64_t again, save;
  TL_VEC(tl_value) inputs;  /* of the same group */
  TL_VEC(tl_value) extents; /* of the same group: an array that is saved needs them too */
} node;

typedef struct graph {
  planner *p;
  const tl_op *group;
  uint32_t *number; /* by value: index of its node plus one */
  TL_VEC(node) nodes;
  closure closure;
} graph;

static int64_t price_of_op(planner *p, const tl_op *o) {
  if (!tl_op_table[o->code].elementwise) {
    return PRICE_SIMPLE;
  }
  bool floating = tl_dtype_is_float(p->f->values.data[o->first_result].type.dtype);
  switch (o->code) {
  case TL_OP_div:
  case TL_OP_rem:
  case TL_OP_sqrt:
    return PRICE_DIVIDE;
  case TL_OP_add:
  case TL_OP_sub:
  case TL_OP_mul:
  case TL_OP_neg:
  case TL_OP_fma:
  case TL_OP_select:
  case TL_OP_cvt:
  case TL_OP_fabs:
    return PRICE_SIMPLE;
  default:
    return floating ? PRICE_CALL : PRICE_SIMPLE;
  }
}

static bool is_of_group(const graph *g, tl_value v) {
  const tl_region *home = region_of(g->p, v);
  return v && home != g->p->f->body && tl__enclosing_loop(home) == g->group;
}

static void add_input(graph *g, node *n, tl_value v) {
  if (is_of_group(g, v)) {
    TL_PUSH(g->p->arena, n->inputs, v);
  }
}

static void describe(graph *g, node *n) {
  planner *p = g->p;
  tl_value v = n->value;
  const tl_value_info info = *tl_info(p->f, v);
  const tl_op *o = info.op;
  bool array = info.type.is_array;
  n->save = !g->group ? PRICE_EXPORT : PRICE_SAVE;
  if (array) {
    n->save = !g->group && is_exportable(p, v) ? PRICE_SIMPLE : PRICE_SAVE_ARRAY;
    for (int axis = 0; axis < info.type.rank; axis++) {
      if (is_of_group(g, info.type.extents[axis].value)) {
        TL_PUSH(p->arena, n->extents, info.type.extents[axis].value);
      }
    }
  }
  if (!o) {
    n->again = info.index == 0 ? 0 : TL_CUT_INFINITE;
    return;
  }
  n->again = array ? (is_rebuildable(p, v, info.region) ? 0 : TL_CUT_INFINITE) : price_of_op(p, o);
  switch (o->code) {
  case TL_OP_extern:
  case TL_OP_call:
    n->again = TL_CUT_INFINITE;
    return;
  case TL_OP_if:
    for (int k = 0; k < 2; k++) {
      add_input(g, n, o->regions[k]->yields.data[info.index]);
    }
    add_input(g, n, o->operands[0]);
    return;
  case TL_OP_loop: {
    closure *c = &g->closure;
    c->touched.count = c->inputs.count = 0;
    c->at = info.region;
    c->stop = g->group;
    close(c, 1, &v);
    if (!c->possible) {
      n->again = TL_CUT_INFINITE;
    } else if (n->again < TL_CUT_INFINITE) {
      n->again = PRICE_LOOP;
    }
    for (uint32_t i = 0; i < c->inputs.count; i++) {
      add_input(g, n, c->inputs.data[i]);
    }
    return;
  }
  case TL_OP_index:
    if (!is_readable(p, tl__keep_operand(p->k, info.region, o, 0), info.region)) {
      n->again = TL_CUT_INFINITE;
      return;
    }
    break;
  default:
    break;
  }
  for (uint32_t i = 0; i < o->operand_count; i++) {
    add_input(g, n, tl__keep_operand(p->k, info.region, o, i));
  }
}

static void add_node(graph *g, tl_value v) {
  if (!g->number[v]) {
    TL_PUSH(g->p->arena, g->nodes, (node){.value = v});
    g->number[v] = g->nodes.count;
  }
}

static void save_value(planner *p, const tl_op *group, tl_value v) {
  tl_save *s = TL_NEW(p->arena, tl_save);
  s->value = v;
  s->is_copied = !group && is_array(p, v) && !is_exportable(p, v);
  p->k->saved[v] = s;
  TL_PUSH(p->arena, p->k->saves, s);
}

/* Decides what of the group is saved. */
static void decide(planner *p, const tl_op *group) {
  graph g = {.p = p, .group = group};
  g.number = TL_NEW_ARRAY(p->arena, uint32_t, p->a->primal_values);
  g.closure = (closure){.p = p, .seen = TL_NEW_ARRAY(p->arena, bool, p->a->primal_values)};
  for (tl_value v = 1; v < p->a->primal_values; v++) {
    if (p->need[v] && p->f->values.data[v].region && region_of(p, v) != p->f->body && group_of(p, v) == group) {
      add_node(&g, v);
    }
  }
  uint32_t sinks = g.nodes.count;
  bool all_again = true, calls = false;
  for (uint32_t i = 0; i < g.nodes.count; i++) {
    node n = g.nodes.data[i];
    describe(&g, &n);
    g.nodes.data[i] = n;
    all_again &= n.again < TL_CUT_INFINITE;
    calls |= n.again >= PRICE_CALL && n.again < PRICE_LOOP;
    for (uint32_t k = 0; k < n.inputs.count; k++) {
      add_node(&g, n.inputs.data[k]);
    }
    for (uint32_t k = 0; k < n.extents.count; k++) {
      add_node(&g, n.extents.data[k]);
    }
  }
  bool runs_first = false; /* the adjoint reads what the loop ends with, so that both cannot be one loop */
  for (uint32_t i = 0; group && i < tl_loop_carries(group); i++) {
    runs_first |= p->need[tl_op_result(group, i)];
  }
  if (group && all_again && !(runs_first && calls)) {
    return; /* the loop keeps nothing */
  }
  tl_cut cut;
  tl__cut_init(&cut, p->arena);
  uint32_t source = tl__cut_add_node(&cut), sink = tl__cut_add_node(&cut);
  for (uint32_t i = 0; i < g.nodes.count; i++) {
    g.nodes.data[i].in = tl__cut_add_node(&cut);
    g.nodes.data[i].out = tl__cut_add_node(&cut);
  }
  for (uint32_t i = 0; i < g.nodes.count; i++) {
    node *n = &g.nodes.data[i];
    tl__cut_add_edge(&cut, source, n->in, n->again);
    tl__cut_add_edge(&cut, n->in, n->out, n->save);
    if (i < sinks) {
      tl__cut_add_edge(&cut, n->out, sink, TL_CUT_INFINITE);
    }
    for (uint32_t k = 0; k < n->inputs.count; k++) {
      tl__cut_add_edge(&cut, g.nodes.data[g.number[n->inputs.data[k]] - 1].out, n->in, TL_CUT_INFINITE);
    }
    for (uint32_t k = 0; k < n->extents.count; k++) {
      tl__cut_add_edge(&cut, g.nodes.data[g.number[n->extents.data[k]] - 1].out, n->out, TL_CUT_INFINITE);
    }
  }
  bool *needed = TL_NEW_ARRAY(p->arena, bool, cut.nodes.count);
  tl__cut_run(&cut, source, sink, needed);
  for (uint32_t i = 0; i < g.nodes.count; i++) {
    if (needed[g.nodes.data[i].out] && !needed[g.nodes.data[i].in]) {
      save_value(p, group, g.nodes.data[i].value);
    }
  }
}

/* Where the saved values of a group are computed: in the head of the innermost mirror around the loop that can run the
 * loop again, else in the forward sweep. */
static void choose_provider(planner *p, tl_mirror *m, uint32_t first_save) {
  TL_VEC(tl_value) values = {0};
  for (uint32_t i = first_save; i < p->k->saves.count; i++) {
    TL_PUSH(p->arena, values, p->k->saves.data[i]->value);
  }
  if (!values.count) {
    return;
  }
  tl_mirror *provider = m;
  if (m->is_loop) {
    for (provider = m->outer; tl__enclosing_loop(provider->primal); provider = provider->outer) {
      closure c = {.p = p, .at = provider->primal, .stop = tl__enclosing_loop(provider->primal)};
      c.seen = TL_NEW_ARRAY(p->arena, bool, p->a->primal_values);
      close(&c, values.count, values.data);
      if (c.possible && has_rebuildable_inputs(&c)) {
        break;
      }
      while (!provider->is_loop) {
        provider = provider->outer;
      }
    }
  }
  if (!tl__enclosing_loop(provider->primal)) {
    provider = p->a->mirrors.data[0];
  }
  for (uint32_t i = first_save; i < p->k->saves.count; i++) {
    p->k->saves.data[i]->provider = provider;
  }
  for (uint32_t i = 0; i < values.count; i++) {
    want(p, provider, values.data[i]);
    want_control(p, provider, region_of(p, values.data[i]));
  }
  settle(p);
}

static void plan_group(planner *p, tl_mirror *m) {
  p->group = m->is_loop ? m->primal_op : NULL;
  p->group_decided = false;
  uint32_t first_save = p->k->saves.count;
  decide(p, p->group);
  choose_provider(p, m, first_save);
  p->group_decided = true;
  for (tl_value v = 1; v < p->a->primal_values; v++) {
    if (p->need[v] && p->k->mirror_of[v] && p->k->mirror_of[v]->index && group_of(p, v) == p->group) {
      want(p, p->k->mirror_of[v], v);
    }
  }
  settle(p);
}

/* ---- what the adjoint reads ---- */

static void read_by_adjoint(planner *p, tl_value v) {
  if (v && v < p->a->primal_values) {
    p->need[v] = true;
  }
}

static void collect_reads(planner *p, const tl_region *r, uint32_t from) {
  for (uint32_t i = from; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    if (o->code == TL_OP_loop) {
      read_by_adjoint(p, o->operands[0]);
      read_by_adjoint(p, o->operands[1]);
      for (uint32_t k = 0; k < tl_loop_carries(o); k++) {
        if (p->a->live[tl_loop_body(o)->params.data[1 + k]]) {
          read_by_adjoint(p, tl_loop_init(o, k));
          read_by_adjoint(p, tl_loop_body(o)->yields.data[k]);
        }
      }
    } else {
      for (uint32_t k = 0; k < o->operand_count; k++) {
        read_by_adjoint(p, o->operands[k]);
      }
      if (o->code == TL_OP_if) {
        for (uint32_t k = 0; k < o->result_count; k++) {
          if (p->a->live[tl_op_result(o, k)]) {
            read_by_adjoint(p, o->regions[0]->yields.data[k]);
            read_by_adjoint(p, o->regions[1]->yields.data[k]);
          }
        }
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      collect_reads(p, o->regions[k], 0);
    }
  }
}

static void find_mirrors(planner *p) {
  for (uint32_t i = 0; i < p->a->mirrors.count; i++) {
    tl_mirror *m = p->a->mirrors.data[i];
    for (uint32_t k = 0; k < m->primal->params.count; k++) {
      if (m->primal->params.data[k] < p->a->primal_values) { /* seeds and storage are no values of the primal */
        p->k->mirror_of[m->primal->params.data[k]] = m;
      }
    }
    uint32_t count = i ? m->primal->ops.count : p->a->primal_ops;
    for (uint32_t k = 0; k < count; k++) {
      const tl_op *o = m->primal->ops.data[k];
      for (uint32_t r = 0; r < o->result_count; r++) {
        p->k->mirror_of[tl_op_result(o, r)] = m;
      }
    }
  }
}

/* The forward sweep keeps every effect. */
static void want_effects(planner *p, const tl_region *r, uint32_t count) {
  tl_mirror *root = p->a->mirrors.data[0];
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *o = r->ops.data[i];
    if (o->code == TL_OP_extern && o->has_effect) {
      for (uint32_t k = 0; k < o->operand_count; k++) {
        want(p, root, o->operands[k]);
      }
      want_control(p, root, r);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      want_effects(p, o->regions[k], o->regions[k]->ops.count);
    }
  }
}

tl_keep *tl__keep_plan(tl_adjoint *a, uint32_t root_count, const tl_value *roots) {
  uint32_t n = a->primal_values;
  tl_keep *k = TL_NEW(a->arena, tl_keep);
  k->adjoint = a;
  k->mirror_of = TL_NEW_ARRAY(a->arena, tl_mirror *, n);
  k->saved = TL_NEW_ARRAY(a->arena, tl_save *, n);
  k->lasting = TL_NEW_ARRAY(a->arena, tl_value, n);
  k->settled = TL_NEW_ARRAY(a->arena, tl_value, n);
  k->head = TL_NEW_ARRAY(a->arena, bool *, a->mirrors.count);
  for (uint32_t i = 0; i < a->mirrors.count; i++) {
    k->head[i] = TL_NEW_ARRAY(a->arena, bool, n);
  }
  planner p = {.k = k, .a = a, .f = a->func, .arena = a->arena};
  p.need = TL_NEW_ARRAY(a->arena, bool, n);
  p.uses = TL_NEW_ARRAY(a->arena, use_list, n);
  p.overwritten = TL_NEW_ARRAY(a->arena, signed char, n);
  p.rebuildable = TL_NEW_ARRAY(a->arena, signed char, n);
  find_uses(&p, a->func->body, a->primal_ops);
  find_mirrors(&p);
  find_lasting(&p);
  find_all_settled(&p);
  collect_reads(&p, a->func->body, a->primal_ops);
  for (uint32_t i = 0; i < a->mirrors.count; i++) {
    const tl_mirror *m = a->mirrors.data[i];
    if (m->is_loop && m->counter) {
      read_by_adjoint(&p, tl_loop_lo(m->primal_op));
    }
  }
  for (uint32_t i = 0; i < root_count; i++) {
    want(&p, a->mirrors.data[0], roots[i]);
  }
  for (uint32_t i = 0; i < a->func->body->params.count; i++) {
    tl_type type = tl_type_of(a->func, a->func->body->params.data[i]);
    for (int axis = 0; axis < type.rank; axis++) {
      want(&p, a->mirrors.data[0], type.extents[axis].value);
    }
  }
  want_effects(&p, a->func->body, a->primal_ops);
  settle(&p);
  for (uint32_t i = a->mirrors.count; i-- > 0;) {
    if (a->mirrors.data[i]->is_loop || i == 0) {
      plan_group(&p, a->mirrors.data[i]);
    }
  }
  for (tl_value v = 1; v < n; v++) {
    if (p.need[v] && k->mirror_of[v] && k->mirror_of[v]->index == 0) {
      want(&p, a->mirrors.data[0], v);
    }
  }
  settle(&p);
  return k;
}
