/* Order of execution: loops whose iterations may come in any order run forward, loops over the same range become one,
 * and branches on the same condition become one; a call and its vjp on the same arguments become the vjp. A
 * derivative's forward and reverse halves meet here. */
#include <string.h>

#include "transform/derive.h"
#include "transform/meet.h"
#include "transform/rewrite.h"
#include "transform/transform.h"

enum { MOST_ATTEMPTS = 16 }; /* for one op: each costs as much as the function is large */

/* ---- loops whose order does not matter ---- */

/* The op of region r itself that op lies in or is. */
static tl_op *op_at(tl_op *op, tl_region *region, const tl_region *r) {
  while (region != r) {
    op = region->parent;
    region = op->parent;
  }
  return op;
}

typedef struct order {
  const tl_meet *f;
  tl_value iv; /* of the loop in question */
  const tl_region *body;
  /* Of the carry in question: sums into elements, or stores into a slice of each iteration's own, never both. A slice
   * has one index on some axis; the axes that are still possible are a set, with the index that all stores so far have
   * there. */
  bool sums, stores;
  uint32_t axes;
  tl_value slice[TL_MAX_RANK];
} order;

static bool stores_own_slice(order *x, const tl_op *store) {
  const tl_func *f = x->f->func;
  uint32_t rank = store->operand_count - 2, possible = 0;
  for (uint32_t i = 0; i < rank; i++) {
    tl_value index = store->operands[1 + i];
    bool fits = x->stores ? (x->axes & 1u << i) && tl__index_compare(f, x->slice[i], index) == TL_INDEX_SAME
                          : tl__index_is_injective(f, index, x->iv, x->body, store->parent == x->body);
    if (fits) {
      possible |= 1u << i;
      x->slice[i] = index;
    }
  }
  x->stores = true;
  x->axes = possible;
  return possible != 0;
}

static bool accumulates(order *x, const tl_region *r, tl_value from, tl_value to);

/* `to` is `from` plus terms that do not depend on it, through ops of region r. */
static bool accumulates_if(order *x, tl_op *o, tl_value from, tl_value *out_next) {
  *out_next = TL_NO_VALUE;
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (accumulates(x, o->regions[0], from, o->regions[0]->yields.data[i]) &&
        accumulates(x, o->regions[1], from, o->regions[1]->yields.data[i])) {
      if (*out_next) {
        return false;
      }
      *out_next = tl_op_result(o, i);
    }
  }
  return *out_next != TL_NO_VALUE;
}

/* What the call returns in the storage of `from`, where it only adds to that: a vjp that adds. */
static tl_value sum_of_call(const tl_func *f, const tl_op *call, tl_value from) {
  const tl_func *callee = tl_module_find(f->module, call->callee);
  uint32_t at = 0, count = 0;
  for (uint32_t i = 0; i < call->operand_count; i++) {
    at = call->operands[i] == from ? i : at;
    count += call->operands[i] == from;
  }
  if (count != 1 || !tl__vjp_adds_to(callee, at)) {
    return TL_NO_VALUE;
  }
  return tl_op_result(call, tl_func_final(callee, at));
}

static uint32_t uses_within(const order *x, const tl_region *r, tl_value v) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->f->users[v].count; i++) {
    n += tl__region_contains(r, x->f->users[v].data[i].region);
  }
  return n;
}

