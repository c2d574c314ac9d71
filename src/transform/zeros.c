/* Arrays that hold nothing but zeros: made of zeros, and stored into with zeros only. Every array is taken for one at
 * first, then those are struck off that are made of others, until none is left to strike off: so a loop that would turn
 * zeros into zeros carries zeros. */
#include "transform/simplify.h"

enum { MOST_PASSES = 16 };

typedef struct zeros {
  const tl_func *func;
  bool *hold; /* by value */
  bool changed;
} zeros;

static void set(zeros *z, tl_value v, bool holds) {
  if (z->hold[v] && !holds) {
    z->hold[v] = false;
    z->changed = true;
  }
}

static bool holds_result(const zeros *z, const tl_op *op, uint32_t i) {
  const tl_value *operands = op->operands;
  bool of_zeros = op->operand_count && z->hold[operands[0]];
  if (op->code == TL_OP_alloc) {
    return (op->u.flags & TL_ALLOC_ZEROED) && !(op->u.flags & TL_ALLOC_TABLE);
  }
  if (op->code == TL_OP_fill) {
    return tl_is_plus_zero(z->func, operands[1]);
  }
  if (op->code == TL_OP_update) {
    return of_zeros && tl_is_plus_zero(z->func, operands[op->operand_count - 1]);
  }
  if (op->code == TL_OP_accumulate) {
    return of_zeros && z->hold[operands[1]];
  }
  if (op->code == TL_OP_if) {
    return z->hold[op->regions[0]->yields.data[i]] && z->hold[op->regions[1]->yields.data[i]];
  }
  if (op->code == TL_OP_loop) {
    return z->hold[tl_loop_body(op)->params.data[1 + i]];
  }
  return op->code == TL_OP_clone && of_zeros;
}

static void strike_off(zeros *z, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    bool is_loop = op->code == TL_OP_loop;
    for (uint32_t k = 0; is_loop && k < tl_loop_carries(op); k++) {
      bool holds = z->hold[tl_loop_init(op, k)] && z->hold[tl_loop_body(op)->yields.data[k]];
      set(z, tl_loop_body(op)->params.data[1 + k], holds);
      set(z, tl_loop_cond(op)->params.data[1 + k], holds);
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      strike_off(z, op->regions[k]);
    }
    for (uint32_t k = 0; k < op->result_count; k++) {
      tl_value v = tl_op_result(op, k);
      if (z->hold[v]) {
        set(z, v, holds_result(z, op, k));
      }
    }
  }
}

static bool has_zeros(const tl_func *f, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    if ((op->code == TL_OP_alloc && (op->u.flags & TL_ALLOC_ZEROED)) ||
        (op->code == TL_OP_fill && tl_is_plus_zero(f, op->operands[1]))) {
      return true;
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      if (has_zeros(f, op->regions[k])) {
        return true;
      }
    }
  }
  return false;
}

bool *tl__find_zeros(const tl_func *f, tl_arena *scratch) {
  zeros z = {.func = f, .hold = TL_NEW_ARRAY(scratch, bool, f->values.count)};
  if (!has_zeros(f, f->body)) {
    return z.hold;
  }
  for (tl_value v = 1; v < f->values.count; v++) {
    z.hold[v] = tl_type_of(f, v).is_array;
  }
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    z.hold[f->body->params.data[i]] = false;
  }
  uint32_t pass = 0;
  do {
    z.changed = false;
    strike_off(&z, f->body);
  } while (z.changed && ++pass < MOST_PASSES);
  return z.changed ? TL_NEW_ARRAY(scratch, bool, f->values.count) : z.hold;
}
