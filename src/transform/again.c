/* Values of the primal that partials ask for again. */
#include <stddef.h>

#include "transform/divisors.h"
#include "transform/powers.h"
#include "transform/reverse.h"
#include "transform/rewrite.h"
#include "transform/transform.h"

/* Constants are all alike here: two of the same value need not be one. */
static uint32_t hash_op(const tl_func *f, tl_opcode code, uint32_t count, const tl_value *operands) {
  uint32_t h = 2166136261u ^ (uint32_t)code;
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *def = tl_def(f, operands[i]);
    h = (h ^ (def && def->code == TL_OP_const ? TL_NO_VALUE : operands[i])) * 16777619u;
  }
  return h ^ h >> 15;
}

static bool same_operands(const tl_func *f, uint32_t count, const tl_value *a, const tl_value *b) {
  for (uint32_t i = 0; i < count; i++) {
    if (!tl__same_value(f, a[i], b[i])) {
      return false;
    }
  }
  return true;
}

/* Additions and products are as cheap as looking them up in what is kept. */
static bool is_worth_finding(const tl_op *o) {
  return tl_op_table[o->code].elementwise && o->code != TL_OP_add && o->code != TL_OP_sub && o->code != TL_OP_mul &&
         o->code != TL_OP_neg && o->code != TL_OP_cvt && o->code != TL_OP_select;
}

static void note_ops(tl_adjoint *a, const tl_region *r, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *o = r->ops.data[i];
    if (is_worth_finding(o)) {
      uint32_t at = hash_op(a->func, o->code, o->operand_count, o->operands);
      while (a->known[at & (a->known_room - 1)]) {
        at++;
      }
      a->known[at & (a->known_room - 1)] = o;
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      note_ops(a, o->regions[k], o->regions[k]->ops.count);
    }
  }
}

/* The builder's peephole: common powers of 2; a quotient by one of `divisors` is a product; then rules, then an op of
 * the primal with the same operands that runs wherever this one would. */
static tl_value find_again(tl_builder *b, tl_opcode code, tl_dtype result, const tl_value *operands) {
  tl_adjoint *a = (tl_adjoint *)((char *)b - offsetof(tl_adjoint, b));
  uint32_t count = (uint32_t)tl_op_table[code].arity;
  tl_value v = tl__power_factor(b, code, operands);
  if (code == TL_OP_div && operands[1] < a->primal_values &&
      (a->divisors[operands[1]] || tl__divisors_own(a->func, a->linearised, operands[1]))) {
    v = tl__divisors_multiply(b, operands[0], operands[1]);
  }
  v = v ? v : tl__simplify_peephole(b, code, result, operands);
  if (v) {
    return v;
  }
  for (uint32_t at = hash_op(a->func, code, count, operands);; at++) {
    const tl_op *o = a->known[at & (a->known_room - 1)];
    if (!o) {
      return TL_NO_VALUE;
    }
    if (o->code == code && same_operands(a->func, count, o->operands, operands) &&
        tl_type_of(a->func, o->first_result).dtype == result && tl__region_contains(o->parent, a->current->primal)) {
      return o->first_result;
    }
  }
}

void tl__adjoint_find_again(tl_adjoint *a) {
  for (a->known_room = 16; a->known_room < 2 * a->primal_values; a->known_room *= 2) {
  }
  a->known = TL_NEW_ARRAY(a->arena, const tl_op *, a->known_room);
  note_ops(a, a->func->body, a->primal_ops);
  a->divisors = tl__divisors_find(a->func, a->arena);
  a->b.peephole = find_again;
}
