/* Storage that dies is used again. Several directions at a time make loops such as
 *
 *     for lane: next[lane] = x * dot[lane] + ...
 *
 * in which `next` is a new array and `dot` has no other use. Carried by a loop around, `next` would be copied to where
 * `dot` lies. So the inner loop starts from `dot` itself and stores over it: each element is read before it is
 * overwritten. In the same way what a loop saves of x[i] for x_bar[i] lies in x_bar. */
#include "transform/rewrite.h"
#include "transform/transform.h"

enum { STEPS = 64, DEPTH = 4 }; /* how far back versions are followed, and through how many branches */

/* How well an array suits a new one: its place in the next iteration of a loop around is the new one's, so that
 * crosswise two would have to be exchanged there; what is stored is computed from it; or it dies merely. */
typedef enum bond { CARRIED_ON, COMPUTED_FROM, ANY_BOND, BOND_COUNT } bond;

typedef struct reuse {
  tl_func *func;
  uint32_t *uses;
  uint32_t *made_of, mark; /* by value: the last mark of what is computed from it */
} reuse;

/* Whether nothing that runs after the op names v, which was made in a region around it: the op lies in branches only.
 */
static bool dies_at(const tl_func *f, const tl_op *op, tl_value v) {
  for (;;) {
    const tl_region *r = op->parent;
    uint32_t at = 0;
    while (r->ops.data[at] != op) {
      at++;
    }
    if (tl__uses_in(r, at + 1, v)) {
      return false;
    }
    if (tl_info(f, v)->region == r) {
      return true;
    }
    op = r->parent;
    if (!op || op->code != TL_OP_if) {
      return false;
    }
  }
}

/* Whether all that the loop does with the array is to load, ahead of the store, the element that is stored to. */
static bool is_read_in_step(const tl_func *f, const tl_op *loop, const tl_op *store, tl_value array) {
  const tl_region *body = tl_loop_body(loop);
  uint32_t loads = 0;
  for (uint32_t i = 0; body->ops.data[i] != store; i++) {
    const tl_op *op = body->ops.data[i];
    loads += op->code == TL_OP_index && op->operands[0] == array &&
             tl__indices_compare(f, op->operand_count - 1, op->operands + 1, store->operands + 1) == TL_INDEX_SAME;
  }
  return loads && loads == tl__uses_in(body, 0, array) && !tl__uses_in(tl_loop_cond(loop), 0, array);
}

/* A branch may hand on an array that has another life. */
static bool may_share_storage(const tl_func *f, tl_value array) {
  const tl_op *def = tl_def(f, array);
  return def && def->code == TL_OP_if;
}

/* An array that the loop may as well not start from: a new one, or the storage of a result, which then holds what the
 * loop reads (exp(x[i]) in x_bar[i], say). */
static bool is_blank(const tl_func *f, tl_value array, const tl_op *loop) {
  const tl_op *alloc = tl_def(f, array);
  if (!alloc) {
    return loop->parent == f->body && tl_info(f, array)->region == f->body;
  }
  return alloc->code == TL_OP_alloc && !(alloc->u.flags & (TL_ALLOC_ZEROED | TL_ALLOC_GROW)) &&
         alloc->parent == loop->parent;
}

/* Whether v is `from`, or a version of it that stores, loops and branches made. */
static bool is_version_of(const tl_func *f, tl_value v, tl_value from, int depth) {
  for (int steps = 0; steps < STEPS && depth > 0 && v != from; steps++) {
    const tl_op *def = tl_def(f, v);
    uint32_t i = tl_info(f, v)->index;
    if (!def || !(tl_op_stores(def) || def->code == TL_OP_loop || def->code == TL_OP_if)) {
      return false;
    }
    if (def->code == TL_OP_if && is_version_of(f, def->regions[0]->yields.data[i], from, depth - 1)) {
      return true;
    }
    v = def->code == TL_OP_if     ? def->regions[1]->yields.data[i]
        : def->code == TL_OP_loop ? tl_loop_init(def, i)
                                  : def->operands[0];
  }
  return v == from;
}

