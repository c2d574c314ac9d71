#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "front/lower_priv.h"

/* ---- objects ---- */

typedef struct tl_leaf_path {
  const char *name, *access;
  uint32_t rank;
  tl_extent extents[TL_MAX_RANK];
  bool is_const;
  const tl_field *field;
  tl_ctype *holder;
  uint32_t holder_leaf;
} tl_leaf_path;

static tl_leaf *add_leaf(tl_object *o, tl_ctype *type, const tl_leaf_path *path) {
  tl_leaf *leaf = &o->leaves[o->leaf_count++];
  *leaf = (tl_leaf){.name = path->name,
                    .access = path->access,
                    .type = type,
                    .dtype = type->dtype,
                    .rank = path->rank,
                    .is_const = path->is_const,
                    .field = path->field,
                    .holder = path->holder,
                    .holder_leaf = path->holder_leaf};
  memcpy(leaf->extents, path->extents, sizeof *path->extents * path->rank);
  return leaf;
}

static const char *joined(tl_lower *l, const char *a, const char *b, const char *between) {
  return a ? tl_arena_printf(l->arena, "%s%s%s", a, between, b) : NULL;
}

static void add_leaves(tl_lower *l, tl_object *o, tl_ctype *type, const tl_leaf_path *path) {
  bool memory = o->kind == TL_OBJECT_MEMORY || o->kind == TL_OBJECT_GLOBAL;
  uint32_t first = o->leaf_count;
  switch (type->kind) {
  case TL_CT_SCALAR:
    add_leaf(o, type, path)->is_array = path->rank > 0 || memory;
    return;
  case TL_CT_POINTER:
    add_leaf(o, type, path)->is_pointer = true;
    return;
  case TL_CT_ARRAY: {
    tl_leaf_path inner = *path;
    if (path->rank == TL_MAX_RANK) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, o->loc, "'%s' has more than %d axes",
                       o->name ? o->name : "an object", TL_MAX_RANK);
    }
    inner.extents[inner.rank++] = tl__lower_extent_of(l, type);
    inner.access = joined(l, path->access, "[#]", "");
    add_leaves(l, o, type->target, &inner);
    return;
  }
  case TL_CT_RECORD:
    if (type->record->is_union || !type->record->complete) {
      break;
    }
    for (uint32_t i = 0; i < type->record->fields.count; i++) {
      const tl_field *f = &type->record->fields.data[i];
      tl_leaf_path inner = *path;
      inner.holder = type;
      inner.holder_leaf = first;
      if (f->name) {
        inner.name = joined(l, path->name, f->name, "_");
        size_t n = path->access ? strlen(path->access) : 0;
        if (n > 3 && path->access[0] == '(' && path->access[n - 1] == ')') { /* "(*$)" : "$->m" */
          inner.access = tl_arena_printf(l->arena, "%.*s->%s", (int)(n - 3), path->access + 2, f->name);
        } else {
          inner.access = joined(l, path->access, f->name, ".");
        }
      }
      inner.field = f;
      inner.is_const = path->is_const || tl__lower_is_const(f->type);
      add_leaves(l, o, f->type, &inner);
    }
    return;
  case TL_CT_VOID:
  case TL_CT_FUNCTION:
  case TL_CT_UNSUPPORTED:
    break;
  }
  add_leaf(o, type, path)->is_opaque = true;
}

enum { TL_POINTER_ARRAY_MAX = 64 };

/* How many slots a leaf takes: one, but one per element for a short array of pointers. */
static uint32_t slots_of(const tl_object *o, const tl_leaf *leaf) {
  if (!leaf->is_pointer || !leaf->rank || o->kind == TL_OBJECT_MEMORY || o->kind == TL_OBJECT_GLOBAL) {
    return 1;
  }
  int64_t n = 1;
  for (uint32_t k = 0; k < leaf->rank; k++) {
    bool many = leaf->extents[k].value != TL_NO_VALUE || leaf->extents[k].fixed < 0 || n > TL_POINTER_ARRAY_MAX;
    n = many ? TL_POINTER_ARRAY_MAX + 1 : n * leaf->extents[k].fixed;
  }
  return n > TL_POINTER_ARRAY_MAX ? UINT32_MAX : n ? (uint32_t)n : 1;
}

