/* Simplification. One forward walk a round: operands are replaced, each op is tried against the rules, branches and
 * loops whose course is known are taken apart; rounds follow until one changes nothing. An op whose result merely has
 * no use stays: dce.c drops it. */
#include "transform/simplify.h"

#include "transform/transform.h"

enum { MOST_ROUNDS = 64 };

static bool keeps_sign(const tl_simplify *s, tl_value v) { return s->keeps_signs || v >= s->counted || s->signs[v]; }

void tl__simplify_set(tl_simplify *s, tl_value from, tl_value to) {
  from = tl__rewrite_get(&s->rw, from);
  to = tl__rewrite_get(&s->rw, to);
  s->keeps_signs |= keeps_sign(s, from) && !keeps_sign(s, to); /* what `to` is made of is told now, until it is asked */
  if (from != to && from < s->counted && to < s->counted) {
    s->uses[to] += s->uses[from];
    s->loads[to] += s->loads[from];
    s->handed_on[to] |= s->handed_on[from];
  }
  tl__rewrite_set(&s->rw, from, to);
}

bool tl__simplify_is_last_use(const tl_simplify *s, tl_value v, const tl_region *region) {
  if (v >= s->counted) {
    return false;
  }
  uint32_t elsewhere = 0; /* in branches that the walk comes to yet, one of which runs in place of this one */
  for (const tl_region *home = tl_info(s->rw.func, v)->region; region != home; region = region->parent->parent) {
    const tl_op *op = region->parent;
    if (!op || op->code != TL_OP_if) {
      return false;
    }
    elsewhere += region == op->regions[0] ? tl__uses_in(op->regions[1], 0, v) : 0;
  }
  return s->uses[v] == s->seen[v] + elsewhere;
}

static void find_handed_on(tl_simplify *s, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      s->handed_on[o->operands[k]] |= tl__op_overwrites(s->rw.func, o, k);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      find_handed_on(s, o->regions[k]);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    s->handed_on[r->yields.data[i]] = true;
  }
}

static void see(tl_simplify *s, tl_value v) {
  if (v < s->counted) {
    s->seen[v]++;
  }
}

/* A condition of an enclosing branch as the constant that it is there; else v. */
static tl_value known_truth(tl_simplify *s, tl_region *r, tl_value v) {
  for (uint32_t i = s->facts.count; i-- > 0;) {
    if (s->facts.data[i].condition == v) {
      tl_builder b = {.func = s->rw.func, .region = r};
      return tl_build_int(&b, TL_BOOL, s->facts.data[i].holds);
    }
  }
  return v;
}

static void know(tl_simplify *s, tl_value condition, bool holds) {
  const tl_op *def = tl_def(s->rw.func, condition);
  TL_PUSH(s->rw.scratch, s->facts, (tl_simplify_fact){condition, holds});
  if (def && def->code == TL_OP_not) {
    know(s, def->operands[0], !holds);
  } else if (def && def->code == (holds ? TL_OP_and : TL_OP_or)) {
    know(s, def->operands[0], holds);
    know(s, def->operands[1], holds);
  }
}

static bool is_const(const tl_func *f, tl_value v) {
  const tl_op *def = tl_def(f, v);
  return def && def->code == TL_OP_const;
}

static bool has_only_consts(const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (r->ops.data[i]->code != TL_OP_const) {
      return false;
    }
  }
  return true;
}

/* v where it may be named in the region, a copy of it where it is a constant from elsewhere. */
static tl_value bring(tl_simplify *s, tl_builder *b, tl_value v) {
  tl_func *f = s->rw.func;
  if (tl__value_visible(f, v, b->region)) {
    return v;
  }
  if (!is_const(f, v)) {
    return TL_NO_VALUE;
  }
  const tl_op *def = tl_def(f, v);
  tl_dtype t = tl_type_of(f, v).dtype;
  return tl_dtype_is_float(t) ? tl_build_float(b, t, def->u.floating, def->spelling)
                              : tl_build_int(b, t, def->u.integer);
}

