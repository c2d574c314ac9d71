/* Losses, made of other ops. Operands of a small format are computed in float up to the reduction, and rounded once. */
#include <math.h>

#include "tensor/compose.h"
#include "tensor/lists.h"

/* ---- from the elements to a number ---- */

static tl_tensor reduced(tl_tensor each, tl_reduction reduction) {
  tl_axes behind = {.count = 0};
  for (int i = 1; tl__tensor_is_valid(each) && i < each->rank; i++) {
    behind.axis[behind.count++] = (int8_t)i;
  }
  switch (reduction) {
  case TL_REDUCTION_MEAN:
    return tl_mean(each, TL_ALL, false);
  case TL_REDUCTION_SUM:
    return tl_sum(each, TL_ALL, false);
  case TL_REDUCTION_NONE:
    return each;
  case TL_REDUCTION_BATCH_MEAN:
    return tl__tensor_is_valid(each) && each->rank ? tl_mean(tl_sum(each, behind, false), TL_ALL, false) : each;
  }
  return tl__tensor_refuse(TL_UNSUPPORTED_CONSTRUCT, "reduction: there is no reduction %d", (int)reduction);
}

/* A loss of the operands, of F32 or F64, and constants. */
typedef tl_tensor elements(const tl_tensor *x, const double *c);

static tl_tensor loss(const char *op, elements *each, int count, const tl_tensor *operands, const double *c,
                      tl_reduction reduction) {
  enum { MOST = 4 };
  tl_tensor wide[MOST], out;
  tl_scope scope;
  if (!tl__compose_enter_floats(op, count, operands, &scope, &out)) {
    return out;
  }
  for (int i = 0; i < count; i++) {
    wide[i] = tl__widened(operands[i]);
  }
  return tl__compose_leave(op, scope, tl__like(reduced(each(wide, c), reduction), operands[0]));
}

#define OPERANDS(...)                                                                                                  \
  (const tl_tensor[]) { __VA_ARGS__ }
#define CONSTANTS(...)                                                                                                 \
  (const double[]) { __VA_ARGS__ }

/* ---- differences ---- */

static tl_tensor squares(const tl_tensor *x, const double *c) {
  (void)c;
  return tl_square(tl_sub(x[0], x[1]));
}
static tl_tensor distances(const tl_tensor *x, const double *c) {
  (void)c;
  return tl_fabs(tl_sub(x[0], x[1]));
}

/* d^2/2 up to `limit`, from there on the line that goes on; nothing large is squared. */
static tl_tensor huber(tl_tensor difference, double limit) {
  tl_tensor size = tl_fabs(difference), most = tl__number(size, limit), half = tl__number(size, 0.5);
  tl_tensor is_far = tl_gt(size, most), near = tl_where(is_far, most, difference);
  tl_tensor line = tl_mul(most, tl_sub(size, tl_mul(half, most)));
  return tl_where(is_far, line, tl_mul(half, tl_mul(near, near)));
}
static tl_tensor hubers(const tl_tensor *x, const double *c) { return huber(tl_sub(x[0], x[1]), c[0]); }
static tl_tensor smooth_distances(const tl_tensor *x, const double *c) {
  tl_tensor curve = c[0] > 0 ? huber(tl_sub(x[0], x[1]), c[0]) : NULL;
  return c[0] > 0 ? tl_div(curve, tl__number(curve, c[0])) : distances(x, c);
}

tl_tensor tl_mse_loss(tl_tensor x, tl_tensor y, tl_reduction reduction) {
  return loss("mse_loss", squares, 2, OPERANDS(x, y), NULL, reduction);
}
tl_tensor tl_l1_loss(tl_tensor x, tl_tensor y, tl_reduction reduction) {
  return loss("l1_loss", distances, 2, OPERANDS(x, y), NULL, reduction);
}
tl_tensor tl_huber_loss(tl_tensor x, tl_tensor y, double delta, tl_reduction reduction) {
  return loss("huber_loss", hubers, 2, OPERANDS(x, y), CONSTANTS(delta), reduction);
}
tl_tensor tl_smooth_l1_loss(tl_tensor x, tl_tensor y, double beta, tl_reduction reduction) {
  return loss("smooth_l1_loss", smooth_distances, 2, OPERANDS(x, y), CONSTANTS(beta), reduction);
}

