/* Elements in other places: rolls, repetitions, stacks, diagonals, borders; made of other ops. What depends on an
 * extent needs it as a number. */
#include "tensor/compose.h"
#include "tensor/lists.h"

/* ---- axes ---- */

/* The axis from the front, of a number of elements; else *out is the refusal. */
static bool counted_axis(const char *op, int at, tl_tensor x, int axis, int *out_axis, tl_tensor *out) {
  tl_shape_rules rules;
  tl_status status = tl__shape_axis(&rules, op, at, x->rank, axis, out_axis);
  if (status != TL_OK) {
    *out = tl__tensor_failed(status, rules.message);
  } else if (!tl__is_number(x->dim[*out_axis])) {
    *out = tl__tensor_refuse(TL_TRACED_TENSOR, "%s: axis %d has an extent that is no number yet", op, *out_axis);
  } else {
    return true;
  }
  return false;
}

static bool has_room(const char *op, int rank, tl_tensor *out) {
  if (rank > TL_MAX_RANK) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: the result would have more axes than a tensor", op);
  }
  return rank <= TL_MAX_RANK;
}

static tl_shape with_axis(tl_shape shape, int axis, int64_t extent) {
  for (int i = shape.rank; i > axis; i--) {
    shape.dim[i] = shape.dim[i - 1];
  }
  shape.dim[axis] = extent;
  shape.rank++;
  return shape;
}

/* Two axes moved behind the others, which stay in their order; their number when that is undone. */
static tl_axes two_last(int rank, int a, int b) {
  tl_axes order = {.count = 0};
  for (int i = 0; i < rank; i++) {
    if (i != a && i != b) {
      order.axis[order.count++] = (int8_t)i;
    }
  }
  order.axis[order.count++] = (int8_t)a;
  order.axis[order.count++] = (int8_t)b;
  return order;
}

static tl_axes undone(tl_axes order) {
  tl_axes out = {.count = order.count};
  for (int i = 0; i < order.count; i++) {
    out.axis[order.axis[i]] = (int8_t)i;
  }
  return out;
}

/* ---- along axes ---- */

static tl_tensor rolled(tl_tensor x, int axis, int64_t shift) {
  int64_t n = tl_shape_of(x).dim[axis], cut = n ? ((shift % n) + n) % n : 0;
  return cut ? tl_concat(tl__part(x, axis, n - cut, cut), tl__part(x, axis, 0, n - cut), axis) : x;
}

tl_tensor tl_roll(tl_tensor x, tl_ints shifts, tl_axes axes) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  int axis;
  if (axes.count < 0 || axes.count != shifts.rank) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "roll: %d shifts for %d axes", shifts.rank, axes.count);
    return tl__compose_leave("roll", scope, out);
  }
  tl_tensor moved = x;
  for (int i = 0; tl__tensor_is_valid(moved) && i < axes.count; i++) {
    moved = counted_axis("roll", 2, x, axes.axis[i], &axis, &out) ? rolled(moved, axis, shifts.dim[i]) : out;
  }
  return tl__compose_leave("roll", scope, moved);
}

/* An axis `count` times, the whole of it or each element. */
static tl_tensor repeated(tl_tensor x, int axis, int64_t count, bool is_each) {
  tl_shape shape = tl_shape_of(x);
  tl_shape apart = with_axis(shape, axis + is_each, 1), wide = with_axis(shape, axis + is_each, count);
  if (__builtin_mul_overflow(shape.dim[axis], count, &shape.dim[axis])) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "repeat: axis %d %lld times", axis, (long long)count);
  }
  return count == 1 ? x : tl_reshape(tl_broadcast(tl_reshape(x, apart), wide), shape);
}

