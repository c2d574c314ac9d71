/* The rules of each op, (C5) to (C19). */
#include "ir/shape.h"
#include "ir/verify_priv.h"

/* ---- elementwise ops ---- */

static bool dtype_fits(tl_operand_kind kind, uint32_t index, tl_dtype d) {
  switch (kind) {
  case TL_OPERANDS_NUM:
    return d != TL_BOOL;
  case TL_OPERANDS_INT:
    return !tl_dtype_is_float(d);
  case TL_OPERANDS_FLT:
    return tl_dtype_is_float(d);
  case TL_OPERANDS_BOOL:
    return d == TL_BOOL;
  case TL_OPERANDS_FLT_INT:
    return index == 0 ? tl_dtype_is_float(d) : d == TL_I32;
  case TL_OPERANDS_INT_FLT:
    return index == 0 ? d == TL_I32 : tl_dtype_is_float(d);
  case TL_OPERANDS_SELECT:
    return index > 0 || d == TL_BOOL;
  case TL_OPERANDS_ANY:
    return true;
  case TL_OPERANDS_OTHER:
    break;
  }
  return false;
}

static const char *kind_text(tl_operand_kind kind) {
  switch (kind) {
  case TL_OPERANDS_NUM:
    return "numbers";
  case TL_OPERANDS_INT:
    return "integers or i1";
  case TL_OPERANDS_FLT:
    return "floating scalars";
  case TL_OPERANDS_BOOL:
    return "an i1";
  case TL_OPERANDS_FLT_INT:
    return "a floating scalar and an i32";
  case TL_OPERANDS_INT_FLT:
    return "an i32 and a floating scalar";
  case TL_OPERANDS_SELECT:
    return "an i1 and two alike";
  case TL_OPERANDS_ANY:
    return "a scalar";
  case TL_OPERANDS_OTHER:
    break;
  }
  return "?";
}

/* Which operand the others and a result of kind SAME agree with. */
static uint32_t leading_operand(tl_operand_kind kind) {
  return kind == TL_OPERANDS_SELECT || kind == TL_OPERANDS_INT_FLT ? 1 : 0;
}

static bool same_shape(tl_type a, tl_type b) {
  a.dtype = b.dtype;
  return tl__types_agree(a, b);
}

static void check_elementwise(tl_verifier *v, const tl_op *op, const tl_op_info *row) {
  const tl_func *f = v->func;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_type t = tl_type_of(f, op->operands[i]);
    if (t.is_array || !dtype_fits(row->operands, i, t.dtype)) {
      tl__verify_fail(v, op, "C5", "operand %u has type %s; the op takes %s", i, tl__type_text(v, t),
                      kind_text(row->operands));
      return;
    }
  }
  uint32_t lead = leading_operand(row->operands);
  tl_dtype same = tl_type_of(f, op->operands[lead]).dtype;
  bool alike = row->operands != TL_OPERANDS_FLT_INT && op->code != TL_OP_shl && op->code != TL_OP_shr;
  for (uint32_t i = lead + 1; alike && i < op->operand_count; i++) {
    if (tl_type_of(f, op->operands[i]).dtype != same) {
      tl__verify_fail(v, op, "C5", "operand %u has type %s, operand %u %s", lead, tl_dtype_name(same), i,
                      tl_dtype_name(tl_type_of(f, op->operands[i]).dtype));
      return;
    }
  }
  tl_type shape = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_type t = tl_type_of(f, op->operands[i]);
    if (t.is_tensor && shape.is_tensor && !same_shape(t, shape)) {
      tl__verify_fail(v, op, "C5", "operand %u has type %s, an operand before it %s", i, tl__type_text(v, t),
                      tl__type_text(v, shape));
      return;
    }
    shape = t.is_tensor ? t : shape;
  }
  tl_type got = op->result_count == 1 ? tl_type_of(f, op->first_result) : (tl_type){0};
  if (op->result_count != 1 || got.is_array || got.is_tensor != shape.is_tensor ||
      (got.is_tensor && !same_shape(got, shape))) {
    tl__verify_fail(v, op, "C6", "an elementwise op has one result, a scalar or of the shape of its tensors");
    return;
  }
  tl_dtype want = got.dtype;
  switch (row->result) {
  case TL_RESULT_SAME:
    want = same;
    break;
  case TL_RESULT_BOOL:
    want = TL_BOOL;
    break;
  case TL_RESULT_I32:
    want = TL_I32;
    break;
  case TL_RESULT_I64:
    want = TL_I64;
    break;
  case TL_RESULT_GIVEN:
  case TL_RESULT_OTHER:
    break;
  }
  if (got.dtype != want) {
    tl__verify_fail(v, op, "C6", "the result has type %s; the row gives %s", tl_dtype_name(got.dtype),
                    tl_dtype_name(want));
  }
}

