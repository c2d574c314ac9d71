#include <assert.h>
#include <string.h>

#include "front/lower_priv.h"

/* ---- heap memory ---- */

static const tl_expr *strip_casts(const tl_expr *e) {
  while (e->kind == TL_EXPR_CAST) {
    e = e->a;
  }
  return e;
}

static const tl_expr *callee_of(const tl_expr *call) {
  const tl_expr *f = call->a;
  while (f && (f->kind == TL_EXPR_DECAY || f->kind == TL_EXPR_CAST || f->kind == TL_EXPR_ADDRESS ||
               (f->kind == TL_EXPR_DEREF && f->a->type->kind == TL_CT_POINTER &&
                f->a->type->target->kind == TL_CT_FUNCTION))) {
    f = f->a;
  }
  return f;
}

static const char *direct_name(const tl_expr *call) {
  const tl_expr *f = call->kind == TL_EXPR_CALL ? callee_of(call) : NULL;
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
  return tl__lower_scan_int(e, &v) && size > 0 && v == size;
}

/* The number of elements that a byte count stands for: `n * sizeof *p` gives n. NULL-like TL_NO_VALUE where no factor
 * is the element's size. */
static tl_value factor_count(tl_lower *l, const tl_expr *bytes, const tl_ctype *type, int64_t size) {
  const tl_expr *e = strip_casts(bytes);
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
        const tl_expr *plain = tl__lower_scan_strip(other);
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
  if (size > 0 && tl__lower_scan_int(bytes, &all) && all % size == 0) {
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
  const tl_expr *call = strip_casts(e);
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

/* v in a region that is_known_in said yes for; the builder stands there. */
static tl_value again_in(tl_lower *l, tl_value v, const tl_region *r) {
  const tl_op *op = tl_def(l->func, v);
  int64_t c;
  if (is_visible(l->func, v, r)) {
    return v;
  }
  if (tl_is_const_int(l->func, v, &c)) {
    return tl_build_int(&l->b, tl_type_of(l->func, v).dtype, c);
  }
  tl_value operands[3];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    operands[i] = again_in(l, op->operands[i], r);
  }
  return tl_build_elementwise(&l->b, op->code, tl_type_of(l->func, v).dtype, operands);
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

tl_pointer *tl__lower_heap(tl_lower *l, const tl_expr *e, tl_ctype *pointee) {
  const tl_expr *call = strip_casts(e);
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
    if (is_size(strip_casts(b), pointee, size)) {
      n = tl__lower_expr(l, tl__lower_scan_strip(a));
    } else if (is_size(strip_casts(a), pointee, size)) {
      n = tl__lower_expr(l, tl__lower_scan_strip(b));
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
  n = again_in(l, n, home);
  int64_t fixed;
  tl_extent extent = tl_is_const_int(l->func, n, &fixed) ? (tl_extent){.fixed = fixed} : (tl_extent){.value = n};
  tl_object *o = tl__lower_object_create(l, is_stack ? TL_OBJECT_LOCAL : TL_OBJECT_HEAP, "heap", pointee, 1, &extent,
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
  return tl__lower_scan_int(e, &v) && v == 0;
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

/* to[i] = from[i] (or 0) for i < count, as a loop over a slot environment of one object. */
void tl__lower_copy_elements(tl_lower *l, const tl_pointer *to, const tl_pointer *from, tl_ctype *type, tl_value count,
                             tl_loc loc) {
  const tl_target *t = tl__lower_only_target(l, to, loc);
  if (from) {
    tl__lower_only_target(l, from, loc);
  }
  if (t->object->kind == TL_OBJECT_GLOBAL) {
    tl__lower_refuse(l, TL_ACTIVE_GLOBAL, loc, "'%s', which outlives the call, is written to", t->object->name);
  }
  TL_VEC(tl_value) inits = {0};
  for (uint32_t i = 0; i < t->leaf_count; i++) {
    const tl_leaf *leaf = &t->object->leaves[t->leaf + i];
    if (leaf->is_pointer || leaf->is_opaque) {
      tl__lower_refuse(l, leaf->is_pointer ? TL_POINTER_UNKNOWN : TL_UNSUPPORTED_CONSTRUCT, loc,
                       "memory that holds a value of type '%s' is copied", leaf->type->spelling);
    }
    TL_PUSH(l->arena, inits, tl__lower_slot_read(l, leaf));
  }
  tl_value zero = tl_build_int(&l->b, TL_I64, 0);
  tl_op *op = tl_build_loop(&l->b, zero, tl__lower_int_cvt(l, TL_I64, count), 1, "i", inits.count, inits.data);
  tl_region *outer = l->b.region, *body = tl_loop_body(op);
  tl_env before = tl__lower_env_copy(l, &l->env);
  l->b.region = body;
  for (uint32_t i = 0; i < t->leaf_count; i++) {
    tl__lower_slot_write(l, &t->object->leaves[t->leaf + i], body->params.data[1 + i]);
  }
  tl_value i = body->params.data[0];
  tl_pointer *a = tl__lower_pointer_step(l, to, type, i, false, loc),
             *b = from ? tl__lower_pointer_step(l, from, type, i, false, loc) : NULL;
  if (type->kind == TL_CT_SCALAR) {
    tl__lower_place_store(l, a, type, b ? tl__lower_place_load(l, b, type, loc) : tl_build_zero(&l->b, type->dtype),
                          loc);
  } else if (b) {
    tl__lower_place_copy(l, a, b, loc);
  } else {
    tl__lower_place_zero(l, a, loc);
  }
  for (uint32_t k = 0; k < t->leaf_count; k++) {
    TL_PUSH(l->func->arena, body->yields, tl__lower_slot_read(l, &t->object->leaves[t->leaf + k]));
  }
  l->b.region = outer;
  l->env = before;
  tl_build_loop_results(&l->b, op);
  for (uint32_t k = 0; k < t->leaf_count; k++) {
    tl_value v = op->first_result + k;
    l->func->values.data[v].name = t->object->leaves[t->leaf + k].name;
    tl__lower_slot_write(l, &t->object->leaves[t->leaf + k], v);
  }
}

/* Elements of what type a memcpy moves: that of the pointers before they became void *, an array's own elements. */
static tl_ctype *element_type(const tl_expr *a, const tl_expr *b) {
  tl_ctype *t = NULL;
  const tl_expr *sides[] = {a, b};
  for (int i = 0; i < 2 && !t; i++) {
    const tl_expr *p = sides[i] ? strip_casts(sides[i]) : NULL;
    if (p && p->type->kind == TL_CT_POINTER && p->type->target->kind != TL_CT_VOID) {
      t = p->type->target;
    }
  }
  while (t && t->kind == TL_CT_ARRAY) {
    t = t->target;
  }
  return t;
}

static bool memory_call(tl_lower *l, const tl_expr *call, const char *name) {
  bool set = !strcmp(name, "memset"), move = !strcmp(name, "memmove");
  if ((!set && !move && strcmp(name, "memcpy") != 0) || call->args.count != 3) {
    return false;
  }
  const tl_expr *to = strip_casts(call->args.data[0]), *from = set ? NULL : strip_casts(call->args.data[1]);
  tl_ctype *type = element_type(to, from);
  if (!type || (type->kind != TL_CT_SCALAR && type->kind != TL_CT_RECORD)) {
    return false;
  }
  if (set && !is_zero_byte(strip_casts(call->args.data[1]))) {
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
  if (move && tl__lower_only_target(l, a, call->loc)->object == tl__lower_only_target(l, b, call->loc)->object) {
    tl_extent extent = {.value = count};
    if (tl_is_const_int(l->func, count, &n)) {
      extent = (tl_extent){.fixed = n};
    }
    tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, "moved", type, 1, &extent, true, "$[#]", call->loc);
    tl__lower_object_allocate(l, o, 0);
    tl_pointer *between = tl__lower_object_pointer(l, o);
    tl__lower_copy_elements(l, between, b, type, count, call->loc);
    tl__lower_copy_elements(l, a, between, type, count, call->loc);
    return true;
  }
  tl__lower_copy_elements(l, a, b, type, count, call->loc);
  return true;
}

/* ---- calls of C functions without a body ---- */

static bool holds_float(const tl_ctype *t, int depth) {
  if (t->kind == TL_CT_SCALAR) {
    return tl_dtype_is_float(t->dtype);
  }
  if (t->kind == TL_CT_POINTER || t->kind == TL_CT_ARRAY) {
    return depth < 6 && holds_float(t->target, depth + 1);
  }
  if (t->kind == TL_CT_RECORD) {
    for (uint32_t i = 0; depth < 6 && i < t->record->fields.count; i++) {
      if (holds_float(t->record->fields.data[i].type, depth + 1)) {
        return true;
      }
    }
  }
  return false;
}

static const char *doubled_percent(tl_lower *l, const char *s) {
  char *out = tl_arena_alloc(l->arena, 2 * strlen(s) + 1), *to = out;
  for (; *s; s++) {
    *to++ = *s;
    if (*s == '%') {
      *to++ = '%';
    }
  }
  return out;
}

/* The C text of a pointer argument. */
static const char *pointer_text(tl_lower *l, const tl_expr *arg, const char *callee) {
  tl_pointer *p = tl__lower_pointer(l, arg);
  if (p->count == 1 && p->targets[0].kind == TL_TARGET_TEXT) {
    return doubled_percent(l, p->targets[0].text);
  }
  if (p->count == 1 && p->targets[0].kind == TL_TARGET_NULL) {
    return "0";
  }
  const tl_expr *plain = strip_casts(arg);
  if (plain->kind == TL_EXPR_VAR && plain->decl && plain->decl->storage == TL_STORAGE_FILE &&
      plain->type->kind == TL_CT_POINTER) {
    return plain->decl->name; /* stderr */
  }
  if (p->count == 1 && p->targets[0].kind == TL_TARGET_OBJECT && p->targets[0].object->kind == TL_OBJECT_MEMORY &&
      !holds_float(p->targets[0].object->type, 0)) {
    const tl_target *t = &p->targets[0];
    int64_t at = 0;
    bool start = !t->index_count || (t->index_count == 1 && tl_is_const_int(l->func, t->index[0], &at) && at == 0);
    if (start && t->leaf_count == t->object->leaf_count &&
        l->func->cparams.data[t->object->cparam].name == t->object->name) {
      return t->object->name;
    }
  }
  tl__lower_refuse(l, TL_UNKNOWN_EXTERNAL, arg->loc, "'%s' has no body here, and a pointer is passed to it", callee);
}

static tl_value extern_call(tl_lower *l, const tl_expr *call, const char *name) {
  TL_VEC(tl_value) operands = {0};
  const char *format = "";
  for (uint32_t i = 0; i < call->args.count; i++) {
    const tl_expr *arg = call->args.data[i];
    const char *text;
    if (arg->type->kind == TL_CT_POINTER) {
      text = pointer_text(l, arg, name);
    } else if (arg->type->kind == TL_CT_SCALAR) {
      text = tl_arena_printf(l->arena, "%%%u", operands.count);
      TL_PUSH(l->arena, operands, tl__lower_expr(l, arg));
    } else {
      tl__lower_refuse(l, TL_UNKNOWN_EXTERNAL, arg->loc,
                       "'%s' has no body here, and a value of type '%s' is passed to it", name, arg->type->spelling);
    }
    format = tl_arena_printf(l->arena, "%s%s%s", format, i ? ", " : "", text);
  }
  l->b.loc = call->loc;
  tl_op *op = tl_op_create(&l->b, TL_OP_extern, operands.count, operands.data);
  op->callee = name;
  op->format = format;
  op->has_effect = true;
  if (call->type->kind == TL_CT_SCALAR) {
    return tl_op_add_result(l->func, op, tl_scalar(call->type->dtype), NULL);
  }
  if (call->type->kind == TL_CT_RECORD) {
    tl__lower_refuse(l, TL_UNKNOWN_EXTERNAL, call->loc, "'%s' has no body here, and returns a struct", name);
  }
  return TL_NO_VALUE;
}

static tl_value library_call(tl_lower *l, const tl_expr *call, const char *name) {
  tl_value v = TL_NO_VALUE;
  const char *plain = !strncmp(name, "__builtin_", 10) ? name + 10 : name;
  if (tl__lower_math(l, call, name, &v) || memory_call(l, call, plain)) {
    return v;
  }
  if (!strcmp(plain, "free")) {
    return TL_NO_VALUE;
  }
  if (!strcmp(plain, "unreachable") || !strcmp(plain, "trap") || !strcmp(plain, "abort")) {
    name = "abort";
  }
  if (!strcmp(plain, "setjmp") || !strcmp(plain, "_setjmp") || !strcmp(plain, "longjmp") ||
      !strcmp(plain, "sigsetjmp") || !strcmp(plain, "__sigsetjmp") || !strcmp(plain, "va_start") ||
      !strcmp(plain, "va_end")) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "%s is not differentiated", plain);
  }
  if (!strcmp(plain, "realloc")) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "realloc is not differentiated");
  }
  return extern_call(l, call, name);
}

/* ---- inlining ---- */

static tl_object *bind_argument(tl_lower *l, const tl_function *f, const tl_decl *d) {
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, d->name, d->type, 0, NULL, false, "$", d->loc);
  o->decl = d;
  o->escaped = tl__lower_scan_escapes(l, f, d);
  return o;
}

