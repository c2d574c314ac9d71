/* libclang's types as tl_ctype. Sugar is kept in the spelling only. */
#include <string.h>

#include "front/parse_clang.h"

static tl_ctype *new_type(tl__parse *p, tl_ctype_kind kind, const char *spelling) {
  tl_ctype *t = TL_NEW(p->arena, tl_ctype);
  t->kind = kind;
  t->spelling = spelling;
  return t;
}

/* The dtype of a canonical builtin type; TL_DTYPE_COUNT if it has none. */
static tl_dtype builtin_dtype(CXType t) {
  switch ((int)t.kind) {
  case CXType_Bool:
    return TL_BOOL;
  case CXType_Char_S:
  case CXType_SChar:
    return TL_I8;
  case CXType_Char_U:
  case CXType_UChar:
    return TL_U8;
  case CXType_Short:
    return TL_I16;
  case CXType_UShort:
  case CXType_Char16:
    return TL_U16;
  case CXType_Int:
    return TL_I32;
  case CXType_UInt:
  case CXType_Char32:
    return TL_U32;
  case CXType_Long:
    return clang_Type_getSizeOf(t) == 8 ? TL_I64 : TL_I32;
  case CXType_ULong:
    return clang_Type_getSizeOf(t) == 8 ? TL_U64 : TL_U32;
  case CXType_LongLong:
    return TL_I64;
  case CXType_ULongLong:
    return TL_U64;
  case CXType_Float:
    return TL_F32;
  case CXType_Double:
    return TL_F64;
  case CXType_LongDouble:
    return TL_F80;
  }
  return TL_DTYPE_COUNT;
}

static void read_field_len(tl__parse *p, tl_record *record, uint32_t field, CXCursor c) {
  tl__cursors children = tl__parse_children(p, c);
  for (uint32_t i = 0; i < children.count; i++) {
    if (clang_getCursorKind(children.data[i]) == CXCursor_AnnotateAttr) {
      const char *text = tl__parse_spelling(p, children.data[i]);
      if (strncmp(text, "tl_len:", 7) == 0) {
        tl_loc loc = tl__parse_expr_loc(p, children.data[i]);
        record->fields.data[field].len = tl__parse_len(p, text + 7, loc, NULL, NULL, 0, record);
      }
    }
  }
}

static void add_field(tl__parse *p, tl_record *record, CXCursor c) {
  tl__cursors sizes = tl__parse_expressions(p, c);
  bool in_system_header = clang_Location_isInSystemHeader(clang_getCursorLocation(c));
  tl_field f = {.in_system_header = in_system_header, .loc = tl__parse_name_loc(p, c)};
  const char *name = tl__parse_spelling(p, c);
  /* An anonymous member has no name; libclang describes it between parentheses. */
  if (*name && !strchr(name, '(')) {
    f.name = name;
  }
  if (clang_Cursor_isBitField(c)) {
    f.is_bitfield = true;
    f.bit_width = (uint32_t)clang_getFieldDeclBitWidth(c);
    sizes.count = 0;
  }
  f.type = tl__parse_declared_type(p, clang_getCursorType(c), &sizes);
  f.stated = tl__parse_stated(p, c);
  TL_PUSH(p->arena, record->fields, f);
}

static tl_record *record_of(tl__parse *p, CXType canonical) {
  CXCursor declaration = clang_getTypeDeclaration(canonical);
  CXCursor definition = clang_getCursorDefinition(declaration);
  CXCursor c = clang_Cursor_isNull(definition) ? clang_getCanonicalCursor(declaration) : definition;
  tl_record *r = tl__map_get(&p->records, c.data[0]);
  if (r) {
    return r;
  }
  r = TL_NEW(p->arena, tl_record);
  tl__map_put(p->arena, &p->records, c.data[0], r);
  r->is_union = clang_getCursorKind(c) == CXCursor_UnionDecl;
  r->complete = !clang_Cursor_isNull(definition);
  r->loc = tl__parse_name_loc(p, c);
  const char *name = tl__parse_spelling(p, c);
  if (*name && !strchr(name, '(') && !strchr(name, ' ')) {
    r->name = name;
  }
  if (r->complete) {
    tl__cursors fields = tl__parse_fields(p, canonical);
    for (uint32_t i = 0; i < fields.count; i++) {
      add_field(p, r, fields.data[i]);
    }
    for (uint32_t i = 0; i < fields.count; i++) { /* once all siblings are known */
      read_field_len(p, r, i, fields.data[i]);
    }
  }
  return r;
}

