#include "front/lower_priv.h"

/* ---- small integer arithmetic ---- */

tl_value tl__lower_int_cvt(tl_lower *l, tl_dtype to, tl_value v) {
  int64_t c;
  if (tl_type_of(l->func, v).dtype == to || tl_type_of(l->func, v).is_tensor) {
    return v;
  }
  if (tl_is_const_int(l->func, v, &c)) {
    return tl_build_int(&l->b, to, c);
  }
  return tl_build_cvt(&l->b, to, v);
}

tl_value tl__lower_int_op(tl_lower *l, tl_opcode op, tl_value x, tl_value y) {
  tl_dtype dtype = tl_type_of(l->func, x).dtype;
  int64_t a = 0, b = 0;
  bool ca = tl_is_const_int(l->func, x, &a), cb = tl_is_const_int(l->func, y, &b);
  if (op == TL_OP_add || op == TL_OP_sub) {
    if (ca && cb) {
      uint64_t r = op == TL_OP_add ? (uint64_t)a + (uint64_t)b : (uint64_t)a - (uint64_t)b;
      return tl_build_int(&l->b, dtype, (int64_t)r);
    }
    if (cb && b == 0) {
      return x;
    }
    if (ca && a == 0 && op == TL_OP_add) {
      return y;
    }
  } else if (op == TL_OP_mul) {
    if (ca && cb) {
      return tl_build_int(&l->b, dtype, (int64_t)((uint64_t)a * (uint64_t)b));
    }
    if ((ca && a == 0) || (cb && b == 1)) {
      return x;
    }
    if ((cb && b == 0) || (ca && a == 1)) {
      return y;
    }
  } else if ((op == TL_OP_div || op == TL_OP_rem) && cb && b > 0) {
    if (ca && a >= 0) {
      return tl_build_int(&l->b, dtype, op == TL_OP_div ? a / b : a % b);
    }
    if (op == TL_OP_div && b == 1) {
      return x;
    }
  }
  return tl_build_binary(&l->b, op, x, y);
}

tl_value tl__lower_again(tl_lower *l, const tl_func *from, tl_value v, tl_known_value *known, const void *ctx) {
  tl_value is = known(l, ctx, v);
  int64_t c;
  if (is != TL_NO_VALUE) {
    return is;
  }
  const tl_op *op = tl_def(from, v);
  tl_dtype dtype = tl_type_of(from, v).dtype;
  if (tl_is_const_int(from, v, &c)) {
    return tl_build_int(&l->b, dtype, c);
  }
  if (!op || (!tl_op_table[op->code].elementwise && op->code != TL_OP_index)) {
    return TL_NO_VALUE;
  }
  tl_value operands[TL_MAX_RANK + 1] = {TL_NO_VALUE};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    operands[i] = tl__lower_again(l, from, op->operands[i], known, ctx);
    if (operands[i] == TL_NO_VALUE) {
      return TL_NO_VALUE;
    }
  }
  if (op->code == TL_OP_index) {
    return tl_build_index(&l->b, operands[0], op->operand_count - 1, operands + 1);
  }
  if (op->operand_count == 2 && !tl_dtype_is_float(dtype)) {
    return tl__lower_int_op(l, op->code, operands[0], operands[1]);
  }
  return tl_build_elementwise(&l->b, op->code, dtype, operands);
}

/* ---- types ---- */

/* The records that a type lies in: one that points to its own kind says nothing new. */
typedef struct tl_within {
  const tl_record *record;
  const struct tl_within *outer;
} tl_within;

const tl_tensor_type *tl__lower_stated(const tl_tensor_type *by_declaration, const tl_ctype *t) {
  while (t->kind == TL_CT_POINTER || t->kind == TL_CT_ARRAY) {
    t = t->target;
  }
  return !t->is_tensor ? NULL : by_declaration ? by_declaration : t->stated;
}

/* A tensor, or what holds or points to tensors alone, of a floating type that is stated. */
static bool is_float_tensor(const tl_ctype *t, const tl_tensor_type *by_declaration) {
  const tl_tensor_type *stated = tl__lower_stated(by_declaration, t);
  return stated && tl_dtype_is_float(stated->dtype);
}

static bool has_float(const tl_ctype *t, bool in_unions, const tl_within *outer) {
  while (t->kind == TL_CT_POINTER || t->kind == TL_CT_ARRAY) {
    t = t->target;
  }
  if (t->kind != TL_CT_RECORD) {
    return t->kind == TL_CT_SCALAR && tl_dtype_is_float(t->dtype);
  }
  bool seen = t->record->is_union && !in_unions;
  for (const tl_within *w = outer; w; w = w->outer) {
    seen = seen || w->record == t->record;
  }
  const tl_within here = {t->record, outer};
  for (uint32_t i = 0; !seen && i < t->record->fields.count; i++) {
    const tl_field *f = &t->record->fields.data[i];
    if (is_float_tensor(f->type, f->stated) || has_float(f->type, in_unions, &here)) {
      return true;
    }
  }
  return false;
}

bool tl__lower_has_float(const tl_ctype *t, bool in_unions) { return has_float(t, in_unions, NULL); }
bool tl__lower_declares_float(const tl_decl *d) {
  return is_float_tensor(d->type, d->stated) || has_float(d->type, false, NULL);
}

