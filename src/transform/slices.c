/* Arrays of which each iteration of a loop touches a slice of its own, as in `for i: x_bar[i] = x_bar[i] + ...`.
 *
 * Such a load sees what the loop started with; where that was filled, the load is known, the sum is a plain store, and
 * where the stores cover the array the filling goes too. What is left is the loop that a person would have written. */
#include "transform/simplify.h"

enum { VERSIONS = 64, NEST = 8, SHORT = 16 }; /* SHORT: axes whose indices are looked at one by one */

/* The versions of one carried array from a loop's body parameter to its yield. */
typedef struct versions {
  const tl_func *func;
  tl_value all[VERSIONS];
  uint32_t count;
} versions;

static bool has(const versions *s, tl_value v) {
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->all[i] == v) {
      return true;
    }
  }
  return false;
}

/* Adds v and what it was made of, back to the parameter of the loop; false where that is not known. */
static bool trace(versions *s, tl_value v, tl_value param) {
  while (!has(s, v)) {
    if (s->count == VERSIONS) {
      return false;
    }
    s->all[s->count++] = v;
    if (v == param) {
      return true;
    }
    const tl_op *def = tl_def(s->func, v);
    if (def && def->code == TL_OP_update) {
      v = def->operands[0];
    } else if (def && def->code == TL_OP_if) {
      uint32_t i = tl_info(s->func, v)->index;
      if (!trace(s, def->regions[0]->yields.data[i], param)) {
        return false;
      }
      v = def->regions[1]->yields.data[i];
    } else if (def && def->code == TL_OP_loop) {
      uint32_t i = tl_info(s->func, v)->index;
      tl_value inner = tl_loop_body(def)->params.data[i + 1];
      if (!trace(s, tl_loop_body(def)->yields.data[i], inner)) {
        return false;
      }
      v = tl_loop_init(def, i);
    } else {
      return false;
    }
  }
  return true;
}

static bool carried_versions(versions *s, const tl_func *f, const tl_op *loop, uint32_t carry) {
  *s = (versions){.func = f};
  const tl_region *body = tl_loop_body(loop);
  return trace(s, body->yields.data[carry], body->params.data[carry + 1]);
}

static bool all_stores_share(const versions *s, uint32_t axis, tl_value index) {
  for (uint32_t i = 0; i < s->count; i++) {
    const tl_op *def = tl_def(s->func, s->all[i]);
    if (def && def->code == TL_OP_update &&
        tl__index_compare(s->func, def->operands[1 + axis], index) != TL_INDEX_SAME) {
      return false;
    }
  }
  return true;
}

/* Whether the index tells the iterations of the loop apart and all stores into the array have it on the axis. */
static bool has_slices(const versions *s, const tl_region *body, uint32_t axis, tl_value index) {
  bool is_accessed = false;
  for (uint32_t i = 0; i < s->count; i++) {
    const tl_op *def = tl_def(s->func, s->all[i]);
    is_accessed |= def && def->code == TL_OP_update && def->parent == body;
  }
  return all_stores_share(s, axis, index) &&
         tl__index_is_injective(s->func, index, body->params.data[0], body, is_accessed);
}

/* Whether every store of the loop provably misses the element in all iterations: on some axis the element's index does
 * not change in the loop, and the store's is another. */
static bool all_stores_miss(const versions *s, const tl_op *loop, uint32_t count, const tl_value *indices) {
  const tl_func *f = s->func;
  for (uint32_t i = 0; i < s->count; i++) {
    const tl_op *def = tl_def(f, s->all[i]);
    bool misses = !def || def->code != TL_OP_update;
    for (uint32_t axis = 0; axis < count && !misses; axis++) {
      misses = tl__value_visible(f, indices[axis], loop->parent) &&
               tl__index_compare(f, def->operands[1 + axis], indices[axis]) == TL_INDEX_DIFFERENT;
    }
    if (!misses) {
      return false;
    }
  }
  return true;
}

