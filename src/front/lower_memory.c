#include <assert.h>
#include <string.h>

#include "front/lower_priv.h"

/* ---- heap memory ---- */

const tl_expr *tl__lower_strip_casts(const tl_expr *e) {
  while (e->kind == TL_EXPR_CAST) {
    e = e->a;
  }
  return e;
}

const tl_expr *tl__lower_callee(const tl_expr *call) {
  const tl_expr *f = call->a;
  while (f && (f->kind == TL_EXPR_DECAY || f->kind == TL_EXPR_CAST || f->kind == TL_EXPR_ADDRESS ||
               (f->kind == TL_EXPR_DEREF && f->a->type->kind == TL_CT_POINTER &&
                f->a->type->target->kind == TL_CT_FUNCTION))) {
    f = f->a;
  }
  return f;
}

static const char *direct_name(const tl_expr *call) {
  const tl_expr *f = call->kind == TL_EXPR_CALL ? tl__lower_callee(call) : NULL;
  if (!f || f->kind != TL_EXPR_FUNCTION || (f->function && f->function->body)) {
    return NULL;
  }
  const char *name = f->name ? f->name : f->function ? f->function->name : NULL;
  return name && !strncmp(name, "__builtin_", 10) ? name + 10 : name;
}

static bool is_size(const tl_expr *e, const tl_ctype *type, int64_t size) {
  int64_t v;
  if (e->kind == TL_EXPR_SIZEOF_VLA) {
    return size < 0 && tl__lower_array_depth(e->sized) == tl__lower_array_depth(type);
  }
  return tl_expr_constant(e, &v) && size > 0 && v == size;
}

/* The number of elements that a byte count stands for: `n * sizeof *p` gives n. NULL-like TL_NO_VALUE where no factor
 * is the element's size. */
static tl_value factor_count(tl_lower *l, const tl_expr *bytes, const tl_ctype *type, int64_t size) {
  const tl_expr *e = tl__lower_strip_casts(bytes);
  if (is_size(e, type, size)) {
    return tl_build_int(&l->b, TL_U64, 1);
  }
  if (e->kind == TL_EXPR_SIZEOF_VLA &&
      tl__lower_array_depth(e->sized) > tl__lower_array_depth(type)) { /* sizeof(double[n][m]) */
    const tl_ctype *t = e->sized;
    tl_value n = tl__lower_extent_value(l, t);
    for (t = t->target; tl__lower_array_depth(t) > tl__lower_array_depth(type); t = t->target) {
      n = tl__lower_int_op(l, TL_OP_mul, tl__lower_int_cvt(l, TL_I64, n),
                           tl__lower_int_cvt(l, TL_I64, tl__lower_extent_value(l, t)));
    }
    return n;
  }
  if (e->kind != TL_EXPR_BINARY || e->op != TL_BIN_MUL) {
    return TL_NO_VALUE;
  }
  for (int side = 1; side >= 0; side--) {
    const tl_expr *with = side ? e->b : e->a, *other = side ? e->a : e->b;
    tl_value n = factor_count(l, with, type, size);
    if (n != TL_NO_VALUE) {
      int64_t one;
      tl_dtype d = e->type->dtype;
      tl_value rest;
      if (tl_is_const_int(l->func, n, &one) && one == 1) {
        /* n * sizeof x: keep n's own type, which reads better */
        const tl_expr *plain = tl_expr_strip(other);
        bool keeps = plain->type->kind == TL_CT_SCALAR && tl_dtype_size(plain->type->dtype) >= 4;
        return tl__lower_expr(l, keeps ? plain : other);
      }
      rest = tl__lower_int_cvt(l, d, tl__lower_expr(l, other));
      return tl__lower_int_op(l, TL_OP_mul, tl__lower_int_cvt(l, d, n), rest);
    }
  }
  return TL_NO_VALUE;
}

static tl_value element_count(tl_lower *l, const tl_expr *bytes, const tl_ctype *type) {
  int64_t size = tl__lower_type_size(type), all;
  if (size > 0 && tl_expr_constant(bytes, &all) && all % size == 0) {
    return tl_build_int(&l->b, TL_I64, all / size);
  }
  tl_value n = factor_count(l, bytes, type, size);
  if (n != TL_NO_VALUE) {
    return n;
  }
  tl_value v = tl__lower_int_cvt(l, TL_U64, tl__lower_expr(l, bytes));
  return tl__lower_int_op(l, TL_OP_div, v, tl__lower_type_size_value(l, type, bytes->loc));
}

