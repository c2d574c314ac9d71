#include <string.h>

#include "front/lower_priv.h"

/* File-scope and static objects. They are read only: what a function writes to one would outlive the call. Constants
 * with a visible initialiser are values; tables are allocs with TL_ALLOC_TABLE at the head of the body. */

/* Const, or static and never written in this unit, which is the only one that can. */
static bool is_constant(tl_lower *l, const tl_decl *d) {
  if (tl__lower_is_const(d->type)) {
    return d->init != NULL;
  }
  return d->init && (d->storage == TL_STORAGE_STATIC_LOCAL || d->is_static) && !tl__lower_scan_modified(l->unit, d);
}

/* Numbers of a constant initialiser, by leaf, in row-major order. False where it is not constant. */
typedef struct tl_fill {
  tl_arena *arena;
  long double *data;
  int64_t at;
} tl_fill;

static bool collect_string(const tl_ctype *type, const tl_expr *init, tl_fill *out) {
  int64_t *codes = TL_NEW_ARRAY(out->arena, int64_t, type->extent > 0 ? type->extent : 1);
  if (!tl__lower_string(type, init, codes)) {
    return false;
  }
  for (int64_t i = 0; i < type->extent; i++) {
    out->data[out->at++] = type->target->dtype == TL_U8 ? (long double)(uint8_t)codes[i] : (long double)codes[i];
  }
  return true;
}

/* Adds the numbers of leaf `leaf` (counted from the object's first) under `init` to `out`. */
static bool collect(const tl_ctype *type, const tl_expr *init, uint32_t leaf, tl_fill *out) {
  switch (type->kind) {
  case TL_CT_SCALAR: {
    long double v;
    if (!tl_expr_number(init, &v)) {
      return false;
    }
    out->data[out->at++] = tl_dtype_round(type->dtype, v);
    return true;
  }
  case TL_CT_ARRAY:
    if (init && init->kind != TL_EXPR_INIT_LIST) {
      return collect_string(type, init, out);
    }
    for (int64_t i = 0; i < type->extent; i++) {
      const tl_expr *part = init && i < (int64_t)init->args.count ? init->args.data[i] : NULL;
      if (!collect(type->target, part, leaf, out)) {
        return false;
      }
    }
    return type->extent >= 0;
  case TL_CT_RECORD:
    if (init && init->kind != TL_EXPR_INIT_LIST) {
      return false;
    }
    for (uint32_t i = 0; i < type->record->fields.count; i++) {
      uint32_t n = tl__lower_leaf_count(type->record->fields.data[i].type);
      if (leaf < n) {
        return collect(type->record->fields.data[i].type, init && i < init->args.count ? init->args.data[i] : NULL,
                       leaf, out);
      }
      leaf -= n;
    }
    return false;
  case TL_CT_POINTER:
  case TL_CT_VOID:
  case TL_CT_FUNCTION:
  case TL_CT_UNSUPPORTED:
    break;
  }
  return false;
}

void tl__lower_to_entry(tl_lower *l, uint32_t mark) {
  tl_region *body = l->func->body;
  uint32_t n = body->ops.count - mark;
  if (!n) {
    return;
  }
  tl_op **moved = TL_NEW_ARRAY(l->arena, tl_op *, n + 1);
  memcpy(moved, body->ops.data + mark, sizeof *moved * n);
  memmove(body->ops.data + l->entry_ops + n, body->ops.data + l->entry_ops, sizeof *moved * (mark - l->entry_ops));
  memcpy(body->ops.data + l->entry_ops, moved, sizeof *moved * n);
  l->entry_ops += n;
}

/* The numbers of each leaf, NULL for those whose initialiser is not constant. */
static long double **collect_leaves(tl_lower *l, const tl_object *o, bool *out_all) {
  long double **numbers = TL_NEW_ARRAY(l->arena, long double *, o->leaf_count + 1);
  *out_all = true;
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    const tl_leaf *leaf = &o->leaves[i];
    int64_t total = tl_extents_count(leaf->extents, (int)leaf->rank, INT64_MAX);
    if (total >= 0 && !leaf->is_pointer && !leaf->is_opaque) {
      tl_fill f = {.arena = l->arena, .data = TL_NEW_ARRAY(l->func->arena, long double, total + 1)};
      numbers[i] = collect(o->decl->type, o->decl->init, i, &f) ? f.data : NULL;
    }
    *out_all = *out_all && numbers[i];
  }
  return numbers;
}

static void set_leaf(tl_lower *l, const tl_decl *d, tl_leaf *leaf, const long double *numbers) {
  if (numbers && !leaf->rank) {
    leaf->is_array = false;
    leaf->fixed = tl_dtype_is_float(leaf->dtype)
                      ? tl_build_float(&l->b, leaf->dtype, numbers[0], NULL)
                      : tl_build_int(&l->b, leaf->dtype,
                                     leaf->dtype == TL_U64 ? (int64_t)(uint64_t)numbers[0] : (int64_t)numbers[0]);
    return;
  }
  if (d->storage == TL_STORAGE_STATIC_LOCAL && !numbers) {
    return; /* it has no name that a derivative could use: reading it is refused */
  }
  leaf->fixed = tl_build_alloc(&l->b, leaf->dtype, (int)leaf->rank, leaf->extents, TL_ALLOC_TABLE, leaf->name);
  tl_op *op = tl_def(l->func, leaf->fixed);
  op->callee = d->storage == TL_STORAGE_FILE ? d->name : NULL;
  op->format = leaf->access;
  op->table = numbers;
}

