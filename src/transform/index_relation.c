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

/* Whether a loop's bounds part `v`, which is iv + c, from w: below the start, or from the end on. An index that wrapped
 * would lie in no array, so offsets add up as integers do. */
static bool bounds_part(const tl_func *f, tl_value v, tl_value w) {
  int64_t p, q, r;
  tl_value x = tl__index_split(f, v, &p), y = tl__index_split(f, w, &q);
  const tl_value_info *info = x ? tl_info(f, x) : NULL;
  const tl_op *loop = info && !info->op && info->index == 0 ? info->region->parent : NULL;
  if (!loop || loop->code != TL_OP_loop || !are_of_one_type(f, x, w)) {
    return false;
  }
  bool up = loop->u.step > 0;
  if (tl__index_split(f, tl_loop_lo(loop), &r) == y && (up ? r + p > q : r + p < q)) {
    return true; /* iv + p is at least lo + p, which is more than w */
  }
  return tl_loop_hi(loop) && tl__index_split(f, tl_loop_hi(loop), &r) == y && (up ? r + p <= q : r + p >= q);
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
    if (bounds_part(f, a, b) || bounds_part(f, b, a)) {
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

/* Whether v is a value of 32 bits or fewer, perhaps widened. */
static bool is_narrow(const tl_func *f, tl_value v) {
  const tl_op *def = tl_def(f, v);
  int64_t c;
  if (tl_is_const_int(f, v, &c)) {
    return c >= INT32_MIN && c <= INT32_MAX;
  }
  if (def && def->code == TL_OP_cvt && !tl_dtype_is_float(tl_type_of(f, def->operands[0]).dtype)) {
    v = def->operands[0];
  }
  return tl_dtype_size(tl_type_of(f, v).dtype) <= 4;
}

/* Whether v is at most 2^32: narrow, or a difference of two such, and perhaps one more. */
static bool is_within_32_bits(const tl_func *f, tl_value v) {
  const tl_op *def = tl_def(f, v);
  int64_t c;
  if (def && def->code == TL_OP_add && tl_is_const_int(f, def->operands[1], &c) && c == 1) {
    def = tl_def(f, v = def->operands[0]);
  }
  bool is_sum = def && (def->code == TL_OP_sub || def->code == TL_OP_add);
  return is_narrow(f, v) || (is_sum && is_narrow(f, def->operands[0]) && is_narrow(f, def->operands[1]));
}

/* Whether a conversion of the loop's induction variable gives different values in different iterations: it keeps every
 * value, or at least 32 bits of a count that is that small. */
static bool keeps_apart(const tl_func *f, const tl_op *cvt, const tl_region *body) {
  tl_dtype from = tl_type_of(f, cvt->operands[0]).dtype, to = tl_type_of(f, cvt->first_result).dtype;
  const tl_op *loop = body->parent;
  int64_t lo;
  return tl__cvt_is_lossless(from, to) ||
         (!tl_dtype_is_float(from) && !tl_dtype_is_float(to) && tl_dtype_size(to) >= 4 && tl_loop_hi(loop) &&
          tl_is_const_int(f, tl_loop_lo(loop), &lo) && lo == 0 && is_within_32_bits(f, tl_loop_hi(loop)));
}

bool tl__index_is_injective(const tl_func *f, tl_value v, tl_value iv, const tl_region *body) {
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
    if (def->code == TL_OP_cvt && keeps_apart(f, def, body)) {
      v = def->operands[0];
    } else if (def->code == TL_OP_sub && !tl__region_contains(body, tl_info(f, def->operands[0])->region)) {
      v = def->operands[1];
    } else {
      return false;
    }
  }
}