/* What stands for one result of an if whose branches are simplified already. */
static tl_value if_result(tl_simplify *s, tl_builder *b, const tl_op *op, uint32_t i, bool branches_empty) {
  tl_func *f = s->rw.func;
  tl_value x = op->regions[0]->yields.data[i], y = op->regions[1]->yields.data[i];
  if (tl__same_value(f, x, y)) {
    return bring(s, b, x);
  }
  if (!branches_empty || tl_type_of(f, x).is_array) {
    return TL_NO_VALUE;
  }
  bool visible =
      (is_const(f, x) || tl__value_visible(f, x, b->region)) && (is_const(f, y) || tl__value_visible(f, y, b->region));
  return visible ? tl_build_select(b, op->operands[0], bring(s, b, x), bring(s, b, y)) : TL_NO_VALUE;
}

static void simplify_if(tl_simplify *s, tl_region *into, tl_op *op) {
  tl_func *f = s->rw.func;
  tl_builder b = {.func = f, .region = into, .loc = op->loc, .peephole = tl__simplify_peephole};
  int64_t taken;
  if (tl_is_const_int(f, op->operands[0], &taken)) {
    tl_region *branch = op->regions[taken ? 0 : 1];
    tl__simplify_splice(s, into, branch);
    for (uint32_t i = 0; i < op->result_count; i++) {
      tl__simplify_set(s, op->first_result + i, branch->yields.data[i]);
    }
    s->rw.changed = true;
    return;
  }
  const tl_op *negated = tl_def(f, op->operands[0]);
  if (negated && negated->code == TL_OP_not) {
    tl_region *other = op->regions[0];
    op->regions[0] = op->regions[1];
    op->regions[1] = other;
    op->operands[0] = negated->operands[0];
    s->rw.changed = true;
  }
  for (int k = 0; k < 2; k++) {
    uint32_t outer = s->facts.count;
    know(s, op->operands[0], k == 0);
    tl__simplify_region(s, op->regions[k]);
    s->facts.count = outer;
  }
  bool empty = has_only_consts(op->regions[0]) && has_only_consts(op->regions[1]);
  bool *keep = TL_NEW_ARRAY(s->rw.scratch, bool, op->result_count + 1);
  bool any = false;
  for (uint32_t i = 0; i < op->result_count; i++) {
    tl_value v = if_result(s, &b, op, i, empty);
    for (uint32_t k = 0; !v && k < i; k++) { /* the same pair comes out already */
      if (keep[k] && tl__same_value(f, op->regions[0]->yields.data[i], op->regions[0]->yields.data[k]) &&
          tl__same_value(f, op->regions[1]->yields.data[i], op->regions[1]->yields.data[k])) {
        v = op->first_result + k;
      }
    }
    keep[i] = !v;
    any = any || keep[i];
    if (v) {
      tl__simplify_set(s, op->first_result + i, v);
    }
  }
  if (empty && !any) {
    for (int k = 0; k < 2; k++) {
      for (uint32_t i = 0; i < op->regions[k]->ops.count; i++) {
        tl__region_append(f, into, op->regions[k]->ops.data[i]);
      }
    }
    s->rw.changed = true;
    return;
  }
  tl__if_keep_results(&s->rw, op, keep);
  tl__region_append(f, into, op);
}