bool tl__parse_field_path(const tl_record *r, const char *name, uint32_t path[], uint32_t *out_length) {
  uint32_t room = *out_length ? *out_length : TL__FIELD_DEPTH;
  for (uint32_t i = 0; i < r->fields.count; i++) {
    const tl_field *f = &r->fields.data[i];
    path[0] = i;
    if (f->name && strcmp(f->name, name) == 0) {
      *out_length = 1;
      return true;
    }
    if (!f->name && f->type->kind == TL_CT_RECORD && room > 1) {
      uint32_t rest = room - 1;
      if (tl__parse_field_path(f->type->record, name, path + 1, &rest)) {
        *out_length = rest + 1;
        return true;
      }
    }
  }
  return false;
}

static const char *pointer_spelling(tl__parse *p, const tl_ctype *target) {
  const char *s = target->spelling;
  const char *at = NULL;
  if (target->kind == TL_CT_ARRAY) {
    at = strchr(s, '[');
  } else if (target->kind == TL_CT_FUNCTION) {
    at = strchr(s, '(');
  }
  if (at) {
    return tl_arena_printf(p->arena, "%.*s%s(*)%s", (int)(at - s), s, at > s && at[-1] == ' ' ? "" : " ", at);
  }
  size_t length = strlen(s);
  return tl_arena_printf(p->arena, "%s%s*", s, length && s[length - 1] == '*' ? "" : " ");
}

tl_ctype *tl__parse_pointer_to(tl__parse *p, tl_ctype *target) {
  tl_ctype *t = tl__map_get(&p->pointers, target);
  if (!t) {
    t = new_type(p, TL_CT_POINTER, pointer_spelling(p, target));
    t->target = target;
    tl__map_put(p->arena, &p->pointers, target, t);
  }
  return t;
}

tl_ctype *tl__parse_decayed(tl__parse *p, tl_ctype *t) {
  switch (t->kind) {
  case TL_CT_ARRAY:
    return tl__parse_pointer_to(p, t->target);
  case TL_CT_FUNCTION:
    return tl__parse_pointer_to(p, t);
  case TL_CT_VOID:
  case TL_CT_SCALAR:
  case TL_CT_POINTER:
  case TL_CT_RECORD:
  case TL_CT_UNSUPPORTED:
    return t;
  }
  return t;
}

bool tl__parse_same_type(const tl_ctype *a, const tl_ctype *b) {
  if (a == b) {
    return true;
  }
  if (a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
  case TL_CT_VOID:
    return true;
  case TL_CT_SCALAR:
    return a->dtype == b->dtype;
  case TL_CT_POINTER:
    return tl__parse_same_type(a->target, b->target);
  case TL_CT_ARRAY:
    return (a->extent == b->extent || a->extent < 0 || b->extent < 0) && tl__parse_same_type(a->target, b->target);
  case TL_CT_RECORD:
    return a->record == b->record;
  case TL_CT_FUNCTION: {
    if (!tl__parse_same_type(a->target, b->target) || a->params.count != b->params.count ||
        a->variadic != b->variadic) {
      return false;
    }
    for (uint32_t i = 0; i < a->params.count; i++) {
      if (!tl__parse_same_type(a->params.data[i], b->params.data[i])) {
        return false;
      }
    }
    return true;
  }
  case TL_CT_UNSUPPORTED:
    return strcmp(a->spelling, b->spelling) == 0;
  }
  return false;
}

tl_dtype tl__parse_promoted(tl_dtype d) {
  return d == TL_BOOL || d == TL_I8 || d == TL_I16 || d == TL_U8 || d == TL_U16 ? TL_I32 : d;
}

tl_dtype tl__parse_arithmetic(tl_dtype a, tl_dtype b) {
  if (tl_dtype_is_float(a) || tl_dtype_is_float(b)) {
    return !tl_dtype_is_float(b) || (tl_dtype_is_float(a) && a > b) ? a : b;
  }
  a = tl__parse_promoted(a);
  b = tl__parse_promoted(b);
  size_t size = tl_dtype_size(a) > tl_dtype_size(b) ? tl_dtype_size(a) : tl_dtype_size(b);
  bool is_unsigned =
      (tl_dtype_size(a) == size && tl_dtype_is_unsigned(a)) || (tl_dtype_size(b) == size && tl_dtype_is_unsigned(b));
  return size == 8 ? (is_unsigned ? TL_U64 : TL_I64) : (is_unsigned ? TL_U32 : TL_I32);
}

