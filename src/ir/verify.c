/* The rules of DXIR. docs/ir.md states each under its label; a message quotes the label.
 *
 * One walk in order over ops and regions. A value is visible from its definition to the end of the region that it was
 * defined in, so dominance is one byte per value: set at the definition, cleared where the region ends. Nothing is
 * looked up twice; the walk is linear in the size of the function. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

enum { ERRORS_PER_FUNCTION = 16 };

enum { UNSEEN, VISIBLE, LEFT }; /* of a value: not defined yet, usable here, its region has ended */

typedef struct verifier {
  const tl_func *func;
  unsigned char *state;     /* by value */
  uint32_t condition_depth; /* > 0 inside a loop's condition */
  uint32_t errors;
} verifier;

/* ---- messages ---- */

static const char *value_text(const verifier *v, tl_value x) {
  tl_arena *arena = v->func->module->diag->arena;
  if (x == TL_NO_VALUE || x >= v->func->values.count) {
    return x == TL_NO_VALUE ? "no value" : tl_arena_printf(arena, "%%%u (no such value)", x);
  }
  const char *name = tl_info(v->func, x)->name;
  return name ? tl_arena_printf(arena, "%%%s.%u", name, x) : tl_arena_printf(arena, "%%%u", x);
}

static const char *type_text(const verifier *v, tl_type t) {
  tl_arena *arena = v->func->module->diag->arena;
  if (!t.is_array) {
    return tl_dtype_name(t.dtype);
  }
  const char *text = tl_arena_printf(arena, "%s[", tl_dtype_name(t.dtype));
  for (int i = 0; i < t.rank && i < TL_MAX_RANK && t.extents; i++) {
    const char *comma = i ? ", " : "";
    text = t.extents[i].value != TL_NO_VALUE
               ? tl_arena_printf(arena, "%s%s%s", text, comma, value_text(v, t.extents[i].value))
               : tl_arena_printf(arena, "%s%s%lld", text, comma, (long long)t.extents[i].fixed);
  }
  return tl_arena_printf(arena, "%s]", text);
}

static bool full(verifier *v) { return ++v->errors > ERRORS_PER_FUNCTION; }

/* `op` NULL: the rule is about the function itself. */
__attribute__((format(printf, 4, 5))) static void fail(verifier *v, const tl_op *op, const char *rule,
                                                       const char *format, ...) {
  if (full(v)) {
    return;
  }
  tl_diag *d = v->func->module->diag;
  va_list args;
  va_start(args, format);
  const char *text = tl_arena_vprintf(d->arena, format, args);
  va_end(args);
  if (!op) {
    tl_diag_error(d, TL_IR_INVALID, v->func->loc, "function '%s': (%s) %s", v->func->name, rule, text);
    return;
  }
  const char *name = (unsigned)op->code < TL_OP_COUNT ? tl_op_table[op->code].name : "?";
  if (op->result_count) {
    tl_diag_error(d, TL_IR_INVALID, op->loc, "function '%s': op '%s' that defines %s: (%s) %s", v->func->name, name,
                  value_text(v, op->first_result), rule, text);
  } else {
    tl_diag_error(d, TL_IR_INVALID, op->loc, "function '%s': op '%s': (%s) %s", v->func->name, name, rule, text);
  }
}

/* ---- types ---- */

static bool is_integer(tl_dtype d) { return d != TL_BOOL && !tl_dtype_is_float(d); }
static bool is_scalar_of(tl_type t, tl_dtype d) { return !t.is_array && t.dtype == d; }
static bool is_integer_scalar(tl_type t) { return !t.is_array && is_integer(t.dtype); }

/* Extents agree unless both are fixed and differ: what is known of one array's shape may differ from place to place. */
static bool compatible(tl_type a, tl_type b) {
  if (a.dtype != b.dtype || a.is_array != b.is_array || a.rank != b.rank || (a.rank && (!a.extents || !b.extents))) {
    return false;
  }
  for (int i = 0; i < a.rank; i++) {
    tl_extent x = a.extents[i], y = b.extents[i];
    if (x.value == TL_NO_VALUE && y.value == TL_NO_VALUE && x.fixed != y.fixed) {
      return false;
    }
  }
  return true;
}

