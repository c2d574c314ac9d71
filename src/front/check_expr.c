/* Expressions, in the order in which they run, and where values get to. */
#include "front/check_priv.h"

void tl__refuse(tl__check *c, tl_status status, tl_loc loc, const char *text, const tl_decl *note) {
  if (c->silent) {
    return;
  }
  tl_diag_error(c->unit->diag, status, loc, "%s", text);
  if (note) {
    tl_diag_note(c->unit->diag, note->loc, "'%s' is declared here", note->name);
  }
}

/* ---- slots ---- */

/* Something is stated that nothing is known of: only a check at run time can tell. */
static const char *unproven(tl__check *c, const tl__slot *s, const tl__type *type) {
  if (!type->has_dtype || !type->has_axes) {
    return tl_arena_printf(&c->arena,
                           "%s: a type is stated, and the tensor has none: tl_as(...) checks one at run time", s->what);
  }
  for (int i = 0; i < s->stated->rank; i++) {
    bool is_stated = !s->stated->dim[i].value || s->stated->bound[i];
    bool is_known = !type->t.dim[i].value || type->t.bound[i];
    if (is_stated && !is_known) {
      return tl_arena_printf(
          &c->arena, "%s: the extent of axis %d is stated, and not known here: tl_as(...) checks it at run time",
          s->what, i);
    }
  }
  return NULL;
}

/* What may be said of a type that is known in part. */
static tl_status part_fits(const tl__slot *s, const tl__type *type, tl_shape_rules *r) {
  tl_tensor_type x = *s->stated, out;
  if (type->has_dtype) {
    x.dtype = type->t.dtype;
  }
  if (type->has_axes) {
    x = type->t;
    x.dtype = type->has_dtype ? type->t.dtype : s->stated->dtype;
  }
  return tl__shape_as(r, s->what, &x, s->stated, &out);
}

const tl__type *tl__check_slot(tl__check *c, const tl__slot *s, const tl__type *type, tl_loc loc) {
  if (type->is_anything) {
    return type;
  }
  tl_shape_rules rules = tl__rules(c);
  tl_status status = part_fits(s, type, &rules);
  const char *text = status != TL_OK ? rules.message : s->takes_unknown ? NULL : unproven(c, s, type);
  if (text) {
    tl__refuse(c, status == TL_OK ? TL_UNTYPED_TENSOR : status, loc, text, s->decl);
    return &tl__anything;
  }
  return type;
}

/* ---- lvalues ---- */

void tl__check_lvalue(tl__check *c, const tl_expr *e) {
  switch ((int)e->kind) {
  case TL_EXPR_VAR:
    return;
  case TL_EXPR_MEMBER:
  case TL_EXPR_DECAY:
    tl__check_lvalue(c, e->a);
    return;
  case TL_EXPR_INDEX:
    if (e->a->kind == TL_EXPR_DECAY) {
      tl__check_lvalue(c, e->a->a);
    } else {
      tl__check_expr(c, e->a, NULL);
    }
    tl__check_expr(c, e->b, NULL);
    return;
  case TL_EXPR_ARROW:
  case TL_EXPR_DEREF:
    tl__check_expr(c, e->a, NULL);
    return;
  default: /* a call's struct, an assignment, ... */
    tl__check_expr(c, e, NULL);
    return;
  }
}

static bool is_lvalue(const tl_expr *e) {
  return e->kind == TL_EXPR_VAR || e->kind == TL_EXPR_MEMBER || e->kind == TL_EXPR_INDEX || e->kind == TL_EXPR_ARROW ||
         e->kind == TL_EXPR_DEREF;
}

static const tl__type *read_lvalue(tl__check *c, const tl_expr *e) {
  tl__check_lvalue(c, e);
  if (!tl_ctype_is_tensor(e->type)) {
    return &tl__unknown;
  }
  const tl_tensor_type *stated = tl__stated_of(e);
  return stated ? tl__type_fresh(c, tl__type_new(c, stated)) : tl__target_read(c, tl__target_of(c, e));
}

/* ---- initialisation and assignment ---- */

static const char *quoted(tl__check *c, const char *name) {
  return tl_arena_printf(&c->arena, "'%s'", name ? name : "a member");
}

