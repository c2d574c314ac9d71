/* Parts of tensors: picked elements, windows and their sums, elements in reverse, two tensors behind one another. */
#include <stdio.h>
#include <string.h>

#include "tensor/tensor_priv.h"

/* A tensor's elements in other places: where the first lies, and the steps. */
typedef struct box {
  unsigned char *data;
  int64_t stride[TL_MAX_RANK];
} box;

static void move_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  size_t size = tl_dtype_size(*(const tl_dtype *)ctx);
  for (int64_t i = 0; i < n; i++) {
    memcpy(at[0] + i * step[0], at[1] + i * step[1], size);
  }
}

static void move(tl_dtype dtype, int rank, const int64_t *dim, const box *to, const box *from) {
  tl__walk w;
  tl__walk_init(&w, rank, dim, 2, (const int64_t *const[]){to->stride, from->stride});
  tl__walk_run(&w, (unsigned char *const[]){to->data, from->data}, move_stretch, &dtype);
}

static box box_of(tl_tensor x) {
  box b = {.data = x->data};
  memcpy(b.stride, x->stride, sizeof b.stride);
  return b;
}

static bool has_elements(tl_tensor t) { return t && t->status == TL_OK && t->count > 0; }

/* Which i of `count` have start + step*i in [0, extent): those from *first on, as many as are returned. */
static int64_t inside(int64_t start, int64_t step, int64_t count, int64_t extent, int64_t *first) {
  int64_t from = start >= 0 ? 0 : -(start + 1) / step + 1;
  int64_t end = start >= extent ? 0 : (extent - 1 - start) / step + 1; /* the first too far */
  end = end < count ? end : count;
  *first = from;
  return end > from ? end - from : 0;
}

/* Of a tensor of the first shape, those elements whose places start + step*i are in the second one; both boxes, which
 * are whole tensors, become those elements. False where there are none. */
static bool overlap(const tl_tensor few, tl_tensor many, const tl_attr *attrs, int64_t dim[TL_MAX_RANK], box *of_few,
                    box *of_many) {
  *of_few = box_of(few);
  *of_many = box_of(many);
  bool any = true;
  for (int i = 0; i < few->rank; i++) {
    int64_t start = attrs[1].ints.at[i], step = attrs[2].ints.at[i], first;
    dim[i] = inside(start, step, few->dim[i], many->dim[i], &first);
    any = any && dim[i] > 0;
    if (any) {
      of_few->data += first * few->stride[i];
      of_many->data += (start + first * step) * many->stride[i];
      of_many->stride[i] = dim[i] > 1 ? step * many->stride[i] : 0;
    }
  }
  return any;
}

/* A view where every place is in x. */
tl_tensor tl__eager_pick(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  tl_tensor x = operands[0];
  int64_t dim[TL_MAX_RANK], wanted[TL_MAX_RANK];
  bool is_whole = true;
  for (int i = 0; i < type->rank; i++) {
    int64_t first;
    wanted[i] = type->dim[i].fixed;
    is_whole = is_whole && inside(attrs[1].ints.at[i], attrs[2].ints.at[i], wanted[i], x->dim[i], &first) == wanted[i];
  }
  if (is_whole) {
    tl_tensor view = tl__tensor_view(x, type->rank, wanted, x->stride);
    box few, many;
    if (has_elements(view) && overlap(view, x, attrs, dim, &few, &many)) {
      tl_tensor strided = tl__tensor_view(x, type->rank, wanted, many.stride);
      if (strided) {
        strided->data = many.data;
      }
      return strided;
    }
    return view;
  }
  tl_tensor out = tl__tensor_of(type);
  if (has_elements(out)) {
    memset(out->data, 0, (size_t)out->count * tl_dtype_size(out->dtype));
    box few, many;
    if (overlap(out, x, attrs, dim, &few, &many)) {
      move(x->dtype, type->rank, dim, &few, &many);
    }
  }
  return out;
}

tl_tensor tl__eager_place(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  tl_tensor x = operands[0], out = tl__tensor_of(type);
  if (has_elements(out)) {
    memset(out->data, 0, (size_t)out->count * tl_dtype_size(out->dtype));
    int64_t dim[TL_MAX_RANK];
    box few, many;
    if (overlap(x, out, attrs, dim, &few, &many)) {
      move(x->dtype, type->rank, dim, &many, &few);
    }
  }
  return out;
}