/* How the user writes what holds the leaf's elements: "T.m" of "T_m", where the object has a name of the user's. */
static void note_spelling(tl_lower *l, const tl_object *o, const char *access, const tl_leaf *leaf) {
  bool is_named = o->name && access && (!strcmp(access, "$") || !strcmp(access, "(*$)") || !strcmp(access, "$[#]"));
  if (!is_named || !leaf->field || !leaf->name || !leaf->access) {
    return;
  }
  tl_module *m = l->func->module;
  char *spelled = tl_arena_alloc(m->arena, strlen(o->name) + strlen(leaf->access) + 1), *to = spelled;
  for (const char *from = leaf->access; *from; from++) {
    if (*from == '[') {
      from += 2; /* "[#]" */
    } else if (*from == '$') {
      to += sprintf(to, "%s", o->name);
    } else {
      *to++ = *from;
    }
  }
  *to = 0;
  TL_PUSH(m->arena, m->spellings, (tl_spelling){tl_arena_strdup(m->arena, leaf->name), spelled});
}

tl_object *tl__lower_object_create(tl_lower *l, tl_object_kind kind, const char *name, tl_ctype *type,
                                   uint32_t axis_count, const tl_extent *axes, bool flex, const char *access,
                                   tl_loc loc) {
  tl_object *o = TL_NEW(l->arena, tl_object);
  *o = (tl_object){.kind = kind, .name = name, .type = type, .flex = flex, .loc = loc, .escaped = true};
  o->leaves = TL_NEW_ARRAY(l->arena, tl_leaf, tl__lower_leaf_count(type) + 1);
  tl_leaf_path path = {.name = name, .access = access, .rank = axis_count};
  if (axis_count) {
    memcpy(path.extents, axes, sizeof *axes * axis_count);
  }
  add_leaves(l, o, type, &path);
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    note_spelling(l, o, access, &o->leaves[i]);
    if (kind == TL_OBJECT_GLOBAL) {
      o->leaves[i].slot = TL_NO_SLOT;
      continue;
    }
    uint32_t n = slots_of(o, &o->leaves[i]);
    if (n == UINT32_MAX) {
      o->leaves[i].is_table = true;
      n = 1;
    }
    for (uint32_t k = 0; k < n; k++) {
      uint32_t slot = tl__lower_slot_create(l, o, &o->leaves[i]);
      o->leaves[i].slot = k ? o->leaves[i].slot : slot;
    }
  }
  return o;
}

void tl__lower_object_allocate(tl_lower *l, tl_object *o, unsigned flags) {
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    tl_leaf *leaf = &o->leaves[i];
    if (leaf->is_array && leaf->type->is_tensor) {
      tl_type element;
      if (tl__lower_local_element(l, o, leaf, &element)) {
        l->env.slots[leaf->slot].value =
            tl_build_alloc_of(&l->b, element, (int)leaf->rank, leaf->extents, flags, leaf->name);
      }
    } else if (leaf->is_array && !leaf->is_opaque) {
      tl_value v = tl_build_alloc(&l->b, leaf->dtype, (int)leaf->rank, leaf->extents, flags, leaf->name);
      l->env.slots[leaf->slot].value = v;
    } else if ((flags & TL_ALLOC_ZEROED) && !leaf->is_pointer && !leaf->is_opaque && !leaf->type->is_tensor) {
      l->env.slots[leaf->slot].value = tl_build_zero(&l->b, leaf->dtype);
    }
  }
}

tl_pointer *tl__lower_object_pointer(tl_lower *l, tl_object *o) {
  tl_target t = {.kind = TL_TARGET_OBJECT, .object = o, .leaf_count = o->leaf_count, .elem = o->type};
  if (o->flex) {
    t.index[t.index_count++] = tl_build_int(&l->b, TL_I64, 0);
    t.run = 1;
  }
  return tl__lower_pointer_single(l, &t);
}

/* ---- places ---- */

