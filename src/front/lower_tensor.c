/* Functions on tensors. A tensor is a value as a number is: a local holds one in its slot, branches and loops carry it.
 * Its type is known in the IR: a parameter's is stated by tl_typed, every other follows by the op's rule of types. */
#include <string.h>

#include "front/composite.h"
#include "front/lower_priv.h"
#include "front/tensor_call.h"
#include "ir/shape.h"
#include "tensor/op.h"

/* ---- parameters ---- */

static const tl_tensor_type *stated_of(const tl_decl *d, const tl_leaf *leaf) {
  return leaf->field ? tl__lower_stated(leaf->field->stated, leaf->field->type) : tl__lower_stated(d->stated, d->type);
}

/* The extent of an axis is stated as a number, shared with the axes of one name, or this axis's own. */
tl_type tl__lower_stated_type(tl_lower *l, const tl_decl *d, const tl_leaf *leaf) {
  const tl_tensor_type *stated = stated_of(d, leaf);
  if (!stated) {
    tl__lower_refuse(l, TL_UNTYPED_TENSOR, leaf->field ? leaf->field->loc : d->loc,
                     "'%s' is a tensor of a type that is not stated: declare it as tl_typed(DTYPE, AXIS, ...)",
                     leaf->field && leaf->field->name ? leaf->field->name : d->name);
  }
  tl_tensor_type t = *stated;
  for (int i = 0; i < t.rank; i++) {
    if (t.dim[i].value != TL_NO_VALUE) {
      t.dim[i] = (tl_extent){.fixed = -1}; /* until tl__lower_tensor_extents */
    }
    t.bound[i] = NULL;
  }
  return tl__shape_to_type(l->func, &t);
}

const tl_tensor_type *tl__lower_stated_param(const tl_lower *l, const tl_function *f, const tl_param *p) {
  for (uint32_t i = 0; i < l->tensor_params.count; i++) {
    if (l->tensor_params.data[i].value == p->value) {
      return stated_of(f->params.data[p->cparam], l->tensor_params.data[i].leaf);
    }
  }
  return NULL;
}

bool tl__lower_local_element(tl_lower *l, const tl_object *o, tl_leaf *leaf, tl_type *out) {
  leaf->tensor_note = l->tensor_note_count++;
  if (leaf->tensor_note == l->tensor_notes.count) {
    TL_PUSH(l->arena, l->tensor_notes, (tl_tensor_note){.is_known = false});
  }
  const tl_tensor_note *note = &l->tensor_notes.data[leaf->tensor_note];
  const tl_tensor_type *stated = leaf->field ? tl__lower_stated(leaf->field->stated, leaf->field->type)
                                 : o->decl   ? tl__lower_stated(o->decl->stated, o->decl->type)
                                             : NULL;
  tl_tensor_type t = {.dtype = note->dtype, .rank = note->rank};
  if (stated) {
    t = *stated;
  } else if (!note->is_known) {
    return false;
  }
  for (int i = 0; i < t.rank; i++) { /* each element has extents of its own */
    t.dim[i] = (tl_extent){.fixed = -1};
    t.bound[i] = NULL;
  }
  *out = tl__shape_to_type(l->func, &t);
  return true;
}

static const tl_type *element_of(const tl_lower *l, const tl_leaf *leaf) {
  tl_value array = leaf->slot == TL_NO_SLOT ? TL_NO_VALUE : l->env.slots[leaf->slot].value;
  return array == TL_NO_VALUE ? NULL : tl_type_of(l->func, array).element;
}

static void check_stored(tl_lower *l, const tl_leaf *leaf, tl_type type, tl_loc loc) {
  const tl_type *element = element_of(l, leaf);
  if (!element) {
    l->tensor_notes.data[leaf->tensor_note] = (tl_tensor_note){true, type.dtype, type.rank};
    tl__lower_restart(l);
  }
  const char *name = leaf->name ? leaf->name : "an object";
  if (type.dtype != element->dtype) {
    tl__lower_refuse(l, TL_DTYPE_MISMATCH, loc, "'%s' holds tensors of dtype %s, and this is one of %s", name,
                     tl_dtype_name(element->dtype), tl_dtype_name(type.dtype));
  }
  if (type.rank != element->rank) {
    tl__lower_refuse(l, TL_TENSOR_SHAPE_MISMATCH, loc, "'%s' holds tensors of rank %d, and this is one of %d", name,
                     element->rank, type.rank);
  }
}