tl_value tl__slice_initial(const tl_func *f, tl_value array, uint32_t count, const tl_value *indices) {
  const tl_value_info *info = tl_info(f, array);
  const tl_op *loop = info->region->parent;
  if (info->op || !loop || loop->code != TL_OP_loop || info->region != tl_loop_body(loop) || info->index == 0) {
    return TL_NO_VALUE;
  }
  uint32_t carry = info->index - 1;
  const tl_region *body = tl_loop_body(loop);
  versions s;
  if (!carried_versions(&s, f, loop, carry)) {
    return TL_NO_VALUE;
  }
  bool untouched = all_stores_miss(&s, loop, count, indices);
  for (uint32_t axis = 0; axis < count && !untouched; axis++) {
    untouched = has_slices(&s, body, axis, indices[axis]);
  }
  return untouched ? tl_loop_init(loop, carry) : TL_NO_VALUE;
}

tl_value tl__load_before_loop(const tl_func *f, const tl_op *loop, const tl_op *load) {
  tl_value array = load->operands[0];
  uint32_t count = load->operand_count - 1;
  const tl_op *def;
  while ((def = tl_def(f, array)) && def->code == TL_OP_update && !tl__value_visible(f, array, loop->parent)) {
    if (tl__indices_compare(f, count, def->operands + 1, load->operands + 1) != TL_INDEX_DIFFERENT) {
      return TL_NO_VALUE;
    }
    array = def->operands[0];
  }
  if (tl__value_visible(f, array, loop->parent)) {
    return array;
  }
  bool is_carry = !tl_info(f, array)->op && tl_info(f, array)->region == tl_loop_body(loop);
  tl_value before = is_carry ? tl__slice_initial(f, array, count, load->operands + 1) : TL_NO_VALUE;
  return before && tl__value_visible(f, before, loop->parent) ? before : TL_NO_VALUE;
}

/* ---- arrays that a loop overwrites ---- */

/* The conversion that v is, of an integer to one of no fewer bits; NULL where it is none. */
static const tl_op *widening(const tl_func *f, tl_value v) {
  const tl_op *def = tl_def(f, v);
  if (!def || def->code != TL_OP_cvt) {
    return NULL;
  }
  tl_dtype from = tl_type_of(f, def->operands[0]).dtype, to = tl_type_of(f, v).dtype;
  return !tl_dtype_is_float(from) && to != TL_BOOL && tl_dtype_size(to) >= tl_dtype_size(from) ? def : NULL;
}

/* Whether a bound is the extent: the same value, or the same constant, perhaps widened. */
static bool is_extent(const tl_func *f, tl_value bound, tl_extent e) {
  int64_t c;
  if (!e.value) {
    return tl_is_const_int(f, bound, &c) && c == e.fixed;
  }
  for (int steps = 0; steps < 4; steps++) {
    if (bound == e.value) {
      return true;
    }
    const tl_op *x = widening(f, bound), *y = widening(f, e.value);
    if (x) {
      bound = x->operands[0];
    } else if (y) {
      e.value = y->operands[0];
    } else {
      return false;
    }
  }
  return false;
}

/* Whether the loop's induction variable takes every value below the extent. */
static bool runs_over(const tl_func *f, const tl_op *loop, tl_extent e) {
  int64_t lo;
  return tl_loop_is_counted(loop) && loop->u.step == 1 && tl_is_const_int(f, tl_loop_lo(loop), &lo) && lo == 0 &&
         is_extent(f, tl_loop_hi(loop), e);
}

static bool is_in_bounds(const tl_func *f, tl_value index, tl_extent e) {
  int64_t c;
  if (tl_is_const_int(f, index, &c)) {
    return !e.value && c >= 0 && c < e.fixed;
  }
  tl_value converted = index;
  for (const tl_op *def; (def = tl_def(f, index)) && def->code == TL_OP_cvt;) {
    index = def->operands[0];
  }
  const tl_value_info *info = tl_info(f, index);
  const tl_op *loop = info->op || info->index ? NULL : info->region->parent;
  if (!loop || loop->code != TL_OP_loop || loop->u.step < 0 || !tl_loop_hi(loop)) {
    return false;
  }
  for (tl_value v = converted; v != index; v = tl_def(f, v)->operands[0]) { /* what is cut off makes it no larger */
    if (!tl_dtype_is_unsigned(tl_type_of(f, v).dtype) && !tl__cvt_keeps_counter(f, tl_def(f, v), loop)) {
      return false;
    }
  }
  bool from_zero =
      tl_dtype_is_unsigned(tl_type_of(f, index).dtype) || (tl_is_const_int(f, tl_loop_lo(loop), &c) && c >= 0);
  return from_zero && is_extent(f, tl_loop_hi(loop), e);
}

