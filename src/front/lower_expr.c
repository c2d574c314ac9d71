#include <string.h>

#include "front/lower_priv.h"

tl_object *tl__lower_decl_object(tl_lower *l, const tl_decl *d, tl_loc loc) {
  for (tl_frame *f = l->frame; f; f = f->outer) {
    for (uint32_t i = f->names.count; i-- > 0;) {
      if (f->names.data[i].decl == d) {
        tl_object *o = f->names.data[i].object;
        if (o->kind == TL_OBJECT_GLOBAL) {
          return o;
        }
        uint32_t slot = o->leaves[0].slot;
        if (slot >= l->env.count || l->env.slots[slot].object != o) {
          break; /* made in a branch that has ended */
        }
        return o;
      }
    }
  }
  if (d->storage == TL_STORAGE_FILE || d->storage == TL_STORAGE_STATIC_LOCAL) {
    return tl__lower_global(l, d, loc);
  }
  tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, loc, "'%s' is used where its declaration was not passed", d->name);
}

/* As C converts; to _Bool is a comparison with zero. */
tl_value tl__lower_convert(tl_lower *l, tl_dtype to, tl_value v) {
  if (tl_type_of(l->func, v).is_tensor) {
    return v;
  }
  tl_dtype from = tl_type_of(l->func, v).dtype;
  if (from == to) {
    return v;
  }
  if (to == TL_BOOL) {
    int64_t c;
    if (tl_is_const_int(l->func, v, &c)) {
      return tl_build_int(&l->b, TL_BOOL, c != 0);
    }
    return tl_build_binary(&l->b, TL_OP_ne, v, tl_build_zero(&l->b, from));
  }
  int64_t c;
  if (tl_is_const_int(l->func, v, &c)) {
    if (!tl_dtype_is_float(to)) {
      return tl_build_int(&l->b, to, c);
    }
    return tl_build_float(&l->b, to, from == TL_U64 ? (long double)(uint64_t)c : (long double)c, NULL);
  }
  long double x;
  if (tl_dtype_is_float(to) && tl_is_const_float(l->func, v, &x)) {
    return tl_build_float(&l->b, to, x, NULL);
  }
  return tl_build_cvt(&l->b, to, v);
}

/* ---- arithmetic ---- */

tl_value tl__lower_without_cvt(const tl_lower *l, tl_value v) {
  for (const tl_op *o = tl_def(l->func, v); o && o->code == TL_OP_cvt; o = tl_def(l->func, v)) {
    v = o->operands[0];
  }
  return v;
}

static tl_opcode arithmetic_op(tl_binary op) {
  switch (op) {
  case TL_BIN_ADD:
    return TL_OP_add;
  case TL_BIN_SUB:
    return TL_OP_sub;
  case TL_BIN_MUL:
    return TL_OP_mul;
  case TL_BIN_DIV:
    return TL_OP_div;
  case TL_BIN_REM:
    return TL_OP_rem;
  case TL_BIN_SHL:
    return TL_OP_shl;
  case TL_BIN_SHR:
    return TL_OP_shr;
  case TL_BIN_AND:
    return TL_OP_and;
  case TL_BIN_OR:
    return TL_OP_or;
  case TL_BIN_XOR:
    return TL_OP_xor;
  case TL_BIN_EQ:
  case TL_BIN_NE:
  case TL_BIN_LT:
  case TL_BIN_LE:
  case TL_BIN_GT:
  case TL_BIN_GE:
    break;
  }
  return TL_OP_COUNT;
}

static tl_value binary(tl_lower *l, const tl_expr *e) {
  if (e->a->type->kind == TL_CT_POINTER) { /* a difference; sums are pointers */
    tl_pointer *a = tl__lower_pointer(l, e->a), *b = tl__lower_pointer(l, e->b);
    return tl__lower_pointer_difference(l, a, b, e->a->type->target, e->loc);
  }
  int64_t v;
  if (tl_expr_constant(e, &v)) {
    return tl_build_int(&l->b, e->type->dtype, v);
  }
  tl_value a = tl__lower_expr(l, e->a), b = tl__lower_expr(l, e->b);
  l->b.loc = e->loc;
  return tl_build_binary(&l->b, arithmetic_op(e->op), a, b);
}

