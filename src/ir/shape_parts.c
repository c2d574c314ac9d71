/* The types of the ops on parts of tensors: picked elements, windows, bits. */
#include <string.h>

#include "ir/shape_priv.h"

static tl_status count_is(tl_shape_rules *r, const char *op, int at, const char *what, const tl_attr *a, int count) {
  return a->ints.count == count
             ? TL_OK
             : tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH, "%s: %d %s for %d axes", op, a->ints.count, what, count);
}

static tl_status are_positive(tl_shape_rules *r, const char *op, int at, const char *what, const tl_attr *a) {
  for (int i = 0; i < a->ints.count; i++) {
    if (a->ints.at[i] < 1) {
      return tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH, "%s: a %s of %lld", op, what, (long long)a->ints.at[i]);
    }
  }
  return TL_OK;
}

/* Two axes that are one: `at` is the argument that has y. */
static tl_status must_fit(tl_shape_rules *r, const char *op, int at, const char *of, int axis, tl_extent m,
                          tl_extent n) {
  return !tl__extent_is_number(m) || !tl__extent_is_number(n) || m.fixed == n.fixed
             ? TL_OK
             : tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d of %s has extent %lld, and is to have %lld",
                              op, axis, of, (long long)n.fixed, (long long)m.fixed);
}

/* ---- picked elements ---- */