/* ---- probabilities ---- */

/* Where x is 0 and log y not finite, the factor is log 1. */
tl_tensor tl__xlogy_of(tl_tensor x, tl_tensor y) {
  tl_tensor is_out = tl_or(tl_le(y, tl__number(y, 0)), tl_eq(y, tl__number(y, INFINITY)));
  tl_tensor is_none = tl_and(tl_eq(x, tl__number(x, 0)), is_out);
  return tl_mul(x, tl_log(tl_where(is_none, tl__number(y, 1), y)));
}

static tl_tensor divergences(const tl_tensor *x, const double *c) {
  (void)c;
  return tl_sub(tl__xlogy_of(x[1], x[1]), tl_mul(x[1], x[0]));
}
static tl_tensor log_divergences(const tl_tensor *x, const double *c) {
  (void)c;
  return tl_mul(tl_exp(x[1]), tl_sub(x[1], x[0]));
}

tl_tensor tl_kl_div(tl_tensor x, tl_tensor y, bool log_target, tl_reduction reduction) {
  return loss("kl_div", log_target ? log_divergences : divergences, 2, OPERANDS(x, y), NULL, reduction);
}

/* A logarithm, no less than -100; of numbers below e^-100 it is not taken. */
static tl_tensor limited_log(tl_tensor x, tl_tensor (*log_of)(tl_tensor), tl_tensor is_tiny) {
  return tl_where(is_tiny, tl__number(x, -100), log_of(tl_where(is_tiny, tl__number(x, 0.5), x)));
}

static tl_tensor log_of_rest(tl_tensor x) { return tl_log1p(tl_neg(x)); }

static tl_tensor binary_entropies(const tl_tensor *x, const double *c) {
  (void)c;
  tl_tensor one = tl__number(x[0], 1), tiny = tl__number(x[0], exp(-100));
  tl_tensor is_none = tl_lt(x[0], tiny), is_all = tl_lt(tl_sub(one, x[0]), tiny);
  tl_tensor yes = tl_mul(x[1], limited_log(x[0], tl_log, is_none));
  tl_tensor no = tl_mul(tl_sub(one, x[1]), limited_log(x[0], log_of_rest, is_all));
  return tl_mul(x[2], tl_neg(tl_add(yes, no)));
}

static tl_tensor logit_entropies(const tl_tensor *x, const double *c) {
  (void)c;
  tl_tensor one = tl__number(x[0], 1), rest = tl_sub(one, x[1]);
  tl_tensor weight = tl_add(rest, tl_mul(x[3], x[1]));
  return tl_mul(x[2], tl_add(tl_mul(rest, x[0]), tl_mul(weight, tl__softplus_of(tl_neg(x[0])))));
}

tl_tensor tl_binary_cross_entropy(tl_tensor p, tl_tensor y, tl_tensor weight, tl_reduction reduction) {
  return loss("binary_cross_entropy", binary_entropies, 3, OPERANDS(p, y, weight), NULL, reduction);
}
tl_tensor tl_binary_cross_entropy_with_logits(tl_tensor x, tl_tensor y, tl_tensor weight, tl_tensor pos_weight,
                                              tl_reduction reduction) {
  return loss("binary_cross_entropy_with_logits", logit_entropies, 4, OPERANDS(x, y, weight, pos_weight), NULL,
              reduction);
}

/* ---- classes ---- */

typedef struct classes {
  const char *op;
  tl_tensor targets, weights;
  int axis;
  tl_tensor is_ignored, safe; /* the classes, 0 where they are ignored */
  tl_tensor weight;           /* of each place, 0 where it is ignored */
} classes;

/* x's shape with extent 1 along the axis: that of the targets with the axis. */
static tl_tensor along(tl_tensor x, tl_shape shape, int axis) {
  shape.dim[axis] = 1;
  return tl_reshape(x, shape);
}