static bool accumulates(order *x, const tl_region *r, tl_value from, tl_value to) {
  const tl_func *f = x->f->func;
  while (from != to) {
    const tl_meet_users *users = &x->f->users[from];
    tl_op *only = NULL, *load = NULL;
    for (uint32_t i = 0; i < users->count; i++) {
      tl_meet_user u = users->data[i];
      if (!tl__region_contains(r, u.region)) {
        continue; /* another branch than r, which is looked at in its turn */
      }
      if (!u.op && u.region == r) {
        return false;
      }
      tl_op *at = op_at(u.op, u.region, r);
      if (at->code == TL_OP_index && u.op == at) {
        if (load) {
          return false;
        }
        load = at;
      } else if (only && only != at) {
        return false;
      } else {
        only = at;
      }
    }
    if (!only) {
      return false;
    }
    switch (only->code) {
    case TL_OP_add:
      if (load || (only->operands[0] == from && only->operands[1] == from)) {
        return false;
      }
      from = tl_op_result(only, 0);
      break;
    case TL_OP_sub:
      if (load || only->operands[1] == from) {
        return false;
      }
      from = tl_op_result(only, 0);
      break;
    case TL_OP_update: {
      uint32_t rank = only->operand_count - 2;
      tl_value v = only->operands[rank + 1];
      if (only->operands[0] != from || only->parent != r) {
        return false;
      }
      bool same = load && load->parent == r &&
                  tl__indices_compare(f, rank, load->operands + 1, only->operands + 1) == TL_INDEX_SAME;
      if (same && x->f->users[tl_op_result(load, 0)].count == 1 && accumulates(x, r, tl_op_result(load, 0), v)) {
        x->sums = true;
      } else if ((load && !same) ||
                 !stores_own_slice(x, only)) { /* a slice of one's own may be read before it is stored */
        return false;
      }
      from = tl_op_result(only, 0);
      break;
    }
    case TL_OP_loop: {
      tl_value next = TL_NO_VALUE;
      for (uint32_t i = 0; i < tl_loop_carries(only); i++) {
        if (tl_loop_init(only, i) == from) {
          if (next || load) {
            return false;
          }
          if (!accumulates(x, tl_loop_body(only), tl_loop_body(only)->params.data[1 + i],
                           tl_loop_body(only)->yields.data[i]) ||
              x->f->users[tl_loop_cond(only)->params.data[1 + i]].count) {
            return false;
          }
          next = tl_op_result(only, i);
        }
      }
      if (!next || users->count != 1) {
        return false;
      }
      from = next;
      break;
    }
    case TL_OP_if:
      if (load || !accumulates_if(x, only, from, &from)) {
        return false;
      }
      break;
    case TL_OP_call:
      if (load || !(from = sum_of_call(f, only, from))) {
        return false;
      }
      x->sums = true;
      break;
    default:
      return false;
    }
  }
  return uses_within(x, r, to) == 1; /* the end is yielded or stored, and nothing else sees it */
}

static bool order_is_free(const tl_meet *f, const tl_op *loop) {
  const tl_region *body = tl_loop_body(loop);
  for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
    if (tl_type_of(f->func, body->params.data[1 + i]).is_array && tl__loop_iterations_are_apart(f->func, loop, i)) {
      continue;
    }
    order x = {.f = f, .iv = body->params.data[0], .body = body};
    if (!accumulates(&x, body, body->params.data[1 + i], body->yields.data[i]) || (x.sums && x.stores)) {
      return false;
    }
  }
  return true;
}

/* ---- loops over one range ---- */

static bool same_range(const tl_meet *f, const tl_op *a, const tl_op *b) {
  return a->code == TL_OP_loop && b->code == TL_OP_loop && a->u.step == b->u.step && a->reversed == b->reversed &&
         tl_loop_is_counted(a) && tl_loop_is_counted(b) && tl__same_value(f->func, tl_loop_lo(a), tl_loop_lo(b)) &&
         tl__same_value(f->func, tl_loop_hi(a), tl_loop_hi(b)) &&
         tl_type_of(f->func, tl_loop_lo(a)).dtype == tl_type_of(f->func, tl_loop_lo(b)).dtype;
}

/* Interleaved, neither may read what the other overwrites; `gone` is what b does. */
static bool may_interleave(const tl_meet *f, const tl_op *a, const tl_op *b, const bool *gone) {
  bool *a_gone = tl__meet_flags(f);
  tl__meet_mark_overwritten(f, a, a_gone);
  return !tl__meet_reads_any(f, a, gone) && !tl__meet_reads_any(f, b, a_gone);
}

typedef struct own_axes {
  tl_value iv;
  uint32_t axes; /* those on which every store has it as index */
} own_axes;

static void note_store(void *ctx, const tl_op *op) {
  own_axes *own = ctx;
  for (uint32_t k = 0; op->code == TL_OP_update && k + 2 < op->operand_count; k++) {
    own->axes &= ~((uint32_t)(op->operands[1 + k] != own->iv) << k);
  }
}

