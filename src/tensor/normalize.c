/* Variances, norms and normalizations, made of other ops. Small formats are computed in float. */
#include <math.h>

#include "tensor/compose.h"
#include "tensor/lists.h"

/* The root, and 0 with derivative 0 where x is 0. */
static tl_tensor root(tl_tensor x) {
  tl_tensor zero = tl__number(x, 0), is_zero = tl_eq(x, zero);
  return tl_where(is_zero, zero, tl_sqrt(tl_where(is_zero, tl__number(x, 1), x)));
}

/* ---- variances ---- */

static tl_tensor variance(tl_tensor x, tl_axes axes, double correction, bool keep) {
  tl_tensor apart = tl_sub(x, tl_mean(x, axes, true)), sum = tl_sum(tl_square(apart), axes, keep);
  tl_tensor zero = tl__number(sum, 0), count = tl__summands(x, sum, axes, keep);
  tl_tensor left = tl_sub(count, tl__number(sum, correction));
  return tl_div(sum, tl_where(tl_lt(left, zero), zero, left));
}

tl_tensor tl_var(tl_tensor x, tl_axes axes, double correction, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("var", 1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x);
  return tl__compose_leave("var", scope, wide ? tl__like(variance(wide, axes, correction, keep), x) : NULL);
}

tl_tensor tl_std(tl_tensor x, tl_axes axes, double correction, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("std", 1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x);
  return tl__compose_leave("std", scope, wide ? tl__like(root(variance(wide, axes, correction, keep)), x) : NULL);
}

/* ---- norms ---- */

/* For each line the exponent of its largest number, so that no power of it overflows; 0 where there is none. It has no
 * derivative, and a scale by powers of 2 changes no digit. */
static tl_tensor exponent_of(tl_tensor size, tl_axes axes) {
  tl_tensor most = tl_max(size, axes, true), one = tl__number(size, 1), zero = tl__number(size, 0);
  tl_tensor is_number = tl_and(tl_gt(most, zero), tl_lt(most, tl__number(size, INFINITY)));
  tl_tensor e = tl_ilogb(tl_where(is_number, most, one)), limit = tl_scalar_like(e, 1000);
  return tl_clip(e, tl_neg(limit), limit);
}

/* The p-th root of the sum of p-th powers, p above 0. */
static tl_tensor power_norm(tl_tensor x, double p, tl_axes axes, bool keep) {
  tl_tensor one = tl__number(x, 1), zero = tl__number(x, 0), e = exponent_of(tl_fabs(x), axes), out;
  tl_tensor scaled = tl_ldexp(x, tl_neg(e));
  if (p == 2) {
    out = root(tl_sum(tl_square(scaled), axes, true));
  } else {
    tl_tensor is_zero = tl_eq(scaled, zero), exponent = tl__number(x, p);
    tl_tensor power = tl_pow(tl_where(is_zero, one, tl_fabs(scaled)), exponent);
    tl_tensor sum = tl_sum(tl_where(is_zero, zero, power), axes, true), is_none = tl_eq(sum, zero);
    out = tl_where(is_none, zero, tl_pow(tl_where(is_none, one, sum), tl__number(x, 1 / p)));
  }
  out = tl_ldexp(out, e);
  return keep ? out : tl_sum(out, axes, false);
}

static tl_tensor norm(tl_tensor x, double p, tl_axes axes, bool keep) {
  if (p == 0) {
    return tl_sum(tl_cast(tl_ne(x, tl__number(x, 0)), tl_dtype_of(x)), axes, keep);
  }
  if (p == INFINITY || p == -INFINITY) {
    return p > 0 ? tl_max(tl_fabs(x), axes, keep) : tl_min(tl_fabs(x), axes, keep);
  }
  if (p == 1) {
    return tl_sum(tl_fabs(x), axes, keep);
  }
  return p > 0 ? power_norm(x, p, axes, keep)
               : tl__tensor_refuse(TL_UNSUPPORTED_CONSTRUCT, "norm: the power is to be 0 or above, or infinite");
}

