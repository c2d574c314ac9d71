/* What is known of two indices without running the program. */
#include "transform/peephole.h"
#include "transform/rewrite.h"

/* v as base + offset in wrapping arithmetic of its type. */
static tl_value split_offset(const tl_func *f, tl_value v, uint64_t *offset) {
  *offset = 0;
  for (;;) {
    const tl_op *def = tl_def(f, v);
    int64_t c;
    if (!def || (def->code != TL_OP_add && def->code != TL_OP_sub)) {
      return v;
    }
    if (tl_is_const_int(f, def->operands[1], &c)) {
      *offset += def->code == TL_OP_add ? (uint64_t)c : 0 - (uint64_t)c;
      v = def->operands[0];
    } else if (def->code == TL_OP_add && tl_is_const_int(f, def->operands[0], &c)) {
      *offset += (uint64_t)c;
      v = def->operands[1];
    } else {
      return v;
    }
  }
}

tl_value tl__index_split(const tl_func *f, tl_value v, int64_t *offset) {
  uint64_t wrapping;
  tl_value base = split_offset(f, v, &wrapping);
  int64_t c;
  if (tl_is_const_int(f, base, &c)) {
    wrapping += (uint64_t)c;
    base = TL_NO_VALUE;
  }
  *offset = (int64_t)wrapping;
  return base;
}

/* Whether the two are of one type, or one is a constant that has its value in the other's type: no index is negative.
 */
static bool are_of_one_type(const tl_func *f, tl_value a, tl_value b) {
  tl_dtype t = tl_type_of(f, a).dtype, u = tl_type_of(f, b).dtype;
  int64_t c;
  bool is_small = (tl_is_const_int(f, a, &c) || tl_is_const_int(f, b, &c)) && c >= 0 && c <= INT8_MAX;
  return !tl_dtype_is_float(t) && !tl_dtype_is_float(u) && (t == u || is_small);
}

/* Where a loop's bounds put `v`, which is iv + c: -1 below w, 1 above it, 0 if they do not say. An index that wrapped
 * would lie in no array, so offsets add up as integers do. */
static int bounds_order(const tl_func *f, tl_value v, tl_value w) {
  int64_t p, q, r;
  tl_value x = tl__index_split(f, v, &p), y = tl__index_split(f, w, &q);
  const tl_value_info *info = x ? tl_info(f, x) : NULL;
  const tl_op *loop = info && !info->op && info->index == 0 ? info->region->parent : NULL;
  if (!loop || loop->code != TL_OP_loop || !are_of_one_type(f, x, w)) {
    return 0;
  }
  bool up = loop->u.step > 0;
  if (tl__index_split(f, tl_loop_lo(loop), &r) == y && (up ? r + p > q : r + p < q)) {
    return up ? 1 : -1; /* iv + p is at least lo + p, which is more than w */
  }
  if (tl_loop_hi(loop) && tl__index_split(f, tl_loop_hi(loop), &r) == y && (up ? r + p <= q : r + p >= q)) {
    return up ? -1 : 1;
  }
  return 0;
}

int tl__index_order(const tl_func *f, tl_value v, tl_value w) {
  int64_t p, q;
  if (!are_of_one_type(f, v, w)) {
    return 0;
  }
  if (tl__index_split(f, v, &p) == tl__index_split(f, w, &q)) {
    return (p > q) - (p < q);
  }
  int order = bounds_order(f, v, w);
  return order ? order : -bounds_order(f, w, v);
}

/* What v is, before conversions to types with more room. */
static tl_value without_widening(const tl_func *f, tl_value v) {
  const tl_op *def;
  while ((def = tl_def(f, v)) && def->code == TL_OP_cvt) {
    tl_dtype from = tl_type_of(f, def->operands[0]).dtype, to = tl_type_of(f, v).dtype;
    bool is_larger = !tl_dtype_is_float(from) && tl_dtype_size(to) > tl_dtype_size(from);
    if (!is_larger && !tl__cvt_is_lossless(from, to)) {
      break;
    }
    v = def->operands[0];
  }
  return v;
}

