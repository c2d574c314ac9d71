/* Liveness, once per function, backwards over its regions.
 *
 * A loop's region runs many times, so what it takes from outside never dies in it. Of an if one region runs, so a value
 * may die in both. */
#include <string.h>

#include "interp/internal.h"

typedef struct planner {
  const tl_func *func;
  tl_arena *arena;
} planner;

static bool *copy_of(const planner *p, const bool *live) {
  bool *copy = TL_NEW_ARRAY(p->arena, bool, p->func->values.count);
  memcpy(copy, live, sizeof *live * p->func->values.count);
  return copy;
}

/* The extents of an array's elements, which no operand is, are used where the array is made. */
static void mark_extents(const planner *p, const tl_op *op, bool *live) {
  const tl_type *element = op->code == TL_OP_alloc ? tl_type_of(p->func, op->first_result).element : NULL;
  for (int i = 0; element && i < element->rank; i++) {
    live[element->extents[i].value] = true;
  }
}

/* Marks everything that the region uses. */
static void mark_used(const planner *p, const tl_region *region, bool *live) {
  for (uint32_t i = 0; i < region->yields.count; i++) {
    live[region->yields.data[i]] = true;
  }
  for (uint32_t i = 0; i < region->ops.count; i++) {
    const tl_op *op = region->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      live[op->operands[k]] = true;
    }
    mark_extents(p, op, live);
    for (uint32_t r = 0; r < op->region_count; r++) {
      mark_used(p, op->regions[r], live);
    }
  }
}

static void clear_defined(const tl_region *region, bool *live) {
  for (uint32_t i = 0; i < region->params.count; i++) {
    live[region->params.data[i]] = false;
  }
  for (uint32_t i = 0; i < region->ops.count; i++) {
    const tl_op *op = region->ops.data[i];
    for (uint32_t k = 0; k < op->result_count; k++) {
      live[tl_op_result(op, k)] = false;
    }
    for (uint32_t r = 0; r < op->region_count; r++) {
      clear_defined(op->regions[r], live);
    }
  }
}

/* Uses of one op or of the yields, the last one first. */
static bool *last_uses(const planner *p, uint32_t count, const tl_value *values, bool *live) {
  bool *dies = TL_NEW_ARRAY(p->arena, bool, count + 1);
  for (uint32_t i = count; i-- > 0;) {
    dies[i] = !live[values[i]];
    live[values[i]] = true;
  }
  return dies;
}

static tl__region_plan *plan_region(const planner *p, const tl_region *region, bool *live) {
  tl__region_plan *plan = TL_NEW(p->arena, tl__region_plan);
  plan->region = region;
  plan->ops = TL_NEW_ARRAY(p->arena, tl__op_plan, region->ops.count + 1);
  plan->yield_dies = last_uses(p, region->yields.count, region->yields.data, live);
  for (uint32_t i = region->ops.count; i-- > 0;) {
    tl__op_plan *o = &plan->ops[i];
    const tl_op *op = region->ops.data[i];
    o->op = op;
    bool *dead = TL_NEW_ARRAY(p->arena, bool, op->result_count + 1);
    for (uint32_t k = 0; k < op->result_count; k++) {
      dead[k] = !live[tl_op_result(op, k)];
      live[tl_op_result(op, k)] = false;
    }
    o->dead = dead;
    if (op->code == TL_OP_loop) {
      mark_used(p, op->regions[0], live);
      mark_used(p, op->regions[1], live);
      for (uint32_t r = 0; r < 2; r++) {
        bool *inside = copy_of(p, live);
        clear_defined(op->regions[r], inside);
        o->regions[r] = plan_region(p, op->regions[r], inside);
      }
    } else if (op->code == TL_OP_if) {
      bool *other = copy_of(p, live);
      o->regions[0] = plan_region(p, op->regions[0], live);
      o->regions[1] = plan_region(p, op->regions[1], other);
      for (uint32_t k = 0; k < p->func->values.count; k++) {
        live[k] |= other[k];
      }
    }
    o->dies = last_uses(p, op->operand_count, op->operands, live);
    mark_extents(p, op, live);
  }
  return plan;
}

tl__region_plan *tl__interp_plan(const tl_func *f, tl_arena *arena) {
  planner p = {f, arena};
  return plan_region(&p, f->body, TL_NEW_ARRAY(arena, bool, f->values.count));
}