bool tl__lower_is_heap(const tl_expr *e) {
  const tl_expr *call = tl__lower_strip_casts(e);
  const char *name = direct_name(call);
  if (!name || (strcmp(name, "malloc") != 0 && strcmp(name, "calloc") != 0)) {
    return false;
  }
  for (uint32_t i = 0; i < call->args.count; i++) {
    if (!tl__lower_scan_pure(call->args.data[i])) {
      return false;
    }
  }
  return true;
}

/* Memory made in a branch may be used after it, so it is made ahead of the branch where its size is known there. */
static bool is_visible(const tl_func *f, tl_value v, const tl_region *from) {
  for (const tl_region *r = from; r; r = r->parent ? r->parent->parent : NULL) {
    if (tl_info(f, v)->region == r) {
      return true;
    }
  }
  return false;
}

static bool is_known_in(const tl_func *f, tl_value v, const tl_region *r) {
  const tl_op *op = tl_def(f, v);
  if (is_visible(f, v, r)) {
    return true;
  }
  if (!op || (!tl_op_table[op->code].elementwise && op->code != TL_OP_const) ||
      tl_dtype_is_float(tl_type_of(f, v).dtype) || op->code == TL_OP_div || op->code == TL_OP_rem) {
    return false;
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!is_known_in(f, op->operands[i], r)) {
      return false;
    }
  }
  return true;
}

static tl_value visible(tl_lower *l, const void *region, tl_value v) {
  return is_visible(l->func, v, region) ? v : TL_NO_VALUE;
}

static tl_region *outermost_branch(tl_lower *l, tl_value n, tl_op **out_anchor) {
  tl_region *home = l->b.region;
  for (tl_region *r = home; r->parent && r->parent->code == TL_OP_if; r = r->parent->parent) {
    if (is_known_in(l->func, n, r->parent->parent)) {
      home = r->parent->parent;
      *out_anchor = r->parent;
    }
  }
  return home;
}

static const char unnamed[] = "heap";

/* Memory is called after the first pointer that is set to it. */
void tl__lower_heap_name(tl_lower *l, const tl_pointer *p, const char *name) {
  for (uint32_t i = 0; i < p->count; i++) {
    tl_object *o = p->targets[i].kind == TL_TARGET_OBJECT ? p->targets[i].object : NULL;
    if (!o || o->name != unnamed || !name) {
      continue;
    }
    o->name = name;
    for (uint32_t k = 0; k < o->leaf_count; k++) {
      tl_leaf *leaf = &o->leaves[k];
      leaf->name = tl_arena_printf(l->func->arena, "%s%s", name, leaf->name + strlen(unnamed));
      if (o->first[k] != TL_NO_VALUE) {
        l->func->values.data[o->first[k]].name = leaf->name;
      }
    }
  }
}

