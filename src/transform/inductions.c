/* Induction variables: integers that follow the loop's own count. A carry that grows by a constant becomes an
 * expression of the count, and a loop that ends by such an expression becomes a counted one, so that its reverse need
 * not record anything. */
#include "transform/simplify.h"
#include "transform/transform.h"

/* By how much the carry grows in every iteration, where that is a constant multiple of the loop's step. */
static bool growth(const tl_func *f, const tl_op *loop, uint32_t carry, int64_t *out) {
  const tl_region *body = tl_loop_body(loop);
  tl_value param = body->params.data[carry + 1], next = body->yields.data[carry];
  tl_dtype t = tl_type_of(f, param).dtype;
  const tl_op *def = tl_def(f, next);
  int64_t c;
  if (tl_type_of(f, param).is_array || tl_dtype_is_float(t) || t == TL_BOOL || loop->reversed || !def) {
    return false;
  }
  if ((def->code == TL_OP_add || def->code == TL_OP_sub) && def->operands[0] == param &&
      tl_is_const_int(f, def->operands[1], &c)) {
    c = def->code == TL_OP_add ? c : -c;
  } else if (def->code != TL_OP_add || def->operands[1] != param || !tl_is_const_int(f, def->operands[0], &c)) {
    return false;
  }
  *out = c;
  return c > INT32_MIN && c < INT32_MAX && loop->u.step > INT32_MIN && loop->u.step < INT32_MAX &&
         c % loop->u.step == 0;
}

/* init + factor * steps in the carry's type. */
static tl_value build_progress(tl_builder *b, tl_value init, tl_value steps, int64_t factor) {
  tl_dtype t = tl_type_of(b->func, init).dtype;
  tl_value distance = tl_build_cvt(b, t, steps);
  if (factor == -1) {
    return tl_build_binary(b, TL_OP_sub, init, distance);
  }
  distance = tl_build_binary(b, TL_OP_mul, distance, tl_build_int(b, t, factor));
  return tl_build_binary(b, TL_OP_add, init, distance);
}

/* The carry's value at the head of a region of the loop, from the induction variable. */
static tl_value build_at_head(tl_simplify *s, tl_op *loop, tl_region *r, uint32_t carry, int64_t factor) {
  tl_func *f = s->rw.func;
  uint32_t count;
  tl_op **ops = tl__region_take(s->rw.scratch, r, &count);
  tl_builder b = {.func = f, .region = r, .loc = loop->loc, .peephole = tl__simplify_peephole};
  tl_value steps = tl_build_binary(&b, TL_OP_sub, r->params.data[0], tl_loop_lo(loop));
  tl_value v = build_progress(&b, tl_loop_init(loop, carry), steps, factor);
  for (uint32_t i = 0; i < count; i++) {
    tl__region_append(f, r, ops[i]);
  }
  if (tl_info(f, v)->op && tl_info(f, v)->region == r && !tl_info(f, v)->name) {
    f->values.data[v].name = tl_info(f, r->params.data[carry + 1])->name;
  }
  return v;
}

/* A carry that grows by a constant is an expression of the induction variable, so that nobody has to keep its values:
 * carry = init + c/step * (iv - lo), and init + c * trips in the end. */
void tl__simplify_inductions(tl_simplify *s, tl_region *into, tl_op *loop) {
  tl_func *f = s->rw.func;
  uint32_t n = tl_loop_carries(loop);
  bool *keep = TL_NEW_ARRAY(s->rw.scratch, bool, n + 1), any = false;
  for (uint32_t i = 0; i < n; i++) {
    int64_t c;
    keep[i] = !growth(f, loop, i, &c);
    if (keep[i]) {
      continue;
    }
    any = true;
    tl_builder b = {.func = f, .region = into, .loc = loop->loc, .peephole = tl__simplify_peephole};
    bool has_cond = tl_loop_cond(loop)->yields.count; /* else nothing reads its parameters */
    tl_value at_cond =
        has_cond ? build_at_head(s, loop, tl_loop_cond(loop), i, c / loop->u.step) : tl_loop_init(loop, i);
    tl_value trips = tl__rewrite_get(&s->rw, tl_loop_trips(loop));
    tl_value at_body = build_at_head(s, loop, tl_loop_body(loop), i, c / loop->u.step);
    tl__simplify_replace_carry(s, loop, i, at_cond, at_body, build_progress(&b, tl_loop_init(loop, i), trips, c));
  }
  if (any) {
    tl__loop_keep_carries(&s->rw, loop, keep);
  }
}

