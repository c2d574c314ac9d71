/* Expressions. libclang shows implicit conversions without their kind; it follows from the two types. Types of lvalues
 * and of what is computed from them are taken from our own operands, not from libclang: they carry the extents. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "front/parse_clang.h"

tl_expr *tl__parse_new(tl__parse *p, tl_expr_kind kind, tl_ctype *type, tl_loc loc) {
  tl_expr *e = TL_NEW(p->arena, tl_expr);
  e->kind = kind;
  e->type = type;
  e->loc = loc;
  return e;
}

tl_expr *tl__parse_unsupported(tl__parse *p, tl_ctype *type, tl_loc loc, const char *text) {
  tl_expr *e = tl__parse_new(p, TL_EXPR_UNSUPPORTED, type, loc);
  e->text = text;
  return e;
}

static tl_expr *int_constant(tl__parse *p, tl_ctype *type, tl_loc loc, int64_t value) {
  tl_expr *e = tl__parse_new(p, TL_EXPR_INT, type, loc);
  e->integer = value;
  return e;
}

/* The conversion that turns `e` into a value of type `to`. */
tl_expr *tl__parse_convert(tl__parse *p, tl_expr *e, tl_ctype *to, bool implicit) {
  tl_ctype *from = e->type;
  if (e->kind == TL_EXPR_UNSUPPORTED) {
    return e;
  }
  if (from->kind == TL_CT_FUNCTION && to->kind == TL_CT_POINTER) {
    if (e->kind == TL_EXPR_DEREF) {
      return e->a; /* (*f)(x) is f(x) */
    }
    tl_expr *d = tl__parse_new(p, TL_EXPR_DECAY, tl__parse_pointer_to(p, from), e->loc);
    d->a = e;
    return d;
  }
  if (from->kind == TL_CT_ARRAY && to->kind == TL_CT_POINTER) {
    tl_expr *d = tl__parse_new(p, TL_EXPR_DECAY, tl__parse_pointer_to(p, from->target), e->loc);
    d->a = e;
    e = d;
    from = d->type;
  }
  if (to->kind == TL_CT_ARRAY) { /* libclang's spelling of a decayed parameter, or a wrapper around an lvalue */
    return e;
  }
  if (implicit && tl__parse_same_type(from, to)) {
    return e;
  }
  bool convertible = to->kind == TL_CT_VOID ||
                     ((from->kind == TL_CT_SCALAR || from->kind == TL_CT_POINTER) &&
                      (to->kind == TL_CT_SCALAR || to->kind == TL_CT_POINTER)) ||
                     (from->kind == TL_CT_RECORD && tl__parse_same_type(from, to));
  if (!convertible) {
    const tl_ctype *odd = from->kind == TL_CT_UNSUPPORTED ? from : to;
    return tl__parse_unsupported(p, to, e->loc,
                                 tl_arena_printf(p->arena, "a conversion to or from '%s'", odd->spelling));
  }
  tl_expr *cast = tl__parse_new(p, TL_EXPR_CAST, to, e->loc);
  cast->a = e;
  cast->implicit = implicit;
  return cast;
}

/* Only for literals, sizeof and their kin, on which libclang's evaluator is safe. */
static bool evaluate(CXCursor c, int64_t *out) {
  CXEvalResult r = clang_Cursor_Evaluate(c);
  if (!r) {
    return false;
  }
  bool ok = clang_EvalResult_getKind(r) == CXEval_Int;
  if (ok) {
    *out = clang_EvalResult_isUnsignedInt(r) ? (int64_t)clang_EvalResult_getAsUnsigned(r)
                                             : clang_EvalResult_getAsLongLong(r);
  }
  clang_EvalResult_dispose(r);
  return ok;
}

static bool is_float_spelling(const char *s) {
  char *end;
  strtold(s, &end);
  return end != s && strpbrk(s, ".eEpP") && strspn(end, "fFlL") == strlen(end);
}