tl_pointer *tl__lower_pointer_copy(tl_lower *l, const tl_pointer *p) {
  tl_pointer *out = TL_NEW(l->arena, tl_pointer);
  *out = *p;
  out->targets = TL_NEW_ARRAY(l->arena, tl_target, p->count + 1);
  memcpy(out->targets, p->targets, sizeof *p->targets * p->count);
  return out;
}

static void drop_virtual(tl_target *t) {
  if (t->virtual_axis) {
    t->virtual_axis = false;
    t->index_count--;
    t->run = 0;
  }
}

tl_pointer *tl__lower_place_member(tl_lower *l, const tl_pointer *p, const tl_record *record, uint32_t field,
                                   tl_loc loc) {
  tl_pointer *out = tl__lower_pointer_copy(l, p);
  for (uint32_t i = 0; i < out->count; i++) {
    tl_target *t = &out->targets[i];
    if (t->kind != TL_TARGET_OBJECT) {
      continue;
    }
    tl__lower_pointer_flatten(l, t, 0);
    drop_virtual(t);
    if (record->is_union) {
      bool active = false;
      for (uint32_t k = 0; k < record->fields.count; k++) {
        const tl_ctype *ft = record->fields.data[k].type;
        active = active || ft->kind == TL_CT_POINTER || tl__lower_has_float(ft, true);
      }
      tl__lower_refuse(l, active ? TL_ACTIVE_UNION : TL_UNSUPPORTED_CONSTRUCT, loc,
                       active ? "a member of a union that may hold active values is used"
                              : "a member of a union is used");
    }
    if (t->elem->kind != TL_CT_RECORD || t->elem->record != record) {
      tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "'%s' is read or written as another type, '%s'",
                       t->object->name ? t->object->name : "an object", record->name ? record->name : "a struct");
    }
    uint32_t first = 0;
    for (uint32_t k = 0; k < field; k++) {
      first += tl__lower_leaf_count(record->fields.data[k].type);
    }
    t->leaf += first;
    t->leaf_count = tl__lower_leaf_count(record->fields.data[field].type);
    t->elem = record->fields.data[field].type;
    t->run = 0;
    t->linear = 0;
  }
  return out;
}

tl_pointer *tl__lower_place_decay(tl_lower *l, const tl_pointer *p, tl_ctype *array) {
  tl_pointer *out = tl__lower_pointer_copy(l, p);
  uint32_t depth = tl__lower_array_depth(array);
  for (uint32_t i = 0; i < out->count; i++) {
    tl_target *t = &out->targets[i];
    if (t->kind != TL_TARGET_OBJECT) {
      continue;
    }
    if (tl__lower_array_depth(t->elem) < depth) {
      continue; /* one long row that is seen as rows */
    }
    drop_virtual(t);
    tl__lower_pointer_flatten(l, t, depth);
    assert(t->index_count < TL_MAX_RANK); /* an object of more axes was refused when it was made */
    t->elem = t->elem->target;
    t->index[t->index_count++] = tl_build_int(&l->b, TL_I64, 0);
    t->run++;
  }
  return out;
}

/* The indices of an element of the leaf: run-over indices are split over their axes. */
static uint32_t element_indices(tl_lower *l, const tl_target *t, const tl_leaf *leaf, tl_value *out) {
  uint32_t n = tl__target_used(t);
  memcpy(out, t->index, sizeof *out * n);
  if (t->linear > 1) {
    tl_value total = tl__lower_int_cvt(l, TL_I64, out[n - 1]);
    for (uint32_t k = n - 1; k > n - t->linear; k--) {
      tl_value cols = tl__lower_extent_i64(l, leaf->extents[k]);
      tl_value before = tl__lower_int_cvt(l, TL_I64, out[k - 1]);
      out[k] = tl__lower_int_op(l, TL_OP_rem, total, cols);
      total = tl__lower_int_op(l, TL_OP_add, before, tl__lower_int_op(l, TL_OP_div, total, cols));
    }
    out[n - t->linear] = total;
  }
  return n;
}

