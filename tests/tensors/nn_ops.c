/* Activations and losses in derivatives and batches: each against central differences, with extents that are known when
 * the program runs alone, and constants that are expressions. */
#include "composite_check.h"

tl_axis(Batch);
tl_axis(Feature);

static const double HALF = 0.5;

static tl_tensor classes(tl_typed(F64, Batch, Feature) x) { return tl_argmax(tl_cos(x), 1, false); }

#define ACTIVATION(name, call)                                                                                         \
  static tl_tensor name(tl_typed(F64, Batch, Feature) x) { return tl_sum(tl_mul(call, tl_cos(x)), TL_ALL, false); }
#define LOSS(name, call)                                                                                               \
  static tl_tensor name(tl_typed(F64, Batch, Feature) x) { return call; }
ACTIVATION(relu, tl_relu(x))
ACTIVATION(leaky_relu, tl_leaky_relu(x, 1.0 / 8))
ACTIVATION(prelu, tl_prelu(x, tl_sin(x)))
ACTIVATION(hard_tanh, tl_hard_tanh(x, -0.6, HALF))
ACTIVATION(relu6, tl_relu6(tl_mul(x, tl_scalar_like(x, 9))))
ACTIVATION(elu, tl_elu(x, HALF))
ACTIVATION(selu, tl_selu(x, TL_SELU_ALPHA, TL_SELU_SCALE))
ACTIVATION(celu, tl_celu(x, HALF))
ACTIVATION(gelu, tl_gelu(x, false))
ACTIVATION(gelu_tanh, tl_gelu(x, true))
ACTIVATION(swish, tl_swish(x, -HALF))
ACTIVATION(silu, tl_silu(x))
ACTIVATION(mish, tl_mish(x))
ACTIVATION(softplus, tl_softplus(x, 2, INFINITY))
ACTIVATION(softplus_limited, tl_softplus(x, 2, HALF))
ACTIVATION(log_sigmoid, tl_log_sigmoid(x))
ACTIVATION(softsign, tl_softsign(tl_mul(x, tl_scalar_like(x, 3))))
ACTIVATION(hard_sigmoid, tl_hard_sigmoid(x, 1.0 / 6, 0.5))
ACTIVATION(hard_swish, tl_hard_swish(x))
ACTIVATION(tanh_shrink, tl_tanh_shrink(x))
ACTIVATION(shrink, tl_shrink(x, HALF, 0.25f))
ACTIVATION(threshold, tl_threshold(x, HALF, 3))
static tl_tensor glu(tl_typed(F64, 4, Feature) x) { return tl_sum(tl_sin(tl_glu(x, 0)), TL_ALL, false); }
LOSS(mse_loss, tl_mse_loss(x, tl_cos(x), TL_REDUCTION_MEAN))
LOSS(l1_loss, tl_l1_loss(x, tl_cos(x), TL_REDUCTION_BATCH_MEAN))
LOSS(huber_loss, tl_huber_loss(x, tl_cos(x), HALF, TL_REDUCTION_SUM))
LOSS(smooth_l1_loss, tl_smooth_l1_loss(x, tl_cos(x), HALF, TL_REDUCTION_MEAN))
LOSS(kl_div, tl_kl_div(x, tl_exp(x), false, TL_REDUCTION_BATCH_MEAN))
LOSS(kl_div_log, tl_kl_div(x, tl_cos(x), true, TL_REDUCTION_MEAN))
LOSS(bce, tl_binary_cross_entropy(tl_logistic(x), tl_square(x), tl_cos(x), TL_REDUCTION_MEAN))
LOSS(bce_logits,
     tl_binary_cross_entropy_with_logits(x, tl_square(x), tl_cos(x), tl_sum(x, TL_AXES(0), false), TL_REDUCTION_SUM))
LOSS(nll_loss, tl_nll_loss(tl_log_softmax(x, 1), classes(x), tl_sum(x, TL_AXES(0), false), 1, 1, TL_REDUCTION_MEAN))
LOSS(cross_entropy, tl_cross_entropy(x, classes(x), tl_scalar_like(x, 1), -1, -100, 0.1, TL_REDUCTION_MEAN))
LOSS(gaussian_nll_loss, tl_gaussian_nll_loss(x, tl_cos(x), tl_exp(x), true, 1e-6, TL_REDUCTION_MEAN))
LOSS(poisson_nll_loss, tl_poisson_nll_loss(x, tl_exp(x), true, true, 1e-8, TL_REDUCTION_MEAN))
LOSS(margin_ranking_loss, tl_margin_ranking_loss(x, tl_cos(x), tl_sign(x), HALF, TL_REDUCTION_MEAN))
LOSS(hinge_embedding_loss, tl_hinge_embedding_loss(x, tl_sign(x), HALF, TL_REDUCTION_MEAN))
LOSS(soft_margin_loss, tl_soft_margin_loss(x, tl_cos(x), TL_REDUCTION_MEAN))

int main(void) {
  double ds[COUNT];
  set_elements(ds);
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(ROWS, COLUMNS), xs), direction = tl_from(TL_F64, TL_SHAPE(ROWS, COLUMNS), ds);
  CHECK_ALL(relu);
  CHECK_ALL(leaky_relu);
  CHECK_ALL(prelu);
  CHECK_ALL(hard_tanh);
  CHECK_ALL(relu6);
  CHECK_ALL(elu);
  CHECK_ALL(selu);
  CHECK_ALL(celu);
  CHECK_ALL(gelu);
  CHECK_ALL(gelu_tanh);
  CHECK_ALL(swish);
  CHECK_ALL(silu);
  CHECK_ALL(mish);
  CHECK_ALL(softplus);
  CHECK_ALL(softplus_limited);
  CHECK_ALL(log_sigmoid);
  CHECK_ALL(softsign);
  CHECK_ALL(hard_sigmoid);
  CHECK_ALL(hard_swish);
  CHECK_ALL(tanh_shrink);
  CHECK_ALL(shrink);
  CHECK_ALL(threshold);
  CHECK_ALL(glu);
  CHECK_ALL(mse_loss);
  CHECK_ALL(l1_loss);
  CHECK_ALL(huber_loss);
  CHECK_ALL(smooth_l1_loss);
  CHECK_ALL(kl_div);
  CHECK_ALL(kl_div_log);
  CHECK_ALL(bce);
  CHECK_ALL(bce_logits);
  CHECK_ALL(nll_loss);
  CHECK_ALL(cross_entropy);
  CHECK_ALL(gaussian_nll_loss);
  CHECK_ALL(poisson_nll_loss);
  CHECK_ALL(margin_ranking_loss);
  CHECK_ALL(hinge_embedding_loss);
  CHECK_ALL(soft_margin_loss);
  return check_done();
}
