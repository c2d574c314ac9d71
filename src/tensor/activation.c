/* Activations: elementwise functions of one number, made of other ops. Where a formula does not hold, or overflows, its
 * input is masked and not its output, so that derivatives of every order are those of the branch that was taken. */
#include <math.h>

#include "tensor/compose.h"
#include "tensor/lists.h"

/* log(1 + e^x), by whichever of two forms has no exponential of a large number. */
tl_tensor tl__softplus_of(tl_tensor x) {
  tl_tensor zero = tl__number(x, 0), is_up = tl_gt(x, zero);
  tl_tensor up = tl_where(is_up, x, zero), down = tl_where(is_up, zero, x);
  return tl_where(is_up, tl_add(up, tl_log1p(tl_exp(tl_neg(up)))), tl_log1p(tl_exp(down)));
}

/* x where it is above 0, else y of what is not. */
static tl_tensor above_zero(tl_tensor x, tl_tensor (*y)(tl_tensor x, const double *c), const double *c) {
  tl_tensor zero = tl__number(x, 0), is_up = tl_gt(x, zero);
  return tl_where(is_up, x, y(tl_where(is_up, zero, x), c));
}

/* The functions, of F32 or F64, with the constants `c`. */
static tl_tensor leaky_relu(tl_tensor x, const double *c) {
  return tl_where(tl_gt(x, tl__number(x, 0)), x, tl_mul(tl__number(x, c[0]), x));
}
static tl_tensor hard_tanh(tl_tensor x, const double *c) {
  tl_tensor least = tl__number(x, c[0]), most = tl__number(x, c[1]);
  return tl_where(tl_le(x, least), least, tl_where(tl_ge(x, most), most, x));
}
static tl_tensor elu_below(tl_tensor x, const double *c) { return tl_mul(tl__number(x, c[0]), tl_expm1(x)); }
static tl_tensor elu(tl_tensor x, const double *c) { return above_zero(x, elu_below, c); }
static tl_tensor selu(tl_tensor x, const double *c) { return tl_mul(tl__number(x, c[1]), elu(x, c)); }
static tl_tensor celu_below(tl_tensor x, const double *c) {
  tl_tensor alpha = tl__number(x, c[0]);
  return tl_mul(alpha, tl_expm1(tl_div(x, alpha)));
}
static tl_tensor celu(tl_tensor x, const double *c) { return above_zero(x, celu_below, c); }
static tl_tensor gelu(tl_tensor x, const double *c) {
  (void)c;
  tl_tensor half = tl_mul(tl__number(x, 0.5), x);
  return tl_mul(half, tl_erfc(tl_mul(tl__number(x, -0.70710678118654752440), x)));
}
/* (1 + tanh u)/2 is logistic(2u), which keeps its digits where u is far below 0. */
static tl_tensor gelu_tanh(tl_tensor x, const double *c) {
  (void)c;
  tl_tensor cubic = tl_mul(tl__number(x, 0.044715), tl_mul(x, tl_mul(x, x)));
  return tl_mul(x, tl_logistic(tl_mul(tl__number(x, 2 * 0.79788456080286535588), tl_add(x, cubic))));
}
static tl_tensor swish(tl_tensor x, const double *c) {
  return tl_mul(x, tl_logistic(c[0] == 1 ? x : tl_mul(tl__number(x, c[0]), x)));
}
static tl_tensor mish(tl_tensor x, const double *c) {
  (void)c;
  return tl_mul(x, tl_tanh(tl__softplus_of(x)));
}
static tl_tensor softplus(tl_tensor x, const double *c) {
  tl_tensor beta = tl__number(x, c[0]), scaled = tl_mul(beta, x);
  tl_tensor is_above = tl_gt(scaled, tl__number(x, c[1]));
  return tl_where(is_above, x, tl_div(tl__softplus_of(tl_where(is_above, tl__number(x, 0), scaled)), beta));
}
/* Beyond 1 as 1 - 1/(1 + |x|), of which the derivative does not cancel and infinity is no quotient of two. */
static tl_tensor softsign(tl_tensor x, const double *c) {
  (void)c;
  tl_tensor one = tl__number(x, 1), size = tl_fabs(x), is_far = tl_gt(size, one);
  tl_tensor far = tl_where(is_far, x, one), near = tl_where(is_far, tl__number(x, 0), x);
  tl_tensor away = tl_sub(one, tl_div(one, tl_add(one, tl_fabs(far))));
  return tl_where(is_far, tl_copysign(away, far), tl_div(near, tl_add(one, tl_fabs(near))));
}
static tl_tensor hard_sigmoid(tl_tensor x, const double *c) {
  tl_tensor line = tl_add(tl_mul(tl__number(x, c[0]), x), tl__number(x, c[1]));
  return hard_tanh(line, (double[]){0, 1});
}
static tl_tensor hard_swish(tl_tensor x, const double *c) {
  (void)c;
  return tl_mul(x, hard_sigmoid(x, (double[]){1.0 / 6, 0.5}));
}
static tl_tensor log_sigmoid(tl_tensor x, const double *c) {
  (void)c;
  return tl_neg(tl__softplus_of(tl_neg(x)));
}
static tl_tensor tanh_shrink(tl_tensor x, const double *c) {
  (void)c;
  return tl_sub(x, tl_tanh(x));
}
static tl_tensor shrink(tl_tensor x, const double *c) {
  tl_tensor zero = tl__number(x, 0), bias = tl__number(x, c[1]);
  tl_tensor nearer = tl_where(tl_lt(x, zero), tl_add(x, bias), tl_sub(x, bias));
  return tl_where(tl_le(tl_fabs(x), tl__number(x, c[0])), zero, nearer);
}
static tl_tensor threshold(tl_tensor x, const double *c) {
  return tl_where(tl_le(x, tl__number(x, c[0])), tl__number(x, c[1]), x);
}

