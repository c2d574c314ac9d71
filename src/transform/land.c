/* What a derivative that is run in storage of its own gives is copied to where the caller wants it. Where all of a
 * matrix comes from one array, that array lies in the matrix from the start, as a person would have it. */
#include "transform/land.h"

#include "transform/elements.h"
#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct lander {
  tl_func *func;
  tl_arena *scratch;
  bool *has; /* by value: whether it is a version of the array */
  tl_op *alloc;
  tl_type from, to;
  tl_value param;
  tl_rewrite *rw;
} lander;

/* Notes what v was made of, back to where the array was made; false where that is not known. */
static bool trace(lander *m, tl_value v) {
  while (!m->has[v]) {
    const tl_value_info *info = tl_info(m->func, v);
    tl_op *def = info->op, *loop = def ? NULL : info->region->parent;
    m->has[v] = true;
    if (loop && loop->code == TL_OP_loop && info->index) {
      v = tl_loop_init(loop, info->index - 1);
    } else if (def && def->code == TL_OP_loop) {
      m->has[tl_loop_cond(def)->params.data[1 + info->index]] = true;
      if (!trace(m, tl_loop_body(def)->yields.data[info->index]) ||
          !trace(m, tl_loop_body(def)->params.data[1 + info->index])) {
        return false;
      }
    } else if (def && def->code == TL_OP_if) {
      if (!trace(m, def->regions[0]->yields.data[info->index])) {
        return false;
      }
      v = def->regions[1]->yields.data[info->index];
    } else if (def && (def->code == TL_OP_update || def->code == TL_OP_fill)) {
      v = def->operands[0];
    } else if (def && def->code == TL_OP_alloc && def->parent == m->func->body && !m->alloc) {
      m->alloc = def;
      return !(def->u.flags & (TL_ALLOC_GROW | TL_ALLOC_TABLE));
    } else {
      return false;
    }
  }
  return true;
}

/* Whether the region does nothing with the versions but load, and make other versions. */
static bool only_accesses(const lander *m, const tl_region *r) {
  for (uint32_t i = 0; i < r->yields.count; i++) {
    if (m->has[r->yields.data[i]] && !m->has[tl_op_result(r->parent, i)]) {
      return false;
    }
  }
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      bool makes_next = ((op->code == TL_OP_update || op->code == TL_OP_fill) && k == 0 && m->has[op->first_result]) ||
                        (op->code == TL_OP_loop && k >= 2 && m->has[tl_op_result(op, k - 2)]);
      if (m->has[op->operands[k]] && !makes_next && !(op->code == TL_OP_index && k == 0)) {
        return false;
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      if (!only_accesses(m, op->regions[k])) {
        return false;
      }
    }
  }
  return true;
}

/* The type in which the number of a row is computed: that of the indices if they have one, with room for all rows. */
static tl_dtype row_dtype(const lander *m, const tl_value *at) {
  tl_dtype type = TL_U64;
  bool found = false, is_short = tl_extents_count(m->from.extents, m->from.rank - 1, INT32_MAX) >= 0;
  for (int axis = 0; axis < m->from.rank - 1; axis++) {
    int64_t c;
    tl_dtype t = tl_type_of(m->func, at[axis]).dtype;
    if (tl_is_const_int(m->func, at[axis], &c)) {
      continue;
    }
    if (tl_dtype_size(t) < 8 && !(is_short && tl_dtype_size(t) == 4)) {
      t = tl_dtype_is_unsigned(t) ? TL_U64 : TL_I64;
    }
    type = !found || type == t ? t : TL_U64;
    found = true;
  }
  return type;
}

static tl_value row_of(const lander *m, tl_builder *b, const tl_value *at) {
  if (m->from.rank == 2) {
    return at[0];
  }
  tl_dtype t = row_dtype(m, at);
  tl_value row = m->from.rank == 1 ? tl_build_int(b, t, 0) : tl_build_cvt(b, t, at[0]);
  for (int axis = 1; axis < m->from.rank - 1; axis++) {
    tl_value extent = tl_build_cvt(b, t, tl__extent_value(b, m->from.extents[axis]));
    row = tl_build_binary(b, TL_OP_add, tl_build_binary(b, TL_OP_mul, row, extent), tl_build_cvt(b, t, at[axis]));
  }
  return row;
}

/* The access in terms of the matrix. */
static void move_access(const lander *m, tl_builder *b, tl_op *op) {
  uint32_t rank = (uint32_t)m->from.rank, behind = op->operand_count - 1 - rank;
  tl_value *operands = TL_NEW_ARRAY(m->func->arena, tl_value, 3 + behind);
  operands[0] = op->operands[0];
  operands[1] = row_of(m, b, op->operands + 1);
  operands[2] = op->operands[rank];
  for (uint32_t i = 0; i < behind; i++) {
    operands[3 + i] = op->operands[1 + rank + i];
  }
  op->operands = operands;
  op->operand_count = 3 + behind;
}

static void move_in_region(const lander *m, tl_region *r) {
  tl_builder b = {.func = m->func, .region = r, .peephole = tl__simplify_peephole};
  uint32_t count;
  tl_op **ops = tl__region_take(m->scratch, r, &count);
  for (uint32_t i = 0; i < count; i++) {
    tl_op *op = ops[i];
    b.loc = op->loc;
    if (op == m->alloc) {
      if (op->u.flags & TL_ALLOC_ZEROED) {
        tl_value zero = tl_build_zero(&b, m->to.dtype), filled = tl_build_fill(&b, m->param, zero);
        tl__rewrite_set(m->rw, op->first_result, filled);
      } else {
        tl__rewrite_set(m->rw, op->first_result, m->param);
      }
      continue;
    }
    if ((op->code == TL_OP_index || op->code == TL_OP_update) && m->has[op->operands[0]]) {
      move_access(m, &b, op);
    }
    tl__region_append(m->func, r, op);
    for (uint32_t k = 0; k < op->region_count; k++) {
      move_in_region(m, op->regions[k]);
    }
  }
}

tl_value tl__land(tl_func *f, tl_value array, tl_value param, tl_arena *scratch) {
  tl_rewrite rw;
  lander m = {.func = f, .scratch = scratch, .param = param, .rw = &rw};
  m.from = tl_type_of(f, array);
  m.to = tl_type_of(f, param);
  uint32_t count = f->values.count;
  m.has = TL_NEW_ARRAY(scratch, bool, count);
  if (m.from.dtype != m.to.dtype || !trace(&m, array) || !only_accesses(&m, f->body)) {
    return TL_NO_VALUE;
  }
  tl__rewrite_init(&rw, f, scratch);
  move_in_region(&m, f->body);
  for (tl_value v = 1; v < count; v++) {
    if (m.has[v]) {
      f->values.data[v].type = m.to;
      f->values.data[v].name = tl_info(f, param)->name;
    }
  }
  tl__rewrite_region(&rw, f->body);
  return tl__rewrite_get(&rw, array);
}
