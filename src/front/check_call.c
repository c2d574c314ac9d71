/* Calls: ops by their rules of types, functions of the user's by what they state. */
#include <string.h>

#include "front/check_priv.h"
#include "front/composite.h"
#include "front/stated.h"

/* ---- ops ---- */

/* Where a rule needs what is not known, the unknown is each thing that it may be: what all that the rule accepts agree
 * in is known of the result, and a call is refused where the rule accepts none. Beyond so many nothing is said. */
enum { MOST_TRIALS = 4096, MOST_CHOICES = 2 * TL_CALL_MOST_OPERANDS + TL_MAX_ATTRS };

typedef enum choice_kind { CHOOSE_DTYPE, CHOOSE_RANK, CHOOSE_AXIS, CHOOSE_FLAG } choice_kind;

typedef struct choice {
  choice_kind kind;
  int which; /* operand or attribute */
  int count;
} choice;

typedef struct trials {
  tl_opcode code;
  tl_tensor_type operands[TL_CALL_MOST_OPERANDS];
  tl_attr attrs[TL_MAX_ATTRS];
  tl_extent dims[TL_MAX_RANK]; /* of a SHAPE */
  int64_t ints[TL_MAX_ATTRS][TL_MAX_RANK];
  tl_dtype given;
  choice choices[MOST_CHOICES];
  int choice_count;
  int64_t total;
} trials;

static void choose(trials *t, choice_kind kind, int which, int count) {
  t->choices[t->choice_count++] = (choice){kind, which, count};
  t->total *= count;
}

static tl_extent extent_of(tl__check *c, const tl_expr *e) {
  int64_t n = 0, axis;
  const tl_expr *x;
  if (!e || tl_attr_integer(e, &n)) {
    return (tl_extent){.fixed = n};
  }
  if (tl_attr_extent_of(e, &x, &axis)) {
    c->silent++;
    const tl__type *type = tl__check_expr(c, x, NULL);
    c->silent--;
    if (type->has_axes && axis >= 0 && axis < type->t.rank) {
      return type->t.dim[axis];
    }
  }
  return tl__extent_fresh(c);
}

/* False where not even the rank is known. */
static bool read_shape(tl__check *c, const tl_expr *e, int *out_rank, tl_extent out_dim[TL_MAX_RANK]) {
  tl_attr_dims dims;
  if (!tl_attr_shape(e, &dims)) {
    return false;
  }
  if (dims.of) {
    c->silent++;
    const tl__type *type = tl__check_expr(c, dims.of, NULL);
    c->silent--;
    *out_rank = type->t.rank;
    memcpy(out_dim, type->t.dim, sizeof type->t.dim);
    return type->has_axes;
  }
  *out_rank = dims.rank;
  for (int i = 0; i < dims.rank; i++) {
    out_dim[i] = extent_of(c, dims.dim[i]);
  }
  return true;
}

/* False where the rule cannot do without what is not known. */
static bool read_attr(tl__check *c, trials *t, int i, const tl_tensor_call *call) {
  tl_attr *attr = &t->attrs[i];
  const tl_expr *e = call->attrs[i];
  switch (tl_op_table[t->code].attrs[i].kind) {
  case TL_ATTR_AXES:
    return tl_attr_axes(e, &attr->axes);
  case TL_ATTR_AXIS:
    if (!tl_attr_integer(e, &attr->integer)) {
      choose(t, CHOOSE_AXIS, i, TL_MAX_RANK);
    }
    return true;
  case TL_ATTR_FLAG:
    if (!tl_attr_integer(e, &attr->integer)) {
      choose(t, CHOOSE_FLAG, i, 2);
    }
    return true;
  case TL_ATTR_OPTION: /* types do not depend on these */
  case TL_ATTR_INTEGER:
  case TL_ATTR_MODE:
    return true;
  case TL_ATTR_COUNT:
    attr->integer = 0;
    return !call->hidden[i] && (!e || tl_attr_integer(e, &attr->integer));
  case TL_ATTR_REDUCER:
    return true;
  case TL_ATTR_DTYPE:
    return tl_attr_integer(e, &attr->integer);
  case TL_ATTR_INTS:
    return tl_attr_ints(e, t->ints[i], attr);
  case TL_ATTR_SHAPE:
    attr->shape.dim = t->dims;
    return read_shape(c, e, &attr->shape.rank, t->dims);
  }
  return false;
}

