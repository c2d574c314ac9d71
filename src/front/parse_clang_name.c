/* Where libclang hides types: names of types inside sizeof and _Generic, read from the text. */
#include <string.h>

#include "front/parse_clang.h"

/* The name of a type in a sizeof or an association of _Generic: libclang gives it only as text. It is understood where
 * it is a list of builtin type words, or a name that a TypeRef gives (`refs`) or that file scope declares, then stars.
 */
static bool word_is(const char *s, size_t length, const char *word) {
  return strlen(word) == length && memcmp(s, word, length) == 0;
}

static tl_ctype *named_type(tl__parse *p, const char *s, size_t n, bool tag, const tl__cursors *refs) {
  for (uint32_t i = 0; refs && i < refs->count; i++) {
    if (clang_getCursorKind(refs->data[i]) == CXCursor_TypeRef) {
      const char *name = tl__parse_spelling(p, refs->data[i]);
      const char *last = strrchr(name, ' ');
      if (word_is(s, n, last ? last + 1 : name)) {
        return tl__parse_type(p, clang_getCursorType(refs->data[i]));
      }
    }
  }
  for (uint32_t i = refs ? 0 : p->top.count; i-- > 0;) {
    enum CXCursorKind k = clang_getCursorKind(p->top.data[i]);
    bool is_tag = k == CXCursor_StructDecl || k == CXCursor_UnionDecl || k == CXCursor_EnumDecl;
    if (tag ? is_tag : k == CXCursor_TypedefDecl) {
      CXString name = clang_getCursorSpelling(p->top.data[i]);
      bool same = word_is(s, n, clang_getCString(name));
      clang_disposeString(name);
      if (same) {
        return tl__parse_type(p, clang_getCursorType(p->top.data[i]));
      }
    }
  }
  return NULL;
}