/* Replaces the op by a simpler value, or appends it. */
static void simplify_op(tl_simplify *s, tl_region *into, tl_op *op) {
  tl_func *f = s->rw.func;
  tl__rewrite_op(&s->rw, op);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    see(s, op->operands[i]);
    if (s->facts.count && tl_type_of(f, op->operands[i]).dtype == TL_BOOL) {
      op->operands[i] = known_truth(s, into, op->operands[i]);
    }
  }
  if (op->code == TL_OP_if) {
    simplify_if(s, into, op);
    return;
  }
  if (op->code == TL_OP_loop) {
    tl__simplify_loop(s, into, op);
    return;
  }
  tl_builder b = {.func = f, .region = into, .loc = op->loc, .peephole = tl__simplify_peephole};
  tl_value next = f->values.count, v = TL_NO_VALUE;
  if (tl_op_table[op->code].elementwise) {
    b.any_zero = !keeps_sign(s, op->first_result);
    v = tl__simplify_peephole(&b, op->code, tl_type_of(f, op->first_result).dtype, op->operands);
    if (tl_type_of(f, op->first_result).is_tensor) {
      v = v ? tl_build_spread(&b, op->code, v, op->operands) : tl__simplify_tensor_op(&b, op);
    }
  } else if (tl_op_table[op->code].on_tensors || op->code == TL_OP_item || op->code == TL_OP_dim) {
    v = tl__simplify_tensor_op(&b, op);
  } else if (op->result_count == 1) {
    v = tl__simplify_array_op(s, &b, op);
  }
  if (!v) {
    tl__region_append(f, into, op);
    return;
  }
  if (v >= next && !tl_info(f, v)->name) {
    f->values.data[v].name = tl_info(f, op->first_result)->name;
  }
  tl__simplify_set(s, op->first_result, v);
}

static void simplify_ops(tl_simplify *s, tl_region *into, tl_op *const *ops, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    simplify_op(s, into, ops[i]);
  }
}

static void simplify_yields(tl_simplify *s, tl_region *r, tl_region *into) {
  tl__rewrite_yields(&s->rw, r);
  for (uint32_t i = 0; i < r->yields.count; i++) {
    see(s, r->yields.data[i]);
    if (s->facts.count && tl_type_of(s->rw.func, r->yields.data[i]).dtype == TL_BOOL) {
      r->yields.data[i] = known_truth(s, into, r->yields.data[i]);
    }
  }
}

void tl__simplify_splice(tl_simplify *s, tl_region *into, tl_region *from) {
  simplify_ops(s, into, from->ops.data, from->ops.count);
  simplify_yields(s, from, into);
}

void tl__simplify_region(tl_simplify *s, tl_region *r) {
  tl__rewrite_params(&s->rw, r);
  uint32_t count;
  tl_op **ops = tl__region_take(s->rw.scratch, r, &count);
  simplify_ops(s, r, ops, count);
  simplify_yields(s, r, r);
}

/* What an unused result was made from is not used by that. */
static void count_dead_uses(tl_simplify *s, const tl_region *r) {
  for (uint32_t i = r->ops.count; i-- > 0;) {
    const tl_op *op = r->ops.data[i];
    bool dead = !op->region_count && op->result_count && tl__op_is_pure(s->rw.func, op);
    for (uint32_t k = 0; k < op->result_count; k++) {
      dead = dead && s->uses[op->first_result + k] == s->dead[op->first_result + k];
    }
    for (uint32_t k = 0; dead && k < op->operand_count; k++) {
      s->dead[op->operands[k]]++;
      s->loads[op->operands[k]] -= k == 0 && op->code == TL_OP_index;
    }
    for (uint32_t k = op->region_count; k-- > 0;) {
      count_dead_uses(s, op->regions[k]);
    }
  }
}

void tl__simplify_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  tl_simplify s = {0};
  tl__rewrite_init(&s.rw, f, scratch);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    tl__rewrite_region(&s.rw, f->body); /* uses are counted of what the last round left in another one's place, too */
    s.rw.changed = false;
    s.counted = f->values.count;
    s.uses = tl__use_counts(f, scratch);
    s.loads = tl__load_counts(f, scratch, &s.a_load);
    s.handed_on = TL_NEW_ARRAY(scratch, bool, s.counted + 1);
    find_handed_on(&s, f->body);
    s.dead = TL_NEW_ARRAY(scratch, uint32_t, s.counted + 1);
    count_dead_uses(&s, f->body);
    s.zeros = tl__find_zeros(f, scratch);
    s.signs = tl__find_signs(f, scratch);
    s.keeps_signs = false;
    s.seen = TL_NEW_ARRAY(scratch, uint32_t, s.counted + 1);
    tl__simplify_region(&s, f->body);
    tl__rewrite_params(&s.rw, f->body);
    if (!s.rw.changed) {
      break;
    }
  }
  tl_arena_rewind(scratch, mark);
}
