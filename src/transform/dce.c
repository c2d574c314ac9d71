/* Dead code. Liveness runs backward from the function's yields and from effects; it follows values, so that a carry of
 * a loop is live only where its result is used, or where it feeds something live in the loop: carries that feed only
 * themselves go. Before that go stores of elements that are overwritten, or whose array dies, before they are read. */
#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct dce {
  tl_func *func;
  bool *live;            /* by value */
  TL_VEC(tl_value) work; /* live values whose needs are not marked yet */
  tl_arena *scratch;
} dce;

static void need_value(dce *d, tl_value v) {
  if (v && !d->live[v]) {
    d->live[v] = true;
    TL_PUSH(d->scratch, d->work, v);
  }
}

static void need_extents(dce *d, tl_value v) {
  tl_type t = tl_type_of(d->func, v);
  for (int i = 0; i < t.rank; i++) {
    need_value(d, t.extents[i].value);
  }
  for (int i = 0; t.element && i < t.element->rank; i++) {
    need_value(d, t.element->extents[i].value);
  }
}

/* The op runs: what it needs whichever of its results are used. Its enclosing ops run too. */
static void need_op(dce *d, tl_op *op) {
  while (op && !op->mark) {
    op->mark = 1;
    if (op->code == TL_OP_loop) {
      need_value(d, tl_loop_lo(op));
      need_value(d, tl_loop_hi(op));
      tl_region *cond = tl_loop_cond(op);
      for (uint32_t i = 0; i < cond->yields.count; i++) {
        need_value(d, cond->yields.data[i]);
      }
    } else {
      for (uint32_t i = 0; i < op->operand_count; i++) {
        need_value(d, op->operands[i]);
      }
    }
    op = op->parent->parent;
  }
}

static void need_carry(dce *d, tl_op *loop, uint32_t i) {
  need_value(d, loop->first_result + i);
  need_value(d, tl_loop_init(loop, i));
  need_value(d, tl_loop_body(loop)->yields.data[i]);
}

static void follow(dce *d, tl_value v) {
  const tl_value_info info = *tl_info(d->func, v);
  need_extents(d, v);
  if (!info.op) {
    tl_op *loop = info.region->parent;
    if (loop) {
      need_op(d, loop);
      if (info.index > 0) {
        need_carry(d, loop, info.index - 1);
      }
    }
    return;
  }
  need_op(d, info.op);
  if (info.op->code == TL_OP_loop && info.index < tl_loop_carries(info.op)) {
    need_carry(d, info.op, info.index);
  } else if (info.op->code == TL_OP_if) {
    need_value(d, info.op->regions[0]->yields.data[info.index]);
    need_value(d, info.op->regions[1]->yields.data[info.index]);
  }
}

static void clear_marks(tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    r->ops.data[i]->mark = 0;
    for (uint32_t k = 0; k < r->ops.data[i]->region_count; k++) {
      clear_marks(r->ops.data[i]->regions[k]);
    }
  }
}

static void need_effects(dce *d, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    if (op->region_count) {
      for (uint32_t k = 0; k < op->region_count; k++) {
        need_effects(d, op->regions[k]);
      }
    } else if ((op->code == TL_OP_extern || op->code == TL_OP_call) && !tl__op_is_pure(d->func, op)) {
      need_op(d, op);
    }
  }
}

/* Removes what is not marked; a loop or an if keeps the results that are live. */
static void sweep(dce *d, tl_rewrite *rw, tl_region *r) {
  tl__rewrite_params(rw, r);
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    if (!op->mark) {
      continue;
    }
    r->ops.data[n++] = op;
    if (op->region_count) {
      bool *keep = TL_NEW_ARRAY(d->scratch, bool, op->result_count + 1);
      for (uint32_t k = 0; k < op->result_count; k++) {
        keep[k] = d->live[op->first_result + k];
      }
      if (op->code == TL_OP_loop) {
        tl__loop_keep_carries(rw, op, keep);
      } else {
        tl__if_keep_results(rw, op, keep);
      }
    }
    tl__rewrite_op(rw, op);
    for (uint32_t k = 0; k < op->region_count; k++) {
      sweep(d, rw, op->regions[k]);
    }
  }
  r->ops.count = n;
  tl__rewrite_yields(rw, r);
}

