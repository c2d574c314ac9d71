/* Elements at places that tensors of indices name, made of other ops. Negative indices count from behind. */
#include "tensor/compose.h"

static tl_tensor refuse_indices(const char *op, tl_tensor x, tl_tensor indices) {
  return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: indices of rank %d into a tensor of rank %d", op,
                           indices->rank, x->rank);
}

static tl_tensor from_the_front(tl_tensor indices, tl_tensor extent) {
  tl_tensor is_negative = tl_lt(indices, tl_scalar_like(indices, 0));
  return tl_where(is_negative, tl_add(indices, extent), indices);
}

static tl_tensor extent_like(tl_tensor x, int axis, tl_tensor indices) {
  return tl_scalar_like(indices, (double)x->dim[axis]);
}

tl_tensor tl_take(tl_tensor x, tl_tensor indices, int axis, tl_index_mode mode) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, indices}, &scope, &out)) {
    return out;
  }
  if (tl__find_axis("take", x, &axis, &out) && tl__has_extent("take", x, axis, &out)) {
    tl_gather_opts o = {.mode = mode};
    out = tl_gather(x, from_the_front(indices, extent_like(x, axis, indices)), axis, o);
  }
  return tl__compose_leave("take", scope, out);
}

/* ---- an index for each element ---- */

/* Whether there is an index for an element of x in each of the indices' places. */
static bool read_elements(const char *op, tl_tensor x, tl_tensor indices, int *axis, tl_tensor *out) {
  if (!tl__find_axis(op, x, axis, out) || !tl__has_extent(op, x, *axis, out)) {
    return false;
  }
  if (indices->rank != x->rank || x->rank == TL_MAX_RANK) {
    *out = refuse_indices(op, x, indices);
    return false;
  }
  for (int i = 0; i < x->rank; i++) {
    if (i != *axis && tl__is_number(x->dim[i]) && tl__is_number(indices->dim[i]) && indices->dim[i] > x->dim[i]) {
      *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d has extent %lld, that of the indices %lld", op, i,
                               (long long)x->dim[i], (long long)indices->dim[i]);
      return false;
    }
  }
  return true;
}

/* Where each of the places along the axis is in x, as rows of a number for each axis. */
static tl_tensor places_of(tl_tensor place, int axis) {
  tl_tensor rows[TL_MAX_RANK];
  if (!tl__tensor_is_valid(place)) {
    return place;
  }
  int64_t count = -1; /* what follows from the elements, where there are any */
  for (int i = 0; i < place->rank; i++) {
    count = place->dim[i] == 0 ? 0 : count;
  }
  for (int i = 0; i < place->rank; i++) {
    tl_tensor at = i == axis ? place : tl_positions(place, i);
    at = tl__tensor_is_valid(at) && at->dtype != place->dtype ? tl_cast(at, place->dtype) : at;
    rows[i] = tl_reshape(at, TL_SHAPE(count, 1));
  }
  return tl_concatenate(place->rank, rows, 1);
}

/* Whether the indices have all of x's lines along the axis, so that each needs no place but its own. */
static bool has_lines(tl_tensor x, tl_tensor indices, int axis) {
  bool same = indices->rank == x->rank;
  for (int i = 0; same && i < x->rank; i++) {
    same = i == axis || indices->dim[i] == x->dim[i];
  }
  return same;
}

/* Windows of one element for each row. */
static tl_shape one_each(tl_tensor rows, int rank) {
  tl_shape shape = tl__list_of(rank + 1, 1);
  shape.dim[0] = tl__tensor_is_valid(rows) ? rows->dim[0] : 0;
  return shape;
}

tl_tensor tl_gather_elements(tl_tensor x, tl_tensor indices, int axis, tl_index_mode mode) {
  static const char op[] = "gather_elements";
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, indices}, &scope, &out)) {
    return out;
  }
  if (!read_elements(op, x, indices, &axis, &out)) {
    return tl__compose_leave(op, scope, out);
  }
  tl_tensor place = from_the_front(indices, extent_like(x, axis, indices));
  if (has_lines(x, indices, axis)) {
    return tl__compose_leave(op, scope, tl_take_along(x, place, axis, mode));
  }
  tl_tensor rows = places_of(place, axis);
  tl_window_gather_opts o = {.mode = mode};
  out = tl_reshape(tl_window_gather(x, rows, one_each(rows, x->rank), TL_ALL, o), tl_shape_of(indices));
  return tl__compose_leave(op, scope, out);
}

