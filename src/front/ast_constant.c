/* Constant expressions. libclang's evaluator may crash on what is below them, so it is not asked. */
#include "front/ast.h"

/* What C leaves undefined is no constant, except that sums and products which overflow wrap around. */
static bool fold_binary(const tl_expr *e, int64_t a, int64_t b, int64_t *out) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  tl_dtype d = e->a->type->dtype;
  bool u = tl_dtype_is_unsigned(d);
  switch (e->op) {
  case TL_BIN_ADD:
    *out = (int64_t)(x + y);
    return true;
  case TL_BIN_SUB:
    *out = (int64_t)(x - y);
    return true;
  case TL_BIN_MUL:
    *out = (int64_t)(x * y);
    return true;
  case TL_BIN_DIV:
  case TL_BIN_REM:
    if (b == 0 || (!u && b == -1 && a < 0 && tl_dtype_wrap(d, (int64_t)(0 - x)) == a)) {
      return false;
    }
    *out = e->op == TL_BIN_DIV ? (u ? (int64_t)(x / y) : a / b) : (u ? (int64_t)(x % y) : a % b);
    return true;
  case TL_BIN_SHL:
  case TL_BIN_SHR:
    if (b < 0 || b >= 8 * (int64_t)tl_dtype_size(d)) {
      return false;
    }
    *out = e->op == TL_BIN_SHL ? (int64_t)(x << b) : u ? (int64_t)(x >> b) : a >> b;
    return true;
  case TL_BIN_AND:
    *out = a & b;
    return true;
  case TL_BIN_OR:
    *out = a | b;
    return true;
  case TL_BIN_XOR:
    *out = a ^ b;
    return true;
  case TL_BIN_EQ:
    *out = a == b;
    return true;
  case TL_BIN_NE:
    *out = a != b;
    return true;
  case TL_BIN_LT:
    *out = u ? x < y : a < b;
    return true;
  case TL_BIN_LE:
    *out = u ? x <= y : a <= b;
    return true;
  case TL_BIN_GT:
    *out = u ? x > y : a > b;
    return true;
  case TL_BIN_GE:
    *out = u ? x >= y : a >= b;
    return true;
  }
  return false;
}

static int64_t fold_unary(char sign, int64_t a) {
  return sign == '-' ? (int64_t)(0 - (uint64_t)a) : sign == '~' ? ~a : sign == '!' ? !a : a;
}

static bool fold(const tl_expr *e, int64_t *out) {
  int64_t a, b;
  switch (e->kind) {
  case TL_EXPR_INT:
    *out = e->integer;
    return true;
  case TL_EXPR_CAST:
    return tl_expr_constant(e->a, out);
  case TL_EXPR_UNARY:
    if (!tl_expr_constant(e->a, &a)) {
      return false;
    }
    *out = fold_unary(e->unary, a);
    return true;
  case TL_EXPR_BINARY:
    return tl_expr_constant(e->a, &a) && tl_expr_constant(e->b, &b) && fold_binary(e, a, b, out);
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
    if (!tl_expr_constant(e->a, &a)) {
      return false;
    }
    if ((a != 0) == (e->kind == TL_EXPR_LOGICAL_OR)) {
      *out = a != 0;
      return true;
    }
    if (!tl_expr_constant(e->b, &b)) {
      return false;
    }
    *out = b != 0;
    return true;
  case TL_EXPR_CONDITIONAL:
    return tl_expr_constant(e->a, &a) && tl_expr_constant(a ? (e->b ? e->b : e->a) : e->c, out);
  case TL_EXPR_FLOAT:
  case TL_EXPR_STRING:
  case TL_EXPR_VAR:
  case TL_EXPR_FUNCTION:
  case TL_EXPR_COMMA:
  case TL_EXPR_ASSIGN:
  case TL_EXPR_COMPOUND_ASSIGN:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
  case TL_EXPR_DECAY:
  case TL_EXPR_CALL:
  case TL_EXPR_INTRINSIC:
  case TL_EXPR_INDEX:
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
  case TL_EXPR_DEREF:
  case TL_EXPR_ADDRESS:
  case TL_EXPR_INIT_LIST:
  case TL_EXPR_COMPOUND_LITERAL:
  case TL_EXPR_SIZEOF_VLA:
  case TL_EXPR_STMT:
  case TL_EXPR_UNSUPPORTED:
    return false;
  }
  return false;
}