/* ---- stores that nobody reads ---- */

typedef TL_VEC(tl_op *) op_list;

typedef struct unread {
  tl_func *func;
  tl_arena *scratch;
  op_list *uses; /* by array: the loads from it and the stores into it */
  bool *escapes; /* by array: something else names it */
} unread;

static void list_uses(unread *u, const tl_region *r) {
  const tl_func *f = u->func;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      tl_value v = op->operands[k];
      if (!v || !tl_type_of(f, v).is_array) {
        continue;
      }
      if (k == 0 && (op->code == TL_OP_index || op->code == TL_OP_update)) {
        TL_PUSH(u->scratch, u->uses[v], op);
      } else {
        u->escapes[v] = true;
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      list_uses(u, op->regions[k]);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    u->escapes[r->yields.data[i]] = true;
  }
}

/* Is the element that `store` writes overwritten, or gone, before version v of the array or a later one is read there?
 */
static bool is_unread(const unread *u, const tl_op *store, tl_value v, int *steps) {
  if (u->escapes[v] || --*steps < 0) {
    return false;
  }
  for (uint32_t i = 0; i < u->uses[v].count; i++) {
    const tl_op *use = u->uses[v].data[i];
    uint32_t rank = (uint32_t)tl_type_of(u->func, v).rank;
    tl_index_relation r = tl__indices_compare(u->func, rank, store->operands + 1, use->operands + 1);
    bool loads = use->code == TL_OP_index;
    if (loads ? r != TL_INDEX_DIFFERENT : r != TL_INDEX_SAME && !is_unread(u, store, use->first_result, steps)) {
      return false;
    }
  }
  return true;
}

/* From the last store to the first, so that each meets what is left of those behind it. */
static void drop_unread(unread *u, const tl_region *r) {
  enum { STEPS = 64 };
  for (uint32_t i = r->ops.count; i-- > 0;) {
    tl_op *op = r->ops.data[i];
    for (uint32_t k = op->region_count; k-- > 0;) {
      drop_unread(u, op->regions[k]);
    }
    int steps = STEPS;
    if (op->code != TL_OP_update || !is_unread(u, op, op->first_result, &steps)) {
      continue;
    }
    op_list *uses = &u->uses[op->first_result];
    for (uint32_t k = 0; k < uses->count; k++) {
      uses->data[k]->operands[0] = op->operands[0];
      TL_PUSH(u->scratch, u->uses[op->operands[0]], uses->data[k]);
    }
    uses->count = 0;
  }
}

static void drop_unread_stores(tl_func *f, tl_arena *scratch) {
  unread u = {.func = f, .scratch = scratch};
  u.uses = TL_NEW_ARRAY(scratch, op_list, f->values.count);
  u.escapes = TL_NEW_ARRAY(scratch, bool, f->values.count);
  list_uses(&u, f->body);
  drop_unread(&u, f->body);
}

void tl__dce_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  drop_unread_stores(f, scratch);
  dce d = {.func = f, .scratch = scratch, .live = TL_NEW_ARRAY(scratch, bool, f->values.count)};
  clear_marks(f->body);
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    need_value(&d, f->body->params.data[i]);
  }
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    need_value(&d, f->body->yields.data[i]);
  }
  need_effects(&d, f->body);
  while (d.work.count) {
    follow(&d, d.work.data[--d.work.count]);
  }
  tl_rewrite rw;
  tl__rewrite_init(&rw, f, scratch);
  sweep(&d, &rw, f->body);
  tl__rewrite_params(&rw, f->body);
  tl_arena_rewind(scratch, mark);
}