/* ---- bounds ---- */

/* v = base + sign * iv; base TL_NO_VALUE is 0. */
typedef struct affine {
  tl_value base;
  int sign;
} affine;

static bool is_integer(const tl_func *f, tl_value v) {
  tl_dtype t = tl_type_of(f, v).dtype;
  return !tl_dtype_is_float(t) && t != TL_BOOL;
}

static bool is_outer(const tl_func *f, tl_value v, const tl_region *into) {
  int64_t c;
  return is_integer(f, v) && (tl_is_const_int(f, v, &c) || tl__value_visible(f, v, into));
}

static bool is_affine(const tl_func *f, tl_value v, tl_value iv, const tl_region *into, affine *out) {
  const tl_op *def = tl_def(f, v);
  if (v == iv) {
    *out = (affine){TL_NO_VALUE, 1};
    return true;
  }
  if (!def || !is_integer(f, v)) {
    return false;
  }
  if (def->code == TL_OP_cvt) { /* of 8 or 16 bits, a count comes round: there may be no iteration that ends the loop */
    return tl_dtype_size(tl_type_of(f, v).dtype) >= 4 && is_affine(f, def->operands[0], iv, into, out);
  }
  for (int side = 0; side < 2 && (def->code == TL_OP_add || def->code == TL_OP_sub); side++) {
    if (is_outer(f, def->operands[side], into) && is_affine(f, def->operands[1 - side], iv, into, out) && !out->base &&
        (def->code == TL_OP_add || side == 0)) {
      *out = (affine){def->operands[side], def->code == TL_OP_add ? out->sign : -out->sign};
      return true;
    }
  }
  return false;
}

/* A constant of the loop's condition is built anew where it is wanted. */
static tl_value as_i64(tl_builder *b, tl_value v) {
  int64_t c;
  return tl_is_const_int(b->func, v, &c) ? tl_build_int(b, TL_I64, c) : tl_build_cvt(b, TL_I64, v);
}

/* A parameter has this many elements. */
static bool is_extent(const tl_func *f, tl_value v) {
  for (const tl_op *def = tl_def(f, v); def && def->code == TL_OP_cvt; def = tl_def(f, v)) {
    v = def->operands[0];
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_type t = tl_type_of(f, f->params.data[i].value);
    for (int k = 0; t.is_array && k < t.rank; k++) {
      if (t.extents[k].value == v) {
        return true;
      }
    }
  }
  return false;
}

/* May the bound, of 64 bits, say that there is none, as SIZE_MAX does? As an i64 it would say something else. */
static bool is_no_number(const tl_func *f, tl_value bound, bool inclusive) {
  tl_dtype t = tl_type_of(f, bound).dtype;
  int64_t c;
  if (t != TL_U64 && !(t == TL_I64 && inclusive)) {
    return false;
  }
  if (tl_is_const_int(f, bound, &c)) {
    return t == TL_U64 ? c < 0 || c == INT64_MAX : c == INT64_MAX;
  }
  const tl_op *def = tl_def(f, bound);
  bool widened = def && def->code == TL_OP_cvt && tl_dtype_size(tl_type_of(f, def->operands[0]).dtype) < 8;
  return !(widened && tl_dtype_is_unsigned(tl_type_of(f, def->operands[0]).dtype)) && !is_extent(f, bound);
}

/* The number that was widened, where the condition itself widens it. */
static tl_value without_widening(const tl_func *f, tl_value v, const tl_region *into) {
  for (const tl_op *def = tl_def(f, v); def && def->code == TL_OP_cvt && !is_outer(f, v, into); def = tl_def(f, v)) {
    tl_value x = def->operands[0];
    tl_dtype from = tl_type_of(f, x).dtype, to = tl_type_of(f, v).dtype;
    bool holds = is_integer(f, x) && tl_dtype_size(to) > tl_dtype_size(from) &&
                 (tl_dtype_is_unsigned(from) || !tl_dtype_is_unsigned(to));
    if (!holds) {
      break;
    }
    v = x;
  }
  return v;
}

/* hi, so that iv < hi says what the comparison says; TL_NO_VALUE where there is none. `alone`: nothing else ends the
 * loop. */
