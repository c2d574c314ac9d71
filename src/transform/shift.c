/* Loops over nearly one range, where the second reads what the first stores, become one: the second is shifted against
 * the first, and the iterations that have no partner are peeled off.
 *
 *     for i in 1..n: k[i] = f(i)              z[0] = g(k[0])
 *     for i in 0..n: z[i] = g(k[i])     ->    for i in 1..n: k[i] = f(i); z[i] = g(k[i])
 *
 *     for i in 1..n: v[i - 1] = f(i)          for i in 1..n: v[i - 1] = f(i); z[i - 1] = g(v[i - 1])
 *     for i in 0..n: z[i] = g(v[i])     ->    z[n - 1] = g(v[n - 1])
 *
 * With a shift d, iteration j of the second loop runs right after iteration j + d of the first. An element that the
 * first accesses as i + p and the second as j + q is one and the same where i = j + q - p. Where one of the two stores,
 * i has to come first, so q - p <= d. With that, whatever is peeled is in its place as well: it runs before all or
 * after all of the other loop's iterations, of which those that it shares elements with are on the right side already.
 *
 * The shift is the smallest that all such pairs allow. Every dependence then leads forward in the new body, so that it
 * can be vectorised if both parts can; and where only one can, nothing is done. It is worth it where elements are
 * handed over within an iteration, and not where others are loaded an iteration or two after they were stored: vectors
 * of those overlap, and wait for one another. */
#include "transform/meet.h"
#include "transform/rewrite.h"
#include "transform/transform.h"

enum {
  MOST_ATTEMPTS = 16, /* for one loop */
  MOST_PEELED = 2,    /* iterations at either end */
  MOST_COPIED = 64,   /* ops in peeled iterations */
  MOST_ACCESSES = 32, /* of one array in one loop */
};

typedef struct accesses {
  const tl_op *all[MOST_ACCESSES];
  uint32_t count;
  bool known;
} accesses;

typedef struct plan {
  const tl_meet *meet;
  const tl_func *func;
  tl_op *a, *b;
  /* By carry of b: which carry of a hands its array on to it, plus one; 0 for none. */
  uint32_t *taken_from;
  bool has_shift, pays;
  int64_t shift;
  int64_t least_flow; /* the least distance of what b loads from what a stores */
  /* Of a's iterations, and of b's shifted: where the part that runs together begins and ends. Those of the ends are
   * offsets from one value, or constants where that is none. */
  int64_t a_lo, b_lo, a_hi, b_hi;
  tl_value end;
} plan;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static tl_value iv_of(const tl_op *loop) { return tl_loop_body(loop)->params.data[0]; }

/* ---- which elements are shared ---- */

static void add_access(void *ctx, const tl_op *op) {
  accesses *to = ctx;
  if (to->count == MOST_ACCESSES) {
    to->known = false;
    return;
  }
  to->all[to->count++] = op;
}

static void accesses_of_carry(accesses *to, const tl_func *f, const tl_op *loop, uint32_t carry) {
  *to = (accesses){.known = true};
  to->known = tl__loop_accesses(f, loop, carry, add_access, to) && to->known;
}

/* Those of an array that the loop does not carry. */
static void accesses_of_value(accesses *to, const tl_meet *m, tl_value v, const tl_op *loop) {
  const tl_meet_users *users = &m->users[v];
  *to = (accesses){.known = true};
  for (uint32_t i = 0; i < users->count; i++) {
    tl_meet_user u = users->data[i];
    bool inside = tl__op_contains(loop, u.region);
    if (u.op == loop || (inside && (!u.op || u.op->code != TL_OP_index || u.index != 0))) {
      to->known = false;
    } else if (inside) {
      add_access(to, u.op);
    }
  }
}

