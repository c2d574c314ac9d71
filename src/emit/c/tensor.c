/* Tensors: each op is a call of the eager one. A temporary belongs to the innermost scope that is open: the function's,
 * or that of an iteration of a loop. What goes on (results, saved tensors, what a loop carries) is handed outward. */
#include <string.h>

#include "emit/c/internal.h"

bool tl__c_has_tensors(const tl_type t) { return t.is_tensor || t.element; }

const char *tl__c_decl_text(tl_type t) { return tl__c_has_tensors(t) ? "tl_tensor" : tl__c_type_text(t.dtype); }

bool tl__c_is_tensor_op(const tl_func *f, const tl_op *op) {
  if (tl_op_table[op->code].on_tensors || op->code == TL_OP_item || op->code == TL_OP_dim) {
    return true;
  }
  return tl_op_table[op->code].elementwise && tl_type_of(f, op->first_result).is_tensor;
}

bool tl__c_region_has_tensors(const tl_func *f, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->result_count; k++) {
      if (tl_type_of(f, tl_op_result(op, k)).is_tensor) {
        return true;
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      if (tl__c_region_has_tensors(f, op->regions[k])) {
        return true;
      }
    }
  }
  return false;
}

/* ---- expressions ---- */

static const char *shape_text(tl__c_emit *e, tl_type t) {
  if (!t.rank) {
    return "TL_SCALAR";
  }
  tl__c_text s = {.arena = e->arena};
  tl__c_text_add(&s, "TL_SHAPE(");
  for (int i = 0; i < t.rank; i++) {
    const char *extent = tl__c_extent_text(e, t.extents[i], TL__PREC_ASSIGN);
    bool narrows = t.extents[i].value && tl_dtype_is_unsigned(tl__c_type(e, t.extents[i].value).dtype);
    tl__c_text_addf(&s, narrows ? "%s(int64_t)%s" : "%s%s", i ? ", " : "",
                    narrows ? tl__c_extent_text(e, t.extents[i], TL__PREC_UNARY) : extent);
  }
  tl__c_text_add(&s, ")");
  return s.data;
}

/* A scalar as a tensor; of a floating one, as a tensor of that shape with equal elements. */
static const char *filled_text(tl__c_emit *e, tl_value v, tl_type like) {
  tl_dtype d = tl__c_type(e, v).dtype;
  int64_t c;
  bool is_exact =
      tl_dtype_is_float(d) || tl_dtype_size(d) <= 4 ||
      (tl_is_const_int(e->f, v, &c) && c <= (int64_t)1 << 53 && c >= (d == TL_U64 ? 0 : -((int64_t)1 << 53)));
  if (is_exact) {
    const tl_op *op = tl_def(e->f, v);
    bool stored = op && op->code == TL_OP_const && tl_dtype_is_stored_only(d); /* as the double that it is */
    const char *number =
        stored ? tl__c_constant_expr(e, op, TL_F64, false).text : tl__c_converted_text(e, v, TL__PREC_ASSIGN);
    return tl_arena_printf(e->arena, "tl_fill(%s, %s, %s)", tl_dtype_symbol(d), shape_text(e, like), number);
  }
  const char *text = tl_arena_printf(e->arena, "tl_from(%s, TL_SCALAR, &(%s){%s})", tl_dtype_symbol(d),
                                     tl__c_type_text(d), tl__c_converted_text(e, v, TL__PREC_ASSIGN));
  return like.rank ? tl_arena_printf(e->arena, "tl_broadcast(%s, %s)", text, shape_text(e, like)) : text;
}

static const char *operand_text(tl__c_emit *e, tl_value v) {
  return tl__c_type(e, v).is_tensor ? tl__c_value_text(e, v, TL__PREC_ASSIGN) : filled_text(e, v, (tl_type){.rank = 0});
}

