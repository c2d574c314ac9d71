/* Normalisation by batches, rows of tables, products with sparse matrices: made of other ops. */
#include "tensor/lists.h"
#include "tensor/tensor_priv.h"

static tl_tensor widened(tl_tensor x) {
  return tl__tensor_is_valid(x) && tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
}
static tl_tensor rounded(tl_tensor out, tl_dtype dtype) {
  return tl__tensor_is_valid(out) && out->dtype != dtype ? tl_cast(out, dtype) : out;
}
static tl_tensor filled(tl_tensor like, double number, tl_shape shape) {
  return tl_broadcast(tl_scalar_like(like, number), shape);
}

/* ---- batches ---- */

/* What a channel has one of, along axis 1 of `rank`. */
static tl_tensor for_channels(tl_tensor x, int rank) {
  tl_shape shape = tl__list_of(rank - 1, 1);
  shape.dim[0] = x->dim[0];
  return tl_reshape(x, shape);
}

static bool read_batch_norm(const tl_tensor operands[5], tl_tensor *out) {
  static const char *const names[] = {"x", "the weight", "the bias", "the mean", "the variance"};
  if (tl__tensor_any_failed(5, operands, out)) {
    return false;
  }
  tl_tensor x = operands[0];
  if (!tl_dtype_is_float(x->dtype) || x->rank < 2) {
    *out = tl_dtype_is_float(x->dtype)
               ? tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                   "batch_norm: x has rank %d; its axes are examples, channels and any others", x->rank)
               : tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "batch_norm: operand 0 has dtype %s", tl_dtype_name(x->dtype));
    return false;
  }
  for (int i = 1; i < 5; i++) {
    tl_tensor y = operands[i];
    if (y->dtype != x->dtype) {
      *out = tl__tensor_refuse(TL_DTYPE_MISMATCH, "batch_norm: operand 0 has dtype %s, operand %d %s",
                               tl_dtype_name(x->dtype), i, tl_dtype_name(y->dtype));
      return false;
    }
    bool fits = y->rank == 1 && (!tl__is_number(y->dim[0]) || !tl__is_number(x->dim[1]) || y->dim[0] == x->dim[1]);
    if (!fits) {
      *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "batch_norm: %s has not one number for each channel of x",
                               names[i]);
      return false;
    }
  }
  return true;
}

/* How many elements a channel has: a number where the extents are, else a sum of ones. */
static tl_tensor channel_count(tl_tensor x, tl_axes axes, double *out_number) {
  double count = 1;
  for (int i = 0; i < axes.count; i++) {
    int64_t n = x->dim[axes.axis[i]];
    if (!tl__is_number(n)) {
      *out_number = -1;
      return tl_sum(filled(x, 1, tl_shape_of(x)), axes, true);
    }
    count *= (double)n;
  }
  *out_number = count;
  return tl_scalar_like(x, count);
}

/* last + share * (next - last), as 1 - share parts of one and `share` of the other. */
static tl_tensor moved_on(tl_tensor last, tl_tensor next, double share) {
  return tl_add(tl_mul(last, tl_scalar_like(last, 1 - share)), tl_mul(next, tl_scalar_like(last, share)));
}