/* ---- structural ops ---- */

static bool one_result(tl_verifier *v, const tl_op *op, const char *rule) {
  if (op->result_count == 1) {
    return true;
  }
  tl__verify_fail(v, op, rule, "the op has one result, not %u", op->result_count);
  return false;
}

static void check_const(tl_verifier *v, const tl_op *op) {
  if (!one_result(v, op, "C7")) {
    return;
  }
  tl_type t = tl_type_of(v->func, op->first_result);
  if (!tl_is_scalar(t)) {
    tl__verify_fail(v, op, "C7", "a constant is a scalar");
  } else if (tl_dtype_is_float(t.dtype)) {
    long double x = op->u.floating;
    if (x == x && tl_dtype_round(t.dtype, x) != x) {
      tl__verify_fail(v, op, "C7", "%Lg is no value of %s", x, tl_dtype_name(t.dtype));
    }
  } else if (tl_dtype_wrap(t.dtype, op->u.integer) != op->u.integer) {
    tl__verify_fail(v, op, "C7", "%lld is no value of %s", (long long)op->u.integer, tl_dtype_name(t.dtype));
  }
}

/* Whether the operands from number `next` on are the type's symbolic extents. */
static bool extents_are_operands(const tl_op *op, uint32_t next, tl_type t) {
  bool stated = op->code == TL_OP_alloc || tl_op_states_shape(op->code);
  for (int i = 0; stated && i < t.rank; i++) {
    tl_value e = t.extents[i].value;
    if (e != TL_NO_VALUE && (next >= op->operand_count || op->operands[next++] != e)) {
      return false;
    }
  }
  return next == op->operand_count;
}

static void check_alloc(tl_verifier *v, const tl_op *op) {
  if (!one_result(v, op, "C8")) {
    return;
  }
  tl_type t = tl_type_of(v->func, op->first_result);
  if (!t.is_array) {
    tl__verify_fail(v, op, "C8", "the result is an array");
    return;
  }
  if (!extents_are_operands(op, 0, t)) {
    tl__verify_fail(v, op, "C8", "the operands are the symbolic extents of %s in order", tl__type_text(v, t));
    return;
  }
  if (op->u.flags & ~(unsigned)(TL_ALLOC_ZEROED | TL_ALLOC_TAPE | TL_ALLOC_GROW | TL_ALLOC_LOCAL | TL_ALLOC_TABLE)) {
    tl__verify_fail(v, op, "C8", "unknown flags 0x%x", op->u.flags);
  }
  if ((op->u.flags & TL_ALLOC_GROW) && t.rank != 1) {
    tl__verify_fail(v, op, "C8", "an array that grows has rank 1");
  }
}

/* Operands array, index..., and then `extra` more. */
static bool check_indices(tl_verifier *v, const tl_op *op, const char *rule, uint32_t extra) {
  if (!one_result(v, op, rule)) {
    return false;
  }
  tl_type a = tl_type_of(v->func, op->operands[0]);
  if (!a.is_array) {
    tl__verify_fail(v, op, rule, "operand 0 has type %s; it is an array", tl__type_text(v, a));
    return false;
  }
  if (op->operand_count != 1 + (uint32_t)a.rank + extra) {
    tl__verify_fail(v, op, rule, "%u indices for an array of rank %d",
                    op->operand_count >= 1 + extra ? op->operand_count - 1 - extra : 0, a.rank);
    return false;
  }
  for (int i = 1; i <= a.rank; i++) {
    tl_type t = tl_type_of(v->func, op->operands[i]);
    if (!tl__is_integer_scalar(t)) {
      tl__verify_fail(v, op, rule, "index %d has type %s; it is an integer scalar", i - 1, tl__type_text(v, t));
      return false;
    }
  }
  return true;
}

static bool is_element(tl_type t, tl_type array) {
  return array.element ? tl__types_agree(t, *array.element) : tl__is_scalar_of(t, array.dtype);
}

