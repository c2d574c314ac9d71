/* Nothing is computed here: names, axes, defaults and the order of arguments are mapped. */
#include "ops.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- arguments ---- */

static const argument *find(const call *k, const char *name) {
  for (int i = 0; i < k->c->argument_count; i++) {
    if (strcmp(k->c->arguments[i].name, name) == 0) {
      return &k->c->arguments[i];
    }
  }
  return NULL;
}

static double number(const call *k, const char *name, double otherwise) {
  const argument *a = find(k, name);
  return a && a->count ? a->number[0] : otherwise;
}
static int64_t integer(const call *k, const char *name, int64_t otherwise) {
  return (int64_t)number(k, name, (double)otherwise);
}
static bool flag(const call *k, const char *name, bool otherwise) { return integer(k, name, otherwise) != 0; }
static bool is_text(const call *k, const char *name, const char *text) {
  const argument *a = find(k, name);
  return a && strcmp(a->text, text) == 0;
}

/* The `count` integers from the first on; one alone stands for all where there are to be more. */
static tl_ints integers(const call *k, const char *name, int count, int64_t otherwise) {
  const argument *a = find(k, name);
  tl_ints out = {.rank = count};
  for (int i = 0; i < count; i++) {
    out.dim[i] = a && a->count ? (int64_t)a->number[a->count == 1 ? 0 : i] : otherwise;
  }
  return out;
}
static tl_ints all_integers(const call *k, const char *name) {
  const argument *a = find(k, name);
  return integers(k, name, a ? a->count : 0, 0);
}

/* Axes, of which none named are all. */
static tl_axes axes(const call *k, const char *name) {
  tl_ints list = all_integers(k, name);
  tl_axes out = {.count = list.rank ? list.rank : -1};
  for (int i = 0; i < list.rank; i++) {
    out.axis[i] = (int8_t)list.dim[i];
  }
  return out;
}

/* A tensor, or a number as one of x's dtype; NULL where the case has neither. */
static tl_tensor tensor(const call *k, const char *name) {
  for (int i = 0; i < k->c->in_count; i++) {
    if (strcmp(k->c->in_name[i], name) == 0) {
      return k->in[i];
    }
  }
  return find(k, name) ? tl_scalar_like(k->in[0], number(k, name, 0)) : NULL;
}
static tl_tensor tensor_or(const call *k, const char *name, double otherwise) {
  tl_tensor x = tensor(k, name);
  return x ? x : tl_scalar_like(k->in[0], otherwise);
}

static int rank(tl_tensor x) { return tl_shape_of(x).rank; }
/* An axis from the front, of a rank. */
static int from_front(int64_t axis, int of) { return (int)(axis < 0 ? axis + of : axis); }
static tl_tensor flat(tl_tensor x) { return tl_reshape(x, TL_SHAPE(-1)); }

static tl_reduction reduction(const call *k) {
  return is_text(k, "reduction", "none")        ? TL_REDUCTION_NONE
         : is_text(k, "reduction", "sum")       ? TL_REDUCTION_SUM
         : is_text(k, "reduction", "batchmean") ? TL_REDUCTION_BATCH_MEAN
                                                : TL_REDUCTION_MEAN;
}

/* ---- what has no arguments but tensors ---- */

#define X k->in[0]
#define Y k->in[1]
#define OP(name, value)                                                                                                \
  static void name(const call *k, tl_tensor *out) { *out = value; }

/* PyTorch's name, ours. */
#define UNARY(M)                                                                                                       \
  M(abs, fabs)                                                                                                         \
  M(neg, neg)                                                                                                          \
  M(exp, exp) M(exp2, exp2) M(expm1, expm1) M(sin, sin) M(cos, cos) M(sinh, sinh) M(cosh, cosh) M(tanh, tanh)          \
      M(atan, atan) M(asinh, asinh) M(erf, erf) M(erfc, erfc) M(sign, sign) M(sgn, sign) M(square, square)             \
          M(sigmoid, logistic) M(sinc, sinc) M(isfinite, is_finite) M(sqrt, sqrt) M(log, log) M(log2, log2)            \
              M(log10, log10) M(log1p, log1p) M(rsqrt, rsqrt) M(digamma, digamma) M(lgamma, lgamma)                    \
                  M(special_i0e, bessel_i0e) M(special_i1e, bessel_i1e) M(special_bessel_j0, j0)                       \
                      M(special_bessel_j1, j1) M(special_bessel_y0, y0) M(special_bessel_y1, y1) M(special_entr, entr) \
                          M(asin, asin) M(acos, acos) M(atanh, atanh) M(erfinv, erf_inv) M(tan, tan) M(acosh, acosh)   \
                              M(signbit, signbit) M(floor, floor) M(ceil, ceil) M(trunc, trunc) M(round, rint)         \
                                  M(frac, modf_fraction) M(logical_not, not) M(bitwise_not, bitnot)                    \
                                      M(nn_functional_relu, relu) M(nn_functional_relu6, relu6)                        \
                                          M(nn_functional_silu, silu) M(nn_functional_mish, mish)                      \
                                              M(nn_functional_softsign, softsign)                                      \
                                                  M(nn_functional_hardswish, hard_swish)                               \
                                                      M(nn_functional_logsigmoid, log_sigmoid)                         \
                                                          M(nn_functional_tanhshrink, tanh_shrink)                     \
                                                              M(cholesky, cholesky) M(linalg_cholesky, cholesky)       \
                                                                  M(linalg_det, det) M(linalg_inv, inverse)            \
                                                                      M(logdet, log_det_spd)                           \
                                                                          M(linalg_eigvalsh, eigh_values)
