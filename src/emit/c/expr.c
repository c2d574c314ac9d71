/* Expressions: each value as C text with the least parentheses that keep its meaning and silence the compilers. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/c/internal.h"

const char *tl__c_type_text(tl_dtype d) {
  switch (d) {
#define TL_C_TYPE(id, name, size, c)                                                                                   \
  case id:                                                                                                             \
    return c;
    TL_DTYPE_MAP(TL_C_TYPE)
#undef TL_C_TYPE
  case TL_DTYPE_COUNT:
    break;
  }
  assert(!"no dtype");
  return "";
}

static bool is_small_int(tl_dtype d) { return d == TL_I8 || d == TL_I16 || d == TL_U8 || d == TL_U16; }

/* ---- constants ---- */

static const char *float_text(tl__c_emit *e, long double v, tl_dtype d) {
  char digits[64];
  const char *suffix = d == TL_F32 ? "f" : d == TL_F80 ? "L" : "";
  if (v == (long double)(int64_t)v && v > -1e15L && v < 1e15L && (v != 0 || !signbit(v))) {
    return tl_arena_printf(e->arena, "%lld.0%s", (long long)v, suffix);
  }
  for (int precision = 1; precision <= 21; precision++) {
    snprintf(digits, sizeof digits, "%.*Lg", precision, v);
    bool same = d == TL_F32   ? strtof(digits, NULL) == (float)v
                : d == TL_F64 ? strtod(digits, NULL) == (double)v
                              : strtold(digits, NULL) == v;
    if (same) {
      break;
    }
  }
  char *exponent = strchr(digits, 'e');
  if (exponent && exponent[2] == '0') { /* "1e-9" for "1e-09" */
    memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
  }
  bool whole = !strpbrk(digits, ".e");
  return tl_arena_printf(e->arena, "%s%s%s", digits, whole ? ".0" : "", suffix);
}

static bool spelling_holds(const tl_op *op, tl_dtype d) {
  char *end;
  long double v = d == TL_F32   ? strtof(op->spelling, &end)
                  : d == TL_F64 ? strtod(op->spelling, &end)
                                : strtold(op->spelling, &end);
  size_t n = strlen(end);
  bool suffix = n == 0 || (n == 1 && strchr("fFlL", *end));
  return suffix && v == op->u.floating && (d == TL_F64) == (n == 0) && strpbrk(op->spelling, ".eExXpP");
}

const char *tl__c_nan_text(tl__c_emit *e, tl_dtype d) {
  const tl_op nan = {.code = TL_OP_const, .u.floating = (long double)NAN};
  return tl__c_constant_expr(e, &nan, d, false).text;
}

tl__c_expr tl__c_constant_expr(tl__c_emit *e, const tl_op *op, tl_dtype d, bool exact) {
  if (tl_dtype_is_float(d)) {
    long double v = op->u.floating;
    if (isnan(v) || isinf(v)) {
      e->needs->math = true;
      const char *name = isnan(v) ? "NAN" : "INFINITY";
      const char *cast = d != TL_F32 ? tl_arena_printf(e->arena, "(%s)", tl__c_type_text(d)) : ""; /* they are floats */
      bool negative = signbit(v);
      return (tl__c_expr){tl_arena_printf(e->arena, "%s%s%s", cast, negative ? "-" : "", name),
                          *cast || negative ? TL__PREC_UNARY : TL__PREC_POSTFIX};
    }
    const char *text = op->spelling && spelling_holds(op, d) ? op->spelling : float_text(e, v, d);
    return (tl__c_expr){text, *text == '-' ? TL__PREC_UNARY : TL__PREC_POSTFIX};
  }
  int64_t v = op->u.integer;
  if (d == TL_BOOL) {
    return (tl__c_expr){v ? "1" : "0", TL__PREC_POSTFIX};
  }
  if (d == TL_U64 || d == TL_U32) {
    uint64_t u = d == TL_U32 ? (uint32_t)v : (uint64_t)v;
    const char *suffix = d == TL_U32 ? (exact || u > INT32_MAX ? "u" : "") : exact || u > INT64_MAX ? "ul" : "";
    return (tl__c_expr){tl_arena_printf(e->arena, "%llu%s", (unsigned long long)u, suffix), TL__PREC_POSTFIX};
  }
  const char *suffix = d == TL_I64 && (exact || v > INT32_MAX || v < INT32_MIN) ? "L" : "";
  if (v == INT64_MIN || (d == TL_I32 && v == INT32_MIN)) {
    return (tl__c_expr){tl_arena_printf(e->arena, "%lld%s - 1", (long long)(v + 1), suffix), TL__PREC_ADD};
  }
  return (tl__c_expr){tl_arena_printf(e->arena, "%lld%s", (long long)v, suffix),
                      v < 0 ? TL__PREC_UNARY : TL__PREC_POSTFIX};
}

/* ---- values ---- */

static const char *parenthesised(tl__c_emit *e, tl__c_expr x, int prec) {
  return x.prec >= prec ? x.text : tl_arena_printf(e->arena, "(%s)", x.text);
}