static const tl_leaf *scalar_leaf(tl_lower *l, const tl_target *t, tl_ctype *type, tl_loc loc) {
  tl_target flat = *t;
  tl__lower_pointer_flatten(l, &flat, 0);
  const tl_leaf *leaf = &t->object->leaves[t->leaf];
  const char *name = t->object->name ? t->object->name : "an object";
  if (leaf->is_opaque) {
    tl__lower_refuse(l,
                     leaf->type->kind == TL_CT_RECORD && leaf->type->record->is_union ? TL_ACTIVE_UNION
                     : leaf->type->kind == TL_CT_VOID                                 ? TL_ACTIVE_CAST
                                                                                      : TL_UNSUPPORTED_CONSTRUCT,
                     loc, "'%s' holds a value of type '%s' here", name, leaf->type->spelling);
  }
  if (flat.elem->kind == TL_CT_RECORD || leaf->is_pointer != (type->kind == TL_CT_POINTER) ||
      (!leaf->is_pointer && (tl_dtype_size(leaf->dtype) != tl_dtype_size(type->dtype) ||
                             tl_dtype_is_float(leaf->dtype) != tl_dtype_is_float(type->dtype)))) {
    tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "'%s' is read or written as another type, '%s'", name, type->spelling);
  }
  return leaf;
}

static tl_value target_load(tl_lower *l, tl_target t, tl_ctype *type, tl_loc loc) {
  const tl_leaf *leaf = scalar_leaf(l, &t, type, loc);
  tl__lower_pointer_flatten(l, &t, 0);
  if (leaf->is_array && leaf->type->is_tensor) {
    tl__lower_check_loaded(l, leaf, loc);
  }
  tl_value v = tl__lower_slot_read(l, leaf);
  if (leaf->is_array) {
    tl_value index[TL_MAX_RANK];
    uint32_t n = element_indices(l, &t, leaf, index);
    assert(n == leaf->rank);
    v = tl_build_index(&l->b, v, n, index);
  }
  return tl__lower_int_cvt(l, type->dtype, v);
}

/* What a bit-field of `width` keeps of v. */
static tl_value bitfield_value(tl_lower *l, tl_dtype dtype, uint32_t width, tl_value v) {
  uint32_t bits = 8 * (uint32_t)tl_dtype_size(dtype);
  if (dtype == TL_BOOL || width >= bits) {
    return v;
  }
  if (tl_dtype_is_unsigned(dtype)) {
    return tl_build_binary(&l->b, TL_OP_and, v, tl_build_int(&l->b, dtype, ((int64_t)1 << width) - 1));
  }
  tl_dtype u = dtype == TL_I8 ? TL_U8 : dtype == TL_I16 ? TL_U16 : dtype == TL_I32 ? TL_U32 : TL_U64;
  tl_value n = tl_build_int(&l->b, TL_I32, bits - width);
  tl_value up = tl_build_binary(&l->b, TL_OP_shl, tl_build_cvt(&l->b, u, v), n);
  return tl_build_binary(&l->b, TL_OP_shr, tl_build_cvt(&l->b, dtype, up), n);
}

static void target_store(tl_lower *l, tl_target t, tl_ctype *type, tl_value v, tl_loc loc) {
  const tl_leaf *leaf = scalar_leaf(l, &t, type, loc);
  tl__lower_pointer_flatten(l, &t, 0);
  if (t.object->kind == TL_OBJECT_GLOBAL) {
    tl__lower_refuse(l, TL_ACTIVE_GLOBAL, loc,
                     tl_dtype_is_float(leaf->dtype)
                         ? "'%s', which outlives the call, is written to"
                         : "'%s', an integer that outlives the call, is written to: pass it by pointer",
                     t.object->name);
  }
  v = tl__lower_int_cvt(l, leaf->dtype, v);
  if (leaf->field && leaf->field->is_bitfield) {
    v = bitfield_value(l, leaf->dtype, leaf->field->bit_width, v);
  }
  if (leaf->is_array) {
    tl_value index[TL_MAX_RANK];
    uint32_t n = element_indices(l, &t, leaf, index);
    assert(n == leaf->rank);
    if (leaf->type->is_tensor) {
      tl__lower_check_stored(l, leaf, v, loc);
    }
    v = tl_build_update(&l->b, tl__lower_slot_read(l, leaf), n, index, v);
    l->func->values.data[v].name = leaf->name;
  }
  tl__lower_slot_write(l, leaf, v);
}

