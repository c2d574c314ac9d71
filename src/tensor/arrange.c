/* Elements in another arrangement, and tensors that follow from shapes; made of other ops. */
#include <math.h>

#include "tensor/compose.h"

/* ---- what follows from shapes ---- */

tl_tensor tl_extents(tl_tensor x, int from, int to) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  if (from < 0 || from > to || to > x->rank) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "extents: of the axes from %d to %d, of %d", from, to, x->rank);
  }
  for (int i = from; i < to; i++) {
    if (!tl__has_extent("extents", x, i, &out)) {
      return out;
    }
  }
  return tl_from(TL_I64, TL_SHAPE(to - from), x->dim + from);
}

tl_tensor tl_size(tl_tensor x) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  int64_t count = 1;
  for (int i = 0; i < x->rank; i++) {
    if (!tl__has_extent("size", x, i, &out)) {
      return out;
    }
    count *= x->dim[i]; /* of elements that there are */
  }
  return tl_from(TL_I64, TL_SCALAR, &count);
}

tl_tensor tl_eye(tl_dtype dtype, int64_t rows, int64_t columns, int64_t diagonal) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_shape shape = TL_SHAPE(rows, columns);
  tl_tensor row = tl_iota(TL_I64, shape, 0), column = tl_iota(TL_I64, shape, 1), by = tl_from(TL_I64, TL_SCALAR, &diagonal);
  return tl__compose_leave("eye", scope, tl_cast(tl_eq(tl_add(row, by), column), dtype));
}

/* How many numbers there are from start to limit by the step; -1 where it is none. */
static int64_t range_count(tl_tensor start, tl_tensor limit, tl_tensor step) {
  if (tl_dtype_is_float(start->dtype)) {
    double count = ceil((tl_item(limit) - tl_item(start)) / tl_item(step));
    return !(count > 0) ? (isnan(count) ? -1 : 0) : count < 0x1p62 ? (int64_t)count : -1;
  }
  int64_t from = tl_item_int(start), to = tl_item_int(limit), by = tl_item_int(step);
  bool is_signed = start->dtype != TL_U64, back = is_signed && by < 0;
  bool is_empty = is_signed ? (back ? to >= from : to <= from) : (uint64_t)to <= (uint64_t)from;
  if (by == 0 || is_empty) {
    return by == 0 ? -1 : 0;
  }
  uint64_t apart = back ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from;
  uint64_t each = back ? 0 - (uint64_t)by : (uint64_t)by, count = apart / each + (apart % each != 0);
  return count <= INT64_MAX ? (int64_t)count : -1;
}

tl_tensor tl_range(tl_tensor start, tl_tensor limit, tl_tensor step) {
  tl_scope scope;
  tl_tensor out, all[3] = {start, limit, step};
  if (!tl__compose_enter(3, all, &scope, &out)) {
    return out;
  }
  for (int i = 0; i < 3; i++) {
    if (all[i]->trace) {
      out = tl__tensor_refuse(TL_TRACED_TENSOR, "range: how many numbers there are would depend on an input");
      return tl__compose_leave("range", scope, out);
    }
    if (all[i]->rank != 0 || all[i]->dtype != start->dtype || start->dtype == TL_BOOL) {
      out = tl__tensor_refuse(TL_DTYPE_MISMATCH, "range: operand %d has rank %d and dtype %s, operand 0 dtype %s", i,
                              all[i]->rank, tl_dtype_name(all[i]->dtype), tl_dtype_name(start->dtype));
      return tl__compose_leave("range", scope, out);
    }
  }
  int64_t count = range_count(start, limit, step);
  if (count < 0) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "range: it would have no end");
    return tl__compose_leave("range", scope, out);
  }
  tl_tensor wide = tl__widened(step), place = tl_iota(wide ? wide->dtype : step->dtype, TL_SHAPE(count), 0);
  out = tl_add(tl_mul(place, wide), tl__widened(start));
  return tl__compose_leave("range", scope, tl__like(out, start));
}

/* ---- blocks ---- */

/* x of examples, channels, rows and columns, the last three with extents that are numbers. */
static bool read_blocks(const char *op, tl_tensor x, int64_t block, tl_tensor *out) {
  if (x->rank != 4 || block < 1) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                             "%s: blocks of %lld in a tensor of rank %d; it has examples, channels, rows and columns", op,
                             (long long)block, x->rank);
    return false;
  }
  return tl__has_extent(op, x, 1, out) && tl__has_extent(op, x, 2, out) && tl__has_extent(op, x, 3, out);
}

tl_tensor tl_depth_to_space(tl_tensor x, int64_t block, bool channels_first) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (read_blocks("depth_to_space", x, block, &out)) {
    int64_t n = x->dim[0], deep = x->dim[1], rows = x->dim[2], columns = x->dim[3], area;
    if (__builtin_mul_overflow(block, block, &area) || deep % area) {
      out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "depth_to_space: %lld channels in blocks of %lld by %lld",
                              (long long)deep, (long long)block, (long long)block);
    } else if (channels_first) {
      out = tl_reshape(x, TL_SHAPE(n, deep / area, block, block, rows, columns));
      out = tl_transpose(out, TL_AXES(0, 1, 4, 2, 5, 3));
    } else {
      out = tl_reshape(x, TL_SHAPE(n, block, block, deep / area, rows, columns));
      out = tl_transpose(out, TL_AXES(0, 3, 4, 1, 5, 2));
    }
    out = tl__tensor_is_valid(out) ? tl_reshape(out, TL_SHAPE(n, deep / area, rows * block, columns * block)) : out;
  }
  return tl__compose_leave("depth_to_space", scope, out);
}