tl_pointer *tl__lower_heap(tl_lower *l, const tl_expr *e, tl_ctype *pointee) {
  const tl_expr *call = tl__lower_strip_casts(e);
  const char *name = direct_name(call);
  pointee = pointee->kind == TL_CT_VOID && l->heap_pointee ? l->heap_pointee : pointee;
  if (!name || pointee->kind == TL_CT_VOID || pointee->kind == TL_CT_FUNCTION || pointee->kind == TL_CT_UNSUPPORTED) {
    return NULL;
  }
  bool zeroed = !strcmp(name, "calloc") && call->args.count == 2;
  bool is_stack = !strcmp(name, "alloca");
  tl_value n;
  if (zeroed) {
    const tl_expr *a = call->args.data[0], *b = call->args.data[1];
    int64_t size = tl__lower_type_size(pointee);
    if (is_size(tl__lower_strip_casts(b), pointee, size)) {
      n = tl__lower_expr(l, tl_expr_strip(a));
    } else if (is_size(tl__lower_strip_casts(a), pointee, size)) {
      n = tl__lower_expr(l, tl_expr_strip(b));
    } else {
      tl_value total = tl__lower_int_op(l, TL_OP_mul, tl__lower_int_cvt(l, TL_U64, tl__lower_expr(l, a)),
                                        tl__lower_int_cvt(l, TL_U64, tl__lower_expr(l, b)));
      n = tl__lower_int_op(l, TL_OP_div, total, tl__lower_type_size_value(l, pointee, call->loc));
    }
  } else if ((!strcmp(name, "malloc") || is_stack) && call->args.count == 1) {
    n = element_count(l, call->args.data[0], pointee);
  } else if (!strcmp(name, "aligned_alloc") && call->args.count == 2) {
    n = element_count(l, call->args.data[1], pointee);
  } else {
    return NULL;
  }
  l->b.loc = call->loc;
  tl_region *region = l->b.region;
  tl_op *anchor = NULL;
  tl_region *home = is_stack ? region : outermost_branch(l, n, &anchor);
  uint32_t mark = home->ops.count;
  l->b.region = home;
  n = tl__lower_again(l, l->func, n, visible, home);
  tl_extent extent = tl__lower_as_extent(l, n);
  tl_object *o = tl__lower_object_create(l, is_stack ? TL_OBJECT_LOCAL : TL_OBJECT_HEAP, unnamed, pointee, 1, &extent,
                                         true, "$[#]", call->loc);
  tl__lower_object_allocate(l, o, (zeroed ? TL_ALLOC_ZEROED : 0) | (is_stack ? TL_ALLOC_LOCAL : 0));
  l->b.region = region;
  if (anchor) { /* ahead of the branch */
    assert(home->ops.data[mark - 1] == anchor);
    memmove(home->ops.data + mark - 1, home->ops.data + mark, sizeof *home->ops.data * (home->ops.count - mark));
    home->ops.data[home->ops.count - 1] = anchor;
  }
  tl_value *first = TL_NEW_ARRAY(l->arena, tl_value, o->leaf_count + 1);
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    first[i] = l->env.slots[o->leaves[i].slot].value;
  }
  o->home = home;
  o->first = first;
  tl__lower_table_make(l, o);
  return tl__lower_object_pointer(l, o);
}

/* ---- memcpy and memset ---- */

static bool is_zero_byte(const tl_expr *e) {
  int64_t v;
  return tl_expr_constant(e, &v) && v == 0;
}

const tl_target *tl__lower_only_target(tl_lower *l, const tl_pointer *p, tl_loc loc) {
  tl__lower_pointer_known(l, p, loc);
  const tl_target *t = NULL;
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->targets[i].kind == TL_TARGET_OBJECT) {
      if (t) {
        tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc,
                         "memory is copied through a pointer that may refer to several objects");
      }
      t = &p->targets[i];
    }
  }
  return t;
}

/* to[i] = from[i] (or 0) for i < count, as a loop over a slot environment of one object, and of rows as loops in it.
 */
static void copy_level(tl_lower *l, const tl_pointer *to, const tl_pointer *from, tl_ctype *type, tl_value count,
                       uint32_t level, tl_loc loc) {
  const tl_target *t = tl__lower_only_target(l, to, loc);
  if (from) {
    tl__lower_pointer_known(l, from, loc);
  }
  if (!t) {
    return; /* a loop's first tries */
  }
  if (t->object->kind == TL_OBJECT_GLOBAL) {
    tl__lower_refuse(l, TL_ACTIVE_GLOBAL, loc, "'%s', which outlives the call, is written to", t->object->name);
  }
  TL_VEC(tl_value) carries = {0};
  for (uint32_t i = 0; i < t->leaf_count; i++) {
    const tl_leaf *leaf = &t->object->leaves[t->leaf + i];
    if (leaf->is_pointer || leaf->is_opaque) {
      tl__lower_refuse(l, leaf->is_pointer ? TL_POINTER_UNKNOWN : TL_UNSUPPORTED_CONSTRUCT, loc,
                       "memory that holds a value of type '%s' is copied", leaf->type->spelling);
    }
    TL_PUSH(l->arena, carries, tl__lower_slot_read(l, leaf));
  }
  tl_value zero = tl_build_int(&l->b, TL_I64, 0);
  static const char *const counters[] = {"i", "j", "k", "l", "m", "p", "q", "r"};
  const char *name = counters[level % (sizeof counters / sizeof *counters)];
  tl_op *op = tl_build_loop(&l->b, zero, tl__lower_int_cvt(l, TL_I64, count), 1, name, carries.count, carries.data);
  tl_env before = tl__lower_env_copy(l, &l->env);
  tl_build_loop_enter(&l->b, op, carries.data);
  for (uint32_t i = 0; i < t->leaf_count; i++) {
    tl__lower_slot_write(l, &t->object->leaves[t->leaf + i], carries.data[i]);
  }
  tl_value i = l->b.region->params.data[0];
  tl_pointer *a = tl__lower_pointer_step(l, to, type, i, false),
             *b = from ? tl__lower_pointer_step(l, from, type, i, false) : NULL;
  if (type->kind == TL_CT_ARRAY) {
    copy_level(l, tl__lower_place_decay(l, a, type), b ? tl__lower_place_decay(l, b, type) : NULL, type->target,
               tl__lower_extent_value(l, type), level + 1, loc);
  } else if (type->kind == TL_CT_SCALAR) {
    tl__lower_place_store(l, a, type, b ? tl__lower_place_load(l, b, type, loc) : tl_build_zero(&l->b, type->dtype),
                          loc);
  } else if (b) {
    tl__lower_place_copy(l, a, b, loc);
  } else {
    tl__lower_place_zero(l, a, loc);
  }
  for (uint32_t k = 0; k < t->leaf_count; k++) {
    carries.data[k] = tl__lower_slot_read(l, &t->object->leaves[t->leaf + k]);
  }
  l->env = before;
  tl_build_loop_leave(&l->b, op, carries.data);
  for (uint32_t k = 0; k < t->leaf_count; k++) {
    l->func->values.data[carries.data[k]].name = t->object->leaves[t->leaf + k].name;
    tl__lower_slot_write(l, &t->object->leaves[t->leaf + k], carries.data[k]);
  }
}