static tl_index_relation compare_alike(const tl_func *f, tl_value a, tl_value b) {
  for (;;) {
    if (a == b) {
      return TL_INDEX_SAME;
    }
    int64_t i, j;
    if (tl_is_const_int(f, a, &i) && tl_is_const_int(f, b, &j)) {
      return i == j ? TL_INDEX_SAME : TL_INDEX_DIFFERENT;
    }
    if (!are_of_one_type(f, a, b)) {
      return TL_INDEX_UNKNOWN;
    }
    tl_dtype t = tl_type_of(f, a).dtype;
    uint64_t p, q;
    tl_value x = split_offset(f, a, &p), y = split_offset(f, b, &q);
    bool alike = tl_dtype_wrap(t, (int64_t)(p - q)) == 0;
    if (x == y) {
      return alike ? TL_INDEX_SAME : TL_INDEX_DIFFERENT;
    }
    if (bounds_order(f, a, b) || bounds_order(f, b, a)) {
      return TL_INDEX_DIFFERENT;
    }
    /* A conversion that keeps every value maps equal to equal and different to different. */
    const tl_op *m = tl_def(f, x), *n = tl_def(f, y);
    if (!alike || !m || !n || m->code != TL_OP_cvt || n->code != TL_OP_cvt) {
      return TL_INDEX_UNKNOWN;
    }
    a = m->operands[0];
    b = n->operands[0];
    tl_dtype from = tl_type_of(f, a).dtype;
    if (from != tl_type_of(f, b).dtype || !tl__cvt_is_lossless(from, t)) {
      return TL_INDEX_UNKNOWN;
    }
  }
}

/* ---- rows and columns of flat matrices ---- */

enum { BOUND_DEPTH = 8 };

/* v + offset as base + offset, conversions to types with more room apart; TL_NO_VALUE for a number alone. */
static tl_value split_widened(const tl_func *f, tl_value v, int64_t *offset) {
  int64_t c = 0;
  v = tl__index_split(f, without_widening(f, v), &c);
  *offset += c;
  return v ? without_widening(f, v) : TL_NO_VALUE;
}

/* The loop that v is the induction variable of, or NULL. */
static const tl_op *loop_of(const tl_func *f, tl_value v) {
  const tl_value_info *info = tl_info(f, v);
  const tl_op *loop = info->op || info->index ? NULL : info->region->parent;
  return loop && loop->code == TL_OP_loop && tl_loop_hi(loop) ? loop : NULL;
}

static bool find_bound(const tl_func *f, tl_value v, tl_value base, bool most, uint32_t depth, int64_t *offset) {
  v = split_widened(f, v, offset);
  if (v == base || (v && base && tl__same_value(f, v, base))) {
    return true;
  }
  const tl_op *loop = v ? loop_of(f, v) : NULL;
  if (!loop || depth == BOUND_DEPTH) {
    return false;
  }
  if ((loop->u.step > 0) != most) {
    return find_bound(f, tl_loop_lo(loop), base, most, depth + 1, offset);
  }
  /* `k < i - 1` without sign says nothing where i is 0, if the loop ends otherwise. */
  *offset += most ? -1 : 1;
  return (!tl_dtype_is_unsigned(tl_type_of(f, v).dtype) || tl_loop_is_counted(loop)) &&
         find_bound(f, tl_loop_hi(loop), base, most, depth + 1, offset);
}

tl_value tl__index_base(const tl_func *f, tl_value v) {
  int64_t offset = 0;
  return split_widened(f, v, &offset);
}

bool tl__index_bound(const tl_func *f, tl_value v, tl_value base, bool most, int64_t *out_offset) {
  *out_offset = 0;
  return find_bound(f, v, base, most, 0, out_offset);
}

static bool is_from_zero(const tl_func *f, tl_value v) {
  int64_t least;
  return tl__index_bound(f, v, TL_NO_VALUE, false, &least) && least >= 0;
}

static bool is_below(const tl_func *f, tl_value v, tl_value m) {
  int64_t most, end = 0;
  tl_value base = split_widened(f, m, &end);
  return tl__index_bound(f, v, base, true, &most) && most < end;
}

/* Whether high * m keeps all its digits: of a signed type it does not overflow; in 64 bits without sign not where both
 * are small, or numbers that loops count to. */