static tl_batch_norm_result batch_norm(const tl_tensor operands[5], tl_batch_norm_opts o) {
  tl_tensor x = widened(operands[0]), wide[5], one;
  tl_axes axes = {.count = 0};
  for (int i = 0; i < x->rank; i++) {
    axes.axis[axes.count] = (int8_t)i;
    axes.count += i != 1;
  }
  for (int i = 1; i < 5; i++) {
    wide[i] = widened(operands[i]);
  }
  if (tl__tensor_any_failed(4, wide + 1, &one)) {
    return (tl_batch_norm_result){one, one, one};
  }
  tl_batch_norm_result out = {.mean = wide[3], .variance = wide[4]};
  tl_tensor mean = for_channels(wide[3], x->rank), variance = for_channels(wide[4], x->rank);
  tl_tensor apart = tl_sub(x, mean);
  if (o.training) {
    double number;
    tl_tensor count = channel_count(x, axes, &number);
    if (number >= 0 && number < 2) {
      one = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "batch_norm: %g elements of each channel have no variance",
                              number);
      return (tl_batch_norm_result){one, one, one};
    }
    mean = tl_div(tl_sum(x, axes, true), count);
    apart = tl_sub(x, mean);
    tl_tensor squares = tl_sum(tl_mul(apart, apart), axes, true);
    variance = tl_div(squares, count);
    tl_tensor unbiased = o.biased ? variance : tl_div(squares, tl_sub(count, tl_scalar_like(count, 1)));
    out.mean = moved_on(wide[3], tl_reshape(mean, tl_shape_of(wide[3])), o.momentum);
    out.variance = moved_on(wide[4], tl_reshape(unbiased, tl_shape_of(wide[4])), o.momentum);
  }
  tl_tensor deviation = tl_sqrt(tl_add(variance, tl_scalar_like(x, o.epsilon)));
  tl_tensor scaled = tl_mul(tl_div(apart, deviation), for_channels(wide[1], x->rank));
  out.values = tl_add(scaled, for_channels(wide[2], x->rank));
  return out;
}

tl_batch_norm_result tl_batch_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, tl_tensor mean, tl_tensor variance,
                                   tl_batch_norm_opts o) {
  tl_tensor operands[5] = {x, weight, bias, mean, variance}, failed;
  if (!read_batch_norm(operands, &failed)) {
    return (tl_batch_norm_result){failed, failed, failed};
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return (tl_batch_norm_result){NULL, NULL, NULL};
  }
  o.epsilon = o.epsilon == 0 ? 1e-5 : o.epsilon;
  o.momentum = o.momentum == 0 ? 0.1 : o.momentum;
  tl_batch_norm_result out = batch_norm(operands, o);
  out.mean = tl_scope_keep(scope, rounded(out.mean, x->dtype));
  out.variance = tl_scope_keep(scope, rounded(out.variance, x->dtype));
  out.values = tl__scope_leave(scope, rounded(out.values, x->dtype));
  return out;
}

/* ---- rows of tables ---- */

/* The same elements, from which no derivative goes back: bits have none. */
static tl_tensor without_derivative(tl_tensor x) {
  static const tl_dtype bits[] = {[1] = TL_I8, [2] = TL_I16, [4] = TL_I32, [8] = TL_I64};
  return tl__tensor_is_valid(x) && tl_dtype_is_float(x->dtype)
             ? tl_bitcast(tl_bitcast(x, bits[tl_dtype_size(x->dtype)]), x->dtype)
             : x;
}

/* Whether an index is the one of padding, for each row: with `rank` axes behind those of the indices. */
static tl_tensor is_padding(tl_tensor indices, int64_t padding, int rank) {
  tl_shape shape = tl_shape_of(indices);
  for (int i = 0; i < rank; i++) {
    shape.dim[shape.rank++] = 1;
  }
  tl_tensor number = tl_cast(tl_from(TL_I64, TL_SCALAR, &padding), indices->dtype);
  return tl_reshape(tl_eq(indices, number), shape);
}

static bool read_table(const char *op, tl_tensor table, tl_tensor indices, tl_tensor *out) {
  if (tl__tensor_any_failed(2, (tl_tensor[]){table, indices}, out)) {
    return false;
  }
  if (indices->dtype != TL_I32 && indices->dtype != TL_I64) {
    *out = tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "%s: the indices have dtype %s", op, tl_dtype_name(indices->dtype));
    return false;
  }
  if (table->rank < 1 || table->rank - 1 + indices->rank > TL_MAX_RANK) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: a table of rank %d by indices of rank %d", op, table->rank,
                             indices->rank);
    return false;
  }
  return true;
}