/* Whether the indices are iv_a + p and iv_b + q, perhaps converted alike; then q - p. */
static bool find_distance(const plan *p, tl_value x, tl_value y, int64_t *out) {
  const tl_func *f = p->func;
  int64_t sum = 0, offset_x, offset_y;
  for (;;) {
    x = tl__index_split(f, x, &offset_x);
    y = tl__index_split(f, y, &offset_y);
    sum += offset_y - offset_x;
    if (x == iv_of(p->a) && y == iv_of(p->b)) {
      *out = sum;
      return true;
    }
    const tl_op *cvt_x = x ? tl_def(f, x) : NULL, *cvt_y = y ? tl_def(f, y) : NULL;
    if (!cvt_x || !cvt_y || cvt_x->code != TL_OP_cvt || cvt_y->code != TL_OP_cvt) {
      return false;
    }
    x = cvt_x->operands[0];
    y = cvt_y->operands[0];
    tl_dtype from = tl_type_of(f, x).dtype, to = tl_type_of(f, cvt_x->first_result).dtype;
    bool wraps = tl_dtype_is_unsigned(from) && tl_dtype_size(from) < 8;
    if (tl_dtype_is_float(from) || tl_dtype_is_float(to) || wraps || tl_dtype_size(to) < tl_dtype_size(from) ||
        from != tl_type_of(f, y).dtype || to != tl_type_of(f, cvt_y->first_result).dtype) {
      return false;
    }
  }
}

typedef enum relation { APART, AT_DISTANCE, UNKNOWN } relation;

/* How an access of the first loop and one of the second relate. `exact`: they are at that distance on every axis on
 * which they are not the same. */
static relation relate(const plan *p, const tl_op *x, const tl_op *y, int64_t *distance, bool *exact) {
  uint32_t rank = x->operand_count - (x->code == TL_OP_update ? 2 : 1);
  relation result = UNKNOWN;
  *exact = true;
  for (uint32_t axis = 0; axis < rank; axis++) {
    tl_value i = x->operands[1 + axis], j = y->operands[1 + axis];
    int64_t here;
    if (find_distance(p, i, j, &here)) {
      if (result == AT_DISTANCE && here != *distance) {
        return APART;
      }
      result = AT_DISTANCE;
      *distance = here;
      continue;
    }
    tl_index_relation r = tl__index_compare(p->func, i, j);
    if (r == TL_INDEX_DIFFERENT) {
      return APART;
    }
    *exact = *exact && r == TL_INDEX_SAME;
  }
  return result;
}

/* Takes in what the accesses of one array say about the shift; false where the loops cannot be one. */
static bool constrain(plan *p, const accesses *first, const accesses *second) {
  if (!first->known || !second->known) {
    return false;
  }
  for (uint32_t i = 0; i < first->count; i++) {
    for (uint32_t k = 0; k < second->count; k++) {
      const tl_op *x = first->all[i], *y = second->all[k];
      int64_t distance = 0;
      bool exact;
      if (x->code == TL_OP_index && y->code == TL_OP_index) {
        continue;
      }
      relation r = relate(p, x, y, &distance, &exact);
      if (r == UNKNOWN) {
        return false;
      }
      if (r == APART) {
        continue;
      }
      if (!p->has_shift || distance > p->shift) {
        p->has_shift = true;
        p->shift = distance;
        p->pays = false;
      }
      if (y->code == TL_OP_index) {
        p->least_flow = smaller(p->least_flow, distance);
      }
      bool hands_over = x->code == TL_OP_update && x->parent == tl_loop_body(p->a) && y->code == TL_OP_index && exact;
      p->pays = p->pays || (hands_over && distance == p->shift);
    }
  }
  return true;
}

/* What b takes from a: arrays that it carries on, or that it loads from. */
static bool link_forward(plan *p, accesses *first, accesses *second) {
  const tl_op *a = p->a, *b = p->b;
  for (uint32_t i = 0; i < a->result_count; i++) {
    const tl_meet_users *users = &p->meet->users[tl_op_result(a, i)];
    bool carried = false, inside = false;
    for (uint32_t k = 0; k < users->count; k++) {
      tl_meet_user u = users->data[k];
      if (u.op == b && (u.index < 2 || users->count > 1 || !tl_type_of(p->func, tl_op_result(a, i)).is_array)) {
        return false;
      }
      if (u.op == b) {
        p->taken_from[u.index - 2] = i + 1;
        accesses_of_carry(second, p->func, b, u.index - 2);
        carried = true;
      }
      inside = inside || tl__op_contains(b, u.region);
    }
    if (!carried && !inside) {
      continue;
    }
    if (i == tl_loop_carries(a)) {
      return false;
    }
    accesses_of_carry(first, p->func, a, i);
    if (inside) {
      accesses_of_value(second, p->meet, tl_op_result(a, i), b);
    }
    if (!constrain(p, first, second)) {
      return false;
    }
  }
  return true;
}

