/* What calls read and what is overwritten later is copied ahead of the call. */
#include "transform/copy.h"
#include "transform/keep.h"
#include "transform/reverse.h"
#include "transform/storage.h"

/* The ops from `from` on move to before position `to`. */
static void move_ops(tl_region *r, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < r->ops.count; i++, to++) {
    tl_op *o = r->ops.data[i];
    for (uint32_t k = i; k > to; k--) {
      r->ops.data[k] = r->ops.data[k - 1];
    }
    r->ops.data[to] = o;
  }
}

static void list_memory_events(tl_adjoint *a, tl_region *r) {
  tl_func *f = a->func;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *o = r->ops.data[i];
    if (tl_op_stores(o)) {
      TL_PUSH(a->arena, a->events, (tl_memory_event){o, tl__storage_root(f, o->operands[0])});
    } else if (o->code == TL_OP_call) {
      const tl_func *callee = tl_module_find(f->module, o->callee);
      TL_PUSH(a->arena, a->events, (tl_memory_event){o, TL_NO_VALUE});
      for (uint32_t k = 0; k < o->operand_count; k++) {
        bool writes = tl_func_final(callee, k) != TL_NO_RESULT && !callee->params.data[k].is_untouched;
        if (tl_type_of(f, o->operands[k]).is_array && writes) {
          TL_PUSH(a->arena, a->events, (tl_memory_event){o, tl__storage_root(f, o->operands[k])});
        }
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      list_memory_events(a, o->regions[k]);
    }
  }
}

/* Is the storage overwritten by the call at position `at` or behind it, or anywhere in a loop around it that it
 * outlives? */
static bool is_overwritten_later(const tl_adjoint *a, uint32_t at, tl_value storage) {
  for (uint32_t i = 0; i < a->events.count; i++) {
    const tl_memory_event *e = &a->events.data[i];
    if (e->storage == storage) {
      const tl_op *loop = tl__enclosing_loop(a->events.data[at].op->parent);
      while (i < at && loop && !tl__region_contains(tl_loop_body(loop), e->op->parent)) {
        loop = tl__enclosing_loop(loop->parent);
      }
      if (i >= at || (loop && !tl__region_contains(tl_loop_body(loop), tl_info(a->func, storage)->region))) {
        return true;
      }
    }
  }
  return false;
}

bool tl__adjoint_overwrites(const tl_adjoint *a, tl_value param) {
  for (uint32_t i = 0; i < a->events.count; i++) {
    if (a->events.data[i].storage == param) {
      return true;
    }
  }
  return false;
}

/* The first place in the function's body where the extents of the parameters and of `type` are there. */
static uint32_t behind_extents(const tl_func *f, tl_type type) {
  uint32_t count = tl__func_extent_ops(f);
  for (int axis = 0; axis < type.rank; axis++) {
    const tl_op *def = type.extents[axis].value ? tl_def(f, type.extents[axis].value) : NULL;
    for (uint32_t at = count; def && at < f->body->ops.count; at++) {
      count = f->body->ops.data[at] == def ? at + 1 : count;
    }
  }
  return count;
}

static bool has_hoisted_extents(const tl_func *f, tl_type type) {
  bool hoisted = true;
  for (int axis = 0; axis < type.rank; axis++) {
    hoisted &= !type.extents[axis].value || tl_info(f, type.extents[axis].value)->region == f->body;
  }
  return hoisted;
}

static void take_snapshot(tl_adjoint *a, const tl_memory_event *call, uint32_t leaf) {
  tl_func *f = a->func;
  tl_region *home = call->op->parent;
  tl_value array = call->op->operands[leaf];
  tl_type type = tl_type_of(f, array);
  bool hoisted = has_hoisted_extents(f, type);
  tl_builder b = {.func = f, .region = home, .loc = call->op->loc};
  uint32_t first = home->ops.count;
  tl_value storage;
  if (hoisted) {
    b.region = f->body;
    first = f->body->ops.count;
    storage = tl_build_alloc_like(&b, type, 0, "before");
    move_ops(f->body, first, behind_extents(f, type));
    b.region = home;
    first = home->ops.count;
  } else {
    storage = tl_build_alloc_like(&b, type, 0, "before");
  }
  tl_value copy = tl_build_accumulate(&b, tl_build_fill(&b, storage, tl_build_zero_element(&b, type)), array);
  uint32_t at = 0;
  while (home->ops.data[at] != call->op) {
    at++;
  }
  move_ops(home, first, at);
  TL_PUSH(a->arena, a->snapshots, (tl_snapshot){call->op, leaf, copy});
}

static void lift_alloc(tl_func *f, tl_op *alloc) {
  tl_region *r = alloc->parent;
  uint32_t at = 0;
  while (r->ops.data[at] != alloc) {
    at++;
  }
  r->ops.count--;
  for (; at < r->ops.count; at++) {
    r->ops.data[at] = r->ops.data[at + 1];
  }
  alloc->parent = f->body;
  f->values.data[alloc->first_result].region = f->body;
  TL_PUSH(f->arena, f->body->ops, alloc);
  move_ops(f->body, f->body->ops.count - 1, behind_extents(f, tl_type_of(f, alloc->first_result)));
}

/* What a call in a branch fills, which could not be made again, lies at the head of the function, from where it is
 * there for the adjoint's branch too. Inside loops each iteration has its own. */
static void lift_outputs(tl_adjoint *a, tl_region *r) {
  tl_func *f = a->func;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    const tl_func *callee = o->code == TL_OP_call ? tl_module_find(f->module, o->callee) : NULL;
    for (uint32_t k = 0; callee && r != f->body && k < o->operand_count; k++) {
      tl_op *alloc = tl_def(f, o->operands[k]);
      if (tl_func_is_output(callee, k) && alloc && alloc->code == TL_OP_alloc && alloc->parent != f->body &&
          has_hoisted_extents(f, tl_type_of(f, o->operands[k]))) {
        i -= alloc->parent == r;
        lift_alloc(f, alloc);
      }
    }
    for (uint32_t k = 0; o->code == TL_OP_if && k < o->region_count; k++) {
      lift_outputs(a, o->regions[k]);
    }
  }
}

/* Copies of the arrays that calls read and that are overwritten by them or later, taken ahead of the calls, in storage
 * at the head of the function where the extents allow it: there it can leave the branches that the calls stand in. */
void tl__adjoint_take_snapshots(tl_adjoint *a) {
  lift_outputs(a, a->func->body);
  list_memory_events(a, a->func->body);
  for (uint32_t i = 0; i < a->events.count; i++) {
    const tl_memory_event *e = &a->events.data[i];
    if (e->op->code != TL_OP_call || e->storage) {
      continue;
    }
    const tl_func *callee = tl_module_find(a->func->module, e->op->callee);
    for (uint32_t k = 0; k < e->op->operand_count; k++) {
      tl_value v = e->op->operands[k];
      if (tl_type_of(a->func, v).is_array && !tl_func_is_output(callee, k) &&
          is_overwritten_later(a, i, tl__storage_root(a->func, v))) {
        take_snapshot(a, e, k);
      }
    }
  }
}