static const char *element_text(const tl_verifier *v, tl_type array) {
  return array.element ? tl__type_text(v, *array.element) : tl_dtype_name(array.dtype);
}

static void check_index(tl_verifier *v, const tl_op *op) {
  if (check_indices(v, op, "C9", 0)) {
    tl_type a = tl_type_of(v->func, op->operands[0]);
    if (!is_element(tl_type_of(v->func, op->first_result), a)) {
      tl__verify_fail(v, op, "C9", "the result is an element of the array, %s", element_text(v, a));
    }
  }
}

static void check_stored(tl_verifier *v, const tl_op *op, const char *rule, tl_value x) {
  tl_type t = tl_type_of(v->func, x), a = tl_type_of(v->func, op->operands[0]);
  if (!is_element(t, a)) {
    tl__verify_fail(v, op, rule, "the value has type %s; the array's elements have %s", tl__type_text(v, t),
                    element_text(v, a));
  }
}

static void check_version(tl_verifier *v, const tl_op *op, const char *rule) {
  tl_type t = tl_type_of(v->func, op->first_result), a = tl_type_of(v->func, op->operands[0]);
  if (!tl__types_agree(t, a)) {
    tl__verify_fail(v, op, rule, "the result has type %s; the array has %s", tl__type_text(v, t), tl__type_text(v, a));
  }
}

static void check_update(tl_verifier *v, const tl_op *op) {
  if (check_indices(v, op, "C10", 1)) {
    check_stored(v, op, "C10", op->operands[op->operand_count - 1]);
    check_version(v, op, "C10");
  }
}

/* fill, clone and accumulate. */
static void check_whole(tl_verifier *v, const tl_op *op) {
  if (!one_result(v, op, "C11")) {
    return;
  }
  tl_type a = tl_type_of(v->func, op->operands[0]);
  if (!a.is_array) {
    tl__verify_fail(v, op, "C11", "operand 0 has type %s; it is an array", tl__type_text(v, a));
    return;
  }
  if (op->code == TL_OP_fill) {
    check_stored(v, op, "C11", op->operands[1]);
  } else if (op->code == TL_OP_accumulate) {
    tl_type b = tl_type_of(v->func, op->operands[1]);
    if (!tl__types_agree(a, b) || a.dtype == TL_BOOL) {
      tl__verify_fail(v, op, "C11", "%s is added to %s", tl__type_text(v, b), tl__type_text(v, a));
    }
  }
  check_version(v, op, "C11");
}

/* ---- tensors ---- */

/* Some extent that is a value: what the product of two is does not matter where types are compared. */
static tl_extent unknown_product(void *ctx, tl_extent a, tl_extent b) {
  (void)ctx;
  return a.value ? a : b;
}

static bool attributes_hold(tl_verifier *v, const tl_op *op, const tl_op_info *row) {
  for (int i = 0; i < row->attr_count; i++) {
    if (row->attrs[i].kind != TL_ATTR_SHAPE && !op->attrs) {
      tl__verify_fail(v, op, "C23", "there are no attributes");
      return false;
    }
    if (row->attrs[i].kind == TL_ATTR_MODE && (uint64_t)op->attrs[i].integer > TL_INDEX_FILL) {
      tl__verify_fail(v, op, "C23", "no index mode has the number %lld", (long long)op->attrs[i].integer);
      return false;
    }
    if (row->attrs[i].kind == TL_ATTR_REDUCER && (uint64_t)op->attrs[i].integer > TL_REDUCE_REPLACE) {
      tl__verify_fail(v, op, "C23", "no reducer has the number %lld", (long long)op->attrs[i].integer);
      return false;
    }
    if (row->attrs[i].kind == TL_ATTR_DTYPE && (uint64_t)op->attrs[i].integer >= TL_DTYPE_COUNT) {
      tl__verify_fail(v, op, "C23", "no dtype has the number %lld", (long long)op->attrs[i].integer);
      return false;
    }
  }
  return true;
}