tl_tensor tl__eager_concat(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  tl_tensor out = tl__tensor_of(type);
  if (has_elements(out)) {
    int axis = (int)((attrs[0].integer + type->rank) % type->rank);
    box to = box_of(out);
    for (int i = 0; i < 2; i++) {
      box from = box_of(x[i]);
      if (x[i]->count) {
        move(type->dtype, type->rank, x[i]->dim, &to, &from);
      }
      to.data += x[i]->dim[axis] * out->stride[axis];
    }
  }
  return out;
}

tl_tensor tl__eager_reverse(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)type;
  tl_tensor x = operands[0];
  int list[TL_MAX_RANK], count = tl__shape_axis_list(attrs[0].axes, x->rank, list);
  int64_t stride[TL_MAX_RANK], offset = 0;
  memcpy(stride, x->stride, sizeof stride);
  for (int i = 0; i < count; i++) {
    if (x->dim[list[i]] > 1) {
      offset += (x->dim[list[i]] - 1) * x->stride[list[i]];
      stride[list[i]] = -x->stride[list[i]];
    }
  }
  tl_tensor view = tl__tensor_view(x, x->rank, x->dim, stride);
  if (has_elements(view)) {
    view->data += offset;
  }
  return view;
}

/* The strides of the windows of a tensor. */
static void window_strides(tl_tensor x, const tl_attr *attrs, int64_t out[TL_MAX_RANK]) {
  int list[TL_MAX_RANK], count = tl__shape_axis_list(attrs[1].axes, x->rank, list);
  memcpy(out, x->stride, (size_t)x->rank * sizeof *out);
  for (int k = 0; k < count; k++) {
    out[list[k]] = x->stride[list[k]] * attrs[2].ints.at[k];
    out[x->rank + k] = x->stride[list[k]] * attrs[3].ints.at[k];
  }
}

tl_tensor tl__eager_windows(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  int64_t dim[TL_MAX_RANK], stride[TL_MAX_RANK];
  for (int i = 0; i < type->rank; i++) {
    dim[i] = type->dim[i].fixed;
  }
  window_strides(operands[0], attrs, stride);
  for (int i = 0; i < type->rank; i++) {
    stride[i] = dim[i] > 1 ? stride[i] : 0; /* may not be an int64_t's product of what is in memory */
  }
  return tl__tensor_view(operands[0], type->rank, dim, stride);
}

static void add_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  (*(tl__combine *const *)ctx)(n, at[0], step[0], at[1], step[1]);
}

tl_tensor tl__eager_overlap_add(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(TL_OP_overlap_add, operands, attrs);
  }
  tl_tensor y = operands[0], out = tl__tensor_of(type);
  if (has_elements(out)) {
    memset(out->data, 0, (size_t)out->count * tl_dtype_size(out->dtype));
    int64_t stride[TL_MAX_RANK];
    window_strides(out, attrs, stride);
    tl__combine *add = tl__combine_of(TL_REDUCE_ADD, type->dtype);
    tl__walk w;
    tl__walk_init(&w, y->rank, y->dim, 2, (const int64_t *const[]){stride, y->stride});
    tl__walk_run(&w, (unsigned char *const[]){out->data, y->data}, add_stretch, &add);
  }
  return out;
}

/* ---- windows at indices ---- */

typedef struct indexed {
  tl_reducer reducer;
  tl_index_mode mode;
  tl__combine *take;
  int count;             /* of indices in a vector */
  int axis[TL_MAX_RANK]; /* of the rest, by index */
  int rest;              /* axes behind the common ones */
  int64_t dim[TL_MAX_RANK], window[TL_MAX_RANK], stride[TL_MAX_RANK], window_stride[TL_MAX_RANK];
  int64_t index_step; /* from one index of a vector to the next */
  tl_dtype index_dtype;
  bool writes; /* the windows into x, else x into the windows */
  tl_status status;
  char message[160];
} indexed;

static int64_t index_at(const indexed *d, const unsigned char *i) {
  return d->index_dtype == TL_I32 ? *(const int32_t *)(const void *)i : *(const int64_t *)(const void *)i;
}