void tl__lower_check_stored(tl_lower *l, const tl_leaf *leaf, tl_value v, tl_loc loc) {
  check_stored(l, leaf, tl_type_of(l->func, v), loc);
}

void tl__lower_check_loaded(tl_lower *l, const tl_leaf *leaf, tl_loc loc) {
  if (!element_of(l, leaf)) {
    tl__lower_refuse(l, TL_UNTYPED_TENSOR, loc,
                     "what tensors '%s' holds is not known where one is read: set one ahead of it, or declare it as "
                     "tl_typed(DTYPE, AXIS, ...)",
                     leaf->name ? leaf->name : "an object");
  }
}

void tl__lower_check_copied(tl_lower *l, const tl_leaf *to, const tl_leaf *from, tl_loc loc) {
  if (from->is_array) {
    tl__lower_check_loaded(l, from, loc);
    check_stored(l, to, *element_of(l, from), loc);
  } else {
    check_stored(l, to, tl_type_of(l->func, tl__lower_slot_read(l, from)), loc);
  }
}

/* Extents of parameters that are not numbers become values at the head of the body: one for all axes of a name. */
void tl__lower_tensor_extents(tl_lower *l, const tl_function *f) {
  struct {
    tl_value name, extent;
  } known[64];
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->func->params.count; i++) {
    const tl_param *p = &l->func->params.data[i];
    tl_type type = tl_type_of(l->func, p->value);
    if (!type.is_tensor) {
      continue;
    }
    const tl_tensor_type *stated = tl__lower_stated_param(l, f, p);
    tl_extent *dim = (tl_extent *)type.extents; /* its own */
    for (int k = 0; k < type.rank; k++) {
      tl_value name = stated->dim[k].value, extent = TL_NO_VALUE;
      if (name == TL_NO_VALUE) {
        continue;
      }
      for (uint32_t n = 0; n < count && name >= TL_STATED_FIRST; n++) {
        extent = known[n].name == name ? known[n].extent : extent;
      }
      if (!extent) {
        extent = tl_build_dim(&l->b, p->value, k);
        if (stated->axis[k]) {
          l->func->values.data[extent].name = stated->axis[k];
        }
        if (count < sizeof known / sizeof *known) {
          known[count].name = name;
          known[count++].extent = extent;
        }
      }
      dim[k] = (tl_extent){.value = extent};
    }
  }
}

void tl__lower_tensor_argument(tl_lower *l, tl_value v, tl_type want, const char *param, tl_loc loc) {
  tl_type got = tl_type_of(l->func, v);
  if (!want.is_tensor) {
    return;
  }
  if (!got.is_tensor || got.dtype != want.dtype) {
    tl__lower_refuse(l, TL_DTYPE_MISMATCH, loc, "the parameter '%s' is a tensor of dtype %s, this is %s", param,
                     tl_dtype_name(want.dtype), tl_dtype_name(got.dtype));
  }
  if (got.rank != want.rank) {
    tl__lower_refuse(l, TL_TENSOR_SHAPE_MISMATCH, loc, "the parameter '%s' has rank %d, this %d", param, want.rank,
                     got.rank);
  }
  for (int i = 0; i < got.rank; i++) {
    tl_extent m = got.extents[i], n = want.extents[i];
    const char *a = got.axis_names ? got.axis_names[i] : NULL, *b = want.axis_names ? want.axis_names[i] : NULL;
    if (a && b && strcmp(a, b) != 0) {
      tl__lower_refuse(l, TL_NAMED_INDEX_MISMATCH, loc, "axis %d of the parameter '%s' is '%s', here '%s'", i, param, b,
                       a);
    }
    if (!m.value && !n.value && m.fixed >= 0 && n.fixed >= 0 && m.fixed != n.fixed) {
      tl__lower_refuse(l, TL_TENSOR_SHAPE_MISMATCH, loc, "axis %d of the parameter '%s' has extent %lld, here %lld", i,
                       param, (long long)n.fixed, (long long)m.fixed);
    }
  }
}

/* ---- attributes ---- */

static tl_extent extent(tl_lower *l, const tl_expr *e) {
  int64_t n = 0;
  if (!e || tl_attr_integer(e, &n)) {
    return (tl_extent){.fixed = n};
  }
  return tl__lower_as_extent(l, tl__lower_convert(l, TL_I64, tl__lower_expr(l, e)));
}