static bool exists(const tl_func *f, tl_value x) { return x != TL_NO_VALUE && x < f->values.count; }

static bool is_visible(const verifier *v, tl_value x) {
  return exists(v->func, x) && v->state[x] == VISIBLE;
}

/* (C1) at a use. */
static bool check_use(verifier *v, const tl_op *op, const char *what, uint32_t index, tl_value x) {
  if (is_visible(v, x)) {
    return true;
  }
  if (!exists(v->func, x)) {
    fail(v, op, "C1", "%s %u is %s", what, index, value_text(v, x));
  } else {
    fail(v, op, "C1", "%s %u, %s, %s", what, index, value_text(v, x),
         v->state[x] == LEFT ? "is defined in a region that has ended" : "is not defined before it");
  }
  return false;
}

/* (C3), but whether symbolic extents dominate where `extents_later`: those of the function's own parameters may be computed
 * anywhere in the body's region. */
static bool check_type(verifier *v, const tl_op *op, tl_value x, bool extents_later) {
  tl_type t = tl_type_of(v->func, x);
  if ((unsigned)t.dtype >= TL_DTYPE_COUNT) {
    fail(v, op, "C3", "%s has no valid dtype", value_text(v, x));
    return false;
  }
  if (!t.is_array ? t.rank != 0 : t.rank < 0 || t.rank > TL_MAX_RANK) {
    fail(v, op, "C3", "%s has rank %d", value_text(v, x), t.rank);
    return false;
  }
  if (t.rank && !t.extents) {
    fail(v, op, "C3", "%s has no extents", value_text(v, x));
    return false;
  }
  bool ok = true;
  for (int i = 0; i < t.rank; i++) {
    tl_extent e = t.extents[i];
    if (e.value == TL_NO_VALUE) {
      if (e.fixed < 0) {
        fail(v, op, "C3", "extent %d of %s is negative", i, value_text(v, x));
        ok = false;
      }
    } else if (!extents_later) {
      if (!is_visible(v, e.value)) {
        fail(v, op, "C1", "extent %d of %s, %s, is not defined before it", i, value_text(v, x), value_text(v, e.value));
        ok = false;
      } else if (!is_integer_scalar(tl_type_of(v->func, e.value))) {
        fail(v, op, "C3", "extent %d of %s, %s, is no integer scalar", i, value_text(v, x), value_text(v, e.value));
        ok = false;
      }
    }
  }
  return ok;
}

/* (C2): the records of a definition agree. */
static bool check_definition(verifier *v, const tl_op *op, const tl_region *region, uint32_t index, tl_value x) {
  const char *what = op ? "result" : "region parameter";
  if (!exists(v->func, x)) {
    fail(v, op, "C2", "%s %u is %s", what, index, value_text(v, x));
    return false;
  }
  const tl_value_info *info = tl_info(v->func, x);
  if (v->state[x] != UNSEEN) {
    fail(v, op, "C2", "%s %u, %s, is defined twice", what, index, value_text(v, x));
    return false;
  }
  if (info->op != op || info->region != region || info->index != index) {
    fail(v, op ? op : region->parent, "C2", "the record of %s %u, %s, names another op, region or position", what, index,
         value_text(v, x));
    return false;
  }
  return true;
}

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