/* The callee's declarators state extents: fixed now, and learnt by the caller's parameters. */
static void state_extents(tl_lower *l, const tl_decl *d, const tl_pointer *p) {
  if (d->type->kind != TL_CT_POINTER) {
    return;
  }
  for (const tl_ctype *t = d->type->target; t->kind == TL_CT_ARRAY || t->kind == TL_CT_POINTER; t = t->target) {
    if (t->kind == TL_CT_ARRAY && t->extent == -1) {
      tl__lower_extent_value(l, t);
    }
  }
  bool wants = false;
  for (uint32_t i = 0; i < p->count; i++) {
    wants = wants || (p->targets[i].kind == TL_TARGET_OBJECT && p->targets[i].object->kind == TL_OBJECT_MEMORY);
  }
  if (!wants) {
    return;
  }
  if (d->len) {
    tl__lower_params_adopt(l, p, tl__lower_expr(l, d->len));
  } else if (d->type->was_array && (d->type->extent >= 0 || d->type->extent_expr)) {
    tl__lower_params_adopt(l, p, tl__lower_extent_value(l, d->type));
  }
}

static tl_value inline_call(tl_lower *l, const tl_expr *call, const tl_function *f, tl_pointer **out) {
  tl_ctype *result = f->type->target;
  if (f->variadic || call->args.count != f->params.count) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc,
                     f->variadic ? "the variadic function '%s' is not differentiated"
                                 : "'%s' is called with another number of arguments than it has parameters",
                     f->name);
  }
  uint32_t outer_scope = tl__lower_scope_enter(l);
  tl_object *r = NULL;
  if (result->kind != TL_CT_VOID) {
    r = tl__lower_object_create(l, TL_OBJECT_LOCAL, f->name, result, 0, NULL, false, "$", call->loc);
    tl__lower_object_allocate(l, r, TL_ALLOC_LOCAL);
  }
  uint32_t scope = tl__lower_scope_enter(l);
  tl_frame *frame = TL_NEW(l->arena, tl_frame);
  *frame = (tl_frame){.outer = l->frame, .function = f, .call = call->loc, .result = r};
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_decl *d = f->params.data[i];
    const tl_expr *arg = call->args.data[i];
    switch (d->type->kind) {
    case TL_CT_SCALAR: {
      tl_value v = tl__lower_convert(l, d->type->dtype, tl__lower_expr(l, arg));
      tl_object *o = bind_argument(l, f, d);
      tl__lower_slot_write(l, &o->leaves[0], v);
      TL_PUSH(l->arena, frame->names, (tl_named_object){d, o});
      break;
    }
    case TL_CT_POINTER: {
      tl_pointer *v = tl__lower_pointer(l, arg);
      tl_object *o = bind_argument(l, f, d);
      tl__lower_slot_write_pointer(l, o->leaves[0].slot, v);
      TL_PUSH(l->arena, frame->names, (tl_named_object){d, o});
      break;
    }
    case TL_CT_RECORD: {
      tl_pointer *v = tl__lower_record(l, arg);
      tl_object *o = bind_argument(l, f, d);
      tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL);
      tl__lower_place_copy(l, tl__lower_object_pointer(l, o), v, arg->loc);
      TL_PUSH(l->arena, frame->names, (tl_named_object){d, o});
      break;
    }
    case TL_CT_VOID:
    case TL_CT_ARRAY:
    case TL_CT_FUNCTION:
    case TL_CT_UNSUPPORTED:
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, arg->loc, "a value of type '%s' is not differentiated",
                       d->type->spelling);
    }
  }
  uint32_t code_mark = l->next_code, break_code = l->break_code, continue_code = l->continue_code;
  tl_ctype *heap_pointee = l->heap_pointee;
  bool returns_void_pointer = result->kind == TL_CT_POINTER && result->target->kind == TL_CT_VOID;
  l->heap_pointee = returns_void_pointer ? heap_pointee : NULL;
  l->frame = frame;
  frame->return_code = tl__lower_code_create(l, call->loc);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (f->params.data[i]->type->kind == TL_CT_POINTER) {
      state_extents(l, f->params.data[i], l->env.slots[frame->names.data[i].object->leaves[0].slot].pointer);
    }
  }
  tl__lower_block(l, f->body->body.data, f->body->body.count);
  tl__lower_exit_strip(l, frame->return_code);
  if (!l->env.exit.stays) {
    l->env.exit = (tl_exit){.stays = true}; /* it never returns */
  }
  tl__lower_scope_leave(l, scope);
  l->heap_pointee = heap_pointee;
  l->frame = frame->outer;
  l->next_code = code_mark;
  l->break_code = break_code;
  l->continue_code = continue_code;
  l->b.loc = call->loc;
  if (!r) {
    return TL_NO_VALUE;
  }
  if (result->kind == TL_CT_SCALAR) {
    tl_value v = tl__lower_slot_read(l, &r->leaves[0]);
    tl__lower_scope_leave(l, outer_scope);
    return v;
  }
  if (out) {
    *out =
        result->kind == TL_CT_POINTER ? tl__lower_slot_pointer(l, r->leaves[0].slot) : tl__lower_object_pointer(l, r);
  }
  return TL_NO_VALUE;
}

