/* Integer constant expressions. libclang's evaluator may crash on what is below them, so it is not asked. */
#include "front/parse_clang.h"

static int64_t wrap(tl_dtype d, int64_t v) {
  switch (d) {
    case TL_BOOL:
      return v != 0;
    case TL_I8:
      return (int8_t)v;
    case TL_I16:
      return (int16_t)v;
    case TL_I32:
      return (int32_t)v;
    case TL_U8:
      return (uint8_t)v;
    case TL_U16:
      return (uint16_t)v;
    case TL_U32:
      return (uint32_t)v;
    case TL_I64:
    case TL_U64:
    case TL_F32:
    case TL_F64:
    case TL_F80:
    case TL_DTYPE_COUNT:
      return v;
  }
  return v;
}

static bool fold_binary(const tl_expr *e, int64_t a, int64_t b, int64_t *out) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  bool u = e->a->type->kind == TL_CT_SCALAR && tl_dtype_is_unsigned(e->a->type->dtype);
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
      if (b == 0 || (!u && b == -1 && a == INT64_MIN)) {
        return false;
      }
      *out = e->op == TL_BIN_DIV ? (u ? (int64_t)(x / y) : a / b) : (u ? (int64_t)(x % y) : a % b);
      return true;
    case TL_BIN_SHL:
    case TL_BIN_SHR:
      if (b < 0 || b > 63) {
        return false;
      }
      *out = e->op == TL_BIN_SHL ? (int64_t)(x << y) : u ? (int64_t)(x >> y) : a >> b;
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

bool tl__parse_constant(const tl_expr *e, int64_t *out) {
  int64_t a, b;
  if (!e || e->type->kind != TL_CT_SCALAR || tl_dtype_is_float(e->type->dtype)) {
    return false;
  }
  switch (e->kind) {
    case TL_EXPR_INT:
      *out = e->integer;
      return true;
    case TL_EXPR_UNARY:
      if (!tl__parse_constant(e->a, &a)) {
        return false;
      }
      *out = wrap(e->type->dtype, e->unary == '-' ? (int64_t)(0 - (uint64_t)a) : e->unary == '~' ? ~a : e->unary == '!' ? !a : a);
      return true;
    case TL_EXPR_BINARY:
      if (!tl__parse_constant(e->a, &a) || !tl__parse_constant(e->b, &b) || !fold_binary(e, a, b, out)) {
        return false;
      }
      *out = wrap(e->type->dtype, *out);
      return true;
    case TL_EXPR_LOGICAL_AND:
    case TL_EXPR_LOGICAL_OR:
      if (!tl__parse_constant(e->a, &a) || !tl__parse_constant(e->b, &b)) {
        return false;
      }
      *out = e->kind == TL_EXPR_LOGICAL_AND ? a && b : a || b;
      return true;
    case TL_EXPR_CONDITIONAL:
      if (!tl__parse_constant(e->a, &a)) {
        return false;
      }
      return tl__parse_constant(a ? (e->b ? e->b : e->a) : e->c, out);
    case TL_EXPR_CAST:
      if (!tl__parse_constant(e->a, &a)) {
        return false;
      }
      *out = wrap(e->type->dtype, a);
      return true;
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