/* What its op computes, whatever the value's mode. */
static tl__c_expr op_expr(tl__c_emit *, tl_op *);

tl__c_expr tl__c_value_expr(tl__c_emit *e, tl_value v) {
  if (e->values[v].mode == TL__INLINE) {
    tl_op *op = tl_def(e->f, v);
    return op->code == TL_OP_const ? tl__c_constant_expr(e, op, tl__c_type(e, v).dtype, false) : op_expr(e, op);
  }
  assert(e->values[v].mode == TL__VARIABLE);
  tl_op *def = tl_def(e->f, v);
  const tl__c_var *p = tl__c_var_of(e, v);
  bool out_of_reach = e->outside_block || (e->leaving && !p->declared && !p->is_param);
  if (out_of_reach && def && tl_op_table[def->code].elementwise) { /* an extent: computed again */
    return op_expr(e, def);
  }
  if (tl__c_type(e, v).is_array) {
    return (tl__c_expr){tl__c_base_text(e, v), TL__PREC_POSTFIX};
  }
  if (p->is_param) {
    return (tl__c_expr){tl__c_scalar_param_text(e, p), TL__PREC_POSTFIX};
  }
  assert(p->name);
  return (tl__c_expr){p->name, TL__PREC_POSTFIX};
}

const char *tl__c_value_text(tl__c_emit *e, tl_value v, int prec) {
  return parenthesised(e, tl__c_value_expr(e, v), prec);
}

const char *tl__c_exact_text(tl__c_emit *e, tl_value v, int prec) {
  const tl_op *op = tl_def(e->f, v);
  if (op && op->code == TL_OP_const) {
    return parenthesised(e, tl__c_constant_expr(e, op, tl__c_type(e, v).dtype, true), prec);
  }
  return tl__c_value_text(e, v, prec);
}

static bool printed_inline(tl__c_emit *e, tl_value v) { return e->values[v].mode == TL__INLINE; }

/* The operand of a conversion that C makes by itself where a value of v's type is expected, and of which no compiler
 * warns: from an integer to a floating type that holds all of its values. Else v. */
static tl_value implicit(tl__c_emit *e, tl_value v) {
  const tl_op *op = tl_def(e->f, v);
  if (!op || op->code != TL_OP_cvt || !printed_inline(e, v) || tl__c_type(e, v).is_tensor) {
    return v;
  }
  tl_dtype to = tl__c_type(e, v).dtype, from = tl__c_type(e, op->operands[0]).dtype;
  size_t held = to == TL_F32 ? 2 : to == TL_F64 ? 4 : 8;
  bool widens = tl_dtype_is_float(to) && !tl_dtype_is_float(from) && from != TL_BOOL && tl_dtype_size(from) <= held;
  return widens && !tl__c_is_const(e, op->operands[0]) ? op->operands[0] : v;
}

/* The operand of a conversion to a wider integer that changes no number: C makes it by itself beside that type. Else v.
 */
static tl_value widened(tl__c_emit *e, tl_value v) {
  const tl_op *op = tl_def(e->f, v);
  if (!op || op->code != TL_OP_cvt || !printed_inline(e, v) || tl__c_is_const(e, op->operands[0])) {
    return v;
  }
  tl_dtype to = tl__c_type(e, v).dtype, from = tl__c_type(e, op->operands[0]).dtype;
  bool integers = !tl_dtype_is_float(to) && !tl_dtype_is_float(from) && from != TL_BOOL && to != TL_BOOL;
  bool keeps = !tl_dtype_is_unsigned(to) || tl_dtype_is_unsigned(from);
  return integers && keeps && tl_dtype_size(to) > tl_dtype_size(from) ? op->operands[0] : v;
}

const char *tl__c_bound_text(tl__c_emit *e, tl_value v, int prec) {
  return tl__c_value_text(e, tl_dtype_size(tl__c_type(e, v).dtype) == 8 ? widened(e, v) : v, prec);
}

/* Whether an integer type has that number, and smaller and greater ones: compilers warn of comparisons with its ends.
 */
static bool has_number(tl_dtype d, int64_t k) {
  int64_t least, most;
  tl_dtype_range(d, &least, &most);
  return k < most && k > least;
}

static bool is_integer(tl__c_emit *e, tl_value v) { return !tl_dtype_is_float(tl__c_type(e, v).dtype); }

const char *tl__c_converted_text(tl__c_emit *e, tl_value v, int prec) {
  const tl_op *op = tl_def(e->f, v);
  if (op && op->code == TL_OP_cvt && printed_inline(e, v) && !tl__c_type(e, v).is_tensor && is_integer(e, v) &&
      tl__c_type(e, op->operands[0]).dtype == TL_BOOL) {
    return tl__c_value_text(e, op->operands[0], prec);
  }
  return tl__c_value_text(e, implicit(e, v), prec);
}

/* Whether a conversion leaves every number alone that is an index once it is converted. What is negative may become
 * one, but none with 64 bits. */