/* The initialiser of a pointer: the path to it is spelled by the leaf's number and the element's indices. */
static const tl_expr *pointer_init(const tl_ctype *type, const tl_expr *init, uint32_t leaf, const int64_t *index) {
  if (!init || type->kind == TL_CT_POINTER) {
    return init;
  }
  if (init->kind != TL_EXPR_INIT_LIST) {
    return NULL;
  }
  if (type->kind == TL_CT_ARRAY) {
    return pointer_init(type->target, *index < (int64_t)init->args.count ? init->args.data[*index] : NULL, leaf,
                        index + 1);
  }
  for (uint32_t i = 0; type->kind == TL_CT_RECORD && i < type->record->fields.count; i++) {
    uint32_t n = tl__lower_leaf_count(type->record->fields.data[i].type);
    if (leaf < n) {
      return pointer_init(type->record->fields.data[i].type, i < init->args.count ? init->args.data[i] : NULL, leaf,
                          index);
    }
    leaf -= n;
  }
  return NULL;
}

tl_pointer *tl__lower_global_pointer(tl_lower *l, const tl_object *o, const tl_leaf *leaf, int64_t number) {
  int64_t index[TL_MAX_RANK + 1] = {0};
  for (uint32_t k = leaf->rank; k-- > 0;) {
    index[k] = number % leaf->extents[k].fixed;
    number /= leaf->extents[k].fixed;
  }
  const tl_expr *init = pointer_init(o->decl->type, o->decl->init, (uint32_t)(leaf - o->leaves), index);
  return init ? tl__lower_pointer(l, init) : tl__lower_pointer_null(l);
}

static tl_object *find_global(const tl_lower *l, const tl_decl *d) {
  for (uint32_t i = 0; i < l->globals.count; i++) {
    if (l->globals.data[i].decl == d) {
      return l->globals.data[i].object;
    }
  }
  return NULL;
}

static tl_object *create(tl_lower *l, const tl_decl *d, tl_loc loc, bool constant) {
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_GLOBAL, d->name, d->type, 0, NULL, false, "$", loc);
  o->decl = d;
  o->escaped = false;
  o->is_constant = constant;
  return o;
}

/* Gives the object its content; `numbers` are NULL where it is no constant. */
static tl_object *fill(tl_lower *l, tl_object *o, long double *const *numbers) {
  tl_loc before = l->b.loc;
  l->b.loc = o->loc;
  tl_region *region = l->b.region;
  l->b.region = l->func->body;
  uint32_t mark = l->b.region->ops.count;
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    tl_leaf *leaf = &o->leaves[i];
    if (!leaf->is_pointer && !leaf->is_opaque) {
      set_leaf(l, o->decl, leaf, numbers ? numbers[i] : NULL);
    }
  }
  tl__lower_to_entry(l, mark);
  l->b.region = region;
  l->b.loc = before;
  TL_PUSH(l->arena, l->globals, (tl_named_object){o->decl, o});
  return o;
}

tl_object *tl__lower_global(tl_lower *l, const tl_decl *d, tl_loc loc) {
  tl_object *o = find_global(l, d);
  bool all;
  if (!o) {
    o = create(l, d, loc, is_constant(l, d));
    fill(l, o, o->is_constant ? collect_leaves(l, o, &all) : NULL);
  }
  return o;
}

/* A string is a table of characters, and has its text for functions without a body. */
tl_object *tl__lower_literal(tl_lower *l, const tl_expr *string) {
  for (uint32_t i = 0; i < l->globals.count; i++) {
    if (l->globals.data[i].decl->init == string && l->globals.data[i].object->literal) {
      return l->globals.data[i].object;
    }
  }
  if (string->type->kind != TL_CT_ARRAY || string->type->extent < 1) {
    return NULL;
  }
  tl_decl *d = TL_NEW(l->arena, tl_decl);
  *d = (tl_decl){.name = "text",
                 .type = string->type,
                 .storage = TL_STORAGE_STATIC_LOCAL,
                 .init = (tl_expr *)string,
                 .is_static = true,
                 .loc = string->loc};
  tl_object *o = create(l, d, string->loc, true);
  bool all;
  long double **numbers = collect_leaves(l, o, &all);
  if (!all) {
    return NULL;
  }
  o->literal = string->spelling;
  return fill(l, o, numbers);
}

/* A local array that is set from constants and never changes is a table, too. */
tl_object *tl__lower_constant(tl_lower *l, const tl_decl *d) {
  int64_t total = 1;
  for (const tl_ctype *t = d->type; t->kind == TL_CT_ARRAY; t = t->target) {
    total = t->extent < 0 || total < 0 ? -1 : total * t->extent;
  }
  if (d->type->kind != TL_CT_ARRAY || !d->init || d->init->kind != TL_EXPR_INIT_LIST || total < 1) {
    return NULL;
  }
  tl_object *o = find_global(l, d);
  if (o) {
    return o;
  }
  o = create(l, d, d->loc, true);
  bool all;
  long double **numbers = collect_leaves(l, o, &all);
  return all && (tl__lower_is_const(d->type) || !tl__lower_scan_modified(l->unit, d)) ? fill(l, o, numbers) : NULL;
}
