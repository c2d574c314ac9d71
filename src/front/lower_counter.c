#include "front/lower_counter.h"

static bool is_int(const tl_ctype *t) {
  return t->kind == TL_CT_SCALAR && !tl_dtype_is_float(t->dtype) && t->dtype != TL_BOOL;
}

/* The local integer variable that an expression reads, whatever it is widened to. */
static const tl_decl *variable(const tl_expr *e) {
  while (e->kind == TL_EXPR_CAST && is_int(e->type) && is_int(e->a->type) &&
         tl_dtype_size(e->type->dtype) >= tl_dtype_size(e->a->type->dtype)) {
    e = e->a;
  }
  bool local = e->kind == TL_EXPR_VAR && e->decl && is_int(e->type) &&
               (e->decl->storage == TL_STORAGE_LOCAL || e->decl->storage == TL_STORAGE_PARAM);
  return local ? e->decl : NULL;
}

/* i++, i -= 2, i = i + 3: the variable and the constant. */
static const tl_decl *step_of(const tl_expr *e, int64_t *out) {
  if (e->kind == TL_EXPR_PRE_INC || e->kind == TL_EXPR_POST_INC || e->kind == TL_EXPR_PRE_DEC ||
      e->kind == TL_EXPR_POST_DEC) {
    *out = e->kind == TL_EXPR_PRE_INC || e->kind == TL_EXPR_POST_INC ? 1 : -1;
    return e->a->kind == TL_EXPR_VAR ? variable(e->a) : NULL;
  }
  if (e->kind == TL_EXPR_COMPOUND_ASSIGN && (e->op == TL_BIN_ADD || e->op == TL_BIN_SUB) && e->a->kind == TL_EXPR_VAR &&
      is_int(e->a->type) && tl_expr_constant(e->b, out)) {
    *out = e->op == TL_BIN_SUB ? -*out : *out;
    return variable(e->a);
  }
  if (e->kind == TL_EXPR_ASSIGN && e->a->kind == TL_EXPR_VAR && is_int(e->a->type)) {
    const tl_expr *sum = e->b;
    while (sum->kind == TL_EXPR_CAST && sum->implicit && is_int(sum->type)) {
      sum = sum->a;
    }
    const tl_decl *d = variable(e->a);
    if (d && sum->kind == TL_EXPR_BINARY && (sum->op == TL_BIN_ADD || sum->op == TL_BIN_SUB)) {
      if (variable(sum->a) == d && tl_expr_constant(sum->b, out)) {
        *out = sum->op == TL_BIN_SUB ? -*out : *out;
        return d;
      }
      if (sum->op == TL_BIN_ADD && variable(sum->b) == d && tl_expr_constant(sum->a, out)) {
        return d;
      }
    }
  }
  return NULL;
}

static tl_binary mirrored(tl_binary op) {
  return op == TL_BIN_LT   ? TL_BIN_GT
         : op == TL_BIN_GT ? TL_BIN_LT
         : op == TL_BIN_LE ? TL_BIN_GE
         : op == TL_BIN_GE ? TL_BIN_LE
                           : op;
}

static bool is_comparison(const tl_expr *e) {
  return e->kind == TL_EXPR_BINARY &&
         (e->op == TL_BIN_LT || e->op == TL_BIN_LE || e->op == TL_BIN_GT || e->op == TL_BIN_GE || e->op == TL_BIN_NE);
}

/* Flattens a && b && c. */
static bool conjuncts(const tl_expr *e, tl_counting *c, const tl_expr **first) {
  if (e->kind == TL_EXPR_LOGICAL_AND) {
    return conjuncts(e->a, c, first) && conjuncts(e->b, c, first);
  }
  if (!*first) {
    *first = e;
    return true;
  }
  if (c->rest_count == MAX_CONJUNCTS) {
    return false;
  }
  c->rest[c->rest_count++] = e;
  return tl__lower_scan_pure(e);
}