static bool is_product(const tl_func *f, tl_value product, tl_value high, tl_value m) {
  tl_dtype t = tl_type_of(f, product).dtype;
  int64_t c;
  return tl_dtype_is_unsigned(t) ? tl_dtype_size(t) == 8 && is_from_zero(f, high) &&
                                       (!tl_is_const_int(f, m, &c) || (c > 0 && c <= INT32_MAX))
                                 : !tl_dtype_is_float(t) && tl_dtype_size(t) >= 4;
}

/* An index of a flat matrix, high * m + low with 0 <= low < m: what tells rows or columns apart tells such apart. */
typedef struct digits {
  tl_value high, low, m;
} digits;

/* j * n + k of `k < j < n` is a number to the base n, and one to the base j. */
enum { READINGS = 4 };

static uint32_t read_digits(const tl_func *f, tl_value v, digits out[READINGS]) {
  const tl_op *sum = tl_def(f, without_widening(f, v));
  uint32_t n = 0;
  for (uint32_t k = 0; sum && sum->code == TL_OP_add && k < 2; k++) {
    tl_value product = without_widening(f, sum->operands[k]), low = sum->operands[1 - k];
    const tl_op *def = tl_def(f, product);
    for (uint32_t j = 0; def && def->code == TL_OP_mul && j < 2; j++) {
      tl_value m = def->operands[j], high = def->operands[1 - j];
      if (is_from_zero(f, low) && is_below(f, low, m) && is_product(f, product, high, m)) {
        out[n++] = (digits){without_widening(f, high), without_widening(f, low), without_widening(f, m)};
      }
    }
  }
  return n;
}

static tl_index_relation compare_digits(const tl_func *f, tl_value a, tl_value b) {
  digits x[READINGS], y[READINGS];
  uint32_t m = read_digits(f, a, x), n = m ? read_digits(f, b, y) : 0;
  for (uint32_t i = 0; i < m * n; i++) {
    digits p = x[i / n], q = y[i % n];
    tl_index_relation r = tl__same_value(f, p.m, q.m)
                              ? tl__indices_compare(f, 2, (tl_value[]){p.high, p.low}, (tl_value[]){q.high, q.low})
                              : TL_INDEX_UNKNOWN;
    if (r != TL_INDEX_UNKNOWN) {
      return r;
    }
  }
  return TL_INDEX_UNKNOWN;
}

tl_index_relation tl__index_compare(const tl_func *f, tl_value a, tl_value b) {
  tl_index_relation r = compare_alike(f, a, b);
  return r == TL_INDEX_UNKNOWN ? compare_digits(f, a, b) : r;
}

uint32_t tl__index_axes(const tl_func *f, const tl_op *o, tl_axis out[TL_MAX_AXES]) {
  uint32_t rank = (uint32_t)tl_type_of(f, o->operands[0]).rank;
  for (uint32_t k = 0; k < rank; k++) {
    out[k] = (tl_axis){.at = k};
  }
  digits d[READINGS];
  uint32_t count = rank == 1 ? read_digits(f, o->operands[1], d) : 0;
  for (uint32_t i = 0; i < count; i++) {
    out[rank++] = (tl_axis){.m = d[i].m};
    out[rank++] = (tl_axis){.m = d[i].m, .is_low = true};
  }
  return rank;
}

tl_value tl__index_on(const tl_func *f, const tl_op *o, const tl_axis *axis) {
  digits d[READINGS];
  uint32_t count = axis->m ? read_digits(f, o->operands[1], d) : 0;
  for (uint32_t i = 0; i < count; i++) {
    if (tl__same_value(f, d[i].m, axis->m)) {
      return axis->is_low ? d[i].low : d[i].high;
    }
  }
  return axis->m ? TL_NO_VALUE : o->operands[1 + axis->at];
}

tl_index_relation tl__indices_compare(const tl_func *f, uint32_t count, const tl_value *a, const tl_value *b) {
  bool same = true;
  for (uint32_t i = 0; i < count; i++) {
    tl_index_relation r = tl__index_compare(f, a[i], b[i]);
    if (r == TL_INDEX_DIFFERENT) {
      return r;
    }
    same = same && r == TL_INDEX_SAME;
  }
  return same ? TL_INDEX_SAME : TL_INDEX_UNKNOWN;
}

