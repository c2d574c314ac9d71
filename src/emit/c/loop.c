/* Loops. */
#include <string.h>

#include "emit/c/internal.h"

/* By constants alone; compilers warn of `i < 0` for an unsigned i. */
static bool never_runs(tl__c_emit *e, const tl_op *op) {
  int64_t lo, hi;
  tl_value l = tl_loop_lo(op), h = tl_loop_hi(op);
  if (h == TL_NO_VALUE) {
    return false;
  }
  bool is_unsigned = tl_dtype_is_unsigned(tl__c_type(e, l).dtype);
  bool lo_known = tl_is_const_int(e->f, l, &lo), hi_known = tl_is_const_int(e->f, h, &hi);
  if (is_unsigned && ((op->u.step > 0 && hi_known && !hi) || (op->u.step < 0 && lo_known && !lo))) {
    return true;
  }
  return lo_known && hi_known && !is_unsigned && (op->u.step > 0 ? lo >= hi : lo <= hi);
}

/* The farthest that a bound of 32 bits may lie from 0, and the longest step, with which sums of bounds and steps stay
 * in their type in loops that end some day. */
enum { FAR_FROM_ZERO = 1 << 30, LONG_STEP = 1024 };

/* Whether `to - from`, or `from + k * step`, may be too large for the bounds' own type of 32 bits. */
static bool needs_long(tl__c_emit *e, const tl_op *op) {
  int64_t c, step = op->u.step;
  bool is_far = tl_is_const_int(e->f, tl_loop_lo(op), &c) && (c > FAR_FROM_ZERO || c < -FAR_FROM_ZERO);
  return tl_dtype_size(tl__c_type(e, tl_loop_lo(op)).dtype) < 8 && (is_far || step > LONG_STEP || step < -LONG_STEP);
}

/* How often a loop counted by lo and hi alone runs. */
tl__c_expr tl__c_trips_expr(tl__c_emit *e, const tl_op *op) {
  if (never_runs(e, op)) {
    return (tl__c_expr){"0", TL__PREC_POSTFIX};
  }
  tl_value lo = tl_loop_lo(op), hi = tl_loop_hi(op);
  tl_dtype d = tl__c_type(e, hi).dtype;
  int64_t step = op->u.step, zero = 1;
  bool from_zero = tl_is_const_int(e->f, lo, &zero) && !zero;
  const char *cast = d == TL_I64 ? "" : "(long)";
  if (step == 1 && from_zero) {
    if (tl_dtype_is_unsigned(d)) {
      return (tl__c_expr){tl_arena_printf(e->arena, "%s%s", cast, tl__c_value_text(e, hi, TL__PREC_UNARY)),
                          TL__PREC_UNARY};
    }
    return (tl__c_expr){tl_arena_printf(e->arena, "%s > 0 ? %s%s : 0", tl__c_bound_text(e, hi, TL__PREC_SHIFT), cast,
                                        tl__c_value_text(e, hi, TL__PREC_UNARY)),
                        TL__PREC_COND};
  }
  tl_value from = step > 0 ? lo : hi, to = step > 0 ? hi : lo;
  int64_t size = step > 0 ? step : -step;
  int64_t k;
  bool plain = (step > 0 && from_zero) || (step < 0 && tl_is_const_int(e->f, hi, &k) && !k);
  const char *difference, *widen = needs_long(e, op) ? "(long)" : "";
  int level = *widen ? TL__PREC_UNARY : TL__PREC_ADD;
  if (plain) {
    difference = tl_arena_printf(e->arena, "%s%s", widen, tl__c_value_text(e, to, level));
  } else {
    difference = tl_arena_printf(e->arena, "%s%s - %s", widen, tl__c_exact_text(e, to, level),
                                 tl__c_value_text(e, from, TL__PREC_MUL));
  }
  cast = *widen ? "" : cast;
  if (size > 1) {
    difference = tl_arena_printf(e->arena, "(%s + %lld) / %lld", difference, (long long)size - 1, (long long)size);
  }
  bool simple = !strchr(difference, ' ');
  return (tl__c_expr){tl_arena_printf(e->arena, simple || !*cast ? "%s > %s ? %s%s : 0" : "%s > %s ? %s(%s) : 0",
                                      tl__c_exact_text(e, to, TL__PREC_SHIFT),
                                      tl__c_value_text(e, from, TL__PREC_SHIFT), cast, difference),
                      TL__PREC_COND};
}

static const char *advance(tl__c_emit *e, const char *iv, int64_t step) {
  if (step == 1 || step == -1) {
    return tl_arena_printf(e->arena, "%s%s", iv, step > 0 ? "++" : "--");
  }
  return tl_arena_printf(e->arena, "%s %s %lld", iv, step > 0 ? "+=" : "-=", (long long)(step > 0 ? step : -step));
}