/* The axes on which all that the loop stores in the carried array has the induction variable as index, as a set. */
static uint32_t find_own_axes(const tl_func *f, const tl_op *loop, uint32_t carry) {
  own_axes own = {tl_loop_body(loop)->params.data[0], (1u << tl_type_of(f, tl_op_result(loop, carry)).rank) - 1};
  return tl__loop_accesses(f, loop, carry, note_store, &own) ? own.axes : 0;
}

/* Does loop b take nothing from loop a but what the same iteration stored: elements with the induction variable as one
 * index, which is that of all that a stores there? */
static bool takes_own_elements(const tl_meet *f, const tl_op *a, const tl_op *b) {
  tl_value iv = tl_loop_body(b)->params.data[0];
  for (uint32_t i = 0; i < a->result_count; i++) {
    const tl_meet_users *users = &f->users[tl_op_result(a, i)];
    uint32_t axes = 0;
    for (uint32_t k = 0; k < users->count; k++) {
      tl_meet_user u = users->data[k];
      if (u.op == b) {
        return false;
      }
      if (!tl__region_contains(tl_loop_body(b), u.region)) {
        continue;
      }
      if (i >= tl_loop_carries(a) || !u.op || u.op->code != TL_OP_index) {
        return false;
      }
      axes = axes ? axes : find_own_axes(f->func, a, i);
      bool owns = false;
      for (uint32_t n = 1; n < u.op->operand_count; n++) {
        owns |= u.op->operands[n] == iv && axes >> (n - 1) & 1;
      }
      if (!owns) {
        return false;
      }
    }
  }
  return true;
}

/* Iteration by iteration, b has what a stored: its loads are of the content at the end of a's part. */
static void hand_over(tl_meet *f, const tl_op *a, const tl_op *b) {
  for (uint32_t i = 0; i < tl_loop_carries(a); i++) {
    const tl_meet_users *users = &f->users[tl_op_result(a, i)];
    for (uint32_t k = 0; k < users->count; k++) {
      tl_meet_user u = users->data[k];
      if (tl__region_contains(tl_loop_body(b), u.region)) {
        u.op->operands[0] = tl_loop_body(a)->yields.data[i];
      }
    }
  }
}

static void fuse_loops(tl_meet *f, tl_region *r, uint32_t first, uint32_t second, const bool *late) {
  tl_op *parts[2] = {r->ops.data[first], r->ops.data[second]};
  TL_VEC(tl_value) inits = {0};
  for (int p = 0; p < 2; p++) {
    for (uint32_t i = 0; i < tl_loop_carries(parts[p]); i++) {
      TL_PUSH(f->scratch, inits, tl_loop_init(parts[p], i));
    }
  }
  const tl_op *theirs = parts[parts[0]->is_ours && !parts[1]->is_ours]; /* the user's, if there is one */
  tl_builder b = {.func = f->func, .region = r, .loc = theirs->loc};
  const char *iv_name = tl_info(f->func, tl_loop_body(theirs)->params.data[0])->name;
  tl_op *made =
      tl_build_loop(&b, tl_loop_lo(parts[0]), tl_loop_hi(parts[0]), parts[0]->u.step, iv_name, inits.count, inits.data);
  made->reversed = parts[0]->reversed;
  made->is_ours = parts[0]->is_ours && parts[1]->is_ours;
  tl_rewrite rw;
  tl__rewrite_init(&rw, f->func, f->scratch);
  hand_over(f, parts[0], parts[1]);
  tl_region *body = tl_loop_body(made);
  uint32_t next = 0;
  for (int p = 0; p < 2; p++) {
    tl_region *old = tl_loop_body(parts[p]);
    tl__rewrite_set(&rw, old->params.data[0], body->params.data[0]);
    for (uint32_t i = 0; i < tl_loop_carries(parts[p]); i++, next++) {
      tl__rewrite_set(&rw, old->params.data[1 + i], body->params.data[1 + next]);
      f->func->values.data[body->params.data[1 + next]].name = tl_info(f->func, old->params.data[1 + i])->name;
    }
    uint32_t count;
    tl_op **ops = tl__region_take(f->scratch, old, &count);
    for (uint32_t i = 0; i < count; i++) {
      tl__region_append(f->func, body, ops[i]);
    }
    for (uint32_t i = 0; i < old->yields.count; i++) {
      TL_PUSH(f->func->arena, body->yields, old->yields.data[i]);
    }
  }
  b.region = r;
  tl_build_loop_results(&b, made);
  next = 0;
  for (int p = 0; p < 2; p++) {
    for (uint32_t i = 0; i < tl_loop_carries(parts[p]); i++, next++) {
      tl__rewrite_set(&rw, tl_op_result(parts[p], i), tl_op_result(made, next));
      f->func->values.data[tl_op_result(made, next)].name = tl_info(f->func, tl_op_result(parts[p], i))->name;
    }
    tl__rewrite_set(&rw, tl_loop_trips(parts[p]), tl_loop_trips(made));
  }
  tl__meet_reorder(f, r, first, second, late, r->ops.count - 1);
  tl__rewrite_region(&rw, f->func->body);
}