static void check_elementwise(verifier *v, const tl_op *op, const tl_op_info *row) {
  const tl_func *f = v->func;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_type t = tl_type_of(f, op->operands[i]);
    if (t.is_array || !dtype_fits(row->operands, i, t.dtype)) {
      fail(v, op, "C5", "operand %u has type %s; the op takes %s", i, type_text(v, t), kind_text(row->operands));
      return;
    }
  }
  uint32_t lead = leading_operand(row->operands);
  tl_dtype same = tl_type_of(f, op->operands[lead]).dtype;
  bool alike = row->operands != TL_OPERANDS_FLT_INT && op->code != TL_OP_shl && op->code != TL_OP_shr;
  for (uint32_t i = lead + 1; alike && i < op->operand_count; i++) {
    if (tl_type_of(f, op->operands[i]).dtype != same) {
      fail(v, op, "C5", "operand %u has type %s, operand %u %s", lead, tl_dtype_name(same), i,
           tl_dtype_name(tl_type_of(f, op->operands[i]).dtype));
      return;
    }
  }
  tl_type got = op->result_count == 1 ? tl_type_of(f, op->first_result) : (tl_type){0};
  if (op->result_count != 1 || got.is_array) {
    fail(v, op, "C6", "an elementwise op has one scalar result");
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
    fail(v, op, "C6", "the result has type %s; the row gives %s", tl_dtype_name(got.dtype), tl_dtype_name(want));
  }
}

/* ---- structural ops ---- */

static bool one_result(verifier *v, const tl_op *op, const char *rule) {
  if (op->result_count == 1) {
    return true;
  }
  fail(v, op, rule, "the op has one result, not %u", op->result_count);
  return false;
}

static void check_const(verifier *v, const tl_op *op) {
  if (!one_result(v, op, "C7")) {
    return;
  }
  tl_type t = tl_type_of(v->func, op->first_result);
  if (t.is_array) {
    fail(v, op, "C7", "a constant is a scalar");
  } else if (tl_dtype_is_float(t.dtype)) {
    long double x = op->u.floating;
    if (x == x && tl_dtype_round(t.dtype, x) != x) {
      fail(v, op, "C7", "%Lg is no value of %s", x, tl_dtype_name(t.dtype));
    }
  } else if (tl_dtype_wrap(t.dtype, op->u.integer) != op->u.integer) {
    fail(v, op, "C7", "%lld is no value of %s", (long long)op->u.integer, tl_dtype_name(t.dtype));
  }
}

static void check_alloc(verifier *v, const tl_op *op) {
  if (!one_result(v, op, "C8")) {
    return;
  }
  tl_type t = tl_type_of(v->func, op->first_result);
  if (!t.is_array) {
    fail(v, op, "C8", "the result is an array");
    return;
  }
  uint32_t next = 0;
  for (int i = 0; i < t.rank; i++) {
    tl_value e = t.extents[i].value;
    if (e != TL_NO_VALUE && (next >= op->operand_count || op->operands[next++] != e)) {
      fail(v, op, "C8", "the operands are the symbolic extents of %s in order", type_text(v, t));
      return;
    }
  }
  if (next != op->operand_count) {
    fail(v, op, "C8", "the operands are the symbolic extents of %s in order", type_text(v, t));
  }
  if (op->u.flags & ~(unsigned)(TL_ALLOC_ZEROED | TL_ALLOC_TAPE | TL_ALLOC_GROW | TL_ALLOC_LOCAL)) {
    fail(v, op, "C8", "unknown flags 0x%x", op->u.flags);
  }
  if ((op->u.flags & TL_ALLOC_GROW) && t.rank != 1) {
    fail(v, op, "C8", "an array that grows has rank 1");
  }
}

/* Operands array, index..., and then `extra` more. */
static bool check_indices(verifier *v, const tl_op *op, const char *rule, uint32_t extra) {
  if (!one_result(v, op, rule)) {
    return false;
  }
  tl_type a = tl_type_of(v->func, op->operands[0]);
  if (!a.is_array) {
    fail(v, op, rule, "operand 0 has type %s; it is an array", type_text(v, a));
    return false;
  }
  if (op->operand_count != 1 + (uint32_t)a.rank + extra) {
    fail(v, op, rule, "%u indices for an array of rank %d",
         op->operand_count >= 1 + extra ? op->operand_count - 1 - extra : 0, a.rank);
    return false;
  }
  for (int i = 1; i <= a.rank; i++) {
    tl_type t = tl_type_of(v->func, op->operands[i]);
    if (!is_integer_scalar(t)) {
      fail(v, op, rule, "index %d has type %s; it is an integer scalar", i - 1, type_text(v, t));
      return false;
    }
  }
  return true;
}

