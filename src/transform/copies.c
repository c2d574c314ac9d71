/* Copies of arrays that are only read. Where a loop fills a new array with what another one holds, and neither is
 * written into after that, loads of the copy are loads of the original: what the reverse sweep reads of an array that
 * was saved as a whole comes straight from where it was saved. */
#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct copy {
  const tl_func *func;
  const tl_op *outermost; /* of the loops that copy */
  tl_value ivs[TL_MAX_RANK];
  uint32_t depth;
  const tl_op *load; /* of the original: some indices of its own, then those of the copy */
} copy;

typedef struct copies {
  tl_func *func;
  tl_arena *scratch;
  const uint32_t *uses, *loads;
  tl_value *originals; /* by value: of the copies, which loads they are made of */
  TL_VEC(copy) found;
} copies;

static bool is_only_read(const copies *s, tl_value v) { return s->uses[v] == s->loads[v]; }

/* The store reads the element at the same place, behind indices that the loops do not change. */
static bool is_copied_element(copy *c, const tl_op *store, tl_value from) {
  const tl_op *load = tl_def(c->func, store->operands[store->operand_count - 1]);
  if (store->operands[0] != from || store->operand_count - 2 != c->depth || !load || load->code != TL_OP_index ||
      load->operand_count - 1 < c->depth ||
      tl__op_contains(c->outermost, tl_info(c->func, load->operands[0])->region)) {
    return false;
  }
  uint32_t ahead = load->operand_count - 1 - c->depth;
  for (uint32_t i = 0; i < ahead; i++) {
    if (tl__op_contains(c->outermost, tl_info(c->func, load->operands[1 + i])->region)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < c->depth; i++) {
    if (store->operands[1 + i] != c->ivs[i] || load->operands[1 + ahead + i] != c->ivs[i]) {
      return false;
    }
  }
  c->load = load;
  return true;
}

/* Loops inside each other, each over an axis of its own, and in the innermost one the copy of an element. */
static bool copies_all(copies *s, copy *c, const tl_op *loop, uint32_t carry) {
  const tl_region *body = tl_loop_body(loop);
  tl_value from = body->params.data[1 + carry], next = body->yields.data[carry];
  const tl_op *def = tl_def(c->func, next);
  if (c->depth == TL_MAX_RANK || s->uses[from] != 1 || s->uses[next] != 1 || !def || def->parent != body) {
    return false;
  }
  c->ivs[c->depth++] = body->params.data[0];
  if (def->code == TL_OP_update) {
    return is_copied_element(c, def, from);
  }
  uint32_t inner = next - def->first_result;
  return def->code == TL_OP_loop && inner < tl_loop_carries(def) && tl_loop_init(def, inner) == from &&
         copies_all(s, c, def, inner);
}

static void find_copies(void *ctx, tl_op *loop) {
  copies *s = ctx;
  for (uint32_t i = 0; loop->code == TL_OP_loop && i < tl_loop_carries(loop); i++) {
    const tl_op *alloc = tl_def(s->func, tl_loop_init(loop, i));
    tl_value result = tl_op_result(loop, i);
    copy c = {.func = s->func, .outermost = loop};
    if (alloc && alloc->code == TL_OP_alloc && !(alloc->u.flags & TL_ALLOC_ZEROED) &&
        s->uses[alloc->first_result] == 1 && s->loads[result] && is_only_read(s, result) &&
        copies_all(s, &c, loop, i) && is_only_read(s, c.load->operands[0])) {
      TL_PUSH(s->scratch, s->found, c);
      s->originals[result] = s->found.count;
    }
  }
}

static void read_original(void *ctx, tl_op *op) {
  copies *s = ctx;
  while (op->code == TL_OP_index && s->originals[op->operands[0]]) { /* a copy of a copy */
    const tl_op *load = s->found.data[s->originals[op->operands[0]] - 1].load;
    uint32_t own = op->operand_count - 1, ahead = load->operand_count - 1 - own;
    tl_value *operands = TL_NEW_ARRAY(s->func->arena, tl_value, 1 + ahead + own);
    for (uint32_t i = 0; i <= ahead; i++) {
      operands[i] = load->operands[i];
    }
    for (uint32_t i = 0; i < own; i++) {
      operands[1 + ahead + i] = op->operands[1 + i];
    }
    op->operands = operands;
    op->operand_count = 1 + ahead + own;
  }
}

void tl__copies_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  tl_op **a_load;
  copies s = {.func = f, .scratch = scratch};
  s.uses = tl__use_counts(f, scratch);
  s.loads = tl__load_counts(f, scratch, &a_load);
  s.originals = TL_NEW_ARRAY(scratch, tl_value, f->values.count);
  tl__region_each_op(f->body, find_copies, &s);
  if (s.found.count) {
    tl__region_each_op(f->body, read_original, &s);
  }
  tl_arena_rewind(scratch, mark);
}
