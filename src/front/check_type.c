/* What is known of tensors, and extents that are not numbers. */
#include <string.h>

#include "front/check_priv.h"

const tl__type tl__unknown = {.is_anything = false};
const tl__type tl__anything = {.is_anything = true};

const tl__type *tl__type_new(tl__check *c, const tl_tensor_type *t) {
  tl__type *out = TL_NEW(&c->arena, tl__type);
  *out = (tl__type){.has_dtype = true, .has_axes = true, .t = *t};
  return out;
}

static bool same_extent(tl_extent a, tl_extent b) { return a.value == b.value && (a.value || a.fixed == b.fixed); }

const tl__type *tl__type_meet(tl__check *c, const tl__type *a, const tl__type *b) {
  if (a == b || b->is_anything) {
    return a;
  }
  if (a->is_anything) {
    return b;
  }
  tl__type *out = TL_NEW(&c->arena, tl__type);
  out->has_dtype = a->has_dtype && b->has_dtype && a->t.dtype == b->t.dtype;
  out->has_axes = a->has_axes && b->has_axes && a->t.rank == b->t.rank;
  out->t.dtype = a->t.dtype;
  out->t.rank = out->has_axes ? a->t.rank : 0;
  for (int i = 0; i < out->t.rank; i++) {
    bool same = same_extent(a->t.dim[i], b->t.dim[i]);
    out->t.dim[i] = same ? a->t.dim[i] : (tl_extent){.value = TL_STATED_ANY};
    out->t.axis[i] = a->t.axis[i] == b->t.axis[i] ? a->t.axis[i] : NULL;
    out->t.bound[i] = a->t.bound[i] == b->t.bound[i] ? a->t.bound[i] : NULL;
  }
  return out;
}

bool tl__type_equal(const tl__type *a, const tl__type *b) {
  if (a == b) {
    return true;
  }
  if (a->is_anything != b->is_anything || a->has_dtype != b->has_dtype || a->has_axes != b->has_axes ||
      (a->has_dtype && a->t.dtype != b->t.dtype) || (a->has_axes && a->t.rank != b->t.rank)) {
    return false;
  }
  for (int i = 0; a->has_axes && i < a->t.rank; i++) {
    if (!same_extent(a->t.dim[i], b->t.dim[i]) || a->t.axis[i] != b->t.axis[i] || a->t.bound[i] != b->t.bound[i]) {
      return false;
    }
  }
  return true;
}

/* ---- extents ---- */

static tl_extent add_extent(tl__check *c, tl__extent e) {
  TL_PUSH(&c->arena, c->extents, e);
  return (tl_extent){.value = c->first_extent + c->extents.count - 1};
}

tl_extent tl__extent_fresh(tl__check *c) {
  tl_value own = c->first_extent + c->extents.count;
  return add_extent(c, (tl__extent){1, 1, {own}});
}

const tl__type *tl__type_fresh(tl__check *c, const tl__type *x) {
  tl__type *out = NULL;
  for (int i = 0; x->has_axes && i < x->t.rank; i++) {
    if (x->t.dim[i].value == TL_STATED_ANY) {
      if (!out) {
        out = TL_NEW(&c->arena, tl__type);
        *out = *x;
      }
      out->t.dim[i] = tl__extent_fresh(c);
    }
  }
  return out ? out : x;
}

static tl__extent parts_of(const tl__check *c, tl_extent e) {
  if (!e.value) {
    return (tl__extent){.factor = e.fixed};
  }
  return e.value < c->first_extent ? (tl__extent){1, 1, {e.value}} : c->extents.data[e.value - c->first_extent];
}

static tl_extent extent_of(tl__check *c, tl__extent e) {
  if (!e.count) {
    return (tl_extent){.fixed = e.factor};
  }
  if (e.count == 1 && e.factor == 1) {
    return (tl_extent){.value = e.parts[0]};
  }
  for (uint32_t i = 0; i < c->extents.count; i++) {
    const tl__extent *known = &c->extents.data[i];
    if (known->factor == e.factor && known->count == e.count &&
        memcmp(known->parts, e.parts, sizeof *e.parts * (size_t)e.count) == 0) {
      return (tl_extent){.value = c->first_extent + i};
    }
  }
  return add_extent(c, e);
}

/* Parts are in ascending order. */
static tl_extent product(void *ctx, tl_extent a, tl_extent b) {
  tl__check *c = ctx;
  tl__extent x = parts_of(c, a), y = parts_of(c, b), out = {.factor = 1};
  enum { MOST = sizeof out.parts / sizeof *out.parts };
  if (x.count + y.count > MOST || __builtin_mul_overflow(x.factor, y.factor, &out.factor)) {
    return tl__extent_fresh(c);
  }
  for (int i = 0, k = 0; out.count < x.count + y.count;) {
    bool take_x = k == y.count || (i < x.count && x.parts[i] <= y.parts[k]);
    out.parts[out.count++] = take_x ? x.parts[i++] : y.parts[k++];
  }
  return extent_of(c, out);
}

static tl_extent quotient(void *ctx, tl_extent a, tl_extent b) {
  tl__check *c = ctx;
  tl__extent x = parts_of(c, a), y = parts_of(c, b), out = {.factor = 1};
  int k = 0;
  for (int i = 0; i < x.count; i++) {
    if (k < y.count && x.parts[i] == y.parts[k]) {
      k++;
    } else {
      out.parts[out.count++] = x.parts[i];
    }
  }
  if (k < y.count || y.factor <= 0 || x.factor % y.factor != 0) {
    return tl__extent_fresh(c);
  }
  out.factor = x.factor / y.factor;
  return extent_of(c, out);
}

tl_shape_rules tl__rules(tl__check *c) { return (tl_shape_rules){.ctx = c, .product = product, .quotient = quotient}; }

/* ---- what is stated ---- */

const tl_tensor_type *tl__stated(const tl_tensor_type *by_declaration, const tl_ctype *t) {
  while (!by_declaration && t) {
    by_declaration = t->stated;
    bool holds = t->kind == TL_CT_ARRAY || t->kind == TL_CT_POINTER;
    t = holds ? t->target : NULL;
  }
  return by_declaration;
}

const tl_tensor_type *tl__stated_of(const tl_expr *e) {
  switch ((int)e->kind) {
  case TL_EXPR_VAR:
    return e->decl ? tl__stated(e->decl->stated, e->decl->type) : NULL;
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
    return tl__stated(e->record->fields.data[e->field].stated, e->type);
  case TL_EXPR_INDEX:
  case TL_EXPR_DEREF:
  case TL_EXPR_DECAY:
  case TL_EXPR_ADDRESS:
  case TL_EXPR_BINARY: /* of a pointer */
    return tl__stated_of(e->a);
  case TL_EXPR_CAST:
    return e->implicit ? tl__stated_of(e->a) : tl__stated(NULL, e->type);
  case TL_EXPR_CALL:
    return e->a->kind == TL_EXPR_FUNCTION ? tl__stated(e->a->function->stated, e->type) : tl__stated(NULL, e->type);
  default: /* nothing that has tensors in it by declaration */
    return NULL;
  }
}
