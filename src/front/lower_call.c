#include <string.h>

#include "front/lower_priv.h"

/* ---- calls of C functions without a body ---- */

typedef TL_VEC(tl_value) tl_operands;

static const char *operand_text(tl_lower *l, tl_operands *operands, tl_value v) {
  TL_PUSH(l->arena, *operands, v);
  return tl_arena_printf(l->func->arena, "%%%u", operands->count - 1);
}

/* A string from one of its characters on; NULL where that is not known and there are no operands. */
static const char *literal_text(tl_lower *l, const tl_target *t, tl_operands *operands) {
  const char *text = tl__lower_pointer_text_format(l, &(tl_target){.text = t->object->literal});
  int64_t at = 0;
  if (!t->index_count || (tl_is_const_int(l->func, t->index[0], &at) && at == 0)) {
    return text;
  }
  return operands ? tl_arena_printf(l->func->arena, "&%s[%s]", text, operand_text(l, operands, t->index[0])) : NULL;
}

static const char *target_text(tl_lower *l, const tl_target *t, tl_operands *operands) {
  int64_t at = 0;
  switch (t->kind) {
  case TL_TARGET_NULL:
    return "0";
  case TL_TARGET_TEXT:
    return tl__lower_pointer_text_format(l, t);
  case TL_TARGET_FUNCTION:
  case TL_TARGET_UNKNOWN:
    return NULL;
  case TL_TARGET_OBJECT:
    break;
  }
  if (t->object->literal) {
    return literal_text(l, t, operands);
  }
  bool is_whole = t->object->kind == TL_OBJECT_MEMORY && t->leaf_count == t->object->leaf_count &&
                  !strcmp(t->object->access, "$") &&
                  (!t->index_count || (t->index_count == 1 && tl_is_const_int(l->func, t->index[0], &at) && at == 0));
  return is_whole ? tl_arena_printf(l->func->arena, "$%u", t->object->cparam) : NULL;
}

/* `operands` may be NULL, where the text can have none. */
static const char *argument_text(tl_lower *l, const tl_expr *arg, const tl_pointer *p, tl_operands *operands) {
  const tl_expr *plain = tl__lower_strip_casts(arg);
  const char *text = p->count ? target_text(l, &p->targets[p->count - 1], operands) : NULL;
  if (!text && p->count == 1 && plain->kind == TL_EXPR_VAR && plain->decl && plain->decl->storage == TL_STORAGE_FILE &&
      plain->type->kind == TL_CT_POINTER) { /* stderr */
    return tl__lower_pointer_text_format(l, &(tl_target){.text = plain->decl->name});
  }
  for (uint32_t i = p->count ? p->count - 1 : 0; text && i-- > 0;) {
    const char *first = operands ? target_text(l, &p->targets[i], operands) : NULL;
    text = first ? tl_arena_printf(l->func->arena, "(%s) == %u ? %s : %s", operand_text(l, operands, p->selector), i,
                                   first, text)
                 : NULL;
  }
  return text;
}

const char *tl__lower_text_argument(tl_lower *l, const tl_expr *arg, const tl_pointer *p) {
  return argument_text(l, arg, p, NULL);
}

/* The C text of a pointer argument. */
static const char *pointer_text(tl_lower *l, const tl_expr *arg, const char *callee, tl_operands *operands) {
  tl_pointer *p = tl__lower_pointer(l, arg);
  const char *text = argument_text(l, arg, p, operands);
  for (uint32_t i = 0; text && i < p->count; i++) {
    const tl_target *t = &p->targets[i];
    if (t->kind == TL_TARGET_OBJECT && !t->object->literal && tl__lower_has_float(t->object->type, true)) {
      text = NULL;
    }
  }
  if (text) {
    return text;
  }
  tl__lower_refuse(l, TL_UNKNOWN_EXTERNAL, arg->loc, "'%s' has no body here, and a pointer is passed to it", callee);
}