static void apply(tl__check *c, trials *t, const choice *ch, int which) {
  tl_tensor_type *x = &t->operands[ch->kind <= CHOOSE_RANK ? ch->which : 0];
  switch (ch->kind) {
  case CHOOSE_DTYPE:
    x->dtype = (tl_dtype)(which + (which >= (int)TL_F80));
    return;
  case CHOOSE_RANK:
    x->rank = which;
    for (int i = 0; i < which; i++) {
      x->dim[i] = x->dim[i].value ? x->dim[i] : tl__extent_fresh(c);
    }
    return;
  case CHOOSE_AXIS:
  case CHOOSE_FLAG:
    t->attrs[ch->which].integer = which;
    return;
  }
}

static bool is_about_dtypes(tl_status s) { return s == TL_DTYPE_MISMATCH || s == TL_DTYPE_UNSUPPORTED; }

/* The rule over all choices. Where it accepts none, the refusal is one that does not come from a dtype that was chosen,
 * if there is one. */
static tl_status try_all(tl__check *c, trials *t, tl_shape_rules *out_rules, const tl__type **out) {
  const tl__type *met = &tl__anything;
  tl_status refused = TL_OK;
  bool accepted = false;
  for (int64_t k = 0; k < t->total; k++) {
    int64_t rest = k;
    for (int i = 0; i < t->choice_count; i++) {
      apply(c, t, &t->choices[i], (int)(rest % t->choices[i].count));
      rest /= t->choices[i].count;
    }
    tl_shape_rules rules = tl__rules(c);
    tl_tensor_type result;
    tl_status status = tl__shape_op(&rules, t->code, t->operands, t->attrs, t->given, &result);
    if (status == TL_OK) {
      met = tl__type_meet(c, met, tl__type_new(c, &result));
      accepted = true;
    } else if (refused == TL_OK || (is_about_dtypes(refused) && !is_about_dtypes(status))) {
      refused = status;
      *out_rules = rules;
    }
  }
  *out = met;
  return accepted ? TL_OK : refused;
}

static const tl_expr *argument_at(const tl_tensor_call *call, int at) {
  return call->arguments[at < call->argument_count ? at : call->argument_count - 1];
}

static const tl__type *refuse_at(tl__check *c, const tl_tensor_call *call, tl_status status, const tl_shape_rules *r,
                                 int at) {
  tl__refuse(c, status, argument_at(call, at)->loc, r->message, NULL);
  return &tl__anything;
}

static const tl__type *check_op(tl__check *c, const tl_tensor_call *call, const tl__type *const operands[]) {
  trials t = {.code = call->code, .given = TL_DTYPE_COUNT, .total = 1};
  tl_shape_rules rules = tl__rules(c);
  bool is_enough = true;
  for (int i = 0; i < call->operand_count; i++) {
    if (operands[i]->is_anything) {
      return &tl__anything;
    }
    t.operands[i] = operands[i]->t;
    if (!operands[i]->has_dtype) {
      choose(&t, CHOOSE_DTYPE, i, TL_DTYPE_COUNT - 1);
    }
    if (!operands[i]->has_axes) {
      choose(&t, CHOOSE_RANK, i, TL_MAX_RANK + 1);
    }
  }
  if (call->code == TL_OP_cvt) {
    int64_t given;
    is_enough = tl_attr_integer(call->dtype, &given);
    tl_status status = is_enough ? tl__shape_create(&rules, "cast", (tl_dtype)given, 0, NULL) : TL_OK;
    if (status != TL_OK) {
      return refuse_at(c, call, status, &rules, 1);
    }
    t.given = (tl_dtype)given;
  }
  for (int i = 0; is_enough && i < tl_op_table[call->code].attr_count; i++) {
    is_enough = read_attr(c, &t, i, call);
  }
  if (!is_enough || t.total > MOST_TRIALS) {
    return &tl__unknown;
  }
  const tl__type *out;
  tl_status status = try_all(c, &t, &rules, &out);
  return status == TL_OK ? tl__type_fresh(c, out) : refuse_at(c, call, status, &rules, rules.at);
}