/* `i--`, `i-- > 0`, `--i > 0`, `--i >= 0` and the like: the loop counts i down by its own condition. */
static bool counts_in_condition(const tl_expr *first, tl_counting *c) {
  const tl_expr *e = tl_expr_strip(first);
  tl_binary rel = TL_BIN_NE;
  int64_t bound = 0;
  if (is_comparison(e)) {
    if (!tl_expr_constant(e->b, &bound) || bound != 0 || e->op == TL_BIN_LT || e->op == TL_BIN_LE) {
      return false;
    }
    rel = e->op;
    e = e->a;
    while (e->kind == TL_EXPR_CAST && e->implicit) {
      e = e->a;
    }
  }
  bool post = e->kind == TL_EXPR_POST_DEC;
  if ((!post && e->kind != TL_EXPR_PRE_DEC) || e->a->kind != TL_EXPR_VAR || (post && rel == TL_BIN_GE)) {
    return false;
  }
  c->decl = variable(e->a);
  if (!c->decl || tl_dtype_size(c->decl->type->dtype) < 4 ||
      (rel == TL_BIN_GE && tl_dtype_is_unsigned(c->decl->type->dtype))) {
    return false;
  }
  c->iv = TL_I64;
  c->step = -1;
  c->down_first = true;
  c->rel = TL_BIN_GT;
  c->bound_const = post || rel == TL_BIN_GE ? -1 : 0;
  c->meets = rel == TL_BIN_NE;
  return true;
}

/* Whether a variable that is narrower than its comparison, or unsigned, comes to the constant k without wrapping. */
static bool reaches(const tl_counting *c, int64_t k) {
  int64_t least, most;
  tl_dtype_range(c->decl->type->dtype, &least, &most);
  if (k < least || k > most || c->step > UINT32_MAX || c->step < -(int64_t)UINT32_MAX) {
    return false;
  }
  switch ((int)c->rel) {
  case TL_BIN_LT:
    return k - 1 + c->step <= most;
  case TL_BIN_LE:
    return k + c->step <= most;
  case TL_BIN_GT:
    return k + 1 + c->step >= least;
  case TL_BIN_GE:
    return k + c->step >= least;
  default:
    return c->rel == TL_BIN_NE;
  }
}

static bool relation_counts(tl_counting *c, const tl_expr *first) {
  const tl_expr *a = first->a, *b = first->b;
  c->rel = first->op;
  c->iv = a->type->dtype;
  if (variable(a) != c->decl) {
    if (variable(b) != c->decl) {
      return false;
    }
    b = a;
    c->rel = mirrored(c->rel);
  }
  c->bound = b;
  if (!is_int(b->type) || !tl__lower_scan_pure(b)) {
    return false;
  }
  tl_dtype own = c->decl->type->dtype;
  bool is_unsigned = tl_dtype_is_unsigned(c->iv);
  int64_t k;
  bool fixed = tl_expr_constant(b, &k);
  if (tl_dtype_size(own) < 4 || (tl_dtype_size(own) == 4 && tl_dtype_is_unsigned(own) && fixed)) {
    /* It might wrap before it gets there. */
    const tl_expr *s = tl_expr_strip(b);
    bool is_own = is_int(s->type) && s->type->dtype == own && (c->step == 1 || c->step == -1) && c->rel != TL_BIN_LE &&
                  c->rel != TL_BIN_GE;
    if (fixed ? !reaches(c, k) : !is_own) {
      return false;
    }
  }
  switch ((int)c->rel) {
  case TL_BIN_LT:
  case TL_BIN_LE:
    return c->step > 0;
  case TL_BIN_GT:
    return c->step == -1 || (c->step < 0 && !is_unsigned);
  case TL_BIN_GE:
    return c->step < 0 && (!is_unsigned || (fixed && k > 0 && c->step == -1));
  case TL_BIN_NE:
    c->meets = true;
    return (c->step == 1 || c->step == -1) && (!is_unsigned || c->step == 1 || (fixed && k == 0));
  default:
    return false;
  }
}