/* ---- branches on one condition ---- */

static void fuse_ifs(tl_meet *f, tl_region *r, uint32_t first, uint32_t second, const bool *late) {
  tl_op *a = r->ops.data[first], *b = r->ops.data[second];
  tl_builder builder = {.func = f->func, .region = r, .loc = a->loc};
  tl_op *made = tl_build_if(&builder, a->operands[0]);
  for (int k = 0; k < 2; k++) {
    tl_region *into = made->regions[k];
    uint32_t count;
    tl_op **ops = tl__region_take(f->scratch, a->regions[k], &count);
    for (uint32_t i = 0; i < count; i++) {
      tl__region_append(f->func, into, ops[i]);
    }
    tl_value *map = TL_NEW_ARRAY(f->scratch, tl_value, f->func->values.count);
    for (uint32_t i = 0; i < a->result_count; i++) {
      map[tl_op_result(a, i)] = a->regions[k]->yields.data[i];
      TL_PUSH(f->func->arena, into->yields, a->regions[k]->yields.data[i]);
    }
    builder.region = into;
    tl_clone_ops(&builder, b->regions[k], map);
    for (uint32_t i = 0; i < b->result_count; i++) {
      tl_value v = b->regions[k]->yields.data[i];
      TL_PUSH(f->func->arena, into->yields, map[v] ? map[v] : v);
    }
  }
  builder.region = r;
  tl_build_if_results(&builder, made);
  tl_rewrite rw;
  tl__rewrite_init(&rw, f->func, f->scratch);
  for (uint32_t i = 0; i < a->result_count; i++) {
    tl__rewrite_set(&rw, tl_op_result(a, i), tl_op_result(made, i));
    f->func->values.data[tl_op_result(made, i)].name = tl_info(f->func, tl_op_result(a, i))->name;
  }
  for (uint32_t i = 0; i < b->result_count; i++) {
    tl__rewrite_set(&rw, tl_op_result(b, i), tl_op_result(made, a->result_count + i));
    f->func->values.data[tl_op_result(made, a->result_count + i)].name = tl_info(f->func, tl_op_result(b, i))->name;
  }
  tl__meet_reorder(f, r, first, second, late, r->ops.count - 1);
  tl__rewrite_region(&rw, f->func->body);
}

/* ---- a call and its vjp or custom rule, which gives the call's results too ---- */

/* The result of the vjp or rule g that result `k` of its primal is; g's result count where that is none. */
static uint32_t result_of_primal(const tl_func *g, uint32_t k) {
  uint32_t i = 0;
  while (i < g->results.count && (g->results.data[i].role != TL_RESULT_RETURN || g->results.data[i].is_derived ||
                                  g->results.data[i].origin_index != k)) {
    i++;
  }
  return i;
}

static bool derives(const tl_func *g, const char *callee) {
  return (g->vjp_of && strcmp(g->vjp_of, callee) == 0) || (g->rule_of && strcmp(g->rule_of, callee) == 0);
}