#define BINARY(M)                                                                                                      \
  M(add, add)                                                                                                          \
  M(sub, sub)                                                                                                          \
  M(mul, mul) M(maximum, maximum) M(minimum, minimum) M(fmax, fmax) M(fmin, fmin) M(max_binary, maximum)               \
      M(min_binary, minimum) M(eq, eq) M(ne, ne) M(lt, lt) M(le, le) M(gt, gt) M(ge, ge) M(hypot, hypot)               \
          M(atan2, atan2) M(copysign, copysign) M(logaddexp, logaddexp) M(logaddexp2, logaddexp2)                      \
              M(heaviside, heaviside) M(nextafter, nextafter) M(div_no_rounding_mode, div) M(true_divide, div)         \
                  M(div_floor_rounding, floor_div) M(floor_divide, floor_div) M(fmod, fmod) M(remainder, mod)          \
                      M(xlogy, xlogy) M(special_xlog1py, xlog1py) M(igamma, igamma) M(igammac, igammac)                \
                          M(logical_and, and) M(logical_or, or) M(logical_xor, xor) M(bitwise_and, and)                \
                              M(bitwise_or, or) M(bitwise_xor, xor) M(matmul, matmul) M(mm, matmul) M(bmm, matmul)     \
                                  M(mv, matmul) M(dot, matmul) M(vdot, matmul) M(outer, outer) M(kron, kron)
#define UNARY_OP(name, ours) OP(op_##name, tl_##ours(X))
#define BINARY_OP(name, ours) OP(op_##name, tl_##ours(X, tensor(k, "other")))
UNARY(UNARY_OP)
BINARY(BINARY_OP)

/* ---- one number, and more ---- */

OP(op_isnan, tl_ne(X, X))
OP(op_reciprocal, tl_integer_pow(X, -1))
OP(op_logit, tl_logit(X, number(k, "eps", 0)))
OP(op_polygamma, tl_polygamma(tl_fill(TL_I32, TL_SCALAR, number(k, "n", 0)), X))
OP(op_nan_to_num, tl_nan_to_num(X, number(k, "nan", 0), number(k, "posinf", INFINITY), number(k, "neginf", -INFINITY)))
OP(op_leaky_relu, tl_leaky_relu(X, number(k, "negative_slope", 0.01)))
OP(op_elu, tl_elu(X, number(k, "alpha", 1)))
OP(op_celu, tl_celu(X, number(k, "alpha", 1)))
OP(op_selu, tl_selu(X, TL_SELU_ALPHA, TL_SELU_SCALE))
OP(op_gelu, tl_gelu(X, is_text(k, "approximate", "tanh")))
OP(op_softplus, tl_softplus(X, number(k, "beta", 1), number(k, "threshold", 20)))
OP(op_hardtanh, tl_hard_tanh(X, number(k, "min_val", -1), number(k, "max_val", 1)))
OP(op_hardsigmoid, tl_hard_sigmoid(X, 1.0 / 6, 0.5))
OP(op_softshrink, tl_shrink(X, number(k, "lambd", 0.5), number(k, "lambd", 0.5)))
OP(op_hardshrink, tl_shrink(X, number(k, "lambd", 0.5), 0))
OP(op_threshold, tl_threshold(X, number(k, "threshold", 0), number(k, "value", 0)))
OP(op_glu, tl_glu(X, (int)integer(k, "dim", -1)))

/* The weight of each channel, axis 1. */
static void op_prelu(const call *k, tl_tensor *out) {
  tl_shape shape = {.rank = rank(X) > 1 ? rank(X) - 1 : 1};
  for (int i = 0; i < shape.rank; i++) {
    shape.dim[i] = i ? 1 : -1;
  }
  *out = tl_prelu(X, rank(X) ? tl_reshape(Y, shape) : tl_reshape(Y, TL_SCALAR));
}

OP(op_rsub, tl_sub(tensor(k, "other"), X))
OP(op_pow, tl_pow(X, tensor(k, "exponent")))
OP(op_where, tl_where(tensor(k, "condition"), X, tensor(k, "other")))
OP(op_lerp, tl_lerp(X, tensor(k, "end"), tensor(k, "weight")))
OP(op_addcmul, tl_addcmul(X, tensor(k, "tensor1"), tensor(k, "tensor2"), number(k, "value", 1)))
OP(op_addcdiv, tl_addcdiv(X, tensor(k, "tensor1"), tensor(k, "tensor2"), number(k, "value", 1)))
OP(op_clamp, tl_clip(X, tensor_or(k, "min", -INFINITY), tensor_or(k, "max", INFINITY)))