tl_tensor tl_tile(tl_tensor x, tl_ints counts) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  int rank = counts.rank > x->rank ? counts.rank : x->rank, axis;
  if (!has_room("tile", rank + 1, &out)) {
    return tl__compose_leave("tile", scope, out);
  }
  tl_shape shape = {.rank = rank};
  for (int i = 0; i < rank; i++) {
    shape.dim[i] = i < rank - x->rank ? 1 : x->dim[i - (rank - x->rank)];
  }
  tl_tensor moved = tl_reshape(x, shape);
  for (int i = rank - counts.rank; tl__tensor_is_valid(moved) && i < rank; i++) {
    int64_t count = counts.dim[i - (rank - counts.rank)];
    if (count < 0) {
      moved = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "tile: axis %d %lld times", i, (long long)count);
    } else if (count != 1) {
      moved = counted_axis("tile", 1, moved, i, &axis, &out) ? repeated(moved, i, count, false) : out;
    }
  }
  return tl__compose_leave("tile", scope, moved);
}

tl_tensor tl_repeat_interleave(tl_tensor x, int64_t count, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (count < 0) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "repeat_interleave: elements %lld times", (long long)count);
  } else if (has_room("repeat_interleave", x->rank + 1, &out) &&
             counted_axis("repeat_interleave", 2, x, axis, &axis, &out)) {
    out = repeated(x, axis, count, true);
  }
  return tl__compose_leave("repeat_interleave", scope, out);
}

tl_tensor tl_stack(int count, const tl_tensor *x, int axis) {
  enum { MOST = 64 };
  tl_scope scope;
  tl_tensor out, parts[MOST];
  if (count < 1 || count > MOST) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "stack: %d operands, of 1 to %d", count, (int)MOST);
  }
  if (!tl__compose_enter(count, x, &scope, &out)) {
    return out;
  }
  tl_shape_rules rules;
  tl_status status = tl__shape_axis(&rules, "stack", 2, x[0]->rank + 1, axis, &axis);
  if (status != TL_OK) {
    return tl__compose_leave("stack", scope, tl__tensor_failed(status, rules.message));
  }
  for (int i = 0; i < count; i++) {
    bool fits = x[i]->rank == x[0]->rank && has_room("stack", x[i]->rank + 1, &out);
    if (!fits) {
      out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "stack: operand %d has rank %d, operand 0 %d", i, x[i]->rank,
                              x[0]->rank);
      return tl__compose_leave("stack", scope, out);
    }
    parts[i] = tl_reshape(x[i], with_axis(tl_shape_of(x[i]), axis, 1));
  }
  return tl__compose_leave("stack", scope, tl_concatenate(count, parts, axis));
}

/* ---- several results ---- */

/* Sets all results to a failed tensor. */
static tl_status refused(int count, tl_tensor failed, tl_tensor *out) {
  for (int i = 0; i < count; i++) {
    out[i] = failed;
  }
  return tl_status_of(failed);
}

tl_status tl_split(tl_tensor x, tl_ints sizes, int axis, tl_tensor *out_parts) {
  tl_tensor failed;
  if (tl__tensor_any_failed(1, &x, &failed) || !counted_axis("split", 2, x, axis, &axis, &failed)) {
    return refused(sizes.rank, failed, out_parts);
  }
  int64_t at = 0;
  for (int i = 0; i < sizes.rank && at >= 0; i++) {
    at = sizes.dim[i] < 0 || sizes.dim[i] > x->dim[axis] - at ? -1 : at + sizes.dim[i];
  }
  if (at != x->dim[axis]) {
    return refused(sizes.rank,
                   tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                     "split: the sizes are not in sum the extent %lld of axis %d",
                                     (long long)x->dim[axis], axis),
                   out_parts);
  }
  tl_status status = TL_OK;
  at = 0;
  for (int i = 0; i < sizes.rank; i++) {
    out_parts[i] = tl__part(x, axis, at, sizes.dim[i]);
    status = status == TL_OK ? tl_status_of(out_parts[i]) : status;
    at += sizes.dim[i];
  }
  return status;
}