/* Arrays that a loads from and b overwrites; nothing else of what one overwrites may be read by the other. */
static bool link_backward(plan *p, accesses *first, accesses *second) {
  bool *gone = tl__meet_flags(p->meet);
  tl__meet_mark_overwritten(p->meet, p->a, gone);
  if (tl__meet_reads_any(p->meet, p->b, gone)) {
    return false;
  }
  gone = tl__meet_flags(p->meet);
  tl__meet_mark_overwritten(p->meet, p->b, gone);
  for (uint32_t k = 0; k < tl_loop_carries(p->b); k++) {
    tl_value init = tl_loop_init(p->b, k);
    if (p->taken_from[k] || !tl_type_of(p->func, init).is_array) {
      continue;
    }
    if (!gone[init]) {
      return false; /* two carries start from it */
    }
    gone[init] = false;
    accesses_of_value(first, p->meet, init, p->a);
    if (first->known && !first->count) {
      continue;
    }
    accesses_of_carry(second, p->func, p->b, k);
    if (!constrain(p, first, second)) {
      return false;
    }
  }
  return !tl__meet_reads_any(p->meet, p->a, gone);
}

/* ---- what it costs ---- */

static bool is_cheap(const tl_op *op) {
  if (op->code == TL_OP_index || op->code == TL_OP_update || op->code == TL_OP_const) {
    return true;
  }
  bool is_function = tl_op_table[op->code].operands == TL_OPERANDS_FLT && op->code != TL_OP_fma &&
                     op->code != TL_OP_fabs && op->code != TL_OP_sqrt && op->code != TL_OP_copysign;
  return tl_op_table[op->code].elementwise && !is_function;
}

/* Whether an iteration may load or overwrite what an earlier one stored. */
static bool carries_along(const tl_func *f, tl_op *loop, const accesses *all) {
  plan self = {.func = f, .a = loop, .b = loop};
  for (uint32_t i = 0; i < all->count; i++) {
    for (uint32_t k = 0; k < all->count; k++) {
      int64_t distance = 0;
      bool exact;
      if (all->all[i]->code == TL_OP_update) {
        relation r = relate(&self, all->all[i], all->all[k], &distance, &exact);
        if (r == UNKNOWN || (r == AT_DISTANCE && distance < 0)) {
          return true;
        }
      }
    }
  }
  return false;
}