bool tl__load_is_in_bounds(const tl_func *f, const tl_op *load) {
  tl_type t = tl_type_of(f, load->operands[0]);
  for (int axis = 0; axis < t.rank; axis++) {
    if (!is_in_bounds(f, load->operands[1 + axis], t.extents[axis])) {
      return false;
    }
  }
  return true;
}

static tl_value without_cvt(const tl_func *f, tl_value v, const tl_op *loop) {
  const tl_op *def;
  while ((def = tl_def(f, v)) && def->code == TL_OP_cvt && tl__cvt_keeps_counter(f, def, loop)) {
    v = def->operands[0];
  }
  return v;
}

/* Whether the index runs through all of an axis while the loop's induction variable does: iv, or extent - 1 - iv. */
static bool runs_through(const tl_func *f, tl_value index, const tl_op *loop, tl_extent e) {
  tl_value iv = tl_loop_body(loop)->params.data[0];
  index = without_cvt(f, index, loop);
  if (index == iv) {
    return true;
  }
  const tl_op *last = tl_def(f, index);
  int64_t one;
  if (!last || last->code != TL_OP_sub) {
    return false;
  }
  if (tl_is_const_int(f, last->operands[1], &one) && one == 1) { /* (extent - iv) - 1 */
    const tl_op *rest = tl_def(f, last->operands[0]);
    return rest && rest->code == TL_OP_sub && is_extent(f, rest->operands[0], e) &&
           without_cvt(f, rest->operands[1], loop) == iv;
  }
  const tl_op *end = tl_def(f, last->operands[0]); /* (extent - 1) - iv */
  int64_t c;
  bool from_last = (tl_is_const_int(f, last->operands[0], &c) && !e.value && c == e.fixed - 1) ||
                   (end && end->code == TL_OP_sub && is_extent(f, end->operands[0], e) &&
                    tl_is_const_int(f, end->operands[1], &one) && one == 1);
  return from_last && without_cvt(f, last->operands[1], loop) == iv;
}

/* The elements of an array that stores reach: those with an index in all of these sets. */
typedef struct reach {
  bool all[TL_MAX_RANK];
  uint64_t some[TL_MAX_RANK];                       /* by index below 64 */
  uint32_t stride[TL_MAX_RANK], phase[TL_MAX_RANK]; /* each stride-th index from phase on; 0: none of these */
} reach;

/* The values of an index that is a constant, or the induction variable of that loop with constant bounds. */
static uint64_t constant_indices(const tl_func *f, tl_value index, const tl_op *loop) {
  int64_t lo, hi;
  index = loop ? without_cvt(f, index, loop) : index;
  if (tl_is_const_int(f, index, &lo)) {
    hi = lo + 1;
  } else if (!loop || index != tl_loop_body(loop)->params.data[0] || !tl_loop_hi(loop) || loop->u.step != 1 ||
             !tl_is_const_int(f, tl_loop_lo(loop), &lo) || !tl_is_const_int(f, tl_loop_hi(loop), &hi)) {
    return 0;
  }
  return lo >= 0 && lo < hi && hi < 64 ? (((uint64_t)1 << hi) - 1) & ~(((uint64_t)1 << lo) - 1) : 0;
}

/* The loops around a store; each serves one axis, or one digit of an index. */
typedef struct nest {
  const tl_op *loops[NEST];
  uint32_t depth, taken;
} nest;

/* Whether an integer that is multiplied to an extent cannot be negative: it is unsigned, or an extent itself. Of two
 * negative numbers the product would be an extent, and no loop would run. */
static bool is_no_count_below_zero(const tl_func *f, tl_value v) {
  int64_t c;
  if (tl_is_const_int(f, v, &c)) {
    return c >= 0;
  }
  if (tl_dtype_is_unsigned(tl_type_of(f, v).dtype)) {
    return !widening(f, v) || is_no_count_below_zero(f, widening(f, v)->operands[0]);
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_type t = tl_type_of(f, f->params.data[i].value);
    for (int axis = 0; axis < t.rank; axis++) {
      if (t.extents[axis].value && is_extent(f, v, t.extents[axis])) {
        return true;
      }
    }
  }
  return false;
}

static tl_extent extent_of(const tl_func *f, tl_value v) {
  int64_t c;
  return tl_is_const_int(f, v, &c) ? (tl_extent){c, TL_NO_VALUE} : (tl_extent){0, v};
}