tl_tensor tl_scatter_elements(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_reducer reducer,
                              tl_index_mode mode) {
  static const char op[] = "scatter_elements";
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){x, indices, updates}, &scope, &out)) {
    return out;
  }
  bool fits = updates->rank == indices->rank;
  for (int i = 0; fits && i < indices->rank; i++) {
    fits = updates->dim[i] == indices->dim[i];
  }
  if (!fits) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "scatter_elements: indices and updates differ in shape");
    return tl__compose_leave(op, scope, out);
  }
  if (!read_elements(op, x, indices, &axis, &out)) {
    return tl__compose_leave(op, scope, out);
  }
  tl_tensor place = from_the_front(indices, extent_like(x, axis, indices));
  if (has_lines(x, indices, axis)) {
    return tl__compose_leave(op, scope, tl_scatter_along(x, place, updates, axis, reducer, mode));
  }
  tl_tensor rows = places_of(place, axis);
  tl_window_scatter_opts o = {.mode = mode};
  out = tl_window_scatter(x, rows, tl_reshape(updates, one_each(rows, x->rank)), TL_ALL, reducer, o);
  return tl__compose_leave(op, scope, out);
}

static tl_tensor flat(tl_tensor x) { return tl_reshape(x, TL_SHAPE(-1)); }

tl_tensor tl_place_flat(tl_tensor x, tl_tensor indices, tl_shape shape) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, indices}, &scope, &out)) {
    return out;
  }
  int64_t count = 1;
  bool fits = shape.rank >= 0 && shape.rank <= TL_MAX_RANK;
  for (int i = 0; fits && i < shape.rank; i++) {
    fits = shape.dim[i] >= 0 && !__builtin_mul_overflow(count, shape.dim[i], &count);
  }
  if (fits) {
    tl_tensor zeros = tl_broadcast(tl_scalar_like(x, 0), TL_SHAPE(count));
    out = tl_scatter_elements(zeros, flat(indices), flat(x), 0, TL_REDUCE_REPLACE, TL_INDEX_CHECK);
    out = tl_reshape(out, shape);
  } else {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "place_flat: no tensor has such extents");
  }
  return tl__compose_leave("place_flat", scope, out);
}

/* ---- an index for each of several axes ---- */

/* How vectors of indices lie: their axes in front, then x's from `first` on, of which `count` are indexed. */
typedef struct vectors {
  int batch, count, front;
  tl_axes axes;
  tl_shape windows, values; /* the axes that are indexed: of extent 1; left out */
} vectors;

static bool read_vectors(const char *op, tl_tensor x, tl_tensor indices, int batch, vectors *v, tl_tensor *out) {
  int count = indices->rank ? (int)indices->dim[indices->rank - 1] : 0;
  *v = (vectors){.batch = batch, .count = count, .front = indices->rank - 1};
  if (indices->rank < 1 || batch < 0 || batch >= indices->rank || count < 1 || count > x->rank - batch ||
      v->front + x->rank - batch > TL_MAX_RANK) {
    *out = refuse_indices(op, x, indices);
    return false;
  }
  v->windows = v->values = (tl_shape){.rank = v->front};
  for (int i = 0; i < v->front; i++) {
    v->windows.dim[i] = v->values.dim[i] = indices->dim[i];
  }
  for (int i = batch; i < x->rank; i++) {
    bool is_indexed = i < batch + count;
    if (is_indexed && !tl__has_extent(op, x, i, out)) {
      return false;
    }
    v->windows.dim[v->windows.rank++] = is_indexed ? 1 : x->dim[i];
    if (is_indexed) {
      v->axes.axis[v->axes.count++] = (int8_t)i;
    } else {
      v->values.dim[v->values.rank++] = x->dim[i];
    }
  }
  return true;
}

