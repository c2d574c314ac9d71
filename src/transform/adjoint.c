/* The transposed program: the primal's ops backward, each replaced by the transpose of its linearisation. */
#include <assert.h>
#include <string.h>

#include "ops/ops.h"
#include "transform/derive.h"
#include "transform/divisors.h"
#include "transform/powers.h"
#include "transform/reverse.h"
#include "transform/rewrite.h"
#include "transform/storage.h"
#include "transform/sums.h"

static tl_value name_bar(tl_adjoint *a, tl_value bar, tl_value primal) {
  tl_value_info *info = &a->func->values.data[bar];
  const char *name = a->func->values.data[primal].name;
  if (!info->name && name && info->op && info->op->code != TL_OP_const && bar >= a->primal_values) {
    info->name = tl_arena_printf(a->func->arena, "%s_bar", name);
  }
  return bar;
}

static void name_param(tl_adjoint *a, tl_value param, tl_value primal) {
  const char *name = a->func->values.data[primal].name;
  a->func->values.data[param].name = name ? tl_arena_printf(a->func->arena, "%s_bar", name) : NULL;
}

static tl_value zero_array(tl_adjoint *a, tl_value primal) {
  tl_func *f = a->func;
  tl_value root = tl__storage_root(f, primal);
  tl_type type = tl_type_of(f, primal);
  const tl_value_info *info = tl_info(f, root);
  if (!info->op && !info->region->parent && info->index < f->params.count && a->bar_storage[info->index]) {
    tl_value storage = a->bar_storage[info->index];
    a->bar_storage[info->index] = TL_NO_VALUE;
    return a->adds[info->index] ? storage : tl_build_fill(&a->b, storage, tl_build_zero_element(&a->b, type));
  }
  unsigned flags = TL_ALLOC_ZEROED | tl__storage_flags_beside(f, primal);
  const char *name = f->values.data[primal].name;
  return tl_build_alloc_like(&a->b, type, flags, name ? tl_arena_printf(f->arena, "%s_bar", name) : "bar");
}

static bool active(const tl_adjoint *a, tl_value v) { return tl_active(a->activity, v); }

static bool is_array(const tl_adjoint *a, tl_value v) { return tl_type_of(a->func, v).is_array; }

/* The cotangent of an active array, made zero where nothing has reached it yet. */
static tl_value array_bar(tl_adjoint *a, tl_value v) {
  if (!a->bar[v]) {
    a->bar[v] = zero_array(a, v);
  }
  return a->bar[v];
}

static void add_bar(tl_adjoint *a, tl_value v, tl_value contribution) {
  if (!contribution || !active(a, v)) {
    return;
  }
  if (a->bar[v]) {
    contribution = is_array(a, v) ? tl_build_accumulate(&a->b, a->bar[v], contribution)
                                  : tl_build_binary(&a->b, TL_OP_add, a->bar[v], contribution);
  }
  a->bar[v] = name_bar(a, contribution, v);
}

static tl_value scalar_bar(tl_adjoint *a, tl_value v) { return a->bar[v] ? a->bar[v] : tl_build_zero_like(&a->b, v); }

/* ---- what a region captures ---- */

typedef TL_VEC(tl_value) value_list;

static void capture(tl_adjoint *a, const tl_op *op, tl_value v, bool *seen, value_list *out) {
  if (v && active(a, v) && !seen[v] && !tl__op_contains(op, tl_info(a->func, v)->region)) {
    seen[v] = true;
    TL_PUSH(a->arena, *out, v);
  }
}

static void capture_region(tl_adjoint *a, const tl_op *op, const tl_region *r, bool *seen, value_list *out) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      capture(a, op, o->operands[k], seen, out);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      capture_region(a, op, o->regions[k], seen, out);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    capture(a, op, r->yields.data[i], seen, out);
  }
}

/* The active values that the op's regions use and that are defined outside of it, in order of first use. */
static value_list captured_by(tl_adjoint *a, const tl_op *op) {
  value_list list = {0};
  bool *seen = TL_NEW_ARRAY(a->arena, bool, a->primal_values);
  for (uint32_t k = 0; k < op->region_count; k++) {
    capture_region(a, op, op->regions[k], seen, &list);
  }
  return list;
}

/* ---- mirrors ---- */

static tl_mirror *enter(tl_adjoint *a, tl_region *adjoint, tl_op *primal_op, tl_region *primal) {
  tl_mirror *m = TL_NEW(a->arena, tl_mirror);
  m->adjoint = adjoint;
  m->primal = primal;
  m->primal_op = primal_op;
  m->outer = a->current;
  m->index = a->mirrors.count;
  m->is_loop = primal_op && primal_op->code == TL_OP_loop;
  TL_PUSH(a->arena, a->mirrors, m);
  a->current = m;
  a->b.region = adjoint;
  return m;
}

