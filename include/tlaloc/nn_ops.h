/* Ops of neural networks on tensors: activations, losses, normalizations. Part of tensor.h, which includes it.
 *
 * All are made of the other ops, as which they are captured, differentiated and batched. Operands are of one floating
 * dtype, which the result has too; formats narrower than float are computed in float and rounded once. Constants are
 * numbers that are known where tlalocc compiles the call. Derivatives at the places where a function has none are
 * PyTorch's; each is stated. NaN stays NaN. */
#ifndef TLALOC_NN_OPS_H
#define TLALOC_NN_OPS_H

#include "tlaloc/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- activations, elementwise ---- */

/* x above 0, else 0; of integers too. Derivative 0 at 0. */
TL_API tl_tensor tl_relu(tl_tensor x);
/* x above 0, else slope*x. Derivative `slope` at 0. prelu: with a tensor that broadcasts to x, of any dtype of x. */
TL_API tl_tensor tl_leaky_relu(tl_tensor x, double slope);
TL_API tl_tensor tl_prelu(tl_tensor x, tl_tensor slope);
/* x, but no less than `least` and no more than `most`, where the derivative is 0. relu6: from 0 to 6. */
TL_API tl_tensor tl_hard_tanh(tl_tensor x, double least, double most);
TL_API tl_tensor tl_relu6(tl_tensor x);
/* x above 0, else alpha*(e^x - 1); that times a scale; alpha*(e^(x/alpha) - 1). Derivative at 0 that of below. */
TL_API tl_tensor tl_elu(tl_tensor x, double alpha);
TL_API tl_tensor tl_selu(tl_tensor x, double alpha, double scale);
TL_API tl_tensor tl_celu(tl_tensor x, double alpha);
#define TL_SELU_ALPHA 1.67326324235437728481
#define TL_SELU_SCALE 1.05070098735548049342
/* x times the normal distribution function, by erfc, or by its approximation with tanh(sqrt(2/pi)*(x + 0.044715*x^3)).
 * NaN at -infinity, as are those of the next line. */
TL_API tl_tensor tl_gelu(tl_tensor x, bool by_tanh);
/* x*logistic(beta*x); with beta 1; x*tanh(log(1 + e^x)). */
TL_API tl_tensor tl_swish(tl_tensor x, double beta);
TL_API tl_tensor tl_silu(tl_tensor x);
TL_API tl_tensor tl_mish(tl_tensor x);
/* log(1 + e^(beta*x))/beta, and x itself where beta*x is above the limit: exact where that is INFINITY; PyTorch's is 20. */
TL_API tl_tensor tl_softplus(tl_tensor x, double beta, double limit);
TL_API tl_tensor tl_log_sigmoid(tl_tensor x); /* log(logistic(x)) */
TL_API tl_tensor tl_softsign(tl_tensor x);    /* x/(1 + |x|) */
/* slope*x + offset, from 0 to 1, where the derivative is 0: PyTorch's has 1/6 and 1/2. x times that. */
TL_API tl_tensor tl_hard_sigmoid(tl_tensor x, double slope, double offset);
TL_API tl_tensor tl_hard_swish(tl_tensor x);
TL_API tl_tensor tl_tanh_shrink(tl_tensor x); /* x - tanh(x) */
/* 0 where |x| is at most the limit, else x moved towards 0 by a bias: PyTorch's softshrink where that is the limit, its
 * hardshrink where it is 0. Derivative 0 at the limit. */
TL_API tl_tensor tl_shrink(tl_tensor x, double limit, double bias);
/* x above the limit, else a value. */
TL_API tl_tensor tl_threshold(tl_tensor x, double limit, double value);
/* The first half of an axis times the logistic function of the second. */
TL_API tl_tensor tl_glu(tl_tensor x, int axis);

/* ---- normalizations: a weight that is tl_scalar_like(x, 1) and a bias of 0 are none ---- */

/* (x - mean)/sqrt(variance + epsilon) over axes, times a weight and plus a bias that broadcast; x over
 * sqrt(mean of x^2 + epsilon), times a weight. */
TL_API tl_tensor tl_layer_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, tl_axes axes, double epsilon);
TL_API tl_tensor tl_rms_norm(tl_tensor x, tl_tensor weight, tl_axes axes, double epsilon);
/* The same for each example, axis 0, and group of channels, axis 1 (whose extent is a number), or channel. Weight and
 * bias have rank 1, one for each channel, or 0. */