/* Whether a C compiler that keeps to the order of sums can run several iterations of the loop at a time. */
static bool is_vectorisable(const tl_func *f, tl_op *loop) {
  const tl_region *body = tl_loop_body(loop);
  for (uint32_t i = 0; i < body->ops.count; i++) {
    if (!is_cheap(body->ops.data[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
    accesses all;
    if (!tl_type_of(f, tl_loop_init(loop, i)).is_array) {
      return false;
    }
    accesses_of_carry(&all, f, loop, i);
    if (!all.known || carries_along(f, loop, &all)) {
      return false;
    }
  }
  return true;
}

/* ---- the ranges ---- */

static bool is_plain(const tl_meet *m, const tl_op *o) {
  int64_t lo;
  return o->code == TL_OP_loop && tl_loop_is_counted(o) && o->u.step == 1 && !o->reversed &&
         tl_is_const_int(m->func, tl_loop_lo(o), &lo) && !m->users[tl_loop_trips(o)].count;
}

/* The value ahead of conversions that keep it, given that it is positive. */
static tl_value without_cvt(const tl_func *f, tl_value v) {
  const tl_op *def;
  while ((def = tl_def(f, v)) && def->code == TL_OP_cvt) {
    tl_dtype from = tl_type_of(f, def->operands[0]).dtype, to = tl_type_of(f, v).dtype;
    bool keeps = !tl_dtype_is_float(from) && !tl_dtype_is_float(to) &&
                 (tl_dtype_is_unsigned(from) ? tl_dtype_size(to) > tl_dtype_size(from) || from == to
                                             : tl_dtype_size(to) >= tl_dtype_size(from));
    if (!keeps) {
      break;
    }
    v = def->operands[0];
  }
  return v;
}

/* Whether the op says that `end` is `least` or more: it accesses an element that exists only then. */
static bool access_says(const tl_func *f, const tl_op *op, tl_value end, int64_t least) {
  if (op->code != TL_OP_index && op->code != TL_OP_update) {
    return false;
  }
  tl_type type = tl_type_of(f, op->operands[0]);
  for (int axis = 0; axis < type.rank; axis++) {
    int64_t at, offset;
    tl_value extent = type.extents[axis].value;
    if (extent && tl_is_const_int(f, op->operands[1 + axis], &at) && at >= 0) {
      extent = tl__index_split(f, without_cvt(f, extent), &offset);
      if (without_cvt(f, extent) == without_cvt(f, end) && at + 1 - offset >= larger(least, 1)) {
        return true;
      }
    }
    if (tl__index_split(f, op->operands[1 + axis], &offset) == end && -offset >= larger(least, 1)) {
      return true; /* end - 1, say */
    }
  }
  return false;
}

/* Whether what runs in any case, where the loop `a` of this region runs or would run, says so. */
static bool is_at_least(const tl_meet *m, const tl_op *a, tl_value end, int64_t least) {
  const tl_func *f = m->func;
  bool around = false; /* of the regions around, what comes later may not be reached */
  for (const tl_op *at = a; at; at = at->parent->parent) {
    bool passed = false;
    for (uint32_t i = 0; i < at->parent->ops.count; i++) {
      const tl_op *op = at->parent->ops.data[i];
      passed = passed || op == at;
      bool may_stay = op->code == TL_OP_loop && !tl_loop_hi(op);
      if (passed && (around || may_stay || tl__meet_has_effect(m, op))) {
        break;
      }
      if (access_says(f, op, end, least)) {
        return true;
      }
    }
    around = true;
  }
  return false;
}

static bool find_ranges(plan *p) {
  const tl_func *f = p->func;
  tl_value end = tl__index_split(f, tl_loop_hi(p->a), &p->a_hi);
  if (end != tl__index_split(f, tl_loop_hi(p->b), &p->b_hi) ||
      tl_type_of(f, iv_of(p->a)).dtype != tl_type_of(f, iv_of(p->b)).dtype ||
      !tl_is_const_int(f, tl_loop_lo(p->a), &p->a_lo) || !tl_is_const_int(f, tl_loop_lo(p->b), &p->b_lo)) {
    return false;
  }
  p->end = end;
  int64_t lowest = smaller(p->a_hi, p->b_hi), highest = larger(p->a_hi, p->b_hi);
  p->b_lo += p->shift;
  p->b_hi += p->shift;
  int64_t least = larger(p->a_lo, p->b_lo) - smaller(p->a_hi, p->b_hi); /* what `end` has to be at least */
  if (!end) {
    return least <= 0;
  }
  bool is_unsigned = tl_dtype_is_unsigned(tl_type_of(f, end).dtype), peels = p->a_lo != p->b_lo || p->a_hi != p->b_hi;
  if (is_unsigned && highest > 0) {
    return highest == lowest && !peels;
  }
  if (!peels && (!is_unsigned || p->shift == 0)) {
    return true;
  }
  least = is_unsigned ? larger(peels ? least : 0, -lowest) : least;
  return (is_unsigned && least <= 0) || is_at_least(p->meet, p->a, end, least);
}

static bool is_affordable(const plan *p) {
  int64_t first = p->b_lo - p->a_lo, last = p->a_hi - p->b_hi; /* a's are peeled where positive, b's where negative */
  if (first > MOST_PEELED || first < -MOST_PEELED || last > MOST_PEELED || last < -MOST_PEELED) {
    return false;
  }
  uint32_t of_a = tl__op_count(tl_loop_body(p->a)), of_b = tl__op_count(tl_loop_body(p->b));
  int64_t copied = (first > 0 ? first * of_a : -first * of_b) + (last > 0 ? last * of_a : -last * of_b);
  return copied <= MOST_COPIED && is_vectorisable(p->func, p->a) == is_vectorisable(p->func, p->b);
}

static bool find_plan(plan *p, const tl_meet *m, tl_op *a, tl_op *b) {
  *p = (plan){.meet = m, .func = m->func, .a = a, .b = b, .least_flow = INT64_MAX};
  if (!is_plain(m, a) || !is_plain(m, b)) {
    return false;
  }
  p->taken_from = TL_NEW_ARRAY(m->scratch, uint32_t, tl_loop_carries(b) + 1);
  accesses first, second;
  return link_forward(p, &first, &second) && p->has_shift && link_backward(p, &first, &second) && p->pays &&
         p->least_flow == p->shift && find_ranges(p) && is_affordable(p) && !tl__meet_has_effect(m, a) &&
         !tl__meet_has_effect(m, b);
}

/* ---- making one of two ---- */

typedef struct joiner {
  const plan *plan;
  tl_builder b;
  tl_value *now;  /* the current versions: of a's carries, then of those of b that are none of a's */
  uint32_t *slot; /* by carry of b: which of these it is */
  uint32_t count;
} joiner;

/* Writes an iteration of one of the loops. */
static void write_iteration(joiner *j, bool is_b, tl_value iv) {
  const plan *p = j->plan;
  const tl_op *loop = is_b ? p->b : p->a;
  const tl_region *body = tl_loop_body(loop);
  tl_value *map = TL_NEW_ARRAY(p->meet->scratch, tl_value, j->b.func->values.count);
  for (uint32_t i = 0; is_b && i < tl_loop_carries(p->a); i++) {
    map[tl_op_result(p->a, i)] = j->now[i];
  }
  for (uint32_t k = 0; !is_b && k < tl_loop_carries(p->b); k++) {
    tl_value init = tl_loop_init(p->b, k);
    if (!p->taken_from[k] && tl_type_of(j->b.func, init).is_array) {
      map[init] = j->now[j->slot[k]];
    }
  }
  map[body->params.data[0]] = iv;
  for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
    map[body->params.data[1 + i]] = j->now[is_b ? j->slot[i] : i];
  }
  tl_clone_ops(&j->b, body, map);
  for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
    tl_value v = body->yields.data[i];
    map[body->params.data[1 + i]] = map[v] ? map[v] : v;
  }
  for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
    j->now[is_b ? j->slot[i] : i] = map[body->params.data[1 + i]];
  }
}

