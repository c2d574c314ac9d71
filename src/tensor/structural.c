/* The eager ops on shapes: views of the same elements where the new shape has strides. */
#include <string.h>

#include "tensor/tensor_priv.h"

static void extents_of(tl_shape shape, tl_extent out[TL_MAX_RANK]) {
  for (int i = 0; i < shape.rank && i < TL_MAX_RANK; i++) {
    out[i] = (tl_extent){.fixed = shape.dim[i]};
  }
}

static void numbers_of(const tl_tensor_type *type, int64_t out[TL_MAX_RANK]) {
  for (int i = 0; i < type->rank; i++) {
    out[i] = type->dim[i].fixed;
  }
}

tl_tensor tl_reshape(tl_tensor x, tl_shape shape) {
  tl_tensor failed;
  if (tl__tensor_any_failed(1, &x, &failed)) {
    return failed;
  }
  tl_extent target[TL_MAX_RANK];
  extents_of(shape, target);
  tl_shape_rules rules = {.product = NULL};
  tl_tensor_type type = tl__tensor_type(x);
  tl_status status = tl__shape_reshape(&rules, &type, shape.rank, target, &type);
  int64_t dim[TL_MAX_RANK], stride[TL_MAX_RANK], next = (int64_t)tl_dtype_size(x->dtype);
  if (status == TL_OK) {
    numbers_of(&type, dim);
    status = tl__tensor_check(&rules, "reshape", x->dtype, type.rank, dim);
  }
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  x = tl__tensor_packed(x);
  if (!x) {
    return NULL;
  }
  for (int i = type.rank - 1; i >= 0; i--) {
    stride[i] = next;
    next *= dim[i];
  }
  return tl__tensor_view(x, type.rank, dim, stride);
}

tl_tensor tl_transpose(tl_tensor x, tl_axes order) {
  tl_tensor failed;
  if (tl__tensor_any_failed(1, &x, &failed)) {
    return failed;
  }
  tl_shape_rules rules = {.product = NULL};
  tl_tensor_type type = tl__tensor_type(x);
  tl_status status = tl__shape_transpose(&rules, &type, order, &type);
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  int64_t dim[TL_MAX_RANK], stride[TL_MAX_RANK];
  for (int i = 0; i < x->rank; i++) {
    int axis = order.count < 0 ? x->rank - 1 - i : (order.axis[i] + x->rank) % x->rank;
    dim[i] = x->dim[axis];
    stride[i] = x->stride[axis];
  }
  return tl__tensor_view(x, x->rank, dim, stride);
}

tl_tensor tl_broadcast(tl_tensor x, tl_shape shape) {
  tl_tensor failed;
  if (tl__tensor_any_failed(1, &x, &failed)) {
    return failed;
  }
  tl_extent target[TL_MAX_RANK];
  extents_of(shape, target);
  tl_shape_rules rules = {.product = NULL};
  tl_tensor_type type = tl__tensor_type(x);
  tl_status status = tl__shape_broadcast(&rules, &type, shape.rank, target, &type);
  if (status == TL_OK) {
    status = tl__tensor_check(&rules, "broadcast", x->dtype, shape.rank, shape.dim);
  }
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  int64_t stride[TL_MAX_RANK];
  tl__walk_strides(x, shape.rank, shape.dim, stride);
  return tl__tensor_view(x, shape.rank, shape.dim, stride);
}