TL_API tl_tensor tl_group_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, int64_t groups, double epsilon);
TL_API tl_tensor tl_instance_norm(tl_tensor x, tl_tensor weight, tl_tensor bias, double epsilon);
/* x/(k + alpha*m)^beta, where m is the sum of squares of `size` channels about each, size/2 of them in front, over
 * size. */
TL_API tl_tensor tl_local_response_norm(tl_tensor x, int64_t size, double alpha, double beta, double k);
/* x over its norm along axes (see tl_norm), or over `least` where that is more. The product of two such along an axis,
 * summed. */
TL_API tl_tensor tl_normalize(tl_tensor x, double p, tl_axes axes, double least);
TL_API tl_tensor tl_cosine_similarity(tl_tensor x, tl_tensor y, int axis, double least);

/* ---- losses ---- */

/* What becomes of the loss of each element: their mean, their sum, nothing, the mean over axis 0 of the sums of the
 * others. */
typedef enum tl_reduction {
  TL_REDUCTION_MEAN,
  TL_REDUCTION_SUM,
  TL_REDUCTION_NONE,
  TL_REDUCTION_BATCH_MEAN
} tl_reduction;

/* (x - y)^2; |x - y|, derivative 0 at 0; d^2/2 for |d| = |x - y| up to delta, from there on delta*(|d| - delta/2); that
 * over beta, and |d| where beta is 0. The operands broadcast. */
TL_API tl_tensor tl_mse_loss(tl_tensor x, tl_tensor y, tl_reduction);
TL_API tl_tensor tl_l1_loss(tl_tensor x, tl_tensor y, tl_reduction);
TL_API tl_tensor tl_huber_loss(tl_tensor x, tl_tensor y, double delta, tl_reduction);
TL_API tl_tensor tl_smooth_l1_loss(tl_tensor x, tl_tensor y, double beta, tl_reduction);
/* y*(log y - x) for log-probabilities x, 0 where y is 0; with log_target y is a log-probability too. */
TL_API tl_tensor tl_kl_div(tl_tensor x, tl_tensor y, bool log_target, tl_reduction);
/* weight*-(y*log p + (1 - y)*log(1 - p)), with logarithms no less than -100, where their derivative is 0; the same of
 * p = logistic(x), the first of its terms times pos_weight. The weights broadcast: tl_scalar_like(x, 1) is none. */
TL_API tl_tensor tl_binary_cross_entropy(tl_tensor p, tl_tensor y, tl_tensor weight, tl_reduction);
TL_API tl_tensor tl_binary_cross_entropy_with_logits(tl_tensor x, tl_tensor y, tl_tensor weight, tl_tensor pos_weight,
                                                     tl_reduction);
/* -log p of the classes that the targets, of I32 or I64 and with x's axes but the classes', name; of logits with
 * smoothing s that by 1 - s and the mean over the classes by s. Weights have rank 1, one for each class, or 0. A target
 * that is ignore_index counts for nothing; any other that is no class is INDEX_OUT_OF_RANGE. The mean is by the weights
 * of the targets. */
TL_API tl_tensor tl_nll_loss(tl_tensor log_p, tl_tensor targets, tl_tensor weights, int axis, int64_t ignore_index,
                             tl_reduction);
TL_API tl_tensor tl_cross_entropy(tl_tensor x, tl_tensor targets, tl_tensor weights, int axis, int64_t ignore_index,
                                  double smoothing, tl_reduction);
/* (log v + (x - y)^2/v)/2 with a variance v no less than `least`, below which its derivative is 0; `full`: and
 * log(2 pi)/2. e^x - y*x, or x - y*log(x + epsilon) where x is no logarithm; `full`: and, of y above 1, Stirling's
 * approximation of log y!. */
TL_API tl_tensor tl_gaussian_nll_loss(tl_tensor x, tl_tensor y, tl_tensor variance, bool full, double least,
                                      tl_reduction);
TL_API tl_tensor tl_poisson_nll_loss(tl_tensor x, tl_tensor y, bool log_input, bool full, double epsilon, tl_reduction);
/* With a sign of 1 or -1: margin - sign*(x - y), but no less than 0; x, or for -1 margin - x, but no less than 0;
 * log(1 + e^(-sign*x)). Where they meet 0 the derivative is that of above. */
TL_API tl_tensor tl_margin_ranking_loss(tl_tensor x, tl_tensor y, tl_tensor sign, double margin, tl_reduction);
TL_API tl_tensor tl_hinge_embedding_loss(tl_tensor x, tl_tensor sign, double margin, tl_reduction);
TL_API tl_tensor tl_soft_margin_loss(tl_tensor x, tl_tensor sign, tl_reduction);

#ifdef __cplusplus
}
#endif

#endif
