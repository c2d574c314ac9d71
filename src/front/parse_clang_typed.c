/* tl_typed, tl_axis and tl_bound. What they state is an annotation, and a struct's name beside what C declares. */
#include <string.h>

#include "front/parse_clang.h"
#include "front/stated.h"

typedef struct number_reader {
  tl__parse *parse;
  tl_loc loc;
} number_reader;

static bool read_number(void *ctx, int axis, const char *text, tl_extent *out) {
  (void)axis;
  number_reader *r = ctx;
  int64_t n;
  if (!tl_expr_constant(tl__parse_extent(r->parse, text, r->loc, NULL, NULL, 0), &n)) {
    return false;
  }
  *out = (tl_extent){.fixed = n};
  return true;
}

const tl_tensor_type *tl__parse_stated_text(tl__parse *p, const char *annotation, tl_loc loc) {
  static const char mark[] = "tl_typed:";
  if (strncmp(annotation, mark, sizeof mark - 1) != 0) {
    return NULL;
  }
  number_reader numbers = {p, loc};
  tl_stated_reader reader = {.unit = p->unit, .loc = loc, .number = read_number, .ctx = &numbers};
  return tl_stated_read(&reader, annotation + sizeof mark - 1);
}

const tl_tensor_type *tl__parse_stated(tl__parse *p, CXCursor declaration) {
  if (!p->has_tensors || !clang_Cursor_hasAttrs(declaration)) {
    return NULL;
  }
  tl__cursors children = tl__parse_children(p, declaration);
  for (uint32_t i = 0; i < children.count; i++) {
    if (clang_getCursorKind(children.data[i]) == CXCursor_AnnotateAttr) {
      const char *text = tl__parse_spelling(p, children.data[i]);
      const tl_tensor_type *stated = tl__parse_stated_text(p, text, tl__parse_expr_loc(p, children.data[i]));
      if (stated) {
        return stated;
      }
    }
  }
  return NULL;
}

/* tl_bound(name, most) is an object `name`, whose value is TL__BOUNDED + most. */
static int64_t most_of(const tl__parse *p, const char *name) {
  int64_t value = 0;
  for (uint32_t i = 0; i < p->unit->globals.count; i++) {
    const tl_decl *d = p->unit->globals.data[i];
    if (strcmp(d->name, name) == 0) {
      tl_expr_constant(d->init, &value);
    }
  }
  return value - ((int64_t)1 << 60);
}

void tl__parse_stated_name(tl__parse *p, CXCursor c) {
  static const char axis[] = "tl__axis_", bound[] = "tl__bound_";
  const char *name = tl__parse_spelling(p, c);
  tl_stated_name stated = {NULL, NULL};
  p->has_tensors |= strcmp(name, "tl_tensor_object") == 0;
  if (strncmp(name, axis, sizeof axis - 1) == 0) {
    stated.name = name + sizeof axis - 1;
  } else if (strncmp(name, bound, sizeof bound - 1) == 0) {
    stated.name = name + sizeof bound - 1;
    tl_axis_bound *b = TL_NEW(p->arena, tl_axis_bound);
    *b = (tl_axis_bound){stated.name, most_of(p, stated.name)};
    stated.bound = b;
    tl_shape_rules rules = {.product = NULL};
    tl_status status = tl__shape_bound(&rules, b);
    if (status != TL_OK) {
      tl_diag_error(p->diag, status, tl__parse_location(p, clang_getCursorLocation(c), 8), "%s", rules.message);
    }
  }
  if (stated.name) {
    TL_PUSH(p->arena, p->unit->stated_names, stated);
  }
}