static void check_tensor_op(tl_verifier *v, const tl_op *op, const tl_op_info *row) {
  const tl_func *f = v->func;
  if (!one_result(v, op, "C23") || !attributes_hold(v, op, row)) {
    return;
  }
  tl_tensor_type types[4], want;
  for (uint32_t i = 0; i < (uint32_t)row->arity; i++) {
    tl_type t = tl_type_of(f, op->operands[i]);
    if (!t.is_tensor && !(op->code == TL_OP_broadcast && tl_is_scalar(t))) {
      tl__verify_fail(v, op, "C23", "operand %u has type %s; it is a tensor", i, tl__type_text(v, t));
      return;
    }
    types[i] = tl__shape_of_value(f, op->operands[i]);
  }
  tl_type got = tl_type_of(f, op->first_result);
  if (!extents_are_operands(op, (uint32_t)row->arity, got)) {
    tl__verify_fail(v, op, "C23", "the last operands are the symbolic extents of %s in order", tl__type_text(v, got));
    return;
  }
  tl_attr attrs[TL_MAX_ATTRS];
  for (int i = 0; i < row->attr_count; i++) {
    attrs[i] = row->attrs[i].kind == TL_ATTR_SHAPE ? (tl_attr){.shape = {got.rank, got.extents}} : op->attrs[i];
  }
  tl_shape_rules rules = {.product = unknown_product};
  if (!got.is_tensor) {
    tl__verify_fail(v, op, "C23", "the result has type %s; it is a tensor", tl__type_text(v, got));
  } else if (tl_shape_table[op->code](&rules, types, attrs, &want) != TL_OK) {
    tl__verify_fail(v, op, "C23", "%s", rules.message);
  } else if (!tl__types_agree(got, (tl_type){.dtype = want.dtype,
                                             .is_tensor = true,
                                             .rank = want.rank,
                                             .extents = want.dim,
                                             .axis_names = want.axis})) {
    tl__verify_fail(v, op, "C23", "the result has type %s, which is not that of the op", tl__type_text(v, got));
  }
}

static void check_item(tl_verifier *v, const tl_op *op) {
  tl_type t = tl_type_of(v->func, op->operands[0]);
  if (one_result(v, op, "C24") &&
      (!t.is_tensor || t.rank != 0 || !tl__is_scalar_of(tl_type_of(v->func, op->first_result), t.dtype))) {
    tl__verify_fail(v, op, "C24", "%s is no tensor of rank 0 with the result's dtype", tl__type_text(v, t));
  }
}

static void check_pack(tl_verifier *v, const tl_op *op) {
  tl_type a = tl_type_of(v->func, op->operands[0]);
  if (!one_result(v, op, "C25")) {
    return;
  }
  tl_type t = tl_type_of(v->func, op->first_result);
  bool fits = a.is_array && !a.element && a.rank == 1 && t.is_tensor && t.rank == 1 && t.dtype == a.dtype &&
              t.extents[0].value == a.extents[0].value &&
              (t.extents[0].value || (t.extents[0].fixed == a.extents[0].fixed && t.extents[0].fixed >= 0));
  if (!fits) {
    tl__verify_fail(v, op, "C25", "%s as a tensor", tl__type_text(v, a));
  }
}

static void check_dim(tl_verifier *v, const tl_op *op) {
  tl_type t = tl_type_of(v->func, op->operands[0]);
  if (one_result(v, op, "C24") && (!t.is_tensor || op->u.integer < 0 || op->u.integer >= t.rank ||
                                   !tl__is_scalar_of(tl_type_of(v->func, op->first_result), TL_I64))) {
    tl__verify_fail(v, op, "C24", "axis %lld of %s as an i64", (long long)op->u.integer, tl__type_text(v, t));
  }
}

/* ---- control ---- */
static void check_if_operands(tl_verifier *v, const tl_op *op) {
  tl_type c = tl_type_of(v->func, op->operands[0]);
  if (!tl__is_scalar_of(c, TL_BOOL)) {
    tl__verify_fail(v, op, "C12", "the condition has type %s; it is an i1", tl__type_text(v, c));
  }
}

static void check_if_regions(tl_verifier *v, const tl_op *op) {
  for (uint32_t r = 0; r < 2; r++) {
    const tl_region *region = op->regions[r];
    if (region->params.count) {
      tl__verify_fail(v, op, "C12", "region %u has parameters", r);
    }
    if (region->yields.count != op->result_count) {
      tl__verify_fail(v, op, "C12", "region %u yields %u values for %u results", r, region->yields.count,
                      op->result_count);
      continue;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
      tl_value y = region->yields.data[i];
      if (tl__value_exists(v->func, y) &&
          !tl__types_agree(tl_type_of(v->func, y), tl_type_of(v->func, tl_op_result(op, i)))) {
        tl__verify_fail(v, op, "C12", "yield %u of region %u has type %s; the result has %s", i, r,
                        tl__type_text(v, tl_type_of(v->func, y)),
                        tl__type_text(v, tl_type_of(v->func, tl_op_result(op, i))));
      }
    }
  }
}