static bool is_derived_call_of(const tl_meet *f, const tl_op *a, const tl_op *b) {
  if (a->code != TL_OP_call || b->code != TL_OP_call) {
    return false;
  }
  const tl_func *g = tl_module_find(f->func->module, b->callee);
  if (!derives(g, a->callee)) {
    return false;
  }
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_param *p = &g->params.data[i];
    if (p->origin == TL_ORIGIN_PRIMAL && !tl__same_value(f->func, a->operands[p->origin_index], b->operands[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < a->result_count; i++) {
    if (f->users[tl_op_result(a, i)].count && result_of_primal(g, i) == g->results.count) {
      return false;
    }
  }
  return true;
}

static void fuse_calls(tl_meet *f, tl_region *r, uint32_t first, uint32_t second, const bool *late) {
  tl_op *a = r->ops.data[first], *b = r->ops.data[second];
  const tl_func *g = tl_module_find(f->func->module, b->callee);
  tl_rewrite rw;
  tl__rewrite_init(&rw, f->func, f->scratch);
  for (uint32_t i = 0; i < a->result_count; i++) {
    uint32_t k = result_of_primal(g, i);
    if (k < g->results.count) {
      tl__rewrite_set(&rw, tl_op_result(a, i), tl_op_result(b, k));
    }
  }
  TL_PUSH(f->func->arena, r->ops, b);
  tl__meet_reorder(f, r, first, second, late, r->ops.count - 1);
  tl__rewrite_region(&rw, f->func->body);
}

static bool fuse_in_region(tl_meet *f, tl_region *r, bool only_calls) {
  bool any = false;
  for (uint32_t j = 0; j < r->ops.count; j++) {
    tl_op *b = r->ops.data[j];
    bool may_meet = b->code == TL_OP_call || (!only_calls && (b->code == TL_OP_loop || b->code == TL_OP_if));
    if (!may_meet || tl__meet_has_effect(f, b)) {
      continue;
    }
    tl_arena_mark start = tl_arena_get_mark(f->scratch);
    const bool *needed = tl__meet_needed_by(f, r, j);
    bool *gone = tl__meet_flags(f), fused = false;
    tl__meet_mark_overwritten(f, b, gone);
    uint32_t attempts = 0;
    for (uint32_t i = j; i-- > 0 && !fused && attempts < MOST_ATTEMPTS;) {
      tl_op *a = r->ops.data[i];
      bool loops = same_range(f, a, b) && (!needed[i] || takes_own_elements(f, a, b));
      bool ifs = a->code == TL_OP_if && b->code == TL_OP_if && a->operands[0] == b->operands[0];
      bool calls = !needed[i] && is_derived_call_of(f, a, b);
      if (!loops && !ifs && !calls) {
        continue;
      }
      attempts++;
      tl_arena_mark mark = tl_arena_get_mark(f->scratch);
      bool *late = TL_NEW_ARRAY(f->scratch, bool, j - i + 1);
      bool may = !tl__meet_has_effect(f, a) && (!loops || may_interleave(f, a, b, gone));
      if (may && tl__meet_is_possible(f, r, i, j, gone, late)) {
        if (ifs) {
          fuse_ifs(f, r, i, j, late);
        } else if (calls) {
          fuse_calls(f, r, i, j, late);
        } else {
          fuse_loops(f, r, i, j, late);
        }
        tl__meet_refresh(f);
        any = fused = true;
        j = i;
      } else {
        tl_arena_rewind(f->scratch, mark);
      }
    }
    if (!fused) {
      tl_arena_rewind(f->scratch, start);
    }
  }
  for (uint32_t i = 0; i < r->ops.count; i++) {
    for (uint32_t k = 0; k < r->ops.data[i]->region_count; k++) {
      any = fuse_in_region(f, r->ops.data[i]->regions[k], only_calls) || any;
    }
  }
  return any;
}

static void straighten(tl_meet *f, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      straighten(f, o->regions[k]);
    }
    if (o->code == TL_OP_loop && o->reversed && !tl__meet_has_effect(f, o) && order_is_free(f, o)) {
      o->reversed = false;
    }
  }
}

void tl__fuse_run(tl_func *func, tl_arena *scratch) {
  tl_meet f;
  tl__meet_init(&f, func, scratch);
  straighten(&f, func->body);
  fuse_in_region(&f, func->body, false);
  tl_arena_rewind(scratch, f.base);
}

bool tl__fuse_calls(tl_func *func, tl_arena *scratch) {
  tl_meet f;
  tl__meet_init(&f, func, scratch);
  bool any = fuse_in_region(&f, func->body, true);
  tl_arena_rewind(scratch, f.base);
  return any;
}