static void leave(tl_adjoint *a) {
  a->current = a->current->outer;
  a->b.region = a->current->adjoint;
}

static bool adjoint_region(tl_adjoint *a, const tl_region *r, uint32_t count);

static bool any_result_bar(const tl_adjoint *a, const tl_op *o) {
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (a->bar[tl_op_result(o, i)] && active(a, tl_op_result(o, i))) {
      return true;
    }
  }
  return false;
}

/* The branch that was taken runs backward. Cotangents of captured values come out as results. */
static bool adjoint_if(tl_adjoint *a, tl_op *o) {
  value_list captured = captured_by(a, o);
  tl_value *before = TL_NEW_ARRAY(a->arena, tl_value, captured.count);
  for (uint32_t i = 0; i < captured.count; i++) {
    tl_value v = captured.data[i];
    before[i] = is_array(a, v) ? array_bar(a, v) : a->bar[v];
  }
  tl_op *adjoint = tl_build_if(&a->b, o->operands[0]);
  tl_value *after[2];
  bool ok = true;
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < captured.count; i++) {
      a->bar[captured.data[i]] = before[i];
    }
    tl_region *primal = o->regions[k];
    enter(a, adjoint->regions[k], o, primal);
    for (uint32_t i = 0; i < o->result_count; i++) {
      add_bar(a, primal->yields.data[i], a->bar[tl_op_result(o, i)]);
    }
    ok &= adjoint_region(a, primal, primal->ops.count);
    after[k] = TL_NEW_ARRAY(a->arena, tl_value, captured.count);
    for (uint32_t i = 0; i < captured.count; i++) {
      after[k][i] = a->bar[captured.data[i]];
    }
    leave(a);
  }
  for (uint32_t i = 0; i < captured.count; i++) {
    tl_value v = captured.data[i];
    if (!after[0][i] && !after[1][i]) {
      a->bar[v] = TL_NO_VALUE;
      continue;
    }
    for (int k = 0; k < 2; k++) {
      a->b.region = adjoint->regions[k];
      a->bar[v] = after[k][i];
      TL_PUSH(a->func->arena, adjoint->regions[k]->yields, scalar_bar(a, v));
    }
  }
  a->b.region = a->current->adjoint;
  tl_build_if_results(&a->b, adjoint);
  uint32_t next = 0;
  for (uint32_t i = 0; i < captured.count; i++) {
    if (after[0][i] || after[1][i]) {
      tl_value v = captured.data[i];
      a->bar[v] = name_bar(a, tl_op_result(adjoint, next++), v);
    }
  }
  return ok;
}

/* Whether v may be computed from a result of o, as far as `steps` ops show. */
static bool may_depend(const tl_func *f, tl_value v, const tl_op *o, int *steps) {
  const tl_op *def = tl_def(f, v);
  if (!def || def->code == TL_OP_const) {
    return false;
  }
  if (def == o || def->region_count || --*steps < 0) {
    return true;
  }
  for (uint32_t i = 0; i < def->operand_count; i++) {
    if (may_depend(f, def->operands[i], o, steps)) {
      return true;
    }
  }
  return false;
}

/* Whether what has reached a captured scalar so far is added behind the adjoint of loop o: where it needs what o
 * computes, the two loops could not become one. */
static bool is_added_behind(const tl_adjoint *a, tl_value captured, const tl_op *o) {
  int steps = 100;
  return !is_array(a, captured) && a->bar[captured] && may_depend(a->func, a->bar[captured], o, &steps);
}

/* The iterations run backward. The adjoint loop carries the cotangents of the active carries and of the captured
 * values. A counted loop without exits keeps its bounds; any other runs over the recorded trip count. */