static tl_status strided(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_attr *attrs,
                         tl_tensor_type *out) {
  int rank = attrs[0].shape.rank;
  const tl_extent *target = attrs[0].shape.dim;
  tl_status status = tl__shape_check_target(r, op, rank, target, false);
  if (status == TL_OK && rank != x->rank) {
    status = tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: rank %d to rank %d", op, x->rank, rank);
  }
  if (status == TL_OK) {
    status = count_is(r, op, 2, "starts", &attrs[1], rank);
  }
  if (status == TL_OK) {
    status = count_is(r, op, 3, "steps", &attrs[2], rank);
  }
  if (status == TL_OK) {
    status = are_positive(r, op, 3, "step", &attrs[2]);
  }
  if (status != TL_OK) {
    return status;
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = rank};
  for (int i = 0; i < rank; i++) {
    t.dim[i] = target[i];
    if (tl__extent_is_same(target[i], x->dim[i]) && attrs[1].ints.at[i] == 0 && attrs[2].ints.at[i] == 1) {
      tl__shape_take(&t, i, x, i); /* an axis that stays as it is keeps its name */
    }
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_pick(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  return strided(r, "pick", x, attrs, out);
}

tl_status tl__shape_place(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  return strided(r, "place", x, attrs, out);
}

tl_status tl__shape_concat(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int axis = 0;
  tl_status status = tl__shape_alike(r, "concat", 0, x[0].dtype, 1, x[1].dtype);
  if (status == TL_OK) {
    status = tl__shape_axis(r, "concat", 2, x[0].rank, attrs[0].integer, &axis);
  }
  if (status == TL_OK && x[0].rank != x[1].rank) {
    status = tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "concat: rank %d behind rank %d", x[1].rank, x[0].rank);
  }
  tl_tensor_type t = x[0];
  for (int i = 0; status == TL_OK && i < x[0].rank; i++) {
    status = tl__shape_align(r, "concat", 1, &x[0], i, &x[1], i, &t, i);
    if (status == TL_OK && i != axis) {
      status = must_fit(r, "concat", 1, "operand 1", i, x[0].dim[i], x[1].dim[i]);
      t.dim[i] = tl__extent_is_number(x[0].dim[i]) ? x[0].dim[i] : x[1].dim[i];
    }
  }
  if (status != TL_OK) {
    return status;
  }
  tl_extent m = x[0].dim[axis], n = x[1].dim[axis];
  t.axis[axis] = NULL;
  t.bound[axis] = NULL;
  t.dim[axis] = (tl_extent){.fixed = -1};
  if (tl__extent_is_number(m) && tl__extent_is_number(n) &&
      __builtin_add_overflow(m.fixed, n.fixed, &t.dim[axis].fixed)) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "concat: more elements than can be counted");
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_reverse(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  bool named[TL_MAX_RANK];
  tl_status status = tl__shape_axes(r, "reverse", x->rank, attrs[0].axes, named);
  *out = *x;
  return status;
}

/* ---- windows ---- */

int tl__shape_axis_list(tl_axes axes, int rank, int out[TL_MAX_RANK]) {
  int count = axes.count < 0 ? rank : axes.count;
  for (int i = 0; i < count; i++) {
    out[i] = axes.count < 0 ? i : (axes.axis[i] + rank) % rank;
  }
  return count;
}

/* Whether `many` windows of `wide` elements fit in an axis. */
static bool reaches(tl_extent extent, tl_extent many, tl_extent wide, int64_t stride, int64_t dilation) {
  int64_t last, inner;
  if (!tl__extent_is_number(extent) || !tl__extent_is_number(many) || !tl__extent_is_number(wide) || !many.fixed ||
      !wide.fixed) {
    return true;
  }
  return !__builtin_mul_overflow(many.fixed - 1, stride, &last) &&
         !__builtin_mul_overflow(wide.fixed - 1, dilation, &inner) && !__builtin_add_overflow(last, inner, &last) &&
         last < extent.fixed;
}

/* Of x without windows, and y, which has them; `at` is the argument that is stated. */
static tl_status windowed(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_tensor_type *y,
                          const tl_attr *attrs) {
  bool named[TL_MAX_RANK] = {false};
  int list[TL_MAX_RANK];
  tl_status status = tl__shape_axes(r, op, x->rank, attrs[1].axes, named);
  if (status != TL_OK) {
    r->at = 2;
    return status;
  }
  int count = tl__shape_axis_list(attrs[1].axes, x->rank, list);
  if (y->rank != x->rank + count) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: rank %d with windows along %d axes is not rank %d", op,
                          x->rank, count, y->rank);
  }
  status = count_is(r, op, 3, "strides", &attrs[2], count);
  if (status == TL_OK) {
    status = count_is(r, op, 4, "dilations", &attrs[3], count);
  }
  if (status == TL_OK) {
    status = are_positive(r, op, 3, "stride", &attrs[2]);
  }
  if (status == TL_OK) {
    status = are_positive(r, op, 4, "dilation", &attrs[3]);
  }
  for (int i = 0; status == TL_OK && i < x->rank; i++) {
    status = named[i] ? TL_OK : must_fit(r, op, 1, "the shape", i, x->dim[i], y->dim[i]);
  }
  for (int k = 0; status == TL_OK && k < count; k++) {
    if (!reaches(x->dim[list[k]], y->dim[list[k]], y->dim[x->rank + k], attrs[2].ints.at[k], attrs[3].ints.at[k])) {
      status = tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: %lld windows of %lld do not fit in axis %d of %lld",
                              op, (long long)y->dim[list[k]].fixed, (long long)y->dim[x->rank + k].fixed, list[k],
                              (long long)x->dim[list[k]].fixed);
    }
  }
  return status;
}

tl_status tl__shape_windows(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_tensor_type t = {.dtype = x->dtype, .rank = attrs[0].shape.rank};
  tl_status status = tl__shape_check_target(r, "windows", t.rank, attrs[0].shape.dim, false);
  if (status != TL_OK) {
    return status;
  }
  tl_extents_copy(t.dim, attrs[0].shape.dim, t.rank);
  status = windowed(r, "windows", x, &t, attrs);
  if (status != TL_OK) {
    return status;
  }
  bool named[TL_MAX_RANK] = {false};
  status = tl__shape_axes(r, "windows", x->rank, attrs[1].axes, named);
  for (int i = 0; i < x->rank; i++) {
    if (!named[i]) {
      tl_extent stated = t.dim[i];
      tl__shape_take(&t, i, x, i);
      t.dim[i] = stated;
    }
  }
  *out = t;
  return status;
}