static tl_tensor vectors_from_the_front(tl_tensor x, tl_tensor indices, const vectors *v) {
  tl_tensor extents = tl_from(TL_I64, TL_SHAPE(v->count), x->dim + v->batch);
  return from_the_front(indices, indices->dtype == TL_I64 ? extents : tl_cast(extents, indices->dtype));
}

tl_tensor tl_gather_nd(tl_tensor x, tl_tensor indices, int batch, tl_index_mode mode) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, indices}, &scope, &out)) {
    return out;
  }
  vectors v;
  if (read_vectors("gather_nd", x, indices, batch, &v, &out)) {
    tl_window_gather_opts o = {.mode = mode, .batch = batch};
    out = tl_window_gather(x, vectors_from_the_front(x, indices, &v), v.windows, v.axes, o);
    out = tl_reshape(out, v.values);
  }
  return tl__compose_leave("gather_nd", scope, out);
}

tl_tensor tl_scatter_nd(tl_tensor x, tl_tensor indices, tl_tensor updates, tl_reducer reducer, tl_index_mode mode) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){x, indices, updates}, &scope, &out)) {
    return out;
  }
  vectors v;
  if (read_vectors("scatter_nd", x, indices, 0, &v, &out)) {
    bool fits = updates->rank == v.values.rank;
    for (int i = 0; fits && i < updates->rank; i++) {
      fits = updates->dim[i] == v.values.dim[i];
    }
    tl_window_scatter_opts o = {.mode = mode};
    out = fits ? tl_window_scatter(x, vectors_from_the_front(x, indices, &v), tl_reshape(updates, v.windows), v.axes,
                                   reducer, o)
               : tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                   "scatter_nd: the updates have another shape than what the indices name");
  }
  return tl__compose_leave("scatter_nd", scope, out);
}

/* ---- one element of a line ---- */

tl_tensor tl_one_of(tl_tensor indices, int64_t count, int axis, tl_tensor off, tl_tensor on) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){indices, off, on}, &scope, &out)) {
    return out;
  }
  int rank = indices->rank + 1, at = axis < 0 ? axis + rank : axis;
  if (rank > TL_MAX_RANK || at < 0 || at >= rank || count < 0) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "one_of: axis %d of extent %lld among %d", axis, (long long)count,
                            rank);
    return tl__compose_leave("one_of", scope, out);
  }
  tl_shape column = {.rank = rank}, line = tl__list_of(rank, 1);
  for (int i = 0; i < rank; i++) {
    column.dim[i] = i == at ? 1 : indices->dim[i - (i > at)];
  }
  line.dim[at] = count;
  tl_tensor place = from_the_front(indices, tl_scalar_like(indices, (double)count));
  tl_tensor here = tl_eq(tl_reshape(place, column), tl_iota(indices->dtype, line, at));
  return tl__compose_leave("one_of", scope, tl_where(here, on, off));
}

tl_tensor tl_reverse_sequence(tl_tensor x, tl_tensor lengths, int axis, int batch_axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, lengths}, &scope, &out)) {
    return out;
  }
  if (!tl__find_axis("reverse_sequence", x, &axis, &out) || !tl__find_axis("reverse_sequence", x, &batch_axis, &out)) {
    return tl__compose_leave("reverse_sequence", scope, out);
  }
  if (axis == batch_axis || lengths->rank != 1 || lengths->dim[0] != x->dim[batch_axis]) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                            "reverse_sequence: the lengths have rank %d; there is one for each place on another axis",
                            lengths->rank);
    return tl__compose_leave("reverse_sequence", scope, out);
  }
  tl_tensor length = tl__along(lengths->dtype == TL_I64 ? lengths : tl_cast(lengths, TL_I64), x->rank, batch_axis);
  tl_tensor place = tl_positions(x, axis), back = tl_sub(tl_sub(length, tl_fill(TL_I64, TL_SCALAR, 1)), place);
  out = tl_take_along(x, tl_where(tl_lt(place, length), back, place), axis, TL_INDEX_CHECK);
  return tl__compose_leave("reverse_sequence", scope, out);
}