static tl_value extern_call(tl_lower *l, const tl_expr *call, const char *name) {
  if (call->a && call->a->kind == TL_EXPR_FUNCTION && call->a->function->is_implicit) {
    tl__lower_refuse(l, TL_UNKNOWN_EXTERNAL, call->loc,
                     "'%s' has no body here and is not declared, so that it would return an int", name);
  }
  tl_operands operands = {0};
  const char *format = "";
  for (uint32_t i = 0; i < call->args.count; i++) {
    const tl_expr *arg = call->args.data[i];
    const char *text;
    if (arg->type->kind == TL_CT_POINTER) {
      text = pointer_text(l, arg, name, &operands);
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
  if (tl__lower_math(l, call, name, &v) || tl__lower_memory_call(l, call, plain)) {
    return v;
  }
  if (!strcmp(plain, "free")) {
    return TL_NO_VALUE;
  }
  if (!strcmp(name, "__builtin_unreachable") || !strcmp(name, "__builtin_trap") || !strcmp(plain, "abort")) {
    name = "abort";
  }
  if (!strcmp(plain, "fetestexcept") || !strcmp(plain, "fegetexceptflag") || !strcmp(plain, "fegetenv") ||
      !strcmp(plain, "feholdexcept") || !strcmp(plain, "feupdateenv")) {
    tl__lower_refuse_left_behind(l, tl_arena_printf(l->arena, "the floating-point environment (%s)", plain), call->loc);
  }
  if (!strcmp(plain, "realloc")) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc,
                     "realloc is not differentiated: copy the elements to a block from malloc and free the old one");
  }
  if (!strcmp(plain, "qsort") || !strcmp(plain, "qsort_r") || !strcmp(plain, "bsearch")) {
    tl__lower_refuse(l, TL_UNKNOWN_EXTERNAL, call->loc,
                     "'%s' has no body here, and what it does to the array is not known: write the %s as a function of "
                     "this file",
                     plain, *plain == 'q' ? "sort" : "search");
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

/* A member that is passed where the callee states one element is an array of one. */
static void state_single(tl_lower *l, const tl_decl *d, tl_pointer *p) {
  int64_t n = 0;
  if (d->type->kind != TL_CT_POINTER || d->type->target->kind != TL_CT_SCALAR) {
    return;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    tl_target *t = &p->targets[i];
    bool is_member = t->kind == TL_TARGET_OBJECT && !t->run && t->elem->kind == TL_CT_SCALAR &&
                     (t->leaf_count != t->object->leaf_count || t->object->type->kind != TL_CT_SCALAR);
    if (!is_member || t->index_count == TL_MAX_RANK) {
      continue;
    }
    tl_value count = TL_NO_VALUE;
    if (d->len) {
      count = tl__lower_expr(l, d->len);
    } else if (d->type->was_array && (d->type->extent >= 0 || d->type->extent_expr)) {
      count = tl__lower_extent_value(l, d->type);
    }
    if (count == TL_NO_VALUE || !tl_is_const_int(l->func, count, &n) || n != 1) {
      return;
    }
    t->index[t->index_count++] = tl_build_int(&l->b, TL_I64, 0);
    t->virtual_axis = true;
    t->run = 1;
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
      uint32_t slot = frame->names.data[i].object->leaves[0].slot;
      state_extents(l, f->params.data[i], l->env.slots[slot].pointer);
      l->env.slots[slot].pointer = tl__lower_pointer_copy(l, l->env.slots[slot].pointer);
      state_single(l, f->params.data[i], l->env.slots[slot].pointer);
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

/* A body that has grown past this calls what it would else copy. */
enum { MANY_VALUES = 100000 };

static tl_value call_function(tl_lower *l, const tl_expr *call, const tl_function *f, tl_pointer **out) {
  if (f->custom_vjp || f->custom_jvp) {
    return tl__lower_call_outlined(l, call, f, out);
  }
  if (!f->body) {
    return library_call(l, call, f->name);
  }
  if (is_active(l, f) || l->func->values.count > MANY_VALUES || tl__lower_scan_recursive(l, f)) {
    return tl__lower_call_outlined(l, call, f, out);
  }
  return inline_call(l, call, f, out);
}

/* In a loop's first tries, where the function may become known: any result will do. */
static tl_value call_guessed(tl_lower *l, const tl_expr *call, tl_pointer **out) {
  l->guessed = true;
  if (call->type->kind == TL_CT_SCALAR) {
    return tl_build_zero(&l->b, call->type->dtype);
  }
  if (out && call->type->kind == TL_CT_POINTER) {
    *out = tl__lower_pointer_open(l);
  } else if (out && call->type->kind == TL_CT_RECORD) {
    tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, NULL, call->type, 0, NULL, false, NULL, call->loc);
    tl__lower_object_allocate(l, o, TL_ALLOC_ZEROED);
    *out = tl__lower_object_pointer(l, o);
  }
  return TL_NO_VALUE;
}

/* Through a pointer: one of the functions that it may refer to. */
static tl_value call_pointer(tl_lower *l, const tl_expr *call, const tl_pointer *p, uint32_t i, tl_pointer **out) {
  const tl_target *t = &p->targets[i];
  if (t->kind != TL_TARGET_FUNCTION) {
    if (t->kind == TL_TARGET_NULL && p->count > i + 1) {
      return call_pointer(l, call, p, i + 1, out);
    }
    if (t->kind == TL_TARGET_UNKNOWN && t->tentative) {
      return call_guessed(l, call, out);
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
  const tl_expr *f = tl__lower_callee(call);
  tl_value made;
  if (f && f->kind == TL_EXPR_FUNCTION && tl__lower_tensor_call(l, call, &made, out)) {
    return made;
  }
  if (f && f->kind == TL_EXPR_FUNCTION) {
    if (!f->function) {
      return library_call(l, call, f->name);
    }
    return call_function(l, call, f->function, out);
  }
  tl_pointer *p = tl__lower_pointer(l, call->a);
  return call_pointer(l, call, p, 0, out);
}