/* ---- over axes ---- */

#define KEEP flag(k, "keepdim", false)
OP(op_sum, tl_sum(X, axes(k, "dim"), KEEP))
OP(op_mean, tl_mean(X, axes(k, "dim"), KEEP))
OP(op_prod, tl_prod(X, axes(k, "dim"), KEEP))
OP(op_amax, tl_max(X, axes(k, "dim"), KEEP))
OP(op_amin, tl_min(X, axes(k, "dim"), KEEP))
OP(op_all, tl_reduce_and(X, axes(k, "dim"), KEEP))
OP(op_any, tl_reduce_or(X, axes(k, "dim"), KEEP))
OP(op_logsumexp, tl_logsumexp(X, axes(k, "dim"), KEEP))
OP(op_var, tl_var(X, axes(k, "dim"), number(k, "correction", 1), KEEP))
OP(op_std, tl_std(X, axes(k, "dim"), number(k, "correction", 1), KEEP))
OP(op_vector_norm, tl_norm(X, number(k, "ord", 2), axes(k, "dim"), KEEP))
OP(op_softmax, tl_softmax(X, (int)integer(k, "dim", -1)))
OP(op_log_softmax, tl_log_softmax(X, (int)integer(k, "dim", -1)))
OP(op_argsort, tl_argsort(X, (int)integer(k, "dim", -1), flag(k, "descending", false)))
OP(op_msort, tl_sort(X, 0, false))
OP(op_diff, tl_diff(X, integer(k, "n", 1), (int)integer(k, "dim", -1)))
OP(op_trace, tl_trace(X, 0, 0, 1))
OP(op_cdist, tl_cdist(X, tensor(k, "x2"), number(k, "p", 2)))

/* Without an axis, of all elements as one. */
static void op_argmax(const call *k, tl_tensor *out) {
  *out = find(k, "dim") ? tl_argmax(X, (int)integer(k, "dim", 0), KEEP) : tl_argmax(flat(X), 0, false);
}
static void op_argmin(const call *k, tl_tensor *out) {
  *out = find(k, "dim") ? tl_argmin(X, (int)integer(k, "dim", 0), KEEP) : tl_argmin(flat(X), 0, false);
}

static void op_topk(const call *k, tl_tensor *out) {
  tl_top_k_result both = tl_top_k(X, integer(k, "k", 1), (int)integer(k, "dim", -1));
  out[0] = both.values;
  out[1] = both.indices;
}

/* ---- products ---- */

OP(op_addmm, tl_addmm(X, tensor(k, "batch1"), tensor(k, "batch2"), number(k, "beta", 1), number(k, "alpha", 1)))
OP(op_einsum, tl_einsum(find(k, "equation")->text, k->c->in_count, k->in))
OP(op_inner, tl_contract(X, Y, TL_AXES(-1), TL_AXES(-1)))
OP(op_linear, tl_contract(X, Y, TL_AXES(-1), TL_AXES(1)))

/* A count of the last axes of one and the first of the other, or a list for each. */
static void op_tensordot(const call *k, tl_tensor *out) {
  tl_ints list = all_integers(k, "dims");
  int count = list.rank == 1 ? (int)list.dim[0] : list.rank / 2;
  tl_axes x = {.count = count}, y = {.count = count};
  for (int i = 0; i < count; i++) {
    x.axis[i] = (int8_t)(list.rank == 1 ? rank(X) - count + i : list.dim[i]);
    y.axis[i] = (int8_t)(list.rank == 1 ? i : list.dim[count + i]);
  }
  *out = tl_contract(X, Y, x, y);
}

/* Without an axis the first of extent 3. */
static void op_cross(const call *k, tl_tensor *out) {
  tl_shape shape = tl_shape_of(X);
  int axis = 0;
  while (axis < shape.rank && shape.dim[axis] != 3) {
    axis++;
  }
  *out = tl_cross(X, Y, (int)integer(k, "dim", axis));
}
OP(op_linalg_cross, tl_cross(X, Y, (int)integer(k, "dim", -1)))

static void op_bilinear(const call *k, tl_tensor *out) {
  *out = tl_einsum("bi,oij,bj->bo", 3, (const tl_tensor[]){X, tensor(k, "weight"), Y});
}

/* ---- in other places ---- */

OP(op_reshape, tl_reshape(X, all_integers(k, "shape")))
OP(op_ravel, flat(X))
OP(op_sum_to_size, tl_sum_to(X, all_integers(k, "size")))
OP(op_expand_as, tl_broadcast(X, tl_shape_of(Y)))
OP(op_fliplr, tl_reverse(X, TL_AXES(1)))
OP(op_flipud, tl_reverse(X, TL_AXES(0)))
OP(op_tile, tl_tile(X, all_integers(k, "dims")))
OP(op_cat, tl_concatenate(k->c->in_count, k->in, (int)integer(k, "dim", 0)))
OP(op_stack, tl_stack(k->c->in_count, k->in, (int)integer(k, "dim", 0)))
OP(op_diag_embed, tl_diag_embed(X, integer(k, "offset", 0), (int)integer(k, "dim1", -2), (int)integer(k, "dim2", -1)))
OP(op_diagonal, tl_diagonal(X, integer(k, "offset", 0), (int)integer(k, "dim1", 0), (int)integer(k, "dim2", 1)))
OP(op_linalg_diagonal,
   tl_diagonal(X, integer(k, "offset", 0), (int)integer(k, "dim1", -2), (int)integer(k, "dim2", -1)))