static tl_value unary(tl_lower *l, const tl_expr *e) {
  int64_t v;
  if (tl_expr_constant(e, &v)) {
    return tl_build_int(&l->b, e->type->dtype, v);
  }
  tl_value a = tl__lower_expr(l, e->a);
  l->b.loc = e->loc;
  if (e->unary == '-') {
    long double x;
    if (tl_is_const_float(l->func, a, &x)) {
      const tl_op *op = tl_def(l->func, a);
      const char *spelling =
          op->spelling && op->spelling[0] != '-' ? tl_arena_printf(l->arena, "-%s", op->spelling) : NULL;
      return tl_build_float(&l->b, e->type->dtype, -x, spelling);
    }
    return tl_build_unary(&l->b, TL_OP_neg, a);
  }
  return e->unary == '~' ? tl_build_unary(&l->b, TL_OP_bitnot, a) : a;
}

static tl_value cast(tl_lower *l, const tl_expr *e) {
  int64_t c;
  if (tl_expr_constant(e, &c)) {
    return tl_build_int(&l->b, e->type->dtype, c);
  }
  if (e->a->type->kind == TL_CT_POINTER) {
    if (e->type->dtype == TL_BOOL) {
      return tl__lower_pointer_is_set(l, tl__lower_pointer(l, e->a));
    }
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, e->loc, "a pointer is converted to an integer");
  }
  if (e->type->dtype == TL_BOOL) {
    return tl__lower_condition(l, e->a);
  }
  tl_value v = tl__lower_expr(l, e->a);
  l->b.loc = e->loc;
  return tl__lower_convert(l, e->type->dtype, v);
}

/* ---- assignment ---- */

/* The value that a store leaves in a bit-field is what the expression is worth; elsewhere it is v itself. */
static tl_value store(tl_lower *l, const tl_expr *to, const tl_pointer *place, tl_value v) {
  v = tl__lower_convert(l, to->type->dtype, v);
  tl__lower_place_store(l, place, to->type, v, to->loc);
  bool bits =
      (to->kind == TL_EXPR_MEMBER || to->kind == TL_EXPR_ARROW) && to->record->fields.data[to->field].is_bitfield;
  return bits ? tl__lower_place_load(l, place, to->type, to->loc) : v;
}

/* errno, as the C library's headers spell it. */
static bool is_errno(const tl_expr *e) {
  const tl_expr *f = e->kind == TL_EXPR_DEREF && e->a->kind == TL_EXPR_CALL ? tl__lower_callee(e->a) : NULL;
  return f && f->kind == TL_EXPR_FUNCTION && f->name && !strcmp(f->name, "__errno_location");
}

/* What the library leaves behind for the next to ask. */
_Noreturn void tl__lower_refuse_left_behind(tl_lower *l, const char *what, tl_loc loc) {
  tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, loc,
                   "%s is read: a derivative does not call the library as the function does, so it may differ", what);
}

static tl_value assign(tl_lower *l, const tl_expr *e) {
  tl_value v = tl__lower_expr(l, e->b);
  l->b.loc = e->loc;
  if (is_errno(e->a)) {
    tl_op *op = tl_op_create(&l->b, TL_OP_extern, 1, &v);
    op->callee = "errno = ";
    op->format = "%0";
    op->has_effect = true;
    return v;
  }
  tl_pointer *place = tl__lower_lvalue(l, e->a);
  l->b.loc = e->loc;
  return store(l, e->a, place, v);
}

static tl_value compound_assign(tl_lower *l, const tl_expr *e) {
  bool shift = e->op == TL_BIN_SHL || e->op == TL_BIN_SHR;
  tl_value v = tl__lower_expr(l, e->b);
  v = shift ? v : tl__lower_convert(l, e->compute_type->dtype, v);
  l->b.loc = e->loc;
  tl_pointer *place = tl__lower_lvalue(l, e->a);
  tl_value old = tl__lower_convert(l, e->compute_type->dtype, tl__lower_place_load(l, place, e->a->type, e->a->loc));
  l->b.loc = e->loc;
  return store(l, e->a, place, tl_build_binary(&l->b, arithmetic_op(e->op), old, v));
}

static bool is_increment(tl_expr_kind k) { return k == TL_EXPR_PRE_INC || k == TL_EXPR_POST_INC; }

static bool is_post(tl_expr_kind k) { return k == TL_EXPR_POST_INC || k == TL_EXPR_POST_DEC; }

