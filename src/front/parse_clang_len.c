/* The expression of a TL_LEN: + - * / % and parentheses over integers, parameters (or sibling members) and what -> and
 * . reach from them. */
#include <stdlib.h>
#include <string.h>

#include "front/parse_clang.h"

typedef struct len_reader {
  tl__parse *parse;
  const char *s, *end;
  tl_loc loc;
  const tl_function *function;
  const char *const *names; /* of the declaration's parameters */
  uint32_t count;
  const tl_record *record;
  const char *error;
} len_reader;

static void skip(len_reader *r) { r->s = tl__parse_skip_space(r->s, r->end); }

static bool accept(len_reader *r, const char *text) {
  skip(r);
  size_t n = strlen(text);
  if ((size_t)(r->end - r->s) >= n && memcmp(r->s, text, n) == 0) {
    r->s += n;
    return true;
  }
  return false;
}

static tl_expr *fail(len_reader *r, const char *error) {
  if (!r->error) {
    r->error = error;
  }
  tl_expr *e = tl__parse_new(r->parse, TL_EXPR_INT, tl_ctype_scalar(TL_I32), r->loc);
  e->integer = 1;
  return e;
}

static bool starts_name(const char *s, const char *end) {
  return s < end && (*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'));
}

static tl_expr *sum(len_reader *);

/* An enumerator of file scope. */
static bool enumerator(tl__parse *p, const char *name, int64_t *out) {
  for (uint32_t i = 0; i < p->top.count; i++) {
    if (clang_getCursorKind(p->top.data[i]) == CXCursor_EnumDecl) {
      tl__cursors constants = tl__parse_children(p, p->top.data[i]);
      for (uint32_t k = 0; k < constants.count; k++) {
        if (clang_getCursorKind(constants.data[k]) == CXCursor_EnumConstantDecl &&
            strcmp(tl__parse_spelling(p, constants.data[k]), name) == 0) {
          *out = clang_getEnumConstantDeclValue(constants.data[k]);
          return true;
        }
      }
    }
  }
  return false;
}

static tl_expr *named(len_reader *r, const char *name) {
  tl__parse *p = r->parse;
  tl_expr *e = tl__parse_new(p, TL_EXPR_VAR, NULL, r->loc);
  e->name = name;
  for (uint32_t i = 0; i < r->count; i++) {
    if (r->names[i] && strcmp(r->names[i], name) == 0) {
      e->decl = r->function->params.data[i];
      e->type = e->decl->type;
      return e;
    }
  }
  uint32_t path[TL__FIELD_DEPTH], length = 1;
  if (r->record && tl__parse_field_path(r->record, name, path, &length)) {
    e->type = r->record->fields.data[path[0]].type;
    return e;
  }
  int64_t value;
  if (enumerator(p, name, &value)) {
    e->kind = TL_EXPR_INT;
    e->type = tl_ctype_scalar(value >= INT32_MIN && value <= INT32_MAX ? TL_I32 : TL_I64);
    e->integer = value;
    return e;
  }
  return fail(r, tl_arena_printf(p->arena, "'%s' is neither a %s nor a number", name,
                                 r->record ? "member of the struct" : "parameter"));
}

static tl_expr *primary(len_reader *r) {
  tl__parse *p = r->parse;
  if (accept(r, "(")) {
    tl_expr *e = sum(r);
    return accept(r, ")") ? e : fail(r, "a closing parenthesis is missing");
  }
  skip(r);
  if (r->s < r->end && *r->s >= '0' && *r->s <= '9') {
    char *end;
    unsigned long long v = strtoull(r->s, &end, 0);
    r->s = end;
    while (r->s < r->end && strchr("uUlL", *r->s)) {
      r->s++;
    }
    tl_expr *e = tl__parse_new(p, TL_EXPR_INT, tl_ctype_scalar(v <= INT32_MAX ? TL_I32 : TL_I64), r->loc);
    e->integer = (int64_t)v;
    return v > INT64_MAX ? fail(r, "a number is too large") : e;
  }
  if (!starts_name(r->s, r->end)) {
    return fail(r, "a parameter, a number or a parenthesis is expected");
  }
  const char *next = tl__parse_skip_token(r->s, r->end);
  tl_expr *e = named(r, tl_arena_strndup(p->arena, r->s, (size_t)(next - r->s)));
  r->s = next;
  for (;;) {
    bool arrow = accept(r, "->");
    if (!arrow && !accept(r, ".")) {
      return e;
    }
    skip(r);
    next = tl__parse_skip_token(r->s, r->end);
    const char *name = starts_name(r->s, r->end) ? tl_arena_strndup(p->arena, r->s, (size_t)(next - r->s)) : "";
    r->s = next;
    const tl_ctype *t = e->type;
    if (t && arrow) {
      t = t->kind == TL_CT_POINTER ? t->target : NULL;
    }
    uint32_t path[TL__FIELD_DEPTH], length = TL__FIELD_DEPTH;
    if (!t || t->kind != TL_CT_RECORD || !tl__parse_field_path(t->record, name, path, &length)) {
      return fail(r, tl_arena_printf(p->arena, "there is no member '%s'", name));
    }
    e = tl__parse_member(p, e, arrow, t->record, path, length, r->loc);
  }
}

static tl_expr *operand(len_reader *r) {
  tl_expr *e = primary(r);
  if (!r->error && (e->type->kind != TL_CT_SCALAR || tl_dtype_is_float(e->type->dtype))) {
    return fail(r, "an extent is an integer");
  }
  return e;
}

static tl_expr *signed_operand(len_reader *r) {
  skip(r);
  if (r->end - r->s >= 2 && r->s[0] == '-' && r->s[1] == '>') {
    return fail(r, "a parameter, a number or a parenthesis is expected");
  }
  if (accept(r, "+")) {
    return signed_operand(r);
  }
  if (!accept(r, "-")) {
    return operand(r);
  }
  tl_expr *a = signed_operand(r);
  tl_expr *e = tl__parse_new(r->parse, TL_EXPR_UNARY, tl_ctype_scalar(tl__parse_promoted(a->type->dtype)), r->loc);
  e->unary = '-';
  e->a = tl__parse_convert(r->parse, a, e->type, true);
  return e;
}

static tl_expr *combine(len_reader *r, tl_binary op, tl_expr *a, tl_expr *b) {
  tl__parse *p = r->parse;
  if (r->error) {
    return a;
  }
  tl_ctype *t = tl_ctype_scalar(tl__parse_arithmetic(a->type->dtype, b->type->dtype));
  tl_expr *e = tl__parse_new(p, TL_EXPR_BINARY, t, r->loc);
  e->op = op;
  e->a = tl__parse_convert(p, a, t, true);
  e->b = tl__parse_convert(p, b, t, true);
  return e;
}

static tl_expr *product(len_reader *r) {
  tl_expr *e = signed_operand(r);
  for (;;) {
    if (accept(r, "*")) {
      e = combine(r, TL_BIN_MUL, e, signed_operand(r));
    } else if (accept(r, "/")) {
      e = combine(r, TL_BIN_DIV, e, signed_operand(r));
    } else if (accept(r, "%")) {
      e = combine(r, TL_BIN_REM, e, signed_operand(r));
    } else {
      return e;
    }
  }
}

static tl_expr *sum(len_reader *r) {
  tl_expr *e = product(r);
  for (;;) {
    if (accept(r, "+")) {
      e = combine(r, TL_BIN_ADD, e, product(r));
    } else if (accept(r, "-")) {
      e = combine(r, TL_BIN_SUB, e, product(r));
    } else {
      return e;
    }
  }
}

static tl_expr *whole(len_reader *r) {
  tl_expr *e = sum(r);
  skip(r);
  if (!r->error && r->s < r->end) {
    r->error = tl_arena_printf(r->parse->arena, "'%s' is not understood", r->s);
  }
  return r->error ? NULL : e;
}

tl_expr *tl__parse_extent(tl__parse *p, const char *text, tl_loc loc, const tl_function *function,
                          const char *const *names, uint32_t count) {
  len_reader r = {p, text, text + strlen(text), loc, function, names, count, NULL, NULL};
  return whole(&r);
}

tl_expr *tl__parse_len(tl__parse *p, const char *text, tl_loc loc, const tl_function *function,
                       const char *const *names, uint32_t count, const tl_record *record) {
  len_reader r = {p, text, text + strlen(text), loc, function, names, count, record, NULL};
  tl_expr *e = whole(&r);
  if (r.error) {
    tl_diag_error(p->diag, TL_EXTENT_UNKNOWN, loc, "in TL_LEN(%s): %s", text, r.error);
    return NULL;
  }
  return e;
}