static bool keeps_index(tl_dtype from, tl_dtype to) {
  bool wraps = !tl_dtype_is_unsigned(from) && tl_dtype_is_unsigned(to);
  return tl_dtype_size(to) >= tl_dtype_size(from) && (!wraps || tl_dtype_size(to) == 8);
}

const char *tl__c_index_text(tl__c_emit *e, tl_value v, int prec) {
  const tl_op *op = tl_def(e->f, v);
  if (op && op->code == TL_OP_cvt && printed_inline(e, v)) {
    tl_value x = op->operands[0];
    if (is_integer(e, x) && is_integer(e, v) && tl__c_type(e, x).dtype != TL_BOOL &&
        keeps_index(tl__c_type(e, x).dtype, tl__c_type(e, v).dtype) && !tl__c_is_const(e, x)) {
      return tl__c_index_text(e, x, prec);
    }
  }
  int64_t k;
  if (op && op->code == TL_OP_sub && printed_inline(e, v) && tl_is_const_int(e->f, op->operands[1], &k) && k >= 0) {
    /* the difference is no less than 0 where it is an index, so the narrower type holds it */
    const char *text =
        tl_arena_printf(e->arena, "%s - %lld", tl__c_index_text(e, op->operands[0], TL__PREC_ADD), (long long)k);
    return parenthesised(e, (tl__c_expr){text, TL__PREC_ADD}, prec);
  }
  return tl__c_value_text(e, v, prec);
}

const char *tl__c_extent_text(tl__c_emit *e, tl_extent x, int prec) {
  return x.value == TL_NO_VALUE ? tl_arena_printf(e->arena, "%lld", (long long)x.fixed)
                                : tl__c_value_text(e, x.value, prec);
}

/* ---- conditions ---- */

/* The i1 that an integer stands for, where v is `b != 0` with b converted from an i1. */
static tl_value strip_bool(const tl__c_emit *e, tl_value v) {
  const tl_op *op = tl_def(e->f, v);
  int64_t zero;
  if (op && op->code == TL_OP_ne && tl_is_const_int(e->f, op->operands[1], &zero) && !zero) {
    tl_value x = op->operands[0];
    if (tl__c_type(e, x).dtype == TL_BOOL) {
      return x;
    }
    const tl_op *c = tl_def(e->f, x);
    if (c && c->code == TL_OP_cvt && tl__c_type(e, c->operands[0]).dtype == TL_BOOL &&
        e->values[x].mode == TL__INLINE) {
      return c->operands[0];
    }
  }
  return v;
}

static const char *comparison(tl_opcode code, bool negated) {
  switch ((int)code) {
  case TL_OP_eq:
    return negated ? "!=" : "==";
  case TL_OP_ne:
    return negated ? "==" : "!=";
  case TL_OP_lt:
    return negated ? ">=" : "<";
  case TL_OP_le:
    return negated ? ">" : "<=";
  case TL_OP_gt:
    return negated ? "<=" : ">";
  case TL_OP_ge:
    return negated ? "<" : ">=";
  default:
    return NULL;
  }
}

static tl__c_expr condition(tl__c_emit *e, tl_value v, bool negated);
static tl__c_expr condition_of_op(tl__c_emit *e, tl_op *op, bool negated);

static tl__c_expr negation(tl__c_emit *e, tl__c_expr x, bool negated) {
  return negated ? (tl__c_expr){tl_arena_printf(e->arena, "!%s", parenthesised(e, x, TL__PREC_UNARY)), TL__PREC_UNARY}
                 : x;
}

/* 0 or 1 where all numbers of the type that x was widened from compare so with a constant, which compilers warn of;
 * else -1. */
static int known_by_range(tl__c_emit *e, const tl_op *op) {
  tl_value x = op->operands[0];
  const tl_op *cvt = tl_def(e->f, x);
  int64_t k;
  if (!cvt || cvt->code != TL_OP_cvt || !printed_inline(e, x) || !tl_is_const_int(e->f, op->operands[1], &k)) {
    return -1;
  }
  tl_dtype d = tl__c_type(e, cvt->operands[0]).dtype;
  if (d != TL_BOOL && widened(e, x) == x) {
    return -1;
  }
  int64_t least, most;
  tl_dtype_range(d, &least, &most);
  switch ((int)op->code) {
  case TL_OP_lt:
    return k > most ? 1 : k <= least ? 0 : -1;
  case TL_OP_le:
    return k >= most ? 1 : k < least ? 0 : -1;
  case TL_OP_gt:
    return k >= most ? 0 : k < least ? 1 : -1;
  case TL_OP_ge:
    return k > most ? 0 : k <= least ? 1 : -1;
  case TL_OP_eq:
  case TL_OP_ne:
    return k > most || k < least ? op->code == TL_OP_ne : -1;
  default:
    return -1;
  }
}

