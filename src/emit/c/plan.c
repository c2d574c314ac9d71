/* Positions, what is needed, and uses. */
#include <string.h>

#include "emit/c/internal.h"

static uint32_t number_region(tl__c_emit *e, tl_region *r, uint32_t parent, uint32_t outer, uint32_t loop,
                              bool in_condition) {
  uint32_t id = e->regions.count;
  TL_PUSH(e->arena, e->regions,
          (tl__c_region){.region = r,
                         .parent = parent,
                         .outer = outer,
                         .loop = loop,
                         .in_condition = in_condition,
                         .begin = e->positions++});
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    uint32_t k = e->ops.count;
    op->mark = k;
    TL_PUSH(e->arena, e->ops, (tl__c_op){.op = op, .region = id, .read = e->positions++});
    for (uint32_t j = 0; j < op->region_count; j++) {
      bool is_loop = op->code == TL_OP_loop;
      uint32_t inner = number_region(e, op->regions[j], k, id, is_loop ? k : loop, in_condition || (is_loop && j == 0));
      e->ops.data[k].inner[j] = inner;
    }
    e->ops.data[k].write = e->positions++;
  }
  e->regions.data[id].read = e->positions++;
  e->regions.data[id].write = e->positions++;
  return id;
}

uint32_t tl__c_home(tl__c_emit *e, tl_value v) {
  const tl_value_info *info = tl_info(e->f, v);
  if (info->op) {
    return tl__c_op_of(e, info->op)->region;
  }
  if (!info->region->parent) {
    return 0;
  }
  tl__c_op *p = tl__c_op_of(e, info->region->parent);
  return p->op->regions[0] == info->region ? p->inner[0] : p->inner[1];
}

bool tl__c_is_const(const tl__c_emit *e, tl_value v) {
  const tl_op *op = tl_def(e->f, v);
  return op && op->code == TL_OP_const;
}

bool tl__c_is_pure(const tl_op *op) {
  return tl_op_table[op->code].elementwise || tl_op_table[op->code].on_tensors || op->code == TL_OP_const ||
         op->code == TL_OP_index || op->code == TL_OP_item || op->code == TL_OP_dim;
}

bool tl__c_region_within(const tl__c_emit *e, uint32_t inner, uint32_t outer) {
  while (inner != outer) {
    if (!inner) {
      return false;
    }
    inner = e->regions.data[inner].outer;
  }
  return true;
}

bool tl__c_trips_needed(tl__c_emit *e, const tl_op *loop) { return e->values[tl_loop_trips(loop)].needed; }

bool tl__c_carry_needed(tl__c_emit *e, const tl_op *loop, uint32_t k) {
  return e->values[tl_loop_cond(loop)->params.data[k + 1]].needed ||
         e->values[tl_loop_body(loop)->params.data[k + 1]].needed || e->values[tl_op_result(loop, k)].needed;
}

bool tl__c_is_final(const tl__c_emit *e, uint32_t param) { return tl_func_final(e->f, param) != TL_NO_RESULT; }

bool tl__c_is_plain_sum(const tl__c_emit *e, const tl_op *op) {
  if (op->code != TL_OP_accumulate || op->operands[0] == op->operands[1]) {
    return false;
  }
  const tl_op *zeros = tl_def(e->f, op->operands[0]);
  long double x;
  int64_t k;
  return zeros &&
         ((zeros->code == TL_OP_alloc && (zeros->u.flags & TL_ALLOC_ZEROED) && !(zeros->u.flags & TL_ALLOC_GROW)) ||
          (zeros->code == TL_OP_fill && ((tl_is_const_float(e->f, zeros->operands[1], &x) && x == 0) ||
                                         (tl_is_const_int(e->f, zeros->operands[1], &k) && !k))));
}

uint32_t tl__c_tied_result(const tl__c_emit *e, const tl_op *op, uint32_t operand) {
  if (tl_op_stores(op)) {
    return operand == 0 && !tl__c_is_plain_sum(e, op) ? 0 : TL__NONE;
  }
  if (op->code == TL_OP_call) {
    const tl_func *callee = tl_module_find(e->f->module, op->callee);
    uint32_t result = tl_func_final(callee, operand);
    bool is_none = result == TL_NO_RESULT || /* one that it leaves alone is none where nobody goes on with it */
                   (callee->params.data[operand].is_untouched && !e->values[tl_op_result(op, result)].needed);
    return is_none ? TL__NONE : result;
  }
  return TL__NONE;
}

/* ---- what is needed ---- */

typedef struct needs {
  tl__c_emit *e;
  TL_VEC(tl_value) work;
} needs;

static void need(needs *n, tl_value v) {
  if (v != TL_NO_VALUE && !n->e->values[v].needed) {
    n->e->values[v].needed = true;
    TL_PUSH(n->e->arena, n->work, v);
  }
}

static void need_op(needs *n, uint32_t k) {
  tl__c_emit *e = n->e;
  while (k != TL__NONE && !e->ops.data[k].needed) {
    e->ops.data[k].needed = true;
    const tl_op *op = e->ops.data[k].op;
    if (op->code == TL_OP_loop) {
      need(n, tl_loop_lo(op));
      need(n, tl_loop_hi(op));
      for (uint32_t i = 0; i < tl_loop_cond(op)->yields.count; i++) {
        need(n, tl_loop_cond(op)->yields.data[i]);
      }
    } else {
      for (uint32_t i = tl__c_is_plain_sum(e, op) ? 1 : 0; i < op->operand_count; i++) {
        need(n, op->operands[i]);
      }
      for (uint32_t i = 0; op->code == TL_OP_call && i < op->operand_count; i++) { /* it writes them all */
        uint32_t r = tl__c_tied_result(e, op, i);
        if (r != TL__NONE) {
          need(n, tl_op_result(op, r));
        }
      }
    }
    k = e->regions.data[e->ops.data[k].region].parent;
  }
}