OP(op_tril, tl_tril(X, (int)integer(k, "diagonal", 0)))
OP(op_triu, tl_triu(X, (int)integer(k, "diagonal", 0)))

static void op_permute(const call *k, tl_tensor *out) {
  tl_axes order = axes(k, "dims");
  order.count = rank(X);
  *out = tl_transpose(X, order);
}

static tl_axes in_order(int count) {
  tl_axes order = {.count = count};
  for (int i = 0; i < count; i++) {
    order.axis[i] = (int8_t)i;
  }
  return order;
}
static tl_tensor exchanged(tl_tensor x, int64_t a, int64_t b) {
  tl_axes order = in_order(rank(x));
  if (order.count) {
    order.axis[from_front(a, order.count)] = (int8_t)from_front(b, order.count);
    order.axis[from_front(b, order.count)] = (int8_t)from_front(a, order.count);
  }
  return tl_transpose(x, order);
}
OP(op_transpose, exchanged(X, integer(k, "dim0", 0), integer(k, "dim1", 1)))
OP(op_t, rank(X) < 2 ? tl_transpose(X, TL_ALL) : exchanged(X, 0, 1))
OP(op_mT, exchanged(X, -2, -1))

static void op_movedim(const call *k, tl_tensor *out) {
  tl_ints from = all_integers(k, "source"), to = all_integers(k, "destination");
  tl_axes order = {.count = rank(X)};
  bool is_set[TL_MAX_RANK] = {false}, is_taken[TL_MAX_RANK] = {false};
  for (int i = 0; i < from.rank; i++) {
    int a = from_front(from.dim[i], order.count), b = from_front(to.dim[i], order.count);
    order.axis[b] = (int8_t)a;
    is_set[b] = is_taken[a] = true;
  }
  for (int b = 0, a = 0; b < order.count; b++) {
    for (; !is_set[b] && is_taken[a]; a++) {
    }
    order.axis[b] = is_set[b] ? order.axis[b] : (int8_t)a++;
  }
  *out = tl_transpose(X, order);
}

/* The axes from one to another as one. */
static void op_flatten(const call *k, tl_tensor *out) {
  tl_shape shape = tl_shape_of(X), new_shape = {.rank = 0};
  int first = from_front(integer(k, "start_dim", 0), shape.rank),
      last = from_front(integer(k, "end_dim", -1), shape.rank);
  for (int i = 0; i < shape.rank; i++) {
    bool joins = i > first && i <= last;
    if (joins) {
      new_shape.dim[new_shape.rank - 1] *= shape.dim[i];
    } else {
      new_shape.dim[new_shape.rank++] = shape.dim[i];
    }
  }
  *out = shape.rank ? tl_reshape(X, new_shape) : flat(X);
}

/* An extent of -1 is x's. */
static void op_expand(const call *k, tl_tensor *out) {
  tl_shape shape = tl_shape_of(X), size = all_integers(k, "size");
  for (int i = 0; i < size.rank; i++) {
    size.dim[i] = size.dim[i] < 0 ? shape.dim[i - (size.rank - shape.rank)] : size.dim[i];
  }
  *out = tl_broadcast(X, size);
}

static void op_squeeze(const call *k, tl_tensor *out) {
  tl_shape shape = tl_shape_of(X), rest = {.rank = 0};
  tl_ints list = all_integers(k, "dim");
  for (int i = 0; i < shape.rank; i++) {
    bool is_named = list.rank == 0;
    for (int n = 0; n < list.rank; n++) {
      is_named = is_named || from_front(list.dim[n], shape.rank) == i;
    }
    if (!is_named || shape.dim[i] != 1) {
      rest.dim[rest.rank++] = shape.dim[i];
    }
  }
  *out = tl_reshape(X, rest);
}
static void op_unsqueeze(const call *k, tl_tensor *out) {
  tl_shape shape = tl_shape_of(X);
  int at = from_front(integer(k, "dim", 0), shape.rank + 1);
  for (int i = shape.rank++; i > at; i--) {
    shape.dim[i] = shape.dim[i - 1];
  }
  shape.dim[at] = 1;
  *out = tl_reshape(X, shape);
}

static void op_flip(const call *k, tl_tensor *out) {
  tl_axes named = axes(k, "dims");
  *out = tl_reverse(X, named.count < 0 ? TL_NONE : named);
}