tl_status tl_meshgrid(int count, const tl_tensor *x, bool by_columns, tl_tensor *out_grids) {
  tl_tensor failed;
  if (tl__tensor_any_failed(count, x, &failed)) {
    return refused(count, failed, out_grids);
  }
  tl_shape shape = {.rank = count};
  for (int i = 0; i < count; i++) {
    if (count > TL_MAX_RANK || x[i]->rank > 1) {
      failed = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "meshgrid: %d operands, operand %d of rank %d", count, i,
                                 x[i]->rank);
      return refused(count, failed, out_grids);
    }
    shape.dim[by_columns && count > 1 && i < 2 ? 1 - i : i] = x[i]->rank ? x[i]->dim[0] : 1;
  }
  tl_status status = TL_OK;
  for (int i = 0; i < count; i++) {
    tl_scope scope = tl_scope_open();
    int axis = by_columns && count > 1 && i < 2 ? 1 - i : i;
    tl_shape line = tl__list_of(count, 1);
    line.dim[axis] = shape.dim[axis];
    out_grids[i] = scope ? tl__scope_leave(scope, tl_broadcast(tl_reshape(x[i], line), shape)) : NULL;
    status = status == TL_OK ? tl_status_of(out_grids[i]) : status;
  }
  return status;
}

/* ---- diagonals ---- */

/* Beyond these no diagonal of elements lies. */
static int64_t limited(int64_t offset) {
  const int64_t most = (int64_t)1 << 60;
  return offset > most ? most : offset < -most ? -most : offset;
}

tl_tensor tl_diagonal(tl_tensor x, int64_t offset, int axis1, int axis2) {
  tl_scope scope;
  tl_tensor out;
  offset = limited(offset);
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (!counted_axis("diagonal", 2, x, axis1, &axis1, &out) || !counted_axis("diagonal", 3, x, axis2, &axis2, &out)) {
    return tl__compose_leave("diagonal", scope, out);
  }
  if (axis1 == axis2) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "diagonal: axis %d is named twice", axis1);
    return tl__compose_leave("diagonal", scope, out);
  }
  int64_t rows = x->dim[axis1], columns = x->dim[axis2];
  int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0;
  int64_t most = rows - row < columns - column ? rows - row : columns - column;
  /* The two axes as one, in which the diagonal has a step. */
  tl_tensor last = tl_transpose(x, two_last(x->rank, axis1, axis2));
  tl_shape shape = tl_shape_of(last);
  shape.rank = x->rank - 1;
  shape.dim[shape.rank - 1] = rows * columns;
  tl_tensor flat = tl_reshape(last, shape);
  tl_ints start = tl__list_of(shape.rank, 0), step = tl__list_of(shape.rank, 1);
  shape.dim[shape.rank - 1] = most > 0 ? most : 0;
  start.dim[shape.rank - 1] = most > 0 ? row * columns + column : 0;
  step.dim[shape.rank - 1] = columns + 1;
  return tl__compose_leave("diagonal", scope, tl_pick(flat, shape, start, step));
}

tl_tensor tl_trace(tl_tensor x, int64_t offset, int axis1, int axis2) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("trace", scope, tl_sum(tl_diagonal(x, offset, axis1, axis2), TL_AXES(-1), false));
}

tl_tensor tl_diag_embed(tl_tensor x, int64_t offset, int axis1, int axis2) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  int last, a, b;
  int64_t room;
  tl_shape_rules rules;
  offset = limited(offset);
  bool ok = has_room("diag_embed", x->rank + 1, &out) && counted_axis("diag_embed", 0, x, -1, &last, &out);
  tl_status status = ok ? tl__shape_axis(&rules, "diag_embed", 2, x->rank + 1, axis1, &a) : TL_OK;
  status = ok && status == TL_OK ? tl__shape_axis(&rules, "diag_embed", 3, x->rank + 1, axis2, &b) : status;
  if (status != TL_OK) {
    out = tl__tensor_failed(status, rules.message);
  } else if (ok && a == b) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "diag_embed: axis %d is named twice", a);
  } else if (ok) {
    int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0, n = x->dim[last] + row + column;
    if (__builtin_mul_overflow(n, n, &room)) {
      out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "diag_embed: matrices of %lld rows", (long long)n);
      return tl__compose_leave("diag_embed", scope, out);
    }
    tl_shape flat = tl_shape_of(x), shape = with_axis(flat, last, n);
    tl_ints start = tl__list_of(x->rank, 0), step = tl__list_of(x->rank, 1);
    flat.dim[last] = room;
    shape.dim[last + 1] = n;
    start.dim[last] = row * n + column;
    step.dim[last] = n + 1;
    out = tl_reshape(tl_place(x, flat, start, step), shape);
    out = tl_transpose(out, undone(two_last(shape.rank, a, b)));
  }
  return tl__compose_leave("diag_embed", scope, out);
}

