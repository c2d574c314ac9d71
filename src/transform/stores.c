/* Loads of what was stored, and stores that store nothing new. A rule here never makes an older version of an array
 * live longer than it was: that would cost the emitter a copy. Hence the conditions on uses. */

#include "transform/simplify.h"

enum { STEPS = 64 }; /* how far back a chain of versions is followed */

/* The scalar at these indices where the stores say it. */
static tl_value stored_value(tl_builder *b, tl_value array, uint32_t count, const tl_value *indices) {
  const tl_func *f = b->func;
  for (int steps = 0; steps < STEPS; steps++) {
    const tl_op *def = tl_def(f, array);
    if (!def) {
      array = tl__slice_initial(f, array, count, indices);
      if (!array) {
        return TL_NO_VALUE;
      }
      continue;
    }
    if (def->code == TL_OP_update) {
      tl_index_relation r = tl__indices_compare(f, count, def->operands + 1, indices);
      if (r == TL_INDEX_SAME) {
        return def->operands[count + 1];
      }
      if (r == TL_INDEX_UNKNOWN) {
        return TL_NO_VALUE;
      }
      array = def->operands[0];
    } else if (def->code == TL_OP_clone) {
      array = def->operands[0];
    } else if (def->code == TL_OP_fill) {
      return def->operands[1];
    } else if (def->code == TL_OP_alloc && (def->u.flags & TL_ALLOC_ZEROED)) {
      return tl_build_zero(b, tl_type_of(f, array).dtype);
    } else {
      return TL_NO_VALUE;
    }
  }
  return TL_NO_VALUE;
}

static bool is_zero_filled(const tl_func *f, tl_value array) {
  for (int steps = 0; steps < STEPS; steps++) {
    const tl_op *def = tl_def(f, array);
    if (!def) {
      return false;
    }
    if (def->code == TL_OP_alloc) {
      return def->u.flags & TL_ALLOC_ZEROED;
    }
    if (def->code == TL_OP_fill) {
      return tl_is_plus_zero(f, def->operands[1]);
    }
    if (def->code == TL_OP_update && !tl_is_plus_zero(f, def->operands[def->operand_count - 1])) {
      return false;
    }
    if (def->code != TL_OP_update && def->code != TL_OP_clone) {
      return false;
    }
    array = def->operands[0];
  }
  return false;
}

bool tl__is_own_storage(const tl_func *f, tl_value array, int depth) {
  for (int steps = 0; steps < STEPS && depth > 0; steps++) {
    const tl_value_info *info = tl_info(f, array);
    const tl_op *def = info->op;
    if (!def) {
      const tl_op *loop = info->region->parent;
      if (!loop || loop->code != TL_OP_loop || info->index == 0) {
        return false;
      }
      array = tl_loop_init(loop, info->index - 1);
      continue;
    }
    if (def->code == TL_OP_alloc || def->code == TL_OP_clone) {
      return true;
    }
    if (def->code == TL_OP_if) {
      return tl__is_own_storage(f, def->regions[0]->yields.data[info->index], depth - 1) &&
             tl__is_own_storage(f, def->regions[1]->yields.data[info->index], depth - 1);
    }
    if (def->code == TL_OP_loop) {
      return tl__is_own_storage(f, tl_loop_init(def, info->index), depth - 1) &&
             tl__is_own_storage(f, tl_loop_body(def)->yields.data[info->index], depth - 1);
    }
    if (def->code == TL_OP_call) { /* memory that it wrote */
      array = def->operands[tl_module_find(f->module, def->callee)->results.data[info->index].param];
      continue;
    }
    if (!tl_op_stores(def)) {
      return false;
    }
    array = def->operands[0];
  }
  return false;
}

static bool is_made_here(const tl_func *f, tl_value v, const tl_region *region) {
  const tl_value_info *info = tl_info(f, v);
  return info->op && info->region == region;
}

/* Where this store and those right before it reach every element of the array, what fills it before is not needed. */
static void drop_covered_fill(tl_simplify *s, const tl_builder *b, tl_op *op) {
  tl_func *f = s->rw.func;
  tl_type t = tl_type_of(f, op->operands[0]);
  int64_t count = tl_extents_count(t.extents, t.rank, STEPS), left = count;
  uint64_t reached = 0;
  for (tl_op *store = op; count > 0; store = tl_def(f, store->operands[0])) {
    int64_t at = 0, index;
    for (int axis = 0; axis < t.rank; axis++) {
      if (!tl_is_const_int(f, store->operands[1 + axis], &index) || index < 0 || index >= t.extents[axis].fixed) {
        return;
      }
      at = at * t.extents[axis].fixed + index;
    }
    left -= !(reached >> at & 1);
    reached |= (uint64_t)1 << at;
    tl_value array = store->operands[0];
    tl_op *def = tl_def(f, array);
    if (!def || !is_made_here(f, array, b->region) || !tl__simplify_is_only_use(s, array)) {
      return;
    }
    bool is_zeroed = def->code == TL_OP_alloc && def->u.flags & TL_ALLOC_ZEROED;
    if (!left && (def->code == TL_OP_fill || is_zeroed)) {
      if (is_zeroed) {
        def->u.flags &= ~(unsigned)TL_ALLOC_ZEROED;
      } else {
        store->operands[0] = def->operands[0];
      }
      s->rw.changed = true;
      return;
    }
    if (def->code != TL_OP_update) {
      return;
    }
  }
}