/* The targets through which a valid program can reach memory, and what is to be done there. */
typedef struct tl_access tl_access;
struct tl_access {
  tl_pointer *p;
  uint32_t *numbers; /* of the targets, as the selector counts them */
  tl_loc loc;
  void (*act)(tl_lower *, const tl_access *, const tl_target *);
  tl_ctype *type;          /* of what is loaded or stored */
  tl_value v;              /* store */
  tl_pointer *pointer;     /* store of a pointer */
  const tl_pointer *other; /* copy: where from, or NULL for zeros */
  const tl_target *to;     /* copy from `p` */
};

/* No targets are left only in a loop's first tries, which are thrown away. */
static void reach(tl_lower *l, tl_access *a, const tl_pointer *p) {
  tl__lower_pointer_known(l, p, a->loc);
  a->numbers = TL_NEW_ARRAY(l->arena, uint32_t, p->count + 1);
  a->p = tl__lower_pointer_copy(l, p);
  a->p->count = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->targets[i].kind == TL_TARGET_OBJECT) {
      a->numbers[a->p->count] = i;
      a->p->targets[a->p->count++] = p->targets[i];
    }
  }
}

static tl_value is_target(tl_lower *l, const tl_access *a, uint32_t i) {
  return tl_build_binary(&l->b, TL_OP_eq, a->p->selector, tl_build_int(&l->b, TL_I32, a->numbers[i]));
}

/* Acts on the target, from the i-th on, that the pointer refers to. */
static void act_on(tl_lower *l, const tl_access *a, uint32_t i) {
  if (i + 1 >= a->p->count) {
    if (a->p->count) {
      a->act(l, a, &a->p->targets[i]);
    }
    return;
  }
  tl_branches br;
  tl__lower_if_begin(l, is_target(l, a, i), &br);
  a->act(l, a, &a->p->targets[i]);
  tl__lower_if_else(l, &br);
  act_on(l, a, i + 1);
  tl__lower_if_end(l, &br);
}

static void act(tl_lower *l, tl_access *a, const tl_pointer *p) {
  reach(l, a, p);
  act_on(l, a, 0);
}

static tl_value load_from(tl_lower *l, const tl_access *a, uint32_t i) {
  if (!a->p->count) {
    return tl_build_zero(&l->b, a->type->dtype);
  }
  if (i + 1 == a->p->count) {
    return target_load(l, a->p->targets[i], a->type, a->loc);
  }
  tl_branches br;
  tl__lower_if_begin(l, is_target(l, a, i), &br);
  tl_value yes = target_load(l, a->p->targets[i], a->type, a->loc);
  tl__lower_if_else(l, &br);
  return tl__lower_if_end_value(l, &br, yes, load_from(l, a, i + 1));
}

tl_value tl__lower_place_load(tl_lower *l, const tl_pointer *p, tl_ctype *type, tl_loc loc) {
  tl_access a = {.type = type, .loc = loc};
  reach(l, &a, p);
  return load_from(l, &a, 0);
}

static void store_at(tl_lower *l, const tl_access *a, const tl_target *t) {
  target_store(l, *t, a->type, a->v, a->loc);
}

void tl__lower_place_store(tl_lower *l, const tl_pointer *p, tl_ctype *type, tl_value v, tl_loc loc) {
  tl_access a = {.act = store_at, .type = type, .v = v, .loc = loc};
  act(l, &a, p);
}

/* ---- pointers in memory ---- */

/* Where in a local array of pointers: the flat element number, constant or not. */
static tl_value pointer_number(tl_lower *l, const tl_target *t, const tl_leaf *leaf) {
  tl_value index[TL_MAX_RANK], n = tl_build_int(&l->b, TL_I64, 0);
  uint32_t count = element_indices(l, t, leaf, index);
  for (uint32_t k = 0; k < count; k++) {
    n = tl__lower_int_op(l, TL_OP_mul, n, tl_build_int(&l->b, TL_I64, leaf->extents[k].fixed));
    n = tl__lower_int_op(l, TL_OP_add, n, tl__lower_int_cvt(l, TL_I64, index[k]));
  }
  return n;
}