/* ---- ops that are made of others ---- */

static tl_status composite_op(void *ctx, tl_opcode code, const tl_composite_value *operands, const tl_attr *attrs,
                              tl_dtype given, tl_shape_rules *out_rules, tl_composite_value *out) {
  tl_tensor_type types[TL_CALL_MOST_OPERANDS];
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    types[i] = operands[i].type;
  }
  *out_rules = tl__rules(ctx);
  out->value = TL_NO_VALUE;
  return tl__shape_op(out_rules, code, types, attrs, given, &out->type);
}

static tl_extent composite_extent(void *ctx, tl_extent n, int64_t times, int64_t plus, int64_t over) {
  (void)n, (void)times, (void)plus, (void)over;
  return tl__extent_fresh(ctx);
}

static bool composite_constant(void *ctx, struct tl_tensor_object *x, tl_composite_value *in_out) {
  (void)ctx, (void)x;
  in_out->value = TL_NO_VALUE;
  return true;
}

/* False where the argument is not known. */
static bool composite_argument(tl__check *c, const tl_tensor_call *call, int i, const tl_composite_value *operands,
                               int *operand, tl_composite_argument *out) {
  const tl_expr *e = call->arguments[i];
  switch (tl_composite_table[call->composite].arguments[i]) {
  case 'x':
    out->x = operands[(*operand)++];
    return true;
  case 'X':
    out->list = operands + call->first_of_list;
    out->list_count = call->operand_count - call->first_of_list;
    return true;
  case 'a':
    return tl_attr_axes(e, &out->axes);
  case 'n':
    out->extent = extent_of(c, e);
    return true;
  case 'f':
    return tl_attr_number(e, &out->number);
  case 's':
    out->text = tl_attr_text(c->unit, e);
    return out->text != NULL;
  case 'l': {
    int rank = 0;
    bool known = read_shape(c, e, &rank, out->dim);
    out->integer = rank;
    return known;
  }
  default:
    out->dtype = tl_attr_integer(e, &out->integer) ? (tl_dtype)out->integer : TL_DTYPE_COUNT;
    return out->dtype != TL_DTYPE_COUNT;
  }
}

static const tl__type *check_composite(tl__check *c, const tl_tensor_call *call, const tl__type *const operands[]) {
  tl_composite_value values[TL_CALL_MOST_OPERANDS], result;
  tl_composite_argument arguments[TL_CALL_MOST_ARGUMENTS] = {{.list = NULL}};
  bool is_known = true;
  for (int i = 0; i < call->operand_count; i++) {
    if (operands[i]->is_anything) {
      return &tl__anything;
    }
    is_known = is_known && operands[i]->has_dtype && operands[i]->has_axes;
    values[i] = (tl_composite_value){.type = tl__type_fresh(c, operands[i])->t};
  }
  int operand = 0;
  for (int i = 0; is_known && i < call->argument_count; i++) {
    is_known = composite_argument(c, call, i, values, &operand, &arguments[i]);
  }
  if (!is_known) {
    return &tl__unknown;
  }
  tl_composite_host host = {c, &c->arena, composite_op, composite_extent, composite_constant};
  tl_shape_rules rules;
  tl_status status = tl_composite_run(&host, call->composite, arguments, &rules, &result);
  return status == TL_OK ? tl__type_fresh(c, tl__type_new(c, &result.type)) : refuse_at(c, call, status, &rules, 0);
}