static tl_ctype *type_name(tl__parse *p, const char *s, const char *end, const tl__cursors *refs,
                           const char **out_rest) {
  static tl_ctype void_type = {.kind = TL_CT_VOID, .spelling = "void"};
  int longs = 0, shorts = 0, chars = 0, is_unsigned = 0, words = 0;
  bool tag = false;
  tl_ctype *t = NULL;
  for (;;) {
    s = tl__parse_skip_space(s, end);
    const char *next = tl__parse_skip_token(s, end);
    size_t n = (size_t)(next - s);
    if (word_is(s, n, "struct") || word_is(s, n, "union") || word_is(s, n, "enum")) {
      tag = true;
    } else if (word_is(s, n, "long")) {
      longs++, words++;
    } else if (word_is(s, n, "int") || word_is(s, n, "signed")) {
      words++;
    } else if (word_is(s, n, "short")) {
      shorts++, words++;
    } else if (word_is(s, n, "char")) {
      chars++, words++;
    } else if (word_is(s, n, "unsigned")) {
      is_unsigned++, words++;
    } else if (word_is(s, n, "_Bool") || word_is(s, n, "bool")) {
      t = tl_ctype_scalar(TL_BOOL);
    } else if (word_is(s, n, "float")) {
      t = tl_ctype_scalar(TL_F32);
    } else if (word_is(s, n, "double")) {
      t = tl_ctype_scalar(TL_F64);
    } else if (word_is(s, n, "void")) {
      t = &void_type;
    } else if (n && !t && !words && (*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) {
      if (!word_is(s, n, "const") && !word_is(s, n, "volatile") && !(t = named_type(p, s, n, tag, refs))) {
        return NULL;
      }
    } else if (!word_is(s, n, "const") && !word_is(s, n, "volatile")) {
      break;
    }
    s = next;
  }
  if (words) {
    if (t && t->dtype == TL_F64 && longs == 1 && words == 1) {
      t = tl_ctype_scalar(TL_F80);
    } else if (t) {
      return NULL;
    } else {
      t = tl_ctype_scalar(chars    ? (is_unsigned ? TL_U8 : TL_I8)
                          : shorts ? (is_unsigned ? TL_U16 : TL_I16)
                          : longs  ? (is_unsigned ? TL_U64 : TL_I64)
                                   : (is_unsigned ? TL_U32 : TL_I32));
    }
  }
  while (t && s < end && *s == '*') {
    t = tl__parse_pointer_to(p, t);
    s = tl__parse_skip_space(s + 1, end);
    while (word_is(s, (size_t)(tl__parse_skip_token(s, end) - s), "const")) {
      s = tl__parse_skip_space(s + 5, end);
    }
  }
  *out_rest = s;
  return t;
}

/* sizeof whose value is not constant: of an expression of a run-time type, or of a type name `T[n]...`. */
tl_expr *tl__parse_sizeof(tl__parse *p, CXCursor c, tl_ctype *type, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  tl__cursors all = tl__parse_children(p, c);
  tl_expr *e = tl__parse_new(p, TL_EXPR_SIZEOF_VLA, type, loc);
  const char *end, *s = tl__parse_text_at(p, c, &end);
  if (s) {
    s = tl__parse_skip_space(tl__parse_skip_token(s, end), end);
    if (s < end && *s == '(') {
      const char *rest;
      tl_ctype *t = type_name(p, s + 1, end, &all, &rest);
      if (t && rest < end && *rest == ')') {
        e->sized = t;
        return e;
      }
      if (t && rest < end && *rest == '[') {
        /* libclang visits each extent twice, as written and as an operand: the second time as a value. */
        uint32_t brackets = 0;
        for (const char *k = rest; k < end && *k != ')'; k = tl__parse_skip_token(k, end)) {
          brackets += *k == '[';
        }
        if (children.count < brackets) {
          return tl__parse_unsupported(p, type, loc, "sizeof of this type");
        }
        for (uint32_t i = 0; i < brackets; i++) {
          tl_ctype *array = TL_NEW(p->arena, tl_ctype);
          array->kind = TL_CT_ARRAY;
          array->target = t;
          array->spelling = tl_arena_printf(p->arena, "%s[]", t->spelling);
          array->extent_expr = tl__parse_expr(p, children.data[i]);
          if (!tl_expr_constant(array->extent_expr, &array->extent)) {
            array->extent = -1;
          }
          t = array;
        }
        e->sized = t;
        return e;
      }
    }
  }
  if (children.count == 1) {
    e->sized = tl__parse_expr(p, children.data[0])->type;
    return e;
  }
  return tl__parse_unsupported(p, type, loc, "sizeof of this type");
}

/* The controlling expression's type chooses; libclang shows the associations' expressions but not their types, which
 * are read from the text. */
tl_expr *tl__parse_generic(tl__parse *p, CXCursor c, tl_ctype *type, tl_loc loc) {
  tl__cursors children = tl__parse_expressions(p, c);
  tl__cursors fits = {0};
  for (uint32_t i = 1; i < children.count; i++) {
    if (tl__parse_same_type(tl__parse_type(p, clang_getCursorType(children.data[i])), type)) {
      TL_PUSH(p->arena, fits, children.data[i]);
    }
  }
  if (fits.count == 1) {
    return tl__parse_expr(p, fits.data[0]);
  }
  const char *end, *s = tl__parse_text_at(p, c, &end);
  if (!s || children.count < 2) {
    return tl__parse_unsupported(p, type, loc, "_Generic");
  }
  const tl_ctype *control = tl__parse_decayed(p, tl__parse_expr(p, children.data[0])->type);
  s = tl__parse_skip_space(tl__parse_skip_token(s, end), end); /* over _Generic */
  uint32_t association = 0, depth = 0, by_default = 0;
  for (s = tl__parse_skip_token(s, end); s < end; s = tl__parse_skip_token(s, end)) {
    s = tl__parse_skip_space(s, end);
    if (s < end && strchr("([{", *s)) {
      depth++;
    } else if (s < end && strchr(")]}", *s) && depth-- == 0) {
      break;
    } else if (s < end && *s == ',' && depth == 0) {
      const char *name = tl__parse_skip_space(s + 1, end), *rest;
      if (++association >= children.count) {
        break;
      }
      if (word_is(name, (size_t)(tl__parse_skip_token(name, end) - name), "default")) {
        by_default = association;
        continue;
      }
      const tl_ctype *t = type_name(p, name, end, NULL, &rest);
      if (!t || rest >= end || *rest != ':') {
        return tl__parse_unsupported(p, type, loc, "_Generic");
      }
      if (tl__parse_same_type(t, control)) {
        return tl__parse_expr(p, children.data[association]);
      }
    }
  }
  return by_default ? tl__parse_expr(p, children.data[by_default]) : tl__parse_unsupported(p, type, loc, "_Generic");
}