static bool shape(tl_lower *l, const tl_expr *e, int *out_rank, tl_extent dim[TL_MAX_RANK]) {
  tl_attr_dims dims;
  if (!tl_attr_shape(e, &dims)) {
    return false;
  }
  if (dims.of) {
    tl_value x = tl__lower_expr(l, dims.of);
    tl_type type = tl_build_type(&l->b, x);
    *out_rank = type.rank;
    tl_extents_copy(dim, type.extents, type.rank);
    return true;
  }
  *out_rank = dims.rank;
  for (int i = 0; i < dims.rank; i++) {
    dim[i] = extent(l, dims.dim[i]);
  }
  return true;
}

static _Noreturn void refuse_attribute(tl_lower *l, const tl_tensor_call *c, const char *name, tl_loc loc) {
  tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, loc, "the %s of '%s' is not known at compile time", name, c->name);
}

static void read_attributes(tl_lower *l, const tl_tensor_call *c, tl_loc loc, tl_attr *out, tl_extent *dim,
                            int64_t ints[TL_MAX_ATTRS][TL_MAX_RANK]) {
  const tl_op_info *row = &tl_op_table[c->code];
  for (int i = 0; i < row->attr_count; i++) {
    const tl_expr *e = c->attrs[i];
    bool known = true;
    switch (row->attrs[i].kind) {
    case TL_ATTR_AXES:
      known = tl_attr_axes(e, &out[i].axes);
      break;
    case TL_ATTR_SHAPE:
      out[i].shape.dim = dim;
      known = shape(l, e, &out[i].shape.rank, dim);
      break;
    case TL_ATTR_INTS:
      known = tl_attr_ints(e, ints[i], &out[i]);
      break;
    case TL_ATTR_REDUCER:
    case TL_ATTR_DTYPE:
    case TL_ATTR_AXIS:
    case TL_ATTR_FLAG:
    case TL_ATTR_INTEGER:
      known = tl_attr_integer(e, &out[i].integer);
      break;
    case TL_ATTR_OPTION:
    case TL_ATTR_MODE:
    case TL_ATTR_COUNT:
      out[i].integer = 0;
      known = !c->hidden[i] && (!e || tl_attr_integer(e, &out[i].integer));
      break;
    }
    if (!known) {
      refuse_attribute(l, c, row->attrs[i].name, e ? e->loc : loc);
    }
  }
}

static tl_dtype dtype(tl_lower *l, const tl_tensor_call *c) {
  int64_t d;
  if (!tl_attr_integer(c->dtype, &d) || d < 0 || d >= TL_DTYPE_COUNT) {
    refuse_attribute(l, c, "dtype", c->dtype->loc);
  }
  return (tl_dtype)d;
}

/* ---- calls ---- */

static _Noreturn void refuse(tl_lower *l, const tl_tensor_call *c, tl_status status, const tl_shape_rules *rules,
                             tl_loc loc) {
  int at = rules->at < c->argument_count ? rules->at : c->argument_count - 1;
  tl__lower_refuse(l, status, at >= 0 ? c->arguments[at]->loc : loc, "%s", rules->message);
}

static tl_value operand(tl_lower *l, const tl_expr *e) {
  tl_value v = tl__lower_expr(l, e);
  if (!tl_type_of(l->func, v).is_tensor) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, e->loc, "this tensor is not known at compile time");
  }
  return v;
}

static tl_value op(tl_lower *l, const tl_tensor_call *c, tl_loc loc) {
  tl_value operands[TL_CALL_MOST_OPERANDS], v;
  tl_attr attrs[TL_MAX_ATTRS] = {{.integer = 0}};
  tl_extent dim[TL_MAX_RANK];
  int64_t ints[TL_MAX_ATTRS][TL_MAX_RANK];
  for (int i = 0; i < c->operand_count; i++) {
    operands[i] = operand(l, c->operands[i]);
  }
  tl_dtype given = c->code == TL_OP_cvt ? dtype(l, c) : TL_DTYPE_COUNT;
  if (c->code != TL_OP_cvt) {
    read_attributes(l, c, loc, attrs, dim, ints);
  }
  l->b.loc = loc;
  tl_shape_rules rules;
  tl_status status = tl_build_tensor_checked(&l->b, c->code, operands, attrs, given, &rules, &v);
  if (status != TL_OK) {
    refuse(l, c, status, &rules, loc);
  }
  return v;
}

/* ---- ops that are made of others ---- */

/* Every extent of its type is stated, so that others can be computed from it. */
static tl_composite_value composite_value(tl_lower *l, tl_value v) {
  tl_type type = tl_build_type(&l->b, v);
  tl_composite_value out = {.type = tl__shape_of_value(l->func, v), .value = v};
  tl_extents_copy(out.type.dim, type.extents, type.rank);
  return out;
}