static tl__c_expr compare(tl__c_emit *e, const tl_op *op, bool negated) {
  tl_value x = op->operands[0], y = op->operands[1];
  if (tl__c_type(e, x).dtype == TL_BOOL) {
    int64_t k;
    if ((op->code == TL_OP_eq || op->code == TL_OP_ne) && tl_is_const_int(e->f, y, &k)) {
      return condition(e, x, negated != ((op->code == TL_OP_eq) == !k));
    }
    const char *a = parenthesised(e, condition(e, x, false), TL__PREC_UNARY);
    const char *b = parenthesised(e, condition(e, y, false), TL__PREC_UNARY);
    return (tl__c_expr){tl_arena_printf(e->arena, "%s %s %s", a, comparison(op->code, negated), b), TL__PREC_EQ};
  }
  int64_t zero;
  if (tl_dtype_is_unsigned(tl__c_type(e, x).dtype) && (op->code == TL_OP_lt || op->code == TL_OP_ge) &&
      tl_is_const_int(e->f, y, &zero) && !zero) { /* known, and compilers warn of it */
    return (tl__c_expr){(op->code == TL_OP_ge) != negated ? "1" : "0", TL__PREC_POSTFIX};
  }
  int known = known_by_range(e, op);
  if (known >= 0) {
    return (tl__c_expr){(known != 0) != negated ? "1" : "0", TL__PREC_POSTFIX};
  }
  bool integer = is_integer(e, x);
  bool flips = negated && (integer || op->code == TL_OP_eq || op->code == TL_OP_ne);
  int64_t k;
  if (integer && tl_is_const_int(e->f, y, &k)) { /* of a number that the narrower type has too */
    tl_value narrow = tl_dtype_size(tl__c_type(e, x).dtype) == 8 ? widened(e, x) : x;
    x = has_number(tl__c_type(e, narrow).dtype, k) ? narrow : x;
  } else if (integer && !tl__c_is_const(e, x) && tl_dtype_size(tl__c_type(e, x).dtype) == 8) {
    tl_value p = widened(e, x);
    if (p != x && widened(e, y) == y) {
      x = p;
    } else if (p == x) {
      y = widened(e, y);
    }
  }
  if (!integer) { /* C converts one side to the other's type */
    tl_value p = implicit(e, x), q = implicit(e, y);
    if (q != y) {
      y = q;
    } else {
      x = p;
    }
  }
  const char *text;
  if (integer && tl__c_is_const(e, x) && tl__c_is_const(e, y)) {
    text = tl_arena_printf(e->arena, "%s %s %s", tl__c_exact_text(e, x, TL__PREC_SHIFT), comparison(op->code, flips),
                           tl__c_exact_text(e, y, TL__PREC_SHIFT));
  } else {
    text = tl_arena_printf(e->arena, "%s %s %s", tl__c_value_text(e, x, TL__PREC_SHIFT), comparison(op->code, flips),
                           tl__c_value_text(e, y, TL__PREC_SHIFT));
  }
  int prec = op->code == TL_OP_eq || op->code == TL_OP_ne ? TL__PREC_EQ : TL__PREC_REL;
  return negation(e, (tl__c_expr){text, prec}, negated && !flips);
}

static tl__c_expr junction(tl__c_emit *e, bool is_and, tl__c_expr a, tl__c_expr b) {
  /* && within || gets parentheses, which both compilers ask for */
  int prec = is_and ? TL__PREC_LAND : TL__PREC_LOR;
  int inner = TL__PREC_OR;
  const char *unit = is_and ? "1" : "0"; /* of what is known */
  if (!strcmp(a.text, unit) || !strcmp(b.text, unit)) {
    return strcmp(a.text, unit) ? a : b;
  }
  const char *x = a.prec == prec ? a.text : parenthesised(e, a, inner);
  const char *y = b.prec == prec ? b.text : parenthesised(e, b, inner);
  return (tl__c_expr){tl_arena_printf(e->arena, "%s %s %s", x, is_and ? "&&" : "||", y), prec};
}

/* An `if` or select of i1 with a constant side is && or ||. */
static tl__c_expr choice(tl__c_emit *e, tl_value c, tl_value x, tl_value y, bool negated) {
  int64_t k;
  if (tl_is_const_int(e->f, y, &k)) { /* c ? x : 0 is c && x; c ? x : 1 is !c || x */
    bool value = (k != 0) != negated; /* of the result where c is false */
    return value ? junction(e, false, condition(e, c, true), condition(e, x, negated))
                 : junction(e, true, condition(e, c, false), condition(e, x, negated));
  }
  if (tl_is_const_int(e->f, x, &k)) { /* c ? 1 : y is c || y; c ? 0 : y is !c && y */
    bool value = (k != 0) != negated;
    return value ? junction(e, false, condition(e, c, false), condition(e, y, negated))
                 : junction(e, true, condition(e, c, true), condition(e, y, negated));
  }
  return (tl__c_expr){tl_arena_printf(e->arena, "%s ? %s : %s", parenthesised(e, condition(e, c, false), TL__PREC_LOR),
                                      parenthesised(e, condition(e, x, negated), TL__PREC_LOR),
                                      parenthesised(e, condition(e, y, negated), TL__PREC_LOR)),
                      TL__PREC_COND};
}