static const tl_leaf *pointer_leaf(tl_lower *l, const tl_target *t, tl_loc loc) {
  const tl_leaf *leaf = &t->object->leaves[t->leaf];
  if (!leaf->is_pointer || t->leaf_count != 1) {
    tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "'%s' is read or written as a pointer",
                     t->object->name ? t->object->name : "an object");
  }
  return leaf;
}

static tl_pointer *element_pointer(tl_lower *l, const tl_target *t, const tl_leaf *leaf, int64_t number) {
  if (t->object->kind == TL_OBJECT_GLOBAL) {
    return tl__lower_global_pointer(l, t->object, leaf, number);
  }
  return tl__lower_slot_pointer(l, leaf->slot + (uint32_t)number);
}

static tl_pointer *target_load_pointer(tl_lower *l, tl_target t, tl_loc loc) {
  tl__lower_pointer_flatten(l, &t, 0);
  const tl_leaf *leaf = pointer_leaf(l, &t, loc);
  if ((t.object->kind == TL_OBJECT_MEMORY && leaf->rank) || (leaf->is_table && leaf->pointee)) {
    if (!leaf->pointee) {
      return tl__lower_pointer_unknown(l, "it lies in memory that only the caller knows");
    }
    tl_pointer *p = tl__lower_object_pointer(l, leaf->pointee);
    tl_target *to = &p->targets[0];
    tl_value index[TL_MAX_RANK];
    uint32_t n = element_indices(l, &t, leaf, index);
    memcpy(index + n, to->index, sizeof *index * to->index_count);
    to->index_count += n;
    memcpy(to->index, index, sizeof *index * to->index_count);
    return p;
  }
  if (t.object->kind == TL_OBJECT_GLOBAL && !t.object->is_constant) {
    return tl__lower_pointer_unknown(l, "it lies in an object of file scope that may change");
  }
  if (leaf->is_table) {
    tl_value index[TL_MAX_RANK];
    uint32_t n = element_indices(l, &t, leaf, index);
    return tl__lower_table_load(l, leaf, n, index);
  }
  tl_value number = pointer_number(l, &t, leaf);
  int64_t fixed, total = tl_extents_count(leaf->extents, (int)leaf->rank, INT64_MAX);
  if (tl_is_const_int(l->func, number, &fixed)) {
    return fixed >= 0 && fixed < total ? element_pointer(l, &t, leaf, fixed)
                                       : tl__lower_pointer_unknown(l, "it lies outside its array");
  }
  if (total > TL_POINTER_ARRAY_MAX || total < 1) {
    return tl__lower_pointer_unknown(l, "it is one of very many");
  }
  tl_pointer *p = element_pointer(l, &t, leaf, total - 1);
  for (int64_t i = total - 1; i-- > 0;) {
    tl_value is = tl_build_binary(&l->b, TL_OP_eq, number, tl_build_int(&l->b, TL_I64, i));
    p = tl__lower_pointer_select(l, is, element_pointer(l, &t, leaf, i), p);
  }
  return p;
}

static void target_store_pointer(tl_lower *l, tl_target t, tl_pointer *p, tl_loc loc) {
  tl__lower_pointer_flatten(l, &t, 0);
  const tl_leaf *leaf = pointer_leaf(l, &t, loc);
  if (t.object->kind == TL_OBJECT_GLOBAL || (t.object->kind == TL_OBJECT_MEMORY && leaf->rank)) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc,
                     "a pointer is stored where only the caller knows what else points there");
  }
  tl__lower_heap_name(l, p, leaf->name);
  if (!leaf->rank) {
    tl__lower_slot_write_pointer(l, leaf->slot, p);
    return;
  }
  if (leaf->is_table) {
    tl_value index[TL_MAX_RANK];
    uint32_t n = element_indices(l, &t, leaf, index);
    tl__lower_table_store(l, leaf, n, index, p, loc);
    return;
  }
  tl_value number = pointer_number(l, &t, leaf);
  int64_t fixed, total = tl_extents_count(leaf->extents, (int)leaf->rank, INT64_MAX);
  if (tl_is_const_int(l->func, number, &fixed)) {
    if (fixed >= 0 && fixed < total) {
      tl__lower_slot_write_pointer(l, leaf->slot + (uint32_t)fixed, p);
    }
    return;
  }
  static const tl_pointer none;
  for (int64_t i = 0; i < total; i++) {
    tl_value is = tl_build_binary(&l->b, TL_OP_eq, number, tl_build_int(&l->b, TL_I64, i));
    tl_pointer *old = l->env.slots[leaf->slot + (uint32_t)i].pointer;
    tl__lower_slot_write_pointer(l, leaf->slot + (uint32_t)i,
                                 tl__lower_pointer_select(l, is, p, old ? old : (tl_pointer *)&none));
  }
}