static tl_value increment(tl_lower *l, const tl_expr *e) {
  tl_pointer *place = tl__lower_lvalue(l, e->a);
  tl_dtype stored = e->a->type->dtype;
  tl_dtype d = !tl_dtype_is_float(stored) && tl_dtype_size(stored) < 4 ? TL_I32 : stored;
  tl_value old = tl__lower_place_load(l, place, e->a->type, e->a->loc);
  l->b.loc = e->loc;
  tl_value one = tl_dtype_is_float(d) ? tl_build_float(&l->b, d, 1, NULL) : tl_build_int(&l->b, d, 1);
  tl_value wide = tl__lower_convert(l, d, old);
  tl_opcode op = is_increment(e->kind) ? TL_OP_add : TL_OP_sub;
  tl_value next = tl_dtype_is_float(d) ? tl_build_binary(&l->b, op, wide, one) : tl__lower_int_op(l, op, wide, one);
  tl_value now = store(l, e->a, place, next);
  return is_post(e->kind) ? old : now;
}

/* ---- c ? a : b ---- */

static tl_value conditional(tl_lower *l, const tl_expr *e) {
  if (!e->b) { /* GNU a ?: c */
    tl_value a = tl__lower_expr(l, e->a);
    tl_value c = tl__lower_truth(l, a);
    a = tl__lower_convert(l, e->type->dtype, a);
    tl_branches br;
    tl__lower_if_begin(l, c, &br);
    tl__lower_if_else(l, &br);
    return tl__lower_if_end_value(l, &br, a, tl__lower_expr(l, e->c));
  }
  tl_value c = tl__lower_condition(l, e->a);
  int64_t known;
  if (tl_is_const_int(l->func, c, &known)) {
    return tl__lower_expr(l, known ? e->b : e->c);
  }
  if (tl__lower_scan_cheap(l, e->b) && tl__lower_scan_cheap(l, e->c)) {
    tl_value a = tl__lower_expr(l, e->b), b = tl__lower_expr(l, e->c);
    l->b.loc = e->loc;
    return tl_build_select(&l->b, c, a, b);
  }
  tl_branches br;
  l->b.loc = e->loc;
  tl__lower_if_begin(l, c, &br);
  tl_value a = tl__lower_expr(l, e->b);
  tl__lower_if_else(l, &br);
  return tl__lower_if_end_value(l, &br, a, tl__lower_expr(l, e->c));
}

static tl_pointer *conditional_pointer(tl_lower *l, const tl_expr *e,
                                       tl_pointer *(*part)(tl_lower *, const tl_expr *)) {
  const tl_expr *yes = e->b ? e->b : e->a;
  tl_value c = tl__lower_condition(l, e->a);
  int64_t known;
  if (tl_is_const_int(l->func, c, &known)) {
    return part(l, known ? yes : e->c);
  }
  if (e->type->kind == TL_CT_POINTER) {
    /* memory that only one side wants is made for both: it costs nothing where it is not used */
    bool heap_yes = tl__lower_is_heap(yes), heap_no = tl__lower_is_heap(e->c);
    if ((heap_yes || tl__lower_scan_pure(yes)) && (heap_no || tl__lower_scan_pure(e->c))) {
      tl_pointer *a = heap_yes ? tl__lower_heap(l, yes, e->type->target) : NULL;
      a = a ? a : part(l, yes);
      tl_pointer *b = heap_no ? tl__lower_heap(l, e->c, e->type->target) : NULL;
      b = b ? b : part(l, e->c);
      return tl__lower_pointer_select(l, c, a, b);
    }
  }
  tl_branches br;
  tl__lower_if_begin(l, c, &br);
  tl_pointer *a = part(l, yes);
  tl__lower_if_else(l, &br);
  return tl__lower_if_end_pointer(l, &br, a, part(l, e->c));
}

static void unsupported(tl_lower *l, const tl_expr *e) {
  tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, e->loc, "%s is not differentiated",
                   e->text ? e->text : "this expression");
}

static void stmt_expr_prefix(tl_lower *l, const tl_expr *e, const tl_expr **out_last) {
  const tl_stmt *s = e->body;
  uint32_t n = s->body.count;
  const tl_stmt *last = n ? s->body.data[n - 1] : NULL;
  *out_last = last && last->kind == TL_STMT_EXPR ? last->expr : NULL;
  tl__lower_block_open(l, s->body.data, *out_last ? n - 1 : n);
  if (tl__lower_exit_pending(&l->env.exit)) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, e->loc, "a statement expression that is left by a jump");
  }
}

