#include "front/stated.h"

#include <ctype.h>
#include <string.h>

static const char *trimmed(tl_arena *a, const char *from, const char *to) {
  while (from < to && isspace((unsigned char)*from)) {
    from++;
  }
  while (to > from && isspace((unsigned char)to[-1])) {
    to--;
  }
  return tl_arena_strndup(a, from, (size_t)(to - from));
}

/* Behind the part that begins at `s`: at the next comma outside of parentheses, or the end. */
static const char *part_end(const char *s) {
  for (int depth = 0; *s && (depth > 0 || *s != ','); s++) {
    depth += (*s == '(') - (*s == ')');
  }
  return s;
}

static bool read_dtype(const char *name, tl_dtype *out) {
#define IS(id, text, size, c)                                                                                          \
  if (strcmp(name, &#id[3]) == 0) {                                                                                    \
    *out = id;                                                                                                         \
    return id != TL_F80;                                                                                               \
  }
  TL_DTYPE_MAP(IS)
#undef IS
  return false;
}

/* Sets the extent to the name's value. */
static const tl_stated_name *find_name(const tl_unit *unit, const char *name, tl_extent *out) {
  for (uint32_t i = 0; i < unit->stated_names.count; i++) {
    const tl_stated_name *n = &unit->stated_names.data[i];
    if (strcmp(n->name, name) == 0) {
      *out = (tl_extent){.value = TL_STATED_FIRST + i};
      return n;
    }
  }
  return NULL;
}

/* An extent without a name: a bound, tl_any or a number. */
static bool read_extent(const tl_stated_reader *r, int i, const char *text, tl_tensor_type *t) {
  const tl_stated_name *n = find_name(r->unit, text, &t->dim[i]);
  if (n) {
    t->bound[i] = n->bound;
    return n->bound != NULL;
  }
  t->dim[i] = (tl_extent){.value = TL_STATED_ANY};
  return strcmp(text, "tl_any") == 0 || r->number(r->ctx, i, text, &t->dim[i]);
}

static bool read_axis(const tl_stated_reader *r, int i, const char *text, tl_tensor_type *t) {
  tl_arena *a = r->unit->arena;
  const char *open = strchr(text, '(');
  const tl_stated_name *n = find_name(r->unit, open ? trimmed(a, text, open) : text, &t->dim[i]);
  if (!n || n->bound) {
    return read_extent(r, i, text, t);
  }
  t->axis[i] = n->name;
  if (!open) {
    return true;
  }
  tl_value axis = t->dim[i].value;
  size_t length = strlen(open);
  bool ok = open[length - 1] == ')' && read_extent(r, i, trimmed(a, open + 1, open + length - 1), t);
  if (t->dim[i].value == TL_STATED_ANY) {
    t->dim[i].value = axis; /* Seq(tl_any) */
  }
  return ok;
}

const tl_tensor_type *tl_stated_read(const tl_stated_reader *r, const char *text) {
  tl_arena *a = r->unit->arena;
  tl_diag *diag = r->unit->diag;
  tl_tensor_type *t = TL_NEW(a, tl_tensor_type);
  const char *end = part_end(text), *dtype = trimmed(a, text, end);
  if (!read_dtype(dtype, &t->dtype)) {
    tl_diag_error(diag, TL_DTYPE_UNSUPPORTED, r->loc, "a type states the dtype '%s', which tensors do not have", dtype);
    return NULL;
  }
  while (*end) {
    const char *from = end + 1;
    end = part_end(from);
    const char *part = trimmed(a, from, end);
    if (t->rank == TL_MAX_RANK) {
      tl_diag_error(diag, TL_TENSOR_SHAPE_MISMATCH, r->loc, "a type states more than %d axes", TL_MAX_RANK);
      return NULL;
    }
    if (!read_axis(r, t->rank, part, t)) {
      tl_diag_error(diag, TL_UNTYPED_TENSOR, r->loc,
                    "a type states '%s', which is no axis (tl_axis), bound (tl_bound) or number", part);
      return NULL;
    }
    t->rank++;
  }
  tl_shape_rules rules = {.product = NULL};
  tl_status status = tl__shape_create(&rules, "a type", t->dtype, t->rank, t->dim);
  if (status != TL_OK) {
    tl_diag_error(diag, status, r->loc, "%s", rules.message);
    return NULL;
  }
  return t;
}