static void need_carry(needs *n, const tl_op *loop, uint32_t k) {
  need(n, tl_loop_init(loop, k));
  need(n, tl_loop_body(loop)->yields.data[k]);
}

static void need_extents(needs *n, tl_type t) {
  for (int i = 0; i < t.rank; i++) {
    need(n, t.extents[i].value);
  }
}

static void find_needed(tl__c_emit *e) {
  needs n = {.e = e};
  for (uint32_t i = 0; i < e->f->body->yields.count; i++) {
    need(&n, e->f->body->yields.data[i]);
  }
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    if (op->code == TL_OP_call || (op->code == TL_OP_extern && (op->has_effect || !op->result_count))) {
      need_op(&n, k);
    }
  }
  for (uint32_t i = 0; i < e->f->params.count; i++) {
    bool is_used = !e->f->params.data[i].is_untouched; /* else what says how long it is may not be there */
    if ((e->extents_needed && is_used) || (e->failing && tl__c_is_final(e, i))) {
      need_extents(&n, tl__c_type(e, e->f->params.data[i].value));
    }
  }
  while (n.work.count) {
    tl_value v = n.work.data[--n.work.count];
    const tl_value_info *info = tl_info(e->f, v);
    if (info->type.is_array && (e->extents_needed || (info->op && info->op->code != TL_OP_update))) {
      need_extents(&n, info->type);
    }
    const tl_op *op = info->op;
    if (op) {
      need_op(&n, op->mark);
      if (op->code == TL_OP_if) {
        need(&n, op->regions[0]->yields.data[info->index]);
        need(&n, op->regions[1]->yields.data[info->index]);
      } else if (op->code == TL_OP_loop && info->index < tl_loop_carries(op)) {
        need_carry(&n, op, info->index);
      }
    } else if (info->region->parent) {
      need_op(&n, info->region->parent->mark);
      if (info->index) {
        need_carry(&n, info->region->parent, info->index - 1);
      }
    }
  }
}

/* ---- uses ---- */

static void use(tl__c_emit *e, tl_value v, tl_op *op, uint32_t region, uint32_t index) {
  if (v != TL_NO_VALUE) {
    TL_PUSH(e->arena, e->values[v].uses, (tl__c_use){op, region, index});
  }
}

static void use_extents(tl__c_emit *e, tl_type t, tl_op *op, uint32_t region) {
  for (int i = 0; i < t.rank; i++) {
    use(e, t.extents[i].value, op, region, TL__NONE);
  }
}

static void find_uses(tl__c_emit *e) {
  for (uint32_t k = 0; k < e->ops.count; k++) {
    tl__c_op *o = &e->ops.data[k];
    tl_op *op = o->op;
    if (!o->needed) {
      continue;
    }
    for (uint32_t i = tl__c_is_plain_sum(e, op) ? 1 : 0; i < op->operand_count; i++) {
      if (op->code != TL_OP_loop || i < 2 || tl__c_carry_needed(e, op, i - 2)) {
        use(e, op->operands[i], op, o->region, i);
      }
    }
    if (op->code == TL_OP_fill || op->code == TL_OP_clone || op->code == TL_OP_accumulate) {
      use_extents(e, tl__c_type(e, op->operands[0]), op, o->region);
    }
  }
  for (uint32_t r = 0; r < e->regions.count; r++) {
    const tl__c_region *g = &e->regions.data[r];
    const tl_op *parent = g->parent == TL__NONE ? NULL : e->ops.data[g->parent].op;
    if (parent && !e->ops.data[g->parent].needed) {
      continue;
    }
    for (uint32_t i = 0; i < g->region->yields.count; i++) {
      bool live = true;
      if (parent && parent->code == TL_OP_if) {
        live = e->values[tl_op_result(parent, i)].needed;
      } else if (parent && g->region == parent->regions[1]) {
        live = tl__c_carry_needed(e, parent, i);
      }
      if (live) {
        use(e, g->region->yields.data[i], NULL, r, i);
      }
    }
  }
  for (tl_value v = 1; v < e->value_count; v++) {
    tl_type t = tl__c_type(e, v);
    if (!t.is_array) {
      continue;
    }
    const tl_value_info *info = tl_info(e->f, v);
    bool final = e->failing && !info->op && !info->region->parent && tl__c_is_final(e, info->index);
    bool is_tape = info->op && info->op->code == TL_OP_alloc && info->op->u.flags & TL_ALLOC_TAPE;
    for (int i = 0; i < t.rank; i++) {
      tl_value x = t.extents[i].value;
      bool is_stride = is_tape && i > 0; /* in each access to an array that lies in one block */
      if (x != TL_NO_VALUE && (final || ((e->extents_needed || is_stride) && e->values[v].needed))) {
        use(e, x, NULL, tl__c_home(e, x), TL__NONE);
      }
    }
  }
}

void tl__c_plan(tl__c_emit *e) {
  const tl_func *f = e->f;
  e->value_count = f->values.count;
  e->values = TL_NEW_ARRAY(e->arena, tl__c_value, e->value_count);
  e->vars = TL_NEW_ARRAY(e->arena, tl__c_var, e->value_count);
  memset(&e->ops, 0, sizeof e->ops);
  memset(&e->regions, 0, sizeof e->regions);
  e->positions = 0;
  number_region(e, f->body, TL__NONE, 0, TL__NONE, false);
  find_needed(e);
  find_uses(e);
  tl__c_plan_modes(e);
  tl__c_plan_vars(e);
}