static bool adjoint_loop(tl_adjoint *a, tl_op *o) {
  tl_func *f = a->func;
  const tl_region *body = tl_loop_body(o);
  uint32_t carries = tl_loop_carries(o);
  value_list captured = captured_by(a, o);
  TL_VEC(tl_value) inits = {0};
  TL_VEC(uint32_t) active_carries = {0};
  for (uint32_t i = 0; i < carries; i++) {
    tl_value result = tl_op_result(o, i), param = body->params.data[1 + i];
    if (active(a, result) || active(a, param) || active(a, body->yields.data[i])) {
      TL_PUSH(a->arena, active_carries, i);
      tl_value bar = a->bar[result];
      if (!bar) {
        bar = is_array(a, result) ? zero_array(a, result) : tl_build_zero_like(&a->b, result);
      }
      TL_PUSH(a->arena, inits, bar);
    }
  }
  tl_value *behind = TL_NEW_ARRAY(a->arena, tl_value, captured.count);
  for (uint32_t i = 0; i < captured.count; i++) {
    tl_value v = captured.data[i];
    if (is_added_behind(a, v, o)) {
      behind[i] = a->bar[v];
      a->bar[v] = TL_NO_VALUE;
    }
    TL_PUSH(a->arena, inits, is_array(a, v) ? array_bar(a, v) : scalar_bar(a, v));
  }

  bool counted = tl_loop_is_counted(o);
  const char *iv_name = f->values.data[body->params.data[0]].name;
  tl_op *adjoint;
  if (counted) {
    adjoint = tl_build_loop(&a->b, tl_loop_lo(o), tl_loop_hi(o), o->u.step, iv_name, inits.count, inits.data);
    adjoint->reversed = !o->reversed;
  } else {
    tl_value zero = tl_build_int(&a->b, TL_I64, 0);
    adjoint = tl_build_loop(&a->b, zero, tl_loop_trips(o), 1, "k", inits.count, inits.data);
    adjoint->reversed = true;
  }
  adjoint->is_ours = o->is_ours;
  tl_region *mirror = tl_loop_body(adjoint);
  tl_mirror *m = enter(a, mirror, o, tl_loop_body(o));
  *(counted ? &m->iv : &m->counter) = mirror->params.data[0];

  for (uint32_t i = 0; i < captured.count; i++) {
    tl_value param = mirror->params.data[1 + active_carries.count + i];
    name_param(a, param, captured.data[i]);
    a->bar[captured.data[i]] = param;
  }
  for (uint32_t i = 0; i < active_carries.count; i++) {
    uint32_t c = active_carries.data[i];
    name_param(a, mirror->params.data[1 + i], body->params.data[1 + c]);
    add_bar(a, body->yields.data[c], mirror->params.data[1 + i]);
  }
  bool ok = adjoint_region(a, body, body->ops.count);
  for (uint32_t i = 0; i < active_carries.count; i++) {
    tl_value param = body->params.data[1 + active_carries.data[i]];
    tl_value bar = a->bar[param];
    if (!bar && is_array(a, param)) {
      /* The iteration overwrites the array unseen: its cotangent before the iteration is zero. */
      bar = tl_build_fill(&a->b, mirror->params.data[1 + i], tl_build_zero_element(&a->b, tl_type_of(f, param)));
    }
    TL_PUSH(f->arena, mirror->yields, bar ? bar : tl_build_zero_like(&a->b, param));
  }
  for (uint32_t i = 0; i < captured.count; i++) {
    TL_PUSH(f->arena, mirror->yields, a->bar[captured.data[i]]);
  }
  leave(a);
  tl_build_loop_results(&a->b, adjoint);
  for (uint32_t i = 0; i < captured.count; i++) {
    tl_value v = captured.data[i];
    uint32_t k = active_carries.count + i;
    tl_value end =
        tl__sum_multiple(&a->b, o, tl_loop_init(adjoint, k), mirror->params.data[1 + k], mirror->yields.data[k]);
    a->bar[v] = name_bar(a, end ? end : tl_op_result(adjoint, k), v);
    add_bar(a, v, behind[i]);
  }
  for (uint32_t i = 0; i < active_carries.count; i++) {
    add_bar(a, tl_loop_init(o, active_carries.data[i]), tl_op_result(adjoint, i));
  }
  return ok;
}

static void adjoint_index(tl_adjoint *a, const tl_op *o) {
  tl_value array = o->operands[0], bar = a->bar[tl_op_result(o, 0)];
  if (bar && active(a, array)) {
    tl_value base = array_bar(a, array);
    uint32_t rank = o->operand_count - 1;
    tl_value sum = tl_build_binary(&a->b, TL_OP_add, tl_build_index(&a->b, base, rank, o->operands + 1), bar);
    a->bar[array] = name_bar(a, tl_build_update(&a->b, base, rank, o->operands + 1, sum), array);
  }
}

/* The cotangent of the array before a whole-array or one-element write, joined with what later reads of the old version
 * contributed. */
static void pass_on_array_bar(tl_adjoint *a, tl_value old, tl_value bar) {
  if (active(a, old)) {
    bar = name_bar(a, bar, old);
    a->bar[old] = a->bar[old] ? tl_build_accumulate(&a->b, bar, a->bar[old]) : bar;
  }
}