/* Whether the extent is m times another one. */
static bool divide(const tl_func *f, tl_extent e, tl_value m, tl_extent *out) {
  int64_t c;
  bool is_const = tl_is_const_int(f, m, &c);
  if (!e.value) {
    *out = (tl_extent){is_const && c > 0 ? e.fixed / c : 0, TL_NO_VALUE};
    return is_const && c > 0 && e.fixed % c == 0;
  }
  const tl_op *def = tl_def(f, e.value);
  while (def && def->code == TL_OP_cvt && widening(f, e.value)) {
    e.value = def->operands[0];
    def = tl_def(f, e.value);
  }
  for (uint32_t k = 0; def && def->code == TL_OP_mul && k < 2; k++) {
    if (is_extent(f, m, extent_of(f, def->operands[k]))) {
      *out = extent_of(f, def->operands[1 - k]);
      return is_no_count_below_zero(f, def->operands[0]) || is_no_count_below_zero(f, def->operands[1]);
    }
  }
  return false;
}

/* Whether v, computed for an index of the axis, does not come round below the extent: unsigned arithmetic of fewer than
 * 64 bits does where the extent is computed in more. */
static bool has_room(const tl_func *f, tl_value v, tl_extent e) {
  tl_dtype t = tl_type_of(f, v).dtype;
  bool is_short = tl_dtype_is_unsigned(t) && tl_dtype_size(t) < 8;
  while (e.value && widening(f, e.value)) {
    e.value = widening(f, e.value)->operands[0];
  }
  return !is_short || (e.value ? tl_dtype_size(tl_type_of(f, e.value).dtype) <= tl_dtype_size(t)
                               : e.fixed >> 8 * tl_dtype_size(t) == 0);
}

/* Whether the index runs through all of an axis while the loops do: one of them does so, or the index is high * m + low
 * with low running through m and high through the axis' m-th part. */
static bool nest_runs_through(const tl_func *f, tl_value index, nest *n, tl_extent e) {
  for (uint32_t i = 0; i < n->depth; i++) {
    if (!(n->taken & 1u << i) && runs_over(f, n->loops[i], e) && runs_through(f, index, n->loops[i], e)) {
      n->taken |= 1u << i;
      return true;
    }
  }
  while (widening(f, index)) {
    index = widening(f, index)->operands[0];
  }
  const tl_op *sum = tl_def(f, index);
  for (uint32_t k = 0; sum && sum->code == TL_OP_add && k < 4; k++) {
    tl_value low = sum->operands[k & 1], product = sum->operands[1 - (k & 1)];
    while (widening(f, product)) {
      product = widening(f, product)->operands[0];
    }
    const tl_op *def = tl_def(f, product);
    tl_extent part;
    nest inner = *n;
    if (def && def->code == TL_OP_mul && has_room(f, index, e) && has_room(f, product, e) &&
        divide(f, e, def->operands[k >> 1], &part) &&
        nest_runs_through(f, low, &inner, extent_of(f, def->operands[k >> 1])) &&
        nest_runs_through(f, def->operands[1 - (k >> 1)], &inner, part)) {
      *n = inner;
      return true;
    }
  }
  return false;
}

/* Whether the index is high * stride + phase with high running through the stride-th part of the axis. */
static bool nest_strides_through(const tl_func *f, tl_value index, nest *n, tl_extent e, uint32_t *stride,
                                 uint32_t *phase) {
  while (widening(f, index)) {
    index = widening(f, index)->operands[0];
  }
  int64_t offset, c;
  tl_value base = tl__index_split(f, index, &offset);
  while (base && widening(f, base)) {
    base = widening(f, base)->operands[0];
  }
  const tl_op *def = base ? tl_def(f, base) : NULL;
  for (uint32_t k = 0; def && def->code == TL_OP_mul && k < 2; k++) {
    tl_extent part;
    if (has_room(f, index, e) && has_room(f, base, e) && tl_is_const_int(f, def->operands[k], &c) && c > 1 &&
        c <= SHORT && offset >= 0 && offset < c && divide(f, e, def->operands[k], &part) &&
        nest_runs_through(f, def->operands[1 - k], n, part)) {
      *stride = (uint32_t)c;
      *phase = (uint32_t)offset;
      return true;
    }
  }
  return false;
}