/* x of a bound that is printed as x + 1 of a signed type: then `i <= x` says the same as `i < x + 1`. */
static tl_value inclusive_bound(tl__c_emit *e, tl_value hi) {
  const tl_op *op = tl_def(e->f, hi);
  int64_t one;
  if (op && op->code == TL_OP_add && e->values[hi].mode == TL__INLINE &&
      !tl_dtype_is_unsigned(tl__c_type(e, hi).dtype)) {
    for (int k = 0; k < 2; k++) {
      if (tl_is_const_int(e->f, op->operands[k], &one) && one == 1 && !tl__c_is_const(e, op->operands[1 - k])) {
        return op->operands[1 - k];
      }
    }
  }
  return TL_NO_VALUE;
}

static const char *bound_test(tl__c_emit *e, const tl_op *op, const char *iv) {
  tl_value hi = tl_loop_hi(op), last = op->u.step > 0 ? inclusive_bound(e, hi) : TL_NO_VALUE;
  if (last != TL_NO_VALUE) {
    return tl_arena_printf(e->arena, "%s <= %s", iv, tl__c_bound_text(e, last, TL__PREC_SHIFT));
  }
  int64_t k;
  if (op->u.step < 0 && tl_is_const_int(e->f, hi, &k) && k == -1 && !tl_dtype_is_unsigned(tl__c_type(e, hi).dtype)) {
    return tl_arena_printf(e->arena, "%s >= 0", iv);
  }
  return tl_arena_printf(e->arena, "%s %s %s", iv, op->u.step > 0 ? "<" : ">", tl__c_bound_text(e, hi, TL__PREC_SHIFT));
}

/* x + k as text, for a constant x too. */
static const char *plus(tl__c_emit *e, tl_value x, int k) {
  int64_t c;
  if (tl_is_const_int(e->f, x, &c)) {
    return tl_arena_printf(e->arena, "%lld", (long long)(c + k));
  }
  const tl_op *op = tl_def(e->f, x);
  bool is_sum = op && (op->code == TL_OP_add || op->code == TL_OP_sub) && e->values[x].mode == TL__INLINE &&
                tl_is_const_int(e->f, op->operands[1], &c) && c > INT32_MIN && c < INT32_MAX;
  int64_t offset = k;
  if (is_sum) {
    offset += op->code == TL_OP_add ? c : -c;
    x = op->operands[0];
  }
  const char *text = tl__c_value_text(e, x, TL__PREC_ADD);
  return offset == 0 ? text
                     : tl_arena_printf(e->arena, "%s %c %lld", text, offset > 0 ? '+' : '-',
                                       (long long)(offset > 0 ? offset : -offset));
}

/* Whether a loop backwards by ones would have to pass the end of the type behind its last iteration. */
static bool starts_at_limit(tl__c_emit *e, const tl_op *op) {
  int64_t c;
  tl_dtype d = tl__c_type(e, tl_loop_lo(op)).dtype;
  if (tl_dtype_is_unsigned(d) || !tl_is_const_int(e->f, tl_loop_lo(op), &c)) {
    return false;
  }
  int64_t most = tl_dtype_size(d) == 8 ? INT64_MAX : ((int64_t)1 << (8 * tl_dtype_size(d) - 1)) - 1;
  return c == (op->u.step > 0 ? -most - 1 : most);
}