/* `base` plus an offset, in the induction variable's type. */
static tl_value offset_from(joiner *j, tl_value base, int64_t offset) {
  tl_dtype t = tl_type_of(j->b.func, iv_of(j->plan->a)).dtype;
  if (!base) {
    return tl_build_int(&j->b, t, offset);
  }
  if (!offset) {
    return base;
  }
  tl_opcode code = offset < 0 ? TL_OP_sub : TL_OP_add;
  return tl_build_binary(&j->b, code, base, tl_build_int(&j->b, t, offset < 0 ? -offset : offset));
}

/* Those from `from` up to `to` of a's iterations, or of b's as they are shifted. */
static void write_peeled(joiner *j, bool is_b, tl_value base, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    write_iteration(j, is_b, offset_from(j, base, is_b ? i - j->plan->shift : i));
  }
}

/* The iterations of both from `lo` up to `hi`, in the count of the loop that ends there. */
static void write_loop(joiner *j, int64_t lo, int64_t hi) {
  const plan *p = j->plan;
  tl_func *f = j->b.func;
  const tl_op *like = hi == p->a_hi ? p->a : p->b;
  int64_t by = like == p->a ? 0 : p->shift;
  tl_value start = offset_from(j, TL_NO_VALUE, lo - by), end = tl_loop_hi(like);
  j->b.loc = like->loc;
  tl_op *made = tl_build_loop(&j->b, start, end, 1, tl_info(f, iv_of(like))->name, j->count, j->now);
  tl_region *body = tl_loop_body(made);
  for (uint32_t k = 0; k < tl_loop_carries(p->b); k++) {
    f->values.data[body->params.data[1 + j->slot[k]]].name = tl_info(f, tl_loop_body(p->b)->params.data[1 + k])->name;
  }
  for (uint32_t i = 0; i < tl_loop_carries(p->a); i++) {
    f->values.data[body->params.data[1 + i]].name = tl_info(f, tl_loop_body(p->a)->params.data[1 + i])->name;
  }
  tl_build_loop_enter(&j->b, made, j->now);
  write_iteration(j, false, offset_from(j, body->params.data[0], by));
  write_iteration(j, true, offset_from(j, body->params.data[0], by - p->shift));
  tl_build_loop_leave(&j->b, made, j->now);
}