typedef struct range {
  int64_t least, most;
} range;

/* What a bound of the loop may be, by constants, by types of 32 bits or fewer, and by sums and differences of such. A
 * negative number that is widened to a large unsigned one counts as the negative one where the loop has no exit: with
 * such a bound it would not end. */
static bool find_range(const tl_func *f, const tl_op *loop, tl_value v, uint32_t depth, range *out) {
  enum { DEPTH = 4 };
  const tl_op *def = tl_def(f, v);
  tl_dtype t = tl_type_of(f, v).dtype;
  int64_t c;
  range x, y;
  if (tl_dtype_is_float(t) || depth == DEPTH) {
    return false;
  }
  if (tl_is_const_int(f, v, &c)) {
    *out = (range){c, c};
    return (c >= 0 || !tl_dtype_is_unsigned(t)) && c > INT64_MIN / 16 && c < INT64_MAX / 16;
  }
  if (tl_dtype_size(t) <= 4) {
    tl_dtype_range(t, &out->least, &out->most);
    return true;
  }
  if (!def || (def->code != TL_OP_cvt && def->code != TL_OP_add && def->code != TL_OP_sub) ||
      !find_range(f, loop, def->operands[0], depth + 1, &x)) {
    return false;
  }
  if (def->code != TL_OP_cvt && !find_range(f, loop, def->operands[1], depth + 1, &y)) {
    return false;
  }
  *out = def->code == TL_OP_cvt   ? x
         : def->code == TL_OP_add ? (range){x.least + y.least, x.most + y.most}
                                  : (range){x.least - y.most, x.most - y.least};
  return out->least >= 0 || !tl_dtype_is_unsigned(t) || tl_loop_is_counted(loop);
}

/* Whether the loop's induction variable takes values from fewer than 2^bits numbers in a row. */
static bool spans_at_most(const tl_func *f, const tl_op *loop, int bits) {
  range lo, hi;
  return tl_loop_hi(loop) && find_range(f, loop, tl_loop_lo(loop), 0, &lo) &&
         find_range(f, loop, tl_loop_hi(loop), 0, &hi) &&
         (loop->u.step > 0 ? hi.most - lo.least : lo.most - hi.least) <= (int64_t)1 << bits;
}

bool tl__cvt_keeps_counter(const tl_func *f, const tl_op *cvt, const tl_op *loop) {
  tl_dtype from = tl_type_of(f, cvt->operands[0]).dtype, to = tl_type_of(f, cvt->first_result).dtype;
  range hi;
  if (tl_dtype_is_float(from) || tl_dtype_is_float(to) || to == TL_BOOL) {
    return false;
  }
  int bits = 8 * (int)tl_dtype_size(to) - !tl_dtype_is_unsigned(to);
  /* An index that wrapped would be negative. */
  return tl_dtype_size(to) >= tl_dtype_size(from) || bits == 31 ||
         (tl_loop_hi(loop) && find_range(f, loop, tl_loop_hi(loop), 0, &hi) && hi.most <= (int64_t)1 << bits);
}

/* Whether a conversion of the loop's induction variable, or of a sum or difference of it, gives different values in
 * different iterations: it drops no bits, or no bits that the loop makes use of. */
static bool keeps_apart(const tl_func *f, const tl_op *cvt, const tl_op *loop) {
  tl_dtype from = tl_type_of(f, cvt->operands[0]).dtype, to = tl_type_of(f, cvt->first_result).dtype;
  if (tl__cvt_is_lossless(from, to)) {
    return true;
  }
  if (tl_dtype_is_float(from) || tl_dtype_is_float(to) || to == TL_BOOL) {
    return false;
  }
  return tl_dtype_size(to) >= tl_dtype_size(from) || spans_at_most(f, loop, 8 * (int)tl_dtype_size(to));
}

/* Whether an index that is made in wrapping arithmetic of type t, and used in every iteration, is in range: where it is
 * signed, it would be negative before it came round to a value that it had. */
