#include "transform/rewrite.h"

#include <assert.h>
#include <math.h>

void tl__rewrite_init(tl_rewrite *rw, tl_func *f, tl_arena *scratch) {
  assert(scratch != f->arena);
  *rw = (tl_rewrite){.func = f, .scratch = scratch, .room = f->values.count + f->values.count / 2 + 16};
  rw->map = TL_NEW_ARRAY(scratch, tl_value, rw->room);
}

tl_value tl__rewrite_get(tl_rewrite *rw, tl_value v) {
  tl_value root = v;
  while (root < rw->room && rw->map[root]) {
    root = rw->map[root];
  }
  while (v != root) {
    tl_value next = rw->map[v];
    rw->map[v] = root;
    v = next;
  }
  return root;
}

bool tl__rewrite_is_set(tl_rewrite *rw, tl_value v) { return v < rw->room && rw->map[v]; }

void tl__rewrite_set(tl_rewrite *rw, tl_value from, tl_value to) {
  from = tl__rewrite_get(rw, from);
  to = tl__rewrite_get(rw, to);
  if (from == to) {
    return;
  }
  if (from >= rw->room) {
    uint32_t room = 2 * (from > rw->func->values.count ? from : rw->func->values.count);
    rw->map = tl_arena_grow(rw->scratch, rw->map, sizeof *rw->map * rw->room, sizeof *rw->map * room);
    rw->room = room;
  }
  rw->map[from] = to;
  rw->changed = true;
}

/* Extents of one type; types share extent arrays, so a changed array is a new one. */
static void rewrite_extents(tl_rewrite *rw, tl_type *type) {
  tl_type t = *type;
  if (t.element) {
    tl_type element = *t.element;
    rewrite_extents(rw, &element);
    if (element.extents != t.element->extents) {
      type->element = tl__type_copy(rw->func, element);
    }
  }
  tl_extent *fresh = NULL;
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value == TL_NO_VALUE) {
      continue;
    }
    tl_value to = tl__rewrite_get(rw, t.extents[i].value);
    int64_t fixed;
    bool is_fixed = tl_is_const_int(rw->func, to, &fixed) && fixed >= 0;
    if (to == t.extents[i].value && !is_fixed) {
      continue;
    }
    if (!fresh) {
      fresh = TL_NEW_ARRAY(rw->func->arena, tl_extent, t.rank);
      for (int k = 0; k < t.rank; k++) {
        fresh[k] = t.extents[k];
      }
    }
    fresh[i] = is_fixed ? (tl_extent){.fixed = fixed} : (tl_extent){.value = to};
  }
  if (fresh) {
    type->extents = fresh;
  }
}

static void rewrite_type(tl_rewrite *rw, tl_value v) {
  tl_type type = tl_type_of(rw->func, v);
  rewrite_extents(rw, &type);
  rw->func->values.data[v].type = type;
}

void tl__rewrite_op(tl_rewrite *rw, tl_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (op->operands[i]) {
      op->operands[i] = tl__rewrite_get(rw, op->operands[i]);
    }
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    rewrite_type(rw, op->first_result + i);
  }
  if (op->code == TL_OP_alloc || tl_op_states_shape(op->code)) {
    tl_type t = tl_type_of(rw->func, op->first_result);
    uint32_t n = op->code == TL_OP_alloc ? 0 : (uint32_t)tl_op_table[op->code].arity;
    for (int i = 0; i < t.rank; i++) {
      if (t.extents[i].value) {
        op->operands[n++] = t.extents[i].value;
      }
    }
    op->operand_count = n;
  }
}

void tl__rewrite_params(tl_rewrite *rw, tl_region *r) {
  for (uint32_t i = 0; i < r->params.count; i++) {
    rewrite_type(rw, r->params.data[i]);
  }
}

void tl__rewrite_yields(tl_rewrite *rw, tl_region *r) {
  for (uint32_t i = 0; i < r->yields.count; i++) {
    r->yields.data[i] = tl__rewrite_get(rw, r->yields.data[i]);
  }
}

void tl__rewrite_region(tl_rewrite *rw, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    tl__rewrite_op(rw, op);
    for (uint32_t k = 0; k < op->region_count; k++) {
      tl__rewrite_region(rw, op->regions[k]);
    }
  }
  tl__rewrite_params(rw, r);
  tl__rewrite_yields(rw, r);
}

tl_op **tl__region_take(tl_arena *scratch, tl_region *r, uint32_t *out_count) {
  uint32_t n = r->ops.count;
  tl_op **ops = TL_NEW_ARRAY(scratch, tl_op *, n ? n : 1);
  for (uint32_t i = 0; i < n; i++) {
    ops[i] = r->ops.data[i];
  }
  r->ops.count = 0;
  *out_count = n;
  return ops;
}