bool tl__lower_is_const(const tl_ctype *t) {
  while (t->kind == TL_CT_ARRAY) {
    t = t->target;
  }
  return t->is_const;
}

uint32_t tl__lower_leaf_count(const tl_ctype *t) {
  switch (t->kind) {
  case TL_CT_ARRAY:
    return tl__lower_leaf_count(t->target);
  case TL_CT_RECORD: {
    if (t->record->is_union || !t->record->complete) {
      return 1;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->record->fields.count; i++) {
      n += tl__lower_leaf_count(t->record->fields.data[i].type);
    }
    return n;
  }
  case TL_CT_VOID:
  case TL_CT_SCALAR:
  case TL_CT_POINTER:
  case TL_CT_FUNCTION:
  case TL_CT_UNSUPPORTED:
    break;
  }
  return 1;
}

tl_value tl__lower_extent_value(tl_lower *l, const tl_ctype *array) {
  if (array->extent >= 0) {
    return tl_build_int(&l->b, TL_I64, array->extent);
  }
  for (const tl_frame *f = l->frame; f; f = f->outer) {
    for (uint32_t i = f->extents.count; i-- > 0;) {
      if (f->extents.data[i].type == array) {
        return f->extents.data[i].value;
      }
    }
  }
  if (!array->extent_expr) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, l->b.loc, "the extent of '%s' is not known here", array->spelling);
  }
  tl_value v = tl__lower_expr(l, array->extent_expr);
  if (l->frame) {
    TL_PUSH(l->arena, l->frame->extents, (tl_vm_extent){array, v});
  }
  return v;
}

tl_extent tl__lower_extent_of(tl_lower *l, const tl_ctype *array) {
  if (array->extent >= 0) {
    return (tl_extent){.fixed = array->extent};
  }
  if (!array->extent_expr) {
    return (tl_extent){.fixed = -1};
  }
  return tl__lower_as_extent(l, tl__lower_extent_value(l, array));
}

tl_extent tl__lower_as_extent(tl_lower *l, tl_value v) {
  int64_t c;
  return tl_is_const_int(l->func, v, &c) ? (tl_extent){.fixed = c} : (tl_extent){.value = v};
}

tl_value tl__lower_extent_i64(tl_lower *l, tl_extent e) {
  return e.value != TL_NO_VALUE ? tl__lower_int_cvt(l, TL_I64, e.value) : tl_build_int(&l->b, TL_I64, e.fixed);
}

static int64_t type_alignment(const tl_ctype *t) {
  switch (t->kind) {
  case TL_CT_SCALAR:
    return (int64_t)tl_dtype_size(t->dtype);
  case TL_CT_POINTER:
    return 8;
  case TL_CT_ARRAY:
    return type_alignment(t->target);
  case TL_CT_RECORD: {
    int64_t a = 1;
    for (uint32_t i = 0; i < t->record->fields.count; i++) {
      int64_t f = type_alignment(t->record->fields.data[i].type);
      a = f > a ? f : a;
    }
    return a;
  }
  case TL_CT_VOID:
  case TL_CT_FUNCTION:
  case TL_CT_UNSUPPORTED:
    break;
  }
  return 1;
}

int64_t tl__lower_type_size(const tl_ctype *t) {
  switch (t->kind) {
  case TL_CT_SCALAR:
    return (int64_t)tl_dtype_size(t->dtype);
  case TL_CT_POINTER:
    return 8;
  case TL_CT_ARRAY: {
    int64_t e = tl__lower_type_size(t->target);
    return e < 0 || t->extent < 0 ? -1 : e * t->extent;
  }
  case TL_CT_RECORD: {
    if (!t->record->complete) {
      return -1;
    }
    int64_t size = 0, align = type_alignment(t);
    for (uint32_t i = 0; i < t->record->fields.count; i++) {
      const tl_field *f = &t->record->fields.data[i];
      int64_t s = tl__lower_type_size(f->type), a = type_alignment(f->type);
      if (s < 0 || f->is_bitfield) {
        return -1;
      }
      if (t->record->is_union) {
        size = s > size ? s : size;
      } else {
        size = (size + a - 1) / a * a + s;
      }
    }
    return (size + align - 1) / align * align;
  }
  case TL_CT_VOID:
    return 1;
  case TL_CT_FUNCTION:
  case TL_CT_UNSUPPORTED:
    break;
  }
  return -1;
}

tl_value tl__lower_type_size_value(tl_lower *l, const tl_ctype *t, tl_loc loc) {
  int64_t size = tl__lower_type_size(t);
  if (size >= 0) {
    return tl_build_int(&l->b, TL_U64, size);
  }
  if (t->kind == TL_CT_RECORD && t->record->complete && !t->record->is_union && t->record->fields.count) {
    const tl_field *last = &t->record->fields.data[t->record->fields.count - 1];
    if (last->type->kind == TL_CT_ARRAY && last->type->extent < -1) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, loc,
                       "'%s' ends in the flexible array '%s', which is not differentiated: let it be a pointer",
                       t->spelling, last->name);
    }
  }
  if (t->kind != TL_CT_ARRAY) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, loc, "the size of '%s' is not known", t->spelling);
  }
  tl_value n = tl__lower_int_cvt(l, TL_U64, tl__lower_extent_value(l, t));
  return tl__lower_int_op(l, TL_OP_mul, n, tl__lower_type_size_value(l, t->target, loc));
}