static const tl__type *check_create(tl__check *c, const tl_tensor_call *call) {
  tl__type *out = TL_NEW(&c->arena, tl__type);
  int64_t dtype = TL_F32;
  out->has_dtype = tl_attr_integer(call->dtype, &dtype);
  out->t.dtype = (tl_dtype)dtype;
  out->has_axes = read_shape(c, call->shape, &out->t.rank, out->t.dim);
  out->t.rank = out->has_axes ? out->t.rank : 0;
  tl_shape_rules rules = tl__rules(c);
  tl_status status = tl__shape_create(&rules, call->name, out->t.dtype, out->t.rank, out->t.dim);
  return status == TL_OK ? out : refuse_at(c, call, status, &rules, rules.at);
}

/* What tl_as states of an axis: TL__NAMED and TL__BOUNDED are taken off again, or the axis is called with it. */
static bool read_as_number(void *ctx, int axis, const char *text, tl_extent *out) {
  (void)text;
  const tl_attr_dims *dims = ctx;
  const tl_expr *e = axis < dims->rank ? dims->dim[axis] : NULL;
  while (e && e->kind == TL_EXPR_CAST) {
    e = e->a;
  }
  if (e && e->kind == TL_EXPR_CALL && e->args.count == 1) {
    e = e->args.data[0];
  }
  int64_t n;
  if (e && tl_attr_integer(e, &n)) {
    *out = (tl_extent){.fixed = n};
  }
  return true;
}

static const tl__type *check_as(tl__check *c, const tl_tensor_call *call, const tl__type *x) {
  tl_attr_dims dims;
  if (!call->stated || !tl_attr_shape(call->shape, &dims) || dims.of) {
    return &tl__unknown;
  }
  tl_diag scratch;
  tl_diag_init(&scratch, &c->arena);
  tl_unit unit = *c->unit;
  unit.arena = &c->arena;
  unit.diag = c->silent ? &scratch : c->unit->diag;
  tl_stated_reader reader = {.unit = &unit, .loc = call->operands[0]->loc, .number = read_as_number, .ctx = &dims};
  const tl_tensor_type *stated = tl_stated_read(&reader, call->stated);
  if (!stated) {
    return &tl__anything;
  }
  const tl__type *type = tl__type_fresh(c, tl__type_new(c, stated));
  if (x->is_anything || !x->has_axes) {
    bool fits = !x->has_dtype || x->t.dtype == stated->dtype;
    if (fits) {
      return type;
    }
  }
  tl_tensor_type known = x->t, out;
  if (!x->has_axes) {
    known = type->t;
  }
  known.dtype = x->has_dtype ? x->t.dtype : stated->dtype;
  tl_shape_rules rules = tl__rules(c);
  tl_status status = tl__shape_as(&rules, call->name, &known, &type->t, &out);
  return status == TL_OK ? tl__type_new(c, &out) : refuse_at(c, call, status, &rules, 0);
}

static const tl__type *check_tensor_call(tl__check *c, const tl_expr *e, const tl_tensor_call *call) {
  const tl__type *operands[TL_CALL_MOST_OPERANDS] = {NULL};
  for (int k = call->first_of_list; call->kind == TL_CALL_COMPOSITE && k < call->operand_count; k++) {
    operands[k] = tl__check_expr(c, call->operands[k], NULL);
  }
  for (uint32_t i = 0; i < e->args.count; i++) {
    const tl__type *type = tl__check_expr(c, e->args.data[i], NULL);
    for (int k = 0; k < call->operand_count; k++) {
      operands[k] = call->operands[k] == e->args.data[i] ? type : operands[k];
    }
  }
  switch (call->kind) {
  case TL_CALL_OP:
    return check_op(c, call, operands);
  case TL_CALL_COMPOSITE:
    return check_composite(c, call, operands);
  case TL_CALL_CREATE:
    return check_create(c, call);
  case TL_CALL_SCALAR_LIKE: {
    tl__type *out = TL_NEW(&c->arena, tl__type);
    *out = (tl__type){.has_dtype = operands[0]->has_dtype, .has_axes = true, .t = {.dtype = operands[0]->t.dtype}};
    return operands[0]->is_anything ? &tl__anything : out;
  }
  case TL_CALL_SAME:
    return operands[0];
  case TL_CALL_AS:
    return check_as(c, call, operands[0]);
  }
  return &tl__unknown;
}

