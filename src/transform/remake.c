/* What the adjoint can compute again, and what of the primal still stands where the adjoint reads it. */
#include <assert.h>

#include "transform/keep_priv.h"
#include "transform/storage.h"

tl_op *tl__enclosing_loop(const tl_region *r) {
  for (; r->parent; r = r->parent->parent) {
    if (r->parent->code == TL_OP_loop) {
      return r->parent;
    }
  }
  return NULL;
}

void tl__keep_find_uses(tl_planner *p, const tl_region *r, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      if (o->operands[k]) {
        TL_PUSH(p->arena, p->uses[o->operands[k]], (use){o, r, k});
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      tl__keep_find_uses(p, o->regions[k], o->regions[k]->ops.count);
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
static bool is_overwritten(tl_planner *p, tl_value v) {
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
bool tl__keep_is_exportable(tl_planner *p, tl_value v) {
  tl_value root = tl__storage_root(p->f, v);
  for (const tl_op *o = tl_def(p->f, root); o && o->code == TL_OP_call; o = root ? tl_def(p->f, root) : NULL) {
    root = tl__storage_of_result(p->f, o, tl_info(p->f, root)->index);
    root = root ? tl__storage_root(p->f, root) : TL_NO_VALUE;
  }
  return root && tl__keep_region(p, root) == p->f->body && !is_overwritten(p, v);
}

/* Does the array live in storage that is made inside `r`, so that it can be made again there? */
static bool is_owned(const tl_planner *p, tl_value v, const tl_region *r) {
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

/* Do all stores in the region into the storage have one index on that axis, the iteration or next to it? Sets it where
 * there is a store. */
static bool stores_keep_to_slice(const tl_planner *p, const tl_region *r, tl_value storage, const tl_axis *axis,
                                 tl_value iv, tl_value *index) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      if (!stores_keep_to_slice(p, o->regions[k], storage, axis, iv, index)) {
        return false;
      }
    }
    if (o->code == TL_OP_call) {
      for (uint32_t k = 0; k < o->operand_count; k++) {
        if (tl__keep_is_array(p, o->operands[k]) && tl__storage_root(p->f, o->operands[k]) == storage) {
          return false;
        }
      }
    }
    if (tl_op_stores(o) && tl__storage_root(p->f, o->operands[0]) == storage) {
      int64_t offset;
      tl_value at = o->code == TL_OP_update ? tl__index_on(p->f, o, axis) : TL_NO_VALUE;
      if (!at || tl__index_split(p->f, at, &offset) != iv ||
          (*index && tl__index_compare(p->f, at, *index) != TL_INDEX_SAME)) {
        return false;
      }
      *index = at;
    }
  }
  return true;
}

static bool reads_keep_to_slice(const tl_planner *p, tl_value v, const tl_region *body, const tl_axis *axis,
                                tl_value index) {
  for (uint32_t i = 0; i < p->uses[v].count; i++) {
    use u = p->uses[v].data[i];
    tl_value at = u.op && u.op->code == TL_OP_index ? tl__index_on(p->f, u.op, axis) : TL_NO_VALUE;
    if (u.op ? !at || tl__index_compare(p->f, at, index) != TL_INDEX_SAME : u.region != body) {
      return false;
    }
  }
  return true;
}

/* The axes of array v as one of its reads has them. */
static uint32_t axes_of_reads(const tl_planner *p, tl_value v, tl_axis *out) {
  for (uint32_t i = 0; i < p->uses[v].count; i++) {
    const tl_op *o = p->uses[v].data[i].op;
    if (o && o->code == TL_OP_index) {
      return tl__index_axes(p->f, o, out);
    }
  }
  return 0;
}

void tl__keep_find_lasting(tl_planner *p) {
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
    tl_axis axes[TL_MAX_AXES];
    uint32_t count = axes_of_reads(p, v, axes);
    for (uint32_t i = 0; i < count && !p->k->lasting[v]; i++) {
      tl_value iv = body->params.data[0], index = TL_NO_VALUE;
      if (stores_keep_to_slice(p, body, storage, &axes[i], iv, &index) &&
          reads_keep_to_slice(p, v, body, &axes[i], index ? index : iv)) {
        p->k->lasting[v] = tl_op_result(loop, carry);
      }
    }
  }
}