tl_tensor tl_norm(tl_tensor x, double p, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("norm", 1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x);
  return tl__compose_leave("norm", scope, wide ? tl__like(norm(wide, p, axes, keep), x) : NULL);
}

/* Points as rows, with an axis of extent 1 for those of the other operand. */
static tl_tensor rows_apart(tl_tensor x, int at) {
  tl_shape shape = tl_shape_of(x);
  if (shape.rank < 2 || shape.rank == TL_MAX_RANK) {
    return tl__tensor_is_valid(x)
               ? tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "cdist: points in a tensor of rank %d", shape.rank)
               : x;
  }
  at += shape.rank;
  for (int i = shape.rank; i > at; i--) {
    shape.dim[i] = shape.dim[i - 1];
  }
  shape.dim[at] = 1;
  shape.rank++;
  return tl_reshape(x, shape);
}

tl_tensor tl_cdist(tl_tensor x, tl_tensor y, double p) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("cdist", 2, (tl_tensor[]){x, y}, &scope, &out)) {
    return out;
  }
  tl_tensor apart = tl_sub(rows_apart(tl__widened(x), -1), rows_apart(tl__widened(y), -2));
  return tl__compose_leave("cdist", scope, apart ? tl__like(norm(apart, p, TL_AXES(-1), false), x) : NULL);
}

static tl_tensor at_least(tl_tensor x, double least) {
  tl_tensor most = tl__number(x, least);
  return tl_where(tl_lt(x, most), most, x);
}

tl_tensor tl_normalize(tl_tensor x, double p, tl_axes axes, double least) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("normalize", 1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x), size = wide ? norm(wide, p, axes, true) : NULL;
  return tl__compose_leave("normalize", scope, tl__like(tl_div(wide, at_least(size, least)), x));
}

tl_tensor tl_cosine_similarity(tl_tensor x, tl_tensor y, int axis, double least) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("cosine_similarity", 2, (tl_tensor[]){x, y}, &scope, &out)) {
    return out;
  }
  tl_axes along = tl__one_axis(axis);
  tl_tensor sides[2] = {tl__widened(x), tl__widened(y)};
  for (int i = 0; i < 2 && sides[i]; i++) {
    sides[i] = tl_div(sides[i], at_least(norm(sides[i], 2, along, true), least));
  }
  out = tl_sum(tl_mul(sides[0], sides[1]), along, false);
  return tl__compose_leave("cosine_similarity", scope, tl__like(out, x));
}

/* ---- normalizations ---- */

/* (x - mean)/sqrt(variance + epsilon) over axes. */
static tl_tensor standardized(tl_tensor x, tl_axes axes, double epsilon) {
  tl_tensor apart = tl_sub(x, tl_mean(x, axes, true));
  tl_tensor variance = tl_mean(tl_square(apart), axes, true);
  return tl_div(apart, tl_sqrt(tl_add(variance, tl__number(variance, epsilon))));
}

tl_tensor tl_layer_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, tl_axes axes, double epsilon) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("layer_norm", 3, (tl_tensor[]){x, weight, bias}, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x);
  out = wide ? standardized(wide, axes, epsilon) : NULL;
  out = tl_add(tl_mul(out, tl__widened(weight)), tl__widened(bias));
  return tl__compose_leave("layer_norm", scope, tl__like(out, x));
}

tl_tensor tl_rms_norm(tl_tensor x, tl_tensor weight, tl_axes axes, double epsilon) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("rms_norm", 2, (tl_tensor[]){x, weight}, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x), square = tl_mean(tl_square(wide), axes, true);
  out = tl_div(wide, tl_sqrt(tl_add(square, square ? tl__number(square, epsilon) : NULL)));
  return tl__compose_leave("rms_norm", scope, tl__like(tl_mul(out, tl__widened(weight)), x));
}

/* One number for each channel, axis 1 of so many, to broadcast. */
static tl_tensor by_channel(tl_tensor x, int rank) {
  tl_tensor wide = tl__widened(x);
  tl_shape shape = {.rank = rank - 1};
  for (int i = 0; i < shape.rank; i++) {
    shape.dim[i] = i ? 1 : x->dim[0];
  }
  return x->rank == 1 ? tl_reshape(wide, shape) : wide;
}