static tl_status composite_op(void *ctx, tl_opcode code, const tl_composite_value *operands, const tl_attr *attrs,
                              tl_dtype given, tl_shape_rules *out_rules, tl_composite_value *out) {
  tl_lower *l = ctx;
  tl_value values[TL_CALL_MOST_OPERANDS];
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    values[i] = operands[i].value;
  }
  tl_value v;
  tl_status status = tl_build_tensor_checked(&l->b, code, values, attrs, given, out_rules, &v);
  if (status == TL_OK) {
    *out = composite_value(l, v);
  }
  return status;
}

static tl_extent composite_extent(void *ctx, tl_extent n, int64_t times, int64_t plus, int64_t over) {
  return tl_build_extent_affine(&((tl_lower *)ctx)->b, n, times, plus, over);
}

static bool composite_constant(void *ctx, tl_tensor x, tl_composite_value *in_out) {
  tl_lower *l = ctx;
  tl_value number = tl__tensor_uniform_value(&l->b, x);
  if (number) {
    in_out->value = tl_build_broadcast(&l->b, number, tl__shape_to_type(l->func, &in_out->type));
  }
  return number != TL_NO_VALUE;
}

static void composite_argument(tl_lower *l, const tl_tensor_call *c, int i, const tl_composite_value *operands,
                               int *next, tl_composite_argument *out) {
  const tl_expr *e = c->arguments[i];
  switch (tl_composite_table[c->composite].arguments[i]) {
  case 'x':
    out->x = operands[(*next)++];
    return;
  case 'X':
    out->list = operands + c->first_of_list;
    out->list_count = c->operand_count - c->first_of_list;
    return;
  case 'a':
    if (!tl_attr_axes(e, &out->axes)) {
      refuse_attribute(l, c, "list of axes", e->loc);
    }
    return;
  case 'n':
    out->extent = extent(l, e);
    return;
  case 'f':
    if (!tl_attr_number(e, &out->number)) {
      refuse_attribute(l, c, "number", e->loc);
    }
    return;
  case 'l': {
    int rank;
    if (!shape(l, e, &rank, out->dim)) {
      refuse_attribute(l, c, "list of integers", e->loc);
    }
    out->integer = rank;
    return;
  }
  case 's':
    out->text = tl_attr_text(l->unit, e);
    if (!out->text) {
      refuse_attribute(l, c, "text", e->loc);
    }
    return;
  default:
    if (!tl_attr_integer(e, &out->integer)) {
      refuse_attribute(l, c, "argument", e->loc);
    }
    out->dtype = (tl_dtype)out->integer;
  }
}

static tl_value composite(tl_lower *l, const tl_tensor_call *c, tl_loc loc) {
  tl_composite_value operands[TL_CALL_MOST_OPERANDS], result;
  tl_composite_argument arguments[TL_CALL_MOST_ARGUMENTS] = {{.list = NULL}};
  for (int i = 0; i < c->operand_count; i++) {
    operands[i] = composite_value(l, operand(l, c->operands[i]));
  }
  for (int i = 0, next = 0; i < c->argument_count; i++) {
    composite_argument(l, c, i, operands, &next, &arguments[i]);
  }
  l->b.loc = loc;
  tl_composite_host host = {l, l->func->arena, composite_op, composite_extent, composite_constant};
  tl_shape_rules rules = {.at = 0};
  tl_status status = tl_composite_run(&host, c->composite, arguments, &rules, &result);
  if (status != TL_OK) {
    tl__lower_refuse(l, status, loc, "%s", rules.message);
  }
  return result.value;
}

/* ---- tensors of numbers ---- */

static tl_value from_memory(tl_lower *l, tl_dtype d, int rank, const tl_extent *dim, const tl_expr *call) {
  const tl_expr *data = call->args.data[2];
  if (tl_dtype_is_stored_only(d)) {
    tl__lower_refuse(l, TL_DTYPE_UNSUPPORTED, data->loc,
                     "elements of dtype %s are no numbers of C: make the tensor of others, and cast it",
                     tl_dtype_name(d));
  }
  tl_extent n = {.fixed = 1};
  for (int i = 0; i < rank; i++) {
    n = tl_build_extent_product(&l->b, n, dim[i]);
  }
  l->b.loc = call->loc;
  tl_value v =
      tl_build_pack(&l->b, tl__lower_elements(l, tl__lower_pointer(l, tl__lower_strip_casts(data)), d, n, data->loc));
  return tl_build_tensor(&l->b, TL_OP_reshape, &v, &(tl_attr){.shape = {rank, dim}});
}

