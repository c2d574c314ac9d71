/* The eager ops on shapes: views of the same elements where the new shape has strides. */
#include <string.h>

#include "tensor/tensor_priv.h"

static void numbers_of(const tl_tensor_type *type, int64_t out[TL_MAX_RANK]) {
  for (int i = 0; i < type->rank; i++) {
    out[i] = type->dim[i].fixed;
  }
}

static tl_tensor to_shape(tl_opcode code, tl_tensor x, tl_shape shape) {
  tl_extent dim[TL_MAX_RANK];
  for (int i = 0; i < shape.rank && i < TL_MAX_RANK; i++) {
    dim[i] = (tl_extent){.fixed = shape.dim[i]};
  }
  return tl__op(code, &x, &(tl_attr){.shape = {shape.rank, dim}});
}

tl_tensor tl_reshape(tl_tensor x, tl_shape shape) { return to_shape(TL_OP_reshape, x, shape); }
tl_tensor tl_broadcast(tl_tensor x, tl_shape shape) { return to_shape(TL_OP_broadcast, x, shape); }
tl_tensor tl_sum_to(tl_tensor x, tl_shape shape) { return to_shape(TL_OP_sum_to, x, shape); }
tl_tensor tl_transpose(tl_tensor x, tl_axes order) { return tl__op(TL_OP_transpose, &x, &(tl_attr){.axes = order}); }

tl_tensor tl__eager_reshape(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)attrs;
  tl_tensor packed = tl__tensor_packed(*x);
  if (!packed) {
    return NULL;
  }
  int64_t dim[TL_MAX_RANK], stride[TL_MAX_RANK], next = (int64_t)tl_dtype_size(type->dtype);
  numbers_of(type, dim);
  for (int i = type->rank - 1; i >= 0; i--) {
    stride[i] = next;
    next *= dim[i];
  }
  return tl__tensor_view(packed, type->rank, dim, stride);
}

tl_tensor tl__eager_transpose(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  tl_tensor x = *operands;
  int64_t dim[TL_MAX_RANK], stride[TL_MAX_RANK];
  numbers_of(type, dim);
  for (int i = 0; i < x->rank; i++) {
    int axis = attrs[0].axes.count < 0 ? x->rank - 1 - i : (attrs[0].axes.axis[i] + x->rank) % x->rank;
    stride[i] = x->stride[axis];
  }
  return tl__tensor_view(x, x->rank, dim, stride);
}

tl_tensor tl__eager_broadcast(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)attrs;
  int64_t dim[TL_MAX_RANK], stride[TL_MAX_RANK];
  numbers_of(type, dim);
  tl__walk_strides(*x, (*x)->rank, type->rank, dim, stride);
  return tl__tensor_view(*x, type->rank, dim, stride);
}

tl_tensor tl__tensor_slice(tl_tensor x, int axis, int64_t from, int64_t count) {
  int64_t dim[TL_MAX_RANK];
  memcpy(dim, x->dim, (size_t)x->rank * sizeof *dim);
  dim[axis] = count;
  tl_tensor view = tl__tensor_view(x, x->rank, dim, x->stride);
  if (view && view->count) {
    view->data += from * x->stride[axis];
  }
  return view;
}

/* Into places with gaps. */
static void place_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  size_t size = tl_dtype_size(*(const tl_dtype *)ctx);
  for (int64_t i = 0; i < n; i++) {
    memcpy(at[0] + i * step[0], at[1] + i * step[1], size);
  }
}

tl_tensor tl__tensor_padded(tl_tensor x, tl_shape shape) {
  tl_tensor out = tl_fill(x->dtype, shape, 0);
  if (out && out->status == TL_OK && x->count) {
    tl__walk w;
    tl__walk_init(&w, x->rank, x->dim, 2, (const int64_t *const[]){out->stride, x->stride});
    tl__walk_run(&w, (unsigned char *const[]){out->data, x->data}, place_stretch, &x->dtype);
  }
  return out;
}

tl_tensor tl__eager_sum_to(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)attrs;
  tl_axes axes = {.count = 0};
  tl_shape shape = {.rank = type->rank};
  numbers_of(type, shape.dim);
  int front = (*x)->rank - type->rank;
  for (int i = 0; i < (*x)->rank; i++) {
    if (i < front || (*x)->dim[i] != shape.dim[i - front]) {
      axes.axis[axes.count++] = (int8_t)i;
    }
  }
  return axes.count ? tl_reshape(tl_sum(*x, axes, true), shape)
                    : tl__tensor_view(*x, shape.rank, shape.dim, (*x)->stride);
}