static tl_axes axes_from(int first, int rank) {
  tl_axes axes = {.count = 0};
  for (int i = first; i < rank; i++) {
    axes.axis[axes.count++] = (int8_t)i;
  }
  return axes;
}

static bool has_channels(const char *op, tl_tensor x, tl_tensor weight, tl_tensor bias, tl_tensor *out) {
  bool ok = x->rank >= 2 && weight->rank <= 1 && bias->rank <= 1;
  if (!ok) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: operands of rank %d, %d and %d", op, x->rank, weight->rank,
                             bias->rank);
  }
  return ok;
}

/* Each group of channels, axis 1, as one axis. */
static tl_tensor grouped(tl_tensor x, int64_t groups) {
  if (!tl__is_number(x->dim[1])) {
    return tl__tensor_refuse(TL_TRACED_TENSOR, "group_norm: axis 1 has an extent that is no number yet");
  }
  if (groups < 1 || x->dim[1] % groups || x->rank == TL_MAX_RANK) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "group_norm: %lld groups of %lld channels", (long long)groups,
                             (long long)x->dim[1]);
  }
  tl_shape shape = {.rank = x->rank + 1, .dim = {x->dim[0], groups, x->dim[1] / groups}};
  for (int i = 3; i < shape.rank; i++) {
    shape.dim[i] = x->dim[i - 1];
  }
  return tl_reshape(x, shape);
}

tl_tensor tl_group_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, int64_t groups, double epsilon) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("group_norm", 3, (tl_tensor[]){x, weight, bias}, &scope, &out)) {
    return out;
  }
  if (has_channels("group_norm", x, weight, bias, &out)) {
    tl_tensor wide = tl__widened(x), parts = wide ? grouped(wide, groups) : NULL;
    out = parts ? tl_reshape(standardized(parts, axes_from(2, x->rank + 1), epsilon), tl_shape_of(x)) : NULL;
    out = tl_add(tl_mul(out, by_channel(weight, x->rank)), by_channel(bias, x->rank));
  }
  return tl__compose_leave("group_norm", scope, tl__like(out, x));
}

tl_tensor tl_instance_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, double epsilon) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("instance_norm", 3, (tl_tensor[]){x, weight, bias}, &scope, &out)) {
    return out;
  }
  if (has_channels("instance_norm", x, weight, bias, &out)) {
    tl_tensor wide = tl__widened(x);
    out = wide ? standardized(wide, axes_from(2, x->rank), epsilon) : NULL;
    out = tl_add(tl_mul(out, by_channel(weight, x->rank)), by_channel(bias, x->rank));
  }
  return tl__compose_leave("instance_norm", scope, tl__like(out, x));
}

tl_tensor tl_local_response_norm(tl_tensor x, int64_t size, double alpha, double beta, double k) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("local_response_norm", 1, &x, &scope, &out)) {
    return out;
  }
  if (x->rank < 2 || size < 1) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "local_response_norm: %lld channels of a tensor of rank %d",
                            (long long)size, x->rank);
  } else {
    tl_window_opts o = {.low = tl__list_of(x->rank, 0), .high = tl__list_of(x->rank, 0)};
    tl_shape window = tl__list_of(x->rank, 1);
    window.dim[1] = size;
    o.low.dim[1] = size / 2;
    o.high.dim[1] = (size - 1) / 2;
    tl_tensor wide = tl__widened(x), sums = tl_reduce_window(tl_square(wide), TL_REDUCE_ADD, window, o);
    tl_tensor size_of = sums ? tl_add(tl_mul(sums, tl__number(sums, alpha / (double)size)), tl__number(sums, k)) : NULL;
    out = size_of ? tl__like(tl_div(wide, tl_pow(size_of, tl__number(size_of, beta))), x) : NULL;
  }
  return tl__compose_leave("local_response_norm", scope, out);
}