static void check_index(verifier *v, const tl_op *op) {
  if (check_indices(v, op, "C9", 0)) {
    tl_dtype d = tl_type_of(v->func, op->operands[0]).dtype;
    if (!is_scalar_of(tl_type_of(v->func, op->first_result), d)) {
      fail(v, op, "C9", "the result is a scalar of the array's dtype %s", tl_dtype_name(d));
    }
  }
}

static void check_stored(verifier *v, const tl_op *op, const char *rule, tl_value x) {
  tl_type t = tl_type_of(v->func, x), a = tl_type_of(v->func, op->operands[0]);
  if (!is_scalar_of(t, a.dtype)) {
    fail(v, op, rule, "the value has type %s; the array's elements have %s", type_text(v, t), tl_dtype_name(a.dtype));
  }
}

static void check_version(verifier *v, const tl_op *op, const char *rule) {
  tl_type t = tl_type_of(v->func, op->first_result), a = tl_type_of(v->func, op->operands[0]);
  if (!compatible(t, a)) {
    fail(v, op, rule, "the result has type %s; the array has %s", type_text(v, t), type_text(v, a));
  }
}

static void check_update(verifier *v, const tl_op *op) {
  if (check_indices(v, op, "C10", 1)) {
    check_stored(v, op, "C10", op->operands[op->operand_count - 1]);
    check_version(v, op, "C10");
  }
}

/* fill, clone and accumulate. */
static void check_whole(verifier *v, const tl_op *op) {
  if (!one_result(v, op, "C11")) {
    return;
  }
  tl_type a = tl_type_of(v->func, op->operands[0]);
  if (!a.is_array) {
    fail(v, op, "C11", "operand 0 has type %s; it is an array", type_text(v, a));
    return;
  }
  if (op->code == TL_OP_fill) {
    check_stored(v, op, "C11", op->operands[1]);
  } else if (op->code == TL_OP_accumulate) {
    tl_type b = tl_type_of(v->func, op->operands[1]);
    if (!compatible(a, b) || a.dtype == TL_BOOL) {
      fail(v, op, "C11", "%s is added to %s", type_text(v, b), type_text(v, a));
    }
  }
  check_version(v, op, "C11");
}

/* ---- control ---- */

static void check_region(verifier *v, const tl_region *region, const tl_op *parent);

static void check_if_operands(verifier *v, const tl_op *op) {
  tl_type c = tl_type_of(v->func, op->operands[0]);
  if (!is_scalar_of(c, TL_BOOL)) {
    fail(v, op, "C12", "the condition has type %s; it is an i1", type_text(v, c));
  }
}

static void check_if_regions(verifier *v, const tl_op *op) {
  for (uint32_t r = 0; r < 2; r++) {
    const tl_region *region = op->regions[r];
    if (region->params.count) {
      fail(v, op, "C12", "region %u has parameters", r);
    }
    if (region->yields.count != op->result_count) {
      fail(v, op, "C12", "region %u yields %u values for %u results", r, region->yields.count, op->result_count);
      continue;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
      tl_value y = region->yields.data[i];
      if (exists(v->func, y) &&
          !compatible(tl_type_of(v->func, y), tl_type_of(v->func, tl_op_result(op, i)))) {
        fail(v, op, "C12", "yield %u of region %u has type %s; the result has %s", i, r,
             type_text(v, tl_type_of(v->func, y)), type_text(v, tl_type_of(v->func, tl_op_result(op, i))));
      }
    }
  }
}