/* ---- products ---- */

tl_tensor tl_outer(tl_tensor x, tl_tensor y) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, y}, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("outer", scope, tl_mul(tl_reshape(x, TL_SHAPE(-1, 1)), tl_reshape(y, TL_SHAPE(1, -1))));
}

tl_tensor tl_kron(tl_tensor x, tl_tensor y) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, y}, &scope, &out)) {
    return out;
  }
  int rank = x->rank > y->rank ? x->rank : y->rank, axis;
  bool ok = has_room("kron", 2 * rank, &out);
  tl_shape left = tl__list_of(2 * rank, 1), right = left, shape = {.rank = rank};
  for (int i = 0; ok && i < rank; i++) {
    int a = i - (rank - x->rank), b = i - (rank - y->rank);
    ok = (a < 0 || counted_axis("kron", 0, x, a, &axis, &out)) && (b < 0 || counted_axis("kron", 1, y, b, &axis, &out));
    left.dim[2 * i] = ok && a >= 0 ? x->dim[a] : 1;
    right.dim[2 * i + 1] = ok && b >= 0 ? y->dim[b] : 1;
    if (ok && __builtin_mul_overflow(left.dim[2 * i], right.dim[2 * i + 1], &shape.dim[i])) {
      out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "kron: axis %d would be too long", i);
      ok = false;
    }
  }
  if (ok) {
    out = tl_reshape(tl_mul(tl_reshape(x, left), tl_reshape(y, right)), shape);
  }
  return tl__compose_leave("kron", scope, out);
}

tl_tensor tl_cross(tl_tensor x, tl_tensor y, int axis) {
  tl_scope scope;
  tl_tensor out, sides[2] = {x, y};
  if (!tl__compose_enter(2, sides, &scope, &out)) {
    return out;
  }
  tl_tensor once[2], twice[2];
  for (int i = 0; i < 2; i++) {
    int at;
    bool ok = counted_axis("cross", 2, sides[i], axis, &at, &out);
    if (ok && sides[i]->dim[at] != 3) {
      out =
          tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "cross: operand %d has extent %lld on axis %d, and is to have 3",
                            i, (long long)sides[i]->dim[at], at);
      ok = false;
    }
    if (!ok) {
      return tl__compose_leave("cross", scope, out);
    }
    once[i] = rolled(sides[i], at, -1);
    twice[i] = rolled(sides[i], at, -2);
  }
  return tl__compose_leave("cross", scope, tl_sub(tl_mul(once[0], twice[1]), tl_mul(twice[0], once[1])));
}

/* ---- differences ---- */

tl_tensor tl_diff(tl_tensor x, int64_t order, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (!counted_axis("diff", 2, x, axis, &axis, &out) || order < 0) {
    out = order < 0 ? tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "diff: %lld times", (long long)order) : out;
    return tl__compose_leave("diff", scope, out);
  }
  out = x;
  int64_t left = x->dim[axis];
  for (int64_t i = 0; i < order && left > 0; i++, left--) {
    out = tl_sub(tl__part(out, axis, 1, left - 1), tl__part(out, axis, 0, left - 1));
  }
  return tl__compose_leave("diff", scope, out);
}

/* ---- elements at indices ---- */