/* The cotangent of a tensor out of an array whose elements have no stated extents: zero may have come without them. */
static tl_value as_stored(tl_adjoint *a, tl_value bar, tl_value v) {
  tl_type type = tl_type_of(a->func, bar);
  bool open = false;
  for (int i = 0; type.is_tensor && i < type.rank; i++) {
    open |= !type.extents[i].value && type.extents[i].fixed < 0;
  }
  return open ? tl_build_broadcast(&a->b, bar, tl_build_type(&a->b, v)) : bar;
}

static void adjoint_update(tl_adjoint *a, const tl_op *o) {
  tl_value bar = a->bar[tl_op_result(o, 0)];
  if (!bar) {
    return;
  }
  uint32_t rank = o->operand_count - 2;
  const tl_value *at = o->operands + 1;
  tl_value v = o->operands[o->operand_count - 1];
  if (active(a, v)) {
    add_bar(a, v, as_stored(a, tl_build_index(&a->b, bar, rank, at), v));
  }
  tl_value zero = tl_build_zero_element(&a->b, tl_type_of(a->func, bar));
  pass_on_array_bar(a, o->operands[0], tl_build_update(&a->b, bar, rank, at, zero));
}

/* The sum of an array's elements, as a loop nest. */
static tl_value build_sum(tl_builder *b, tl_value array, int axis, tl_value *at, tl_value sum) {
  tl_type type = tl_type_of(b->func, array);
  if (axis == type.rank) {
    return tl_build_binary(b, TL_OP_add, sum, tl_build_index(b, array, (uint32_t)type.rank, at));
  }
  tl_extent e = type.extents[axis];
  tl_value hi = e.value ? e.value : tl_build_int(b, TL_I64, e.fixed);
  tl_value lo = tl_build_int(b, tl_type_of(b->func, hi).dtype, 0);
  tl_op *loop = tl_build_loop(b, lo, hi, 1, "i", 1, &sum);
  tl_build_loop_enter(b, loop, &sum);
  at[axis] = b->region->params.data[0];
  sum = build_sum(b, array, axis + 1, at, sum);
  tl_build_loop_leave(b, loop, &sum);
  return sum;
}

/* Each element receives its own of the tensor's. */
static void adjoint_pack(tl_adjoint *a, const tl_op *o) {
  tl_builder *b = &a->b;
  tl_value array = o->operands[0], bar = a->bar[tl_op_result(o, 0)];
  if (!active(a, array)) {
    return;
  }
  tl_value sum = array_bar(a, array);
  tl_extent e = tl_type_of(a->func, array).extents[0];
  tl_value hi = e.value ? e.value : tl_build_int(b, TL_I64, e.fixed);
  tl_op *loop = tl_build_loop(b, tl_build_int(b, tl_type_of(a->func, hi).dtype, 0), hi, 1, "i", 1, &sum);
  loop->is_ours = true;
  tl_build_loop_enter(b, loop, &sum);
  tl_value i = b->region->params.data[0];
  tl_type index = {.dtype = TL_I64, .is_tensor = true};
  tl_value at = tl_build_broadcast(b, tl_build_cvt(b, TL_I64, i), index);
  const tl_attr front[] = {{.integer = 0}, {.integer = TL_INDEX_CHECK}, {.integer = 0}};
  tl_value part = tl_build_item(b, tl_build_tensor(b, TL_OP_gather, (tl_value[]){bar, at}, front));
  part = tl_build_binary(b, TL_OP_add, tl_build_index(b, sum, 1, &i), part);
  sum = tl_build_update(b, sum, 1, &i, part);
  tl_build_loop_leave(b, loop, &sum);
  a->bar[array] = name_bar(a, sum, array);
}

static void adjoint_fill(tl_adjoint *a, const tl_op *o) {
  tl_value bar = a->bar[tl_op_result(o, 0)];
  if (!bar) {
    return;
  }
  tl_value at[TL_MAX_RANK];
  tl_value zero = tl_build_zero_element(&a->b, tl_type_of(a->func, bar));
  if (active(a, o->operands[1])) {
    add_bar(a, o->operands[1], build_sum(&a->b, bar, 0, at, zero));
  }
  pass_on_array_bar(a, o->operands[0], tl_build_fill(&a->b, bar, zero));
}

/* What the operand receives. What a quotient's numerator does is bar/y, also where the primal has 1/y. Where only the
 * divisor is active, bar/y, which nothing else needs, may overflow: the tangent, which is its own transpose, divides
 * last. */
