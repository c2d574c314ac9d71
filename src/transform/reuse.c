/* Storage that dies is used again. Several directions at a time make loops such as
 *
 *     for lane: next[lane] = x * dot[lane] + ...
 *
 * in which `next` is a new array and `dot` has no other use. Carried by a loop around, `next` would be copied to where
 * `dot` lies. So the inner loop starts from `dot` itself and stores over it: each element is read before it is
 * overwritten. In the same way what a loop saves of x[i] for x_bar[i] lies in x_bar. */
#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct reuse {
  tl_func *func;
  uint32_t *uses;
} reuse;

static uint32_t count_uses(const tl_region *r, uint32_t from, tl_value v) {
  uint32_t n = 0;
  for (uint32_t i = from; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      n += op->operands[k] == v;
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      n += count_uses(op->regions[k], 0, v);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    n += r->yields.data[i] == v;
  }
  return n;
}

/* Whether nothing that runs after the op names v, which was made in a region around it: the op lies in branches only.
 */
static bool dies_at(const tl_func *f, const tl_op *op, tl_value v) {
  for (;;) {
    const tl_region *r = op->parent;
    uint32_t at = 0;
    while (r->ops.data[at] != op) {
      at++;
    }
    if (count_uses(r, at + 1, v)) {
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
  return loads && loads == count_uses(body, 0, array) && !count_uses(tl_loop_cond(loop), 0, array);
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

static void reuse_for_carry(reuse *s, tl_op *loop, uint32_t carry) {
  tl_func *f = s->func;
  tl_region *body = tl_loop_body(loop);
  tl_value param = body->params.data[carry + 1], init = tl_loop_init(loop, carry);
  const tl_op *store = tl_def(f, body->yields.data[carry]);
  if (!is_blank(f, init, loop) || s->uses[init] != 1 || !store || store->code != TL_OP_update ||
      store->parent != body || store->operands[0] != param || !tl__loop_overwrites(f, loop, carry)) {
    return;
  }
  for (uint32_t i = 0; body->ops.data[i] != store; i++) {
    const tl_op *load = body->ops.data[i];
    tl_value array = load->code == TL_OP_index ? load->operands[0] : TL_NO_VALUE;
    bool fits = array && array != param && tl__value_visible(f, array, loop->parent) &&
                tl_type_equal(tl_type_of(f, array), tl_type_of(f, init)) && tl__is_own_storage(f, array, 4) &&
                !may_share_storage(f, array) && is_read_in_step(f, loop, store, array) && dies_at(f, loop, array);
    for (uint32_t k = 0; fits && k < tl_loop_carries(loop); k++) {
      fits = tl_loop_init(loop, k) != array;
    }
    if (!fits) {
      continue;
    }
    loop->operands[2 + carry] = array;
    for (uint32_t k = 0; k < body->ops.count; k++) {
      tl_op *op = body->ops.data[k];
      if (op->code == TL_OP_index && op->operands[0] == array) {
        op->operands[0] = param;
      }
    }
    return;
  }
}

static void reuse_op(void *ctx, tl_op *op) {
  for (uint32_t i = 0; op->code == TL_OP_loop && i < tl_loop_carries(op); i++) {
    if (tl_type_of(((reuse *)ctx)->func, tl_loop_init(op, i)).is_array) {
      reuse_for_carry(ctx, op, i);
    }
  }
}

void tl__reuse_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  reuse s = {f, tl__use_counts(f, scratch)};
  tl__region_each_op(f->body, reuse_op, &s);
  tl_arena_rewind(scratch, mark);
}