void tl__region_append(tl_func *f, tl_region *r, tl_op *op) {
  TL_PUSH(f->arena, r->ops, op);
  if (op->parent != r) {
    op->parent = r;
    for (uint32_t i = 0; i < op->result_count; i++) {
      f->values.data[op->first_result + i].region = r;
    }
  }
}

bool tl__region_contains(const tl_region *outer, const tl_region *inner) {
  while (inner != outer) {
    if (!inner->parent) {
      return false;
    }
    inner = inner->parent->parent;
  }
  return true;
}

bool tl__op_contains(const tl_op *op, const tl_region *inner) {
  while (inner->parent && inner->parent != op) {
    inner = inner->parent->parent;
  }
  return inner->parent;
}

bool tl__value_visible(const tl_func *f, tl_value v, const tl_region *region) {
  return tl__region_contains(tl_info(f, v)->region, region);
}

void tl__region_each_op(const tl_region *r, void (*visit)(void *, tl_op *), void *ctx) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    visit(ctx, op);
    for (uint32_t k = 0; k < op->region_count; k++) {
      tl__region_each_op(op->regions[k], visit, ctx);
    }
  }
}

static void count_region_uses(const tl_region *r, uint32_t *uses) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      uses[op->operands[k]]++;
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      count_region_uses(op->regions[k], uses);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    uses[r->yields.data[i]]++;
  }
}

uint32_t *tl__use_counts(const tl_func *f, tl_arena *scratch) {
  uint32_t *uses = TL_NEW_ARRAY(scratch, uint32_t, f->values.count + 1);
  count_region_uses(f->body, uses);
  return uses;
}

typedef struct load_counts {
  uint32_t *counts;
  tl_op **a_load;
} load_counts;

uint32_t tl__uses_in(const tl_region *r, uint32_t from, tl_value v) {
  uint32_t n = 0;
  for (uint32_t i = from; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      n += op->operands[k] == v;
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      n += tl__uses_in(op->regions[k], 0, v);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    n += r->yields.data[i] == v;
  }
  return n;
}

static void count_load(void *ctx, tl_op *op) {
  load_counts *c = ctx;
  if (op->code == TL_OP_index) {
    c->counts[op->operands[0]]++;
    c->a_load[op->operands[0]] = op;
  }
}

uint32_t *tl__load_counts(const tl_func *f, tl_arena *scratch, tl_op ***out_a_load) {
  load_counts c = {TL_NEW_ARRAY(scratch, uint32_t, f->values.count + 1),
                   TL_NEW_ARRAY(scratch, tl_op *, f->values.count + 1)};
  tl__region_each_op(f->body, count_load, &c);
  *out_a_load = c.a_load;
  return c.counts;
}

uint32_t tl__op_count(const tl_region *r) {
  uint32_t n = r->ops.count;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    for (uint32_t k = 0; k < r->ops.data[i]->region_count; k++) {
      n += tl__op_count(r->ops.data[i]->regions[k]);
    }
  }
  return n;
}

static void keep_region_params(tl_func *f, tl_region *r, const bool *keep) {
  uint32_t n = 1;
  for (uint32_t i = 1; i < r->params.count; i++) {
    if (keep[i - 1]) {
      f->values.data[r->params.data[i]].index = n;
      r->params.data[n++] = r->params.data[i];
    }
  }
  r->params.count = n;
}

static void keep_yields(tl_region *r, const bool *keep) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->yields.count; i++) {
    if (keep[i]) {
      r->yields.data[n++] = r->yields.data[i];
    }
  }
  r->yields.count = n;
}

/* New consecutive ids for the results that stay. */
static void renew_results(tl_rewrite *rw, tl_op *op, const bool *keep) {
  tl_func *f = rw->func;
  uint32_t old_count = op->result_count;
  tl_value old_first = op->first_result;
  op->result_count = 0;
  op->first_result = TL_NO_VALUE;
  for (uint32_t i = 0; i < old_count; i++) {
    if (keep[i]) {
      const tl_value_info info = *tl_info(f, old_first + i);
      tl_value v = tl_op_add_result(f, op, info.type, info.name);
      if (!tl__rewrite_is_set(rw, old_first + i)) {
        tl__rewrite_set(rw, old_first + i, v);
      }
    }
  }
}

void tl__loop_keep_carries(tl_rewrite *rw, tl_op *op, const bool *keep) {
  uint32_t carries = tl_loop_carries(op), kept = 0;
  bool *results = TL_NEW_ARRAY(rw->scratch, bool, carries + 1);
  for (uint32_t i = 0; i < carries; i++) {
    results[i] = keep[i];
    if (keep[i]) {
      op->operands[2 + kept++] = op->operands[2 + i];
    }
  }
  if (kept == carries) {
    return;
  }
  results[carries] = true;
  op->operand_count = 2 + kept;
  keep_region_params(rw->func, op->regions[0], keep);
  keep_region_params(rw->func, op->regions[1], keep);
  keep_yields(op->regions[1], keep);
  renew_results(rw, op, results);
}