/* ---- scalars ---- */

static tl_value scalar_stmt_expr(tl_lower *l, const tl_expr *e) {
  uint32_t mark = tl__lower_scope_enter(l);
  const tl_expr *last;
  stmt_expr_prefix(l, e, &last);
  tl_value v = last ? tl__lower_expr(l, last) : tl_build_zero(&l->b, e->type->dtype);
  tl__lower_scope_leave(l, mark);
  return v;
}

static tl_value literal(tl_lower *l, const tl_expr *e) {
  return tl_build_float(&l->b, e->type->dtype, e->floating, e->spelling);
}

static tl_value expr(tl_lower *l, const tl_expr *e) {
  switch (e->kind) {
  case TL_EXPR_INT:
    return tl_build_int(&l->b, e->type->dtype, e->integer);
  case TL_EXPR_FLOAT:
    return literal(l, e);
  case TL_EXPR_VAR:
  case TL_EXPR_INDEX:
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
  case TL_EXPR_DEREF:
  case TL_EXPR_COMPOUND_LITERAL: {
    tl_value extent;
    if (e->kind == TL_EXPR_INDEX && tl__lower_tensor_extent(l, e, &extent)) {
      return extent;
    }
    tl_pointer *place = tl__lower_lvalue(l, e);
    l->b.loc = e->loc;
    return tl__lower_place_load(l, place, e->type, e->loc);
  }
  case TL_EXPR_UNARY:
    if (e->unary == '!') {
      return tl__lower_convert(l, e->type->dtype, tl__lower_condition(l, e));
    }
    return unary(l, e);
  case TL_EXPR_BINARY:
    if (tl__lower_comparison(e->op) != TL_OP_COUNT) {
      return tl__lower_convert(l, e->type->dtype, tl__lower_condition(l, e));
    }
    return binary(l, e);
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
    return tl__lower_convert(l, e->type->dtype, tl__lower_condition(l, e));
  case TL_EXPR_CONDITIONAL:
    return conditional(l, e);
  case TL_EXPR_COMMA:
    tl__lower_effect(l, e->a);
    return tl__lower_expr(l, e->b);
  case TL_EXPR_ASSIGN:
    return assign(l, e);
  case TL_EXPR_COMPOUND_ASSIGN:
    return compound_assign(l, e);
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
    return increment(l, e);
  case TL_EXPR_CAST:
    return cast(l, e);
  case TL_EXPR_CALL:
  case TL_EXPR_INTRINSIC:
    return tl__lower_call(l, e, NULL);
  case TL_EXPR_INIT_LIST: /* of a scalar */
    return e->args.count && e->args.data[0] ? tl__lower_convert(l, e->type->dtype, tl__lower_expr(l, e->args.data[0]))
                                            : tl_build_zero(&l->b, e->type->dtype);
  case TL_EXPR_SIZEOF_VLA:
    return tl__lower_int_cvt(l, e->type->dtype, tl__lower_type_size_value(l, e->sized, e->loc));
  case TL_EXPR_STMT:
    return scalar_stmt_expr(l, e);
  case TL_EXPR_STRING:
  case TL_EXPR_FUNCTION:
  case TL_EXPR_DECAY:
  case TL_EXPR_ADDRESS:
  case TL_EXPR_UNSUPPORTED:
    break;
  }
  unsupported(l, e);
  return TL_NO_VALUE;
}

tl_value tl__lower_expr(tl_lower *l, const tl_expr *e) {
  tl_loc before = l->b.loc;
  l->b.loc = e->loc;
  if (e->type->kind != TL_CT_SCALAR) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, e->loc, "a value of type '%s' is not differentiated",
                     e->type->spelling ? e->type->spelling : "?");
  }
  tl_value v = expr(l, e);
  l->b.loc = before;
  return v;
}

/* ---- pointers ---- */

static tl_pointer *assign_pointer(tl_lower *l, const tl_expr *e) {
  tl_pointer *v = tl__lower_pointer_as(l, e->b, e->a->type->target);
  tl_pointer *place = tl__lower_lvalue(l, e->a);
  if (tl__lower_strip_casts(e->b)->kind == TL_EXPR_CALL && tl__lower_table_take(l, place, v, e->a->loc)) {
    return tl__lower_place_load_pointer(l, place, e->a->loc);
  }
  tl__lower_place_store_pointer(l, place, v, e->a->loc);
  return v;
}