static tl_value bound_of(tl_simplify *s, tl_region *into, const tl_op *loop, const tl_op *test, bool alone) {
  tl_func *f = s->rw.func;
  tl_opcode code = test->code;
  affine x;
  bool ordered = code == TL_OP_lt || code == TL_OP_le || code == TL_OP_gt || code == TL_OP_ge;
  /* That a signed number passes the bound, to come round, has no meaning. */
  bool meets = code == TL_OP_ne && alone;
  if ((!ordered && !meets) || !is_integer(f, test->operands[0]) ||
      (meets && tl_dtype_is_unsigned(tl_type_of(f, test->operands[0]).dtype))) {
    return TL_NO_VALUE;
  }
  tl_value iv = tl_loop_cond(loop)->params.data[0], moving = test->operands[0], bound = test->operands[1];
  if (!is_affine(f, moving, iv, into, &x)) {
    moving = test->operands[1];
    bound = test->operands[0];
    code = code == TL_OP_lt   ? TL_OP_gt
           : code == TL_OP_le ? TL_OP_ge
           : code == TL_OP_gt ? TL_OP_lt
           : code == TL_OP_ge ? TL_OP_le
                              : code;
    if (!is_affine(f, moving, iv, into, &x)) {
      return TL_NO_VALUE;
    }
  }
  bound = without_widening(f, bound, into);
  bool upward = meets ? x.sign > 0 : code == TL_OP_lt || code == TL_OP_le;
  bool inclusive = code == TL_OP_le || code == TL_OP_ge;
  if (!is_outer(f, bound, into) || upward != (x.sign > 0) || (!alone && is_no_number(f, bound, inclusive))) {
    return TL_NO_VALUE;
  }
  tl_builder b = {.func = f, .region = into, .loc = loop->loc, .peephole = tl__simplify_peephole};
  tl_value base = x.base ? as_i64(&b, x.base) : tl_build_int(&b, TL_I64, 0), end = as_i64(&b, bound);
  tl_value hi = upward ? tl_build_binary(&b, TL_OP_sub, end, base) : tl_build_binary(&b, TL_OP_sub, base, end);
  return inclusive ? tl_build_binary(&b, TL_OP_add, hi, tl_build_int(&b, TL_I64, 1)) : hi;
}

/* Moves one conjunct of the condition into the bound of a loop that has none: the condition is a comparison, a
 * conjunction, or a branch that is false where the comparison is. */
void tl__simplify_bound(tl_simplify *s, tl_region *into, tl_op *loop) {
  tl_func *f = s->rw.func;
  tl_region *cond = tl_loop_cond(loop);
  int64_t lo;
  if (tl_loop_hi(loop) || !cond->yields.count || loop->u.step != 1 || tl_type_of(f, tl_loop_lo(loop)).dtype != TL_I64 ||
      !tl_is_const_int(f, tl_loop_lo(loop), &lo) || lo != 0) {
    return;
  }
  tl_value holds = cond->yields.data[0], hi = TL_NO_VALUE;
  tl_op *def = tl_def(f, holds);
  if (!def || def->parent != cond) {
    return;
  }
  if (def->code == TL_OP_and) {
    for (int side = 0; side < 2 && !hi; side++) {
      const tl_op *test = tl_def(f, def->operands[side]);
      hi = test ? bound_of(s, into, loop, test, false) : TL_NO_VALUE;
      if (hi) {
        cond->yields.data[0] = def->operands[1 - side];
      }
    }
  } else if (def->code == TL_OP_if) {
    const tl_op *test = tl_def(f, def->operands[0]);
    int64_t otherwise;
    bool guards = tl_is_const_int(f, def->regions[1]->yields.data[tl_info(f, holds)->index], &otherwise) && !otherwise;
    hi = test && guards ? bound_of(s, into, loop, test, false) : TL_NO_VALUE;
    if (hi) {
      uint32_t count;
      tl_op **ops = tl__region_take(s->rw.scratch, cond, &count);
      tl_builder b = {.func = f, .region = cond, .loc = loop->loc};
      def->operands[0] = tl_build_int(&b, TL_BOOL, 1);
      for (uint32_t i = 0; i < count; i++) {
        tl__region_append(f, cond, ops[i]);
      }
    }
  } else {
    hi = bound_of(s, into, loop, def, true);
    if (hi) {
      cond->yields.count = 0;
    }
  }
  if (hi) {
    loop->operands[1] = hi;
    s->rw.changed = true;
  }
}
