/* Where the sign of a zero is told: what copysign, signbit and atan2 read, what calls are given and the function
 * returns, and what these are made of. It is followed backward. Cotangents and tangents, which are made of the primal
 * but not the other way round, are free of it. */
#include "transform/simplify.h"

#include "transform/transform.h"

typedef struct signs {
  const tl_func *func;
  bool *told; /* by value */
  bool changed;
} signs;

static void tell(signs *s, tl_value v) {
  tl_type t = v ? tl_type_of(s->func, v) : (tl_type){0};
  if (v && !s->told[v] && tl_dtype_is_float(t.dtype)) {
    s->told[v] = true;
    s->changed = true;
  }
}

static void tell_all(signs *s, uint32_t count, const tl_value *values) {
  for (uint32_t i = 0; i < count; i++) {
    tell(s, values[i]);
  }
}

/* A carry's content before the loop, in its iterations and behind it is told together. */
static void follow_loop(signs *s, const tl_op *op) {
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    tl_value body = tl_loop_body(op)->params.data[1 + i], cond = tl_loop_cond(op)->params.data[1 + i];
    if (s->told[tl_op_result(op, i)] || s->told[body] || s->told[cond]) {
      tell(s, body);
      tell(s, tl_loop_body(op)->yields.data[i]);
      tell(s, tl_loop_init(op, i));
    }
  }
}

static void follow(signs *s, const tl_op *op) {
  if (op->code == TL_OP_call) {
    tell_all(s, op->operand_count, op->operands);
  } else if (op->code == TL_OP_loop) {
    follow_loop(s, op);
  } else if (op->code == TL_OP_if) {
    for (uint32_t i = 0; i < op->result_count; i++) {
      for (int k = 0; k < 2 && s->told[tl_op_result(op, i)]; k++) {
        tell(s, op->regions[k]->yields.data[i]);
      }
    }
  } else if (tl_op_reads_signs(op->code) || (op->result_count && s->told[op->first_result])) {
    tell_all(s, op->operand_count, op->operands);
  }
}

static void follow_region(signs *s, const tl_region *r) {
  for (uint32_t i = r->ops.count; i-- > 0;) {
    const tl_op *op = r->ops.data[i];
    follow(s, op);
    for (uint32_t k = op->region_count; k-- > 0;) {
      follow_region(s, op->regions[k]);
    }
  }
}

bool *tl__find_signs(const tl_func *f, tl_arena *scratch) {
  signs s = {.func = f, .told = TL_NEW_ARRAY(scratch, bool, f->values.count + 1)};
  if (!f->reads_signs) {
    return s.told;
  }
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    if (i >= f->results.count || !f->results.data[i].is_derived) {
      tell(&s, f->body->yields.data[i]);
    }
  }
  do {
    s.changed = false;
    follow_region(&s, f->body);
  } while (s.changed);
  return s.told;
}