static tl_pointer *step_pointer(tl_lower *l, const tl_expr *e) {
  tl_pointer *place = tl__lower_lvalue(l, e->a);
  tl_pointer *old = tl__lower_place_load_pointer(l, place, e->loc);
  tl_value count;
  bool negative;
  if (e->kind == TL_EXPR_COMPOUND_ASSIGN) {
    count = tl__lower_expr(l, e->b);
    negative = e->op == TL_BIN_SUB;
  } else {
    count = tl_build_int(&l->b, TL_I64, 1);
    negative = !is_increment(e->kind);
  }
  tl_pointer *now = tl__lower_pointer_step(l, old, e->a->type->target, count, negative);
  tl__lower_place_store_pointer(l, place, now, e->loc);
  return is_post(e->kind) ? old : now;
}

/* A pointer to the first element of an array that is itself the first of an array, &a[0][0] or a[0], may run over all
 * of that. */
static tl_pointer *run_over(tl_lower *l, tl_pointer *p, bool by_row) {
  for (uint32_t i = 0; i < p->count; i++) {
    tl_target *t = &p->targets[i];
    int64_t at;
    bool zeros = t->kind == TL_TARGET_OBJECT && t->run > 1 && t->linear <= 1 && !t->virtual_axis;
    for (uint32_t k = zeros ? t->index_count - 2 : t->index_count; k < t->index_count; k++) {
      zeros = zeros && tl_is_const_int(l->func, t->index[k], &at) && at == 0;
    }
    if (zeros) {
      t->linear = t->run;
      t->by_row = by_row;
    }
  }
  return p;
}

static tl_pointer *address(tl_lower *l, const tl_expr *e) {
  if (e->a->kind == TL_EXPR_FUNCTION) {
    return tl__lower_pointer(l, e->a);
  }
  tl_pointer *p = tl__lower_lvalue(l, e->a);
  return e->a->kind == TL_EXPR_INDEX ? run_over(l, p, false) : p;
}

static tl_pointer *function_pointer(tl_lower *l, const tl_expr *e) {
  if (!e->function) {
    return tl__lower_pointer_unknown(l, "the function is not declared");
  }
  return tl__lower_pointer_single(l, &(tl_target){.kind = TL_TARGET_FUNCTION, .function = e->function});
}

static tl_pointer *cast_pointer(tl_lower *l, const tl_expr *e) {
  int64_t v;
  if (e->a->type->kind == TL_CT_POINTER) {
    tl_pointer *p = tl__lower_pointer_copy(l, tl__lower_pointer_as(l, e->a, e->type->target));
    if (e->type->target->kind != TL_CT_VOID) { /* (double *)a, where a is an array of arrays */
      for (uint32_t i = 0; i < p->count; i++) {
        if (p->targets[i].kind == TL_TARGET_OBJECT) {
          tl__lower_pointer_flatten(l, &p->targets[i], tl__lower_array_depth(e->type->target));
        }
      }
    }
    return p;
  }
  if (tl_expr_constant(e->a, &v) && v == 0) {
    return tl__lower_pointer_null(l);
  }
  tl__lower_refuse(l, TL_POINTER_UNKNOWN, e->loc, "an integer is converted to a pointer");
}

tl_pointer *tl__lower_pointer_as(tl_lower *l, const tl_expr *e, tl_ctype *pointee) {
  tl_pointer *heap = tl__lower_heap(l, e, pointee);
  if (heap) {
    return heap;
  }
  tl_ctype *before = l->heap_pointee;
  const tl_expr *from = tl_expr_strip(e);
  bool opaque = from->type->kind == TL_CT_POINTER && from->type->target->kind == TL_CT_VOID;
  l->heap_pointee = pointee->kind == TL_CT_VOID ? before : opaque ? pointee : NULL;
  tl_pointer *p = tl__lower_pointer(l, e);
  l->heap_pointee = before;
  return p;
}

