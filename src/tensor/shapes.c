/* Tensors that follow from shapes and numbers, and blocks of channels as places; made of other ops. */
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
  tl_tensor row = tl_iota(TL_I64, shape, 0), column = tl_iota(TL_I64, shape, 1),
            by = tl_from(TL_I64, TL_SCALAR, &diagonal);
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

tl_tensor tl_cosine_window(tl_dtype dtype, int64_t count, bool periodic, int terms, const double *coefficients) {
  void *data;
  tl_tensor out = tl__tensor_blank(TL_F64, TL_SHAPE(count), &data);
  double turn = 2 * 3.14159265358979323846, steps = periodic ? (double)count : (double)(count - 1);
  for (int64_t i = 0; tl__tensor_is_valid(out) && i < count; i++) {
    double sum = 0, place = count > 1 ? (double)i / steps : 0.5;
    for (int k = 0; k < terms; k++) {
      sum += (k % 2 ? -coefficients[k] : coefficients[k]) * cos(turn * k * place);
    }
    ((double *)data)[i] = sum;
  }
  return tl__tensor_is_valid(out) && dtype != TL_F64 ? tl_cast(out, dtype) : out;
}

/* ---- blocks ---- */

/* x of examples, channels, rows and columns, the last three with extents that are numbers. */
static bool read_blocks(const char *op, tl_tensor x, int64_t block, tl_tensor *out) {
  if (x->rank != 4 || block < 1) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                             "%s: blocks of %lld in a tensor of rank %d; it has examples, channels, rows and columns",
                             op, (long long)block, x->rank);
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