static tl_tensor activation(const char *op, tl_tensor x, tl_tensor (*f)(tl_tensor, const double *), const double *c) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats(op, 1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x);
  return tl__compose_leave(op, scope, wide ? tl__like(f(wide, c), x) : NULL);
}

#define CONSTANTS(...)                                                                                                 \
  (const double[]) { __VA_ARGS__ }

/* Of integers too. */
tl_tensor tl_relu(tl_tensor x) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor zero = tl__number(x, 0);
  return tl__compose_leave("relu", scope, tl_where(tl_le(x, zero), zero, x));
}

tl_tensor tl_leaky_relu(tl_tensor x, double slope) { return activation("leaky_relu", x, leaky_relu, CONSTANTS(slope)); }
tl_tensor tl_hard_tanh(tl_tensor x, double least, double most) {
  return activation("hard_tanh", x, hard_tanh, CONSTANTS(least, most));
}
tl_tensor tl_relu6(tl_tensor x) { return activation("relu6", x, hard_tanh, CONSTANTS(0, 6)); }
tl_tensor tl_elu(tl_tensor x, double alpha) { return activation("elu", x, elu, CONSTANTS(alpha)); }
tl_tensor tl_selu(tl_tensor x, double alpha, double scale) {
  return activation("selu", x, selu, CONSTANTS(alpha, scale));
}
tl_tensor tl_celu(tl_tensor x, double alpha) { return activation("celu", x, celu, CONSTANTS(alpha)); }
tl_tensor tl_gelu(tl_tensor x, bool by_tanh) { return activation("gelu", x, by_tanh ? gelu_tanh : gelu, NULL); }
tl_tensor tl_swish(tl_tensor x, double beta) { return activation("swish", x, swish, CONSTANTS(beta)); }
tl_tensor tl_silu(tl_tensor x) { return activation("silu", x, swish, CONSTANTS(1)); }
tl_tensor tl_mish(tl_tensor x) { return activation("mish", x, mish, NULL); }
tl_tensor tl_softplus(tl_tensor x, double beta, double limit) {
  return activation("softplus", x, softplus, CONSTANTS(beta, limit));
}
tl_tensor tl_softsign(tl_tensor x) { return activation("softsign", x, softsign, NULL); }
tl_tensor tl_hard_sigmoid(tl_tensor x, double slope, double offset) {
  return activation("hard_sigmoid", x, hard_sigmoid, CONSTANTS(slope, offset));
}
tl_tensor tl_hard_swish(tl_tensor x) { return activation("hard_swish", x, hard_swish, NULL); }
tl_tensor tl_log_sigmoid(tl_tensor x) { return activation("log_sigmoid", x, log_sigmoid, NULL); }
tl_tensor tl_tanh_shrink(tl_tensor x) { return activation("tanh_shrink", x, tanh_shrink, NULL); }
tl_tensor tl_shrink(tl_tensor x, double limit, double bias) {
  return activation("shrink", x, shrink, CONSTANTS(limit, bias));
}
tl_tensor tl_threshold(tl_tensor x, double limit, double value) {
  return activation("threshold", x, threshold, CONSTANTS(limit, value));
}

tl_tensor tl_prelu(tl_tensor x, tl_tensor slope) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, slope}, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("prelu", scope, tl_where(tl_gt(x, tl__number(x, 0)), x, tl_mul(slope, x)));
}

tl_tensor tl_glu(tl_tensor x, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("glu", 1, &x, &scope, &out)) {
    return out;
  }
  tl_shape_rules rules;
  tl_status status = tl__shape_axis(&rules, "glu", 1, x->rank, axis, &axis);
  if (status != TL_OK) {
    out = tl__tensor_failed(status, rules.message);
  } else if (!tl__is_number(x->dim[axis])) {
    out = tl__tensor_refuse(TL_TRACED_TENSOR, "glu: axis %d has an extent that is no number yet", axis);
  } else if (x->dim[axis] % 2) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "glu: axis %d has extent %lld, which has no half", axis,
                            (long long)x->dim[axis]);
  } else {
    tl_tensor wide = tl__widened(x);
    int64_t half = x->dim[axis] / 2;
    out = tl_mul(tl__part(wide, axis, 0, half), tl_logistic(tl__part(wide, axis, half, half)));
    out = tl__like(out, x);
  }
  return tl__compose_leave("glu", scope, out);
}