static bool cannot_come_round(tl_dtype t, const tl_op *loop) {
  return !tl_dtype_is_float(t) && !tl_dtype_is_unsigned(t) && tl_dtype_size(t) >= 4 && loop->u.step > INT32_MIN &&
         loop->u.step <= INT32_MAX;
}

/* The loop whose induction variable v is, if that runs upward from 0 or more; NULL otherwise. */
static const tl_op *counted_by(const tl_func *f, tl_value v) {
  const tl_value_info *info = tl_info(f, without_widening(f, v));
  const tl_op *loop = info->op || info->index ? NULL : info->region->parent;
  int64_t lo;
  bool counts = loop && loop->code == TL_OP_loop && loop->u.step > 0 && tl_loop_hi(loop) &&
                tl_is_const_int(f, tl_loop_lo(loop), &lo) && lo >= 0;
  return counts ? loop : NULL;
}

static bool runs_to(const tl_func *f, const tl_op *loop, tl_value m) {
  return tl__same_value(f, without_widening(f, tl_loop_hi(loop)), without_widening(f, m));
}

/* Whether all iterations of `outer` from 0 on run all of `inner`, one by one. */
static bool runs_all_of(const tl_func *f, const tl_op *outer, const tl_op *inner) {
  for (const tl_op *loop = inner;; loop = loop->parent->parent) {
    int64_t lo;
    if (!loop || loop->code != TL_OP_loop || !tl_loop_is_counted(loop) || loop->u.step != 1 ||
        !tl_is_const_int(f, tl_loop_lo(loop), &lo) || lo != 0) {
      return false;
    }
    if (loop == outer) {
      return true;
    }
  }
}

/* Whether v, which may be computed in the body, is the same in all iterations. */
static bool is_fixed(const tl_func *f, tl_value v, const tl_region *body, uint32_t depth) {
  enum { DEPTH = 4 };
  const tl_op *def = tl_def(f, v);
  if (!tl__region_contains(body, tl_info(f, v)->region) || (def && def->code == TL_OP_const)) {
    return true;
  }
  if (depth == DEPTH || !def ||
      (def->code != TL_OP_add && def->code != TL_OP_sub && def->code != TL_OP_mul && def->code != TL_OP_cvt)) {
    return false;
  }
  for (uint32_t k = 0; k < def->operand_count; k++) {
    if (!is_fixed(f, def->operands[k], body, depth + 1)) {
      return false;
    }
  }
  return true;
}

/* The factor that `product` is multiplied by where the other operand is not fixed in the body, and that operand. */
static tl_value fixed_factor(const tl_func *f, tl_value product, const tl_region *body, tl_value *out_other) {
  const tl_op *def = tl_def(f, without_widening(f, product));
  for (uint32_t k = 0; def && def->code == TL_OP_mul && k < 2; k++) {
    if (is_fixed(f, def->operands[k], body, 0) && !is_fixed(f, def->operands[1 - k], body, 0)) {
      *out_other = def->operands[1 - k];
      return def->operands[k];
    }
  }
  return TL_NO_VALUE;
}

/* A product of two numbers below the trip counts of two loops does not come round where it is signed; in 64 bits the
 * loops, all of whose iterations run, would not end in anybody's time. */
static bool cannot_come_round_in(const tl_func *f, tl_value product, const tl_op *outer, const tl_op *inner) {
  tl_dtype t = tl_type_of(f, without_widening(f, product)).dtype;
  return tl_dtype_is_unsigned(t) ? tl_dtype_size(t) == 8 && runs_all_of(f, outer, inner) : tl_dtype_size(t) >= 4;
}

/* Whether the factor m of a product, of whose other factor the loop makes another one in each iteration, makes other
 * products of them: it is a constant, or at least 1 in a loop that runs up to it. */