tl_tensor tl_space_to_depth(tl_tensor x, int64_t block) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (read_blocks("space_to_depth", x, block, &out)) {
    int64_t n = x->dim[0], deep = x->dim[1], rows = x->dim[2], columns = x->dim[3];
    if (rows % block || columns % block) {
      out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "space_to_depth: %lld rows and %lld columns in blocks of %lld",
                              (long long)rows, (long long)columns, (long long)block);
    } else {
      out = tl_reshape(x, TL_SHAPE(n, deep, rows / block, block, columns / block, block));
      out = tl_transpose(out, TL_AXES(0, 3, 5, 1, 2, 4));
      out = tl_reshape(out, TL_SHAPE(n, deep * block * block, rows / block, columns / block));
    }
  }
  return tl__compose_leave("space_to_depth", scope, out);
}

/* ---- repetitions and parts ---- */

tl_tensor tl_tile(tl_tensor x, tl_ints counts) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (!tl__list_fits("tile", "repetitions", counts, x->rank, &out)) {
    return tl__compose_leave("tile", scope, out);
  }
  out = x;
  for (int i = 0; tl__tensor_is_valid(out) && i < x->rank; i++) {
    int64_t extent;
    if (counts.dim[i] == 1) {
      continue;
    }
    if (counts.dim[i] < 0 || x->rank == TL_MAX_RANK || !tl__is_number(x->dim[i]) ||
        __builtin_mul_overflow(counts.dim[i], x->dim[i], &extent)) {
      out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "tile: %lld times axis %d, which has extent %lld",
                              (long long)counts.dim[i], i, (long long)x->dim[i]);
      break;
    }
    tl_shape apart = tl_shape_of(out), whole = apart;
    for (int k = apart.rank++; k > i; k--) {
      apart.dim[k] = apart.dim[k - 1];
    }
    apart.dim[i] = 1;
    tl_tensor one = tl_reshape(out, apart);
    apart.dim[i] = counts.dim[i];
    whole.dim[i] = extent;
    out = tl_reshape(tl_broadcast(one, apart), whole);
  }
  return tl__compose_leave("tile", scope, out);
}

tl_status tl_split(tl_tensor x, int axis, int count, const int64_t *extents, tl_tensor *out_parts) {
  tl_tensor failed = NULL;
  bool ok = !tl__tensor_any_failed(1, &x, &failed) && tl__find_axis("split", x, &axis, &failed) &&
            tl__has_extent("split", x, axis, &failed);
  int64_t at = 0, rest = ok ? x->dim[axis] : 0;
  for (int i = 0; ok && i < count; i++) {
    ok = extents[i] >= 0 && extents[i] <= rest;
    rest -= ok ? extents[i] : 0;
  }
  if (!failed && x && (!ok || rest)) {
    failed = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "split: the %d parts do not add up to axis %d of extent %lld",
                               count, axis, (long long)x->dim[axis]);
    ok = false;
  }
  tl_status status = TL_OK;
  for (int i = 0; i < count; i++) {
    if (ok) {
      out_parts[i] = tl__part(x, axis, at, extents[i]);
      at += extents[i];
    } else {
      out_parts[i] = failed;
    }
    status = status == TL_OK ? tl_status_of(out_parts[i]) : status;
  }
  return ok ? status : tl_status_of(failed);
}

/* ---- borders ---- */

typedef enum border { EDGE, MIRROR, WRAP } border;

/* Which element of n stands at a place that may be outside. */
static int64_t inside_at(border kind, int64_t place, int64_t n) {
  if (kind == EDGE || n == 1) {
    return place < 0 ? 0 : place < n ? place : n - 1;
  }
  int64_t period = kind == WRAP ? n : 2 * (n - 1), at = place % period;
  at += at < 0 ? period : 0;
  return at < n ? at : period - at;
}

static tl_tensor border_axis(const char *op, tl_tensor x, int axis, int64_t low, int64_t high, border kind) {
  tl_tensor out;
  if (!tl__has_extent(op, x, axis, &out)) {
    return out;
  }
  int64_t n = x->dim[axis], count;
  if (__builtin_add_overflow(n, low, &count) || __builtin_add_overflow(count, high, &count) || count < 0 ||
      (n == 0 && count > 0)) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: %lld in front of and %lld behind axis %d of extent %lld", op,
                             (long long)low, (long long)high, axis, (long long)n);
  }
  void *data;
  tl_tensor place = tl__tensor_blank(TL_I64, TL_SHAPE(count), &data);
  for (int64_t i = 0; tl__tensor_is_valid(place) && i < count; i++) {
    ((int64_t *)data)[i] = inside_at(kind, i - low, n);
  }
  return tl_gather(x, place, axis, (tl_gather_opts){.mode = TL_INDEX_CHECK});
}

static tl_tensor bordered(const char *op, tl_tensor x, tl_ints low, tl_ints high, border kind) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (tl__list_fits(op, "numbers in front", low, x->rank, &out) &&
      tl__list_fits(op, "numbers behind", high, x->rank, &out)) {
    out = x;
    for (int i = 0; tl__tensor_is_valid(out) && i < low.rank; i++) {
      out = low.dim[i] || high.dim[i] ? border_axis(op, out, i, low.dim[i], high.dim[i], kind) : out;
    }
  }
  return tl__compose_leave(op, scope, out);
}

tl_tensor tl_pad_edge(tl_tensor x, tl_ints low, tl_ints high) { return bordered("pad_edge", x, low, high, EDGE); }
tl_tensor tl_pad_mirror(tl_tensor x, tl_ints low, tl_ints high) { return bordered("pad_mirror", x, low, high, MIRROR); }
tl_tensor tl_pad_wrap(tl_tensor x, tl_ints low, tl_ints high) { return bordered("pad_wrap", x, low, high, WRAP); }