static tl_expr *float_literal(tl__parse *p, CXCursor c, tl_ctype *type, tl_loc loc) {
  tl_expr *e = tl__parse_new(p, TL_EXPR_FLOAT, type, loc);
  e->spelling = tl__parse_token_at(p, c);
  if (!is_float_spelling(e->spelling)) {
    e->spelling = tl__parse_argument_number(p, c);
  }
  if (is_float_spelling(e->spelling)) {
    e->floating = strtold(e->spelling, NULL);
    /* The constant is rounded to its own type once: a double through long double would be rounded twice. */
    if (type->kind == TL_CT_SCALAR && type->dtype == TL_F32) {
      e->floating = (long double)strtof(e->spelling, NULL);
    } else if (type->kind == TL_CT_SCALAR && type->dtype == TL_F64) {
      e->floating = (long double)strtod(e->spelling, NULL);
    }
    return e;
  }
  /* No token of its own (pasted together by a macro): the evaluator knows the value but for long double. */
  CXEvalResult r = clang_Cursor_Evaluate(c);
  bool ok = r && clang_EvalResult_getKind(r) == CXEval_Float && type->kind == TL_CT_SCALAR && type->dtype != TL_F80;
  double v = ok ? clang_EvalResult_getAsDouble(r) : 0;
  if (r) {
    clang_EvalResult_dispose(r);
  }
  if (ok) {
    e->floating = (long double)v;
    e->spelling = tl_arena_printf(p->arena, type->dtype == TL_F32 ? "%.9gf" : "%.17g", v);
    if (!strpbrk(e->spelling, ".en")) {
      e->spelling = tl_arena_printf(p->arena, type->dtype == TL_F32 ? "%.9g.0f" : "%.17g.0", v);
    }
  }
  return ok ? e : tl__parse_unsupported(p, type, loc, "a floating constant whose spelling is hidden by macros");
}

static tl_expr *decl_ref(tl__parse *p, CXCursor c, tl_loc loc) {
  CXCursor d = tl__parse_generic_choice(p, clang_getCursorReferenced(c));
  switch ((int)clang_getCursorKind(d)) {
  case CXCursor_VarDecl:
  case CXCursor_ParmDecl: {
    tl_decl *decl = tl__parse_decl(p, d);
    tl_expr *e = tl__parse_new(p, TL_EXPR_VAR, decl->type, loc);
    e->decl = decl;
    e->name = decl->name;
    return e;
  }
  case CXCursor_FunctionDecl: {
    tl_function *f = tl__parse_function(p, d);
    tl__parse_want_body(p, f, d);
    tl_expr *e = tl__parse_new(p, TL_EXPR_FUNCTION, f->type, loc);
    e->function = f;
    e->name = f->name;
    if (tl__request_name(f->name)) {
      TL_PUSH(p->arena, p->uses, (tl__use){f->name, loc});
      e->function = NULL;
      e->name = tl__request_mangle(p->arena, f->name);
    }
    return e;
  }
  case CXCursor_EnumConstantDecl: {
    tl_ctype *type = tl__parse_type(p, clang_getCursorType(c));
    tl_expr *e = int_constant(p, type, loc, clang_getEnumConstantDeclValue(d));
    e->spelling = tl__parse_spelling(p, d);
    return e;
  }
  }
  return tl__parse_unsupported(p, tl__parse_type(p, clang_getCursorType(c)), loc, "an unknown name");
}

tl_expr *tl__parse_member(tl__parse *p, tl_expr *base, bool arrow, tl_record *record, const uint32_t *path,
                          uint32_t length, tl_loc loc) {
  for (uint32_t i = 0; i < length; i++) {
    const tl_field *f = &record->fields.data[path[i]];
    tl_expr *e = tl__parse_new(p, arrow && i == 0 ? TL_EXPR_ARROW : TL_EXPR_MEMBER, f->type, loc);
    e->a = base;
    e->record = record;
    e->field = path[i];
    e->name = f->name;
    base = e;
    record = f->type->record;
  }
  return base;
}

static tl_expr *member_ref(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  tl_ctype *own = tl__parse_type(p, clang_getCursorType(c));
  if (children.count != 1) {
    return tl__parse_unsupported(p, own, loc, "a member access");
  }
  tl_expr *e = tl__parse_expr(p, children.data[0]);
  if (e->kind == TL_EXPR_UNSUPPORTED) {
    return e;
  }
  bool arrow = e->type->kind == TL_CT_POINTER;
  tl_ctype *t = arrow ? e->type->target : e->type;
  uint32_t path[TL__FIELD_DEPTH], length = TL__FIELD_DEPTH;
  const char *name = tl__parse_spelling(p, c);
  if (!*name || strchr(name, '(')) {
    return e; /* an anonymous member on the way: the named one is looked up from here */
  }
  if (t->kind != TL_CT_RECORD || !tl__parse_field_path(t->record, name, path, &length)) {
    return tl__parse_unsupported(p, own, loc, "a member access");
  }
  return tl__parse_member(p, e, arrow, t->record, path, length, loc);
}

