/* A new array that one branch alone uses is made there, so that the other does not pay for it: of a recursion's
 * derivative that keeps values, the calls in which it ends allocate nothing. Nothing goes into a loop. */
#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct sinker {
  tl_func *func;
  tl_region **common; /* by array that an alloc makes: the innermost region around all uses so far */
} sinker;

static tl_region *region_around(tl_region *a, tl_region *b) {
  while (!tl__region_contains(a, b)) {
    a = a->parent->parent;
  }
  return a;
}

static void note(sinker *s, tl_value v, tl_region *user) {
  const tl_op *def = tl_def(s->func, v);
  if (def && def->code == TL_OP_alloc) {
    s->common[v] = s->common[v] ? region_around(s->common[v], user) : user;
  }
}

static void note_region(sinker *s, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      note(s, o->operands[k], r);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      note_region(s, o->regions[k]);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    note(s, r->yields.data[i], r);
  }
}

/* The innermost branch on the way from region `from` to `to` that is in no loop inside `from`. */
static tl_region *branch_towards(tl_region *from, tl_region *to) {
  tl_region *branch = to;
  for (tl_region *r = to; r != from; r = r->parent->parent) {
    if (r->parent->code != TL_OP_if) {
      branch = r->parent->parent;
    }
  }
  return branch;
}

static void sink_region(sinker *s, tl_region *r, tl_arena *scratch) {
  uint32_t count;
  tl_op **ops = tl__region_take(scratch, r, &count);
  for (uint32_t i = 0; i < count; i++) {
    tl_op *o = ops[i];
    tl_region *common = o->code == TL_OP_alloc ? s->common[o->first_result] : NULL, *into = r;
    if (common && common != r) {
      into = branch_towards(r, common);
    }
    if (into == r) {
      tl__region_append(s->func, r, o);
      continue;
    }
    uint32_t behind;
    tl_op **others = tl__region_take(scratch, into, &behind);
    tl__region_append(s->func, into, o);
    for (uint32_t k = 0; k < behind; k++) {
      tl__region_append(s->func, into, others[k]);
    }
  }
  for (uint32_t i = 0; i < r->ops.count; i++) {
    for (uint32_t k = 0; k < r->ops.data[i]->region_count; k++) {
      sink_region(s, r->ops.data[i]->regions[k], scratch);
    }
  }
}

void tl__sink_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  sinker s = {f, TL_NEW_ARRAY(scratch, tl_region *, f->values.count)};
  note_region(&s, f->body);
  sink_region(&s, f->body, scratch);
  tl_arena_rewind(scratch, mark);
}