/* The head of a counted loop that runs backwards; `inside` receives a first statement of the body, or NULL. */
static const char *reversed_head(tl__c_emit *e, const tl_op *op, const char *type, const char *iv,
                                 const char **inside) {
  tl_value lo = tl_loop_lo(op), hi = tl_loop_hi(op);
  bool is_unsigned = tl_dtype_is_unsigned(tl__c_type(e, lo).dtype);
  const char *lo_text = tl__c_bound_text(e, lo, TL__PREC_SHIFT), *hi_text = tl__c_value_text(e, hi, TL__PREC_SHIFT);
  *inside = NULL;
  bool steps = starts_at_limit(e, op);
  if (op->u.step == 1 && !steps) {
    tl_value before = inclusive_bound(e, lo);
    if (before != TL_NO_VALUE) {
      return tl_arena_printf(e->arena, "for (%s %s = %s; %s > %s; %s--)", type, iv, plus(e, hi, -1), iv,
                             tl__c_bound_text(e, before, TL__PREC_SHIFT), iv);
    }
    return is_unsigned ? tl_arena_printf(e->arena, "for (%s %s = %s; %s-- > %s;)", type, iv, hi_text, iv, lo_text)
                       : tl_arena_printf(e->arena, "for (%s %s = %s; %s >= %s; %s--)", type, iv, plus(e, hi, -1), iv,
                                         lo_text, iv);
  }
  if (op->u.step == -1 && !steps) {
    return is_unsigned ? tl_arena_printf(e->arena, "for (%s %s = %s; %s++ < %s;)", type, iv, hi_text, iv, lo_text)
                       : tl_arena_printf(e->arena, "for (%s %s = %s; %s <= %s; %s++)", type, iv, plus(e, hi, 1), iv,
                                         lo_text, iv);
  }
  const char *k = tl__c_name_fresh(e, tl__c_op_of(e, op)->inner[1], "step");
  int64_t step = op->u.step, zero = 1;
  bool from_zero = tl_is_const_int(e->f, lo, &zero) && !zero;
  const char *start = from_zero && step > 0 ? "" : tl__c_value_text(e, lo, TL__PREC_ADD), *sign = step < 0    ? " - "
                                                                                                  : from_zero ? ""
                                                                                                              : " + ";
  long long size = step > 0 ? step : -step;
  *inside = needs_long(e, op)
                ? tl_arena_printf(e->arena, "%s %s = (%s)(%s%s%s * %lld);", type, iv, type, start, sign, k, size)
                : tl_arena_printf(e->arena, "%s %s = %s%s(%s)%s * %lld;", type, iv, start, sign, type, k, size);
  return tl_arena_printf(e->arena, "for (long %s = %s; %s-- > 0;)", k, tl__c_trips_expr(e, op).text, k);
}

/* iv NULL: nothing reads it, and there is no bound. */
static const char *forward_head(tl__c_emit *e, const tl_op *op, const char *iv, const char *type, tl_value condition) {
  const char *test = "";
  bool bounded = tl_loop_hi(op) != TL_NO_VALUE;
  if (bounded) {
    test = bound_test(e, op, iv);
  }
  if (condition != TL_NO_VALUE) {
    const char *c = tl__c_condition_text(e, condition, false, bounded ? TL__PREC_LAND : TL__PREC_COMMA);
    test = bounded ? tl_arena_printf(e->arena, "%s && %s", test, c) : c;
  }
  if (!iv) {
    return *test ? tl_arena_printf(e->arena, "while (%s)", test) : "for (;;)";
  }
  return tl_arena_printf(e->arena, "for (%s %s = %s;%s%s; %s)", type, iv,
                         tl__c_converted_text(e, tl_loop_lo(op), TL__PREC_ASSIGN), *test ? " " : "", test,
                         advance(e, iv, op->u.step));
}

/* Of each tensor that the loop carries, the one that the scope around it was handed last: a variable of each, which
 * stands ahead of the loop. */
static const char **declare_kept(tl__c_emit *e, tl_op *op) {
  const char **kept = TL_NEW_ARRAY(e->arena, const char *, tl_loop_carries(op) + 1);
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    tl_value v = tl_op_result(op, i);
    if (tl__c_type(e, v).is_tensor && tl__c_carry_needed(e, op, i)) {
      const tl__c_var *p = tl__c_var_of(e, v);
      const char *name = p->is_param ? e->f->cparams.data[e->f->params.data[p->param].cparam].name : p->name;
      kept[i] = tl__c_name_fresh(e, e->region, tl_arena_printf(e->arena, "%s_kept", name));
      tl__c_line(e, "tl_tensor %s = NULL;", kept[i]);
    }
  }
  return kept;
}

/* The end of an iteration: what goes on is the scope's around, what came in is released. */
static void hand_on(tl__c_emit *e, tl_op *op, const char *const *kept) {
  const char *scope = e->scopes.data[e->scopes.count - 1];
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    if (kept[i]) {
      const tl__c_var *p = tl__c_var_of(e, tl_op_result(op, i));
      const char *name = p->is_param ? tl__c_scalar_param_text(e, p) : p->name;
      tl__c_line(e, "%s = tl_scope_carry(%s, %s, %s);", name, scope, name, kept[i]);
      tl__c_line(e, "%s = %s;", kept[i], name);
    }
  }
  tl__c_scope_close(e);
  e->scopes.count--;
}