static void check_loop_operands(tl_verifier *v, const tl_op *op) {
  const tl_func *f = v->func;
  tl_type lo = tl_type_of(f, tl_loop_lo(op));
  if (!tl__is_integer_scalar(lo)) {
    tl__verify_fail(v, op, "C13", "lo has type %s; it is an integer scalar", tl__type_text(v, lo));
  }
  tl_value hi = tl_loop_hi(op);
  if (hi != TL_NO_VALUE && !tl__is_scalar_of(tl_type_of(f, hi), lo.dtype)) {
    tl__verify_fail(v, op, "C13", "hi has type %s; lo has %s", tl__type_text(v, tl_type_of(f, hi)),
                    tl__type_text(v, lo));
  }
  if (op->u.step == 0) {
    tl__verify_fail(v, op, "C13", "the step is 0");
  }
  for (uint32_t r = 0; r < 2; r++) {
    const tl_region *region = op->regions[r];
    if (region->params.count != 1 + tl_loop_carries(op)) {
      tl__verify_fail(v, op, "C14", "the %s has %u parameters; it has the induction variable and %u carries",
                      r ? "body" : "condition", region->params.count, tl_loop_carries(op));
    }
  }
}

/* Types of the parameters, once they are known to exist. */
static void check_loop_params(tl_verifier *v, const tl_op *op, const tl_region *region, const char *what) {
  const tl_func *f = v->func;
  for (uint32_t i = 0; i < region->params.count && i <= tl_loop_carries(op); i++) {
    if (!tl__value_exists(f, region->params.data[i])) {
      continue; /* reported by (C2) */
    }
    tl_type want = i ? tl_type_of(f, tl_loop_init(op, i - 1)) : tl_scalar(tl_type_of(f, tl_loop_lo(op)).dtype);
    tl_type got = tl_type_of(f, region->params.data[i]);
    if (!tl__types_agree(got, want)) {
      tl__verify_fail(v, op, "C14", "parameter %u of the %s has type %s, not %s", i, what, tl__type_text(v, got),
                      tl__type_text(v, want));
    }
  }
}

static void check_loop_regions(tl_verifier *v, const tl_op *op) {
  const tl_func *f = v->func;
  const tl_region *cond = tl_loop_cond(op), *body = tl_loop_body(op);
  uint32_t carries = tl_loop_carries(op);
  check_loop_params(v, op, cond, "condition");
  check_loop_params(v, op, body, "body");
  if (cond->yields.count > 1) {
    tl__verify_fail(v, op, "C15", "the condition yields %u values", cond->yields.count);
  } else if (cond->yields.count == 1) {
    tl_value y = cond->yields.data[0];
    if (tl__value_exists(f, y) && !tl__is_scalar_of(tl_type_of(f, y), TL_BOOL)) {
      tl__verify_fail(v, op, "C15", "the condition yields %s; it yields an i1", tl__type_text(v, tl_type_of(f, y)));
    }
  }
  if (body->yields.count != carries) {
    tl__verify_fail(v, op, "C15", "the body yields %u values for %u carries", body->yields.count, carries);
  }
  for (uint32_t i = 0; i < carries && i < body->yields.count; i++) {
    tl_value y = body->yields.data[i];
    if (tl__value_exists(f, y) && !tl__types_agree(tl_type_of(f, y), tl_type_of(f, tl_loop_init(op, i)))) {
      tl__verify_fail(v, op, "C15", "the body yields %s for carry %u of type %s", tl__type_text(v, tl_type_of(f, y)), i,
                      tl__type_text(v, tl_type_of(f, tl_loop_init(op, i))));
    }
  }
  if (op->result_count != carries + 1) {
    tl__verify_fail(v, op, "C15", "%u results; they are %u carries and the trip count", op->result_count, carries);
    return;
  }
  for (uint32_t i = 0; i < carries; i++) {
    tl_type got = tl_type_of(f, tl_op_result(op, i)), want = tl_type_of(f, tl_loop_init(op, i));
    if (!tl__types_agree(got, want)) {
      tl__verify_fail(v, op, "C15", "result %u has type %s; the carry has %s", i, tl__type_text(v, got),
                      tl__type_text(v, want));
    }
  }
  if (!tl__is_scalar_of(tl_type_of(f, tl_loop_trips(op)), TL_I64)) {
    tl__verify_fail(v, op, "C15", "the trip count has type %s; it is an i64",
                    tl__type_text(v, tl_type_of(f, tl_loop_trips(op))));
  }
  if (op->reversed && (tl_loop_hi(op) == TL_NO_VALUE || cond->yields.count)) {
    tl__verify_fail(v, op, "C16", "only a counted loop without condition is reversed");
  }
}