/* The weights along the classes' axis, to broadcast with x. */
static tl_tensor class_weights(const classes *c, tl_tensor x) {
  tl_shape shape = {.rank = x->rank};
  for (int i = 0; i < x->rank; i++) {
    shape.dim[i] = i == c->axis ? x->dim[i] : 1;
  }
  tl_tensor weights = tl__widened(c->weights);
  return c->weights->rank ? tl_reshape(weights, shape) : weights;
}

static bool read_classes(classes *c, tl_tensor x, int64_t ignore_index, tl_tensor *out) {
  tl_shape_rules rules;
  tl_status status = tl__shape_axis(&rules, c->op, 3, x->rank, c->axis, &c->axis);
  if (status != TL_OK) {
    *out = tl__tensor_failed(status, rules.message);
    return false;
  }
  if (c->targets->rank != x->rank - 1 || c->weights->rank > 1) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: targets of rank %d, weights of rank %d, operand 0 has %d",
                             c->op, c->targets->rank, c->weights->rank, x->rank);
    return false;
  }
  tl_tensor none = tl_scalar_like(c->targets, 0), zero = tl__number(x, 0), weights = tl__widened(c->weights);
  c->is_ignored = tl_eq(c->targets, tl_scalar_like(c->targets, (double)ignore_index));
  c->safe = tl_where(c->is_ignored, none, c->targets);
  c->weight = c->weights->rank ? tl_gather(weights, c->safe, 0, (tl_gather_opts){.mode = TL_INDEX_CHECK}) : weights;
  c->weight = tl_where(c->is_ignored, zero, c->weight);
  return true;
}

/* -log p of the classes, times their weights. */
static tl_tensor chosen(const classes *c, tl_tensor log_p) {
  tl_tensor taken = tl_take_along(log_p, along(c->safe, tl_shape_of(log_p), c->axis), c->axis, TL_INDEX_CHECK);
  taken = tl_sum(taken, tl__one_axis(c->axis), false);
  return tl_neg(tl_mul(c->weight, tl_where(c->is_ignored, tl__number(log_p, 0), taken)));
}

static tl_tensor class_loss(const char *op, tl_tensor x, bool is_logits, tl_tensor targets, tl_tensor weights, int axis,
                            int64_t ignore_index, double smoothing, tl_reduction reduction) {
  tl_scope scope;
  tl_tensor out;
  if (tl__tensor_any_failed(3, OPERANDS(x, targets, weights), &out) ||
      !tl__compose_enter_floats(op, 2, OPERANDS(x, weights), &scope, &out)) {
    return out;
  }
  classes c = {.op = op, .targets = targets, .weights = weights, .axis = axis};
  tl_tensor wide = tl__widened(x);
  if (!wide || !read_classes(&c, wide, ignore_index, &out)) {
    return tl__compose_leave(op, scope, wide ? out : NULL);
  }
  tl_tensor log_p = is_logits ? tl_log_softmax(wide, c.axis) : wide;
  tl_tensor each = chosen(&c, log_p);
  if (smoothing != 0) {
    tl_tensor all = tl_mean(tl_mul(class_weights(&c, wide), log_p), tl__one_axis(c.axis), false);
    all = tl_where(c.is_ignored, tl__number(wide, 0), tl_neg(all));
    each = tl_add(tl_mul(tl__number(wide, 1 - smoothing), each), tl_mul(tl__number(wide, smoothing), all));
  }
  out = reduction == TL_REDUCTION_MEAN ? tl_div(tl_sum(each, TL_ALL, false), tl_sum(c.weight, TL_ALL, false))
                                       : reduced(each, reduction);
  return tl__compose_leave(op, scope, tl__like(out, x));
}

tl_tensor tl_nll_loss(tl_tensor log_p, tl_tensor targets, tl_tensor weights, int axis, int64_t ignore_index,
                      tl_reduction reduction) {
  return class_loss("nll_loss", log_p, false, targets, weights, axis, ignore_index, 0, reduction);
}
tl_tensor tl_cross_entropy(tl_tensor x, tl_tensor targets, tl_tensor weights, int axis, int64_t ignore_index,
                           double smoothing, tl_reduction reduction) {
  return class_loss("cross_entropy", x, true, targets, weights, axis, ignore_index, smoothing, reduction);
}

