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

tl_index_relation tl__index_compare(const tl_func *f, tl_value a, tl_value b) {
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
    int bits = t == TL_BOOL ? 1 : 8 * (int)tl_dtype_size(t) - !tl_dtype_is_unsigned(t);
    *out = (range){t == TL_BOOL || tl_dtype_is_unsigned(t) ? 0 : -((int64_t)1 << bits), ((int64_t)1 << bits) - 1};
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

bool tl__index_is_injective(const tl_func *f, tl_value v, tl_value iv, const tl_region *body, bool is_accessed) {
  const tl_op *loop = body->parent;
  bool wraps_as_index = is_accessed && cannot_come_round(tl_type_of(f, v).dtype, loop);
  for (;;) {
    uint64_t offset;
    v = split_offset(f, v, &offset);
    if (v == iv) {
      return true;
    }
    const tl_op *def = tl_def(f, v);
    if (!def) {
      return false;
    }
    if (def->code == TL_OP_cvt) {
      tl_dtype from = tl_type_of(f, def->operands[0]).dtype, to = tl_type_of(f, v).dtype;
      bool narrows = !tl_dtype_is_float(from) && tl_dtype_size(from) > tl_dtype_size(to);
      if (!(wraps_as_index && narrows) && !keeps_apart(f, def, loop)) {
        return false;
      }
      wraps_as_index = wraps_as_index && narrows;
      v = def->operands[0];
    } else if (def->code == TL_OP_sub && !tl__region_contains(body, tl_info(f, def->operands[0])->region)) {
      v = def->operands[1];
    } else {
      return false;
    }
  }
}