static void check_loop_operands(verifier *v, const tl_op *op) {
  const tl_func *f = v->func;
  tl_type lo = tl_type_of(f, tl_loop_lo(op));
  if (!is_integer_scalar(lo)) {
    fail(v, op, "C13", "lo has type %s; it is an integer scalar", type_text(v, lo));
  }
  tl_value hi = tl_loop_hi(op);
  if (hi != TL_NO_VALUE && !is_scalar_of(tl_type_of(f, hi), lo.dtype)) {
    fail(v, op, "C13", "hi has type %s; lo has %s", type_text(v, tl_type_of(f, hi)), type_text(v, lo));
  }
  if (op->u.step == 0) {
    fail(v, op, "C13", "the step is 0");
  }
  for (uint32_t r = 0; r < 2; r++) {
    const tl_region *region = op->regions[r];
    if (region->params.count != 1 + tl_loop_carries(op)) {
      fail(v, op, "C14", "the %s has %u parameters; it has the induction variable and %u carries",
           r ? "body" : "condition", region->params.count, tl_loop_carries(op));
    }
  }
}

/* Types of the parameters, once they are known to exist. */
static void check_loop_params(verifier *v, const tl_op *op, const tl_region *region, const char *what) {
  const tl_func *f = v->func;
  for (uint32_t i = 0; i < region->params.count && i <= tl_loop_carries(op); i++) {
    if (!exists(f, region->params.data[i])) {
      continue; /* reported by (C2) */
    }
    tl_type want = i ? tl_type_of(f, tl_loop_init(op, i - 1)) : tl_scalar(tl_type_of(f, tl_loop_lo(op)).dtype);
    tl_type got = tl_type_of(f, region->params.data[i]);
    if (!compatible(got, want)) {
      fail(v, op, "C14", "parameter %u of the %s has type %s, not %s", i, what, type_text(v, got), type_text(v, want));
    }
  }
}