static tl_value cotangent(tl_adjoint *a, const tl_op *o, tl_value bar, uint32_t which) {
  tl_value result = tl_op_result(o, 0);
  a->linearised = o;
  bool is_quotient = o->code == TL_OP_div && !tl__divisors_own(a->func, o, o->operands[1]);
  tl_value v, tangents[3] = {TL_NO_VALUE, TL_NO_VALUE, TL_NO_VALUE};
  if (is_quotient && (which == 0 || !(active(a, o->operands[0]) || a->divisors[o->operands[1]]))) {
    tangents[which] = bar;
    v = tl_op_tangent(&a->b, o, o->operands, result, tangents);
  } else {
    v = tl_op_cotangent(&a->b, o, o->operands, result, bar, which);
  }
  a->linearised = NULL;
  return v;
}

/* How a guarded op's contributions are added: what they are where the condition holds, or does not, and 0 elsewhere; or
 * by tl__guard_unless_zero; or as they are. */
typedef struct tl_shield {
  tl_value condition;
  bool holds;
  tl_value unless_zero;
} tl_shield;

static tl_value negated(tl_adjoint *a, bool is_negative, tl_value v) {
  return is_negative ? tl_build_unary(&a->b, TL_OP_neg, v) : v;
}

/* The cotangent that the partials of o multiply for one operand. A choice between 0 and something, or its negative, is
 * made for what the op contributes, as ops/structural.c does where it can. An op that only sums multiplies nothing. */
static tl_value raise_shield(tl_adjoint *a, const tl_op *o, uint32_t which, tl_value bar, tl_shield *out) {
  const tl_func *f = a->func;
  const tl_op *from = tl_def(f, bar);
  *out = (tl_shield){TL_NO_VALUE, false, TL_NO_VALUE};
  if (!a->guards.of[o->first_result] || tl_op_table[o->code].op_class == TL_CLASS_LINEAR ||
      (from && from->code == TL_OP_const)) {
    return bar;
  }
  bool is_negative = from && from->code == TL_OP_neg;
  from = is_negative ? tl_def(f, from->operands[0]) : from;
  bool is_choice = from && from->code == TL_OP_select;
  tl_value zeros[TL_MOST_ZEROS];
  if (is_choice && from->operands[0] >= a->primal_values && tl__guard_zeros(f, from, zeros) == 1) {
    out->unless_zero = zeros[0]; /* one that this adjoint has made: the first test does for what follows */
    return negated(a, is_negative, from->operands[2]);
  }
  if (!tl__guard_is_needed(&a->guards, f, o, which)) {
    return bar;
  }
  long double c;
  for (uint32_t i = 1; is_choice && i <= 2; i++) {
    if (tl_is_const_float(f, from->operands[i], &c) && c == 0) {
      out->condition = from->operands[0];
      out->holds = i == 2;
      return negated(a, is_negative, from->operands[3 - i]);
    }
  }
  out->unless_zero = bar;
  return bar;
}

static void add_shielded(tl_adjoint *a, const tl_shield *shield, tl_value v, tl_value contribution) {
  const tl_op *made = contribution ? tl_def(a->func, contribution) : NULL;
  if (contribution && shield->condition) {
    tl_value zero = tl_build_zero(&a->b, tl_type_of(a->func, contribution).dtype);
    contribution = tl_build_select(&a->b, shield->condition, shield->holds ? contribution : zero,
                                   shield->holds ? zero : contribution);
  } else if (contribution && shield->unless_zero && !(made && made->code == TL_OP_const)) {
    contribution = tl__guard_unless_zero(&a->b, 1, &shield->unless_zero, contribution);
  }
  add_bar(a, v,
          v ? tl__tensor_fit(&a->b, contribution, v) : contribution); /* an element is chosen before it is summed */
}

static void adjoint_elementwise(tl_adjoint *a, const tl_op *o) {
  tl_value result = tl_op_result(o, 0), bar = a->bar[result];
  if (!bar || !active(a, result)) {
    return;
  }
  tl_shield shield;
  tl_value z;
  uint32_t which, n = tl__power_degree(a->func, o, &which, &z);
  if (n) {
    bar = raise_shield(a, o, which, bar, &shield); /* the other operand is made of x too */
    tl_value x = o->operands[which];
    add_shielded(a, &shield, x, tl__power_derivative(&a->b, o->operands[1 - which], n, bar));
    for (uint32_t i = 0; z && active(a, z) && i < n; i++) {
      bar = tl_build_binary(&a->b, TL_OP_mul, bar, x);
    }
    add_shielded(a, &shield, z, z ? bar : TL_NO_VALUE);
    return;
  }
  for (uint32_t i = 0; i < o->operand_count; i++) {
    if (active(a, o->operands[i])) {
      tl_value shielded = raise_shield(a, o, i, bar, &shield);
      add_shielded(a, &shield, o->operands[i], cotangent(a, o, shielded, i));
    }
  }
}