static tl_expr *unary(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  tl_ctype *type = tl__parse_type(p, clang_getCursorType(c));
  enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(c);
  if (children.count != 1) {
    return tl__parse_unsupported(p, type, loc, "an operator");
  }
  tl_expr *a = tl__parse_expr(p, children.data[0]);
  if (a->kind == TL_EXPR_UNSUPPORTED) {
    return a;
  }
  tl_expr_kind kind = TL_EXPR_UNARY;
  char sign = 0;
  switch (op) {
  case CXUnaryOperator_PostInc:
    kind = TL_EXPR_POST_INC;
    type = a->type;
    break;
  case CXUnaryOperator_PostDec:
    kind = TL_EXPR_POST_DEC;
    type = a->type;
    break;
  case CXUnaryOperator_PreInc:
    kind = TL_EXPR_PRE_INC;
    type = a->type;
    break;
  case CXUnaryOperator_PreDec:
    kind = TL_EXPR_PRE_DEC;
    type = a->type;
    break;
  case CXUnaryOperator_AddrOf:
    if (a->type->kind == TL_CT_FUNCTION) {
      return tl__parse_convert(p, a, tl__parse_pointer_to(p, a->type), true);
    }
    kind = TL_EXPR_ADDRESS;
    type = tl__parse_pointer_to(p, a->type);
    break;
  case CXUnaryOperator_Deref:
    if (a->type->kind != TL_CT_POINTER) {
      return tl__parse_unsupported(p, type, loc, "a dereference");
    }
    kind = TL_EXPR_DEREF;
    type = a->type->target;
    break;
  case CXUnaryOperator_Plus:
    sign = '+';
    break;
  case CXUnaryOperator_Minus:
    sign = '-';
    break;
  case CXUnaryOperator_Not:
    sign = '~';
    break;
  case CXUnaryOperator_LNot:
    sign = '!';
    break;
  case CXUnaryOperator_Extension:
    return a;
  case CXUnaryOperator_Real:
  case CXUnaryOperator_Imag:
    return tl__parse_unsupported(p, type, loc, "_Complex");
  case CXUnaryOperator_Coawait:
  case CXUnaryOperator_Invalid:
    return tl__parse_unsupported(p, type, loc, "an operator");
  }
  tl_expr *e = tl__parse_new(p, kind, type, loc);
  e->a = a;
  e->unary = sign;
  return e;
}

static bool binary_op(enum CXBinaryOperatorKind op, tl_binary *out) {
  static const struct {
    enum CXBinaryOperatorKind plain, assign;
    tl_binary op;
  } rows[] = {
      {CXBinaryOperator_Add, CXBinaryOperator_AddAssign, TL_BIN_ADD},
      {CXBinaryOperator_Sub, CXBinaryOperator_SubAssign, TL_BIN_SUB},
      {CXBinaryOperator_Mul, CXBinaryOperator_MulAssign, TL_BIN_MUL},
      {CXBinaryOperator_Div, CXBinaryOperator_DivAssign, TL_BIN_DIV},
      {CXBinaryOperator_Rem, CXBinaryOperator_RemAssign, TL_BIN_REM},
      {CXBinaryOperator_Shl, CXBinaryOperator_ShlAssign, TL_BIN_SHL},
      {CXBinaryOperator_Shr, CXBinaryOperator_ShrAssign, TL_BIN_SHR},
      {CXBinaryOperator_And, CXBinaryOperator_AndAssign, TL_BIN_AND},
      {CXBinaryOperator_Or, CXBinaryOperator_OrAssign, TL_BIN_OR},
      {CXBinaryOperator_Xor, CXBinaryOperator_XorAssign, TL_BIN_XOR},
      {CXBinaryOperator_EQ, CXBinaryOperator_Invalid, TL_BIN_EQ},
      {CXBinaryOperator_NE, CXBinaryOperator_Invalid, TL_BIN_NE},
      {CXBinaryOperator_LT, CXBinaryOperator_Invalid, TL_BIN_LT},
      {CXBinaryOperator_LE, CXBinaryOperator_Invalid, TL_BIN_LE},
      {CXBinaryOperator_GT, CXBinaryOperator_Invalid, TL_BIN_GT},
      {CXBinaryOperator_GE, CXBinaryOperator_Invalid, TL_BIN_GE},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (op != CXBinaryOperator_Invalid && (op == rows[i].plain || op == rows[i].assign)) {
      *out = rows[i].op;
      return true;
    }
  }
  return false;
}