/* Whether a loop around has the array in one iteration and v in its place in the next. */
static bool is_carried_on_as(const tl_func *f, tl_value array, tl_value v) {
  const tl_value_info *info = tl_info(f, array);
  const tl_op *loop = info->op ? NULL : info->region->parent;
  return loop && loop->code == TL_OP_loop && info->index > 0 &&
         is_version_of(f, info->region->yields.data[info->index - 1], v, DEPTH);
}

/* An array that dies in the loop, and whose elements the store at the end of its body may as well overwrite. */
static bool may_lie_in(const reuse *s, const tl_op *loop, uint32_t carry, const tl_op *store, tl_value array) {
  const tl_func *f = s->func;
  bool fits = array && array != store->operands[0] && tl__value_visible(f, array, loop->parent) &&
              tl_type_equal(tl_type_of(f, array), tl_type_of(f, tl_loop_init(loop, carry))) &&
              tl__is_own_storage(f, array, DEPTH) && !may_share_storage(f, array) &&
              is_read_in_step(f, loop, store, array) && dies_at(f, loop, array);
  for (uint32_t k = 0; fits && k < tl_loop_carries(loop); k++) {
    fits = tl_loop_init(loop, k) != array;
  }
  return fits;
}

static void start_from(tl_op *loop, uint32_t carry, tl_value array) {
  tl_region *body = tl_loop_body(loop);
  loop->operands[2 + carry] = array;
  for (uint32_t k = 0; k < body->ops.count; k++) {
    tl_op *op = body->ops.data[k];
    if (op->code == TL_OP_index && op->operands[0] == array) {
      op->operands[0] = body->params.data[carry + 1];
    }
  }
}

/* Marks what the stored number is computed from, in the body of the loop. */
static void mark_sources(reuse *s, const tl_op *store) {
  const tl_region *body = store->parent;
  s->mark++;
  s->made_of[store->operands[store->operand_count - 1]] = s->mark;
  for (uint32_t i = body->ops.count; i-- > 0;) {
    const tl_op *op = body->ops.data[i];
    for (uint32_t k = 0; op->result_count == 1 && s->made_of[op->first_result] == s->mark && k < op->operand_count;
         k++) {
      s->made_of[op->operands[k]] = s->mark;
    }
  }
}

static bool has_bond(const reuse *s, const tl_op *loop, uint32_t carry, tl_value array, bond b) {
  return b == CARRIED_ON      ? is_carried_on_as(s->func, array, tl_op_result(loop, carry))
         : b == COMPUTED_FROM ? s->made_of[array] == s->mark
                              : true;
}

static void reuse_for_carry(reuse *s, tl_op *loop, uint32_t carry, bond b) {
  tl_func *f = s->func;
  tl_region *body = tl_loop_body(loop);
  tl_value init = tl_loop_init(loop, carry);
  const tl_op *store = tl_def(f, body->yields.data[carry]);
  if (!is_blank(f, init, loop) || s->uses[init] != 1 || !store || store->code != TL_OP_update ||
      store->parent != body || store->operands[0] != body->params.data[carry + 1] ||
      !tl__loop_overwrites(f, loop, carry)) {
    return;
  }
  mark_sources(s, store);
  for (uint32_t i = 0; body->ops.data[i] != store; i++) {
    const tl_op *load = body->ops.data[i];
    tl_value array = load->code == TL_OP_index ? load->operands[0] : TL_NO_VALUE;
    if (may_lie_in(s, loop, carry, store, array) && has_bond(s, loop, carry, array, b)) {
      start_from(loop, carry, array);
      return;
    }
  }
}

static void reuse_op(void *ctx, tl_op *op) {
  for (bond b = 0; op->code == TL_OP_loop && b < BOND_COUNT; b++) {
    for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
      if (tl_type_of(((reuse *)ctx)->func, tl_loop_init(op, i)).is_array) {
        reuse_for_carry(ctx, op, i, b);
      }
    }
  }
}

void tl__reuse_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  reuse s = {f, tl__use_counts(f, scratch), TL_NEW_ARRAY(scratch, uint32_t, f->values.count), 0};
  tl__region_each_op(f->body, reuse_op, &s);
  tl_arena_rewind(scratch, mark);
}