static tl_pointer *pointer(tl_lower *l, const tl_expr *e) {
  switch (e->kind) {
  case TL_EXPR_VAR:
  case TL_EXPR_INDEX:
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
  case TL_EXPR_DEREF:
  case TL_EXPR_COMPOUND_LITERAL:
    return tl__lower_place_load_pointer(l, tl__lower_lvalue(l, e), e->loc);
  case TL_EXPR_FUNCTION:
    return function_pointer(l, e);
  case TL_EXPR_STRING:
    return tl__lower_lvalue(l, e);
  case TL_EXPR_INT:
    return tl__lower_pointer_null(l);
  case TL_EXPR_BINARY: {
    bool swapped = e->b->type->kind == TL_CT_POINTER;
    tl_pointer *p = tl__lower_pointer(l, swapped ? e->b : e->a);
    tl_value n = tl__lower_expr(l, swapped ? e->a : e->b);
    l->b.loc = e->loc;
    return tl__lower_pointer_step(l, p, e->type->target, n, e->op == TL_BIN_SUB);
  }
  case TL_EXPR_CONDITIONAL:
    return conditional_pointer(l, e, tl__lower_pointer);
  case TL_EXPR_COMMA:
    tl__lower_effect(l, e->a);
    return tl__lower_pointer(l, e->b);
  case TL_EXPR_ASSIGN:
    return assign_pointer(l, e);
  case TL_EXPR_COMPOUND_ASSIGN:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
    return step_pointer(l, e);
  case TL_EXPR_CAST:
    return cast_pointer(l, e);
  case TL_EXPR_DECAY:
    if (e->a->kind == TL_EXPR_FUNCTION) {
      return function_pointer(l, e->a);
    }
    if (e->a->type->kind == TL_CT_FUNCTION) {
      return tl__lower_pointer(l, e->a);
    }
    return tl__lower_place_decay(l, tl__lower_lvalue(l, e->a), e->a->type);
  case TL_EXPR_ADDRESS:
    return address(l, e);
  case TL_EXPR_CALL:
  case TL_EXPR_INTRINSIC: {
    tl_pointer *heap = tl__lower_heap(l, e, e->type->target), *p = NULL;
    if (heap) {
      return heap;
    }
    tl__lower_call(l, e, &p);
    return p ? p : tl__lower_pointer_unknown(l, "a function without a body returned it");
  }
  case TL_EXPR_INIT_LIST:
    return e->args.count && e->args.data[0] ? tl__lower_pointer(l, e->args.data[0]) : tl__lower_pointer_null(l);
  case TL_EXPR_STMT: {
    const tl_expr *last;
    stmt_expr_prefix(l, e, &last);
    return last ? tl__lower_pointer(l, last) : tl__lower_pointer_null(l);
  }
  case TL_EXPR_FLOAT:
  case TL_EXPR_UNARY:
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
  case TL_EXPR_SIZEOF_VLA:
  case TL_EXPR_UNSUPPORTED:
    break;
  }
  unsupported(l, e);
  return NULL;
}

static tl_pointer *pointer_at(tl_lower *l, const tl_expr *e) {
  tl_loc before = l->b.loc;
  l->b.loc = e->loc;
  tl_pointer *p = pointer(l, e);
  l->b.loc = before;
  return p;
}

tl_pointer *tl__lower_pointer(tl_lower *l, const tl_expr *e) {
  tl_pointer *p = pointer_at(l, e);
  bool is_row = e->kind == TL_EXPR_DECAY && (e->a->kind == TL_EXPR_INDEX || e->a->kind == TL_EXPR_DEREF);
  return is_row ? run_over(l, p, true) : p;
}

/* ---- places ---- */

static tl_pointer *compound_literal(tl_lower *l, const tl_expr *e) {
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, "literal", e->type, 0, NULL, false, "$", e->loc);
  tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL | TL_ALLOC_ZEROED);
  tl_pointer *p = tl__lower_object_pointer(l, o);
  tl__lower_init(l, p, e->type, e->a, true);
  return p;
}

/* The pointer's value, to be followed. What a void * parameter points to has the type that it is first followed as. */
static tl_pointer *followed(tl_lower *l, const tl_expr *e, tl_loc loc) {
  tl_pointer *p = pointer_at(l, e);
  for (uint32_t i = 0; i < p->count; i++) {
    const tl_target *t = &p->targets[i];
    if (t->kind == TL_TARGET_TEXT && t->opaque_param && e->type->kind == TL_CT_POINTER) {
      tl__lower_params_cast(l, t->opaque_param - 1, e->type->target, loc);
    }
  }
  if (e->type->kind != TL_CT_POINTER || e->type->target->kind != TL_CT_FUNCTION) {
    tl__lower_pointer_known(l, p, loc);
  }
  return p;
}