/* Without axes all elements as one. */
static void op_roll(const call *k, tl_tensor *out) {
  tl_ints shifts = all_integers(k, "shifts");
  *out = find(k, "dims") ? tl_roll(X, shifts, axes(k, "dims"))
                         : tl_reshape(tl_roll(flat(X), shifts, TL_AXES(0)), tl_shape_of(X));
}
static void op_repeat_interleave(const call *k, tl_tensor *out) {
  int64_t count = integer(k, "repeats", 1);
  *out = find(k, "dim") ? tl_repeat_interleave(X, count, (int)integer(k, "dim", 0))
                        : tl_repeat_interleave(flat(X), count, 0);
}

/* Sizes written out, or one for all but the last part. */
static void split_by(const call *k, int64_t size, bool is_list, tl_tensor *out) {
  tl_ints sizes = all_integers(k, "split_size");
  int axis = from_front(integer(k, "dim", 0), rank(X));
  if (!is_list) {
    int64_t rest = tl_shape_of(X).dim[axis];
    for (sizes.rank = 0; rest > 0 && sizes.rank < k->c->out_count; rest -= size) {
      sizes.dim[sizes.rank++] = rest < size ? rest : size;
    }
  }
  tl_split(X, sizes, axis, out);
}
static void op_split(const call *k, tl_tensor *out) {
  const argument *a = find(k, "split_size");
  split_by(k, integer(k, "split_size", 1), a->count > 1, out);
}
static void op_chunk(const call *k, tl_tensor *out) {
  int64_t n = tl_shape_of(X).dim[from_front(integer(k, "dim", 0), rank(X))], chunks = integer(k, "chunks", 1);
  split_by(k, (n + chunks - 1) / chunks, false, out);
}
static void op_meshgrid(const call *k, tl_tensor *out) {
  tl_meshgrid(k->c->in_count, k->in, is_text(k, "indexing", "xy"), out);
}

/* Of a vector the matrix with it, of a matrix its diagonal. */
static void op_diag(const call *k, tl_tensor *out) {
  int64_t offset = integer(k, "diagonal", 0);
  *out = rank(X) == 1 ? tl_diag_embed(X, offset, 0, 1) : tl_diagonal(X, offset, 0, 1);
}

static void op_narrow(const call *k, tl_tensor *out) {
  tl_shape limit = tl_shape_of(X);
  tl_ints start = {.rank = limit.rank};
  int axis = from_front(integer(k, "dim", 0), limit.rank);
  start.dim[axis] = from_front(integer(k, "start", 0), (int)limit.dim[axis]);
  limit.dim[axis] = start.dim[axis] + integer(k, "length", 0);
  *out = tl_slice(X, start, limit, TL_SCALAR);
}
static void op_select(const call *k, tl_tensor *out) {
  int axis = from_front(integer(k, "dim", 0), rank(X));
  int64_t at = from_front(integer(k, "index", 0), (int)tl_shape_of(X).dim[axis]);
  *out = tl_gather(X, tl_fill(TL_I64, TL_SCALAR, (double)at), axis, (tl_gather_opts){.mode = TL_INDEX_CHECK});
}

static void op_unfold(const call *k, tl_tensor *out) {
  tl_shape shape = tl_shape_of(X);
  int axis = from_front(integer(k, "dimension", 0), shape.rank);
  int64_t size = integer(k, "size", 1), step = integer(k, "step", 1);
  shape.dim[axis] = (shape.dim[axis] - size) / step + 1;
  shape.dim[shape.rank++] = size;
  *out = tl_windows(X, shape, (tl_axes){1, {(int8_t)axis}}, TL_INTS(step), TL_INTS(1));
}

/* Pairs from the last axis on. */
static void read_padding(const call *k, tl_ints *low, tl_ints *high) {
  tl_ints pad = all_integers(k, "pad");
  int n = rank(X);
  *low = *high = (tl_ints){.rank = n};
  for (int i = 0; i < pad.rank / 2; i++) {
    low->dim[n - 1 - i] = pad.dim[2 * i];
    high->dim[n - 1 - i] = pad.dim[2 * i + 1];
  }
}
static void op_pad_constant(const call *k, tl_tensor *out) {
  tl_ints low, high;
  read_padding(k, &low, &high);
  *out = tl_pad(X, tensor_or(k, "value", 0), low, high, TL_SCALAR);
}
static tl_tensor with_border(const call *k, tl_border kind) {
  tl_ints low, high;
  read_padding(k, &low, &high);
  return tl_pad_border(X, low, high, kind);
}
OP(op_pad_circular, with_border(k, TL_BORDER_WRAP))
OP(op_pad_reflect, with_border(k, TL_BORDER_REFLECT))
OP(op_pad_replicate, with_border(k, TL_BORDER_EDGE))

/* ---- at indices ---- */