/* It says how long an array parameter is, so that it is no number as low as the lowest. */
static bool is_extent(const tl_lower *l, tl_value v) {
  for (uint32_t i = 0; i < l->func->params.count; i++) {
    tl_type t = tl_type_of(l->func, l->func->params.data[i].value);
    for (int k = 0; t.is_array && k < t.rank; k++) {
      if (t.extents[k].value == v) {
        return true;
      }
    }
  }
  return false;
}

/* Does a loop that runs until its variable meets the bound start on the bound's right side? One that does not runs on
 * until it is left otherwise, or until its variable comes round; where neither can be, it has no meaning. `from`: where
 * the variable starts. */
static bool starts_before_bound(const tl_lower *l, const tl_counting *c, tl_value from, tl_value bound, bool exits) {
  from = tl__lower_without_cvt(l, from);
  bound = tl__lower_without_cvt(l, bound);
  tl_dtype own = c->decl->type->dtype;
  bool is_unsigned = tl_dtype_is_unsigned(own), up = c->step > 0;
  int64_t first, last;
  bool is_fixed = tl_is_const_int(l->func, from, &first), is_bound_fixed = tl_is_const_int(l->func, bound, &last);
  if (c->down_first) {
    last = 0; /* as the condition is written */
  }
  if (is_fixed && is_bound_fixed) {
    return up ? first <= last : first >= last;
  }
  bool no_less = tl_dtype_is_unsigned(c->iv) || (is_unsigned && tl_type_of(l->func, bound).dtype == own); /* than 0 */
  if (is_fixed && first == 0 && up && (no_less || is_extent(l, bound))) {
    return true;
  }
  if (is_bound_fixed && last == 0 && !up && (is_unsigned || is_extent(l, from))) {
    return true;
  }
  bool comes_round = is_unsigned || tl_dtype_size(own) < 4 || tl_dtype_is_unsigned(c->iv);
  return !comes_round && !exits;
}

/* May the bound of `i <= n` be the largest of its type, or that of `i >= n` the least, so that the loop only ends by
 * another exit? Signed bounds that are known at run time alone are taken for numbers that are not. */
static bool is_last_number(const tl_lower *l, const tl_counting *c, tl_value hi) {
  if (c->ahead || (c->rel != TL_BIN_LE && c->rel != TL_BIN_GE)) {
    return false;
  }
  bool is_unsigned = tl_dtype_is_unsigned(c->iv), up = c->rel == TL_BIN_LE;
  int64_t end;
  if (tl_is_const_int(l->func, hi, &end)) {
    int64_t bound = tl_dtype_wrap(c->iv, (int64_t)((uint64_t)end + (up ? UINT64_MAX : 1)));
    return is_unsigned ? up && end == 0 : up ? end < bound : end > bound;
  }
  const tl_op *sum = tl_def(l->func, hi);
  return is_unsigned && up && (!sum || !is_extent(l, tl__lower_without_cvt(l, sum->operands[0])));
}

bool tl__lower_count_ends(const tl_lower *l, const tl_counting *c, tl_value from, tl_value hi, bool exits) {
  return !(exits && is_last_number(l, c, hi)) && (!c->meets || starts_before_bound(l, c, from, hi, exits));
}

bool tl__lower_count_widens(const tl_lower *l, const tl_counting *c, tl_value hi) {
  const tl_op *sum = tl_def(l->func, hi);
  bool is_beyond = (c->rel == TL_BIN_LE || c->rel == TL_BIN_GE) && !c->ahead && !c->down_first;
  return is_beyond && !tl_dtype_is_unsigned(c->iv) && tl_dtype_size(c->iv) < 8 && sum && sum->code != TL_OP_const &&
         !is_extent(l, tl__lower_without_cvt(l, sum->operands[0]));
}