/* The sign that lgamma leaves, as math.h declares it; a file may have a `signgam` of its own. */
static bool is_signgam(const tl_decl *d) {
  return d->storage == TL_STORAGE_FILE && !d->is_static && !d->init && d->type->kind == TL_CT_SCALAR && d->name &&
         !strcmp(d->name, "signgam");
}

tl_pointer *tl__lower_lvalue(tl_lower *l, const tl_expr *e) {
  switch (e->kind) {
  case TL_EXPR_VAR:
    if (!e->decl) { /* in a TL_LEN: a sibling member */
      for (uint32_t i = 0; l->len_record && e->name && i < l->len_record->fields.count; i++) {
        const char *name = l->len_record->fields.data[i].name;
        if (name && !strcmp(name, e->name)) {
          return tl__lower_place_member(l, l->len_place, l->len_record, i, e->loc);
        }
      }
      unsupported(l, e);
    }
    if (is_signgam(e->decl)) {
      tl__lower_refuse_left_behind(l, "signgam", e->loc);
    }
    return tl__lower_object_pointer(l, tl__lower_decl_object(l, e->decl, e->loc));
  case TL_EXPR_DEREF:
    if (is_errno(e)) {
      tl__lower_refuse_left_behind(l, "errno", e->loc);
    }
    return followed(l, e->a, e->loc);
  case TL_EXPR_INDEX: {
    bool swapped = e->b->type->kind == TL_CT_POINTER;
    tl_pointer *p = followed(l, swapped ? e->b : e->a, e->loc);
    tl_value n = tl__lower_expr(l, swapped ? e->a : e->b);
    l->b.loc = e->loc;
    p = tl__lower_pointer_step(l, p, e->type, n, false);
    tl__lower_pointer_known(l, p, e->loc);
    return p;
  }
  case TL_EXPR_MEMBER:
    return tl__lower_place_member(l, tl__lower_record(l, e->a), e->record, e->field, e->loc);
  case TL_EXPR_ARROW:
    return tl__lower_place_member(l, followed(l, e->a, e->loc), e->record, e->field, e->loc);
  case TL_EXPR_COMPOUND_LITERAL:
    return compound_literal(l, e);
  case TL_EXPR_COMMA:
    tl__lower_effect(l, e->a);
    return tl__lower_lvalue(l, e->b);
  case TL_EXPR_CAST:
    if (e->type->kind == e->a->type->kind) {
      return tl__lower_lvalue(l, e->a);
    }
    break;
  case TL_EXPR_ASSIGN:
  case TL_EXPR_CONDITIONAL:
  case TL_EXPR_CALL:
  case TL_EXPR_STMT:
  case TL_EXPR_INTRINSIC:
    if (e->type->kind == TL_CT_RECORD) {
      return tl__lower_record(l, e);
    }
    break;
  case TL_EXPR_STRING: {
    tl_object *o = tl__lower_literal(l, e);
    return o ? tl__lower_object_pointer(l, o) : tl__lower_pointer_text(l, e->spelling);
  }
  case TL_EXPR_FUNCTION:
    return function_pointer(l, e);
  case TL_EXPR_INT:
  case TL_EXPR_FLOAT:
  case TL_EXPR_UNARY:
  case TL_EXPR_BINARY:
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
  case TL_EXPR_COMPOUND_ASSIGN:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
  case TL_EXPR_DECAY:
  case TL_EXPR_ADDRESS:
  case TL_EXPR_INIT_LIST:
  case TL_EXPR_SIZEOF_VLA:
  case TL_EXPR_UNSUPPORTED:
    break;
  }
  unsupported(l, e);
  return NULL;
}

/* An object that is there whichever branch runs; what calls return and literals are made in their branch. */
static bool is_there(const tl_expr *e) {
  while (e->kind == TL_EXPR_MEMBER) {
    e = e->a;
  }
  return e->kind == TL_EXPR_VAR || (e->kind == TL_EXPR_CONDITIONAL && (!e->b || is_there(e->b)) && is_there(e->c)) ||
         ((e->kind == TL_EXPR_DEREF || e->kind == TL_EXPR_INDEX || e->kind == TL_EXPR_ARROW) && tl__lower_scan_pure(e));
}