static tl_pointer *load_pointer_from(tl_lower *l, const tl_access *a, uint32_t i) {
  if (!a->p->count) {
    return tl__lower_pointer_open(l);
  }
  tl_pointer *p = target_load_pointer(l, a->p->targets[i], a->loc);
  return i + 1 == a->p->count ? p : tl__lower_pointer_select(l, is_target(l, a, i), p, load_pointer_from(l, a, i + 1));
}

tl_pointer *tl__lower_place_load_pointer(tl_lower *l, const tl_pointer *p, tl_loc loc) {
  tl_access a = {.loc = loc};
  reach(l, &a, p);
  return load_pointer_from(l, &a, 0);
}

static void store_pointer_at(tl_lower *l, const tl_access *a, const tl_target *t) {
  target_store_pointer(l, *t, a->pointer, a->loc);
}

void tl__lower_place_store_pointer(tl_lower *l, const tl_pointer *p, tl_pointer *v, tl_loc loc) {
  tl_access a = {.act = store_pointer_at, .pointer = v, .loc = loc};
  act(l, &a, p);
}

/* ---- whole objects ---- */

static tl_value known_extent(tl_lower *l, tl_extent e, tl_loc loc) {
  if (e.value == TL_NO_VALUE && e.fixed < 0) {
    tl__lower_refuse(l, TL_EXTENT_UNKNOWN, loc, "how many elements are copied here is not known");
  }
  return tl__lower_extent_i64(l, e);
}

/* Copies (or zeroes, without `from`) the elements over the axes that `to` has left, one loop per axis. */
static tl_value copy_axes(tl_lower *l, tl_value to, const tl_leaf *to_leaf, tl_value *to_index, uint32_t to_count,
                          tl_value from, tl_value *from_index, uint32_t from_count, tl_loc loc) {
  if (to_count == to_leaf->rank) {
    tl_value v = from != TL_NO_VALUE ? tl_build_index(&l->b, from, from_count, from_index)
                                     : tl_build_zero(&l->b, to_leaf->dtype);
    return tl_build_update(&l->b, to, to_count, to_index, v);
  }
  tl_value zero = tl_build_int(&l->b, TL_I64, 0), n = known_extent(l, to_leaf->extents[to_count], loc);
  tl_op *op = tl_build_loop(&l->b, zero, n, 1, "i", 1, &to);
  tl_build_loop_enter(&l->b, op, &to);
  to_index[to_count] = from_index[from_count] = l->b.region->params.data[0];
  to = copy_axes(l, to, to_leaf, to_index, to_count + 1, from, from_index, from_count + 1, loc);
  tl_build_loop_leave(&l->b, op, &to);
  return to;
}