static tl__c_expr condition(tl__c_emit *e, tl_value v, bool negated) {
  if (!printed_inline(e, v)) {
    return negation(e, tl__c_value_expr(e, v), negated);
  }
  return condition_of_op(e, tl_def(e->f, v), negated);
}

/* What an op of type i1 computes. */
static tl__c_expr condition_of_op(tl__c_emit *e, tl_op *op, bool negated) {
  tl_value stripped = strip_bool(e, op->first_result);
  if (stripped != op->first_result) {
    return condition(e, stripped, negated);
  }
  switch ((int)op->code) {
  case TL_OP_const:
    return (tl__c_expr){(op->u.integer != 0) != negated ? "1" : "0", TL__PREC_POSTFIX};
  case TL_OP_not:
    return condition(e, op->operands[0], !negated);
  case TL_OP_and:
  case TL_OP_or:
    return junction(e, (op->code == TL_OP_and) != negated, condition(e, op->operands[0], negated),
                    condition(e, op->operands[1], negated));
  case TL_OP_xor: {
    const char *a = parenthesised(e, condition(e, op->operands[0], false), TL__PREC_UNARY);
    const char *b = parenthesised(e, condition(e, op->operands[1], false), TL__PREC_UNARY);
    return (tl__c_expr){tl_arena_printf(e->arena, "%s %s %s", a, negated ? "==" : "!=", b), TL__PREC_EQ};
  }
  case TL_OP_eq:
  case TL_OP_ne:
  case TL_OP_lt:
  case TL_OP_le:
  case TL_OP_gt:
  case TL_OP_ge:
    return compare(e, op, negated);
  case TL_OP_cvt: {
    const char *zero = is_integer(e, op->operands[0]) ? "0" : "0.0";
    return (tl__c_expr){tl_arena_printf(e->arena, "%s %s %s", tl__c_value_text(e, op->operands[0], TL__PREC_SHIFT),
                                        negated ? "==" : "!=", zero),
                        TL__PREC_EQ};
  }
  case TL_OP_signbit:
    e->needs->math = true;
    return negation(
        e,
        (tl__c_expr){tl_arena_printf(e->arena, "signbit(%s)", tl__c_value_text(e, op->operands[0], TL__PREC_ASSIGN)),
                     TL__PREC_POSTFIX},
        negated);
  case TL_OP_index:
    return negation(e, tl__c_load_expr(e, op), negated);
  case TL_OP_item:
    return negation(e,
                    (tl__c_expr){tl_arena_printf(e->arena, "tl_item_int(%s)",
                                                 tl__c_value_text(e, op->operands[0], TL__PREC_ASSIGN)),
                                 TL__PREC_POSTFIX},
                    negated);
  case TL_OP_select:
    return choice(e, op->operands[0], op->operands[1], op->operands[2], negated);
  case TL_OP_if:
    return choice(e, op->operands[0], op->regions[0]->yields.data[0], op->regions[1]->yields.data[0], negated);
  default:
    assert(!"no condition");
    return (tl__c_expr){"", 0};
  }
}

const char *tl__c_condition_text(tl__c_emit *e, tl_value v, bool negated, int prec) {
  return parenthesised(e, condition(e, v, negated), prec);
}

/* ---- ops ---- */

/* An argument of a function with a prototype. */
static const char *argument(tl__c_emit *e, tl_value v) { return tl__c_converted_text(e, v, TL__PREC_ASSIGN); }

static tl__c_expr call(tl__c_emit *e, const tl_op *op, const char *name, tl_dtype d) {
  e->needs->math = true;
  e->needs->bessel[op->code][d] = op->code == TL_OP_j0 || op->code == TL_OP_j1 || op->code == TL_OP_jn ||
                                  op->code == TL_OP_y0 || op->code == TL_OP_y1 || op->code == TL_OP_yn;
  tl__c_text t = {.arena = e->arena};
  tl__c_text_addf(&t, "%s%s(", name, d == TL_F32 ? "f" : d == TL_F80 ? "l" : "");
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl__c_text_addf(&t, "%s%s", i ? ", " : "", argument(e, op->operands[i]));
  }
  tl__c_text_add(&t, ")");
  return (tl__c_expr){t.data, TL__PREC_POSTFIX};
}

/* A function that libm lacks. */
static tl__c_expr special(tl__c_emit *e, const tl_op *op, tl_dtype d) {
  tl_special s = tl_special_of(e->f, op);
  e->needs->math = true;
  for (tl_special needed = s; needed != TL_SPECIAL_NONE; needed = tl_special_needs(needed)) {
    e->needs->special[needed][d] = true;
  }
  tl__c_text t = {.arena = e->arena};
  tl__c_text_addf(&t, "%s(", tl_special_name(s, d));
  for (uint32_t i = s == TL_SPECIAL_digamma ? 1 : 0; i < op->operand_count; i++) {
    tl__c_text_addf(&t, "%s%s", t.data[t.count - 1] == '(' ? "" : ", ", argument(e, op->operands[i]));
  }
  tl__c_text_add(&t, ")");
  return (tl__c_expr){t.data, TL__PREC_POSTFIX};
}

