#include "front/lower_priv.h"

/* Conditions: comparisons, logic, truth. */

static bool is_scalar(const tl_ctype *t) { return t->kind == TL_CT_SCALAR; }

tl_value tl__lower_truth(tl_lower *l, tl_value v) {
  const tl_op *op = tl_def(l->func, v);
  if (op && op->code == TL_OP_cvt && tl_type_of(l->func, op->operands[0]).dtype == TL_BOOL) {
    return op->operands[0];
  }
  return tl__lower_convert(l, TL_BOOL, v);
}

static tl_value not(tl_lower * l, tl_value c) {
  int64_t v;
  if (tl_is_const_int(l->func, c, &v)) {
    return tl_build_int(&l->b, TL_BOOL, !v);
  }
  return tl_build_unary(&l->b, TL_OP_not, c);
}

tl_opcode tl__lower_comparison(tl_binary op) {
  switch (op) {
  case TL_BIN_EQ:
    return TL_OP_eq;
  case TL_BIN_NE:
    return TL_OP_ne;
  case TL_BIN_LT:
    return TL_OP_lt;
  case TL_BIN_LE:
    return TL_OP_le;
  case TL_BIN_GT:
    return TL_OP_gt;
  case TL_BIN_GE:
    return TL_OP_ge;
  case TL_BIN_ADD:
  case TL_BIN_SUB:
  case TL_BIN_MUL:
  case TL_BIN_DIV:
  case TL_BIN_REM:
  case TL_BIN_SHL:
  case TL_BIN_SHR:
  case TL_BIN_AND:
  case TL_BIN_OR:
  case TL_BIN_XOR:
    break;
  }
  return TL_OP_COUNT;
}

static tl_value comparison(tl_lower *l, const tl_expr *e) {
  tl_opcode op = tl__lower_comparison(e->op);
  int64_t v;
  if (tl_expr_constant(e, &v)) {
    return tl_build_int(&l->b, TL_BOOL, v != 0);
  }
  if (e->a->type->kind == TL_CT_POINTER || e->b->type->kind == TL_CT_POINTER) {
    tl_pointer *a = tl__lower_pointer(l, e->a), *b = tl__lower_pointer(l, e->b);
    l->b.loc = e->loc;
    return tl__lower_pointer_compare(l, op, a, b, e->loc);
  }
  tl_value a = tl__lower_expr(l, e->a), b = tl__lower_expr(l, e->b);
  l->b.loc = e->loc;
  return tl_build_binary(&l->b, op, a, b);
}

/* a && b, a || b: the second is an operand where computing it is harmless, else it has a branch of its own. */
static tl_value logical(tl_lower *l, const tl_expr *e) {
  bool is_and = e->kind == TL_EXPR_LOGICAL_AND;
  tl_value a = tl__lower_condition(l, e->a);
  int64_t known;
  if (tl_is_const_int(l->func, a, &known)) {
    return (known != 0) == is_and ? tl__lower_condition(l, e->b) : a;
  }
  if (tl__lower_scan_cheap(l, e->b)) {
    tl_value b = tl__lower_condition(l, e->b);
    if (tl_is_const_int(l->func, b, &known)) {
      return (known != 0) == is_and ? a : b;
    }
    return tl_build_binary(&l->b, is_and ? TL_OP_and : TL_OP_or, a, b);
  }
  tl_branches br;
  tl__lower_if_begin(l, a, &br);
  tl_value yes, no;
  if (is_and) {
    yes = tl__lower_condition(l, e->b);
    tl__lower_if_else(l, &br);
    no = tl_build_int(&l->b, TL_BOOL, 0);
  } else {
    yes = tl_build_int(&l->b, TL_BOOL, 1);
    tl__lower_if_else(l, &br);
    no = tl__lower_condition(l, e->b);
  }
  return tl__lower_if_end_value(l, &br, yes, no);
}

tl_value tl__lower_condition(tl_lower *l, const tl_expr *e) {
  tl_loc before = l->b.loc;
  l->b.loc = e->loc;
  tl_value v;
  if (e->kind == TL_EXPR_LOGICAL_AND || e->kind == TL_EXPR_LOGICAL_OR) {
    v = logical(l, e);
  } else if (e->kind == TL_EXPR_BINARY && tl__lower_comparison(e->op) != TL_OP_COUNT) {
    v = comparison(l, e);
  } else if (e->kind == TL_EXPR_UNARY && e->unary == '!') {
    v = not(l, tl__lower_condition(l, e->a));
  } else if (e->type->kind == TL_CT_POINTER) {
    v = tl__lower_pointer_is_set(l, tl__lower_pointer(l, e));
  } else if (e->kind == TL_EXPR_CAST && e->implicit && is_scalar(e->type) && !tl_dtype_is_float(e->type->dtype) &&
             (e->a->type->kind == TL_CT_POINTER ||
              (is_scalar(e->a->type) && !tl_dtype_is_float(e->a->type->dtype) &&
               tl_dtype_size(e->a->type->dtype) <= tl_dtype_size(e->type->dtype)))) {
    v = tl__lower_condition(l, e->a); /* widening keeps the truth */
  } else {
    v = tl__lower_truth(l, tl__lower_expr(l, e));
  }
  l->b.loc = before;
  return v;
}