tl_status tl__shape_overlap_add(tl_shape_rules *r, const tl_tensor_type *y, const tl_attr *attrs, tl_tensor_type *out) {
  tl_tensor_type t = {.dtype = y->dtype, .rank = attrs[0].shape.rank};
  tl_status status = tl__shape_refuse_bool(r, "overlap_add", y->dtype);
  if (status == TL_OK) {
    status = tl__shape_check_target(r, "overlap_add", t.rank, attrs[0].shape.dim, false);
  }
  if (status != TL_OK) {
    return status;
  }
  tl_extents_copy(t.dim, attrs[0].shape.dim, t.rank);
  status = windowed(r, "overlap_add", &t, y, attrs);
  if (status != TL_OK) {
    return status;
  }
  bool named[TL_MAX_RANK] = {false};
  status = tl__shape_axes(r, "overlap_add", t.rank, attrs[1].axes, named);
  for (int i = 0; i < t.rank; i++) {
    if (!named[i]) {
      t.axis[i] = y->axis[i];
      t.bound[i] = y->bound[i];
    }
  }
  *out = t;
  return status;
}

/* ---- windows at indices ---- */

/* The shape `t` of windows of x at indices: the common axes, those of the indices but the last, the windows'. `at` is
 * the argument that has it, `first` that of the axes. */
static tl_status at_indices(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_tensor_type *i,
                            tl_tensor_type *t, int at, int first, tl_axes axes, int64_t common) {
  bool named[TL_MAX_RANK] = {false};
  if (i->dtype != TL_I32 && i->dtype != TL_I64) {
    return tl__shape_fail(r, 1, TL_DTYPE_UNSUPPORTED, "%s: the indices have dtype %s, not i32 or i64", op,
                          tl_dtype_name(i->dtype));
  }
  tl_status status = tl__shape_axes(r, op, x->rank, axes, named);
  if (status != TL_OK) {
    r->at = first;
    return status;
  }
  if (common < 0 || common > x->rank || common >= i->rank) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH,
                          "%s: %lld common axes of x, of rank %d, and the indices, of %d", op, (long long)common,
                          x->rank, i->rank);
  }
  int list[TL_MAX_RANK], count = tl__shape_axis_list(axes, x->rank, list);
  for (int k = 0; k < common; k++) {
    if (named[k]) {
      return tl__shape_fail(r, first, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d is a common one", op, k);
    }
  }
  tl_extent length = i->dim[i->rank - 1];
  if (tl__extent_is_number(length) && length.fixed != count) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: %lld indices for %d axes", op, (long long)length.fixed,
                          count);
  }
  int front = i->rank - 1, rank = front + x->rank - (int)common;
  if (t->rank != rank) {
    return tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH, "%s: rank %d; the windows have %d", op, t->rank, rank);
  }
  for (int k = 0; status == TL_OK && k < rank; k++) {
    int a = k < common ? k : k - front + (int)common; /* the axis of x */
    tl_extent n = t->dim[k];
    if (k < common) {
      status = tl__shape_align(r, op, 1, x, k, i, k, t, k);
      status = status == TL_OK ? must_fit(r, op, 1, "the indices", k, x->dim[k], i->dim[k]) : status;
      status = status == TL_OK ? must_fit(r, op, at, "the windows", k, x->dim[k], n) : status;
    } else if (k < front) {
      tl__shape_take(t, k, i, k);
      status = must_fit(r, op, at, "the windows", k, i->dim[k], n);
      t->dim[k] = n;
    } else if (tl__extent_is_number(n) && tl__extent_is_number(x->dim[a]) && n.fixed > x->dim[a].fixed) {
      status =
          tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH, "%s: a window of %lld along axis %d, which has extent %lld",
                         op, (long long)n.fixed, a, (long long)x->dim[a].fixed);
    } else if (!named[a] && tl__extent_is_same(n, x->dim[a])) {
      tl__shape_take(t, k, x, a);
    } else {
      t->axis[k] = NULL;
      t->bound[k] = NULL;
    }
  }
  return status;
}

tl_status tl__shape_window_gather(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                  tl_tensor_type *out) {
  tl_tensor_type t = {.dtype = x->dtype, .rank = attrs[0].shape.rank};
  tl_status status = tl__shape_check_target(r, "window_gather", t.rank, attrs[0].shape.dim, false);
  r->at = status == TL_OK ? r->at : 2;
  if (status == TL_OK) {
    tl_extents_copy(t.dim, attrs[0].shape.dim, t.rank);
    status = at_indices(r, "window_gather", &x[0], &x[1], &t, 2, 3, attrs[1].axes, attrs[3].integer);
  }
  *out = t;
  return status;
}