/* What a broadcast repeats, where the op that it is an operand of repeats it by itself, for another operand's sake. */
static tl_value without_broadcast(tl__c_emit *e, const tl_op *op, tl_value v) {
  const tl_op *def = tl_def(e->f, v);
  bool repeats = def && def->code == TL_OP_broadcast && e->values[v].mode == TL__INLINE &&
                 tl__c_type(e, def->operands[0]).is_tensor;
  for (uint32_t i = 0; repeats && i < op->operand_count; i++) {
    const tl_op *other = tl_def(e->f, op->operands[i]);
    if (tl__c_type(e, op->operands[i]).is_tensor && !(other && other->code == TL_OP_broadcast)) {
      return def->operands[0];
    }
  }
  return v;
}

static void add_axes(tl__c_text *t, tl_axes axes) {
  tl__c_text_add(t, axes.count < 0 ? "TL_ALL" : axes.count ? "TL_AXES(" : "TL_NONE");
  for (int i = 0; i < axes.count; i++) {
    tl__c_text_addf(t, "%s%d", i ? ", " : "", axes.axis[i]);
  }
  tl__c_text_add(t, axes.count > 0 ? ")" : "");
}

/* Attributes that have a default stand in one struct, the last argument. */
static void add_attributes(tl__c_emit *e, tl__c_text *t, const tl_op *op) {
  static const char *const modes[] = {[TL_INDEX_CHECK] = "TL_INDEX_CHECK",
                                      [TL_INDEX_CLIP] = "TL_INDEX_CLIP",
                                      [TL_INDEX_DROP] = "TL_INDEX_DROP",
                                      [TL_INDEX_FILL] = "TL_INDEX_FILL"};
  static const char *const reducers[] = {[TL_REDUCE_ADD] = "TL_REDUCE_ADD",
                                         [TL_REDUCE_MUL] = "TL_REDUCE_MUL",
                                         [TL_REDUCE_MIN] = "TL_REDUCE_MIN",
                                         [TL_REDUCE_MAX] = "TL_REDUCE_MAX",
                                         [TL_REDUCE_REPLACE] = "TL_REDUCE_REPLACE"};
  const tl_op_info *row = &tl_op_table[op->code];
  bool optional = false;
  const char *before = tl_arena_printf(e->arena, ", (tl_%s_opts){", row->name);
  const char *first = before;
  for (int i = 0; i < row->attr_count; i++) {
    const tl_attr *a = &op->attrs[i];
    switch (row->attrs[i].kind) {
    case TL_ATTR_AXES:
      tl__c_text_add(t, ", ");
      add_axes(t, a->axes);
      break;
    case TL_ATTR_AXIS:
    case TL_ATTR_INTEGER:
      tl__c_text_addf(t, ", %lld", (long long)a->integer);
      break;
    case TL_ATTR_FLAG:
      tl__c_text_add(t, a->integer ? ", true" : ", false");
      break;
    case TL_ATTR_REDUCER:
      tl__c_text_addf(t, ", %s", reducers[a->integer]);
      break;
    case TL_ATTR_DTYPE:
      tl__c_text_addf(t, ", %s", tl_dtype_symbol((tl_dtype)a->integer));
      break;
    case TL_ATTR_INTS:
      tl__c_text_add(t, a->ints.count ? ", TL_INTS(" : ", TL_SCALAR");
      for (int k = 0; k < a->ints.count; k++) {
        tl__c_text_addf(t, "%s%lld", k ? ", " : "", (long long)a->ints.at[k]);
      }
      tl__c_text_add(t, a->ints.count ? ")" : "");
      break;
    case TL_ATTR_OPTION:
      optional = true;
      if (a->integer) {
        tl__c_text_addf(t, "%s.%s = true", before, row->attrs[i].name);
        before = ", ";
      }
      break;
    case TL_ATTR_MODE:
    case TL_ATTR_COUNT:
      optional = true;
      if (a->integer && row->attrs[i].kind == TL_ATTR_MODE) {
        tl__c_text_addf(t, "%s.%s = %s", before, row->attrs[i].name, modes[a->integer]);
        before = ", ";
      } else if (a->integer) {
        tl__c_text_addf(t, "%s.%s = %lld", before, row->attrs[i].name, (long long)a->integer);
        before = ", ";
      }
      break;
    case TL_ATTR_SHAPE:
      tl__c_text_addf(t, ", %s", shape_text(e, tl__c_type(e, op->first_result)));
      break;
    }
  }
  if (optional) {
    tl__c_text_add(t, before == first ? tl_arena_printf(e->arena, "%s0}", first) : "}");
  }
}

