/* Sums of functions of the elements and of products, and what is divided by them; made of other ops. */
#include "tensor/compose.h"

tl_tensor tl_sum_abs(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("sum_abs", scope, tl__like(tl_sum(tl_abs(tl__widened(x)), axes, keep), x));
}

tl_tensor tl_sum_square(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("sum_square", scope, tl__like(tl_sum(tl_square(tl__widened(x)), axes, keep), x));
}

/* The root is guarded where the sum is 0, so that its derivative is 0 there and not infinity times 0. */
tl_tensor tl_norm(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor sum = tl_sum(tl_square(tl__widened(x)), axes, keep), zero = tl_scalar_like(sum, 0);
  tl_tensor is_zero = tl_eq(sum, zero);
  out = tl_where(is_zero, zero, tl_sqrt(tl_where(is_zero, tl_scalar_like(sum, 1), sum)));
  return tl__compose_leave("norm", scope, tl__like(out, x));
}

tl_tensor tl_log_sum(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("log_sum", scope, tl__like(tl_log(tl_sum(tl__widened(x), axes, keep)), x));
}

tl_tensor tl_standardize(tl_tensor x, tl_axes axes, double epsilon) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x), apart = tl_sub(wide, tl_mean(wide, axes, true));
  tl_tensor deviation = tl_sqrt(tl_mean(tl_square(apart), axes, true));
  out = tl_div(apart, tl_add(deviation, tl_scalar_like(wide, epsilon)));
  return tl__compose_leave("standardize", scope, tl__like(out, x));
}

tl_tensor tl_local_response_norm(tl_tensor x, int64_t size, double alpha, double beta, double bias) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (x->rank < 2 || size < 1) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "local_response_norm: %lld channels of a tensor of rank %d",
                            (long long)size, x->rank);
    return tl__compose_leave("local_response_norm", scope, out);
  }
  tl_tensor wide = tl__widened(x);
  tl_shape window = tl__list_of(x->rank, 1);
  tl_window_opts o = {.low = tl__list_of(x->rank, 0), .high = tl__list_of(x->rank, 0)};
  window.dim[1] = size;
  o.low.dim[1] = (size - 1) / 2;
  o.high.dim[1] = size / 2;
  tl_tensor sum = tl_reduce_window(tl_square(wide), TL_REDUCE_ADD, window, o);
  tl_tensor share = tl_mul(sum, tl_div(tl_scalar_like(wide, alpha), tl_scalar_like(wide, (double)size)));
  tl_tensor base = tl_add(share, tl_scalar_like(wide, bias));
  out = tl_div(wide, tl_pow(base, tl_scalar_like(wide, beta)));
  return tl__compose_leave("local_response_norm", scope, tl__like(out, x));
}

/* ---- places ---- */

/* The first of the elements in reverse order is the last. */
static tl_tensor last_of(const char *op, tl_tensor x, int axis, bool keep, tl_tensor (*first)(tl_tensor, int, bool)) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (tl__find_axis(op, x, &axis, &out) && tl__has_extent(op, x, axis, &out)) {
    tl_tensor at = first(tl_reverse(x, tl__one_axis(axis)), axis, keep);
    out = tl_sub(tl_fill(TL_I64, TL_SCALAR, (double)(x->dim[axis] - 1)), at);
  }
  return tl__compose_leave(op, scope, out);
}

tl_tensor tl_argmax_last(tl_tensor x, int axis, bool keep) { return last_of("argmax_last", x, axis, keep, tl_argmax); }
tl_tensor tl_argmin_last(tl_tensor x, int axis, bool keep) { return last_of("argmin_last", x, axis, keep, tl_argmin); }

tl_tensor tl_hardmax(tl_tensor x, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("hardmax", scope, tl_cast(tl_eq(tl_positions(x, axis), tl_argmax(x, axis, true)), x->dtype));
}

/* ---- a product and a sum ---- */

tl_tensor tl_gemm(tl_tensor a, tl_tensor b, tl_tensor c, tl_gemm_opts o) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){a, b, c}, &scope, &out)) {
    return out;
  }
  if (a->rank != 2 || b->rank != 2) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "gemm: a has rank %d, b %d; both are matrices", a->rank, b->rank);
    return tl__compose_leave("gemm", scope, out);
  }
  tl_tensor left = tl__widened(a), right = tl__widened(b), third = tl__widened(c);
  left = o.transpose_a ? tl_transpose(left, TL_ALL) : left;
  right = o.transpose_b ? tl_transpose(right, TL_ALL) : right;
  tl_tensor product = tl_matmul(left, right);
  product = o.alpha == 1 ? product : tl_mul(product, tl_scalar_like(product, o.alpha));
  out = tl_add(product, o.beta == 1 ? third : tl_mul(third, tl_scalar_like(third, o.beta)));
  return tl__compose_leave("gemm", scope, tl__like(out, a));
}
