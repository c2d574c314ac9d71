/* Reductions of windows, pools and convolutions, made of other ops, which is what they are captured as. */
#include <math.h>

#include "tensor/lists.h"
#include "tensor/tensor_priv.h"

/* ---- windows ---- */

/* x padded, and the shape of its windows along axes from `first` on; false where it is refused. */
static bool pad_for_windows(const char *op, tl_tensor *x, tl_tensor value, int first, const tl_shape *window,
                            const tl_window_opts *o, tl_shape *out_shape, tl_tensor *out) {
  int count = window->rank, rank = (*x)->rank;
  if (first + count != rank) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: a window of rank %d for %d axes", op, count, rank - first);
    return false;
  }
  if (!tl__list_fits(op, "strides", o->stride, count, out) ||
      !tl__list_fits(op, "numbers in front", o->low, count, out) ||
      !tl__list_fits(op, "numbers behind", o->high, count, out) ||
      !tl__list_fits(op, "base dilations", o->base_dilation, count, out) ||
      !tl__list_fits(op, "dilations", o->dilation, count, out)) {
    return false;
  }
  if (rank + count > TL_MAX_RANK) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: windows of rank %d along %d axes are more axes than %d", op,
                             rank, count, TL_MAX_RANK);
    return false;
  }
  tl_ints low = tl__list_of(rank, 0), high = low, interior = low;
  bool changes = false;
  for (int i = 0; i < count; i++) {
    low.dim[first + i] = o->low.dim[i];
    high.dim[first + i] = o->high.dim[i];
    interior.dim[first + i] = o->base_dilation.dim[i] - 1;
    changes = changes || o->low.dim[i] || o->high.dim[i] || o->base_dilation.dim[i] != 1;
  }
  *x = changes ? tl_pad(*x, value, low, high, interior) : *x;
  if (!tl__tensor_is_valid(*x)) {
    *out = *x;
    return false;
  }
  *out_shape = tl_shape_of(*x);
  for (int i = 0; i < count; i++) {
    int64_t n = (*x)->dim[first + i], wide = window->dim[i], span;
    if (wide < 1 || o->stride.dim[i] < 1 || o->dilation.dim[i] < 1 ||
        __builtin_mul_overflow(wide - 1, o->dilation.dim[i], &span)) {
      *out = tl__tensor_refuse(
          TL_TENSOR_SHAPE_MISMATCH,
          "%s: windows of %lld with stride %lld and dilation %lld along axis %d, which has extent %lld", op,
          (long long)wide, (long long)o->stride.dim[i], (long long)o->dilation.dim[i], first + i, (long long)n);
      return false;
    }
    out_shape->dim[first + i] = !tl__is_number(n)
                                    ? tl__extent_affine(n, 1, o->stride.dim[i] - 1 - span, o->stride.dim[i])
                                : n > span ? (n - span - 1) / o->stride.dim[i] + 1
                                           : 0;
    out_shape->dim[out_shape->rank++] = wide;
  }
  return true;
}

static tl_window_opts completed(tl_window_opts o, int count) {
  o.stride = tl__list_or(o.stride, count, 1);
  o.low = tl__list_or(o.low, count, 0);
  o.high = tl__list_or(o.high, count, 0);
  o.base_dilation = tl__list_or(o.base_dilation, count, 1);
  o.dilation = tl__list_or(o.dilation, count, 1);
  return o;
}

static tl_axes axes_from(int first, int count) {
  tl_axes out = {.count = count};
  for (int i = 0; i < count; i++) {
    out.axis[i] = (int8_t)(first + i);
  }
  return out;
}

tl_tensor tl_reduce_window(tl_tensor x, tl_reducer reducer, tl_shape window, tl_window_opts o) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_shape shape;
  int rank = x->rank;
  o = completed(o, rank);
  tl_tensor padded = x;
  if (pad_for_windows("reduce_window", &padded, tl__reducer_identity(x, reducer), 0, &window, &o, &shape, &out)) {
    out = tl_reduce(tl_windows(padded, shape, TL_ALL, o.stride, o.dilation), reducer, axes_from(rank, rank), false);
  }
  return tl__scope_leave(scope, out);
}