void tl__lower_copy_elements(tl_lower *l, const tl_pointer *to, const tl_pointer *from, tl_ctype *type, tl_value count,
                             tl_loc loc) {
  copy_level(l, to, from, type, count, 0, loc);
}

/* ---- rows ---- */

static bool same_number(const tl_lower *l, tl_value a, tl_value b) {
  int64_t x, y;
  a = tl__lower_without_cvt(l, a);
  b = tl__lower_without_cvt(l, b);
  return a == b || (tl_is_const_int(l->func, a, &x) && tl_is_const_int(l->func, b, &y) && x == y);
}

/* a / b where b is a factor of a, else TL_NO_VALUE. */
static tl_value divided(tl_lower *l, tl_value a, tl_value b) {
  int64_t x, y;
  if (tl_is_const_int(l->func, a, &x) && tl_is_const_int(l->func, b, &y) && y > 0 && x % y == 0) {
    return tl_build_int(&l->b, TL_I64, x / y);
  }
  if (same_number(l, a, b)) {
    return tl_build_int(&l->b, TL_I64, 1);
  }
  const tl_op *op = tl_def(l->func, tl__lower_without_cvt(l, a));
  for (int k = 1; op && op->code == TL_OP_mul && k >= 0; k--) {
    tl_value factor = op->operands[k], rest = op->operands[1 - k];
    if (same_number(l, factor, b)) {
      return rest;
    }
    tl_value part = divided(l, factor, b);
    if (part != TL_NO_VALUE) {
      return tl__lower_int_op(l, TL_OP_mul, tl__lower_int_cvt(l, TL_I64, rest), tl__lower_int_cvt(l, TL_I64, part));
    }
  }
  return TL_NO_VALUE;
}

/* How many of these rows so many elements are. */
static tl_value row_count(tl_lower *l, const tl_ctype *row, tl_value count) {
  for (; row->kind == TL_CT_ARRAY && count != TL_NO_VALUE; row = row->target) {
    count = divided(l, count, tl__lower_extent_value(l, row));
  }
  return count;
}

static bool same_rows(tl_lower *l, const tl_ctype *a, const tl_ctype *b) {
  for (; a->kind == TL_CT_ARRAY && b->kind == TL_CT_ARRAY; a = a->target, b = b->target) {
    if (!same_number(l, tl__lower_extent_value(l, a), tl__lower_extent_value(l, b))) {
      return false;
    }
  }
  return a->kind != TL_CT_ARRAY && b->kind != TL_CT_ARRAY;
}