static void check_loop_regions(verifier *v, const tl_op *op) {
  const tl_func *f = v->func;
  const tl_region *cond = tl_loop_cond(op), *body = tl_loop_body(op);
  uint32_t carries = tl_loop_carries(op);
  check_loop_params(v, op, cond, "condition");
  check_loop_params(v, op, body, "body");
  if (cond->yields.count > 1) {
    fail(v, op, "C15", "the condition yields %u values", cond->yields.count);
  } else if (cond->yields.count == 1) {
    tl_value y = cond->yields.data[0];
    if (exists(f, y) && !is_scalar_of(tl_type_of(f, y), TL_BOOL)) {
      fail(v, op, "C15", "the condition yields %s; it yields an i1", type_text(v, tl_type_of(f, y)));
    }
  }
  if (body->yields.count != carries) {
    fail(v, op, "C15", "the body yields %u values for %u carries", body->yields.count, carries);
  }
  for (uint32_t i = 0; i < carries && i < body->yields.count; i++) {
    tl_value y = body->yields.data[i];
    if (exists(f, y) &&
        !compatible(tl_type_of(f, y), tl_type_of(f, tl_loop_init(op, i)))) {
      fail(v, op, "C15", "the body yields %s for carry %u of type %s", type_text(v, tl_type_of(f, y)), i,
           type_text(v, tl_type_of(f, tl_loop_init(op, i))));
    }
  }
  if (op->result_count != carries + 1) {
    fail(v, op, "C15", "%u results; they are %u carries and the trip count", op->result_count, carries);
    return;
  }
  for (uint32_t i = 0; i < carries; i++) {
    tl_type got = tl_type_of(f, tl_op_result(op, i)), want = tl_type_of(f, tl_loop_init(op, i));
    if (!compatible(got, want)) {
      fail(v, op, "C15", "result %u has type %s; the carry has %s", i, type_text(v, got), type_text(v, want));
    }
  }
  if (!is_scalar_of(tl_type_of(f, tl_loop_trips(op)), TL_I64)) {
    fail(v, op, "C15", "the trip count has type %s; it is an i64", type_text(v, tl_type_of(f, tl_loop_trips(op))));
  }
  if (op->reversed && (tl_loop_hi(op) == TL_NO_VALUE || cond->yields.count)) {
    fail(v, op, "C16", "only a counted loop without condition is reversed");
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

static void check_call(verifier *v, const tl_op *op) {
  const tl_func *f = v->func;
  const tl_func *callee = op->callee ? tl_module_find(f->module, op->callee) : NULL;
  if (!callee) {
    fail(v, op, "C18", "the module has no function '%s'", op->callee ? op->callee : "");
    return;
  }
  const tl_region *body = callee->body;
  if (op->operand_count != body->params.count || op->result_count != body->yields.count) {
    fail(v, op, "C18", "%u arguments and %u results; '%s' has %u and %u", op->operand_count, op->result_count,
         callee->name, body->params.count, body->yields.count);
    return;
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!exists(callee, body->params.data[i])) {
      continue; /* reported where the callee is verified */
    }
    tl_type got = tl_type_of(f, op->operands[i]), want = tl_type_of(callee, body->params.data[i]);
    if (!compatible(got, want)) {
      fail(v, op, "C18", "argument %u has type %s; '%s' takes %s of rank %d", i, type_text(v, got), callee->name,
           tl_dtype_name(want.dtype), want.rank);
    }
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    tl_value y = body->yields.data[i];
    if (!exists(callee, y)) {
      continue;
    }
    tl_type got = tl_type_of(f, tl_op_result(op, i)), want = tl_type_of(callee, y);
    if (!compatible(got, want)) {
      fail(v, op, "C18", "result %u has type %s; '%s' gives %s of rank %d", i, type_text(v, got), callee->name,
           tl_dtype_name(want.dtype), want.rank);
    }
  }
  if (v->condition_depth && has_effects(body, &(call_chain){NULL, callee})) {
    fail(v, op, "C17", "'%s' has effects and is called in a loop's condition", callee->name);
  }
}

static void check_extern(verifier *v, const tl_op *op) {
  if (!op->callee || !*op->callee) {
    fail(v, op, "C19", "the C function has no name");
  }
  if (op->result_count > 1) {
    fail(v, op, "C19", "%u results; a C function has at most one", op->result_count);
  }
  if (!op->format) {
    fail(v, op, "C19", "there is no argument list");
    return;
  }
  for (const char *p = op->format; *p; p++) {
    if (*p != '%') {
      continue;
    }
    p++;
    if (*p == '%') {
      continue;
    }
    uint64_t k = 0;
    const char *digits = p;
    while (*p >= '0' && *p <= '9' && k < UINT32_MAX) {
      k = 10 * k + (uint64_t)(*p++ - '0');
    }
    if (p == digits || k >= op->operand_count) {
      fail(v, op, "C19", "the argument list \"%s\" names an operand that is not there", op->format);
      return;
    }
    p--;
  }
  if (v->condition_depth && op->has_effect) {
    fail(v, op, "C17", "a C function with effects is called in a loop's condition");
  }
}

/* ---- the walk ---- */

static bool check_shape(verifier *v, const tl_op *op, const tl_region *parent) {
  if ((unsigned)op->code >= TL_OP_COUNT) {
    fail(v, op, "C4", "opcode %u is not in the table", (unsigned)op->code);
    return false;
  }
  if (op->parent != parent) {
    fail(v, op, "C2", "the op's parent is not the region that it lies in");
  }
  const tl_op_info *row = &tl_op_table[op->code];
  bool has_regions = op->code == TL_OP_if || op->code == TL_OP_loop;
  if (op->region_count != (has_regions ? 2u : 0u)) {
    fail(v, op, "C4", "%u regions", op->region_count);
    return false;
  }
  for (uint32_t r = 0; r < op->region_count; r++) {
    if (!op->regions[r] || op->regions[r]->parent != op) {
      fail(v, op, "C2", "region %u has another parent", r);
      return false;
    }
  }
  uint32_t least = op->code == TL_OP_loop ? 2 : op->code == TL_OP_update ? 2 : op->code == TL_OP_index ? 1 : 0;
  if (row->arity >= 0 ? op->operand_count != (uint32_t)row->arity : op->operand_count < least) {
    fail(v, op, "C4", "%u operands", op->operand_count);
    return false;
  }
  bool ok = true;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (op->code != TL_OP_loop || i != 1 || op->operands[1] != TL_NO_VALUE) {
      ok &= check_use(v, op, "operand", i, op->operands[i]);
    }
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    tl_value x = tl_op_result(op, i);
    ok &= check_definition(v, op, parent, i, x) && check_type(v, op, x, false);
  }
  return ok;
}