typedef struct call_chain {
  const struct call_chain *outer;
  const tl_func *func;
} call_chain;

/* Whether running the region can have an effect, through calls too. A function that calls itself adds none by that. */
static bool has_effects(const tl_region *region, const call_chain *chain) {
  for (uint32_t i = 0; i < region->ops.count; i++) {
    const tl_op *op = region->ops.data[i];
    if (op->code == TL_OP_extern && op->has_effect) {
      return true;
    }
    for (uint32_t r = 0; r < op->region_count; r++) {
      if (has_effects(op->regions[r], chain)) {
        return true;
      }
    }
    if (op->code == TL_OP_call && op->callee) {
      const tl_func *callee = tl_module_find(chain->func->module, op->callee);
      const call_chain *c = chain;
      while (c && c->func != callee) {
        c = c->outer;
      }
      if (callee && !c && has_effects(callee->body, &(call_chain){chain, callee})) {
        return true;
      }
    }
  }
  return false;
}

/* Does a callee's value of type `want` take or give one of type `got`? An extent that it does not know agrees with all.
 */
static bool takes(tl_type want, tl_type got) {
  tl_extent extents[TL_MAX_RANK];
  for (int i = 0; i < want.rank && want.rank == got.rank; i++) {
    bool is_open = want.extents[i].value == TL_NO_VALUE && want.extents[i].fixed < 0;
    extents[i] = is_open ? got.extents[i] : want.extents[i];
  }
  want.extents = extents;
  return tl__types_agree(got, want);
}

/* How many indices follow the arguments of a call. The part of an array that they start is one row. */
static uint32_t check_views(tl_verifier *v, const tl_op *op, uint32_t arguments) {
  uint32_t count = 0;
  for (uint32_t i = 0; op->views && i < arguments && i < op->operand_count; i++) {
    if (!op->views[i]) {
      continue;
    }
    tl_type t = tl_type_of(v->func, op->operands[i]);
    bool fits = t.is_array && t.rank && op->views[i] == arguments + count &&
                arguments + count + (uint32_t)t.rank <= op->operand_count;
    count += fits ? (uint32_t)t.rank : 0;
    for (uint32_t k = 0; fits && k < (uint32_t)t.rank; k++) {
      tl_type index = tl_type_of(v->func, op->operands[op->views[i] + k]);
      fits = tl_is_scalar(index) && !tl_dtype_is_float(index.dtype);
    }
    if (!fits) {
      tl__verify_fail(v, op, "C18", "argument %u is no array that these indices are in", i);
      break;
    }
  }
  return count;
}

static void check_call(tl_verifier *v, const tl_op *op) {
  const tl_func *f = v->func;
  const tl_func *callee = op->callee ? tl_module_find(f->module, op->callee) : NULL;
  if (!callee) {
    tl__verify_fail(v, op, "C18", "the module has no function '%s'", op->callee ? op->callee : "");
    return;
  }
  const tl_region *body = callee->body;
  /* A derivative whose body is not complete yet is known by its signature; its yields are checked when it is. */
  bool begun = !body->yields.count && callee->results.count;
  uint32_t result_count = begun ? callee->results.count : body->yields.count;
  uint32_t indices = check_views(v, op, body->params.count);
  if (op->operand_count != body->params.count + indices || op->result_count != result_count) {
    tl__verify_fail(v, op, "C18", "%u arguments and %u results; '%s' has %u and %u", op->operand_count - indices,
                    op->result_count, callee->name, body->params.count, result_count);
    return;
  }
  for (uint32_t i = 0; i < body->params.count; i++) {
    if (op->views && op->views[i]) {
      continue;
    }
    if (!tl__value_exists(callee, body->params.data[i])) {
      continue; /* reported where the callee is verified */
    }
    tl_type got = tl_type_of(f, op->operands[i]), want = tl_type_of(callee, body->params.data[i]);
    if (!takes(want, got)) {
      tl__verify_fail(v, op, "C18", "argument %u has type %s; '%s' takes %s of rank %d", i, tl__type_text(v, got),
                      callee->name, tl_dtype_name(want.dtype), want.rank);
    }
  }
  for (uint32_t i = 0; i < op->result_count && !begun; i++) {
    tl_value y = body->yields.data[i];
    if (!tl__value_exists(callee, y)) {
      continue;
    }
    const tl_result *r = i < callee->results.count ? &callee->results.data[i] : NULL;
    bool part = op->views && r && r->role == TL_RESULT_FINAL && op->views[r->param];
    tl_type got = tl_type_of(f, tl_op_result(op, i));
    tl_type want = part ? tl_type_of(f, op->operands[r->param]) : tl_type_of(callee, y);
    if (!takes(want, got)) {
      tl__verify_fail(v, op, "C18", "result %u has type %s; '%s' gives %s of rank %d", i, tl__type_text(v, got),
                      callee->name, tl_dtype_name(want.dtype), want.rank);
    }
  }
  if (v->condition_depth && has_effects(body, &(call_chain){NULL, callee})) {
    tl__verify_fail(v, op, "C17", "'%s' has effects and is called in a loop's condition", callee->name);
  }
}

