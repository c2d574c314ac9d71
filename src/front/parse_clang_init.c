/* Initialisers. libclang shows a braced list as it was written; C's rules (6.7.9) say which element each part of it
 * initialises: braces may be left out, and a designator moves the place. */
#include <string.h>

#include "front/parse_clang.h"

typedef struct list_reader {
  tl__parse *parse;
  tl__cursors items;
  uint32_t next;
  const char *refused; /* set when something is not understood */
} list_reader;

static tl_expr *new_list(tl__parse *p, tl_ctype *type, tl_loc loc) {
  return tl__parse_new(p, TL_EXPR_INIT_LIST, type, loc);
}

static bool is_aggregate(const tl_ctype *t) { return t->kind == TL_CT_ARRAY || t->kind == TL_CT_RECORD; }

static CXCursor without_parentheses(tl__parse *p, CXCursor c) {
  while (clang_getCursorKind(c) == CXCursor_ParenExpr) {
    tl__cursors children = tl__parse_expressions(p, c);
    if (children.count != 1) {
      break;
    }
    c = children.data[0];
  }
  return c;
}

static bool is_string_for(tl__parse *p, const tl_ctype *t, CXCursor c) {
  return t->kind == TL_CT_ARRAY && t->target->kind == TL_CT_SCALAR && !tl_dtype_is_float(t->target->dtype) &&
         clang_getCursorKind(without_parentheses(p, c)) == CXCursor_StringLiteral;
}

/* A designated part is an expression without a type whose last child is the value. */
static bool is_designated(CXCursor c) {
  return clang_getCursorKind(c) == CXCursor_UnexposedExpr && clang_getCursorType(c).kind == CXType_Void;
}

static int64_t places(const tl_ctype *t) {
  if (t->kind == TL_CT_ARRAY) {
    return t->extent >= 0 ? t->extent : INT64_MAX;
  }
  return t->record->is_union ? (t->record->fields.count ? 1 : 0) : t->record->fields.count;
}

static tl_ctype *type_at(const tl_ctype *t, int64_t i) {
  return t->kind == TL_CT_ARRAY ? t->target : t->record->fields.data[i].type;
}

/* Unnamed bit-fields have no initialiser. */
static bool is_skipped(const tl_ctype *t, int64_t i) {
  return t->kind == TL_CT_RECORD && !t->record->fields.data[i].name && t->record->fields.data[i].is_bitfield;
}

static void set(list_reader *r, tl_expr *list, int64_t i, tl_expr *value) {
  if (list->type->kind == TL_CT_RECORD && list->type->record->is_union) {
    for (uint32_t k = 0; k < list->args.count; k++) {
      list->args.data[k] = NULL; /* the last one named is the member that is stored */
    }
  }
  while ((int64_t)list->args.count <= i) {
    TL_PUSH(r->parse->arena, list->args, NULL);
  }
  list->args.data[i] = value;
}

static void fill(list_reader *r, tl_expr *list, int64_t at, bool braces);

static CXCursor take(list_reader *r) { return r->items.data[r->next++]; }

/* Initialises element i of the list from `value`, or, where braces are left out, from it and what follows. */
static void set_from(list_reader *r, tl_expr *list, int64_t i, CXCursor value) {
  tl__parse *p = r->parse;
  tl_ctype *t = type_at(list->type, i);
  tl_loc loc = tl__parse_expr_loc(p, value);
  if (clang_getCursorKind(value) == CXCursor_InitListExpr || !is_aggregate(t) || is_string_for(p, t, value)) {
    set(r, list, i, tl__parse_init(p, t, value));
    return;
  }
  if (t->kind == TL_CT_RECORD && clang_getCanonicalType(clang_getCursorType(value)).kind == CXType_Record) {
    tl_expr *e = tl__parse_expr(p, value);
    if (e->kind == TL_EXPR_UNSUPPORTED || tl__parse_same_type(e->type, t)) {
      set(r, list, i, e);
      return;
    }
  }
  if (places(t) == 0) {
    set(r, list, i, new_list(p, t, loc));
    return;
  }
  tl_expr *inner = new_list(p, t, loc);
  set(r, list, i, inner);
  set_from(r, inner, 0, value);
  fill(r, inner, 1, false);
}

typedef struct designator {
  int64_t first, last; /* elements; last > first for GNU's range */
  const char *field;
} designator;