static tl_ctype *function_type(tl__parse *p, CXType t, const char *spelling) {
  tl_ctype *f = new_type(p, TL_CT_FUNCTION, spelling);
  f->target = tl__parse_type(p, clang_getResultType(t));
  f->variadic = t.kind == CXType_FunctionNoProto || clang_isFunctionTypeVariadic(t);
  int count = clang_getNumArgTypes(t);
  for (int i = 0; i < count; i++) {
    tl_ctype *param = tl__parse_type(p, clang_getArgType(t, (unsigned)i));
    TL_PUSH(p->arena, f->params, tl__parse_decayed(p, param));
  }
  return f;
}

/* One extent of a declarator: a constant keeps its expression only where it was not a plain number. */
static void set_extent(tl__parse *p, tl_ctype *array, const tl__cursors *sizes, uint32_t *left) {
  if (array->extent == -2 || *left == 0) {
    return;
  }
  CXCursor c = sizes->data[--*left];
  tl_expr *e = tl__parse_expr(p, c);
  if (array->extent < 0 || e->kind != TL_EXPR_INT) {
    array->extent_expr = e;
  }
}

/* A const array is an array of const elements. */
static tl_ctype *const_array(tl__parse *p, const tl_ctype *base) {
  tl_ctype *t = TL_NEW(p->arena, tl_ctype);
  *t = *base;
  if (t->kind == TL_CT_ARRAY) {
    t->target = const_array(p, base->target);
  }
  t->is_const = true;
  return t;
}

static bool has_extent_of_its_own(CXType t) {
  CXType c = clang_getCanonicalType(t);
  while (c.kind == CXType_Pointer) {
    c = clang_getPointeeType(c);
  }
  return c.kind == CXType_ConstantArray || c.kind == CXType_VariableArray;
}

static tl_ctype *build(tl__parse *p, CXType t, const tl__cursors *sizes, uint32_t *left);

/* What a tl_tensor points to; nobody else does. */
static bool is_tensor_object(const tl_ctype *t) {
  return t->kind == TL_CT_RECORD && t->record && t->record->name && !strcmp(t->record->name, "tl_tensor_object");
}

static tl_ctype *build_target(tl__parse *p, CXType t, const tl__cursors *sizes, uint32_t *left) {
  return left && has_extent_of_its_own(t) ? build(p, t, sizes, left) : tl__parse_type(p, t);
}

/* libclang has no kind for it; it spells typeof of an expression with a space, typeof of a type without. */
static bool is_typeof_expression(CXType t) {
  if (t.kind != CXType_Unexposed) {
    return false;
  }
  CXString s = clang_getTypeSpelling(t);
  const char *text = clang_getCString(s);
  while (strncmp(text, "const ", 6) == 0 || strncmp(text, "volatile ", 9) == 0) {
    text = strchr(text, ' ') + 1;
  }
  bool is = strncmp(text, "typeof (", 8) == 0 || strncmp(text, "typeof_unqual (", 15) == 0;
  clang_disposeString(s);
  return is;
}

/* Builds the type `t`, taking the extents of its arrays from the end of sizes[0..*left). `left` NULL: none are known.
 */