static bool reaches_on_axis(const tl_func *f, tl_value index, tl_extent e, int axis, nest *n, reach *out) {
  out->some[axis] = constant_indices(f, index, NULL);
  if (out->some[axis]) {
    return true;
  }
  out->all[axis] = nest_runs_through(f, index, n, e);
  if (out->all[axis]) {
    return true;
  }
  for (uint32_t i = 0; i < n->depth && !out->some[axis]; i++) {
    if (!(n->taken & 1u << i) && (out->some[axis] = constant_indices(f, index, n->loops[i]))) {
      n->taken |= 1u << i;
    }
  }
  return out->some[axis] || nest_strides_through(f, index, n, e, &out->stride[axis], &out->phase[axis]);
}

/* Which elements one store reaches that is run in every iteration of the loops around it out to `outermost`; false
 * where that is not known. */
static bool reaches(const tl_func *f, const tl_op *store, const tl_op *outermost, reach *out) {
  nest n = {0};
  for (const tl_op *op = store->parent->parent;; op = op->parent->parent) {
    if (!op || op->code != TL_OP_loop || n.depth == NEST || tl_loop_cond(op)->yields.count) {
      return false;
    }
    n.loops[n.depth++] = op;
    if (op == outermost) {
      break;
    }
  }
  tl_type t = tl_type_of(f, store->operands[0]);
  *out = (reach){0};
  for (int axis = 0; axis < t.rank; axis++) {
    if (!reaches_on_axis(f, store->operands[1 + axis], t.extents[axis], axis, &n, out)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < n.depth; i++) { /* the others have to run */
    int64_t lo, hi;
    if (!(n.taken & 1u << i) && !(tl_loop_hi(n.loops[i]) && tl_is_const_int(f, tl_loop_lo(n.loops[i]), &lo) &&
                                  tl_is_const_int(f, tl_loop_hi(n.loops[i]), &hi) && lo < hi)) {
      return false;
    }
  }
  return true;
}

/* Whether the region does anything with these versions but make the next one, of the outermost loop's carry in the end,
 * or load from them where that is allowed. */
static bool uses_otherwise(const versions *s, const tl_region *r, const tl_op *outermost, uint32_t carry,
                           bool may_load) {
  for (uint32_t i = 0; i < r->yields.count; i++) {
    bool goes_on = r->parent == outermost ? i == carry : has(s, r->parent->first_result + i);
    if (has(s, r->yields.data[i]) && !goes_on) {
      return true;
    }
  }
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      if (!has(s, op->operands[k])) {
        continue;
      }
      bool makes_next = (op->code == TL_OP_update && k == 0 && has(s, op->first_result)) ||
                        (op->code == TL_OP_loop && k >= 2 && has(s, op->first_result + k - 2)) ||
                        (op->code == TL_OP_index && k == 0 && may_load);
      if (!makes_next) {
        return true;
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      if (uses_otherwise(s, op->regions[k], outermost, carry, may_load)) {
        return true;
      }
    }
  }
  return false;
}

static void visit_accesses(const versions *s, const tl_region *r, void (*visit)(void *, const tl_op *), void *ctx) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    if ((op->code == TL_OP_index || op->code == TL_OP_update) && has(s, op->operands[0])) {
      visit(ctx, op);
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      visit_accesses(s, op->regions[k], visit, ctx);
    }
  }
}

bool tl__loop_accesses(const tl_func *f, const tl_op *loop, uint32_t carry, void (*visit)(void *, const tl_op *),
                       void *ctx) {
  versions s;
  if (!carried_versions(&s, f, loop, carry) || uses_otherwise(&s, tl_loop_body(loop), loop, carry, true)) {
    return false;
  }
  visit_accesses(&s, tl_loop_body(loop), visit, ctx);
  return true;
}

/* A store that, over all iterations, reaches every element of the carried array; NULL for none. */
static const tl_op *covering_store(const versions *s, const tl_op *loop) {
  for (uint32_t i = 0; i < s->count; i++) {
    const tl_op *def = tl_def(s->func, s->all[i]);
    reach r;
    bool covers = def && def->code == TL_OP_update && reaches(s->func, def, loop, &r);
    for (int axis = 0; covers && axis < tl_type_of(s->func, s->all[i]).rank; axis++) {
      covers = r.all[axis];
    }
    if (covers) {
      return def;
    }
  }
  return NULL;
}