bool tl_expr_constant(const tl_expr *e, int64_t *out_value) {
  int64_t v;
  if (!e || e->type->kind != TL_CT_SCALAR || tl_dtype_is_float(e->type->dtype) || !fold(e, &v)) {
    return false;
  }
  *out_value = tl_dtype_wrap(e->type->dtype, v);
  return true;
}

/* `steps`: how many const objects may still be looked through, as one may be initialised with itself. */
static bool number_of(const tl_expr *e, int steps, long double *out) {
  int64_t v;
  if (!e) {
    *out = 0;
    return true;
  }
  if (tl_expr_constant(e, &v)) {
    *out = e->type->dtype == TL_U64 ? (long double)(uint64_t)v : (long double)v;
    return true;
  }
  switch (e->kind) {
  case TL_EXPR_FLOAT:
    *out = e->floating;
    return true;
  case TL_EXPR_INIT_LIST:
    return e->type->kind == TL_CT_SCALAR && number_of(e->args.count ? e->args.data[0] : NULL, steps, out);
  case TL_EXPR_CAST:
    if (e->type->kind != TL_CT_SCALAR || !tl_dtype_is_float(e->type->dtype) || !number_of(e->a, steps, out)) {
      return false;
    }
    break;
  case TL_EXPR_UNARY:
    if (e->unary != '-' && e->unary != '+') {
      return false;
    }
    if (!number_of(e->a, steps, out)) {
      return false;
    }
    *out = e->unary == '-' ? -*out : *out;
    break;
  case TL_EXPR_BINARY: {
    long double a, b;
    if (e->type->kind != TL_CT_SCALAR || !tl_dtype_is_float(e->type->dtype) || !number_of(e->a, steps, &a) ||
        !number_of(e->b, steps, &b)) {
      return false;
    }
    bool f = e->type->dtype == TL_F32, d = e->type->dtype == TL_F64;
    float fa = (float)a, fb = (float)b;
    double da = (double)a, db = (double)b;
    if (e->op == TL_BIN_ADD) {
      *out = f ? (long double)(fa + fb) : d ? (long double)(da + db) : a + b;
    } else if (e->op == TL_BIN_SUB) {
      *out = f ? (long double)(fa - fb) : d ? (long double)(da - db) : a - b;
    } else if (e->op == TL_BIN_MUL) {
      *out = f ? (long double)(fa * fb) : d ? (long double)(da * db) : a * b;
    } else if (e->op == TL_BIN_DIV) {
      *out = f ? (long double)(fa / fb) : d ? (long double)(da / db) : a / b;
    } else {
      return false;
    }
    break;
  }
  case TL_EXPR_CONDITIONAL: {
    int64_t which;
    if (e->type->kind != TL_CT_SCALAR || !e->b || !tl_expr_constant(e->a, &which) ||
        !number_of(which ? e->b : e->c, steps, out)) {
      return false;
    }
    break;
  }
  case TL_EXPR_VAR:
    if (!e->decl || !e->decl->init || !e->decl->type->is_const || e->decl->type->kind != TL_CT_SCALAR ||
        e->decl->storage == TL_STORAGE_PARAM || steps == 0) {
      return false;
    }
    if (!number_of(e->decl->init, steps - 1, out)) {
      return false;
    }
    break;
  case TL_EXPR_INT:
  case TL_EXPR_STRING:
  case TL_EXPR_FUNCTION:
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
  case TL_EXPR_COMMA:
  case TL_EXPR_ASSIGN:
  case TL_EXPR_COMPOUND_ASSIGN:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
  case TL_EXPR_DECAY:
  case TL_EXPR_CALL:
  case TL_EXPR_INTRINSIC:
  case TL_EXPR_INDEX:
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
  case TL_EXPR_DEREF:
  case TL_EXPR_ADDRESS:
  case TL_EXPR_COMPOUND_LITERAL:
  case TL_EXPR_SIZEOF_VLA:
  case TL_EXPR_STMT:
  case TL_EXPR_UNSUPPORTED:
    return false;
  }
  *out = tl_dtype_round(e->type->dtype, *out);
  return true;
}

bool tl_expr_number(const tl_expr *e, long double *out) { return number_of(e, 16, out); }