/* Where the window starts; false where the mode refuses that. */
static bool start_of(indexed *d, const unsigned char *indices, int64_t start[TL_MAX_RANK]) {
  memset(start, 0, (size_t)d->rest * sizeof *start);
  for (int k = 0; k < d->count; k++) {
    int axis = d->axis[k];
    int64_t at = index_at(d, indices + k * d->index_step), most = d->dim[axis] - d->window[axis];
    if (d->mode == TL_INDEX_CLIP) {
      at = at < 0 ? 0 : at > most ? most : at;
    } else if (d->mode == TL_INDEX_CHECK && (at < 0 || at > most)) {
      snprintf(d->message, sizeof d->message, "%s: a window of %lld at %lld on an axis that has extent %lld",
               d->writes ? "window_scatter" : "window_gather", (long long)d->window[axis], (long long)at,
               (long long)d->dim[axis]);
      d->status = TL_INDEX_OUT_OF_RANGE;
      return false;
    }
    start[axis] = at;
  }
  return true;
}

static void take_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const indexed *d = ctx;
  d->take(n, at[0], step[0], at[1], step[1]);
}

/* One window: the elements of it that are in x. */
static void run_window(indexed *d, unsigned char *x, unsigned char *window, const unsigned char *indices) {
  int64_t start[TL_MAX_RANK], dim[TL_MAX_RANK];
  if (d->status != TL_OK || !start_of(d, indices, start)) {
    return;
  }
  for (int i = 0; i < d->rest; i++) {
    int64_t first;
    dim[i] = inside(start[i], 1, d->window[i], d->dim[i], &first);
    if (!dim[i]) {
      return;
    }
    x += (start[i] + first) * d->stride[i];
    window += first * d->window_stride[i];
  }
  const int64_t *to = d->writes ? d->stride : d->window_stride, *from = d->writes ? d->window_stride : d->stride;
  tl__walk w;
  tl__walk_init(&w, d->rest, dim, 2, (const int64_t *const[]){to, from});
  tl__walk_run(&w, d->writes ? (unsigned char *const[]){x, window} : (unsigned char *const[]){window, x}, take_stretch,
               d);
}

static void vectors_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  for (int64_t i = 0; i < n; i++) {
    run_window(ctx, at[0] + i * step[0], at[1] + i * step[1], at[2] + i * step[2]);
  }
}

/* Every window, in the order of the indices. */
static tl_tensor run_windows(indexed *d, tl_tensor x, tl_tensor windows, tl_tensor indices, tl_axes axes, int common,
                             tl_tensor out) {
  int front = indices->rank - 1;
  d->count = tl__shape_axis_list(axes, x->rank, d->axis);
  d->rest = x->rank - common;
  for (int k = 0; k < d->count; k++) {
    d->axis[k] -= common;
  }
  for (int i = 0; i < d->rest; i++) {
    d->dim[i] = x->dim[common + i];
    d->stride[i] = x->stride[common + i];
    d->window[i] = windows->dim[front + i];
    d->window_stride[i] = windows->stride[front + i];
  }
  d->index_step = indices->stride[front];
  d->index_dtype = indices->dtype;
  int64_t of_x[TL_MAX_RANK] = {0};
  memcpy(of_x, x->stride, (size_t)common * sizeof *of_x);
  tl__walk w;
  tl__walk_init(&w, front, indices->dim, 3, (const int64_t *const[]){of_x, windows->stride, indices->stride});
  tl__walk_run(&w, (unsigned char *const[]){x->data, windows->data, indices->data}, vectors_stretch, d);
  return d->status == TL_OK ? out : tl__tensor_failed(d->status, d->message);
}

tl_tensor tl__eager_window_gather(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  tl_tensor out = tl__tensor_of(type);
  if (!has_elements(out)) {
    return out;
  }
  indexed d = {.mode = (tl_index_mode)attrs[2].integer, .status = TL_OK};
  unsigned char outside[8] = {0};
  if (d.mode == TL_INDEX_FILL) {
    tl__index_fill(type->dtype, outside);
  }
  tl__convert(type->dtype, out->data, type->dtype, outside, 0, out->count);
  /* Only the size of an element matters. */
  size_t size = tl_dtype_size(type->dtype);
  d.take = tl__combine_of(TL_REDUCE_REPLACE, size == 1 ? TL_U8 : size == 2 ? TL_U16 : size == 4 ? TL_U32 : TL_U64);
  return run_windows(&d, x[0], out, x[1], attrs[1].axes, (int)attrs[3].integer, out);
}

