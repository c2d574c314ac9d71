/* Loop-invariant code motion. Inner loops come first, so that what leaves one may leave the next; order among what
 * moves is kept. Only an op whose operands are all in scope before the loop moves, and only where running it in vain
 * does no harm: divisions of integers, signed arithmetic, shifts and conversions to integers may be guarded by the
 * loop's condition, and stay unless the loop runs for sure. Constants stay where they are used; a branch of arithmetic
 * alone moves whole. */
#include "transform/rewrite.h"
#include "transform/transform.h"

static bool is_float(const tl_func *f, tl_value v) { return tl_dtype_is_float(tl_type_of(f, v).dtype); }

static bool is_order(tl_opcode code) {
  return code == TL_OP_lt || code == TL_OP_le || code == TL_OP_gt || code == TL_OP_ge;
}

static bool is_safe_in_vain(const tl_func *f, const tl_op *op) {
  if (!tl_op_table[op->code].elementwise) {
    return false;
  }
  switch (tl_op_table[op->code].operands) {
  case TL_OPERANDS_INT: {
    bool may_fault = op->code == TL_OP_rem || op->code == TL_OP_shl || op->code == TL_OP_shr;
    return !may_fault;
  }
  case TL_OPERANDS_NUM:
    return is_float(f, op->operands[0]) || op->code == TL_OP_eq || op->code == TL_OP_ne || is_order(op->code) ||
           (tl_dtype_is_unsigned(tl_type_of(f, op->operands[0]).dtype) && op->code != TL_OP_div);
  case TL_OPERANDS_ANY: /* cvt */
    return is_float(f, op->first_result) || !is_float(f, op->operands[0]);
  case TL_OPERANDS_FLT:
  case TL_OPERANDS_FLT_INT:
  case TL_OPERANDS_INT_FLT:
    return is_float(f, op->first_result) || op->code == TL_OP_signbit;
  case TL_OPERANDS_BOOL:
  case TL_OPERANDS_SELECT:
    return true;
  case TL_OPERANDS_OTHER:
    break;
  }
  return false;
}

static bool is_in_scope(const tl_func *f, const tl_op *op, uint32_t from, const tl_region *region) {
  for (uint32_t i = from; i < op->operand_count; i++) {
    const tl_op *def = tl_def(f, op->operands[i]);
    if (!(def && def->code == TL_OP_const) && !tl__value_visible(f, op->operands[i], region)) {
      return false;
    }
  }
  return true;
}

/* A constant operand from inside the loop moves along. */
static void bring_constants(tl_func *f, const tl_op *op, tl_region *into) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_op *def = tl_def(f, op->operands[i]);
    if (def && def->code == TL_OP_const && !tl__value_visible(f, op->operands[i], into)) {
      tl__region_append(f, into, def);
    }
  }
}

static void hoist_region(tl_func *f, tl_arena *scratch, tl_region *r);

/* A load moves where the loop runs for sure or the element exists for sure, and nothing is stored there in the loop. */
static bool move_load(tl_func *f, tl_region *into, const tl_op *loop, tl_op *load, bool runs) {
  if (!(runs || tl__load_is_in_bounds(f, load)) || !is_in_scope(f, load, 1, into)) {
    return false;
  }
  tl_value array = tl__load_before_loop(f, loop, load);
  if (array) {
    load->operands[0] = array;
  }
  return array;
}

/* An `if` of arithmetic alone moves whole: what would do harm in vain stays behind its condition. */
static bool is_movable_branch(const tl_func *f, const tl_op *op, const tl_op *whole, const tl_region *into) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const tl_op *def = tl_def(f, op->operands[i]);
    const tl_region *home = tl_info(f, op->operands[i])->region;
    if (!tl__op_contains(whole, home) && !(def && def->code == TL_OP_const) &&
        !tl__value_visible(f, op->operands[i], into)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (tl_type_of(f, tl_op_result(op, i)).is_array) {
      return false;
    }
  }
  for (uint32_t r = 0; r < op->region_count; r++) {
    const tl_region *branch = op->regions[r];
    for (uint32_t i = 0; i < branch->ops.count; i++) {
      const tl_op *o = branch->ops.data[i];
      if (!(tl_op_table[o->code].elementwise || o->code == TL_OP_const || o->code == TL_OP_if) ||
          !is_movable_branch(f, o, whole, into)) {
        return false;
      }
    }
    for (uint32_t i = 0; i < branch->yields.count; i++) {
      const tl_region *home = tl_info(f, branch->yields.data[i])->region;
      if (!tl__region_contains(branch, home) && !tl__value_visible(f, branch->yields.data[i], into)) {
        return false;
      }
    }
  }
  return true;
}

/* Constants of the loop that a branch about to move uses. */
static void bring_constants_of_branch(tl_func *f, const tl_op *op, const tl_op *whole, tl_region *into) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_op *def = tl_def(f, op->operands[i]);
    if (def && def->code == TL_OP_const && def->parent == whole->parent) {
      tl__region_append(f, into, def);
    }
  }
  for (uint32_t r = 0; r < op->region_count; r++) {
    for (uint32_t i = 0; i < op->regions[r]->ops.count; i++) {
      bring_constants_of_branch(f, op->regions[r]->ops.data[i], whole, into);
    }
  }
}

/* Moves ops from a region of a loop to the end of `into`, in which the loop lies. */
static void hoist_from(tl_func *f, tl_region *into, const tl_op *loop, tl_region *from, bool runs) {
  for (uint32_t i = 0; i < from->ops.count; i++) {
    tl_op *op = from->ops.data[i];
    bool moves = op->code == TL_OP_index ? move_load(f, into, loop, op, runs)
                                         : (is_safe_in_vain(f, op) || (runs && tl_op_table[op->code].elementwise)) &&
                                               is_in_scope(f, op, 0, into);
    if (op->parent == from && op->code == TL_OP_if && is_movable_branch(f, op, op, into)) {
      bring_constants_of_branch(f, op, op, into);
      tl__region_append(f, into, op);
      continue;
    }
    if (op->parent == from && moves) {
      bring_constants(f, op, into);
      tl__region_append(f, into, op);
    }
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < from->ops.count; i++) {
    if (from->ops.data[i]->parent == from) {
      from->ops.data[n++] = from->ops.data[i];
    }
  }
  from->ops.count = n;
}

static void hoist_region(tl_func *f, tl_arena *scratch, tl_region *r) {
  uint32_t count;
  tl_op **ops = tl__region_take(scratch, r, &count);
  for (uint32_t i = 0; i < count; i++) {
    tl_op *op = ops[i];
    for (uint32_t k = 0; k < op->region_count; k++) {
      hoist_region(f, scratch, op->regions[k]);
    }
    if (op->code == TL_OP_loop) {
      int64_t trips;
      bool runs = tl__loop_const_trips(f, op, &trips) && trips > 0;
      hoist_from(f, r, op, tl_loop_cond(op), runs);
      hoist_from(f, r, op, tl_loop_body(op), runs);
    }
    tl__region_append(f, r, op);
  }
}

void tl__hoist_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  hoist_region(f, scratch, f->body);
  tl_arena_rewind(scratch, mark);
}