tl_tensor tl_select_and_scatter(tl_tensor x, tl_tensor source, tl_reducer select, tl_shape window, tl_window_opts o) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, source}, &out)) {
    return out;
  }
  if (select != TL_REDUCE_MAX && select != TL_REDUCE_MIN) {
    return tl__tensor_refuse(TL_UNSUPPORTED_CONSTRUCT,
                             "select_and_scatter: it is the largest or the smallest that is selected");
  }
  if (x->dtype != source->dtype) {
    return tl__tensor_refuse(TL_DTYPE_MISMATCH, "select_and_scatter: operand 0 has dtype %s, operand 1 %s",
                             tl_dtype_name(x->dtype), tl_dtype_name(source->dtype));
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_shape shape;
  int rank = x->rank;
  o = completed(o, rank);
  tl_tensor padded = x;
  if (!pad_for_windows("select_and_scatter", &padded, tl__reducer_identity(x, select), 0, &window, &o, &shape, &out)) {
    return tl__scope_leave(scope, out);
  }
  tl_shape flat = {.rank = rank + 1}, each = {.rank = rank + 1};
  flat.dim[rank] = each.dim[rank] = 1;
  for (int i = 0; i < rank; i++) {
    flat.dim[i] = each.dim[i] = shape.dim[i];
    flat.dim[rank] *= window.dim[i];
  }
  tl_tensor seen = tl_reshape(tl_windows(padded, shape, TL_ALL, o.stride, o.dilation), flat);
  tl_tensor at = select == TL_REDUCE_MAX ? tl_argmax(seen, rank, true) : tl_argmin(seen, rank, true);
  tl_tensor chosen = tl_eq(tl_positions(seen, rank), at);
  tl_tensor given = tl_where(chosen, tl_reshape(source, each), tl_scalar_like(x, 0));
  out = tl_overlap_add(tl_reshape(given, shape), tl_shape_of(padded), TL_ALL, o.stride, o.dilation);
  return tl__scope_leave(scope, tl_pick(out, tl_shape_of(x), o.low, o.base_dilation));
}

/* ---- pools ---- */

/* How far beyond the padding the last window goes, where there is one more than fit. */
static int64_t overhang(int64_t n, int64_t span, const tl_window_opts *o, int i) {
  int64_t low = o->low.dim[i], step = o->stride.dim[i], room = n + low + o->high.dim[i] - span - 1;
  int64_t rest = room % step, first = rest > 0 ? room - rest + step : room - rest;
  return first >= 0 && first < n + low ? first - room : 0;
}

/* The options with all their lists, along the axes from 2 on, and by how much each axis is padded further; false where
 * they are refused. */
static bool read_pool(const char *op, tl_tensor x, tl_pool_opts *o, tl_window_opts *windows, tl_ints *beyond,
                      tl_tensor *out) {
  if (tl__tensor_any_failed(1, &x, out)) {
    return false;
  }
  int count = o->window.rank;
  if (count < 1 || x->rank != count + 2) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                             "%s: x has rank %d; it has examples, channels and as many axes as the window, %d", op,
                             x->rank, count);
    return false;
  }
  *windows = (tl_window_opts){.stride = o->stride.rank ? o->stride : o->window,
                              .low = o->padding,
                              .high = o->padding_behind.rank ? o->padding_behind : o->padding,
                              .dilation = o->dilation};
  *windows = completed(*windows, count);
  *beyond = tl__list_of(count, 0);
  if (!tl__list_fits(op, "strides", windows->stride, count, out) ||
      !tl__list_fits(op, "numbers in front", windows->low, count, out) ||
      !tl__list_fits(op, "numbers behind", windows->high, count, out) ||
      !tl__list_fits(op, "dilations", windows->dilation, count, out)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    int64_t n = x->dim[2 + i], wide = o->window.dim[i], span, low = windows->low.dim[i], high = windows->high.dim[i];
    if (o->ceil_mode && !tl__is_number(n)) {
      *out = tl__tensor_refuse(TL_TRACED_TENSOR, "%s: axis %d has an extent that is no number yet", op, 2 + i);
      return false;
    }
    if (wide < 1 || windows->stride.dim[i] < 1 || windows->dilation.dim[i] < 1 ||
        __builtin_mul_overflow(wide - 1, windows->dilation.dim[i], &span) || low < 0 || low > span || high < 0 ||
        high > span || span > INT64_MAX / 4 || n > INT64_MAX / 4) {
      *out =
          tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                            "%s: a window of %lld with stride %lld, dilation %lld and padding %lld and %lld along axis "
                            "%d, which has extent "
                            "%lld; the padding is to be less than the window spans",
                            op, (long long)wide, (long long)windows->stride.dim[i], (long long)windows->dilation.dim[i],
                            (long long)low, (long long)high, 2 + i, (long long)n);
      return false;
    }
    beyond->dim[i] = o->ceil_mode ? overhang(n, span, windows, i) : 0;
  }
  return true;
}