static void adjoint_tensor_op(tl_adjoint *a, const tl_op *o) {
  tl_value result = tl_op_result(o, 0);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    if (active(a, o->operands[i])) {
      add_bar(a, o->operands[i], tl_tensor_op_cotangent(&a->b, o, o->operands, result, a->bar[result], i));
    }
  }
}

/* The operand whose cotangent parameter `seed` of the callee's vjp g is, where the callee only reads it. */
static tl_value untouched_operand(const tl_func *g, const tl_op *o, uint32_t seed) {
  for (uint32_t i = 0; i < g->results.count; i++) {
    if (g->results.data[i].is_derived && g->results.data[i].param == seed) {
      return o->operands[g->results.data[i].origin_index];
    }
  }
  assert(false && "a seed of a leaf that the callee only reads has a cotangent");
  return TL_NO_VALUE;
}

/* What the derivative's call is given for the callee's own parameter `leaf`: the argument as it was. */
static tl_value argument_again(tl_adjoint *a, const tl_op *o, const tl_func *callee, uint32_t leaf) {
  for (uint32_t k = 0; k < a->snapshots.count; k++) {
    const tl_snapshot *s = &a->snapshots.data[k];
    if (s->call == o && s->leaf == leaf) {
      return tl_build_clone(&a->b, s->copy);
    }
  }
  tl_type type = tl_type_of(a->func, o->operands[leaf]);
  return tl_func_is_output(callee, leaf) ? tl_build_alloc_like(&a->b, type, 0, "again") : o->operands[leaf];
}

/* Zeros for seeds of what is constant and for what is no number in a struct of seeds, storage for results. */
static tl_value idle_argument(tl_adjoint *a, const tl_op *o, const tl_func *g, const tl_param *param, bool is_seed) {
  bool zero = is_seed || param->origin == TL_ORIGIN_ZERO || param->origin == TL_ORIGIN_ZERO_DOT;
  tl_type type = tl_type_of(g, param->value);
  if (tl_extents_count(type.extents, type.rank, INT64_MAX) < 0) {
    bool of_result = param->origin == TL_ORIGIN_ZERO;
    type = tl_type_of(a->func, of_result ? tl_op_result(o, param->origin_index) : o->operands[param->origin_index]);
  }
  if (type.is_tensor) {
    bool of_result = is_seed || param->origin == TL_ORIGIN_ZERO;
    return tl_build_zero_like(&a->b,
                              of_result ? tl_op_result(o, param->origin_index) : o->operands[param->origin_index]);
  }
  return type.is_array ? tl_build_alloc_like(&a->b, type, zero ? TL_ALLOC_ZEROED : 0, NULL)
                       : tl_build_zero(&a->b, type.dtype);
}

/* ---- calls of what has a rule by jvp ---- */

/* The one number that the call is differentiated by, where it leads to numbers alone: its tangent 1 through the rule
 * gives the factor of the cotangents, without the rule's transpose. UINT32_MAX else. */
static uint32_t only_number(const tl_adjoint *a, const tl_op *o, const tl_func *callee) {
  uint32_t found = UINT32_MAX;
  for (uint32_t i = 0; i < o->operand_count; i++) {
    if (active(a, o->operands[i]) && !tl_func_is_output(callee, i)) {
      if (found != UINT32_MAX || !tl_is_scalar(tl_type_of(a->func, o->operands[i]))) {
        return UINT32_MAX;
      }
      found = i;
    }
  }
  for (uint32_t i = 0; i < o->result_count; i++) {
    tl_type type = tl_type_of(a->func, tl_op_result(o, i));
    if (a->bar[tl_op_result(o, i)] && (type.rank || type.is_tensor || type.element)) {
      return UINT32_MAX;
    }
  }
  return callee->custom_jvp && !callee->custom_vjp ? found : UINT32_MAX;
}

static tl_value in_storage(tl_adjoint *a, tl_type type, tl_value number) {
  if (!type.is_array) {
    return number;
  }
  return tl_build_update(&a->b, tl_build_alloc_like(&a->b, type, 0, "seed"), 0, NULL, number);
}

static tl_value out_of_storage(tl_adjoint *a, tl_value number) {
  return is_array(a, number) ? tl_build_index(&a->b, number, 0, NULL) : number;
}