/* Puts `value` where the designators say and goes on after it inside the elements that they passed through. */
static int64_t place(list_reader *r, tl_expr *list, const designator *d, uint32_t count, CXCursor value) {
  tl__parse *p = r->parse;
  const tl_ctype *t = list->type;
  uint32_t path[TL__FIELD_DEPTH], length = TL__FIELD_DEPTH;
  int64_t first = d->first, last = d->last;
  if (!is_aggregate(t) || (t->kind == TL_CT_RECORD) != (d->field != NULL) ||
      (d->field && !tl__parse_field_path(t->record, d->field, path, &length))) {
    r->refused = "a designator";
    return 0;
  }
  if (d->field) {
    for (uint32_t k = 0; k + 1 < length; k++) { /* through anonymous members */
      tl_expr *inner = path[k] < list->args.count ? list->args.data[path[k]] : NULL;
      if (!inner || inner->kind != TL_EXPR_INIT_LIST) {
        inner = new_list(p, type_at(list->type, path[k]), list->loc);
        set(r, list, path[k], inner);
      }
      list = inner;
    }
    first = last = path[length - 1];
  }
  if (first < 0 || first > last || first >= (list->type->kind == TL_CT_ARRAY ? places(list->type) : INT64_MAX)) {
    r->refused = "a designator";
    return 0;
  }
  if (count == 1) {
    uint32_t next = r->next;
    for (int64_t i = first; i <= last && !r->refused; i++) {
      r->next = next;
      set_from(r, list, i, value);
    }
  } else {
    for (int64_t i = first; i <= last && !r->refused; i++) {
      tl_expr *inner = i < (int64_t)list->args.count ? list->args.data[i] : NULL;
      if (inner && inner->kind != TL_EXPR_INIT_LIST) {
        r->refused = "an initialiser that overrides a part of another";
        return 0;
      }
      if (!inner) {
        if (!is_aggregate(type_at(list->type, i))) {
          r->refused = "a designator";
          return 0;
        }
        inner = new_list(p, type_at(list->type, i), list->loc);
        set(r, list, i, inner);
      }
      uint32_t next = r->next;
      int64_t after = place(r, inner, d + 1, count - 1, value);
      if (!r->refused && i == last) {
        fill(r, inner, after, false);
      } else {
        r->next = next;
      }
    }
  }
  if (d->field && length > 1) {
    fill(r, list, last + 1, false);
    return path[0] + 1;
  }
  return last + 1;
}

static bool is_range(tl__parse *p, CXCursor left, CXCursor right) {
  size_t length;
  const char *s = tl__parse_text_between(p, left, right, &length);
  for (size_t i = 0; s && i + 2 < length; i++) {
    if (memcmp(s + i, "...", 3) == 0) {
      return true;
    }
  }
  return false;
}

static int64_t designated(list_reader *r, tl_expr *list, CXCursor item) {
  tl__parse *p = r->parse;
  tl__cursors parts = tl__parse_children(p, item);
  TL_VEC(designator) path = {0};
  for (uint32_t i = 0; i + 1 < parts.count; i++) {
    CXCursor c = parts.data[i];
    if (clang_getCursorKind(c) == CXCursor_MemberRef) {
      const char *name = tl__parse_spelling(p, c);
      if (*name) { /* an anonymous member on the way has no name and no place */
        TL_PUSH(p->arena, path, (designator){.field = name});
      }
      continue;
    }
    int64_t index;
    if (!tl_expr_constant(tl__parse_expr(p, c), &index)) {
      r->refused = "a designator";
      return 0;
    }
    if (path.count && !path.data[path.count - 1].field && is_range(p, parts.data[i - 1], c)) {
      path.data[path.count - 1].last = index;
    } else {
      TL_PUSH(p->arena, path, (designator){.first = index, .last = index});
    }
  }
  if (path.count == 0) {
    r->refused = "a designator";
    return 0;
  }
  return place(r, list, path.data, path.count, parts.data[parts.count - 1]);
}

/* Fills the list from element `at` on; without braces of its own it ends where it is full or a designator comes. */
static void fill(list_reader *r, tl_expr *list, int64_t at, bool braces) {
  while (r->next < r->items.count && !r->refused) {
    CXCursor item = r->items.data[r->next];
    if (is_designated(item)) {
      if (!braces) {
        return;
      }
      r->next++;
      at = designated(r, list, item);
      continue;
    }
    while (at < places(list->type) && is_skipped(list->type, at)) {
      at++;
    }
    if (at >= places(list->type)) {
      if (braces) {
        r->next = r->items.count; /* excess elements, which C ignores */
      }
      return;
    }
    set_from(r, list, at++, take(r));
  }
}

tl_expr *tl__parse_init(tl__parse *p, tl_ctype *type, CXCursor c) {
  tl_loc loc = tl__parse_expr_loc(p, c);
  if (type->kind == TL_CT_UNSUPPORTED) {
    return tl__parse_unsupported(p, type, loc, type->spelling);
  }
  if (clang_getCursorKind(c) != CXCursor_InitListExpr) {
    tl_expr *e = tl__parse_expr(p, c);
    return type->kind == TL_CT_ARRAY ? e : tl__parse_convert(p, e, type, true);
  }
  list_reader r = {.parse = p, .items = tl__parse_expressions(p, c)};
  if (!is_aggregate(type)) {
    if (r.items.count == 0) {
      return new_list(p, type, loc); /* {}: zero */
    }
    return tl__parse_init(p, type, r.items.data[0]);
  }
  if (r.items.count == 1 && is_string_for(p, type, r.items.data[0])) {
    return tl__parse_expr(p, r.items.data[0]);
  }
  tl_expr *list = new_list(p, type, loc);
  fill(&r, list, 0, true);
  return r.refused ? tl__parse_unsupported(p, type, loc, r.refused) : list;
}