typedef struct infix {
  const char *sign;
  int prec, left, right; /* what the operands need */
} infix;

static infix infix_of(tl_opcode code) {
  switch ((int)code) {
  case TL_OP_add:
    return (infix){"+", TL__PREC_ADD, TL__PREC_ADD, TL__PREC_MUL};
  case TL_OP_sub:
    return (infix){"-", TL__PREC_ADD, TL__PREC_ADD, TL__PREC_MUL};
  case TL_OP_mul:
    return (infix){"*", TL__PREC_MUL, TL__PREC_MUL, TL__PREC_UNARY};
  case TL_OP_div:
    return (infix){"/", TL__PREC_MUL, TL__PREC_MUL, TL__PREC_UNARY};
  case TL_OP_rem:
    return (infix){"%", TL__PREC_MUL, TL__PREC_MUL, TL__PREC_UNARY};
  case TL_OP_and:
    return (infix){"&", TL__PREC_AND, TL__PREC_UNARY, TL__PREC_UNARY};
  case TL_OP_or:
    return (infix){"|", TL__PREC_OR, TL__PREC_UNARY, TL__PREC_UNARY};
  case TL_OP_xor:
    return (infix){"^", TL__PREC_XOR, TL__PREC_UNARY, TL__PREC_UNARY};
  case TL_OP_shl:
    return (infix){"<<", TL__PREC_SHIFT, TL__PREC_UNARY, TL__PREC_UNARY};
  case TL_OP_shr:
    return (infix){">>", TL__PREC_SHIFT, TL__PREC_UNARY, TL__PREC_UNARY};
  default:
    assert(!"not an infix op");
    return (infix){"", 0, 0, 0};
  }
}

/* x + y as the infix that reads best: `x - 1` for an added -1, `x - y` for an added -y. Both are exact. */
static infix signed_infix(tl__c_emit *e, const tl_op *op, tl_value *y, const char **y_text) {
  infix f = infix_of(op->code);
  tl_opcode other = op->code == TL_OP_add ? TL_OP_sub : TL_OP_add;
  *y_text = NULL;
  if (op->code != TL_OP_add && op->code != TL_OP_sub) {
    return f;
  }
  const tl_op *d = tl_def(e->f, *y);
  if (!d || !printed_inline(e, *y)) {
    return f;
  }
  tl_dtype dtype = tl__c_type(e, *y).dtype;
  if (d->code == TL_OP_neg && !is_small_int(dtype)) {
    *y = d->operands[0];
    return infix_of(other);
  }
  if (d->code == TL_OP_const && !is_integer(e, *y) && signbit(d->u.floating) && !isnan(d->u.floating)) {
    tl__c_expr x = tl__c_constant_expr(e, d, dtype, false);
    *y_text = *x.text == '-' ? x.text + 1 : NULL;
    return *y_text ? infix_of(other) : f;
  }
  if (d->code == TL_OP_const && is_integer(e, *y) && d->u.integer < 0 && d->u.integer > INT32_MIN) {
    *y_text = tl_arena_printf(e->arena, "%lld", (long long)-d->u.integer);
    return infix_of(other);
  }
  return f;
}

static tl__c_expr cast(tl__c_emit *e, tl_dtype d, const char *operand) {
  return (tl__c_expr){tl_arena_printf(e->arena, "(%s)%s", tl__c_type_text(d), operand), TL__PREC_UNARY};
}

static tl__c_expr binary(tl__c_emit *e, const tl_op *op) {
  tl_value x = op->operands[0], y = op->operands[1];
  tl_dtype d = tl__c_type(e, op->first_result).dtype;
  int64_t minus_one;
  const tl_op *difference = tl_def(e->f, x);
  if (op->code == TL_OP_div && tl_is_const_int(e->f, y, &minus_one) && minus_one == -1 && !is_small_int(d) &&
      difference && difference->code == TL_OP_sub && printed_inline(e, x)) { /* (a - b) / -1 is b - a */
    return (tl__c_expr){tl_arena_printf(e->arena, "%s - %s", tl__c_exact_text(e, difference->operands[1], TL__PREC_ADD),
                                        tl__c_exact_text(e, difference->operands[0], TL__PREC_MUL)),
                        TL__PREC_ADD};
  }
  const char *y_text;
  infix f = signed_infix(e, op, &y, &y_text);
  bool shift = op->code == TL_OP_shl || op->code == TL_OP_shr;
  if (tl_dtype_is_float(d)) {
    tl_value p = implicit(e, x), q = implicit(e, y);
    if (q != y && !y_text && !tl__c_is_const(e, x)) {
      y = q;
    } else if (!(tl__c_is_const(e, y) && !y_text)) {
      x = p;
    }
  }
  bool exact = !tl_dtype_is_float(d) && tl__c_is_const(e, x) && (shift || y_text || tl__c_is_const(e, y));
  const char *a = exact ? tl__c_exact_text(e, x, f.left) : tl__c_value_text(e, x, f.left);
  /* a negative constant on the right would read as "a - -1" */
  bool wrap =
      !y_text && f.prec == TL__PREC_ADD && tl__c_is_const(e, y) && tl__c_value_expr(e, y).prec == TL__PREC_UNARY;
  const char *b = y_text ? y_text : tl__c_value_text(e, y, wrap ? TL__PREC_POSTFIX : f.right);
  if (!wrap && *b == '-' && *f.sign == '-') {
    b = tl_arena_printf(e->arena, "(%s)", b);
  }
  tl__c_expr r = {tl_arena_printf(e->arena, "%s %s %s", a, f.sign, b), f.prec};
  return is_small_int(d) ? cast(e, d, parenthesised(e, r, TL__PREC_UNARY)) : r;
}