/* `i + 1 < n` and the like, where n - 1 cannot overflow. */
static bool sum_counts(tl_lower *l, tl_counting *c, const tl_expr *first) {
  bool is_mirrored = first->op == TL_BIN_GT || first->op == TL_BIN_GE;
  const tl_expr *sum = tl_expr_strip(is_mirrored ? first->b : first->a), *bound = is_mirrored ? first->a : first->b;
  const tl_decl *n = variable(bound);
  c->rel = is_mirrored ? mirrored(first->op) : first->op;
  if (!n || sum->kind != TL_EXPR_BINARY || sum->op != TL_BIN_ADD || variable(sum->a) != c->decl ||
      !tl_expr_constant(sum->b, &c->ahead) || c->ahead < 1 || c->ahead > INT16_MAX || c->step < 1 ||
      (c->rel != TL_BIN_LT && c->rel != TL_BIN_LE)) {
    return false;
  }
  tl_dtype own = c->decl->type->dtype;
  c->iv = own;
  c->bound = bound;
  return own == sum->type->dtype && own == first->a->type->dtype && own == n->type->dtype && tl_dtype_size(own) >= 4 &&
         !tl_dtype_is_unsigned(own) &&
         is_extent(l, tl__lower_slot_read(l, &tl__lower_decl_object(l, n, bound->loc)->leaves[0]));
}

bool tl__lower_counts(tl_lower *l, tl_loop_form *form, tl_counting *c) {
  const tl_expr *first = NULL, *step = form->step;
  *c = (tl_counting){0};
  if (!form->cond || form->test_last || !conjuncts(form->cond, c, &first)) {
    return false;
  }
  uint32_t body_count = form->body_count;
  if (!step && counts_in_condition(first, c)) {
    /* the condition itself steps */
  } else {
    if (!tl__lower_scan_pure(first)) {
      return false;
    }
    if (!step && body_count && form->body[body_count - 1]->kind == TL_STMT_EXPR &&
        !tl__lower_scan_has_continue(form->stmt->then_body)) {
      step = form->body[--body_count]->expr; /* while (i < n) { ...; i++; } */
    }
    const tl_expr *e = tl_expr_strip(first);
    if (!step || !(c->decl = step_of(step, &c->step)) || c->step == 0) {
      return false;
    }
    if (is_comparison(e)) {
      if (!relation_counts(c, e) && !sum_counts(l, c, e)) {
        return false;
      }
    } else if (variable(first) == c->decl && c->step == -1) { /* for (; i; i--) */
      c->rel = TL_BIN_NE;
      c->meets = true;
      c->iv = c->decl->type->dtype;
      c->bound_const = 0;
    } else {
      return false;
    }
  }
  tl_decl_set assigned = {0};
  for (uint32_t i = 0; i < body_count; i++) {
    tl__lower_scan_assigned(l->arena, form->body[i], &assigned);
  }
  const tl_object *o = tl__lower_decl_object(l, c->decl, form->stmt->loc);
  if (tl__lower_set_has(&assigned, c->decl) || o->escaped) {
    return false;
  }
  form->body_count = body_count;
  form->step = NULL;
  return true;
}

tl_value tl__lower_count_end(tl_lower *l, const tl_counting *c) {
  tl_value b =
      c->bound ? tl__lower_int_cvt(l, c->iv, tl__lower_expr(l, c->bound)) : tl_build_int(&l->b, c->iv, c->bound_const);
  if (c->ahead) {
    int64_t below = c->rel == TL_BIN_LE ? c->ahead - 1 : c->ahead;
    return tl__lower_int_op(l, TL_OP_sub, b, tl_build_int(&l->b, c->iv, below));
  }
  if (c->rel == TL_BIN_LE || c->rel == TL_BIN_GE) {
    tl_value one = tl_build_int(&l->b, c->iv, 1);
    return tl__lower_int_op(l, c->rel == TL_BIN_LE ? TL_OP_add : TL_OP_sub, b, one);
  }
  return b;
}