/* The rules of an op but for its regions; operands and results are known to be sound. */
static void check_rules(verifier *v, const tl_op *op) {
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

static void check_op(verifier *v, const tl_op *op, const tl_region *parent) {
  bool ok = check_shape(v, op, parent);
  if ((unsigned)op->code >= TL_OP_COUNT) {
    return;
  }
  if (ok) {
    check_rules(v, op);
  }
  bool regions_ok = true;
  for (uint32_t r = 0; r < op->region_count && r < 2; r++) {
    if (!op->regions[r] || op->regions[r]->parent != op) {
      regions_ok = false;
      continue;
    }
    bool condition = op->code == TL_OP_loop && r == 0;
    v->condition_depth += condition;
    check_region(v, op->regions[r], op);
    v->condition_depth -= condition;
  }
  if (ok && regions_ok) {
    if (op->code == TL_OP_if) {
      check_if_regions(v, op);
    } else if (op->code == TL_OP_loop) {
      check_loop_regions(v, op);
    }
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    tl_value x = tl_op_result(op, i);
    if (exists(v->func, x)) {
      v->state[x] = VISIBLE;
    }
  }
}

/* `parent` NULL: the body, whose values stay visible for the caller. */
static void check_region(verifier *v, const tl_region *region, const tl_op *parent) {
  for (uint32_t i = 0; i < region->params.count; i++) {
    tl_value x = region->params.data[i];
    if (check_definition(v, NULL, region, i, x)) {
      check_type(v, parent, x, !parent);
      v->state[x] = VISIBLE;
    }
  }
  for (uint32_t i = 0; i < region->ops.count; i++) {
    check_op(v, region->ops.data[i], region);
  }
  for (uint32_t i = 0; i < region->yields.count; i++) {
    check_use(v, parent, "yield", i, region->yields.data[i]);
  }
  if (!parent) {
    return;
  }
  for (uint32_t i = 0; i < region->params.count; i++) {
    if (region->params.data[i] < v->func->values.count) {
      v->state[region->params.data[i]] = LEFT;
    }
  }
  for (uint32_t i = 0; i < region->ops.count; i++) {
    const tl_op *op = region->ops.data[i];
    for (uint32_t k = 0; k < op->result_count; k++) {
      if (tl_op_result(op, k) < v->func->values.count) {
        v->state[tl_op_result(op, k)] = LEFT;
      }
    }
  }
}

/* ---- the function's C face ---- */

static int axes_of(const char *access) {
  int axes = 0;
  for (const char *p = access; *p; p++) {
    axes += *p == '#';
  }
  return axes;
}

static void check_params(verifier *v) {
  const tl_func *f = v->func;
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    const tl_cparam *c = &f->cparams.data[i];
    if (!c->name || !c->declarator || !c->bare) {
      fail(v, NULL, "C20", "C parameter %u has no name or declarator", i);
      continue;
    }
    for (uint32_t k = 0; k < i; k++) {
      if (f->cparams.data[k].name && !strcmp(f->cparams.data[k].name, c->name)) {
        fail(v, NULL, "C20", "two C parameters are called '%s'", c->name);
      }
    }
  }
  if (f->params.count != f->body->params.count) {
    fail(v, NULL, "C20", "%u leaves for %u parameters of the body", f->params.count, f->body->params.count);
    return;
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    if (p->value != f->body->params.data[i]) {
      fail(v, NULL, "C20", "leaf %u is %s, not the body's parameter %s", i, value_text(v, p->value),
           value_text(v, f->body->params.data[i]));
      continue;
    }
    if (!exists(f, p->value)) {
      continue; /* reported by (C2) */
    }
    tl_type t = tl_type_of(f, p->value);
    if (p->cparam >= f->cparams.count) {
      fail(v, NULL, "C20", "leaf %u belongs to C parameter %u of %u", i, p->cparam, f->cparams.count);
    }
    if (p->is_memory != t.is_array) {
      fail(v, NULL, "C20", "leaf %u of type %s is %smarked as memory", i, type_text(v, t), p->is_memory ? "" : "not ");
    }
    if (!p->access || axes_of(p->access) != t.rank) {
      fail(v, NULL, "C20", "the access '%s' of leaf %u has not one '#' per axis of %s", p->access ? p->access : "", i,
           type_text(v, t));
    }
    for (int e = 0; t.extents && e < t.rank && e < TL_MAX_RANK; e++) {
      tl_value x = t.extents[e].value;
      if (x != TL_NO_VALUE && (!is_visible(v, x) || !is_integer_scalar(tl_type_of(f, x)))) {
        fail(v, NULL, "C20", "extent %d of %s, %s, is no integer scalar of the body", e, value_text(v, p->value),
             value_text(v, x));
      }
    }
  }
}