/* ---- functions of the user's ---- */

static const char *name_of(const tl__check *c, tl_value axis) {
  return c->unit->stated_names.data[axis - TL_STATED_FIRST].name;
}

/* Axes of one name or bound have one extent in a call. */
static void bind(tl__check *c, tl__bindings *all, const tl__slot *slot, const tl__type *type, tl_loc loc) {
  for (int i = 0; type->has_axes && i < type->t.rank; i++) {
    tl_value axis = slot->stated->dim[i].value;
    tl_extent n = type->t.dim[i];
    const tl__binding *known = NULL;
    for (uint32_t k = 0; k < all->count; k++) {
      known = all->data[k].axis == axis ? &all->data[k] : known;
    }
    if (axis < TL_STATED_FIRST || axis >= c->first_extent) {
      continue;
    }
    if (!known) {
      TL_PUSH(&c->arena, *all, (tl__binding){axis, n, slot->what});
    } else if (!known->extent.value && !n.value && known->extent.fixed != n.fixed) {
      tl__refuse(c, TL_TENSOR_SHAPE_MISMATCH, loc,
                 tl_arena_printf(&c->arena, "%s: '%s' has extent %lld, and %lld in %s", slot->what, name_of(c, axis),
                                 (long long)n.fixed, (long long)known->extent.fixed, known->who),
                 slot->decl);
    }
  }
}

const tl__type *tl__check_result(tl__check *c, const tl_tensor_type *stated, const tl__bindings *all) {
  tl_tensor_type t = *stated;
  for (int i = 0; i < t.rank; i++) {
    for (uint32_t k = 0; k < all->count; k++) {
      if (t.dim[i].value && t.dim[i].value == all->data[k].axis) {
        t.dim[i] = all->data[k].extent;
        break;
      }
    }
  }
  return tl__type_fresh(c, tl__type_new(c, &t));
}

static const tl_expr *lvalue_behind(const tl_expr *e) {
  while (e->kind == TL_EXPR_CAST) {
    e = e->a;
  }
  return e->kind == TL_EXPR_ADDRESS || e->kind == TL_EXPR_DECAY ? e->a : NULL;
}

static bool points_to_tensors(const tl_ctype *t) {
  while (t && (t->kind == TL_CT_POINTER || t->kind == TL_CT_ARRAY)) {
    t = t->target;
  }
  return tl_ctype_is_tensor(t);
}

/* An object whose address, or an array that, is passed: the callee may read it, and write to it unless the parameter
 * says const. */
