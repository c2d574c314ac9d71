/* The rules of DXIR. docs/ir.md states each under its label; a message quotes the label.
 *
 * One walk in order over ops and regions. A value is visible from its definition to the end of the region that it was
 * defined in, so dominance is one byte per value: set at the definition, cleared where the region ends. Nothing is
 * looked up twice; the walk is linear in the size of the function. */
#include <string.h>

#include "ir/ir.h"
#include "ir/verify_priv.h"

enum { ERRORS_PER_FUNCTION = 16 };

enum { UNSEEN, VISIBLE, LEFT }; /* of a value: not defined yet, usable here, its region has ended */

/* ---- messages ---- */

static const char *value_text(const tl_verifier *v, tl_value x) {
  tl_arena *arena = v->func->module->diag->arena;
  if (x == TL_NO_VALUE || x >= v->func->values.count) {
    return x == TL_NO_VALUE ? "no value" : tl_arena_printf(arena, "%%%u (no such value)", x);
  }
  const char *name = tl_info(v->func, x)->name;
  return name ? tl_arena_printf(arena, "%%%s.%u", name, x) : tl_arena_printf(arena, "%%%u", x);
}

const char *tl__type_text(const tl_verifier *v, tl_type t) {
  tl_arena *arena = v->func->module->diag->arena;
  if (tl_is_scalar(t)) {
    return tl_dtype_name(t.dtype);
  }
  const char *text = tl_arena_printf(arena, "%s%c", t.element ? tl__type_text(v, *t.element) : tl_dtype_name(t.dtype),
                                     t.is_array ? '[' : '<');
  for (int i = 0; i < t.rank && i < TL_MAX_RANK && t.extents; i++) {
    const char *comma = i ? ", " : "";
    if (t.axis_names && t.axis_names[i]) {
      comma = tl_arena_printf(arena, "%s%s=", comma, t.axis_names[i]);
    }
    text = t.extents[i].value != TL_NO_VALUE
               ? tl_arena_printf(arena, "%s%s%s", text, comma, value_text(v, t.extents[i].value))
               : tl_arena_printf(arena, "%s%s%lld", text, comma, (long long)t.extents[i].fixed);
  }
  return tl_arena_printf(arena, "%s%c", text, t.is_array ? ']' : '>');
}

static bool full(tl_verifier *v) { return ++v->errors > ERRORS_PER_FUNCTION; }