tl_status tl__shape_window_scatter(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                   tl_tensor_type *out) {
  tl_status status = tl__shape_alike(r, "window_scatter", 0, x[0].dtype, 2, x[2].dtype);
  tl_tensor_type t = {.dtype = x[2].dtype, .rank = x[2].rank};
  tl_extents_copy(t.dim, x[2].dim, t.rank);
  if (status == TL_OK) {
    status = at_indices(r, "window_scatter", &x[0], &x[1], &t, 2, 3, attrs[0].axes, attrs[3].integer);
  }
  for (int k = 0; status == TL_OK && k < t.rank; k++) {
    tl_tensor_type aligned = t;
    status = tl__shape_align(r, "window_scatter", 2, &t, k, &x[2], k, &aligned, k);
  }
  *out = x[0];
  return status;
}

/* ---- places and bits ---- */

tl_status tl__shape_positions(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int axis;
  tl_status status = tl__shape_axis(r, "positions", 1, x->rank, attrs[0].integer, &axis);
  *out = *x;
  out->dtype = TL_I64;
  return status;
}

static tl_status refused_dtype(tl_shape_rules *r, const char *op, int at, tl_dtype d) {
  return tl__shape_fail(r, at, TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take", op, at,
                        tl_dtype_name(d));
}

tl_status tl__shape_bitcast(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_dtype to = (tl_dtype)attrs[0].integer;
  if (x->dtype == TL_BOOL || x->dtype == TL_F80) {
    return refused_dtype(r, "bitcast", 0, x->dtype);
  }
  if ((unsigned)to >= TL_DTYPE_COUNT || to == TL_BOOL || to == TL_F80) {
    return tl__shape_fail(r, 1, TL_DTYPE_UNSUPPORTED, "bitcast: to a dtype that it does not take");
  }
  int64_t from_size = (int64_t)tl_dtype_size(x->dtype), to_size = (int64_t)tl_dtype_size(to);
  tl_tensor_type t = *x;
  t.dtype = to;
  if (from_size > to_size) {
    if (t.rank == TL_MAX_RANK) {
      return tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "bitcast: the result would have rank %d", t.rank + 1);
    }
    t.axis[t.rank] = NULL;
    t.bound[t.rank] = NULL;
    t.dim[t.rank++] = (tl_extent){.fixed = from_size / to_size};
  } else if (from_size < to_size) {
    tl_extent last = t.rank ? t.dim[t.rank - 1] : (tl_extent){.fixed = 1};
    if (tl__extent_is_number(last) && last.fixed != to_size / from_size) {
      return tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "bitcast: a last axis of %lld; it is %lld for %s of %s",
                            (long long)last.fixed, (long long)(to_size / from_size), tl_dtype_name(to),
                            tl_dtype_name(x->dtype));
    }
    t.rank--;
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_sign(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  *out = *x;
  return tl__shape_refuse_bool(r, "sign", x->dtype);
}

static tl_status of_integers(tl_shape_rules *r, const char *op, const tl_tensor_type *x, tl_tensor_type *out) {
  *out = *x;
  return x->dtype == TL_BOOL || tl_dtype_is_float(x->dtype) ? refused_dtype(r, op, 0, x->dtype) : TL_OK;
}

tl_status tl__shape_popcnt(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  return of_integers(r, "popcnt", x, out);
}

tl_status tl__shape_clz(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  return of_integers(r, "clz", x, out);
}

tl_status tl__shape_reduce_precision(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                     tl_tensor_type *out) {
  *out = *x;
  tl_status status = tl__shape_need_float(r, "reduce_precision", 0, x->dtype);
  if (status == TL_OK && (attrs[0].integer < 1 || attrs[1].integer < 0)) {
    status =
        tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "reduce_precision: %lld bits of exponent and %lld of fraction",
                       (long long)attrs[0].integer, (long long)attrs[1].integer);
  }
  return status;
}