tl__c_expr tl__c_tensor_expr(tl__c_emit *e, const tl_op *op) {
  e->needs->tensor = true;
  const tl_value *x = op->operands;
  tl_type type = tl__c_type(e, op->first_result);
  if (op->code == TL_OP_dim) {
    return (tl__c_expr){
        tl_arena_printf(e->arena, "tl_shape_of(%s).dim[%lld]", operand_text(e, x[0]), (long long)op->u.integer),
        TL__PREC_POSTFIX};
  }
  if (op->code == TL_OP_item) {
    const char *name = tl_dtype_is_float(type.dtype) ? "tl_item" : "tl_item_int";
    const char *cast = type.dtype == TL_F64 || type.dtype == TL_I64
                           ? ""
                           : tl_arena_printf(e->arena, "(%s)", tl__c_type_text(type.dtype));
    return (tl__c_expr){tl_arena_printf(e->arena, "%s%s(%s)", cast, name, operand_text(e, x[0])), TL__PREC_UNARY};
  }
  if (op->code == TL_OP_broadcast && !tl__c_type(e, x[0]).is_tensor) {
    return (tl__c_expr){filled_text(e, x[0], type), TL__PREC_POSTFIX};
  }
  const tl_op_info *row = &tl_op_table[op->code];
  const char *name = op->code == TL_OP_select ? "where" : op->code == TL_OP_cvt ? "cast" : row->name;
  tl__c_text t = {.arena = e->arena};
  tl__c_text_addf(&t, "tl_%s(", name);
  for (int i = 0; i < row->arity; i++) {
    tl_value v = row->elementwise ? without_broadcast(e, op, x[i]) : x[i];
    tl__c_text_addf(&t, "%s%s", i ? ", " : "", operand_text(e, v));
  }
  if (op->code == TL_OP_cvt) {
    tl__c_text_addf(&t, ", %s", tl_dtype_symbol(type.dtype));
  } else if (row->on_tensors) {
    add_attributes(e, &t, op);
  }
  tl__c_text_add(&t, ")");
  return (tl__c_expr){t.data, TL__PREC_POSTFIX};
}

const char *tl__c_pack_text(tl__c_emit *e, const tl_op *op) {
  tl_type type = tl__c_type(e, op->first_result);
  e->needs->tensor = true;
  return tl_arena_printf(e->arena, "tl_from(%s, %s, %s)", tl_dtype_symbol(type.dtype), shape_text(e, type),
                         tl__c_base_text(e, op->operands[0]));
}

/* ---- scopes ---- */

void tl__c_scope_open(tl__c_emit *e) {
  const char *name = tl__c_name_fresh(e, e->region, "scope");
  tl__c_line(e, "tl_scope %s = tl_scope_open();", name);
  TL_PUSH(e->arena, e->scopes, name);
}

void tl__c_scope_close(tl__c_emit *e) { tl__c_line(e, "tl_scope_close(%s);", e->scopes.data[e->scopes.count - 1]); }

const char *tl__c_kept_text(tl__c_emit *e, const char *text, uint32_t depth) {
  for (uint32_t i = e->scopes.count; i-- > depth;) {
    text = tl_arena_printf(e->arena, "tl_scope_keep(%s, %s)", e->scopes.data[i], text);
  }
  return text;
}