tl_tensor tl_scatter_along(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_reducer reducer,
                           tl_index_mode mode) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){x, indices, updates}, &scope, &out)) {
    return out;
  }
  tl_shape_rules rules;
  tl_status status = tl__shape_axis(&rules, "scatter_along", 3, x->rank, axis, &axis);
  if (status != TL_OK) {
    out = tl__tensor_failed(status, rules.message);
  } else if (indices->rank != x->rank || updates->rank != x->rank || x->rank == TL_MAX_RANK) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "scatter_along: operands of rank %d, %d and %d", x->rank,
                            indices->rank, updates->rank);
  } else { /* the axis last, and each line has indices of its own */
    tl_axes order = two_last(x->rank, axis, axis);
    order.count = x->rank;
    tl_tensor at = tl_transpose(indices, order);
    tl_tensor vectors = tl_reshape(at, with_axis(tl_shape_of(at), x->rank, 1));
    tl_tensor lines = tl_transpose(updates, order);
    lines = tl_reshape(lines, with_axis(tl_shape_of(lines), x->rank, 1));
    out = tl_window_scatter(tl_transpose(x, order), vectors, lines, tl__one_axis(x->rank - 1), reducer,
                            (tl_window_scatter_opts){.mode = mode, .batch = x->rank - 1});
    out = tl_transpose(out, undone(order));
  }
  return tl__compose_leave("scatter_along", scope, out);
}

/* ---- borders ---- */

/* `count` elements in front of an axis, or behind it. */
static tl_tensor border(tl_tensor x, int axis, int64_t count, bool is_front, tl_border kind) {
  int64_t n = tl_shape_of(x).dim[axis];
  tl_tensor part;
  switch (kind) {
  case TL_BORDER_EDGE:
    return repeated(tl__part(x, axis, is_front ? 0 : n - 1, 1), axis, count, false);
  case TL_BORDER_WRAP:
    return tl__part(x, axis, is_front ? n - count : 0, count);
  case TL_BORDER_REFLECT:
    part = tl__part(x, axis, is_front ? 1 : n - 1 - count, count);
    return tl_reverse(part, tl__one_axis(axis));
  case TL_BORDER_SYMMETRIC:
    part = tl__part(x, axis, is_front ? 0 : n - count, count);
    return tl_reverse(part, tl__one_axis(axis));
  }
  return tl__tensor_refuse(TL_UNSUPPORTED_CONSTRUCT, "pad_border: there is no border %d", (int)kind);
}

/* Whether there are as many elements, when those that are to be taken away are. */
static bool is_within(int64_t front, int64_t back, int64_t n, tl_border kind) {
  if (front < -n || back < -n) {
    return false;
  }
  n += (front < 0 ? front : 0) + (back < 0 ? back : 0);
  int64_t most = kind == TL_BORDER_EDGE ? INT64_MAX : n - (kind == TL_BORDER_REFLECT);
  return n >= (kind == TL_BORDER_EDGE && (front > 0 || back > 0)) && (front <= 0 || front <= most) &&
         (back <= 0 || back <= most);
}

tl_tensor tl_pad_border(tl_tensor x, tl_ints low, tl_ints high, tl_border kind) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = x;
  bool ok = tl__list_fits("pad_border", "numbers in front", low, x->rank, &out) &&
            tl__list_fits("pad_border", "numbers behind", high, x->rank, &out) &&
            has_room("pad_border", x->rank + 1, &out);
  for (int i = 0; ok && i < x->rank; i++) {
    int64_t front = low.dim[i], back = high.dim[i], n = x->dim[i];
    int axis;
    if (front == 0 && back == 0) {
      continue;
    }
    ok = counted_axis("pad_border", 0, x, i, &axis, &out);
    if (ok && !is_within(front, back, n, kind)) {
      out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                              "pad_border: %lld in front and %lld behind axis %d, which has extent %lld",
                              (long long)front, (long long)back, i, (long long)n);
      ok = false;
    }
    if (ok && (front < 0 || back < 0)) {
      int64_t from = front < 0 ? -front : 0;
      wide = tl__part(wide, i, from, n - from + (back < 0 ? back : 0));
      front = front < 0 ? 0 : front;
      back = back < 0 ? 0 : back;
    }
    if (ok) {
      tl_tensor before = front ? border(wide, i, front, true, kind) : NULL;
      tl_tensor behind = back ? border(wide, i, back, false, kind) : NULL;
      wide = front ? tl_concat(before, wide, i) : wide;
      wide = back ? tl_concat(wide, behind, i) : wide;
    }
  }
  return tl__compose_leave("pad_border", scope, ok ? wide : out);
}