void tl__c_emit_loop(tl__c_emit *e, tl_op *op) {
  tl__c_op *o = tl__c_op_of(e, op);
  const tl_region *cond = tl_loop_cond(op), *body = tl_loop_body(op);
  tl_value trips = tl_loop_trips(op);
  bool counts = tl__c_trips_needed(e, op) && !tl_loop_is_counted(op);
  tl__c_comment(e, op->loc);
  tl__c_declare_before(e, op);
  tl__c_tape_check_for(e, op);
  uint32_t carries = tl_loop_carries(op), n = 0;
  tl__c_copy *copies = TL_NEW_ARRAY(e->arena, tl__c_copy, carries + 1);
  for (uint32_t i = 0; i < carries; i++) {
    if (tl__c_carry_needed(e, op, i)) {
      copies[n++] = (tl__c_copy){tl_op_result(op, i), tl_loop_init(op, i)};
    }
  }
  tl__c_emit_copies(e, n, copies, op);
  if (counts) {
    tl__c_set_text(e, trips, "0", op);
  }
  if (never_runs(e, op)) {
    if (tl__c_trips_needed(e, op) && !counts && e->values[trips].mode == TL__VARIABLE) {
      tl__c_set_text(e, trips, "0", op);
    }
    return;
  }
  tl__c_tape_reserve(e, op);
  tl_value iv_value = body->params.data[0];
  tl__c_var *iv_var = tl__c_var_of(e, iv_value);
  bool iv_used = tl_loop_hi(op) != TL_NO_VALUE || e->values[iv_value].needed || e->values[cond->params.data[0]].needed;
  const char *iv = iv_var->name, *type = tl__c_type_text(tl__c_type(e, iv_value).dtype);
  iv_var->declared = true;
  bool conditional = cond->yields.count;
  bool as_expression = tl__c_condition_is_expression(e, op);
  const char *head, *first = NULL, *head_by_break = NULL;
  tl_value rest = TL_NO_VALUE;
  int64_t go = 0;
  uint32_t flag = conditional && as_expression ? tl__c_exit_flag(e, op, &rest, &go) : TL__NONE;
  if (op->reversed) {
    head = reversed_head(e, op, type, iv, &first);
  } else {
    tl_value c = conditional && as_expression ? cond->yields.data[0] : TL_NO_VALUE;
    head = forward_head(e, op, iv_used ? iv : NULL, type, c);
    head_by_break = flag == TL__NONE ? NULL : forward_head(e, op, iv_used ? iv : NULL, type, rest);
  }
  bool scoped = tl__c_region_has_tensors(e->f, cond) || tl__c_region_has_tensors(e->f, body);
  const char **kept = scoped ? declare_kept(e, op) : NULL;
  uint32_t outside = e->region, line = e->line;
  tl__c_stmt *loop = tl__c_braced(e, head);
  loop->counted = tl_loop_hi(op) != TL_NO_VALUE;
  tl__c_block *old = tl__c_into(e, &loop->body);
  if (first) {
    tl__c_define(e, iv, first);
  }
  if (scoped) {
    e->region = o->inner[1];
    tl__c_scope_open(e);
  }
  const char *count = counts ? tl__c_value_expr(e, trips).text : NULL;
  if (counts && flag != TL__NONE) {
    tl__c_define(e, count, tl_arena_printf(e->arena, "%s++;", count));
  }
  if (conditional && !as_expression) {
    e->region = o->inner[0];
    tl__c_emit_region_ops(e, e->region);
    const char *c = tl__c_condition_text(e, cond->yields.data[0], true, 0);
    tl__c_block *block = tl__c_into(e, &tl__c_braced(e, tl_arena_printf(e->arena, "if (%s)", c))->body);
    tl__c_tape_free(e, o->inner[0]);
    if (scoped) {
      tl__c_scope_close(e);
    }
    tl__c_line(e, "break;");
    e->out = block;
  }
  e->region = o->inner[1];
  tl__c_emit_region_ops(e, e->region);
  n = 0;
  for (uint32_t i = 0; i < carries; i++) {
    if (tl__c_carry_needed(e, op, i)) {
      copies[n++] = (tl__c_copy){tl_op_result(op, i), body->yields.data[i]};
    }
  }
  tl__c_emit_copies(e, n, copies, NULL);
  if (counts && flag == TL__NONE) {
    tl__c_define(e, count, tl_arena_printf(e->arena, "%s++;", count));
  }
  if (scoped) {
    hand_on(e, op, kept);
  }
  const char *flag_name =
      flag == TL__NONE ? NULL : tl__c_var_of(e, tl_op_result(op, flag))->name; /* none if a parameter */
  if (flag_name && !scoped && !tl__c_tape_frees(e, o->inner[1]) && tl__c_exit_by_break(e, &loop->body, flag_name, go)) {
    loop->text = head_by_break;
  }
  tl__c_tape_free(e, o->inner[1]);
  if (conditional && !as_expression) {
    tl__c_tape_free(e, o->inner[0]);
  }
  e->out = old;
  e->region = outside;
  e->line = line;
  if (tl__c_trips_needed(e, op) && !counts && e->values[trips].mode == TL__VARIABLE) {
    tl__c_set_text(e, trips, tl__c_trips_expr(e, op).text, op);
  }
}