/* tl_fill: a number repeated. tl_from: the elements that lie in memory now. */
static tl_value create(tl_lower *l, const tl_tensor_call *c, const tl_expr *call) {
  bool is_from = !strcmp(c->name, "from");
  if (!is_from && strcmp(c->name, "fill") != 0) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc,
                     "'tl_%s' makes a tensor of memory, which is not differentiated: pass the tensor as a parameter",
                     c->name);
  }
  tl_extent dim[TL_MAX_RANK];
  int rank;
  tl_dtype d = dtype(l, c);
  if (!shape(l, c->shape, &rank, dim)) {
    refuse_attribute(l, c, "shape", c->shape->loc);
  }
  tl_shape_rules rules = {.product = NULL};
  tl_status status = tl__shape_create(&rules, c->name, d, rank, dim);
  if (status != TL_OK) {
    refuse(l, c, status, &rules, call->loc);
  }
  if (is_from) {
    return from_memory(l, d, rank, dim, call);
  }
  tl_value number = tl__lower_convert(l, d, tl__lower_expr(l, call->args.data[2]));
  l->b.loc = call->loc;
  return tl_build_broadcast(&l->b, number, (tl_type){.dtype = d, .is_tensor = true, .rank = rank, .extents = dim});
}

static tl_value scalar_like(tl_lower *l, const tl_expr *call) {
  tl_dtype d = tl_type_of(l->func, operand(l, call->args.data[0])).dtype;
  tl_value number = tl__lower_convert(l, d, tl__lower_expr(l, call->args.data[1]));
  l->b.loc = call->loc;
  return tl_build_broadcast(&l->b, number, (tl_type){.dtype = d, .is_tensor = true});
}

static tl_value item(tl_lower *l, const tl_expr *call) {
  tl_value x = operand(l, call->args.data[0]);
  l->b.loc = call->loc;
  if (tl_type_of(l->func, x).rank) {
    x = tl_build_tensor(&l->b, TL_OP_reshape, &x, &(tl_attr){.shape = {0, NULL}});
  }
  return tl__lower_convert(l, call->type->dtype, tl_build_item(&l->b, x));
}

bool tl__lower_tensor_call(tl_lower *l, const tl_expr *call, tl_value *out, tl_pointer **out_pointer) {
  tl_tensor_call c;
  const char *name = call->a->kind == TL_EXPR_FUNCTION ? call->a->name : "";
  *out = TL_NO_VALUE;
  if (tl_tensor_call_read(l->unit, call, &c)) {
    switch (c.kind) {
    case TL_CALL_OP:
      *out = op(l, &c, call->loc);
      return true;
    case TL_CALL_COMPOSITE:
      *out = composite(l, &c, call->loc);
      return true;
    case TL_CALL_CREATE:
      *out = create(l, &c, call);
      return true;
    case TL_CALL_SCALAR_LIKE:
      *out = scalar_like(l, call);
      return true;
    case TL_CALL_SAME:
      *out = operand(l, c.operands[0]);
      return true;
    case TL_CALL_AS: /* a claim about the operand, which its type in the IR bears out already */
      *out = operand(l, c.operands[0]);
      return true;
    }
  }
  if ((!strcmp(name, "tl_item") || !strcmp(name, "tl_item_int")) && call->args.count == 1) {
    *out = item(l, call);
    return true;
  }
  if (!strcmp(name, "tl_scope_open") && !call->args.count) { /* derivatives have scopes of their own */
    if (out_pointer) {
      *out_pointer = tl__lower_pointer_null(l);
    }
    return true;
  }
  return !strcmp(name, "tl_scope_close") || !strcmp(name, "tl_release");
}

bool tl__lower_tensor_extent(tl_lower *l, const tl_expr *e, tl_value *out) {
  const tl_expr *x;
  int64_t axis;
  if (!tl_attr_extent_of(e, &x, &axis)) {
    return false;
  }
  tl_value v = operand(l, x);
  int rank = tl_type_of(l->func, v).rank;
  if (axis < 0 || axis >= rank) {
    tl__lower_refuse(l, TL_TENSOR_SHAPE_MISMATCH, e->loc, "there is no axis %lld in a tensor of rank %d",
                     (long long)axis, rank);
  }
  *out = tl__lower_convert(l, e->type->dtype, tl_build_dim(&l->b, v, (int)axis));
  return true;
}