/* The reduction of the windows along the axes from 2 on of x, padded with what changes nothing. */
static tl_tensor reduce_places(const char *op, tl_tensor x, tl_reducer reducer, const tl_shape *window,
                               tl_window_opts o) {
  tl_tensor out;
  tl_shape shape;
  if (!tl__tensor_is_valid(x) ||
      !pad_for_windows(op, &x, tl__reducer_identity(x, reducer), 2, window, &o, &shape, &out)) {
    return tl__tensor_is_valid(x) ? out : x;
  }
  int count = window->rank;
  tl_tensor seen = tl_windows(x, shape, axes_from(2, count), o.stride, o.dilation);
  return tl_reduce(seen, reducer, axes_from(2 + count, count), false);
}

static tl_ints plus(tl_ints a, tl_ints b) {
  for (int i = 0; i < a.rank; i++) {
    a.dim[i] += b.dim[i];
  }
  return a;
}

tl_tensor tl_max_pool(tl_tensor x, tl_pool_opts o) {
  tl_window_opts windows;
  tl_ints beyond;
  tl_tensor out;
  if (!read_pool("max_pool", x, &o, &windows, &beyond, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  windows.high = plus(windows.high, beyond);
  return tl__scope_leave(scope, reduce_places("max_pool", x, TL_REDUCE_MAX, &o.window, windows));
}

/* The number of each element of x, row-major; of those in front of axis 1 none is known to a program. */
static tl_tensor numbered(tl_tensor x) {
  tl_tensor out = tl_positions(x, 0);
  for (int i = 1; i < x->rank; i++) {
    out = tl_add(tl_mul(out, tl_scalar_like(out, (double)x->dim[i])), tl_positions(x, i));
  }
  return out;
}

/* The windows along the axes from 2 on, each as one axis, the last. */
static tl_tensor windows_flat(tl_tensor x, tl_tensor value, const tl_shape *window, const tl_window_opts *o) {
  tl_tensor out;
  tl_shape shape;
  if (!pad_for_windows("max_pool_places", &x, value, 2, window, o, &shape, &out)) {
    return out;
  }
  int count = window->rank;
  tl_shape flat = shape;
  flat.rank = count + 3;
  flat.dim[count + 2] = 1;
  for (int i = 0; i < count; i++) {
    flat.dim[count + 2] *= window->dim[i];
  }
  return tl_reshape(tl_windows(x, shape, axes_from(2, count), o->stride, o->dilation), flat);
}

tl_tensor tl_max_pool_places(tl_tensor x, tl_pool_opts o) {
  tl_window_opts windows;
  tl_ints beyond;
  tl_tensor out;
  if (!read_pool("max_pool_places", x, &o, &windows, &beyond, &out)) {
    return out;
  }
  if (!tl__is_number(x->dim[1])) {
    return tl__tensor_refuse(TL_TRACED_TENSOR, "max_pool_places: axis 1 has an extent that is no number yet");
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  windows.high = plus(windows.high, beyond);
  tl_tensor seen = windows_flat(x, tl__reducer_identity(x, TL_REDUCE_MAX), &o.window, &windows);
  tl_tensor all = windows_flat(numbered(x), tl_fill(TL_I64, TL_SCALAR, -1), &o.window, &windows);
  tl_tensor places = tl_take_along(all, tl_argmax(seen, -1, true), -1, TL_INDEX_CHECK);
  return tl__scope_leave(scope, tl_max(places, (tl_axes){.count = 1, .axis = {-1}}, false));
}

/* How many elements each mean is of: a number where it is that of all windows, else one for each place. */
static tl_tensor pool_counts(tl_tensor x, const tl_pool_opts *o, tl_window_opts windows, tl_ints beyond) {
  tl_shape places = {.rank = o->window.rank + 2, .dim = {1, 1}};
  double all = 1;
  bool is_whole = true;
  tl_ints none = tl__list_of(o->window.rank, 0);
  for (int i = 0; i < o->window.rank; i++) {
    bool pads = windows.low.dim[i] || windows.high.dim[i];
    places.dim[2 + i] = x->dim[2 + i] + (o->without_padding ? 0 : windows.low.dim[i] + windows.high.dim[i]);
    all *= (double)o->window.dim[i];
    is_whole = is_whole && !beyond.dim[i] && !(o->without_padding && pads);
  }
  if (is_whole) {
    return tl_scalar_like(x, all);
  }
  windows.low = o->without_padding ? windows.low : none;
  windows.high = o->without_padding ? plus(windows.high, beyond) : beyond;
  return reduce_places("avg_pool", tl_broadcast(tl_scalar_like(x, 1), places), TL_REDUCE_ADD, &o->window, windows);
}

tl_tensor tl_avg_pool(tl_tensor x, tl_pool_opts o) {
  tl_window_opts windows;
  tl_ints beyond;
  tl_tensor out;
  if (!read_pool("avg_pool", x, &o, &windows, &beyond, &out)) {
    return out;
  }
  if (!tl_dtype_is_float(x->dtype)) {
    return tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "avg_pool: of integers it would not be one: cast them");
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor wide = tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  tl_window_opts padded = windows;
  padded.high = plus(windows.high, beyond);
  tl_tensor sum = reduce_places("avg_pool", wide, TL_REDUCE_ADD, &o.window, padded);
  out = tl_div(sum, tl__tensor_is_valid(wide) ? pool_counts(wide, &o, windows, beyond) : wide);
  return tl__scope_leave(scope, tl_dtype_of(out) == x->dtype ? out : tl_cast(out, x->dtype));
}

/* ---- convolutions ---- */

/* The axis split in `groups` and the rest of it. */
static tl_tensor split(tl_tensor x, int axis, int64_t groups) {
  tl_shape shape = tl_shape_of(x);
  if (!tl__tensor_is_valid(x)) {
    return x;
  }
  for (int i = shape.rank; i > axis; i--) {
    shape.dim[i] = shape.dim[i - 1];
  }
  shape.rank++;
  shape.dim[axis] = groups;
  shape.dim[axis + 1] /= groups;
  return tl_reshape(x, shape);
}

/* Axis `from` in front of axis `to`, the others in their order. */
static tl_tensor moved(tl_tensor x, int from, int to) {
  tl_axes order = {.count = 0};
  for (int i = 0; tl__tensor_is_valid(x) && i < x->rank; i++) {
    if (i != from) {
      if (order.count == to) {
        order.axis[order.count++] = (int8_t)from;
      }
      order.axis[order.count++] = (int8_t)i;
    }
  }
  if (tl__tensor_is_valid(x) && order.count < x->rank) {
    order.axis[order.count++] = (int8_t)from;
  }
  return tl__tensor_is_valid(x) ? tl_transpose(x, order) : x;
}

static tl_tensor refuse_convolution(tl_tensor x, tl_tensor w, int64_t groups, int64_t batch_groups) {
  if (x->rank < 2 || w->rank != x->rank) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                             "convolution: x has rank %d, w %d; both have two axes more than windows", x->rank,
                             w->rank);
  }
  if (x->dtype != w->dtype) {
    return tl__tensor_refuse(TL_DTYPE_MISMATCH, "convolution: operand 0 has dtype %s, operand 1 %s",
                             tl_dtype_name(x->dtype), tl_dtype_name(w->dtype));
  }
  if (groups < 1 || batch_groups < 1 || (groups > 1 && batch_groups > 1) || !tl__is_number(x->dim[1]) ||
      x->dim[1] != w->dim[1] * groups || w->dim[0] % (groups * batch_groups) ||
      (batch_groups > 1 && (!tl__is_number(x->dim[0]) || x->dim[0] % batch_groups))) {
    return tl__tensor_refuse(
        TL_TENSOR_SHAPE_MISMATCH,
        "convolution: %lld examples of %lld channels by %lld filters of %lld, in %lld groups of channels and "
        "%lld of examples",
        (long long)x->dim[0], (long long)x->dim[1], (long long)w->dim[0], (long long)w->dim[1], (long long)groups,
        (long long)batch_groups);
  }
  return NULL;
}

/* The windows as rows times the filters, group by group. */
tl_tensor tl_convolution(tl_tensor x, tl_tensor w, tl_convolution_opts o) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, w}, &out)) {
    return out;
  }
  int64_t groups = o.groups ? o.groups : 1, batch_groups = o.batch_groups ? o.batch_groups : 1;
  out = refuse_convolution(x, w, groups, batch_groups);
  if (out) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  int count = x->rank - 2;
  tl_window_opts windows = completed(o.window, count);
  if (batch_groups > 1) { /* groups of examples become groups of channels */
    tl_shape shape = tl_shape_of(x);
    shape.dim[0] /= batch_groups;
    shape.dim[1] *= batch_groups;
    x = tl_reshape(moved(split(x, 0, batch_groups), 0, 1), shape);
    groups = batch_groups;
  }
  tl_shape window = {.rank = count}, shape;
  for (int i = 0; i < count; i++) {
    window.dim[i] = w->dim[2 + i];
  }
  bool ok = tl__tensor_is_valid(x) &&
            pad_for_windows("convolution", &x, tl_scalar_like(x, 0), 2, &window, &windows, &shape, &out);
  if (!ok) {
    return tl__scope_leave(scope, tl__tensor_is_valid(x) ? out : x);
  }
  int64_t examples = x->dim[0], filters = w->dim[0], inner = w->dim[1], rows = examples;
  tl_shape split_shape = {.rank = shape.rank + 1};
  split_shape.dim[0] = examples;
  split_shape.dim[1] = groups;
  split_shape.dim[2] = w->dim[1];
  for (int i = 0; i < count; i++) {
    split_shape.dim[3 + i] = shape.dim[2 + i];
    split_shape.dim[3 + count + i] = window.dim[i];
    inner *= window.dim[i];
    rows = tl__is_number(rows) && tl__is_number(shape.dim[2 + i]) ? rows * shape.dim[2 + i] : -1;
  }
  /* examples, groups, channels, places, elements -> groups, (examples, places), (channels, elements) */
  tl_tensor seen = tl_windows(split(x, 1, groups), split_shape, axes_from(3, count), windows.stride, windows.dilation);
  tl_axes order = {.count = 0};
  order.axis[order.count++] = 1;
  order.axis[order.count++] = 0;
  for (int i = 0; i < count; i++) {
    order.axis[order.count++] = (int8_t)(3 + i);
  }
  order.axis[order.count++] = 2;
  for (int i = 0; i < count; i++) {
    order.axis[order.count++] = (int8_t)(3 + count + i);
  }
  tl_tensor matrix = tl_reshape(tl_transpose(seen, order), TL_SHAPE(groups, rows, inner));
  tl_tensor by = tl_transpose(tl_reshape(w, TL_SHAPE(groups, filters / groups, inner)), TL_AXES(0, 2, 1));
  /* groups, examples, places, filters of a group -> examples, groups, filters of a group, places */
  tl_shape product = {.rank = count + 3, .dim = {groups, examples}},
           result = {.rank = 2 + count, .dim = {examples, filters}};
  tl_axes back = {.count = count + 3, .axis = {1, 0, (int8_t)(count + 2)}};
  product.dim[count + 2] = filters / groups;
  for (int i = 0; i < count; i++) {
    product.dim[2 + i] = result.dim[2 + i] = shape.dim[2 + i];
    back.axis[3 + i] = (int8_t)(2 + i);
  }
  return tl__scope_leave(scope, tl_reshape(tl_transpose(tl_reshape(tl_matmul(matrix, by), product), back), result));
}