tl_tensor tl__eager_window_scatter(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(TL_OP_window_scatter, x, attrs);
  }
  tl_tensor out = tl__tensor_of(type);
  if (!has_elements(out)) {
    return out;
  }
  tl_read(x[0], out->data, (size_t)out->count * tl_dtype_size(type->dtype));
  indexed d = {.mode = (tl_index_mode)attrs[2].integer, .status = TL_OK, .writes = true};
  d.take = tl__combine_of((tl_reducer)attrs[1].integer, type->dtype);
  return run_windows(&d, out, x[2], x[1], attrs[0].axes, (int)attrs[3].integer, out);
}

/* ---- the functions ---- */

static tl_attr ints_of(const tl_ints *ints) {
  tl_attr a = {.integer = 0};
  a.ints.count = ints->rank < 0 || ints->rank > TL_MAX_RANK ? -1 : ints->rank;
  a.ints.at = ints->dim;
  return a;
}

static tl_attr shape_of(const tl_shape *shape, tl_extent dim[TL_MAX_RANK]) {
  tl_attr a = {.integer = 0};
  for (int i = 0; i < shape->rank && i < TL_MAX_RANK; i++) {
    dim[i] = (tl_extent){.fixed = shape->dim[i]};
  }
  a.shape.rank = shape->rank;
  a.shape.dim = dim;
  return a;
}

tl_tensor tl_pick(tl_tensor x, tl_shape shape, tl_ints start, tl_ints step) {
  tl_extent dim[TL_MAX_RANK];
  return tl__op(TL_OP_pick, &x, (tl_attr[]){shape_of(&shape, dim), ints_of(&start), ints_of(&step)});
}

tl_tensor tl_place(tl_tensor x, tl_shape shape, tl_ints start, tl_ints step) {
  tl_extent dim[TL_MAX_RANK];
  return tl__op(TL_OP_place, &x, (tl_attr[]){shape_of(&shape, dim), ints_of(&start), ints_of(&step)});
}

tl_tensor tl_concat(tl_tensor x, tl_tensor y, int axis) {
  return tl__op(TL_OP_concat, (tl_tensor[]){x, y}, &(tl_attr){.integer = axis});
}

tl_tensor tl_reverse(tl_tensor x, tl_axes axes) { return tl__op(TL_OP_reverse, &x, &(tl_attr){.axes = axes}); }

tl_tensor tl_windows(tl_tensor x, tl_shape shape, tl_axes axes, tl_ints stride, tl_ints dilation) {
  tl_extent dim[TL_MAX_RANK];
  return tl__op(TL_OP_windows, &x,
                (tl_attr[]){shape_of(&shape, dim), {.axes = axes}, ints_of(&stride), ints_of(&dilation)});
}

tl_tensor tl_overlap_add(tl_tensor y, tl_shape shape, tl_axes axes, tl_ints stride, tl_ints dilation) {
  tl_extent dim[TL_MAX_RANK];
  return tl__op(TL_OP_overlap_add, &y,
                (tl_attr[]){shape_of(&shape, dim), {.axes = axes}, ints_of(&stride), ints_of(&dilation)});
}

tl_tensor tl_window_gather(tl_tensor x, tl_tensor indices, tl_shape shape, tl_axes axes, tl_window_gather_opts o) {
  tl_extent dim[TL_MAX_RANK];
  return tl__op(TL_OP_window_gather, (tl_tensor[]){x, indices},
                (tl_attr[]){shape_of(&shape, dim), {.axes = axes}, {.integer = o.mode}, {.integer = o.batch}});
}

tl_tensor tl_window_scatter(tl_tensor x, tl_tensor indices, tl_tensor updates, tl_axes axes, tl_reducer reducer,
                            tl_window_gather_opts o) {
  return tl__op(TL_OP_window_scatter, (tl_tensor[]){x, indices, updates},
                (tl_attr[]){{.axes = axes}, {.integer = reducer}, {.integer = o.mode}, {.integer = o.batch}});
}