static bool scales_apart(const tl_func *f, tl_value product, tl_value m, const tl_op *loop) {
  tl_dtype t = tl_type_of(f, without_widening(f, product)).dtype;
  int64_t c;
  if (tl_is_const_int(f, m, &c)) {
    bool is_short = tl_dtype_size(t) == 8 && loop->u.step == 1 && c <= INT16_MAX; /* so many iterations take years */
    return c > 0 && (tl_dtype_is_unsigned(t) ? is_short : tl_dtype_size(t) >= 4);
  }
  for (const tl_op *outer = loop->parent->parent; outer; outer = outer->parent->parent) {
    if (outer->code == TL_OP_loop && counted_by(f, tl_loop_body(outer)->params.data[0]) && runs_to(f, outer, m)) {
      return cannot_come_round_in(f, product, outer, loop);
    }
  }
  return false;
}

/* What is left to tell apart of v = high * m + low: high, where low is below m in all of its iterations, or where there
 * is no low. TL_NO_VALUE for another v. */
static tl_value leading_digits(const tl_func *f, tl_value v, const tl_region *body) {
  const tl_op *def = tl_def(f, v), *loop = body->parent;
  tl_value high, m = fixed_factor(f, v, body, &high);
  if (m) {
    return scales_apart(f, v, m, loop) ? high : TL_NO_VALUE;
  }
  for (uint32_t k = 0; def && def->code == TL_OP_add && k < 2; k++) {
    const tl_op *digits = counted_by(f, def->operands[1 - k]);
    if (digits && (m = fixed_factor(f, def->operands[k], body, &high)) && runs_to(f, digits, m) &&
        tl__region_contains(body, digits->parent) && cannot_come_round_in(f, def->operands[k], loop, digits)) {
      return high;
    }
  }
  return TL_NO_VALUE;
}

/* Whether v is x * m + iv with iv below m, so that it says by its remainder which iteration it is of. */
static bool is_last_digit(const tl_func *f, tl_value v, tl_value iv, const tl_region *body) {
  const tl_op *def = tl_def(f, v), *loop = body->parent;
  tl_value m, x;
  for (uint32_t k = 0; def->code == TL_OP_add && k < 2; k++) {
    if (without_widening(f, def->operands[1 - k]) == iv && counted_by(f, iv) &&
        (m = fixed_factor(f, def->operands[k], body, &x)) && runs_to(f, loop, m) &&
        cannot_come_round_in(f, def->operands[k], loop, counted_by(f, x))) {
      return true;
    }
  }
  return false;
}

/* The other operand of a sum of which one is the same in all iterations. */
static tl_value moving_term(const tl_func *f, const tl_op *def, const tl_region *body) {
  if (def->code == TL_OP_add && is_fixed(f, def->operands[0], body, 0)) {
    return def->operands[1];
  }
  if (def->code == TL_OP_add && is_fixed(f, def->operands[1], body, 0)) {
    return def->operands[0];
  }
  return def->code == TL_OP_sub && is_fixed(f, def->operands[0], body, 0) ? def->operands[1] : TL_NO_VALUE;
}

bool tl__index_is_injective(const tl_func *f, tl_value v, tl_value iv, const tl_region *body, bool is_accessed) {
  const tl_op *loop = body->parent;
  bool wraps_as_index = is_accessed && cannot_come_round(tl_type_of(f, v).dtype, loop), narrowed = false;
  for (;;) {
    uint64_t offset;
    v = split_offset(f, v, &offset);
    if (v == iv) {
      return true;
    }
    const tl_op *def = tl_def(f, v);
    if (!def || is_fixed(f, v, body, 0)) {
      return false;
    }
    if (def->code == TL_OP_cvt) {
      tl_dtype from = tl_type_of(f, def->operands[0]).dtype, to = tl_type_of(f, v).dtype;
      bool narrows = !tl_dtype_is_float(from) && tl_dtype_size(from) > tl_dtype_size(to);
      if (!(wraps_as_index && narrows) && !keeps_apart(f, def, loop)) {
        return false;
      }
      wraps_as_index = wraps_as_index && narrows;
      narrowed = narrowed || narrows;
      v = def->operands[0];
      continue;
    }
    tl_value next = moving_term(f, def, body);
    if (!next && !narrowed && is_last_digit(f, v, iv, body)) {
      return true;
    }
    if (!next && !narrowed) {
      next = leading_digits(f, v, body);
      wraps_as_index = false;
    }
    if (!next) {
      return false;
    }
    v = next;
  }
}