static bool adjoint_by_tangent(tl_adjoint *a, const tl_op *o, const tl_func *rule, const tl_func *callee,
                               uint32_t number) {
  tl_value *arguments = TL_NEW_ARRAY(a->arena, tl_value, rule->params.count);
  for (uint32_t i = 0; i < rule->params.count; i++) {
    const tl_param *param = &rule->params.data[i];
    tl_type type = tl_type_of(rule, param->value);
    if (param->origin == TL_ORIGIN_PRIMAL) {
      arguments[i] = argument_again(a, o, callee, param->origin_index);
    } else if (param->origin == TL_ORIGIN_DOT && param->origin_index == number) {
      arguments[i] = in_storage(a, type, tl_build_float(&a->b, type.dtype, 1.0L, NULL));
    } else {
      bool is_seed = param->origin == TL_ORIGIN_DOT && !tl_func_is_output(rule, i);
      arguments[i] = idle_argument(a, o, rule, param, is_seed);
    }
  }
  const tl_op *made = tl__build_derived_call(&a->b, rule, arguments, callee, o);
  for (uint32_t i = 0; i < rule->results.count; i++) {
    const tl_result *r = &rule->results.data[i];
    bool is_tangent = r->is_derived && !r->is_ignored && r->origin_index < o->result_count;
    tl_value bar = is_tangent ? a->bar[tl_op_result(o, r->origin_index)] : TL_NO_VALUE;
    if (bar) {
      tl_value partial =
          tl_build_binary(&a->b, TL_OP_mul, out_of_storage(a, bar), out_of_storage(a, tl_op_result(made, i)));
      add_bar(a, o->operands[number], tl_build_cvt(&a->b, tl_type_of(a->func, o->operands[number]).dtype, partial));
    }
  }
  return true;
}

/* Of a tensor that a call left behind a pointer, in storage of its own. */
static tl_value tensor_seed(tl_adjoint *a, tl_value result) {
  tl_value content = tl_build_index(&a->b, result, 0, NULL), bar = a->bar[result];
  bar = bar ? as_stored(a, tl_build_index(&a->b, bar, 0, NULL), content) : tl_build_zero_like(&a->b, content);
  tl_value cell = tl_build_alloc_like(&a->b, tl_type_of(a->func, result), 0, "seed");
  return tl_build_update(&a->b, cell, 0, NULL, bar);
}

/* The call of the callee's vjp on the arguments as they were: it runs the callee again, on copies of what the callee
 * writes, so that nothing of the callee is kept but those copies. */