enum { ELEMENTS = 256 };

/* In how many classes the indices of an axis are told apart: one by one, by their remainders, or not at all. */
static uint32_t class_count(tl_type t, int axis, uint32_t stride) {
  bool is_short = !t.extents[axis].value && t.extents[axis].fixed <= SHORT;
  return is_short ? (uint32_t)t.extents[axis].fixed : stride ? stride : 1;
}

static bool reaches_class(tl_type t, int axis, const reach *r, uint32_t stride, uint32_t i) {
  bool is_short = !t.extents[axis].value && t.extents[axis].fixed <= SHORT;
  return r->all[axis] || (is_short && r->some[axis] >> i & 1) ||
         (r->stride[axis] &&
          (is_short ? i % r->stride[axis] == r->phase[axis] : r->stride[axis] == stride && r->phase[axis] == i));
}

/* Notes the elements of the axes from `axis` on that the store reaches, with number `first` on the axes before. */
static void note_reached(tl_type t, int axis, uint32_t first, const reach *r, const uint32_t *strides, bool *reached) {
  if (axis == t.rank) {
    reached[first] = true;
    return;
  }
  uint32_t count = class_count(t, axis, strides[axis]);
  for (uint32_t i = 0; i < count; i++) {
    if (reaches_class(t, axis, r, strides[axis], i)) {
      note_reached(t, axis + 1, first * count + i, r, strides, reached);
    }
  }
}

/* Whether the stores together reach every element. */
static bool stores_cover(const versions *s, const tl_op *loop) {
  bool reached[ELEMENTS] = {false}, found[VERSIONS] = {false};
  reach by_store[VERSIONS];
  uint32_t strides[TL_MAX_RANK] = {0}, count = 1;
  tl_type t = tl_type_of(s->func, s->all[0]);
  for (uint32_t i = 0; i < s->count; i++) {
    const tl_op *def = tl_def(s->func, s->all[i]);
    found[i] = def && def->code == TL_OP_update && reaches(s->func, def, loop, &by_store[i]);
    for (int axis = 0; found[i] && axis < t.rank; axis++) {
      strides[axis] = strides[axis] ? strides[axis] : by_store[i].stride[axis];
    }
  }
  for (int axis = 0; axis < t.rank; axis++) {
    count *= class_count(t, axis, strides[axis]);
    if (count > ELEMENTS) {
      return covering_store(s, loop);
    }
  }
  for (uint32_t i = 0; i < s->count; i++) {
    if (found[i]) {
      note_reached(t, 0, 0, &by_store[i], strides, reached);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!reached[i]) {
      return false;
    }
  }
  return true;
}

bool tl__loop_overwrites(const tl_func *f, const tl_op *loop, uint32_t carry) {
  versions s;
  return carried_versions(&s, f, loop, carry) && !uses_otherwise(&s, tl_loop_body(loop), loop, carry, false) &&
         stores_cover(&s, loop);
}

static bool op_loads_share(const versions *s, const tl_op *op, uint32_t axis, tl_value index);

static bool all_loads_share(const versions *s, const tl_region *r, uint32_t axis, tl_value index) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (!op_loads_share(s, r->ops.data[i], axis, index)) {
      return false;
    }
  }
  return true;
}

/* Whether op, and all in it, loads from these versions with this index on the axis alone; TL_NO_VALUE: not at all. */
static bool op_loads_share(const versions *s, const tl_op *op, uint32_t axis, tl_value index) {
  if (op->code == TL_OP_index && has(s, op->operands[0]) &&
      (!index || tl__index_compare(s->func, op->operands[1 + axis], index) != TL_INDEX_SAME)) {
    return false;
  }
  for (uint32_t k = 0; k < op->region_count; k++) {
    if (!all_loads_share(s, op->regions[k], axis, index)) {
      return false;
    }
  }
  return true;
}

/* Whether each iteration first stores all of a slice of the carried array, and then loads from that slice alone, so
 * that nothing is seen of what the array held before the loop. */