static tl_ints two(const int64_t at[2], int64_t otherwise) {
  return TL_INTS(at[0] ? at[0] : otherwise, at[1] ? at[1] : otherwise);
}

static tl_tensor refuse_planes(const char *op, tl_tensor x) {
  return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: x has rank %d; it has examples, channels, rows and columns",
                           op, x->rank);
}

tl_tensor tl_conv2d(tl_tensor x, tl_tensor w, tl_conv2d_opts o) {
  if (tl__tensor_is_valid(x) && x->rank != 4) {
    return refuse_planes("conv2d", x);
  }
  tl_ints padding = two(o.padding, 0);
  tl_convolution_opts c = {
      .window = {.stride = two(o.stride, 1), .low = padding, .high = padding, .dilation = two(o.dilation, 1)},
      .groups = o.groups};
  return tl_convolution(x, w, c);
}

/* x with zeros between its elements, by the filters turned round. */
tl_tensor tl_convolution_transpose(tl_tensor x, tl_tensor w, tl_convolution_transpose_opts o) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, w}, &out)) {
    return out;
  }
  int64_t groups = o.groups ? o.groups : 1;
  int count = x->rank - 2;
  if (count < 0 || w->rank != x->rank) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                             "convolution_transpose: x has rank %d, w %d; both have two axes more than windows",
                             x->rank, w->rank);
  }
  if (groups < 1 || w->dim[0] % groups) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "convolution_transpose: %lld channels in %lld groups",
                             (long long)w->dim[0], (long long)groups);
  }
  tl_ints stride = tl__list_or(o.stride, count, 1), dilation = tl__list_or(o.dilation, count, 1);
  tl_ints low = tl__list_or(o.low, count, 0), high = tl__list_or(o.high, count, 0);
  if (!tl__list_fits("convolution_transpose", "strides", stride, count, &out) ||
      !tl__list_fits("convolution_transpose", "dilations", dilation, count, &out) ||
      !tl__list_fits("convolution_transpose", "numbers in front", low, count, &out) ||
      !tl__list_fits("convolution_transpose", "numbers behind", high, count, &out)) {
    return out;
  }
  tl_shape shape = tl_shape_of(w);
  shape.dim[0] = w->dim[1] * groups;
  shape.dim[1] = w->dim[0] / groups;
  for (int i = 0; i < count; i++) {
    int64_t span;
    if (__builtin_mul_overflow(w->dim[2 + i] - 1, dilation.dim[i], &span) ||
        __builtin_sub_overflow(span, low.dim[i], &low.dim[i]) ||
        __builtin_sub_overflow(span, high.dim[i], &high.dim[i])) {
      return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "convolution_transpose: dilation %lld of %lld elements",
                               (long long)dilation.dim[i], (long long)w->dim[2 + i]);
    }
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor turned = tl_reshape(moved(split(tl_reverse(w, axes_from(2, count)), 0, groups), 2, 1), shape);
  tl_convolution_opts c = {.window = {.low = low, .high = high, .base_dilation = stride, .dilation = dilation},
                           .groups = o.groups};
  return tl__scope_leave(scope, tl_convolution(x, turned, c));
}

tl_tensor tl_conv2d_transpose(tl_tensor x, tl_tensor w, tl_conv2d_opts o) {
  tl_tensor failed;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, w}, &failed)) {
    return failed;
  }
  if (x->rank != 4 || w->rank != 4) {
    return refuse_planes("conv2d_transpose", x->rank != 4 ? x : w);
  }
  tl_convolution_transpose_opts c = {.stride = two(o.stride, 1),
                                     .low = two(o.padding, 0),
                                     .high = two(o.padding, 0),
                                     .dilation = two(o.dilation, 1),
                                     .groups = o.groups};
  c.high.dim[0] -= o.output_padding[0];
  c.high.dim[1] -= o.output_padding[1];
  return tl_convolution_transpose(x, w, c);
}