tl_tensor tl_embedding(tl_tensor table, tl_tensor indices, tl_embedding_opts o) {
  tl_tensor out;
  if (!read_table("embedding", table, indices, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  out = tl_gather(table, indices, 0, (tl_gather_opts){.mode = o.mode});
  if (o.has_padding && tl__tensor_is_valid(out)) {
    out = tl_where(is_padding(indices, o.padding, table->rank - 1), without_derivative(out), out);
  }
  return tl__scope_leave(scope, out);
}

/* Which of the segments that start at `starts`, in order, each of `count` elements is in; -1 in front of the first. */
static tl_tensor segments(tl_tensor starts, int64_t count) {
  int64_t numbers[2] = {0, 1};
  tl_tensor zero = tl_from(TL_I64, TL_SCALAR, numbers), one = tl_from(TL_I64, TL_SCALAR, numbers + 1);
  tl_tensor here = tl_scatter_add(tl_broadcast(zero, TL_SHAPE(count)), starts, tl_broadcast(one, tl_shape_of(starts)),
                                  0, (tl_scatter_add_opts){.mode = TL_INDEX_DROP});
  return tl_sub(tl_cumsum(here, 0, false), one);
}

/* False where the two are not rows of indices, or the number of elements is not known yet. */
static bool read_segments(const char *op, tl_tensor indices, tl_tensor starts, tl_tensor *out) {
  if (indices->rank != 1 || starts->rank != 1) {
    *out =
        tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: indices of rank %d and starts of rank %d; both have one axis",
                          op, indices->rank, starts->rank);
    return false;
  }
  if (!tl__is_number(indices->dim[0])) {
    *out = tl__tensor_refuse(TL_TRACED_TENSOR, "%s: how many indices there are is no number yet", op);
    return false;
  }
  return true;
}

/* The rows of each bag as one: `rows` at the bags that `bag` says; `outside` are those that do not count. */
static tl_tensor reduce_bags(tl_tensor rows, tl_tensor bag, tl_tensor outside, int64_t bags, tl_embedding_bag_opts o) {
  tl_scatter_add_opts checked = {.mode = TL_INDEX_CHECK};
  tl_shape all = tl_shape_of(rows), shape = all, column = tl__list_of(shape.rank, 1);
  shape.dim[0] = column.dim[0] = bags;
  tl_tensor counts = tl_where(outside, tl_scalar_like(rows, 0), tl_scalar_like(rows, 1)); /* [n, 1 ...] */
  tl_tensor count = tl_scatter_add(filled(rows, 0, column), bag, counts, 0, checked);
  tl_tensor is_empty = tl_eq(count, tl_scalar_like(rows, 0));
  if (o.reduction == TL_BAG_MAX) {
    tl_tensor least = tl__reducer_identity(rows, TL_REDUCE_MAX);
    tl_shape windows = {.rank = shape.rank + 1, .dim = {all.dim[0], 1}}; /* of one row each */
    for (int i = 1; i < shape.rank && i < TL_MAX_RANK - 1; i++) {
      windows.dim[i + 1] = shape.dim[i];
    }
    tl_tensor at = tl_reshape(bag, TL_SHAPE(windows.dim[0], 1));
    tl_tensor updates = tl_reshape(tl_where(outside, least, rows), windows);
    tl_tensor most = tl_window_scatter(tl_broadcast(least, shape), at, updates, TL_AXES(0), TL_REDUCE_MAX,
                                       (tl_window_scatter_opts){.mode = TL_INDEX_CHECK});
    return tl_where(is_empty, tl_scalar_like(rows, 0), most);
  }
  tl_tensor zero = tl_scalar_like(rows, 0);
  tl_tensor sum = tl_scatter_add(filled(rows, 0, shape), bag, tl_where(outside, zero, rows), 0, checked);
  return o.reduction == TL_BAG_MEAN ? tl_div(sum, tl_where(is_empty, tl_scalar_like(rows, 1), count)) : sum;
}

tl_tensor tl_embedding_bag(tl_tensor table, tl_tensor indices, tl_tensor starts, tl_embedding_bag_opts o) {
  tl_tensor out;
  if (!read_table("embedding_bag", table, indices, &out) || tl__tensor_any_failed(1, &starts, &out) ||
      !read_segments("embedding_bag", indices, starts, &out)) {
    return out;
  }
  if (!tl_dtype_is_float(table->dtype)) {
    return tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "embedding_bag: operand 0 has dtype %s",
                             tl_dtype_name(table->dtype));
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  int64_t no = 0;
  tl_tensor rows = widened(tl_gather(table, indices, 0, (tl_gather_opts){.mode = o.mode}));
  tl_tensor outside = is_padding(indices, o.padding, table->rank - 1);
  if (!o.has_padding && tl__tensor_is_valid(outside)) {
    outside = tl_broadcast(tl_cast(tl_from(TL_I64, TL_SCALAR, &no), TL_BOOL), tl_shape_of(outside));
  }
  out = tl__tensor_is_valid(rows) ? reduce_bags(rows, segments(starts, indices->dim[0]), outside, starts->dim[0], o)
                                  : rows;
  return tl__scope_leave(scope, rounded(out, table->dtype));
}

/* ---- sparse matrices ---- */

static bool read_sparse(const char *op, tl_tensor values, tl_tensor columns, tl_tensor y, tl_tensor *out) {
  if (values->rank != 1 || columns->rank != 1 || y->rank < 1) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                             "%s: values and indices have one axis, and the matrix has rows; here %d, %d and %d axes",
                             op, values->rank, columns->rank, y->rank);
    return false;
  }
  if (values->dtype != y->dtype) {
    *out = tl__tensor_refuse(TL_DTYPE_MISMATCH, "%s: the values have dtype %s, the matrix %s", op,
                             tl_dtype_name(values->dtype), tl_dtype_name(y->dtype));
    return false;
  }
  bool counts = tl__is_number(values->dim[0]) && tl__is_number(columns->dim[0]);
  if (counts && values->dim[0] != columns->dim[0]) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: %lld values at %lld columns", op, (long long)values->dim[0],
                             (long long)columns->dim[0]);
    return false;
  }
  return true;
}