static bool stores_before_it_loads(const tl_func *f, const tl_op *loop, uint32_t carry) {
  versions s;
  const tl_region *body = tl_loop_body(loop);
  const tl_op *store;
  if (!carried_versions(&s, f, loop, carry) || uses_otherwise(&s, body, loop, carry, true) ||
      !(store = covering_store(&s, loop))) {
    return false;
  }
  tl_type t = tl_type_of(f, store->operands[0]);
  int axis = 0; /* the one that the loop itself runs over; the others are run over in each iteration */
  while (axis < t.rank &&
         !(runs_over(f, loop, t.extents[axis]) && runs_through(f, store->operands[1 + axis], loop, t.extents[axis]))) {
    axis++;
  }
  bool stored = false;
  for (uint32_t i = 0; i < body->ops.count && axis < t.rank; i++) {
    const tl_op *op = body->ops.data[i];
    if (!op_loads_share(&s, op, (uint32_t)axis, stored ? store->operands[1 + axis] : TL_NO_VALUE)) {
      return false;
    }
    stored = stored || op == store || tl__op_contains(op, store->parent);
  }
  return axis < t.rank;
}

void tl__simplify_overwritten(tl_simplify *s, tl_region *into, tl_op *loop) {
  const tl_func *f = s->rw.func;
  for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
    tl_value init = tl_loop_init(loop, i);
    tl_op *def = tl_def(f, init);
    bool fills = def && (def->code == TL_OP_fill || (def->code == TL_OP_alloc && (def->u.flags & TL_ALLOC_ZEROED)));
    if (!fills || def->parent != into || !tl__simplify_is_only_use(s, init) ||
        !(tl__loop_overwrites(f, loop, i) || stores_before_it_loads(f, loop, i))) {
      continue;
    }
    s->rw.changed = true;
    if (def->code == TL_OP_fill) {
      loop->operands[2 + i] = def->operands[0];
    } else {
      def->u.flags &= ~(unsigned)TL_ALLOC_ZEROED;
    }
  }
}

/* ---- stores that nobody reads ---- */

bool tl__loop_iterations_are_apart(const tl_func *f, const tl_op *loop, uint32_t carry) {
  const tl_region *body = tl_loop_body(loop);
  versions s;
  if (!carried_versions(&s, f, loop, carry) || uses_otherwise(&s, body, loop, carry, true)) {
    return false;
  }
  const tl_op *store = NULL;
  for (uint32_t i = 0; i < s.count && !store; i++) {
    const tl_op *def = tl_def(f, s.all[i]);
    store = def && def->code == TL_OP_update ? def : NULL;
  }
  for (uint32_t axis = 0; store && axis + 2 < store->operand_count; axis++) {
    tl_value index = store->operands[1 + axis];
    if (has_slices(&s, body, axis, index) && all_loads_share(&s, body, axis, index)) {
      return true;
    }
  }
  return false;
}

/* The carry's final content is not read. Where the iterations are apart, neither is what an iteration stores last. */
static void drop_last_stores(tl_simplify *s, tl_op *loop, uint32_t carry) {
  const tl_func *f = s->rw.func;
  if (tl_loop_cond(loop)->yields.count || !tl__loop_iterations_are_apart(f, loop, carry)) {
    return;
  }
  tl_value *next = &tl_loop_body(loop)->yields.data[carry];
  while (tl__simplify_is_only_use(s, *next)) {
    tl_op *def = tl_def(f, *next);
    if (def && def->code == TL_OP_loop) {
      drop_last_stores(s, def, tl_info(f, *next)->index);
    }
    if (!def || def->code != TL_OP_update || def->parent != tl_loop_body(loop)) {
      return;
    }
    *next = def->operands[0];
    s->rw.changed = true;
  }
}

/* Whether all that is read of the result afterwards is one element that the loop does not store to. */
static bool is_read_elsewhere(const tl_simplify *s, const tl_op *loop, uint32_t carry) {
  tl_value result = loop->first_result + carry;
  const tl_op *load = s->a_load[result];
  versions v;
  return tl__simplify_is_only_use(s, result) && load && load->operands[0] == result &&
         carried_versions(&v, s->rw.func, loop, carry) &&
         all_stores_miss(&v, loop, load->operand_count - 1, load->operands + 1);
}

void tl__simplify_last_stores(tl_simplify *s, tl_op *loop) {
  for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
    tl_value result = loop->first_result + i;
    bool is_array = tl_type_of(s->rw.func, result).is_array && result < s->counted;
    if (is_array && (!s->uses[result] || is_read_elsewhere(s, loop, i))) {
      drop_last_stores(s, loop, i);
    }
  }
}