static tl_ctype *build(tl__parse *p, CXType t, const tl__cursors *sizes, uint32_t *left) {
  const char *spelling = tl__parse_string(p, clang_getTypeSpelling(t));
  CXType sugar = t;
  while (sugar.kind == CXType_Elaborated) {
    sugar = clang_Type_getNamedType(sugar);
  }
  if (sugar.kind == CXType_Typedef) {
    CXCursor d = clang_getTypeDeclaration(sugar);
    CXType under = clang_getTypedefDeclUnderlyingType(d);
    CXType canonical = clang_getCanonicalType(under);
    if (canonical.kind == CXType_ConstantArray || canonical.kind == CXType_VariableArray ||
        canonical.kind == CXType_Pointer) {
      tl__cursors own = tl__parse_expressions(p, d);
      tl_ctype *base = tl__map_get(&p->types, d.data[0]);
      if (!base) {
        base = tl__parse_declared_type(p, under, &own);
        tl__map_put(p->arena, &p->types, d.data[0], base);
      }
      bool is_const = clang_isConstQualifiedType(t) != 0;
      tl_ctype *named = is_const && base->kind == TL_CT_ARRAY ? const_array(p, base) : TL_NEW(p->arena, tl_ctype);
      if (!is_const || base->kind != TL_CT_ARRAY) {
        *named = *base;
      }
      const tl_tensor_type *stated = tl__parse_stated(p, d);
      named->stated = stated ? stated : named->stated;
      named->spelling = spelling;
      named->is_const |= is_const;
      named->is_volatile |= clang_isVolatileQualifiedType(t) != 0;
      return named;
    }
  }
  CXType c = clang_getCanonicalType(t);
  if (left && *left && is_typeof_expression(sugar)) {
    /* typeof (x): its operand comes first among the expressions, and its type has the extents. */
    const tl_expr *operand = tl__parse_expr(p, sizes->data[0]);
    tl_ctype *same = TL_NEW(p->arena, tl_ctype);
    *same = *operand->type;
    same->spelling = spelling;
    return same;
  }
  tl_ctype *r = NULL;
  tl_dtype dtype = builtin_dtype(c);
  if (dtype != TL_DTYPE_COUNT) {
    r = new_type(p, TL_CT_SCALAR, spelling);
    r->dtype = dtype;
  } else {
    /* The pointee of sugar keeps the typedef names; where sugar hides it (parentheses, typeof), the canonical type
     * does. */
    bool plain = sugar.kind == c.kind;
    switch ((int)c.kind) {
    case CXType_Void:
      r = new_type(p, TL_CT_VOID, spelling);
      break;
    case CXType_Enum: {
      tl_dtype under = builtin_dtype(clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(c))));
      r = new_type(p, under == TL_DTYPE_COUNT ? TL_CT_UNSUPPORTED : TL_CT_SCALAR, spelling);
      r->dtype = under == TL_DTYPE_COUNT ? TL_I32 : under;
      break;
    }
    case CXType_Pointer:
      r = new_type(p, TL_CT_POINTER, spelling);
      r->target = build_target(p, clang_getPointeeType(plain ? sugar : c), sizes, left);
      if (is_tensor_object(r->target)) {
        r->kind = TL_CT_SCALAR;
        r->dtype = TL_U64;
        r->is_tensor = true;
      }
      break;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
      r = new_type(p, TL_CT_ARRAY, spelling);
      r->extent = c.kind == CXType_ConstantArray   ? (int64_t)clang_getArraySize(c)
                  : c.kind == CXType_VariableArray ? -1
                                                   : -2;
      if (left) {
        set_extent(p, r, sizes, left);
      }
      r->target = build_target(p, clang_getArrayElementType(plain ? sugar : c), sizes, left);
      r->is_const = r->target->is_const;
      break;
    case CXType_Record:
      r = new_type(p, TL_CT_RECORD, spelling);
      break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
      r = function_type(p, plain ? sugar : c, spelling);
      break;
    case CXType_Vector:
    case CXType_ExtVector:
      r = new_type(p, TL_CT_UNSUPPORTED, tl_arena_printf(p->arena, "vector type %s", spelling));
      break;
    default: /* of libclang's kinds, not ours */
      r = new_type(p, TL_CT_UNSUPPORTED, spelling);
      break;
    }
  }
  r->is_const |= clang_isConstQualifiedType(c) != 0;
  r->is_volatile |= clang_isVolatileQualifiedType(c) != 0;
  return r;
}

tl_ctype *tl__parse_type(tl__parse *p, CXType t) {
  if (t.kind == CXType_Invalid || !t.data[0]) {
    return new_type(p, TL_CT_UNSUPPORTED, "an erroneous type");
  }
  tl_ctype *r = tl__map_get(&p->types, t.data[0]);
  if (!r) {
    r = build(p, t, NULL, NULL);
    tl__map_put(p->arena, &p->types, t.data[0], r);
    /* Records last: their members may refer back to this type. */
    CXType c = clang_getCanonicalType(t);
    if (c.kind == CXType_Record) {
      r->record = record_of(p, c);
    }
  }
  return r;
}

tl_ctype *tl__parse_declared_type(tl__parse *p, CXType t, const tl__cursors *sizes) {
  if (sizes->count == 0 || !has_extent_of_its_own(t)) {
    return tl__parse_type(p, t);
  }
  uint32_t left = sizes->count;
  return build(p, t, sizes, &left);
}