static tl_pointer *conditional_record(tl_lower *l, const tl_expr *e) {
  if (is_there(e)) {
    return conditional_pointer(l, e, tl__lower_record);
  }
  tl_value c = tl__lower_condition(l, e->a);
  int64_t known;
  if (tl_is_const_int(l->func, c, &known)) {
    return tl__lower_record(l, known ? e->b : e->c);
  }
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, "chosen", e->type, 0, NULL, false, "$", e->loc);
  tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL);
  tl_pointer *p = tl__lower_object_pointer(l, o);
  tl_branches br;
  tl__lower_if_begin(l, c, &br);
  tl__lower_place_copy(l, p, tl__lower_record(l, e->b), e->loc);
  tl__lower_if_else(l, &br);
  tl__lower_place_copy(l, p, tl__lower_record(l, e->c), e->loc);
  tl__lower_if_end(l, &br);
  return p;
}

tl_pointer *tl__lower_record(tl_lower *l, const tl_expr *e) {
  tl_loc before = l->b.loc;
  l->b.loc = e->loc;
  tl_pointer *p = NULL;
  if (e->kind == TL_EXPR_ASSIGN) {
    tl_pointer *from = tl__lower_record(l, e->b);
    p = tl__lower_lvalue(l, e->a);
    tl__lower_place_copy(l, p, from, e->loc);
  } else if (e->kind == TL_EXPR_CONDITIONAL) {
    p = conditional_record(l, e);
  } else if (e->kind == TL_EXPR_CALL || e->kind == TL_EXPR_INTRINSIC) {
    tl__lower_call(l, e, &p);
  } else if (e->kind == TL_EXPR_STMT) {
    const tl_expr *last;
    stmt_expr_prefix(l, e, &last);
    p = last ? tl__lower_record(l, last) : NULL;
  } else {
    p = tl__lower_lvalue(l, e);
  }
  if (!p) {
    unsupported(l, e);
  }
  l->b.loc = before;
  return p;
}

/* ---- effects ---- */

void tl__lower_effect(tl_lower *l, const tl_expr *e) {
  tl_loc before = l->b.loc;
  l->b.loc = e->loc;
  if (e->kind == TL_EXPR_COMMA) {
    tl__lower_effect(l, e->a);
    tl__lower_effect(l, e->b);
  } else if (e->kind == TL_EXPR_CAST && (e->type->kind == TL_CT_VOID || tl__lower_scan_pure(e->a))) {
    tl__lower_effect(l, e->a);
  } else if (e->kind == TL_EXPR_UNSUPPORTED) {
    unsupported(l, e);
  } else if (tl__lower_scan_pure(e) || tl__lower_scan_unobserved(l->unit, e)) {
    /* nothing happens, or nothing that can be seen */
  } else if (e->kind == TL_EXPR_CONDITIONAL && e->b) {
    tl_value c = tl__lower_condition(l, e->a);
    int64_t known;
    if (tl_is_const_int(l->func, c, &known)) {
      tl__lower_effect(l, known ? e->b : e->c);
    } else {
      tl_branches br;
      tl__lower_if_begin(l, c, &br);
      tl__lower_effect(l, e->b);
      tl__lower_if_else(l, &br);
      tl__lower_effect(l, e->c);
      tl__lower_if_end(l, &br);
    }
  } else if (e->type->kind == TL_CT_VOID && (e->kind == TL_EXPR_CALL || e->kind == TL_EXPR_INTRINSIC)) {
    tl__lower_call(l, e, NULL);
  } else if (e->type->kind == TL_CT_VOID && e->kind == TL_EXPR_STMT) {
    uint32_t mark = tl__lower_scope_enter(l);
    tl__lower_block(l, e->body->body.data, e->body->body.count);
    tl__lower_scope_leave(l, mark);
  } else if (e->type->kind == TL_CT_POINTER) {
    if (e->kind == TL_EXPR_CALL) {
      tl_pointer *p = NULL;
      tl__lower_call(l, e, &p);
    } else {
      tl__lower_pointer(l, e);
    }
  } else if (e->type->kind == TL_CT_RECORD) {
    tl__lower_record(l, e);
  } else {
    tl__lower_expr(l, e);
  }
  l->b.loc = before;
}