#define AXIS (int)integer(k, "dim", 0)
static const tl_gather_opts checked = {.mode = TL_INDEX_CHECK};
OP(op_gather, tl_take_along(X, tensor(k, "index"), AXIS, TL_INDEX_CHECK))
OP(op_take, tl_gather(flat(X), tensor(k, "index"), 0, checked))
OP(op_scatter_add, tl_scatter_along(X, tensor(k, "index"), tensor(k, "src"), AXIS, TL_REDUCE_ADD, TL_INDEX_CHECK))
OP(op_scatter_prod, tl_scatter_along(X, tensor(k, "index"), tensor(k, "src"), AXIS, TL_REDUCE_MUL, TL_INDEX_CHECK))
OP(op_scatter_amax, tl_scatter_along(X, tensor(k, "index"), tensor(k, "src"), AXIS, TL_REDUCE_MAX, TL_INDEX_CHECK))
OP(op_scatter_amin, tl_scatter_along(X, tensor(k, "index"), tensor(k, "src"), AXIS, TL_REDUCE_MIN, TL_INDEX_CHECK))
OP(op_masked_fill, tl_where(tensor(k, "mask"), tensor(k, "value"), X))
OP(op_one_hot, tl_one_hot(X, integer(k, "num_classes", 1), TL_I64))
OP(op_index_select, tl_gather(X, tensor(k, "index"), AXIS, checked))

static void op_take_along_dim(const call *k, tl_tensor *out) {
  tl_tensor index = tensor(k, "index");
  *out = find(k, "dim") ? tl_take_along(X, index, AXIS, TL_INDEX_CHECK)
                        : tl_take_along(flat(X), flat(index), 0, TL_INDEX_CHECK);
}

/* ---- matrices ---- */

static void op_slogdet(const call *k, tl_tensor *out) {
  tl_slogdet_result both = tl_slogdet(X);
  out[0] = both.sign;
  out[1] = both.log;
}
static void op_qr(const call *k, tl_tensor *out) {
  tl_qr_result both = tl_qr(X);
  out[0] = both.q;
  out[1] = both.r;
}
OP(op_solve, tl_solve(X, tensor(k, "other"), false))
static void op_solve_triangular(const call *k, tl_tensor *out) {
  tl_triangular_solve_opts o = {.upper = flag(k, "upper", false), .unit_diagonal = flag(k, "unitriangular", false)};
  *out = tl_triangular_solve(X, tensor(k, "other"), o);
}

/* ---- layers ---- */

static void op_conv(const call *k, tl_tensor *out) {
  int n = rank(X) - 2;
  tl_ints padding = integers(k, "padding", n, 0);
  tl_convolution_opts o = {.window = {.stride = integers(k, "stride", n, 1),
                                      .low = padding,
                                      .high = padding,
                                      .dilation = integers(k, "dilation", n, 1)},
                           .groups = integer(k, "groups", 1)};
  *out = tl_convolution(X, tensor(k, "weight"), o);
}

static void op_conv_transpose2d(const call *k, tl_tensor *out) {
  tl_ints stride = integers(k, "stride", 2, 1), padding = integers(k, "padding", 2, 0);
  tl_ints dilation = integers(k, "dilation", 2, 1), more = integers(k, "output_padding", 2, 0);
  tl_conv2d_transpose_opts o = {.stride = {stride.dim[0], stride.dim[1]},
                                .padding = {padding.dim[0], padding.dim[1]},
                                .dilation = {dilation.dim[0], dilation.dim[1]},
                                .groups = integer(k, "groups", 1),
                                .output_padding = {more.dim[0], more.dim[1]}};
  *out = tl_conv2d_transpose(X, tensor(k, "weight"), o);
}

#define WEIGHT tensor_or(k, "weight", 1)
#define BIAS tensor_or(k, "bias", 0)
#define EPSILON(otherwise) number(k, "eps", otherwise)

static tl_axes last_axes(int of, int count) {
  tl_axes out = {.count = count};
  for (int i = 0; i < count; i++) {
    out.axis[i] = (int8_t)(of - count + i);
  }
  return out;
}
static tl_axes normalized(const call *k) { return last_axes(rank(X), all_integers(k, "normalized_shape").rank); }
OP(op_layer_norm, tl_layer_norm(X, WEIGHT, BIAS, normalized(k), EPSILON(1e-5)))
OP(op_rms_norm, tl_rms_norm(X, WEIGHT, normalized(k), EPSILON(DBL_EPSILON)))
OP(op_group_norm, tl_group_norm(X, WEIGHT, BIAS, integer(k, "num_groups", 1), EPSILON(1e-5)))
OP(op_instance_norm, tl_instance_norm(X, WEIGHT, BIAS, EPSILON(1e-5)))
OP(op_local_response_norm, tl_local_response_norm(X, integer(k, "size", 1), number(k, "alpha", 1e-4),
                                                  number(k, "beta", 0.75), number(k, "k", 1)))
OP(op_normalize, tl_normalize(X, number(k, "p", 2), (tl_axes){1, {(int8_t)integer(k, "dim", 1)}}, EPSILON(1e-12)))
OP(op_cosine_similarity, tl_cosine_similarity(X, tensor(k, "x2"), (int)integer(k, "dim", 1), EPSILON(1e-8)))

/* ---- losses ---- */