static void copy_target(tl_lower *l, const tl_target *to, const tl_target *from, tl_loc loc) {
  if (to->object->kind == TL_OBJECT_GLOBAL) {
    tl__lower_refuse(l, TL_ACTIVE_GLOBAL, loc, "'%s', which outlives the call, is written to", to->object->name);
  }
  if (from && to->leaf_count != from->leaf_count) {
    tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "objects of different types are copied");
  }
  for (uint32_t i = 0; i < to->leaf_count; i++) {
    const tl_leaf *a = &to->object->leaves[to->leaf + i], *b = from ? &from->object->leaves[from->leaf + i] : NULL;
    tl_target to_leaf = *to, from_leaf = from ? *from : *to;
    to_leaf.leaf += i;
    from_leaf.leaf += i;
    to_leaf.leaf_count = from_leaf.leaf_count = 1;
    if (a->is_opaque || (b && b->is_opaque)) {
      tl__lower_refuse(l, a->type->kind == TL_CT_RECORD ? TL_ACTIVE_UNION : TL_UNSUPPORTED_CONSTRUCT, loc,
                       "a member of type '%s' is copied", a->type->spelling);
    }
    if (b && (a->is_pointer != b->is_pointer || (!a->is_pointer && a->dtype != b->dtype))) {
      tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "objects of different types are copied");
    }
    if (a->is_pointer) {
      uint32_t used = tl__target_used(to);
      if (a->rank == used) {
        to_leaf.elem = a->type;
        from_leaf.elem = a->type;
        tl_pointer *v = from ? target_load_pointer(l, from_leaf, loc) : tl__lower_pointer_null(l);
        target_store_pointer(l, to_leaf, v, loc);
      } else if (!used && to->object->kind != TL_OBJECT_MEMORY && (!from || from->object->kind != TL_OBJECT_MEMORY)) {
        uint32_t total = a->is_table ? 1 : slots_of(to->object, a);
        for (uint32_t k = 0; k < total; k++) {
          tl_pointer *v = from ? l->env.slots[b->slot + k].pointer : tl__lower_pointer_null(l);
          tl__lower_slot_write_pointer(l, a->slot + k, v);
        }
      } else {
        tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "an array of pointers is copied");
      }
      continue;
    }
    if (from && a->rank - tl__target_used(to) != b->rank - tl__target_used(from)) {
      tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "objects of different types are copied");
    }
    tl_value to_index[TL_MAX_RANK], from_index[TL_MAX_RANK];
    uint32_t m = element_indices(l, to, a, to_index), n = from ? element_indices(l, from, b, from_index) : m;
    tl_value v = TL_NO_VALUE;
    bool is_tensor = a->type->is_tensor;
    if (is_tensor && a->is_array && from) {
      tl__lower_check_copied(l, a, b, loc);
    }
    if (is_tensor && !from) { /* NULL */
      v = a->is_array ? l->env.slots[a->slot].value : TL_NO_VALUE;
    } else if (!a->is_array) {
      v = !from ? tl_build_zero(&l->b, a->dtype) : tl__lower_slot_read(l, b);
      if (from && b->is_array) {
        v = tl_build_index(&l->b, v, n, from_index);
      }
    } else if (m == 0 && n == 0 && a->rank > 0) {
      v = from ? tl_build_clone(&l->b, tl__lower_slot_read(l, b))
               : tl_build_fill(&l->b, tl__lower_slot_read(l, a), tl_build_zero(&l->b, a->dtype));
      l->func->values.data[v].name = a->name;
      tl_def(l->func, v)->is_ours = false;
    } else if (from && !b->is_array) {
      v = tl_build_update(&l->b, tl__lower_slot_read(l, a), m, to_index, tl__lower_slot_read(l, b));
    } else {
      v = copy_axes(l, tl__lower_slot_read(l, a), a, to_index, m, from ? tl__lower_slot_read(l, b) : TL_NO_VALUE,
                    from_index, n, loc);
    }
    tl__lower_slot_write(l, a, v);
  }
}

static void copy_from(tl_lower *l, const tl_access *a, const tl_target *from) { copy_target(l, a->to, from, a->loc); }

static void copy_to(tl_lower *l, const tl_access *a, const tl_target *to) {
  if (!a->other) {
    copy_target(l, to, NULL, a->loc);
    return;
  }
  tl_access from = {.act = copy_from, .to = to, .loc = a->loc};
  act(l, &from, a->other);
}

void tl__lower_place_copy(tl_lower *l, const tl_pointer *to, const tl_pointer *from, tl_loc loc) {
  tl_access a = {.act = copy_to, .other = from, .loc = loc};
  act(l, &a, to);
}

void tl__lower_place_zero(tl_lower *l, const tl_pointer *to, tl_loc loc) { tl__lower_place_copy(l, to, NULL, loc); }