/* Runs `e`, whose value goes to the target, an object or part of one of type `t`, of which `stated` is stated. */
static void put(tl__check *c, tl__target target, const tl_ctype *t, const tl__slot *slot, const tl_expr *e);

/* What a list does not name is NULL. */
static void put_list(tl__check *c, tl__target target, const tl_ctype *t, const tl__slot *slot, const tl_expr *list) {
  tl__target_write(c, target, &tl__anything);
  bool is_record = t->kind == TL_CT_RECORD;
  for (uint32_t i = 0; i < list->args.count; i++) {
    const tl_expr *e = list->args.data[i];
    if (!e) {
      continue;
    }
    const tl_field *field = is_record ? &t->record->fields.data[i] : NULL;
    tl__slot own = *slot;
    if (field) {
      own = (tl__slot){tl__stated(field->stated, field->type), quoted(c, field->name), NULL, false};
    }
    put(c, tl__target_within(c, target, i), is_record ? field->type : t->target, &own, e);
  }
}

static void put(tl__check *c, tl__target target, const tl_ctype *t, const tl__slot *slot, const tl_expr *e) {
  const tl_expr *value = tl_expr_strip(e);
  if (tl_ctype_is_tensor(t)) {
    const tl__type *type = tl__check_expr(c, e, slot->stated ? slot : NULL);
    if (!slot->stated) {
      tl__target_write(c, target, type);
    }
    return;
  }
  if (value->kind == TL_EXPR_COMPOUND_LITERAL) {
    value = value->a;
  }
  bool is_aggregate = t->kind == TL_CT_RECORD || t->kind == TL_CT_ARRAY;
  if (is_aggregate && value->kind == TL_EXPR_INIT_LIST && !(t->kind == TL_CT_RECORD && t->record->is_union)) {
    put_list(c, target, t, slot, value);
  } else if (t->kind == TL_CT_RECORD && is_lvalue(value)) {
    tl__check_lvalue(c, value);
    tl__target_copy(c, target, tl__target_of(c, value));
  } else {
    tl__check_expr(c, e, NULL);
    if (is_aggregate) {
      tl__target_write(c, target, &tl__unknown);
    }
  }
}

void tl__check_decl(tl__check *c, const tl_decl *d) {
  tl__slot slot = {tl__stated(d->stated, d->type), quoted(c, d->name), d, false};
  tl__target target = tl__target_root(c, d);
  if (d->init && d->storage == TL_STORAGE_LOCAL) {
    put(c, target, d->type, &slot, d->init);
  } else if (target.place) {
    tl__target_write(c, target, &tl__anything);
  }
}

static const tl_decl *declared(const tl_expr *lvalue) {
  while (lvalue->kind == TL_EXPR_INDEX || lvalue->kind == TL_EXPR_DECAY || lvalue->kind == TL_EXPR_DEREF) {
    lvalue = lvalue->a;
  }
  return lvalue->kind == TL_EXPR_VAR ? lvalue->decl : NULL;
}

static const char *name_of(const tl_expr *lvalue) {
  while (lvalue->kind == TL_EXPR_INDEX || lvalue->kind == TL_EXPR_DECAY || lvalue->kind == TL_EXPR_DEREF) {
    lvalue = lvalue->a;
  }
  return lvalue->name;
}

static const tl__type *assign(tl__check *c, const tl_expr *e) {
  tl__check_lvalue(c, e->a);
  tl__slot slot = {tl__stated_of(e->a), quoted(c, name_of(e->a)), declared(e->a), false};
  put(c, tl__target_of(c, e->a), e->a->type, &slot, e->b);
  return tl_ctype_is_tensor(e->a->type) ? read_lvalue(c, e->a) : &tl__unknown;
}

/* ---- the rest ---- */

static const tl__type *conditional(tl__check *c, const tl_expr *e, const tl__slot *slot) {
  const tl__type *x = tl__check_expr(c, e->a, e->b ? NULL : slot);
  tl__env before = tl__env_copy(c, &c->env);
  x = e->b ? tl__check_expr(c, e->b, slot) : x;
  tl__env then_env = c->env;
  c->env = before;
  const tl__type *y = tl__check_expr(c, e->c, slot);
  c->env = tl__env_join(c, &then_env, &c->env);
  return tl__type_meet(c, x, y);
}