/* The number at *p, which is moved past it; UINT32_MAX where there is none. */
static uint32_t number_at(const char **p) {
  uint64_t k = **p >= '0' && **p <= '9' ? 0 : UINT32_MAX;
  while (**p >= '0' && **p <= '9') {
    k = k < UINT32_MAX ? 10 * k + (uint64_t)(**p - '0') : k;
    ++*p;
  }
  return k < UINT32_MAX ? (uint32_t)k : UINT32_MAX;
}

static void check_extern(tl_verifier *v, const tl_op *op) {
  if (!op->callee || !*op->callee) {
    tl__verify_fail(v, op, "C19", "the C function has no name");
  }
  if (op->result_count > 1) {
    tl__verify_fail(v, op, "C19", "%u results; a C function has at most one", op->result_count);
  }
  if (!op->format) {
    tl__verify_fail(v, op, "C19", "there is no argument list");
    return;
  }
  for (const char *p = op->format; *p;) {
    char sign = *p++;
    if (sign != '%' && sign != '$') {
      continue;
    }
    if (*p == sign) {
      p++;
    } else if (number_at(&p) >= (sign == '%' ? op->operand_count : v->func->cparams.count)) {
      tl__verify_fail(v, op, "C19", "the argument list \"%s\" names %s that is not there", op->format,
                      sign == '%' ? "an operand" : "a parameter");
      return;
    }
  }
  if (v->condition_depth && op->has_effect) {
    tl__verify_fail(v, op, "C17", "a C function with effects is called in a loop's condition");
  }
}

void tl__verify_op(tl_verifier *v, const tl_op *op) {
  const tl_op_info *row = &tl_op_table[op->code];
  switch (op->code) {
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) case TL_OP_##name:
#include "ir/ops.def"
    check_elementwise(v, op, row);
    break;
  case TL_OP_const:
    check_const(v, op);
    break;
  case TL_OP_alloc:
    check_alloc(v, op);
    break;
  case TL_OP_index:
    check_index(v, op);
    break;
  case TL_OP_update:
    check_update(v, op);
    break;
  case TL_OP_fill:
  case TL_OP_clone:
  case TL_OP_accumulate:
    check_whole(v, op);
    break;
#define TL_TEN(name, class, arity, attributes, doc) case TL_OP_##name:
#include "ir/ops.def"
    check_tensor_op(v, op, row);
    break;
  case TL_OP_item:
    check_item(v, op);
    break;
  case TL_OP_pack:
    check_pack(v, op);
    break;
  case TL_OP_dim:
    check_dim(v, op);
    break;
  case TL_OP_if:
    check_if_operands(v, op);
    break;
  case TL_OP_loop:
    check_loop_operands(v, op);
    break;
  case TL_OP_call:
    check_call(v, op);
    break;
  case TL_OP_extern:
    check_extern(v, op);
    break;
  case TL_OP_COUNT:
    break;
  }
}

void tl__verify_regions(tl_verifier *v, const tl_op *op) {
  if (op->code == TL_OP_if) {
    check_if_regions(v, op);
  } else if (op->code == TL_OP_loop) {
    check_loop_regions(v, op);
  }
}