/* Where both sides are arrays of the same rows, whole ones are copied. */
static bool copy_rows(tl_lower *l, const tl_expr *to, const tl_expr *from, const tl_pointer *a, const tl_pointer *b,
                      tl_value count, tl_loc loc) {
  tl_ctype *row = to->type->kind == TL_CT_POINTER ? to->type->target : NULL;
  const tl_ctype *theirs = from && from->type->kind == TL_CT_POINTER ? from->type->target : row;
  if (!row || row->kind != TL_CT_ARRAY || (from && !same_rows(l, row, theirs))) {
    return false;
  }
  tl_value rows = row_count(l, row, count);
  int64_t one;
  while (rows != TL_NO_VALUE && tl_is_const_int(l->func, rows, &one) && one == 1 && row->target->kind == TL_CT_ARRAY) {
    a = tl__lower_place_decay(l, a, row); /* of a pointer to the whole */
    b = b ? tl__lower_place_decay(l, b, row) : NULL;
    rows = tl__lower_extent_value(l, row);
    row = row->target;
  }
  if (rows == TL_NO_VALUE) {
    return false;
  }
  const tl_op *op = tl_def(l->func, rows);
  if (op && op->code == TL_OP_cvt && tl_type_of(l->func, rows).dtype == TL_U64 &&
      !tl_dtype_is_float(tl_type_of(l->func, op->operands[0]).dtype)) {
    rows = op->operands[0]; /* (size_t)n, which is counted in long */
  }
  tl__lower_copy_elements(l, a, b, row, rows, loc);
  return true;
}

/* Elements of what type a memcpy moves: that of the pointers before they became void *, an array's own elements. */
static tl_ctype *element_type(const tl_expr *a, const tl_expr *b) {
  tl_ctype *t = NULL;
  const tl_expr *sides[] = {a, b};
  for (int i = 0; i < 2 && !t; i++) {
    const tl_expr *p = sides[i] ? tl__lower_strip_casts(sides[i]) : NULL;
    if (p && p->type->kind == TL_CT_POINTER && p->type->target->kind != TL_CT_VOID) {
      t = p->type->target;
    }
  }
  while (t && t->kind == TL_CT_ARRAY) {
    t = t->target;
  }
  return t;
}

static bool may_share(const tl_target *t, const tl_pointer *p) {
  bool shares = false;
  for (uint32_t i = 0; t && i < p->count; i++) {
    shares = shares || (p->targets[i].kind == TL_TARGET_OBJECT && p->targets[i].object == t->object);
  }
  return shares;
}

bool tl__lower_memory_call(tl_lower *l, const tl_expr *call, const char *name) {
  bool set = !strcmp(name, "memset"), move = !strcmp(name, "memmove");
  if ((!set && !move && strcmp(name, "memcpy") != 0) || call->args.count != 3) {
    return false;
  }
  const tl_expr *to = tl__lower_strip_casts(call->args.data[0]),
                *from = set ? NULL : tl__lower_strip_casts(call->args.data[1]);
  tl_ctype *type = element_type(to, from);
  if (!type || (type->kind != TL_CT_SCALAR && type->kind != TL_CT_RECORD)) {
    return false;
  }
  if (set && !is_zero_byte(tl__lower_strip_casts(call->args.data[1]))) {
    if (type->kind == TL_CT_SCALAR && tl_dtype_size(type->dtype) == 1) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "memset with another byte than 0");
    }
    tl__lower_refuse(l, TL_ACTIVE_CAST, call->loc, "memset with another byte than 0");
  }
  tl_pointer *a = tl__lower_pointer(l, to), *b = from ? tl__lower_pointer(l, from) : NULL;
  tl_value count = element_count(l, call->args.data[2], type);
  int64_t n;
  if (type->kind == TL_CT_RECORD && tl_is_const_int(l->func, count, &n) && n == 1) {
    if (b) {
      tl__lower_place_copy(l, a, b, call->loc);
    } else {
      tl__lower_place_zero(l, a, call->loc);
    }
    return true;
  }
  if (move && may_share(tl__lower_only_target(l, a, call->loc), b)) {
    tl_extent extent = tl__lower_as_extent(l, count);
    tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, "moved", type, 1, &extent, true, "$[#]", call->loc);
    tl__lower_object_allocate(l, o, 0);
    tl_pointer *between = tl__lower_object_pointer(l, o);
    tl__lower_copy_elements(l, between, b, type, count, call->loc);
    tl__lower_copy_elements(l, a, between, type, count, call->loc);
    return true;
  }
  if (!copy_rows(l, to, from, a, b, count, call->loc)) {
    tl__lower_copy_elements(l, a, b, type, count, call->loc);
  }
  return true;
}