static void logical(tl__check *c, const tl_expr *e) {
  tl__check_expr(c, e->a, NULL);
  tl__env before = tl__env_copy(c, &c->env);
  tl__check_expr(c, e->b, NULL);
  c->env = tl__env_join(c, &before, &c->env);
}

static const tl__type *statement_expression(tl__check *c, const tl_expr *e, const tl__slot *slot) {
  const tl__type *type = &tl__unknown;
  for (uint32_t i = 0; i < e->body->body.count; i++) {
    const tl_stmt *s = e->body->body.data[i];
    if (i + 1 == e->body->body.count && s->kind == TL_STMT_EXPR) {
      type = tl__check_expr(c, s->expr, slot);
    } else {
      tl__check_stmt(c, s);
    }
  }
  return type;
}

/* The address or the array may be kept and written to at any time. */
static void lose(tl__check *c, const tl_expr *lvalue) {
  tl__check_lvalue(c, lvalue);
  tl__target_lose(c, tl__target_of(c, lvalue));
}

static bool is_null(const tl_expr *e) {
  int64_t value;
  while (e->kind == TL_EXPR_CAST) {
    e = e->a;
  }
  return tl_expr_constant(e, &value) && value == 0;
}

/* With the value that reaches the slot where one of its parts has been there already. */
static const tl__type *run(tl__check *c, const tl_expr *e, const tl__slot *slot, bool *out_is_checked) {
  switch (e->kind) {
  case TL_EXPR_INT: /* where a tensor is wanted, no tensor */
    return e->integer ? &tl__unknown : &tl__anything;
  case TL_EXPR_FLOAT:
  case TL_EXPR_STRING:
  case TL_EXPR_FUNCTION:
  case TL_EXPR_SIZEOF_VLA:
  case TL_EXPR_UNSUPPORTED:
    return &tl__unknown;
  case TL_EXPR_VAR:
  case TL_EXPR_INDEX:
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
  case TL_EXPR_DEREF:
    return read_lvalue(c, e);
  case TL_EXPR_UNARY:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
    tl__check_expr(c, e->a, NULL);
    return &tl__unknown;
  case TL_EXPR_BINARY:
  case TL_EXPR_COMPOUND_ASSIGN:
    tl__check_expr(c, e->a, NULL);
    tl__check_expr(c, e->b, NULL);
    return &tl__unknown;
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
    logical(c, e);
    return &tl__unknown;
  case TL_EXPR_CONDITIONAL:
    *out_is_checked = true;
    return conditional(c, e, slot);
  case TL_EXPR_COMMA:
    tl__check_expr(c, e->a, NULL);
    *out_is_checked = true;
    return tl__check_expr(c, e->b, slot);
  case TL_EXPR_ASSIGN:
    return assign(c, e);
  case TL_EXPR_CAST:
    if ((e->type->kind == TL_CT_POINTER || tl_ctype_is_tensor(e->type)) && is_null(e)) {
      return &tl__anything;
    }
    *out_is_checked =
        tl_ctype_is_tensor(e->a->type) || e->a->kind == TL_EXPR_CONDITIONAL || e->a->kind == TL_EXPR_COMMA;
    return tl__check_expr(c, e->a, *out_is_checked ? slot : NULL);
  case TL_EXPR_DECAY:
  case TL_EXPR_ADDRESS:
    lose(c, e->a);
    return &tl__unknown;
  case TL_EXPR_CALL:
  case TL_EXPR_INTRINSIC:
    return tl__check_call(c, e);
  case TL_EXPR_INIT_LIST:
    for (uint32_t i = 0; i < e->args.count; i++) {
      if (e->args.data[i]) {
        tl__check_expr(c, e->args.data[i], NULL);
      }
    }
    return &tl__unknown;
  case TL_EXPR_COMPOUND_LITERAL:
    put(c, (tl__target){0, TL__EXACT}, e->type, &(tl__slot){tl__stated(NULL, e->type), "an element", NULL, false}, e);
    return &tl__unknown;
  case TL_EXPR_STMT:
    *out_is_checked = true;
    return statement_expression(c, e, slot);
  }
  return &tl__unknown;
}

const tl__type *tl__check_expr(tl__check *c, const tl_expr *e, const tl__slot *slot) {
  bool is_checked = false;
  const tl__type *type = run(c, e, slot, &is_checked);
  return slot && !is_checked ? tl__check_slot(c, slot, type, e->loc) : type;
}