tl_value tl__keep_stand_in(const tl_keep *k, const tl_region *at, tl_value v) {
  tl_value lasting = k->lasting[v];
  return lasting && tl__region_contains(k->adjoint->func->values.data[v].region, at) ? lasting : v;
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

/* Can the head of the mirror of region `at` load from version v? */
bool tl__keep_is_readable(tl_planner *p, tl_value v, const tl_region *at) {
  v = tl__keep_stand_in(p->k, at, v);
  const tl_region *home = tl__keep_region(p, v);
  if (p->copied[v] && tl__region_contains(home, at) && tl__enclosing_loop(home) != tl__enclosing_loop(at)) {
    return true;
  }
  if (tl__region_contains(at, home)) {
    return is_owned(p, v, at) || (!tl__enclosing_loop(home) && tl__keep_is_exportable(p, v));
  }
  return !is_overwritten(p, v) && (home == p->f->body || tl__keep_is_rebuildable(p, v, home) ||
                                   (!tl__enclosing_loop(home) && tl__keep_is_exportable(p, v)));
}

/* Can the index be made where v is, from numbers of iterations and what is known ahead of the region? */
static bool is_plain_index(const tl_planner *p, tl_value index, tl_value v, int depth) {
  const tl_op *o = tl_def(p->f, index);
  if (!o || tl__keep_region(p, index) != tl__keep_region(p, v)) {
    return o || tl_info(p->f, index)->index == 0 || tl__keep_region(p, index) != tl__keep_region(p, v);
  }
  bool plain = depth < 8 && (o->code == TL_OP_const || tl_op_table[o->code].elementwise);
  for (uint32_t i = 0; i < o->operand_count && plain; i++) {
    plain = is_plain_index(p, o->operands[i], v, depth + 1);
  }
  return plain;
}

/* May a store of the region other than `o` go where o stores? */
static bool is_stored_over(const tl_planner *p, const tl_region *r, const tl_op *o, tl_value storage) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *x = r->ops.data[i];
    if (x != o && x->code == TL_OP_update && tl__storage_root(p->f, x->operands[0]) == storage) {
      tl_axis axes[TL_MAX_AXES];
      uint32_t count = tl__index_axes(p->f, o, axes);
      bool apart = false;
      for (uint32_t k = 0; k < count && !apart; k++) {
        tl_value at = tl__index_on(p->f, x, &axes[k]), own = tl__index_on(p->f, o, &axes[k]);
        apart = at && (tl__index_order(p->f, at, own) || tl__index_compare(p->f, at, own) == TL_INDEX_DIFFERENT);
      }
      if (!apart) {
        return true;
      }
    }
    for (uint32_t k = 0; k < x->region_count; k++) {
      if (is_stored_over(p, x->regions[k], o, storage)) {
        return true;
      }
    }
  }
  return false;
}

/* The result of the loop with this body for the storage, where each iteration stores into a slice of its own. */
static tl_value slices_result(const tl_planner *p, const tl_region *body, const tl_op *store) {
  tl_value storage = tl__storage_root(p->f, store->operands[0]);
  tl_axis axes[TL_MAX_AXES];
  uint32_t count = tl__index_axes(p->f, store, axes);
  const tl_op *loop = body->parent;
  if (!loop || loop->code != TL_OP_loop || body != tl_loop_body(loop)) {
    return TL_NO_VALUE;
  }
  for (uint32_t c = 0; c < tl_loop_carries(loop); c++) {
    tl_value v = body->params.data[1 + c];
    if (tl__storage_root(p->f, v) == storage && tl__storage_root(p->f, body->yields.data[c]) == storage) {
      for (uint32_t i = 0; i < count; i++) {
        tl_value index = TL_NO_VALUE;
        if (stores_keep_to_slice(p, body, storage, &axes[i], body->params.data[0], &index)) {
          return tl_op_result(loop, c);
        }
      }
    }
  }
  return TL_NO_VALUE;
}

tl_value tl__keep_find_holder(tl_planner *p, tl_value v, const tl_op **out_store) {
  tl_value holder = TL_NO_VALUE;
  for (uint32_t i = 0; i < p->uses[v].count && !holder; i++) {
    const tl_op *o = p->uses[v].data[i].op;
    if (!o || o->code != TL_OP_update || p->uses[v].data[i].index != o->operand_count - 1 ||
        o->parent != tl__keep_region(p, v)) {
      continue;
    }
    tl_value storage = tl__storage_root(p->f, o->operands[0]);
    bool stays = !is_stored_over(p, o->parent, o, storage);
    for (uint32_t k = 1; k + 1 < o->operand_count; k++) {
      stays = stays && is_plain_index(p, o->operands[k], v, 0);
    }
    const tl_region *r = o->parent;
    for (tl_value a = slices_result(p, r, o); stays && a; a = slices_result(p, r, o)) {
      if (tl__keep_is_readable(p, a, o->parent)) {
        holder = a; /* the outermost loop's result lasts longest */
        *out_store = o;
      }
      r = tl__keep_region(p, a);
    }
  }
  return holder;
}