/* The rows of y at the columns, times the values, added at the rows. */
static tl_tensor multiply(tl_tensor values, tl_tensor rows, tl_tensor columns, tl_tensor y, int64_t count,
                          tl_index_mode mode) {
  tl_tensor wide = widened(values), taken = tl_gather(widened(y), columns, 0, (tl_gather_opts){.mode = mode});
  tl_shape column = tl__list_of(y->rank, 1), shape = tl_shape_of(y);
  column.dim[0] = values->dim[0];
  shape.dim[0] = count;
  tl_tensor products = tl_mul(tl_reshape(wide, column), taken);
  tl_tensor sum = tl_scatter_add(filled(wide, 0, shape), rows, products, 0, (tl_scatter_add_opts){.mode = mode});
  return rounded(sum, y->dtype);
}

tl_tensor tl_coo_matmul(tl_tensor values, tl_tensor rows, tl_tensor columns, tl_tensor y, int64_t count,
                        tl_index_mode mode) {
  tl_tensor out;
  if (tl__tensor_any_failed(4, (tl_tensor[]){values, rows, columns, y}, &out) ||
      !read_sparse("coo_matmul", values, columns, y, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  return scope ? tl__scope_leave(scope, multiply(values, rows, columns, y, count, mode)) : NULL;
}

tl_tensor tl_csr_matmul(tl_tensor values, tl_tensor columns, tl_tensor starts, tl_tensor y, tl_index_mode mode) {
  tl_tensor out;
  if (tl__tensor_any_failed(4, (tl_tensor[]){values, columns, starts, y}, &out) ||
      !read_sparse("csr_matmul", values, columns, y, &out) || !read_segments("csr_matmul", columns, starts, &out)) {
    return out;
  }
  if (!tl__is_number(starts->dim[0]) || starts->dim[0] < 1) {
    return tl__tensor_refuse(tl__is_number(starts->dim[0]) ? TL_TENSOR_SHAPE_MISMATCH : TL_TRACED_TENSOR,
                             "csr_matmul: there is one start more than rows, here a number of %lld",
                             (long long)starts->dim[0]);
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor rows = segments(starts, columns->dim[0]);
  return tl__scope_leave(scope, multiply(values, rows, columns, y, starts->dim[0] - 1, mode));
}