/* ---- which function ---- */

static bool is_active(const tl_lower *l, const tl_function *f) {
  for (const tl_frame *k = l->frame; k; k = k->outer) {
    if (k->function == f) {
      return true;
    }
  }
  return false;
}

static tl_value call_function(tl_lower *l, const tl_expr *call, const tl_function *f, tl_pointer **out) {
  if (f->custom_vjp || f->custom_jvp) {
    return tl__lower_call_outlined(l, call, f, out);
  }
  if (!f->body) {
    return library_call(l, call, f->name);
  }
  if (is_active(l, f) || tl__lower_scan_recursive(l, f)) {
    return tl__lower_call_outlined(l, call, f, out);
  }
  return inline_call(l, call, f, out);
}

/* Through a pointer: one of the functions that it may refer to. */
static tl_value call_pointer(tl_lower *l, const tl_expr *call, const tl_pointer *p, uint32_t i, tl_pointer **out) {
  const tl_target *t = &p->targets[i];
  if (t->kind != TL_TARGET_FUNCTION) {
    if (t->kind == TL_TARGET_NULL && p->count > i + 1) {
      return call_pointer(l, call, p, i + 1, out);
    }
    tl__lower_refuse(l, TL_FUNCTION_POINTER_UNKNOWN, call->loc,
                     "the function that is called here is not known at compile time");
  }
  bool last = i + 1 == p->count || (i + 2 == p->count && p->targets[i + 1].kind == TL_TARGET_NULL);
  if (last) {
    return call_function(l, call, t->function, out);
  }
  if (call->type->kind != TL_CT_SCALAR && call->type->kind != TL_CT_VOID) {
    tl__lower_refuse(l, TL_FUNCTION_POINTER_UNKNOWN, call->loc,
                     "one of several functions is called here, and returns no number");
  }
  tl_branches br;
  tl_value is = tl_build_binary(&l->b, TL_OP_eq, p->selector, tl_build_int(&l->b, TL_I32, i));
  tl__lower_if_begin(l, is, &br);
  tl_value yes = call_function(l, call, t->function, out);
  tl__lower_if_else(l, &br);
  tl_value no = call_pointer(l, call, p, i + 1, out);
  if (call->type->kind == TL_CT_VOID) {
    tl__lower_if_end(l, &br);
    return TL_NO_VALUE;
  }
  return tl__lower_if_end_value(l, &br, yes, no);
}

tl_value tl__lower_call(tl_lower *l, const tl_expr *call, tl_pointer **out) {
  if (call->kind == TL_EXPR_INTRINSIC) {
    return tl__lower_call_intrinsic(l, call, out);
  }
  const tl_expr *f = callee_of(call);
  if (f && f->kind == TL_EXPR_FUNCTION) {
    if (!f->function) {
      return library_call(l, call, f->name);
    }
    return call_function(l, call, f->function, out);
  }
  tl_pointer *p = tl__lower_pointer(l, call->a);
  if (!p->count) {
    tl__lower_refuse(l, TL_FUNCTION_POINTER_UNKNOWN, call->loc,
                     "the function that is called here is not known at compile time");
  }
  return call_pointer(l, call, p, 0, out);
}