#define TARGET tensor(k, "target")
OP(op_mse_loss, tl_mse_loss(X, TARGET, reduction(k)))
OP(op_l1_loss, tl_l1_loss(X, TARGET, reduction(k)))
OP(op_smooth_l1_loss, tl_smooth_l1_loss(X, TARGET, number(k, "beta", 1), reduction(k)))
OP(op_huber_loss, tl_huber_loss(X, TARGET, number(k, "delta", 1), reduction(k)))
OP(op_kl_div, tl_kl_div(X, TARGET, flag(k, "log_target", false), reduction(k)))
OP(op_binary_cross_entropy, tl_binary_cross_entropy(X, TARGET, WEIGHT, reduction(k)))
OP(op_binary_cross_entropy_with_logits,
   tl_binary_cross_entropy_with_logits(X, TARGET, WEIGHT, tensor_or(k, "pos_weight", 1), reduction(k)))
/* The classes are axis 1, or the only one. */
OP(op_nll_loss, tl_nll_loss(X, TARGET, WEIGHT, rank(X) > 1, integer(k, "ignore_index", -100), reduction(k)))
OP(op_cross_entropy, tl_cross_entropy(X, TARGET, WEIGHT, rank(X) > 1, integer(k, "ignore_index", -100),
                                      number(k, "label_smoothing", 0), reduction(k)))
/* A variance without the last axis is the same along it. */
static void op_gaussian_nll_loss(const call *k, tl_tensor *out) {
  tl_tensor variance = tensor(k, "var");
  tl_shape shape = tl_shape_of(variance);
  if (shape.rank == rank(X) - 1) {
    shape.dim[shape.rank++] = 1;
  }
  *out =
      tl_gaussian_nll_loss(X, TARGET, tl_reshape(variance, shape), flag(k, "full", false), EPSILON(1e-6), reduction(k));
}
OP(op_poisson_nll_loss,
   tl_poisson_nll_loss(X, TARGET, flag(k, "log_input", true), flag(k, "full", false), EPSILON(1e-8), reduction(k)))
OP(op_margin_ranking_loss, tl_margin_ranking_loss(X, tensor(k, "input2"), TARGET, number(k, "margin", 0), reduction(k)))
OP(op_hinge_embedding_loss, tl_hinge_embedding_loss(X, TARGET, number(k, "margin", 1), reduction(k)))
OP(op_soft_margin_loss, tl_soft_margin_loss(X, TARGET, reduction(k)))

/* ---- what PyTorch itself is off by ---- */

static const struct {
  const char *op;
  sweep_tolerance tolerance;
} inexact[] = {{"digamma", SWEEP_TORCH_TRIGAMMA},
               {"polygamma_polygamma_n_0", SWEEP_TORCH_TRIGAMMA},
               {"polygamma_polygamma_n_1", SWEEP_TORCH_TRIGAMMA},
               {"polygamma_polygamma_n_2", SWEEP_TORCH_TRIGAMMA},
               {"polygamma_polygamma_n_3", SWEEP_TORCH_TRIGAMMA},
               {"special_bessel_j0", SWEEP_TORCH_BESSEL},
               {"special_bessel_j1", SWEEP_TORCH_BESSEL},
               {"special_bessel_y0", SWEEP_TORCH_BESSEL},
               {"special_bessel_y1", SWEEP_TORCH_BESSEL},
               {"nn_functional_hardsigmoid", SWEEP_TORCH_SIXTH}};

sweep_tolerance op_tolerance(const op_map *op) {
  for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++) {
    if (strcmp(inexact[i].op, op->name) == 0) {
      return inexact[i].tolerance;
    }
  }
  return SWEEP_GOLDEN;
}

/* ---- the table ---- */