static void pass_object(tl__check *c, const tl_ctype *param, const tl__slot *slot, const tl_expr *arg,
                        const tl_expr *lvalue) {
  tl__check_lvalue(c, lvalue);
  bool is_read_only = param && param->kind == TL_CT_POINTER && param->target->is_const;
  tl__target target = tl__target_of(c, lvalue);
  if (lvalue->type->kind == TL_CT_ARRAY && target.place && target.reach == TL__EXACT) {
    target.reach = TL__SOME_ELEMENT;
  }
  const tl_tensor_type *stated = tl__stated_of(lvalue);
  bool are_tensors = points_to_tensors(lvalue->type) && points_to_tensors(param);
  if (!are_tensors) {
    stated = NULL;
  }
  if (slot->stated && is_read_only) {
    tl__check_slot(c, slot, stated ? tl__type_fresh(c, tl__type_new(c, stated)) : tl__target_read(c, target), arg->loc);
  } else if (stated && !is_read_only && slot->stated) {
    const tl_decl *d = lvalue->kind == TL_EXPR_VAR ? lvalue->decl : NULL;
    tl__slot back = {stated, tl_arena_printf(&c->arena, "'%s'", d ? d->name : "a member"), d, false};
    tl__check_slot(c, &back, tl__type_fresh(c, tl__type_new(c, slot->stated)), arg->loc);
  } else if (stated && !is_read_only) {
    tl__refuse(c, TL_UNTYPED_TENSOR, arg->loc,
               tl_arena_printf(&c->arena, "a type is stated of what is passed here, and %s may set it to any tensor",
                               slot->what),
               slot->decl);
  }
  if (!is_read_only) {
    const tl__type *after = slot->stated ? tl__type_new(c, slot->stated) : &tl__unknown;
    target.reach = target.reach == TL__SOME_ELEMENT && !slot->stated ? TL__EXACT : target.reach;
    tl__target_write(c, target, after);
  }
}

void tl__check_argument(tl__check *c, tl__bindings *all, const tl__slot *slot, const tl_ctype *param,
                        const tl_expr *arg) {
  const tl_expr *lvalue = lvalue_behind(arg);
  if (lvalue && lvalue->kind != TL_EXPR_STRING && lvalue->kind != TL_EXPR_COMPOUND_LITERAL) {
    pass_object(c, param, slot, arg, lvalue);
  } else if (slot->stated && tl_ctype_is_tensor(param)) {
    bind(c, all, slot, tl__check_expr(c, arg, slot), arg->loc);
  } else {
    tl__check_expr(c, lvalue ? lvalue : arg, NULL);
  }
}

static const tl__type *check_function_call(tl__check *c, const tl_expr *e, const tl_function *f) {
  tl__bindings all = {0};
  const tl_ctype *type = e->a->type->kind == TL_CT_POINTER ? e->a->type->target : e->a->type;
  for (uint32_t i = 0; i < e->args.count; i++) {
    const tl_expr *arg = e->args.data[i];
    const tl_decl *d = f && i < f->params.count ? f->params.data[i] : NULL;
    const tl_ctype *param = d                                                        ? d->type
                            : type->kind == TL_CT_FUNCTION && i < type->params.count ? type->params.data[i]
                                                                                     : NULL;
    bool is_named = d && strncmp(d->name, "unnamed_", 8) != 0;
    const char *of = f ? tl_arena_printf(&c->arena, " of '%s'", f->name) : "";
    tl__slot slot = {tl__stated(d ? d->stated : NULL, param),
                     is_named ? tl_arena_printf(&c->arena, "'%s'%s", d->name, of)
                              : tl_arena_printf(&c->arena, "parameter %u%s", i + 1, of),
                     is_named && f->body ? d : NULL, false};
    tl__check_argument(c, &all, &slot, param, arg);
  }
  const tl_tensor_type *stated = tl__stated(f ? f->stated : NULL, e->type);
  return stated && tl_ctype_is_tensor(e->type) ? tl__check_result(c, stated, &all) : &tl__unknown;
}

const tl__type *tl__check_call(tl__check *c, const tl_expr *e) {
  tl_tensor_call call;
  if (tl_tensor_call_read(c->unit, e, &call)) {
    return check_tensor_call(c, e, &call);
  }
  if (e->kind == TL_EXPR_INTRINSIC) {
    return tl__check_intrinsic(c, e);
  }
  const tl_function *f = e->a->kind == TL_EXPR_FUNCTION ? e->a->function : NULL;
  if (!f) {
    tl__check_expr(c, e->a, NULL);
  }
  return check_function_call(c, e, f);
}
