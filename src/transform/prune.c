/* Takes out of the adjoint what no root reads. */
#include "transform/reverse.h"

typedef struct prune {
  tl_adjoint *a;
  bool *live;    /* by value: a->live */
  bool *op_live; /* by the op's first result */
  TL_VEC(tl_value) work;
} prune;

static void mark(prune *p, tl_value v) {
  if (v >= p->a->primal_values && !p->live[v]) {
    p->live[v] = true;
    TL_PUSH(p->a->arena, p->work, v);
  }
}

static void mark_op(prune *p, const tl_op *o) {
  if (p->op_live[o->first_result]) {
    return;
  }
  p->op_live[o->first_result] = true;
  if (o->code == TL_OP_if || o->code == TL_OP_loop) {
    mark(p, o->operands[0]);
    if (o->code == TL_OP_loop) {
      mark(p, o->operands[1]);
    }
  } else {
    for (uint32_t i = 0; i < o->operand_count; i++) {
      mark(p, o->operands[i]);
    }
  }
  if (o->parent->parent && o->parent->parent->first_result >= p->a->primal_values) {
    mark_op(p, o->parent->parent);
  }
}

static void mark_carry(prune *p, const tl_op *loop, uint32_t i) {
  mark(p, tl_loop_init(loop, i));
  mark(p, tl_loop_body(loop)->params.data[1 + i]);
  mark(p, tl_loop_body(loop)->yields.data[i]);
  mark_op(p, loop);
}

static void visit(prune *p, tl_value v) {
  const tl_value_info info = *tl_info(p->a->func, v);
  const tl_op *o = info.op;
  if (!o) {
    if (info.region->parent && info.index > 0) {
      mark_carry(p, info.region->parent, info.index - 1);
    }
    return;
  }
  mark_op(p, o);
  if (o->code == TL_OP_if) {
    mark(p, o->regions[0]->yields.data[info.index]);
    mark(p, o->regions[1]->yields.data[info.index]);
  } else if (o->code == TL_OP_loop && info.index < tl_loop_carries(o)) {
    mark_carry(p, o, info.index);
  }
}

static void sweep(prune *p, tl_region *r, uint32_t from) {
  uint32_t kept = from;
  for (uint32_t i = from; i < r->ops.count; i++) {
    tl_op *o = r->ops.data[i];
    if (!p->op_live[o->first_result]) {
      continue;
    }
    r->ops.data[kept++] = o;
    for (uint32_t k = 0; k < o->region_count; k++) {
      sweep(p, o->regions[k], 0);
    }
  }
  r->ops.count = kept;
}

void tl__adjoint_prune(tl_adjoint *a, uint32_t count, const tl_value *roots) {
  prune p = {.a = a};
  p.live = a->live = TL_NEW_ARRAY(a->arena, bool, a->func->values.count);
  p.op_live = TL_NEW_ARRAY(a->arena, bool, a->func->values.count);
  for (uint32_t i = 0; i < count; i++) {
    mark(&p, roots[i]);
  }
  for (uint32_t i = 0; i < p.work.count; i++) {
    visit(&p, p.work.data[i]);
  }
  sweep(&p, a->func->body, a->primal_ops);
}