static tl__c_expr unary(tl__c_emit *e, const tl_op *op, char sign) {
  const char *x = tl__c_exact_text(e, op->operands[0], TL__PREC_UNARY);
  tl__c_expr r = {tl_arena_printf(e->arena, *x == '-' ? "%c(%s)" : "%c%s", sign, x), TL__PREC_UNARY};
  tl_dtype d = tl__c_type(e, op->first_result).dtype;
  return is_small_int(d) ? cast(e, d, r.text) : r;
}

static tl__c_expr conversion(tl__c_emit *e, tl_op *op) {
  tl_dtype d = tl__c_type(e, op->first_result).dtype;
  tl_value x = op->operands[0];
  if (d == TL_BOOL) {
    const char *zero = is_integer(e, x) ? "0" : "0.0";
    return (tl__c_expr){tl_arena_printf(e->arena, "%s != %s", tl__c_value_text(e, x, TL__PREC_SHIFT), zero),
                        TL__PREC_EQ};
  }
  if (tl__c_type(e, x).dtype == TL_BOOL) {
    tl__c_expr c = condition(e, x, false);
    return d == TL_I32 && printed_inline(e, x) ? c : cast(e, d, parenthesised(e, c, TL__PREC_UNARY));
  }
  return cast(e, d, tl__c_exact_text(e, x, TL__PREC_UNARY));
}

static tl__c_expr ternary(tl__c_emit *e, tl_value c, tl_value x, tl_value y) {
  if (tl__c_type(e, x).dtype == TL_BOOL) {
    return choice(e, c, x, y, false);
  }
  bool exact = tl__c_is_const(e, x) && tl__c_is_const(e, y);
  tl_value p = implicit(e, x), q = implicit(e, y);
  if (q != y && !tl__c_is_const(e, x)) {
    y = q;
  } else if (!tl__c_is_const(e, y)) {
    x = p;
  }
  const char *a = exact ? tl__c_exact_text(e, x, TL__PREC_LOR) : tl__c_value_text(e, x, TL__PREC_LOR);
  const char *b = exact ? tl__c_exact_text(e, y, TL__PREC_COND) : tl__c_value_text(e, y, TL__PREC_COND);
  return (tl__c_expr){
      tl_arena_printf(e->arena, "%s ? %s : %s", parenthesised(e, condition(e, c, false), TL__PREC_LOR), a, b),
      TL__PREC_COND};
}