/* ---- what an op needs if it is computed again ---- */

static void reach(tl_closure *c, tl_value v) {
  if (v && !c->seen[v]) {
    c->seen[v] = true;
    TL_PUSH(c->p->arena, c->touched, v);
  }
}

static void reach_control(tl_closure *c, const tl_region *r) {
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

static void reach_result(tl_closure *c, const tl_op *o, uint32_t index) {
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

static void expand(tl_closure *c, tl_value v) {
  const tl_planner *p = c->p;
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
    if (o->code == TL_OP_index && !tl__keep_is_readable(c->p, tl__keep_operand(p->k, c->at, o, 0), c->at)) {
      c->possible = false;
    }
    for (uint32_t i = 0; i < o->operand_count; i++) {
      reach(c, o->code == TL_OP_index && i == 0 ? tl__keep_operand(p->k, c->at, o, 0) : o->operands[i]);
    }
  }
  reach_control(c, info.region);
}

/* Everything that computing `count` values of loops nested in the group needs, down to values of the group. */
void tl__keep_close(tl_closure *c, uint32_t count, const tl_value *values) {
  c->possible = true;
  for (uint32_t i = 0; i < count; i++) {
    reach(c, values[i]);
  }
  for (uint32_t i = 0; i < c->touched.count; i++) {
    tl_value v = c->touched.data[i];
    bool start = i < count;
    if (!start && (!tl__region_contains(c->at, tl__keep_region(c->p, v)) || tl__keep_group(c->p, v) == c->stop)) {
      TL_PUSH(c->p->arena, c->inputs, v);
      if (tl__keep_is_array(c->p, v) && !tl__keep_is_readable(c->p, v, c->at)) {
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
bool tl__keep_inputs_are_rebuildable(tl_closure *c) {
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    tl_value v = c->inputs.data[i];
    const tl_region *home = tl__keep_region(c->p, v);
    if (tl__keep_is_array(c->p, v) && tl__region_contains(c->at, home) && !tl__keep_is_rebuildable(c->p, v, c->at) &&
        !(!tl__enclosing_loop(home) && tl__keep_is_exportable(c->p, v))) {
      return false;
    }
  }
  return true;
}

/* Can the head of the mirror of `at` make the array again, scalars of the group being at hand? */
static bool find_rebuildable(tl_planner *p, tl_value v, const tl_region *at) {
  const tl_value_info *info = tl_info(p->f, v);
  const tl_op *o = info->op;
  if (!is_owned(p, v, at)) {
    return false;
  }
  if (!o) {
    return tl__keep_is_rebuildable(p, tl_loop_init(info->region->parent, info->index - 1), at);
  }
  switch (o->code) {
  case TL_OP_alloc:
    return true;
  case TL_OP_clone:
    return tl__keep_is_readable(p, o->operands[0], at);
  case TL_OP_accumulate:
    return tl__keep_is_rebuildable(p, o->operands[0], at) && tl__keep_is_readable(p, o->operands[1], at);
  case TL_OP_if:
    return tl__keep_is_rebuildable(p, o->regions[0]->yields.data[info->index], at) &&
           tl__keep_is_rebuildable(p, o->regions[1]->yields.data[info->index], at);
  case TL_OP_loop: {
    tl_closure c = {.p = p, .at = at, .stop = tl__enclosing_loop(at)};
    c.seen = TL_NEW_ARRAY(p->arena, bool, p->a->primal_values);
    tl__keep_close(&c, 1, &v);
    return c.possible && tl__keep_inputs_are_rebuildable(&c);
  }
  default:
    return tl__keep_is_rebuildable(p, o->operands[0], at);
  }
}

bool tl__keep_is_rebuildable(tl_planner *p, tl_value v, const tl_region *at) {
  bool own_region = tl__keep_region(p, v) == at;
  if (own_region && p->rebuildable[v]) {
    return p->rebuildable[v] == 2;
  }
  bool ok = find_rebuildable(p, v, at);
  if (own_region) {
    p->rebuildable[v] = ok ? 2 : 1;
  }
  return ok;
}