static bool adjoint_call(tl_adjoint *a, const tl_op *o) {
  tl_func *f = a->func, *callee = tl_module_find(f->module, o->callee);
  bool *wrt = TL_NEW_ARRAY(a->arena, bool, callee->params.count);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    wrt[i] = active(a, o->operands[i]);
  }
  uint32_t number = only_number(a, o, callee);
  tl_intrinsic intrinsic = number == UINT32_MAX ? TL_INTRINSIC_VJP : TL_INTRINSIC_VALUE_AND_JVP;
  tl_func *g = tl__derive_for_call(f->module, callee, intrinsic, wrt, o->loc);
  if (!g) {
    return false;
  }
  if (number != UINT32_MAX) {
    return adjoint_by_tangent(a, o, g, callee, number);
  }
  tl_value *arguments = TL_NEW_ARRAY(a->arena, tl_value, g->params.count);
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_param *param = &g->params.data[i];
    if (param->origin == TL_ORIGIN_PRIMAL) {
      arguments[i] = argument_again(a, o, callee, param->origin_index);
    } else if (param->origin == TL_ORIGIN_SEED && param->origin_index >= o->result_count) {
      arguments[i] = array_bar(a, untouched_operand(g, o, i)); /* passes through */
    } else if (param->origin == TL_ORIGIN_SEED) {
      tl_value result = tl_op_result(o, param->origin_index);
      if (tl_type_of(f, result).element) {
        arguments[i] = tensor_seed(a, result);
      } else if (is_array(a, result)) {
        arguments[i] = a->bar[result] ? a->bar[result] : zero_array(a, result);
      } else {
        arguments[i] = scalar_bar(a, result);
        if (tl_type_of(g, param->value).is_array) { /* passed by pointer */
          tl_value cell = tl_build_alloc_like(&a->b, tl_type_of(g, param->value), 0, "seed");
          arguments[i] = tl_build_update(&a->b, cell, 0, NULL, arguments[i]);
        }
      }
    } else if (tl__vjp_adds_to(g, i)) {
      tl_value operand = o->operands[param->origin_index];
      bool is_first = true; /* of the operands of its name: each takes storage of its own */
      for (uint32_t k = 0; k < param->origin_index; k++) {
        is_first &= o->operands[k] != operand;
      }
      arguments[i] = is_first && active(a, operand) ? array_bar(a, operand) : zero_array(a, operand);
    } else if (param->origin == TL_ORIGIN_BAR) {
      tl_type type = tl_type_of(f, o->operands[param->origin_index]);
      arguments[i] = tl_build_alloc_like(&a->b, type, 0, NULL);
    } else { /* a cell beside what is added to: its derivatives take it for an in-out's too */
      bool is_read = param->origin == TL_ORIGIN_CELL && !tl_func_is_output(g, i);
      arguments[i] = idle_argument(a, o, g, param, is_read);
    }
  }
  const tl_op *made = tl__build_derived_call(&a->b, g, arguments, callee, o);
  for (uint32_t i = 0; i < g->results.count; i++) {
    const tl_result *r = &g->results.data[i];
    if (!r->is_derived || r->is_ignored) {
      continue;
    }
    tl_value operand = o->operands[r->origin_index], bar = tl_op_result(made, i);
    switch (g->params.data[r->param].origin) {
    case TL_ORIGIN_SEED:
      if (g->params.data[r->param].origin_index >= o->result_count) {
        a->bar[operand] = bar;
        break;
      } /* an in-out: the cotangent before the call, in the storage of the one after it */
      pass_on_array_bar(a, operand, bar);
      break;
    case TL_ORIGIN_BAR:
    case TL_ORIGIN_ZERO:
    case TL_ORIGIN_ZERO_DOT: /* of a transposed rule that overwrites its seeds */
      if (arguments[r->param] == a->bar[operand]) {
        a->bar[operand] = name_bar(a, bar, operand);
      } else if (!is_array(a, operand)) {
        add_bar(a, operand, tl_type_of(f, bar).is_array ? tl_build_index(&a->b, bar, 0, NULL) : bar);
      } else if (active(a, operand)) {
        array_bar(a, operand);
        add_bar(a, operand, bar);
      }
      break;
    case TL_ORIGIN_CELL:
      add_bar(a, operand, tl_build_index(&a->b, bar, 0, NULL));
      break;
    case TL_ORIGIN_PRIMAL:
    case TL_ORIGIN_DOT:
    case TL_ORIGIN_SCRATCH:
      break;
    }
  }
  return true;
}

static bool adjoint_op(tl_adjoint *a, tl_op *o) {
  a->b.loc = o->loc;
  if (tl_op_table[o->code].elementwise) {
    adjoint_elementwise(a, o);
    return true;
  }
  if (o->result_count == 0 || !any_result_bar(a, o)) {
    return true;
  }
  if (tl_op_table[o->code].on_tensors || o->code == TL_OP_item) {
    adjoint_tensor_op(a, o);
    return true;
  }
  switch (o->code) {
  case TL_OP_index:
    adjoint_index(a, o);
    return true;
  case TL_OP_update:
    adjoint_update(a, o);
    return true;
  case TL_OP_fill:
    adjoint_fill(a, o);
    return true;
  case TL_OP_pack:
    adjoint_pack(a, o);
    return true;
  case TL_OP_clone:
    if (active(a, o->operands[0])) {
      array_bar(a, o->operands[0]);
      add_bar(a, o->operands[0], a->bar[tl_op_result(o, 0)]);
    }
    return true;
  case TL_OP_accumulate: {
    tl_value bar = a->bar[tl_op_result(o, 0)];
    if (active(a, o->operands[1])) {
      array_bar(a, o->operands[1]);
      add_bar(a, o->operands[1], bar);
    }
    pass_on_array_bar(a, o->operands[0], bar);
    return true;
  }
  case TL_OP_if:
    return adjoint_if(a, o);
  case TL_OP_loop:
    return adjoint_loop(a, o);
  case TL_OP_call:
    return adjoint_call(a, o);
  default: /* const, alloc, extern: nothing flows back */
    return true;
  }
}

static bool adjoint_region(tl_adjoint *a, const tl_region *r, uint32_t count) {
  bool ok = true;
  for (uint32_t i = count; i-- > 0;) {
    ok &= adjoint_op(a, r->ops.data[i]);
  }
  return ok;
}

bool tl__adjoint_build(tl_adjoint *a) {
  tl__adjoint_find_again(a);
  enter(a, a->func->body, NULL, a->func->body);
  return adjoint_region(a, a->func->body, a->primal_ops);
}