static tl_value simplify_update(tl_simplify *s, tl_builder *b, tl_op *op) {
  tl_func *f = s->rw.func;
  uint32_t count = op->operand_count - 2;
  tl_value array = op->operands[0], stored = op->operands[count + 1];
  if (tl__simplify_holds_zeros(s, array) && tl_is_plus_zero(f, stored)) {
    return array; /* it is 0 already */
  }
  const tl_op *load = tl_def(f, stored);
  if (load && load->code == TL_OP_index && load->operands[0] == array &&
      tl__indices_compare(f, count, load->operands + 1, op->operands + 1) == TL_INDEX_SAME) {
    return array; /* update(a, i, index(a, i)) = a */
  }
  const tl_op *def = tl_def(f, array);
  if (def && def->code == TL_OP_update && is_made_here(f, array, b->region) && tl__simplify_is_only_use(s, array) &&
      tl__indices_compare(f, count, def->operands + 1, op->operands + 1) == TL_INDEX_SAME) {
    op->operands[0] = def->operands[0]; /* update(update(a, i, _), i, v) = update(a, i, v) */
    s->rw.changed = true;
  }
  drop_covered_fill(s, b, op);
  return TL_NO_VALUE;
}

static tl_value simplify_fill(tl_simplify *s, tl_builder *b, tl_op *op) {
  tl_func *f = s->rw.func;
  const tl_op *def;
  while ((def = tl_def(f, op->operands[0])) && is_made_here(f, op->operands[0], b->region) &&
         tl__simplify_is_only_use(s, op->operands[0]) && tl_op_stores(def)) {
    op->operands[0] = def->operands[0]; /* fill(update(a, ...), v) = fill(a, v) */
    s->rw.changed = true;
  }
  tl_value array = op->operands[0];
  if (tl__simplify_holds_zeros(s, array) && tl_is_plus_zero(f, op->operands[1])) {
    return array;
  }
  bool fills_zero_with_zero = tl_is_plus_zero(f, op->operands[1]) && is_zero_filled(f, array);
  return fills_zero_with_zero && is_made_here(f, array, b->region) && tl__simplify_is_only_use(s, array) ? array
                                                                                                         : TL_NO_VALUE;
}

static tl_value simplify_accumulate(tl_simplify *s, tl_builder *b, const tl_op *op) {
  tl_func *f = s->rw.func;
  tl_value into = op->operands[0], from = op->operands[1];
  if (is_zero_filled(f, from)) {
    return into; /* a + 0 = a */
  }
  if (!tl__is_own_storage(f, into, 4) || !tl__is_own_storage(f, from, 4) ||
      !tl__simplify_is_last_use(s, from, b->region)) {
    return TL_NO_VALUE;
  }
  if (is_zero_filled(f, into)) {
    return from; /* 0 + b = b */
  }
  const tl_op *store = tl_def(f, into);
  if (!store || store->code != TL_OP_update || !is_zero_filled(f, store->operands[0]) ||
      !is_made_here(f, into, b->region) || !tl__simplify_is_only_use(s, into)) {
    return TL_NO_VALUE;
  }
  uint32_t rank = store->operand_count - 2; /* update(0, i, v) + b = update(b, i, v + index(b, i)) */
  tl_value sum =
      tl_build_binary(b, TL_OP_add, store->operands[rank + 1], tl_build_index(b, from, rank, store->operands + 1));
  return tl_build_update(b, from, rank, store->operands + 1, sum);
}

static tl_value simplify_clone(tl_simplify *s, tl_builder *b, const tl_op *op) {
  tl_value array = op->operands[0];
  if (tl__simplify_is_only_loaded(s, op->first_result, 0) && tl__simplify_is_only_loaded(s, array, 1)) {
    return array; /* neither changes */
  }
  bool takes_over = tl__is_own_storage(s->rw.func, array, 4) && tl__simplify_is_last_use(s, array, b->region);
  return takes_over ? array : TL_NO_VALUE;
}

tl_value tl__simplify_array_op(tl_simplify *s, tl_builder *b, tl_op *op) {
  if (op->code == TL_OP_index) {
    if (tl__simplify_holds_zeros(s, op->operands[0])) {
      return tl_build_zero(b, tl_type_of(s->rw.func, op->first_result).dtype);
    }
    return stored_value(b, op->operands[0], op->operand_count - 1, op->operands + 1);
  }
  if (op->code == TL_OP_update) {
    return simplify_update(s, b, op);
  }
  if (op->code == TL_OP_fill) {
    return simplify_fill(s, b, op);
  }
  if (op->code == TL_OP_accumulate) {
    return simplify_accumulate(s, b, op);
  }
  return op->code == TL_OP_clone ? simplify_clone(s, b, op) : TL_NO_VALUE;
}