/* int holds all values of it. */
static bool is_narrow_bitfield(const tl_expr *e) {
  return (e->kind == TL_EXPR_MEMBER || e->kind == TL_EXPR_ARROW) && e->record->fields.data[e->field].is_bitfield &&
         e->record->fields.data[e->field].bit_width < 32;
}

static tl_expr *binary(tl__parse *p, CXCursor c) {
  tl__cursors children = tl__parse_expressions(p, c);
  tl_ctype *type = tl__parse_type(p, clang_getCursorType(c));
  enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);
  if (children.count != 2) {
    return tl__parse_unsupported(p, type, tl__parse_expr_loc(p, c), "an operator");
  }
  const char *name = tl__parse_string(p, clang_getBinaryOperatorKindSpelling(op));
  tl_loc loc = tl__parse_operator_loc(p, c, children.data[0], name);
  tl_expr *a = tl__parse_expr(p, children.data[0]);
  tl_expr *b = tl__parse_expr(p, children.data[1]);
  if (a->kind == TL_EXPR_UNSUPPORTED || b->kind == TL_EXPR_UNSUPPORTED) {
    return a->kind == TL_EXPR_UNSUPPORTED ? a : b;
  }
  tl_expr *e = tl__parse_new(p, TL_EXPR_BINARY, type, loc);
  e->a = a;
  e->b = b;
  if (op == CXBinaryOperator_Assign) {
    e->kind = TL_EXPR_ASSIGN;
    e->type = a->type;
  } else if (op == CXBinaryOperator_Comma) {
    e->kind = TL_EXPR_COMMA;
    e->type = b->type;
  } else if (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr) {
    e->kind = op == CXBinaryOperator_LAnd ? TL_EXPR_LOGICAL_AND : TL_EXPR_LOGICAL_OR;
  } else if (!binary_op(op, &e->op)) {
    return tl__parse_unsupported(p, type, loc, "an operator");
  } else if (clang_getCursorKind(c) == CXCursor_CompoundAssignOperator) {
    e->kind = TL_EXPR_COMPOUND_ASSIGN;
    e->type = a->type;
    if (a->type->kind == TL_CT_SCALAR && b->type->kind == TL_CT_SCALAR) {
      bool shift = e->op == TL_BIN_SHL || e->op == TL_BIN_SHR;
      tl_dtype d = is_narrow_bitfield(a) ? TL_I32 : tl__parse_promoted(a->type->dtype);
      e->compute_type = tl_ctype_scalar(shift ? d : tl__parse_arithmetic(d, b->type->dtype));
    }
  } else if (e->op == TL_BIN_ADD || e->op == TL_BIN_SUB) {
    /* Pointer arithmetic has its pointer's type, extents and all. */
    bool pa = a->type->kind == TL_CT_POINTER, pb = b->type->kind == TL_CT_POINTER;
    e->type = pa && !pb   ? tl__parse_pointer_to(p, a->type->target)
              : pb && !pa ? tl__parse_pointer_to(p, b->type->target)
                          : type;
  }
  return e;
}

static tl_expr *conditional(tl__parse *p, const tl__cursors *children, bool gnu, tl_ctype *type, tl_loc loc) {
  tl_expr *e = tl__parse_new(p, TL_EXPR_CONDITIONAL, type, loc);
  e->a = tl__parse_expr(p, children->data[0]);
  e->b = gnu ? NULL : tl__parse_expr(p, children->data[1]);
  e->c = tl__parse_expr(p, children->data[gnu ? 3 : 2]);
  tl_expr *parts[] = {e->a, e->b, e->c};
  for (int i = 0; i < 3; i++) {
    if (parts[i] && parts[i]->kind == TL_EXPR_UNSUPPORTED) {
      return parts[i];
    }
  }
  tl_expr *value = gnu ? e->a : e->b;
  assert(value && e->c);
  if (value->type->kind == TL_CT_POINTER && type->kind != TL_CT_VOID) {
    e->type = value->kind != TL_EXPR_CAST ? value->type : e->c->type;
  }
  return e;
}