static void check_results(verifier *v) {
  const tl_func *f = v->func;
  if (!f->return_declarator) {
    fail(v, NULL, "C21", "there is no return declarator");
  }
  if (f->results.count != f->body->yields.count) {
    fail(v, NULL, "C21", "the body yields %u values for %u results", f->body->yields.count, f->results.count);
    return;
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    tl_value y = f->body->yields.data[i];
    if (!is_visible(v, y)) {
      continue; /* reported by (C1) */
    }
    tl_type t = tl_type_of(f, y);
    switch (r->role) {
    case TL_RESULT_RETURN:
      if (!r->access || axes_of(r->access) != t.rank) {
        fail(v, NULL, "C21", "the access '%s' of result %u has not one '#' per axis of %s", r->access ? r->access : "", i,
             type_text(v, t));
      }
      break;
    case TL_RESULT_FINAL:
      if (r->param >= f->params.count || !f->params.data[r->param].is_memory) {
        fail(v, NULL, "C21", "result %u is the final content of leaf %u, which is no memory", i, r->param);
      } else if (exists(f, f->params.data[r->param].value) &&
                 !compatible(t, tl_type_of(f, f->params.data[r->param].value))) {
        fail(v, NULL, "C21", "result %u has type %s; the memory has %s", i, type_text(v, t),
             type_text(v, tl_type_of(f, f->params.data[r->param].value)));
      }
      break;
    }
  }
}

tl_status tl_func_verify(const tl_func *f) {
  tl_arena *arena = f->arena;
  tl_arena_mark mark = tl_arena_get_mark(arena);
  verifier v = {.func = f, .state = tl_arena_alloc(arena, f->values.count)};
  if (!f->body || f->body->parent) {
    fail(&v, NULL, "C2", "the body is missing or lies in an op");
    return TL_IR_INVALID;
  }
  check_region(&v, f->body, NULL);
  check_params(&v);
  check_results(&v);
  if (v.errors) {
    return TL_IR_INVALID; /* the messages may lie above the mark */
  }
  tl_arena_rewind(arena, mark);
  return TL_OK;
}

tl_status tl_module_verify(const tl_module *m) {
  tl_status status = TL_OK;
  for (uint32_t i = 0; i < m->funcs.count; i++) {
    const tl_func *f = m->funcs.data[i];
    if (tl_func_verify(f) != TL_OK) {
      status = TL_IR_INVALID;
    }
    if (tl_module_find(m, f->name) != f) {
      tl_diag_error(m->diag, TL_IR_INVALID, f->loc, "function '%s': (C22) the module has another of that name", f->name);
      status = TL_IR_INVALID;
    }
  }
  return status;
}