/* ---- distributions and margins ---- */

static tl_tensor gaussians(const tl_tensor *x, const double *c) {
  tl_tensor half = tl__number(x[0], 0.5), least = tl__number(x[0], c[0]);
  tl_tensor variance = tl_where(tl_lt(x[2], least), least, x[2]);
  tl_tensor far = tl_div(tl_square(tl_sub(x[0], x[1])), variance);
  tl_tensor out = tl_mul(half, tl_add(tl_log(variance), far));
  return c[1] != 0 ? tl_add(out, tl__number(x[0], 0.91893853320467274178)) : out; /* log(2 pi)/2 */
}

/* Stirling's terms of log y!, for y above 1. */
static tl_tensor stirling(tl_tensor y) {
  tl_tensor one = tl__number(y, 1), is_small = tl_le(y, one), large = tl_where(is_small, one, y);
  tl_tensor turns = tl_mul(tl__number(y, 6.28318530717958647693), large);
  tl_tensor terms = tl_sub(tl_mul(large, tl_log(large)), large);
  return tl_where(is_small, tl__number(y, 0), tl_add(terms, tl_mul(tl__number(y, 0.5), tl_log(turns))));
}

static tl_tensor poissons(const tl_tensor *x, const double *c) {
  tl_tensor rate = c[0] != 0 ? tl_exp(x[0]) : x[0];
  tl_tensor log_rate = c[0] != 0 ? x[0] : tl_log(tl_add(x[0], tl__number(x[0], c[2])));
  tl_tensor out = tl_sub(rate, tl_mul(x[1], log_rate));
  return c[1] != 0 ? tl_add(out, stirling(x[1])) : out;
}

tl_tensor tl_gaussian_nll_loss(tl_tensor x, tl_tensor y, tl_tensor variance, bool full, double least,
                               tl_reduction reduction) {
  return loss("gaussian_nll_loss", gaussians, 3, OPERANDS(x, y, variance), CONSTANTS(least, full), reduction);
}
tl_tensor tl_poisson_nll_loss(tl_tensor x, tl_tensor y, bool log_input, bool full, double epsilon,
                              tl_reduction reduction) {
  return loss("poisson_nll_loss", poissons, 2, OPERANDS(x, y), CONSTANTS(log_input, full, epsilon), reduction);
}

/* No less than 0, where the derivative is that of above. */
static tl_tensor not_below_zero(tl_tensor x) {
  tl_tensor zero = tl__number(x, 0);
  return tl_where(tl_lt(x, zero), zero, x);
}

static tl_tensor ranking_margins(const tl_tensor *x, const double *c) {
  return not_below_zero(tl_sub(tl__number(x[0], c[0]), tl_mul(x[2], tl_sub(x[0], x[1]))));
}
static tl_tensor hinges(const tl_tensor *x, const double *c) {
  tl_tensor zero = tl__number(x[0], 0), margin = tl__number(x[0], c[0]);
  return tl_where(tl_gt(x[1], zero), x[0], not_below_zero(tl_sub(margin, x[0])));
}
static tl_tensor soft_margins(const tl_tensor *x, const double *c) {
  (void)c;
  return tl__softplus_of(tl_neg(tl_mul(x[0], x[1])));
}

tl_tensor tl_margin_ranking_loss(tl_tensor x, tl_tensor y, tl_tensor sign, double margin, tl_reduction reduction) {
  return loss("margin_ranking_loss", ranking_margins, 3, OPERANDS(x, y, sign), CONSTANTS(margin), reduction);
}
tl_tensor tl_hinge_embedding_loss(tl_tensor x, tl_tensor sign, double margin, tl_reduction reduction) {
  return loss("hinge_embedding_loss", hinges, 2, OPERANDS(x, sign), CONSTANTS(margin), reduction);
}
tl_tensor tl_soft_margin_loss(tl_tensor x, tl_tensor sign, tl_reduction reduction) {
  return loss("soft_margin_loss", soft_margins, 2, OPERANDS(x, sign), NULL, reduction);
}