void tl__verify_fail(tl_verifier *v, const tl_op *op, const char *rule, const char *format, ...) {
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

bool tl__types_agree(tl_type a, tl_type b) {
  if (!a.element != !b.element || (a.element && !tl__types_agree(*a.element, *b.element))) {
    return false;
  }
  if (a.dtype != b.dtype || a.is_array != b.is_array || a.is_tensor != b.is_tensor || a.rank != b.rank ||
      (a.rank && (!a.extents || !b.extents))) {
    return false;
  }
  for (int i = 0; i < a.rank; i++) {
    tl_extent x = a.extents[i], y = b.extents[i];
    if (x.value == TL_NO_VALUE && y.value == TL_NO_VALUE && x.fixed != y.fixed && x.fixed != -1 && y.fixed != -1) {
      return false;
    }
    const char *p = a.axis_names ? a.axis_names[i] : NULL, *q = b.axis_names ? b.axis_names[i] : NULL;
    if (p && q && strcmp(p, q) != 0) {
      return false;
    }
  }
  return true;
}

static bool is_visible(const tl_verifier *v, tl_value x) {
  return tl__value_exists(v->func, x) && v->state[x] == VISIBLE;
}

/* (C1) at a use. */
static bool check_use(tl_verifier *v, const tl_op *op, const char *what, uint32_t index, tl_value x) {
  if (is_visible(v, x)) {
    return true;
  }
  if (!tl__value_exists(v->func, x)) {
    tl__verify_fail(v, op, "C1", "%s %u is %s", what, index, value_text(v, x));
  } else {
    tl__verify_fail(v, op, "C1", "%s %u, %s, %s", what, index, value_text(v, x),
                    v->state[x] == LEFT ? "is defined in a region that has ended" : "is not defined before it");
  }
  return false;
}

/* The axes of a type, or of its elements'. An extent of -1 is not stated: of a parameter's memory, or of a tensor. */
static bool check_axes(tl_verifier *v, const tl_op *op, tl_value x, tl_type t, bool extents_later) {
  if (tl_is_scalar(t) ? t.rank != 0 : t.rank < 0 || t.rank > TL_MAX_RANK) {
    tl__verify_fail(v, op, "C3", "%s has rank %d", value_text(v, x), t.rank);
    return false;
  }
  if (t.rank && !t.extents) {
    tl__verify_fail(v, op, "C3", "%s has no extents", value_text(v, x));
    return false;
  }
  bool ok = true;
  for (int i = 0; i < t.rank; i++) {
    tl_extent e = t.extents[i];
    if (e.value == TL_NO_VALUE) {
      if (e.fixed < -1 ||
          (e.fixed == -1 && t.is_array && op && op->code == TL_OP_alloc && !(op->u.flags & TL_ALLOC_TABLE))) {
        tl__verify_fail(v, op, "C3", "extent %d of %s is negative", i, value_text(v, x));
        ok = false;
      }
    } else if (!extents_later) {
      if (!is_visible(v, e.value)) {
        tl__verify_fail(v, op, "C1", "extent %d of %s, %s, is not defined before it", i, value_text(v, x),
                        value_text(v, e.value));
        ok = false;
      } else if (!tl__is_integer_scalar(tl_type_of(v->func, e.value))) {
        tl__verify_fail(v, op, "C3", "extent %d of %s, %s, is no integer scalar", i, value_text(v, x),
                        value_text(v, e.value));
        ok = false;
      }
    }
  }
  return ok;
}

/* (C3), but whether symbolic extents dominate where `extents_later`: those of the function's own parameters may be
 * computed anywhere in the body's region. */
static bool check_type(tl_verifier *v, const tl_op *op, tl_value x, bool extents_later) {
  tl_type t = tl_type_of(v->func, x);
  if ((unsigned)t.dtype >= TL_DTYPE_COUNT) {
    tl__verify_fail(v, op, "C3", "%s has no valid dtype", value_text(v, x));
    return false;
  }
  bool of_tensors = t.is_tensor || t.element;
  if (tl_is_scalar(t) && op && op->code == TL_OP_const) {
    of_tensors = true; /* an operand of a tensor op */
  }
  if (of_tensors ? t.dtype == TL_F80 && !tl_is_scalar(t) : tl_dtype_is_stored_only(t.dtype)) {
    tl__verify_fail(v, op, "C3", "%s is of dtype %s, which %s", value_text(v, x), tl_dtype_name(t.dtype),
                    t.dtype == TL_F80 ? "no tensor has" : "only tensors have");
    return false;
  }
  if (t.is_array && t.is_tensor) {
    tl__verify_fail(v, op, "C3", "%s is an array and a tensor", value_text(v, x));
    return false;
  }
  if (t.element && !(t.element->is_tensor && t.is_array && t.element->dtype == t.dtype)) {
    tl__verify_fail(v, op, "C3", "the elements of %s are no tensors of its dtype", value_text(v, x));
    return false;
  }
  return check_axes(v, op, x, t, extents_later) && (!t.element || check_axes(v, op, x, *t.element, extents_later));
}

/* (C2): the records of a definition agree. */
static bool check_definition(tl_verifier *v, const tl_op *op, const tl_region *region, uint32_t index, tl_value x) {
  const char *what = op ? "result" : "region parameter";
  if (!tl__value_exists(v->func, x)) {
    tl__verify_fail(v, op, "C2", "%s %u is %s", what, index, value_text(v, x));
    return false;
  }
  const tl_value_info *info = tl_info(v->func, x);
  if (v->state[x] != UNSEEN) {
    tl__verify_fail(v, op, "C2", "%s %u, %s, is defined twice", what, index, value_text(v, x));
    return false;
  }
  if (info->op != op || info->region != region || info->index != index) {
    tl__verify_fail(v, op ? op : region->parent, "C2", "the record of %s %u, %s, names another op, region or position",
                    what, index, value_text(v, x));
    return false;
  }
  return true;
}

/* ---- the walk ---- */

static bool check_shape(tl_verifier *v, const tl_op *op, const tl_region *parent) {
  if ((unsigned)op->code >= TL_OP_COUNT) {
    tl__verify_fail(v, op, "C4", "opcode %u is not in the table", (unsigned)op->code);
    return false;
  }
  if (op->parent != parent) {
    tl__verify_fail(v, op, "C2", "the op's parent is not the region that it lies in");
  }
  const tl_op_info *row = &tl_op_table[op->code];
  bool has_regions = op->code == TL_OP_if || op->code == TL_OP_loop;
  if (op->region_count != (has_regions ? 2u : 0u)) {
    tl__verify_fail(v, op, "C4", "%u regions", op->region_count);
    return false;
  }
  for (uint32_t r = 0; r < op->region_count; r++) {
    if (!op->regions[r] || op->regions[r]->parent != op) {
      tl__verify_fail(v, op, "C2", "region %u has another parent", r);
      return false;
    }
  }
  uint32_t least = op->code == TL_OP_loop ? 2 : op->code == TL_OP_update ? 2 : op->code == TL_OP_index ? 1 : 0;
  if (tl_op_states_shape(op->code)) {
    least = (uint32_t)row->arity; /* more: (C23) */
  }
  bool is_fixed = row->arity >= 0 && !tl_op_states_shape(op->code);
  if (is_fixed ? op->operand_count != (uint32_t)row->arity : op->operand_count < least) {
    tl__verify_fail(v, op, "C4", "%u operands", op->operand_count);
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

static void check_region(tl_verifier *v, const tl_region *region, const tl_op *parent);

static void check_op(tl_verifier *v, const tl_op *op, const tl_region *parent) {
  bool ok = check_shape(v, op, parent);
  if ((unsigned)op->code >= TL_OP_COUNT) {
    return;
  }
  if (ok) {
    tl__verify_op(v, op);
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
    tl__verify_regions(v, op);
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    tl_value x = tl_op_result(op, i);
    if (tl__value_exists(v->func, x)) {
      v->state[x] = VISIBLE;
    }
  }
}

/* `parent` NULL: the body, whose values stay visible for the caller. */
static void check_region(tl_verifier *v, const tl_region *region, const tl_op *parent) {
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

static void check_params(tl_verifier *v) {
  const tl_func *f = v->func;
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    const tl_cparam *c = &f->cparams.data[i];
    if (!c->name || !c->declarator || !c->bare) {
      tl__verify_fail(v, NULL, "C20", "C parameter %u has no name or declarator", i);
      continue;
    }
    for (uint32_t k = 0; k < i; k++) {
      if (f->cparams.data[k].name && !strcmp(f->cparams.data[k].name, c->name)) {
        tl__verify_fail(v, NULL, "C20", "two C parameters are called '%s'", c->name);
      }
    }
  }
  if (f->params.count != f->body->params.count) {
    tl__verify_fail(v, NULL, "C20", "%u leaves for %u parameters of the body", f->params.count, f->body->params.count);
    return;
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    if (p->value != f->body->params.data[i]) {
      tl__verify_fail(v, NULL, "C20", "leaf %u is %s, not the body's parameter %s", i, value_text(v, p->value),
                      value_text(v, f->body->params.data[i]));
      continue;
    }
    if (!tl__value_exists(f, p->value)) {
      continue; /* reported by (C2) */
    }
    tl_type t = tl_type_of(f, p->value);
    if (p->cparam >= f->cparams.count) {
      tl__verify_fail(v, NULL, "C20", "leaf %u belongs to C parameter %u of %u", i, p->cparam, f->cparams.count);
    }
    if (p->is_memory != t.is_array) {
      tl__verify_fail(v, NULL, "C20", "leaf %u of type %s is %smarked as memory", i, tl__type_text(v, t),
                      p->is_memory ? "" : "not ");
    }
    if (!p->access || axes_of(p->access) != (t.is_tensor ? 0 : t.rank)) {
      tl__verify_fail(v, NULL, "C20", "the access '%s' of leaf %u has not one '#' per axis of %s",
                      p->access ? p->access : "", i, tl__type_text(v, t));
    }
    for (int e = 0; t.extents && e < t.rank && e < TL_MAX_RANK; e++) {
      tl_value x = t.extents[e].value;
      if (x != TL_NO_VALUE && (!is_visible(v, x) || !tl__is_integer_scalar(tl_type_of(f, x)))) {
        tl__verify_fail(v, NULL, "C20", "extent %d of %s, %s, is no integer scalar of the body", e,
                        value_text(v, p->value), value_text(v, x));
      }
    }
  }
}

static void check_results(tl_verifier *v) {
  const tl_func *f = v->func;
  if (!f->return_declarator) {
    tl__verify_fail(v, NULL, "C21", "there is no return declarator");
  }
  if (f->results.count != f->body->yields.count) {
    tl__verify_fail(v, NULL, "C21", "the body yields %u values for %u results", f->body->yields.count,
                    f->results.count);
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
      if (!r->access || axes_of(r->access) != (t.is_tensor ? 0 : t.rank)) {
        tl__verify_fail(v, NULL, "C21", "the access '%s' of result %u has not one '#' per axis of %s",
                        r->access ? r->access : "", i, tl__type_text(v, t));
      }
      break;
    case TL_RESULT_FINAL:
      if (r->param >= f->params.count || !f->params.data[r->param].is_memory) {
        tl__verify_fail(v, NULL, "C21", "result %u is the final content of leaf %u, which is no memory", i, r->param);
      } else if (tl__value_exists(f, f->params.data[r->param].value) &&
                 !tl__types_agree(t, tl_type_of(f, f->params.data[r->param].value))) {
        tl__verify_fail(v, NULL, "C21", "result %u has type %s; the memory has %s", i, tl__type_text(v, t),
                        tl__type_text(v, tl_type_of(f, f->params.data[r->param].value)));
      }
      break;
    }
  }
}

tl_status tl_func_verify(const tl_func *f) {
  tl_arena *arena = f->arena;
  tl_arena_mark mark = tl_arena_get_mark(arena);
  tl_verifier v = {.func = f, .state = tl_arena_alloc(arena, f->values.count)};
  if (!f->body || f->body->parent) {
    tl__verify_fail(&v, NULL, "C2", "the body is missing or lies in an op");
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
      tl_diag_error(m->diag, TL_IR_INVALID, f->loc, "function '%s': (C22) the module has another of that name",
                    f->name);
      status = TL_IR_INVALID;
    }
  }
  return status;
}