static tl__c_expr op_expr(tl__c_emit *e, tl_op *op) {
  tl_dtype d = tl__c_type(e, op->first_result).dtype;
  const tl_value *x = op->operands;
  if (tl__c_is_tensor_op(e->f, op)) {
    return tl__c_tensor_expr(e, op);
  }
  switch (op->code) {
  case TL_OP_const:
    return tl__c_constant_expr(e, op, d, false);
  case TL_OP_add:
  case TL_OP_sub:
  case TL_OP_mul:
  case TL_OP_div:
  case TL_OP_rem:
  case TL_OP_shl:
  case TL_OP_shr:
    return binary(e, op);
  case TL_OP_and:
  case TL_OP_or:
  case TL_OP_xor:
    return d == TL_BOOL ? condition_of_op(e, op, false) : binary(e, op);
  case TL_OP_neg:
    return unary(e, op, '-');
  case TL_OP_bitnot:
    return unary(e, op, '~');
  case TL_OP_not:
  case TL_OP_eq:
  case TL_OP_ne:
  case TL_OP_lt:
  case TL_OP_le:
  case TL_OP_gt:
  case TL_OP_ge:
  case TL_OP_signbit:
    return condition_of_op(e, op, false);
  case TL_OP_select:
    return ternary(e, x[0], x[1], x[2]);
  case TL_OP_if:
    return ternary(e, x[0], op->regions[0]->yields.data[0], op->regions[1]->yields.data[0]);
  case TL_OP_cvt:
    return conversion(e, op);
  case TL_OP_index:
    return tl__c_load_expr(e, op);
  case TL_OP_ilogb:
    return call(e, op, "ilogb", tl__c_type(e, x[0]).dtype);
  case TL_OP_fma:
  case TL_OP_fabs:
  case TL_OP_sqrt:
  case TL_OP_cbrt:
  case TL_OP_exp:
  case TL_OP_exp2:
  case TL_OP_expm1:
  case TL_OP_log:
  case TL_OP_log2:
  case TL_OP_log10:
  case TL_OP_log1p:
  case TL_OP_sin:
  case TL_OP_cos:
  case TL_OP_tan:
  case TL_OP_asin:
  case TL_OP_acos:
  case TL_OP_atan:
  case TL_OP_sinh:
  case TL_OP_cosh:
  case TL_OP_tanh:
  case TL_OP_asinh:
  case TL_OP_acosh:
  case TL_OP_atanh:
  case TL_OP_erf:
  case TL_OP_erfc:
  case TL_OP_lgamma:
  case TL_OP_tgamma:
  case TL_OP_floor:
  case TL_OP_ceil:
  case TL_OP_trunc:
  case TL_OP_round:
  case TL_OP_rint:
  case TL_OP_nearbyint:
  case TL_OP_logb:
  case TL_OP_j0:
  case TL_OP_j1:
  case TL_OP_y0:
  case TL_OP_y1:
  case TL_OP_jn:
  case TL_OP_yn:
  case TL_OP_pow:
  case TL_OP_atan2:
  case TL_OP_hypot:
  case TL_OP_fmax:
  case TL_OP_fmin:
  case TL_OP_fdim:
  case TL_OP_fmod:
  case TL_OP_remainder:
  case TL_OP_copysign:
  case TL_OP_nextafter:
  case TL_OP_ldexp:
    return call(e, op, tl_op_table[op->code].name, d);
  case TL_OP_frexp_exponent:
  case TL_OP_remquo_quotient:
    return special(e, op, tl__c_type(e, x[0]).dtype);
  case TL_OP_frexp_fraction:
  case TL_OP_modf_fraction:
  case TL_OP_polygamma:
    return special(e, op, d);
#define TL_TEN(name, class, arity, attributes, doc) case TL_OP_##name:
#include "ir/ops.def"
  case TL_OP_item:
  case TL_OP_dim:
  case TL_OP_alloc:
  case TL_OP_update:
  case TL_OP_fill:
  case TL_OP_clone:
  case TL_OP_pack:
  case TL_OP_accumulate:
  case TL_OP_call:
  case TL_OP_extern:
  case TL_OP_COUNT:
    break;
  case TL_OP_loop:
    return tl__c_trips_expr(e, op);
  }
  assert(!"the op is a statement");
  return (tl__c_expr){"", 0};
}

/* ---- assignments ---- */

const char *tl__c_assign_text(tl__c_emit *e, const char *place, tl_value v) {
  tl_op *op = tl_def(e->f, v);
  tl_dtype d = tl__c_type(e, v).dtype;
  bool compound = op && d != TL_BOOL && !tl__c_type(e, v).is_tensor;
  switch (op ? (int)op->code : -1) {
  case TL_OP_add:
  case TL_OP_mul:
  case TL_OP_and:
  case TL_OP_or:
  case TL_OP_xor:
    if (compound && strcmp(tl__c_value_text(e, op->operands[0], 0), place) &&
        !strcmp(tl__c_value_text(e, op->operands[1], 0), place)) {
      const char *text = tl__c_value_text(e, implicit(e, op->operands[0]), TL__PREC_ASSIGN);
      return tl_arena_printf(e->arena, "%s %s= %s;", place, infix_of(op->code).sign, text);
    }
    break;
  case TL_OP_sub:
  case TL_OP_div:
  case TL_OP_rem:
  case TL_OP_shl:
  case TL_OP_shr:
    break;
  default:
    compound = false;
  }
  if (compound && !strcmp(tl__c_value_text(e, op->operands[0], 0), place)) {
    tl_value y = op->operands[1];
    const char *y_text;
    infix f = signed_infix(e, op, &y, &y_text);
    if (!y_text) {
      y_text = tl__c_value_text(e, implicit(e, y), TL__PREC_ASSIGN);
    }
    if (!tl_dtype_is_float(d) && !strcmp(y_text, "1") && (*f.sign == '+' || *f.sign == '-')) {
      /* Postfix operators bind tighter than the star of a pointer. */
      return *place == '*' ? tl_arena_printf(e->arena, "(%s)%s%s;", place, f.sign, f.sign)
                           : tl_arena_printf(e->arena, "%s%s%s;", place, f.sign, f.sign);
    }
    if ((op->code == TL_OP_and || op->code == TL_OP_or) && !strcmp(y_text, place)) {
      return NULL; /* clang calls `p &= p` a self-assignment */
    }
    return tl_arena_printf(e->arena, "%s %s= %s;", place, f.sign, y_text);
  }
  return NULL;
}