void tl__if_keep_results(tl_rewrite *rw, tl_op *op, const bool *keep) {
  bool all = true;
  for (uint32_t i = 0; i < op->result_count; i++) {
    all = all && keep[i];
  }
  if (all) {
    return;
  }
  keep_yields(op->regions[0], keep);
  keep_yields(op->regions[1], keep);
  renew_results(rw, op, keep);
}

bool tl__same_value(const tl_func *f, tl_value a, tl_value b) {
  if (a == b) {
    return true;
  }
  if (!a || !b || tl_type_of(f, a).dtype != tl_type_of(f, b).dtype) {
    return false;
  }
  int64_t i, j;
  if (tl_is_const_int(f, a, &i)) {
    return tl_is_const_int(f, b, &j) && i == j;
  }
  long double x, y;
  return tl_is_const_float(f, a, &x) && tl_is_const_float(f, b, &y) && x == y && !signbit(x) == !signbit(y);
}

bool tl__loop_const_bound(const tl_func *f, const tl_op *op, uint64_t *out) {
  int64_t lo, hi, step = op->u.step;
  if (!tl_loop_hi(op) || !tl_is_const_int(f, tl_loop_lo(op), &lo) || !tl_is_const_int(f, tl_loop_hi(op), &hi)) {
    return false;
  }
  bool is_unsigned = tl_dtype_is_unsigned(tl_type_of(f, tl_loop_lo(op)).dtype);
  bool runs = step > 0 ? (is_unsigned ? (uint64_t)lo < (uint64_t)hi : lo < hi)
                       : (is_unsigned ? (uint64_t)lo > (uint64_t)hi : lo > hi);
  uint64_t distance = step > 0 ? (uint64_t)hi - (uint64_t)lo : (uint64_t)lo - (uint64_t)hi;
  uint64_t stride = step > 0 ? (uint64_t)step : (uint64_t)0 - (uint64_t)step;
  *out = runs ? distance / stride + (distance % stride != 0) : 0;
  return true;
}

bool tl__loop_const_trips(const tl_func *f, const tl_op *op, int64_t *out) {
  const tl_region *cond = tl_loop_cond(op);
  int64_t holds;
  uint64_t trips;
  if (cond->yields.count == 1 && tl_is_const_int(f, cond->yields.data[0], &holds) && !holds) {
    *out = 0;
    return true;
  }
  if (!tl__loop_const_bound(f, op, &trips) || trips > INT64_MAX || (trips && cond->yields.count)) {
    return false;
  }
  *out = (int64_t)trips;
  return true;
}

bool tl__op_is_commutative(tl_opcode code) {
  return code == TL_OP_add || code == TL_OP_mul || code == TL_OP_and || code == TL_OP_or || code == TL_OP_xor ||
         code == TL_OP_eq || code == TL_OP_ne;
}

/* A chain of calls is looked into this deep; what lies deeper counts as having effects, but a function met again on the
 * way down adds nothing new. */
enum { CALL_DEPTH = 16 };

static bool region_is_pure(const tl_region *r, const tl_func **stack, int depth);

static bool op_is_pure(const tl_func *f, const tl_op *op, const tl_func **stack, int depth) {
  if (op->code == TL_OP_extern) {
    return !op->has_effect && op->result_count > 0;
  }
  if (op->code == TL_OP_call) {
    const tl_func *callee = tl_module_find(f->module, op->callee);
    if (!callee || !callee->body || depth == CALL_DEPTH) {
      return false;
    }
    for (int i = 0; i < depth; i++) {
      if (stack[i] == callee) {
        return true;
      }
    }
    stack[depth] = callee;
    return region_is_pure(callee->body, stack, depth + 1);
  }
  for (uint32_t k = 0; k < op->region_count; k++) {
    if (depth == 0) {
      stack[0] = f;
    }
    if (!region_is_pure(op->regions[k], stack, depth ? depth : 1)) {
      return false;
    }
  }
  return true;
}

static bool region_is_pure(const tl_region *r, const tl_func **stack, int depth) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (!op_is_pure(stack[depth - 1], r->ops.data[i], stack, depth)) {
      return false;
    }
  }
  return true;
}

bool tl__op_is_pure(const tl_func *f, const tl_op *op) {
  const tl_func *stack[CALL_DEPTH];
  return op_is_pure(f, op, stack, 0);
}

bool tl__op_overwrites(const tl_func *f, const tl_op *o, uint32_t operand) {
  if (o->code == TL_OP_call) {
    return tl_func_final(tl_module_find(f->module, o->callee), operand) != TL_NO_RESULT;
  }
  return o->code == TL_OP_loop ? tl_type_of(f, o->operands[operand]).is_array : operand == 0 && tl_op_stores(o);
}