#define NAMED(name, ours) {#name, op_##name},
const op_map op_maps[] = {
    UNARY(NAMED) BINARY(NAMED)
    // clang-format off
    {"isnan", op_isnan}, {"reciprocal", op_reciprocal}, {"logit", op_logit},
    {"polygamma_polygamma_n_0", op_polygamma}, {"polygamma_polygamma_n_1", op_polygamma},
    {"polygamma_polygamma_n_2", op_polygamma}, {"polygamma_polygamma_n_3", op_polygamma},
    {"nan_to_num", op_nan_to_num}, {"nn_functional_leaky_relu", op_leaky_relu}, {"nn_functional_elu", op_elu},
    {"nn_functional_celu", op_celu}, {"nn_functional_selu", op_selu}, {"nn_functional_gelu", op_gelu},
    {"nn_functional_softplus", op_softplus}, {"nn_functional_hardtanh", op_hardtanh},
    {"nn_functional_hardsigmoid", op_hardsigmoid}, {"nn_functional_softshrink", op_softshrink},
    {"nn_functional_hardshrink", op_hardshrink}, {"nn_functional_threshold", op_threshold},
    {"nn_functional_prelu", op_prelu}, {"nn_functional_glu", op_glu}, {"rsub", op_rsub}, {"pow", op_pow},
    {"float_power", op_pow}, {"where", op_where}, {"lerp", op_lerp}, {"addcmul", op_addcmul},
    {"addcdiv", op_addcdiv}, {"clamp", op_clamp}, {"clamp_min", op_clamp}, {"clamp_max", op_clamp},
    {"sum", op_sum}, {"mean", op_mean}, {"prod", op_prod}, {"amax", op_amax}, {"amin", op_amin},
    {"max_reduction_no_dim", op_amax}, {"min_reduction_no_dim", op_amin}, {"all", op_all}, {"any", op_any},
    {"argmax", op_argmax}, {"argmin", op_argmin}, {"logsumexp", op_logsumexp}, {"var", op_var}, {"std", op_std},
    {"linalg_vector_norm", op_vector_norm}, {"softmax", op_softmax}, {"log_softmax", op_log_softmax},
    {"msort", op_msort}, {"argsort", op_argsort}, {"topk", op_topk}, {"diff", op_diff}, {"trace", op_trace},
    {"cdist", op_cdist}, {"addmm", op_addmm}, {"addmv", op_addmm}, {"baddbmm", op_addmm}, {"einsum", op_einsum},
    {"inner", op_inner}, {"nn_functional_linear", op_linear}, {"nn_functional_bilinear", op_bilinear},
    {"tensordot", op_tensordot}, {"cross", op_cross}, {"linalg_cross", op_linalg_cross}, {"reshape", op_reshape},
    {"view", op_reshape}, {"transpose", op_transpose}, {"permute", op_permute}, {"movedim", op_movedim}, {"t", op_t},
    {"mT", op_mT}, {"ravel", op_ravel}, {"fliplr", op_fliplr}, {"flipud", op_flipud}, {"flatten", op_flatten},
    {"broadcast_to", op_expand}, {"expand", op_expand}, {"expand_as", op_expand_as}, {"sum_to_size", op_sum_to_size},
    {"squeeze", op_squeeze}, {"unsqueeze", op_unsqueeze}, {"flip", op_flip}, {"roll", op_roll}, {"tile", op_tile},
    {"repeat", op_tile}, {"repeat_interleave", op_repeat_interleave}, {"cat", op_cat}, {"stack", op_stack},
    {"split", op_split}, {"split_list_args", op_split}, {"split_with_sizes", op_split}, {"chunk", op_chunk},
    {"meshgrid_list_of_tensors", op_meshgrid}, {"diagonal", op_diagonal}, {"linalg_diagonal", op_linalg_diagonal},
    {"diag_embed", op_diag_embed}, {"diag", op_diag}, {"tril", op_tril}, {"triu", op_triu}, {"narrow", op_narrow},
    {"select", op_select}, {"unfold", op_unfold}, {"nn_functional_pad_constant", op_pad_constant},
    {"nn_functional_pad_circular", op_pad_circular}, {"nn_functional_pad_reflect", op_pad_reflect},
    {"nn_functional_pad_replicate", op_pad_replicate}, {"gather", op_gather}, {"take_along_dim", op_take_along_dim},
    {"take", op_take}, {"index_select", op_index_select}, 
    {"scatter_add", op_scatter_add}, {"scatter_reduce_sum", op_scatter_add}, {"scatter_reduce_prod", op_scatter_prod},
    {"scatter_reduce_amax", op_scatter_amax}, {"scatter_reduce_amin", op_scatter_amin},
    {"masked_fill", op_masked_fill}, {"nn_functional_one_hot", op_one_hot}, {"linalg_slogdet", op_slogdet},
    {"linalg_solve", op_solve}, {"linalg_solve_triangular", op_solve_triangular}, {"linalg_qr", op_qr},
    {"nn_functional_conv1d", op_conv}, {"nn_functional_conv2d", op_conv},
    {"nn_functional_conv_transpose2d", op_conv_transpose2d}, {"nn_functional_layer_norm", op_layer_norm},
    {"nn_functional_rms_norm", op_rms_norm}, {"nn_functional_group_norm", op_group_norm},
    {"nn_functional_instance_norm", op_instance_norm}, {"nn_functional_local_response_norm", op_local_response_norm},
    {"nn_functional_normalize", op_normalize}, {"nn_functional_cosine_similarity", op_cosine_similarity},
    {"nn_functional_mse_loss", op_mse_loss}, {"nn_functional_l1_loss", op_l1_loss},
    {"nn_functional_smooth_l1_loss", op_smooth_l1_loss}, {"nn_functional_huber_loss", op_huber_loss},
    {"nn_functional_kl_div", op_kl_div}, {"nn_functional_binary_cross_entropy", op_binary_cross_entropy},
    {"nn_functional_binary_cross_entropy_with_logits", op_binary_cross_entropy_with_logits},
    {"nn_functional_nll_loss", op_nll_loss}, {"nn_functional_cross_entropy", op_cross_entropy},
    {"nn_functional_gaussian_nll_loss", op_gaussian_nll_loss},
    {"nn_functional_poisson_nll_loss", op_poisson_nll_loss},
    {"nn_functional_margin_ranking_loss", op_margin_ranking_loss},
    {"nn_functional_hinge_embedding_loss", op_hinge_embedding_loss},
    {"nn_functional_soft_margin_loss", op_soft_margin_loss},
    // clang-format on
};
const int op_map_count = sizeof op_maps / sizeof *op_maps;