static bool calls_setjmp(const char *name) {
  static const char *const names[] = {"setjmp",     "_setjmp",  "sigsetjmp",        "__sigsetjmp",      "longjmp",
                                      "siglongjmp", "_longjmp", "__builtin_setjmp", "__builtin_longjmp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* NAN, INFINITY and HUGE_VAL are calls of builtins without a meaningful argument. */
static tl_expr *constant_builtin(tl__parse *p, const tl_expr *call, const char *name) {
  const char *s = strncmp(name, "__builtin_", 10) == 0 ? name + 10 : "";
  bool nan = strcmp(s, "nan") == 0 || strcmp(s, "nanf") == 0 || strcmp(s, "nanl") == 0;
  if (!nan && strcmp(s, "inf") != 0 && strcmp(s, "inff") != 0 && strcmp(s, "infl") != 0 && strcmp(s, "huge_val") != 0 &&
      strcmp(s, "huge_valf") != 0 && strcmp(s, "huge_vall") != 0) {
    return NULL;
  }
  if (nan) {
    const tl_expr *arg = call->args.count ? call->args.data[0] : NULL;
    while (arg && (arg->kind == TL_EXPR_CAST || arg->kind == TL_EXPR_DECAY)) {
      arg = arg->a;
    }
    if (!arg || arg->kind != TL_EXPR_STRING || strcmp(arg->spelling, "\"\"") != 0) {
      return NULL;
    }
  }
  tl_expr *e = tl__parse_new(p, TL_EXPR_FLOAT, call->type, call->loc);
  e->floating = nan ? (long double)__builtin_nanl("") : (long double)__builtin_infl();
  e->spelling = tl_arena_printf(p->arena, nan ? "%s(\"\")" : "%s()", name);
  return e;
}

static tl_expr *call(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  tl_ctype *type = tl__parse_type(p, clang_getCursorType(c));
  if (children.count == 0) {
    return tl__parse_unsupported(p, type, loc, "a call");
  }
  tl_expr *e = tl__parse_new(p, TL_EXPR_CALL, type, loc);
  e->a = tl__parse_expr(p, children.data[0]);
  if (e->a->kind == TL_EXPR_UNSUPPORTED) {
    return e->a;
  }
  if (e->a->kind == TL_EXPR_DECAY && e->a->a->kind == TL_EXPR_FUNCTION) {
    e->a = e->a->a;
  }
  const tl_ctype *callee = e->a->type->kind == TL_CT_POINTER ? e->a->type->target : e->a->type;
  if (callee->kind == TL_CT_FUNCTION && type->kind != TL_CT_UNSUPPORTED && callee->target->kind != TL_CT_UNSUPPORTED) {
    e->type = callee->target;
  }
  for (uint32_t i = 1; i < children.count; i++) {
    tl_expr *arg = tl__parse_expr(p, children.data[i]);
    if (arg->type->kind == TL_CT_ARRAY || arg->type->kind == TL_CT_FUNCTION) {
      arg = tl__parse_convert(p, arg, tl__parse_decayed(p, arg->type),
                              true); /* arguments of some builtins stay as written */
    }
    TL_PUSH(p->arena, e->args, arg);
  }
  if (e->a->kind == TL_EXPR_FUNCTION) {
    const char *name = e->a->name;
    if (calls_setjmp(name)) {
      return tl__parse_unsupported(p, type, loc, "setjmp");
    }
    if (strncmp(name, "__builtin_va_", 13) == 0 || strncmp(name, "__builtin_c23_va_", 17) == 0) {
      return tl__parse_unsupported(p, type, loc, "va_list");
    }
    if (!e->a->function) {
      TL_PUSH(p->arena, p->calls, (tl__call){name, loc, e->args.count});
      e->kind = TL_EXPR_INTRINSIC;
      e->name = name;
      e->a = NULL;
      return e;
    }
    tl_expr *constant = constant_builtin(p, e, name);
    if (constant) {
      return constant;
    }
    if (strcmp(name, "__builtin_expect") == 0 && e->args.count == 2) {
      return e->args.data[0]; /* a hint: the value is the first argument, already long */
    }
  }
  if (type->kind == TL_CT_UNSUPPORTED) {
    return tl__parse_unsupported(p, type, loc, type->spelling);
  }
  return e;
}

static bool is_va_list(const tl_ctype *t) {
  return (t->kind == TL_CT_ARRAY || t->kind == TL_CT_POINTER) && t->target->kind == TL_CT_RECORD &&
         t->target->record->name && strcmp(t->target->record->name, "__va_list_tag") == 0;
}

/* Conversions, GNU ?:, __builtin_choose_expr, offsetof, va_arg and whatever else libclang has no cursor kind for. */
static tl_expr *unexposed(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors all = tl__parse_children(p, c), children = {0};
  bool only_expressions = true;
  for (uint32_t i = 0; i < all.count; i++) {
    if (clang_isExpression(clang_getCursorKind(all.data[i]))) {
      TL_PUSH(p->arena, children, all.data[i]);
    } else {
      only_expressions = false;
    }
  }
  tl_ctype *type = tl__parse_type(p, clang_getCursorType(c));
  if (children.count == 1 && only_expressions) {
    tl_expr *e = tl__parse_expr(p, children.data[0]);
    if (e->kind != TL_EXPR_UNSUPPORTED && is_va_list(e->type) && !is_va_list(type)) {
      return tl__parse_unsupported(p, type, loc, "va_arg");
    }
    return tl__parse_convert(p, e, type, true);
  }
  if (children.count == 4 && only_expressions) {
    return conditional(p, &children, true, type, loc);
  }
  const char *word = tl__parse_token_at(p, c);
  int64_t value;
  if (children.count == 3 && strcmp(word, "__builtin_choose_expr") == 0 &&
      tl_expr_constant(tl__parse_expr(p, children.data[0]), &value)) {
    return tl__parse_expr(p, children.data[value ? 1 : 2]);
  }
  if (type->kind == TL_CT_SCALAR && !tl_dtype_is_float(type->dtype) && evaluate(c, &value)) {
    return int_constant(p, type, loc, value); /* offsetof, __builtin_types_compatible_p, __builtin_LINE */
  }
  return tl__parse_unsupported(p, type, loc, *word ? word : "an expression");
}

static tl_expr *compound_literal(tl__parse *p, CXCursor c, tl_ctype *type, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  if (children.count == 0) {
    return tl__parse_unsupported(p, type, loc, "a compound literal");
  }
  tl_expr *e = tl__parse_new(p, TL_EXPR_COMPOUND_LITERAL, type, loc);
  e->a = tl__parse_init(p, type, children.data[children.count - 1]);
  return e->a->kind == TL_EXPR_UNSUPPORTED ? e->a : e;
}

static tl_expr *statement_expression(tl__parse *p, CXCursor c, tl_ctype *type, tl_loc loc) {
  tl__cursors children = tl__parse_children(p, c);
  if (children.count != 1) {
    return tl__parse_unsupported(p, type, loc, "a statement expression");
  }
  tl_expr *e = tl__parse_new(p, TL_EXPR_STMT, type, loc);
  e->body = tl__parse_stmt(p, children.data[0]);
  if (type->kind != TL_CT_VOID && e->body->body.count) {
    const tl_stmt *last = e->body->body.data[e->body->body.count - 1];
    while (last->kind == TL_STMT_LABEL) {
      last = last->then_body;
    }
    if (last->kind == TL_STMT_EXPR) {
      if (last->expr->kind == TL_EXPR_UNSUPPORTED) {
        return last->expr;
      }
      e->type = tl__parse_decayed(p, last->expr->type);
    }
  }
  return e;
}

static tl_expr *cast(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  if (children.count == 0) {
    return tl__parse_unsupported(p, tl__parse_type(p, clang_getCursorType(c)), loc, "a cast");
  }
  children.count--; /* what comes before the operand are extents in the type's name */
  tl_ctype *type = tl__parse_declared_type(p, clang_getCursorType(c), &children);
  tl_expr *e = tl__parse_convert(p, tl__parse_expr(p, children.data[children.count]), type, false);
  if (e->kind == TL_EXPR_CAST && !e->implicit) {
    e->loc = loc;
  }
  return e;
}

static tl_expr *subscript(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  tl_ctype *own = tl__parse_type(p, clang_getCursorType(c));
  if (children.count != 2) {
    return tl__parse_unsupported(p, own, loc, "a subscript");
  }
  tl_expr *a = tl__parse_expr(p, children.data[0]), *b = tl__parse_expr(p, children.data[1]);
  if (a->kind == TL_EXPR_UNSUPPORTED || b->kind == TL_EXPR_UNSUPPORTED) {
    return a->kind == TL_EXPR_UNSUPPORTED ? a : b;
  }
  if (b->type->kind == TL_CT_POINTER) { /* 2[x] */
    tl_expr *swap = a;
    a = b;
    b = swap;
  }
  if (a->type->kind != TL_CT_POINTER || b->type->kind != TL_CT_SCALAR) {
    return tl__parse_unsupported(p, own, loc, a->type->kind == TL_CT_UNSUPPORTED ? a->type->spelling : "a subscript");
  }
  tl_expr *e = tl__parse_new(p, TL_EXPR_INDEX, a->type->target, loc);
  e->a = a;
  e->b = b;
  return e;
}

tl_expr *tl__parse_expr(tl__parse *p, CXCursor c) {
  tl_loc loc = tl__parse_expr_loc(p, c);
  int kind = (int)clang_getCursorKind(c);
  switch (kind) {
  case CXCursor_UnexposedExpr:
    return unexposed(p, c, loc);
  case CXCursor_DeclRefExpr: {
    tl_expr *e = decl_ref(p, c, loc);
    if (e->type->kind == TL_CT_UNSUPPORTED && e->kind != TL_EXPR_UNSUPPORTED) {
      return tl__parse_unsupported(p, e->type, loc, e->type->spelling);
    }
    return e;
  }
  case CXCursor_MemberRefExpr:
    return member_ref(p, c, loc);
  case CXCursor_CallExpr:
    return call(p, c, loc);
  case CXCursor_ParenExpr: {
    tl__cursors children = tl__parse_expressions(p, c);
    if (children.count == 1) {
      return tl__parse_expr(p, children.data[0]);
    }
    break;
  }
  case CXCursor_UnaryOperator:
    return unary(p, c, loc);
  case CXCursor_ArraySubscriptExpr:
    return subscript(p, c, loc);
  case CXCursor_BinaryOperator:
  case CXCursor_CompoundAssignOperator:
    return binary(p, c);
  case CXCursor_CStyleCastExpr:
    return cast(p, c, loc);
  default:
    break;
  }
  tl_ctype *type = tl__parse_type(p, clang_getCursorType(c));
  int64_t value;
  switch (kind) {
  case CXCursor_IntegerLiteral:
  case CXCursor_CharacterLiteral:
  case CXCursor_CXXBoolLiteralExpr:
    if (type->kind == TL_CT_SCALAR && evaluate(c, &value)) {
      return int_constant(p, type, loc, value);
    }
    break;
  case CXCursor_FloatingLiteral:
    if (type->kind == TL_CT_SCALAR) {
      return float_literal(p, c, type, loc);
    }
    break;
  case CXCursor_ImaginaryLiteral:
    return tl__parse_unsupported(p, type, loc, "_Complex");
  case CXCursor_StringLiteral: {
    tl_expr *e = tl__parse_new(p, TL_EXPR_STRING, type, loc);
    e->spelling = tl__parse_spelling(p, c);
    return e;
  }
  case CXCursor_ConditionalOperator: {
    tl__cursors children = tl__parse_expressions(p, c);
    if (children.count == 3) {
      return conditional(p, &children, false, type, loc);
    }
    break;
  }
  case CXCursor_CompoundLiteralExpr:
    return compound_literal(p, c, type, loc);
  case CXCursor_InitListExpr:
    return tl__parse_init(p, type, c);
  case CXCursor_StmtExpr:
    return statement_expression(p, c, type, loc);
  case CXCursor_GenericSelectionExpr:
    return tl__parse_generic(p, c, type, loc);
  case CXCursor_UnaryExpr: /* sizeof, _Alignof */
    return evaluate(c, &value) ? int_constant(p, type, loc, value) : tl__parse_sizeof(p, c, type, loc);
  case CXCursor_AddrLabelExpr:
    return tl__parse_unsupported(p, type, loc, "the address of a label");
  case CXCursor_BlockExpr:
    return tl__parse_unsupported(p, type, loc, "a block");
  default:
    break;
  }
  const char *text = type->kind == TL_CT_UNSUPPORTED
                         ? type->spelling
                         : tl__parse_string(p, clang_getCursorKindSpelling(clang_getCursorKind(c)));
  return tl__parse_unsupported(p, type, loc, text);
}
