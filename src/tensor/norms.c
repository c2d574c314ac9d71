/* Sums of functions of the elements and of products, and what is divided by them; made of other ops. */
#include "tensor/compose.h"

tl_tensor tl_sum_square(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("sum_square", scope, tl__like(tl_sum(tl_square(tl__widened(x)), axes, keep), x));
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

tl_tensor tl_inverse_deviation(tl_tensor x, tl_axes axes, bool keep, double epsilon) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x), apart = tl_sub(wide, tl_mean(wide, axes, true));
  tl_tensor variance = tl_mean(tl_square(apart), axes, keep);
  out = tl_rsqrt(tl_add(variance, tl_scalar_like(wide, epsilon)));
  return tl__compose_leave("inverse_deviation", scope, tl__like(out, x));
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