static void join(tl_meet *m, const plan *p, tl_region *r, uint32_t first, uint32_t second, const bool *late) {
  tl_func *f = m->func;
  uint32_t of_a = tl_loop_carries(p->a), of_b = tl_loop_carries(p->b), made = r->ops.count;
  joiner j = {.plan = p, .b = {.func = f, .region = r, .loc = p->a->loc, .peephole = tl__simplify_peephole}};
  j.now = TL_NEW_ARRAY(m->scratch, tl_value, of_a + of_b + 1);
  j.slot = TL_NEW_ARRAY(m->scratch, uint32_t, of_b + 1);
  for (; j.count < of_a; j.count++) {
    j.now[j.count] = tl_loop_init(p->a, j.count);
  }
  for (uint32_t k = 0; k < of_b; k++) {
    j.slot[k] = p->taken_from[k] ? p->taken_from[k] - 1 : j.count;
    if (!p->taken_from[k]) {
      j.now[j.count++] = tl_loop_init(p->b, k);
    }
  }
  int64_t lo = larger(p->a_lo, p->b_lo), hi = smaller(p->a_hi, p->b_hi);
  write_peeled(&j, false, TL_NO_VALUE, p->a_lo, lo);
  write_peeled(&j, true, TL_NO_VALUE, p->b_lo, lo);
  write_loop(&j, lo, hi);
  write_peeled(&j, false, p->end, hi, p->a_hi);
  write_peeled(&j, true, p->end, hi, p->b_hi);
  tl_rewrite rw;
  tl__rewrite_init(&rw, f, m->scratch);
  for (uint32_t i = 0; i < of_a; i++) {
    tl__rewrite_set(&rw, tl_op_result(p->a, i), j.now[i]);
  }
  for (uint32_t k = 0; k < of_b; k++) {
    tl__rewrite_set(&rw, tl_op_result(p->b, k), j.now[j.slot[k]]);
  }
  tl__meet_reorder(m, r, first, second, late, made);
  tl__rewrite_region(&rw, f->body);
}

static bool join_with_earlier(tl_meet *m, tl_region *r, uint32_t at) {
  tl_op *b = r->ops.data[at];
  tl_arena_mark mark = tl_arena_get_mark(m->scratch);
  uint32_t attempts = 0;
  for (uint32_t i = at; i-- > 0 && attempts < MOST_ATTEMPTS;) {
    plan p;
    if (r->ops.data[i]->code != TL_OP_loop) {
      continue;
    }
    attempts++;
    bool *gone = NULL, *late = NULL, may = find_plan(&p, m, r->ops.data[i], b);
    if (may) {
      gone = tl__meet_flags(m);
      late = TL_NEW_ARRAY(m->scratch, bool, at - i + 1);
      tl__meet_mark_overwritten(m, b, gone);
      may = tl__meet_is_possible(m, r, i, at, gone, late);
    }
    if (may) {
      join(m, &p, r, i, at, late);
      tl__meet_refresh(m);
      return true;
    }
    tl_arena_rewind(m->scratch, mark);
  }
  return false;
}

/* From the last loop to the first. */
static bool join_in_region(tl_meet *m, tl_region *r) {
  bool any = false;
  for (uint32_t j = r->ops.count; j-- > 0;) {
    uint32_t before = r->ops.count;
    if (r->ops.data[j]->code == TL_OP_loop && join_with_earlier(m, r, j)) {
      any = true;
      j += r->ops.count + 1 - before; /* what was made lies before that, and may be joined with another */
    }
  }
  for (uint32_t i = 0; i < r->ops.count; i++) {
    for (uint32_t k = 0; k < r->ops.data[i]->region_count; k++) {
      any = join_in_region(m, r->ops.data[i]->regions[k]) || any;
    }
  }
  return any;
}

bool tl__shift_all(tl_func *func, tl_arena *scratch) {
  tl_meet m;
  tl__meet_init(&m, func, scratch);
  bool any = join_in_region(&m, func->body);
  tl_arena_rewind(scratch, m.base);
  return any;
}

void tl__shift_run(tl_func *func, tl_arena *scratch) { tl__shift_all(func, scratch); }
