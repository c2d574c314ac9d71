#include "ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- attributes, and inputs that are read as attributes ---- */

static const onnx_attribute *find(const onnx_call *c, const char *name) {
  for (int i = 0; i < c->node->attribute_count; i++) {
    if (strcmp(c->node->attributes[i].name, name) == 0) {
      return &c->node->attributes[i];
    }
  }
  return NULL;
}

static int64_t integer(const onnx_call *c, const char *name, int64_t otherwise) {
  const onnx_attribute *a = find(c, name);
  return a ? a->integer : otherwise;
}

static double number(const onnx_call *c, const char *name, double otherwise) {
  const onnx_attribute *a = find(c, name);
  return a ? (double)a->number : otherwise;
}

static bool text_is(const onnx_call *c, const char *name, const char *what, const char *otherwise) {
  const onnx_attribute *a = find(c, name);
  return strcmp(a && a->text ? a->text : otherwise, what) == 0;
}

static bool refuse(onnx_call *c, const char *why) {
  c->refused = c->refused ? c->refused : why;
  return false;
}

typedef struct list {
  int count; /* -1: not given */
  int64_t at[2 * TL_MAX_RANK];
} list;

static list attribute_list(onnx_call *c, const char *name) {
  const onnx_attribute *a = find(c, name);
  list out = {.count = a ? a->integer_count : -1};
  if (out.count > 2 * TL_MAX_RANK) {
    refuse(c, "a list of so many numbers");
    out.count = 0;
  }
  for (int i = 0; i < out.count; i++) {
    out.at[i] = a->integers[i];
  }
  return out;
}

static list input_list(onnx_call *c, int i) {
  list out = {.count = -1};
  if (i >= c->inputs || !c->in[i]) {
    return out;
  }
  int64_t count = 1;
  tl_shape shape = tl_shape_of(c->in[i]);
  for (int k = 0; k < shape.rank; k++) {
    count *= shape.dim[k];
  }
  bool is_wide = tl_dtype_of(c->in[i]) == TL_I64;
  int32_t narrow[2 * TL_MAX_RANK];
  if (count > 2 * TL_MAX_RANK || (!is_wide && tl_dtype_of(c->in[i]) != TL_I32) ||
      tl_read(c->in[i], is_wide ? (void *)out.at : narrow, (size_t)count * (is_wide ? 8 : 4)) != TL_OK) {
    refuse(c, "an input that is not a list of integers");
    return out;
  }
  out.count = (int)count;
  for (int k = 0; !is_wide && k < out.count; k++) {
    out.at[k] = narrow[k];
  }
  return out;
}

/* An attribute that has become an input. */
static list given_list(onnx_call *c, const char *name, int i) {
  list out = attribute_list(c, name);
  return out.count >= 0 ? out : input_list(c, i);
}

static bool has(const onnx_call *c, int i) { return i < c->inputs && c->in[i]; }
static int rank_of(tl_tensor x) { return tl_shape_of(x).rank; }
static int axis_of(const onnx_call *c, int64_t axis, int rank) {
  (void)c;
  return (int)(axis < 0 ? axis + rank : axis);
}

static tl_shape shape_of(const int64_t *dim, int count) {
  tl_shape out = {.rank = count <= TL_MAX_RANK ? count : 0};
  for (int i = 0; i < out.rank; i++) {
    out.dim[i] = dim[i];
  }
  return out;
}

static tl_axes axes_of(const list *l) {
  tl_axes out = {.count = l->count <= TL_MAX_RANK ? l->count : 0};
  for (int i = 0; i < out.count; i++) {
    out.axis[i] = (int8_t)l->at[i];
  }
  return out;
}

/* What an operand is where it is left out. */
static tl_tensor or_number(onnx_call *c, int i, tl_dtype dtype, double otherwise) {
  return has(c, i) ? c->in[i] : tl_fill(dtype, TL_SCALAR, otherwise);
}

/* ---- elementwise ---- */

#define UNARY(X)                                                                                                       \
  X(Abs, tl_abs)                                                                                                       \
  X(Acos, tl_acos)                                                                                                     \
  X(Acosh, tl_acosh)                                                                                                   \
  X(Asin, tl_asin)                                                                                                     \
  X(Asinh, tl_asinh)                                                                                                   \
  X(Atan, tl_atan)                                                                                                     \
  X(Atanh, tl_atanh)                                                                                                   \
  X(Ceil, tl_ceil)                                                                                                     \
  X(Cos, tl_cos)                                                                                                       \
  X(Cosh, tl_cosh)                                                                                                     \
  X(Det, tl_det)                                                                                                       \
  X(Erf, tl_erf)                                                                                                       \
  X(Exp, tl_exp)                                                                                                       \
  X(Floor, tl_floor)                                                                                                   \
  X(HardSwish, tl_hard_swish)                                                                                          \
  X(IsNaN, tl_is_nan)                                                                                                  \
  X(Log, tl_log)                                                                                                       \
  X(Neg, tl_neg)                                                                                                       \
  X(Not, tl_not)                                                                                                       \
  X(Relu, tl_relu)                                                                                                     \
  X(Round, tl_rint)                                                                                                    \
  X(Sigmoid, tl_logistic)                                                                                              \
  X(Sign, tl_sign)                                                                                                     \
  X(Sin, tl_sin)                                                                                                       \
  X(Sinh, tl_sinh)                                                                                                     \
  X(Size, tl_size)                                                                                                     \
  X(Softsign, tl_softsign)                                                                                             \
  X(Sqrt, tl_sqrt)                                                                                                     \
  X(Tan, tl_tan)                                                                                                       \
  X(Tanh, tl_tanh)
#define BINARY(X)                                                                                                      \
  X(Add, tl_add)                                                                                                       \
  X(And, tl_and)                                                                                                       \
  X(Div, tl_div)                                                                                                       \
  X(Equal, tl_eq)                                                                                                      \
  X(Greater, tl_gt)                                                                                                    \
  X(GreaterOrEqual, tl_ge)                                                                                             \
  X(Less, tl_lt)                                                                                                       \
  X(LessOrEqual, tl_le)                                                                                                \
  X(MatMul, tl_matmul)                                                                                                 \
  X(Mul, tl_mul)                                                                                                       \
  X(Or, tl_or)                                                                                                         \
  X(PRelu, tl_prelu)                                                                                                   \
  X(Pow, tl_power)                                                                                                     \
  X(Sub, tl_sub)                                                                                                       \
  X(Xor, tl_xor)
#define MAP_UNARY(op, ours)                                                                                            \
  static void map_##op(onnx_call *c) { c->out[0] = ours(c->in[0]); }
#define MAP_BINARY(op, ours)                                                                                           \
  static void map_##op(onnx_call *c) { c->out[0] = ours(c->in[0], c->in[1]); }
UNARY(MAP_UNARY)
BINARY(MAP_BINARY)

static void map_Identity(onnx_call *c) { c->out[0] = c->in[0]; }
static void map_Reciprocal(onnx_call *c) { c->out[0] = tl_integer_pow(c->in[0], -1); }
static void map_Where(onnx_call *c) { c->out[0] = tl_where(c->in[0], c->in[1], c->in[2]); }

static void map_LeakyRelu(onnx_call *c) { c->out[0] = tl_leaky_relu(c->in[0], number(c, "alpha", 0.01)); }
static void map_Elu(onnx_call *c) { c->out[0] = tl_elu(c->in[0], number(c, "alpha", 1)); }
static void map_Celu(onnx_call *c) { c->out[0] = tl_celu(c->in[0], number(c, "alpha", 1)); }
static void map_Selu(onnx_call *c) {
  c->out[0] = tl_selu(c->in[0], number(c, "alpha", TL_SELU_ALPHA), number(c, "gamma", TL_SELU_SCALE));
}
static void map_HardSigmoid(onnx_call *c) {
  c->out[0] = tl_hard_sigmoid(c->in[0], number(c, "alpha", 0.2), number(c, "beta", 0.5));
}
static void map_Softplus(onnx_call *c) { c->out[0] = tl_softplus(c->in[0], 1, INFINITY); }
static void map_Shrink(onnx_call *c) { c->out[0] = tl_shrink(c->in[0], number(c, "lambd", 0.5), number(c, "bias", 0)); }
static void map_ThresholdedRelu(onnx_call *c) { c->out[0] = tl_threshold(c->in[0], number(c, "alpha", 1), 0); }

static void map_IsInf(onnx_call *c) {
  c->out[0] = tl_is_inf(c->in[0], integer(c, "detect_negative", 1), integer(c, "detect_positive", 1));
}

static bool is_floating(tl_tensor x) {
  tl_dtype d = tl_dtype_of(x);
  return d == TL_F64 || d == TL_F32 || d == TL_F16 || d == TL_BF16;
}

static void map_Mod(onnx_call *c) {
  tl_tensor x = c->in[0], y = c->in[1];
  c->out[0] = !integer(c, "fmod", 0) ? tl_mod(x, y) : is_floating(x) ? tl_fmod(x, y) : tl_rem(x, y);
}

static void map_BitShift(onnx_call *c) {
  c->out[0] = text_is(c, "direction", "LEFT", "") ? tl_shl(c->in[0], c->in[1]) : tl_shr(c->in[0], c->in[1]);
}

static void map_Clip(onnx_call *c) {
  if (c->opset < 11) {
    refuse(c, "bounds as attributes");
    return;
  }
  tl_tensor x = c->in[0], least = has(c, 1) ? c->in[1] : NULL, most = has(c, 2) ? c->in[2] : NULL;
  c->out[0] = least && most ? tl_clip(x, least, most) : least ? tl_maximum(x, least) : most ? tl_minimum(x, most) : x;
}

static bool dtype_of(onnx_call *c, const char *name, tl_dtype *out) {
  return onnx_dtype_of(integer(c, name, 0), out) || refuse(c, "to a dtype that ours has not");
}

static void map_Cast(onnx_call *c) {
  tl_dtype to;
  if (dtype_of(c, "to", &to)) {
    c->out[0] = tl_cast(c->in[0], to);
  }
}
static void map_CastLike(onnx_call *c) { c->out[0] = tl_cast(c->in[0], tl_dtype_of(c->in[1])); }

static void map_Max(onnx_call *c) { c->out[0] = tl_reduce_list(TL_REDUCE_MAX, c->inputs, c->in); }
static void map_Min(onnx_call *c) { c->out[0] = tl_reduce_list(TL_REDUCE_MIN, c->inputs, c->in); }
static void map_Sum(onnx_call *c) { c->out[0] = tl_reduce_list(TL_REDUCE_ADD, c->inputs, c->in); }
static void map_Mean(onnx_call *c) { c->out[0] = tl_mean_list(c->inputs, c->in); }

/* In inference x itself. */
static void map_Dropout(onnx_call *c) {
  bool training = has(c, 2) && tl_item_int(c->in[2]);
  double ratio = has(c, 1) ? tl_item(c->in[1]) : number(c, "ratio", 0.5);
  if (training && ratio != 0) {
    refuse(c, "which elements are dropped is drawn by NumPy's generator");
    return;
  }
  c->out[0] = c->in[0];
  c->out[1] = c->outputs > 1 ? tl_fill(TL_BOOL, tl_shape_of(c->in[0]), 1) : NULL;
}

/* ---- reductions ---- */

typedef tl_tensor reduction(tl_tensor, tl_axes, bool);

static void reduce(onnx_call *c, reduction *ours) {
  list axes = given_list(c, "axes", 1);
  tl_axes which = axes.count > 0 ? axes_of(&axes) : integer(c, "noop_with_empty_axes", 0) ? TL_NONE : TL_ALL;
  c->out[0] = ours(c->in[0], which, integer(c, "keepdims", 1));
}

static tl_tensor norm_1(tl_tensor x, tl_axes axes, bool keep) { return tl_norm(x, 1, axes, keep); }
static tl_tensor norm_2(tl_tensor x, tl_axes axes, bool keep) { return tl_norm(x, 2, axes, keep); }

#define REDUCTIONS(X)                                                                                                  \
  X(ReduceL1, norm_1)                                                                                                  \
  X(ReduceL2, norm_2)                                                                                                  \
  X(ReduceLogSum, tl_log_sum)                                                                                          \
  X(ReduceLogSumExp, tl_logsumexp)                                                                                     \
  X(ReduceMax, tl_max)                                                                                                 \
  X(ReduceMean, tl_mean)                                                                                               \
  X(ReduceMin, tl_min)                                                                                                 \
  X(ReduceProd, tl_prod)                                                                                               \
  X(ReduceSum, tl_sum)                                                                                                 \
  X(ReduceSumSquare, tl_sum_square)
#define MAP_REDUCTION(op, ours)                                                                                        \
  static void map_##op(onnx_call *c) { reduce(c, ours); }
REDUCTIONS(MAP_REDUCTION)

static void map_ArgMax(onnx_call *c) {
  int axis = (int)integer(c, "axis", 0);
  bool keep = integer(c, "keepdims", 1), last = integer(c, "select_last_index", 0);
  c->out[0] = last ? tl_argmax_last(c->in[0], axis, keep) : tl_argmax(c->in[0], axis, keep);
}
static void map_ArgMin(onnx_call *c) {
  int axis = (int)integer(c, "axis", 0);
  bool keep = integer(c, "keepdims", 1), last = integer(c, "select_last_index", 0);
  c->out[0] = last ? tl_argmin_last(c->in[0], axis, keep) : tl_argmin(c->in[0], axis, keep);
}

/* Before opset 13 these took all axes from one on as one. */
static bool is_of_one_axis(onnx_call *c) {
  return c->opset >= 13 || refuse(c, "over several axes, as before opset 13");
}
static void map_Softmax(onnx_call *c) {
  if (is_of_one_axis(c)) {
    c->out[0] = tl_softmax(c->in[0], (int)integer(c, "axis", -1));
  }
}
static void map_LogSoftmax(onnx_call *c) {
  if (is_of_one_axis(c)) {
    c->out[0] = tl_log_softmax(c->in[0], (int)integer(c, "axis", -1));
  }
}
static void map_Hardmax(onnx_call *c) {
  if (is_of_one_axis(c)) {
    c->out[0] = tl_hardmax(c->in[0], (int)integer(c, "axis", -1));
  }
}

static void map_CumSum(onnx_call *c) {
  int axis = (int)tl_item_int(c->in[1]);
  bool reverse = integer(c, "reverse", 0);
  c->out[0] =
      integer(c, "exclusive", 0) ? tl_cumsum_before(c->in[0], axis, reverse) : tl_cumsum(c->in[0], axis, reverse);
}

static tl_axes places(int rank) {
  tl_axes out = {.count = 0};
  for (int i = 2; i < rank; i++) {
    out.axis[out.count++] = (int8_t)i;
  }
  return out;
}
static void map_GlobalAveragePool(onnx_call *c) { c->out[0] = tl_mean(c->in[0], places(rank_of(c->in[0])), true); }
static void map_GlobalMaxPool(onnx_call *c) { c->out[0] = tl_max(c->in[0], places(rank_of(c->in[0])), true); }

/* ---- shapes ---- */

static int64_t product(const tl_shape *s, int from, int to) {
  int64_t out = 1;
  for (int i = from; i < to; i++) {
    out *= s->dim[i];
  }
  return out;
}

static void map_Flatten(onnx_call *c) {
  tl_shape s = tl_shape_of(c->in[0]);
  int axis = axis_of(c, integer(c, "axis", 1), s.rank);
  c->out[0] = tl_reshape(c->in[0], TL_SHAPE(product(&s, 0, axis), product(&s, axis, s.rank)));
}

static void map_Reshape(onnx_call *c) {
  list to = given_list(c, "shape", 1);
  tl_shape from = tl_shape_of(c->in[0]), shape = shape_of(to.at, to.count);
  for (int i = 0; i < shape.rank; i++) {
    if (shape.dim[i] == 0 && !integer(c, "allowzero", 0) && i < from.rank) {
      shape.dim[i] = from.dim[i];
    }
  }
  c->out[0] = tl_reshape(c->in[0], shape);
}

static bool names(const list *axes, int axis, int rank) {
  for (int i = 0; i < axes->count; i++) {
    if (axes->at[i] == axis || axes->at[i] + rank == axis) {
      return true;
    }
  }
  return false;
}

static void map_Squeeze(onnx_call *c) {
  list axes = given_list(c, "axes", 1);
  tl_shape from = tl_shape_of(c->in[0]), shape = {.rank = 0};
  for (int i = 0; i < from.rank; i++) {
    bool goes = axes.count < 0 ? from.dim[i] == 1 : names(&axes, i, from.rank);
    if (!goes) {
      shape.dim[shape.rank++] = from.dim[i];
    }
  }
  c->out[0] = tl_reshape(c->in[0], shape);
}

static void map_Unsqueeze(onnx_call *c) {
  list axes = given_list(c, "axes", 1);
  tl_shape from = tl_shape_of(c->in[0]), shape = {.rank = from.rank + axes.count};
  if (shape.rank > TL_MAX_RANK) {
    refuse(c, "more axes than a tensor has");
    return;
  }
  for (int i = 0, k = 0; i < shape.rank; i++) {
    shape.dim[i] = names(&axes, i, shape.rank) || k >= from.rank ? 1 : from.dim[k++];
  }
  c->out[0] = tl_reshape(c->in[0], shape);
}

static void map_Shape(onnx_call *c) {
  int rank = rank_of(c->in[0]);
  int64_t from = integer(c, "start", 0), to = integer(c, "end", rank);
  from += from < 0 ? rank : 0;
  to += to < 0 ? rank : 0;
  from = from < 0 ? 0 : from > rank ? rank : from;
  to = to < from ? from : to > rank ? rank : to;
  c->out[0] = tl_extents(c->in[0], (int)from, (int)to);
}

static void map_Transpose(onnx_call *c) {
  list order = attribute_list(c, "perm");
  c->out[0] = tl_transpose(c->in[0], order.count < 0 ? TL_ALL : axes_of(&order));
}

/* Either shape may be the one that is broadcast. */
static void map_Expand(onnx_call *c) {
  list to = input_list(c, 1);
  tl_shape from = tl_shape_of(c->in[0]), wide = shape_of(to.at, to.count), out = from.rank > wide.rank ? from : wide;
  for (int i = 1; i <= out.rank; i++) {
    int64_t a = i <= from.rank ? from.dim[from.rank - i] : 1, b = i <= wide.rank ? wide.dim[wide.rank - i] : 1;
    out.dim[out.rank - i] = a == 1 ? b : a;
  }
  c->out[0] = tl_broadcast(c->in[0], out);
}

static void map_Tile(onnx_call *c) {
  list counts = input_list(c, 1);
  c->out[0] = tl_tile(c->in[0], shape_of(counts.at, counts.count));
}

static void map_Concat(onnx_call *c) { c->out[0] = tl_concatenate(c->inputs, c->in, (int)integer(c, "axis", 0)); }

static void map_Split(onnx_call *c) {
  tl_shape s = tl_shape_of(c->in[0]);
  int axis = axis_of(c, integer(c, "axis", 0), s.rank);
  list extents = given_list(c, "split", 1);
  for (int i = 0; extents.count < 0 && i < c->outputs; i++) {
    extents.at[i] = s.dim[axis] / c->outputs;
  }
  tl_split(c->in[0], shape_of(extents.at, c->outputs), axis, c->out);
}

static void map_DepthToSpace(onnx_call *c) {
  c->out[0] = tl_depth_to_space(c->in[0], integer(c, "blocksize", 1), text_is(c, "mode", "CRD", "DCR"));
}
static void map_SpaceToDepth(onnx_call *c) { c->out[0] = tl_space_to_depth(c->in[0], integer(c, "blocksize", 1)); }

/* A limit as Python has it, as one that is in x, or -1 where it goes back. */
static int64_t limited(int64_t at, int64_t n, int64_t least, int64_t most) {
  at += at < 0 ? n : 0;
  return at < least ? least : at > most ? most : at;
}

static void map_Slice(onnx_call *c) {
  list starts = given_list(c, "starts", 1), ends = given_list(c, "ends", 2), axes = given_list(c, "axes", 3);
  list steps = input_list(c, 4);
  tl_shape s = tl_shape_of(c->in[0]);
  tl_ints from = {.rank = s.rank}, to = s, by = {.rank = s.rank};
  for (int i = 0; i < s.rank; i++) {
    by.dim[i] = 1;
  }
  for (int i = 0; i < starts.count; i++) {
    int axis = axis_of(c, axes.count < 0 ? i : axes.at[i], s.rank);
    int64_t n = s.dim[axis], step = steps.count < 0 ? 1 : steps.at[i];
    bool back = step < 0;
    by.dim[axis] = step;
    from.dim[axis] = limited(starts.at[i], n, 0, back ? n - 1 : n);
    to.dim[axis] = limited(ends.at[i], n, back ? -1 : 0, back ? n - 1 : n);
    if (back ? to.dim[axis] > from.dim[axis] : to.dim[axis] < from.dim[axis]) {
      to.dim[axis] = from.dim[axis];
    }
  }
  c->out[0] = tl_slice(c->in[0], from, to, by);
}

static void map_Pad(onnx_call *c) {
  list pads = given_list(c, "pads", 1);
  int rank = rank_of(c->in[0]);
  if (pads.count != 2 * rank) {
    refuse(c, "pads that are not two for each axis");
    return;
  }
  tl_ints low = shape_of(pads.at, rank), high = shape_of(pads.at + rank, rank);
  if (text_is(c, "mode", "constant", "constant")) {
    tl_tensor value = has(c, 2) ? tl_reshape(c->in[2], TL_SCALAR) : tl_scalar_like(c->in[0], number(c, "value", 0));
    c->out[0] = tl_pad(c->in[0], value, low, high, TL_SCALAR);
  } else {
    c->out[0] = tl_pad_border(c->in[0], low, high, text_is(c, "mode", "edge", "") ? TL_BORDER_EDGE : TL_BORDER_REFLECT);
  }
}

static void map_Trilu(onnx_call *c) {
  int k = has(c, 1) ? (int)tl_item_int(c->in[1]) : 0;
  c->out[0] = integer(c, "upper", 1) ? tl_triu(c->in[0], k) : tl_tril(c->in[0], k);
}

/* ---- made of nothing, or of numbers ---- */

static void map_Constant(onnx_call *c) {
  const onnx_attribute *a = c->node->attribute_count == 1 ? &c->node->attributes[0] : NULL;
  const char *name = a ? a->name : "";
  if (strcmp(name, "value") == 0 && a->tensor && a->tensor->is_plain) {
    c->out[0] = tl_from(a->tensor->dtype, a->tensor->shape, a->tensor->data);
  } else if (strcmp(name, "value_int") == 0) {
    c->out[0] = tl_from(TL_I64, TL_SCALAR, &a->integer);
  } else if (strcmp(name, "value_ints") == 0) {
    c->out[0] = tl_from(TL_I64, TL_SHAPE(a->integer_count), a->integers);
  } else if (strcmp(name, "value_float") == 0) {
    c->out[0] = tl_from(TL_F32, TL_SCALAR, &a->number);
  } else if (strcmp(name, "value_floats") == 0) {
    c->out[0] = tl_from(TL_F32, TL_SHAPE(a->number_count), a->numbers);
  } else {
    refuse(c, "a constant that is no tensor of a plain dtype");
  }
}

static void map_ConstantOfShape(onnx_call *c) {
  list to = input_list(c, 0);
  const onnx_attribute *a = find(c, "value");
  if (a && (!a->tensor || !a->tensor->is_plain || product(&a->tensor->shape, 0, a->tensor->shape.rank) != 1)) {
    refuse(c, "a value that is not one of a plain dtype");
    return;
  }
  tl_tensor value = a ? tl_from(a->tensor->dtype, TL_SCALAR, a->tensor->data) : tl_fill(TL_F32, TL_SCALAR, 0);
  c->out[0] = tl_broadcast(value, shape_of(to.at, to.count));
}

static void map_EyeLike(onnx_call *c) {
  tl_dtype dtype = tl_dtype_of(c->in[0]);
  tl_shape s = tl_shape_of(c->in[0]);
  if (!find(c, "dtype") || dtype_of(c, "dtype", &dtype)) {
    c->out[0] = tl_eye(dtype, s.dim[0], s.dim[1], integer(c, "k", 0));
  }
}

static void map_Range(onnx_call *c) { c->out[0] = tl_range(c->in[0], c->in[1], c->in[2]); }

static void map_OneHot(onnx_call *c) {
  unsigned char two[16];
  tl_dtype dtype = tl_dtype_of(c->in[2]);
  size_t size = dtype == TL_F32 || dtype == TL_I32 ? 4 : dtype == TL_I64 || dtype == TL_F64 ? 8 : 1;
  if (tl_read(c->in[2], two, 2 * size) != TL_OK) {
    refuse(c, "values that are not two");
    return;
  }
  tl_tensor off = tl_from(dtype, TL_SCALAR, two), on = tl_from(dtype, TL_SCALAR, two + size);
  c->out[0] = tl_one_of(c->in[0], (int64_t)tl_item(c->in[1]), (int)integer(c, "axis", -1), off, on);
}

static void cosine_window(onnx_call *c, int terms, const double *coefficients) {
  tl_dtype dtype = TL_F32;
  list size = input_list(c, 0);
  if (size.count != 1) {
    refuse(c, "a size that is not one number");
    return;
  }
  if (!find(c, "output_datatype") || dtype_of(c, "output_datatype", &dtype)) {
    c->out[0] = tl_cosine_window(dtype, size.at[0], integer(c, "periodic", 1), terms, coefficients);
  }
}
static void map_HannWindow(onnx_call *c) { cosine_window(c, 2, (double[]){0.5, 0.5}); }
static void map_HammingWindow(onnx_call *c) { cosine_window(c, 2, (double[]){25.0 / 46, 21.0 / 46}); }
static void map_BlackmanWindow(onnx_call *c) { cosine_window(c, 3, (double[]){0.42, 0.5, 0.08}); }

/* ---- indices and order ---- */

static void map_Gather(onnx_call *c) {
  c->out[0] = tl_take(c->in[0], c->in[1], (int)integer(c, "axis", 0), TL_INDEX_CHECK);
}
static void map_GatherElements(onnx_call *c) {
  c->out[0] = tl_gather_elements(c->in[0], c->in[1], (int)integer(c, "axis", 0), TL_INDEX_CHECK);
}
static void map_GatherND(onnx_call *c) {
  c->out[0] = tl_gather_nd(c->in[0], c->in[1], (int)integer(c, "batch_dims", 0), TL_INDEX_CHECK);
}

static tl_reducer reducer_of(const onnx_call *c) {
  return text_is(c, "reduction", "add", "none")   ? TL_REDUCE_ADD
         : text_is(c, "reduction", "mul", "none") ? TL_REDUCE_MUL
         : text_is(c, "reduction", "min", "none") ? TL_REDUCE_MIN
         : text_is(c, "reduction", "max", "none") ? TL_REDUCE_MAX
                                                  : TL_REDUCE_REPLACE;
}
static void map_ScatterElements(onnx_call *c) {
  c->out[0] =
      tl_scatter_elements(c->in[0], c->in[1], c->in[2], (int)integer(c, "axis", 0), reducer_of(c), TL_INDEX_CHECK);
}
static void map_Scatter(onnx_call *c) { map_ScatterElements(c); }
static void map_ScatterND(onnx_call *c) {
  c->out[0] = tl_scatter_nd(c->in[0], c->in[1], c->in[2], reducer_of(c), TL_INDEX_CHECK);
}

static void map_ReverseSequence(onnx_call *c) {
  c->out[0] =
      tl_reverse_sequence(c->in[0], c->in[1], (int)integer(c, "time_axis", 0), (int)integer(c, "batch_axis", 1));
}

static void map_TopK(onnx_call *c) {
  int64_t k = has(c, 1) ? tl_item_int(c->in[1]) : integer(c, "k", 0);
  int axis = (int)integer(c, "axis", -1);
  tl_top_k_result r = integer(c, "largest", 1) ? tl_top_k(c->in[0], k, axis) : tl_least_k(c->in[0], k, axis);
  c->out[0] = r.values;
  c->out[1] = r.indices;
}

/* ---- products ---- */

static void map_Gemm(onnx_call *c) {
  tl_gemm_opts o = {.alpha = number(c, "alpha", 1),
                    .beta = number(c, "beta", 1),
                    .transpose_a = integer(c, "transA", 0),
                    .transpose_b = integer(c, "transB", 0)};
  c->out[0] = tl_gemm(c->in[0], c->in[1], or_number(c, 2, tl_dtype_of(c->in[0]), 0), o);
}

/* The letters without blanks, the ellipsis as capitals for the axes that it stands for, and a result where there is
 * none: in order, the letters that there are once. */
static void map_Einsum(onnx_call *c) {
  const onnx_attribute *a = find(c, "equation");
  char text[128] = "", *to = text;
  int operand = 0, letters = 0, most = 0;
  const char *from = a && a->text ? a->text : "";
  if (strlen(from) > 40) {
    refuse(c, "so long an equation");
    return;
  }
  for (const char *at = from; operand < c->inputs; operand++) { /* how many axes the ellipses stand for */
    for (letters = 0; *at && *at != ',' && *at != '-'; at++) {
      letters += *at >= 'a' && *at <= 'z';
    }
    most = rank_of(c->in[operand]) - letters > most ? rank_of(c->in[operand]) - letters : most;
    at += *at == ',';
  }
  for (const char *at = from; *at; at++) {
    if (strncmp(at, "...", 3) == 0) {
      for (int i = 0; i < most; i++) {
        *to++ = (char)('A' + i);
      }
      at += 2;
    } else if (*at != ' ') {
      *to++ = *at;
    }
  }
  *to = 0;
  if (!strstr(text, "->")) {
    int counts[128] = {0};
    for (const char *at = text; *at; at++) {
      counts[(unsigned char)*at & 127]++;
    }
    *to++ = '-';
    *to++ = '>';
    for (int letter = 'A'; letter <= 'z'; letter++) {
      if (counts[letter] == 1) {
        *to++ = (char)letter;
      }
    }
    *to = 0;
  }
  c->out[0] = tl_einsum(text, c->inputs, c->in);
}

/* ---- windows ---- */

typedef struct windows {
  int count;
  tl_ints kernel, stride, dilation, low, high;
} windows;

static tl_ints list_or(const list *l, int count, int64_t otherwise) {
  tl_ints out = {.rank = count};
  for (int i = 0; i < count; i++) {
    out.dim[i] = i < l->count ? l->at[i] : otherwise;
  }
  return out;
}

/* The attributes that all ops with windows have; pads that are said by a word, as numbers. */
static bool read_windows(onnx_call *c, const tl_shape *x, const tl_shape *w, windows *o) {
  list kernel = attribute_list(c, "kernel_shape"), stride = attribute_list(c, "strides");
  list dilation = attribute_list(c, "dilations"), pads = attribute_list(c, "pads");
  o->count = x->rank - 2;
  if (o->count < 1) {
    return refuse(c, "no axis of places");
  }
  o->kernel = kernel.count > 0 ? list_or(&kernel, o->count, 1) : shape_of(w ? w->dim + 2 : x->dim + 2, o->count);
  o->stride = list_or(&stride, o->count, 1);
  o->dilation = list_or(&dilation, o->count, 1);
  list high = {.count = pads.count > 0 ? o->count : 0};
  for (int i = 0; i < high.count; i++) {
    high.at[i] = pads.at[o->count + i];
  }
  o->low = list_or(&pads, o->count, 0);
  o->high = list_or(&high, o->count, 0);
  bool upper = text_is(c, "auto_pad", "SAME_UPPER", "NOTSET"), lower = text_is(c, "auto_pad", "SAME_LOWER", "NOTSET");
  for (int i = 0; (upper || lower) && i < o->count; i++) {
    int64_t n = x->dim[2 + i], step = o->stride.dim[i], span = (o->kernel.dim[i] - 1) * o->dilation.dim[i] + 1;
    int64_t windows = (n + step - 1) / step, all = (windows - 1) * step + span - n;
    all = all < 0 ? 0 : all;
    o->low.dim[i] = upper ? all / 2 : all - all / 2;
    o->high.dim[i] = all - o->low.dim[i];
  }
  return true;
}

static bool read_convolution(onnx_call *c, tl_tensor x, tl_tensor w, tl_convolution_opts *out) {
  tl_shape x_shape = tl_shape_of(x), w_shape = tl_shape_of(w);
  windows o;
  if (!read_windows(c, &x_shape, &w_shape, &o)) {
    return false;
  }
  *out = (tl_convolution_opts){.window = {.stride = o.stride, .low = o.low, .high = o.high, .dilation = o.dilation},
                               .groups = integer(c, "group", 1)};
  return true;
}

static void map_Conv(onnx_call *c) {
  tl_convolution_opts o;
  if (has(c, 2)) {
    refuse(c, "a bias, which is a sum of its own with us");
  } else if (read_convolution(c, c->in[0], c->in[1], &o)) {
    c->out[0] = tl_convolution(c->in[0], c->in[1], o);
  }
}

static void map_ConvTranspose(onnx_call *c) {
  tl_shape x = tl_shape_of(c->in[0]), w = tl_shape_of(c->in[1]);
  windows o;
  if (has(c, 2)) {
    refuse(c, "a bias, which is a sum of its own with us");
    return;
  }
  if (!read_windows(c, &x, &w, &o)) {
    return;
  }
  list more = attribute_list(c, "output_padding"), shape = attribute_list(c, "output_shape");
  bool upper = text_is(c, "auto_pad", "SAME_UPPER", "NOTSET"), lower = text_is(c, "auto_pad", "SAME_LOWER", "NOTSET");
  for (int i = 0; i < o.count; i++) {
    int64_t step = o.stride.dim[i], beyond = i < more.count ? more.at[i] : 0;
    int64_t whole = step * (x.dim[2 + i] - 1) + beyond + (o.kernel.dim[i] - 1) * o.dilation.dim[i] + 1;
    if (shape.count > 0 || upper || lower) {
      int64_t to = shape.count > 0 ? shape.at[shape.count - o.count + i] : x.dim[2 + i] * step, all = whole - to;
      int64_t half = (all - (all < 0)) / 2; /* rounded down where what is taken away is negative, too */
      o.low.dim[i] = upper ? half : all - half;
      o.high.dim[i] = all - o.low.dim[i];
    }
    o.high.dim[i] -= beyond;
  }
  tl_convolution_transpose_opts to = {
      .stride = o.stride, .low = o.low, .high = o.high, .dilation = o.dilation, .groups = integer(c, "group", 1)};
  c->out[0] = tl_convolution_transpose(c->in[0], c->in[1], to);
}

static bool read_pool(onnx_call *c, tl_pool_opts *out) {
  tl_shape x = tl_shape_of(c->in[0]);
  windows o;
  if (!read_windows(c, &x, NULL, &o)) {
    return false;
  }
  *out = (tl_pool_opts){.window = o.kernel,
                        .stride = o.stride,
                        .padding = o.low,
                        .padding_behind = o.high,
                        .dilation = o.dilation,
                        .ceil_mode = integer(c, "ceil_mode", 0),
                        .without_padding = !integer(c, "count_include_pad", 0)};
  return true;
}

static void map_MaxPool(onnx_call *c) {
  tl_pool_opts o;
  if (c->outputs > 1 && integer(c, "storage_order", 0)) {
    refuse(c, "places that are numbered by columns");
  } else if (read_pool(c, &o)) {
    c->out[0] = tl_max_pool(c->in[0], o);
    c->out[1] = c->outputs > 1 ? tl_max_pool_places(c->in[0], o) : NULL;
  }
}
static void map_MaxUnpool(onnx_call *c) {
  tl_shape x = tl_shape_of(c->in[0]);
  windows o;
  if (has(c, 2)) {
    refuse(c, "places of one shape, in another");
    return;
  }
  if (read_windows(c, &x, NULL, &o)) {
    for (int i = 0; i < o.count; i++) {
      x.dim[2 + i] = (x.dim[2 + i] - 1) * o.stride.dim[i] + o.kernel.dim[i] - o.low.dim[i] - o.high.dim[i];
    }
    c->out[0] = tl_place_flat(c->in[0], c->in[1], x);
  }
}
static void map_AveragePool(onnx_call *c) {
  tl_pool_opts o;
  if (read_pool(c, &o)) {
    c->out[0] = tl_avg_pool(c->in[0], o);
  }
}

/* ---- normalizations ---- */

static void map_LRN(onnx_call *c) {
  c->out[0] = tl_local_response_norm(c->in[0], integer(c, "size", 1), number(c, "alpha", 1e-4), number(c, "beta", 0.75),
                                     number(c, "bias", 1));
}

static void map_InstanceNormalization(onnx_call *c) {
  c->out[0] = tl_instance_norm(c->in[0], c->in[1], c->in[2], number(c, "epsilon", 1e-5));
}

/* Each of the three outputs is one function of the inputs. */
static void map_LayerNormalization(onnx_call *c) {
  int rank = rank_of(c->in[0]), first = axis_of(c, integer(c, "axis", -1), rank);
  double epsilon = number(c, "epsilon", 1e-5);
  tl_axes axes = {.count = 0};
  for (int i = first; i < rank; i++) {
    axes.axis[axes.count++] = (int8_t)i;
  }
  tl_tensor bias = or_number(c, 2, tl_dtype_of(c->in[0]), 0);
  c->out[0] = tl_layer_norm(c->in[0], c->in[1], bias, axes, epsilon);
  c->out[1] = c->outputs > 1 ? tl_mean(c->in[0], axes, true) : NULL;
  c->out[2] = c->outputs > 2 ? tl_inverse_deviation(c->in[0], axes, true, epsilon) : NULL;
}

static void map_MeanVarianceNormalization(onnx_call *c) {
  list axes = attribute_list(c, "axes");
  c->out[0] = tl_standardize(c->in[0], axes.count < 0 ? TL_AXES(0, 2, 3) : axes_of(&axes), 1e-9);
}

static void map_BatchNormalization(onnx_call *c) {
  bool training = integer(c, "training_mode", 0);
  tl_batch_norm_opts o = {.epsilon = number(c, "epsilon", 1e-5),
                          .momentum = 1 - number(c, "momentum", 0.9), /* the share of the last one, there */
                          .training = training,
                          .biased = true};
  tl_batch_norm_result r = tl_batch_norm(c->in[0], c->in[1], c->in[2], c->in[3], c->in[4], o);
  c->out[0] = r.values;
  c->out[1] = r.mean;
  c->out[2] = r.variance;
}

/* ---- recurrent layers ---- */

typedef struct recurrent {
  tl_tensor x, h;
  tl_recurrent_weights w;
  bool batch_first;
  int64_t steps, examples, states;
} recurrent;

static bool whole_sequences(onnx_call *c, int64_t steps) {
  list lengths = input_list(c, 4);
  for (int i = 0; i < lengths.count; i++) {
    if (lengths.at[i] != steps) {
      return refuse(c, "examples of different lengths");
    }
  }
  return true;
}

/* What is left out is 0. The one direction that ours has, as an axis of extent 1, goes. */
static tl_tensor first_state(onnx_call *c, int i, const recurrent *r) {
  tl_shape shape = TL_SHAPE(r->examples, r->states);
  return has(c, i) ? tl_reshape(c->in[i], shape) : tl_fill(tl_dtype_of(r->x), shape, 0);
}

static bool read_recurrent(onnx_call *c, int gates, recurrent *r) {
  tl_shape x = tl_shape_of(c->in[0]), w = tl_shape_of(c->in[1]);
  if (!text_is(c, "direction", "forward", "forward") || find(c, "activations") || find(c, "clip")) {
    return refuse(c, "backwards, or with other functions than the usual ones");
  }
  *r = (recurrent){.x = c->in[0], .batch_first = integer(c, "layout", 0), .states = w.dim[1] / gates};
  r->steps = x.dim[r->batch_first ? 1 : 0];
  r->examples = x.dim[r->batch_first ? 0 : 1];
  tl_shape bias = TL_SHAPE(2, gates * r->states);
  r->w = (tl_recurrent_weights){.input = tl_reshape(c->in[1], TL_SHAPE(gates * r->states, -1)),
                                .state = tl_reshape(c->in[2], TL_SHAPE(gates * r->states, -1)),
                                .bias = has(c, 3) ? tl_reshape(c->in[3], bias) : tl_fill(tl_dtype_of(r->x), bias, 0)};
  r->h = first_state(c, 5, r);
  return whole_sequences(c, r->steps);
}

static void set_states(onnx_call *c, const recurrent *r, tl_recurrent_result of) {
  int64_t first = r->batch_first ? r->examples : r->steps, second = r->batch_first ? r->steps : r->examples;
  tl_shape all = r->batch_first ? TL_SHAPE(first, second, 1, r->states) : TL_SHAPE(first, 1, second, r->states);
  tl_shape last = r->batch_first ? TL_SHAPE(r->examples, 1, r->states) : TL_SHAPE(1, r->examples, r->states);
  c->out[0] = tl_reshape(of.states, all);
  c->out[1] = tl_reshape(of.state, last);
  c->out[2] = tl_reshape(of.cell, last);
}

static void map_RNN(onnx_call *c) {
  recurrent r;
  if (read_recurrent(c, 1, &r)) {
    set_states(c, &r, tl_rnn(r.x, r.h, r.w, r.batch_first));
  }
}
static void map_GRU(onnx_call *c) {
  recurrent r;
  if (read_recurrent(c, 3, &r)) {
    set_states(c, &r, tl_gru(r.x, r.h, r.w, r.batch_first, integer(c, "linear_before_reset", 0)));
  }
}
static void map_LSTM(onnx_call *c) {
  recurrent r;
  if (!read_recurrent(c, 4, &r)) {
    return;
  }
  tl_tensor cell = first_state(c, 6, &r);
  if (has(c, 7)) {
    tl_tensor peephole = tl_reshape(c->in[7], TL_SHAPE(3, r.states));
    set_states(c, &r, tl_lstm_peephole(r.x, r.h, cell, r.w, peephole, r.batch_first));
  } else {
    set_states(c, &r, tl_lstm(r.x, r.h, cell, r.w, r.batch_first));
  }
}

/* ---- losses ---- */

static tl_reduction reduction_of(const onnx_call *c) {
  return text_is(c, "reduction", "sum", "mean")    ? TL_REDUCTION_SUM
         : text_is(c, "reduction", "none", "mean") ? TL_REDUCTION_NONE
                                                   : TL_REDUCTION_MEAN;
}

static void map_NegativeLogLikelihoodLoss(onnx_call *c) {
  tl_tensor weights = or_number(c, 2, tl_dtype_of(c->in[0]), 1);
  int64_t ignored = integer(c, "ignore_index", INT64_MIN);
  c->out[0] = tl_nll_loss(c->in[0], c->in[1], weights, 1, ignored, reduction_of(c));
}

static void map_SoftmaxCrossEntropyLoss(onnx_call *c) {
  tl_tensor weights = or_number(c, 2, tl_dtype_of(c->in[0]), 1);
  int64_t ignored = integer(c, "ignore_index", INT64_MIN);
  c->out[0] = tl_cross_entropy(c->in[0], c->in[1], weights, 1, ignored, 0, reduction_of(c));
  c->out[1] = c->outputs > 1 ? tl_log_softmax(c->in[0], 1) : NULL;
}

/* ---- sizes ---- */

typedef struct word {
  const char *name;
  int value;
} word;

static bool choose(onnx_call *c, const char *attribute, const char *otherwise, const word *words, int *out) {
  for (; words->name; words++) {
    if (text_is(c, attribute, words->name, otherwise)) {
      *out = words->value;
      return true;
    }
  }
  return refuse(c, attribute);
}

static bool read_resize(onnx_call *c, tl_resize_opts *o) {
  static const word methods[] = {
      {"nearest", TL_RESIZE_NEAREST}, {"linear", TL_RESIZE_LINEAR}, {"cubic", TL_RESIZE_CUBIC}, {NULL, 0}};
  static const word where[] = {{"half_pixel", TL_RESIZE_HALF_PIXEL},
                               {"pytorch_half_pixel", TL_RESIZE_HALF_PIXEL_OR_FIRST},
                               {"align_corners", TL_RESIZE_ALIGN_CORNERS},
                               {"asymmetric", TL_RESIZE_ASYMMETRIC},
                               {"tf_half_pixel_for_nn", TL_RESIZE_HALF_PIXEL_NEAREST},
                               {"tf_crop_and_resize", TL_RESIZE_CROP},
                               {NULL, 0}};
  static const word roundings[] = {{"round_prefer_floor", TL_RESIZE_HALVES_DOWN},
                                   {"round_prefer_ceil", TL_RESIZE_HALVES_UP},
                                   {"floor", TL_RESIZE_DOWN},
                                   {"ceil", TL_RESIZE_UP},
                                   {NULL, 0}};
  bool is_old = c->opset < 11; /* where Upsample's meaning was the only one */
  int method, place, rounding;
  if (!choose(c, "mode", "nearest", methods, &method) ||
      !choose(c, "coordinate_transformation_mode", is_old ? "asymmetric" : "half_pixel", where, &place) ||
      !choose(c, "nearest_mode", is_old ? "floor" : "round_prefer_floor", roundings, &rounding)) {
    return false;
  }
  *o = (tl_resize_opts){.method = method,
                        .places = place,
                        .rounding = rounding,
                        .cubic = number(c, "cubic_coeff_a", -0.75),
                        .only_inside = integer(c, "exclude_outside", 0),
                        .outside = number(c, "extrapolation_value", 0)};
  return true;
}

static void resize(onnx_call *c, tl_tensor roi, tl_tensor scales, list sizes) {
  tl_resize_opts o;
  if (!read_resize(c, &o)) {
    return;
  }
  tl_shape from = tl_shape_of(c->in[0]), to = from;
  float values[2 * TL_MAX_RANK];
  int rank = from.rank;
  if (o.places == TL_RESIZE_CROP && tl_read(roi, values, sizeof(float) * 2 * (size_t)rank) != TL_OK) {
    refuse(c, "a crop without places for each axis");
    return;
  }
  for (int i = 0; o.places == TL_RESIZE_CROP && i < rank; i++) {
    o.crop_start[i] = (double)values[i];
    o.crop_end[i] = (double)values[rank + i];
  }
  if (sizes.count < 0 && tl_read(scales, values, sizeof(float) * (size_t)rank) != TL_OK) {
    refuse(c, "scales that are not one for each axis");
    return;
  }
  for (int i = 0; i < rank; i++) {
    if (sizes.count < 0) {
      o.scale[i] = (double)values[i];
      to.dim[i] = (int64_t)floor((double)from.dim[i] * o.scale[i]);
    } else {
      to.dim[i] = sizes.at[i];
    }
  }
  c->out[0] = tl_resize(c->in[0], to, o);
}

static void map_Resize(onnx_call *c) {
  if (c->opset < 11) {
    refuse(c, "as before opset 11");
    return;
  }
  resize(c, has(c, 1) ? c->in[1] : NULL, has(c, 2) ? c->in[2] : NULL, input_list(c, 3));
}
static void map_Upsample(onnx_call *c) { resize(c, NULL, has(c, 1) ? c->in[1] : NULL, (list){.count = -1}); }

static void map_GridSample(onnx_call *c) {
  static const word methods[] = {
      {"bilinear", TL_RESIZE_LINEAR}, {"nearest", TL_RESIZE_NEAREST}, {"bicubic", TL_RESIZE_CUBIC}, {NULL, 0}};
  static const word borders[] = {
      {"zeros", TL_SAMPLE_ZEROS}, {"border", TL_SAMPLE_EDGE}, {"reflection", TL_SAMPLE_MIRROR}, {NULL, 0}};
  int method, border;
  if (choose(c, "mode", "bilinear", methods, &method) && choose(c, "padding_mode", "zeros", borders, &border)) {
    tl_sample_opts o = {.method = method, .border = border, .align_corners = integer(c, "align_corners", 0)};
    c->out[0] = tl_grid_sample(c->in[0], c->in[1], o);
  }
}

/* ---- quantized integers ---- */

static void map_QuantizeLinear(onnx_call *c) {
  c->out[0] = tl_quantize(c->in[0], c->in[1], or_number(c, 2, TL_U8, 0), (int)integer(c, "axis", 1));
}
static void map_DequantizeLinear(onnx_call *c) {
  tl_tensor zero = or_number(c, 2, tl_dtype_of(c->in[0]), 0);
  c->out[0] = tl_dequantize(c->in[0], c->in[1], zero, (int)integer(c, "axis", 1));
}
static void map_DynamicQuantizeLinear(onnx_call *c) {
  tl_quantized q = tl_quantize_range(c->in[0]);
  c->out[0] = q.values;
  c->out[1] = q.scale;
  c->out[2] = q.zero;
}

static void map_MatMulInteger(onnx_call *c) {
  tl_tensor a_zero = or_number(c, 2, tl_dtype_of(c->in[0]), 0), b_zero = or_number(c, 3, tl_dtype_of(c->in[1]), 0);
  c->out[0] = tl_matmul_integer(c->in[0], a_zero, c->in[1], b_zero);
}
static void map_ConvInteger(onnx_call *c) {
  tl_tensor x_zero = or_number(c, 2, tl_dtype_of(c->in[0]), 0), w_zero = or_number(c, 3, tl_dtype_of(c->in[1]), 0);
  tl_convolution_opts o;
  if (read_convolution(c, c->in[0], c->in[1], &o)) {
    c->out[0] = tl_convolution_integer(c->in[0], x_zero, c->in[1], w_zero, o);
  }
}

static tl_quantized quantized(const onnx_call *c, int from) {
  return (tl_quantized){.values = c->in[from], .scale = c->in[from + 1], .zero = c->in[from + 2]};
}
static void map_QLinearMatMul(onnx_call *c) {
  c->out[0] = tl_quantized_matmul(quantized(c, 0), quantized(c, 3), c->in[6], c->in[7]);
}
static void map_QLinearConv(onnx_call *c) {
  tl_convolution_opts o;
  if (has(c, 8)) {
    refuse(c, "a bias, which is a sum of its own with us");
  } else if (read_convolution(c, c->in[0], c->in[3], &o)) {
    c->out[0] = tl_quantized_convolution(quantized(c, 0), quantized(c, 3), c->in[6], c->in[7], o);
  }
}

/* ---- the table ---- */

#define OTHERS(X)                                                                                                      \
  X(ArgMax)                                                                                                            \
  X(ArgMin)                                                                                                            \
  X(AveragePool)                                                                                                       \
  X(BatchNormalization)                                                                                                \
  X(BitShift)                                                                                                          \
  X(BlackmanWindow)                                                                                                    \
  X(Cast)                                                                                                              \
  X(CastLike)                                                                                                          \
  X(Celu)                                                                                                              \
  X(Clip)                                                                                                              \
  X(Concat)                                                                                                            \
  X(Constant)                                                                                                          \
  X(ConstantOfShape)                                                                                                   \
  X(Conv)                                                                                                              \
  X(ConvInteger)                                                                                                       \
  X(ConvTranspose)                                                                                                     \
  X(CumSum)                                                                                                            \
  X(DepthToSpace)                                                                                                      \
  X(DequantizeLinear)                                                                                                  \
  X(Dropout)                                                                                                           \
  X(DynamicQuantizeLinear)                                                                                             \
  X(Einsum)                                                                                                            \
  X(Elu)                                                                                                               \
  X(Expand)                                                                                                            \
  X(EyeLike)                                                                                                           \
  X(Flatten)                                                                                                           \
  X(GRU)                                                                                                               \
  X(Gather)                                                                                                            \
  X(GatherElements)                                                                                                    \
  X(GatherND)                                                                                                          \
  X(Gemm)                                                                                                              \
  X(GlobalAveragePool)                                                                                                 \
  X(GlobalMaxPool)                                                                                                     \
  X(GridSample)                                                                                                        \
  X(HammingWindow)                                                                                                     \
  X(HannWindow)                                                                                                        \
  X(HardSigmoid)                                                                                                       \
  X(Hardmax)                                                                                                           \
  X(Identity)                                                                                                          \
  X(InstanceNormalization)                                                                                             \
  X(IsInf)                                                                                                             \
  X(LRN)                                                                                                               \
  X(LSTM)                                                                                                              \
  X(LayerNormalization)                                                                                                \
  X(LeakyRelu)                                                                                                         \
  X(LogSoftmax)                                                                                                        \
  X(MatMulInteger)                                                                                                     \
  X(Max)                                                                                                               \
  X(MaxPool)                                                                                                           \
  X(MaxUnpool)                                                                                                         \
  X(Mean)                                                                                                              \
  X(MeanVarianceNormalization)                                                                                         \
  X(Min)                                                                                                               \
  X(Mod)                                                                                                               \
  X(NegativeLogLikelihoodLoss)                                                                                         \
  X(OneHot)                                                                                                            \
  X(Pad)                                                                                                               \
  X(QLinearConv)                                                                                                       \
  X(QLinearMatMul)                                                                                                     \
  X(QuantizeLinear)                                                                                                    \
  X(RNN)                                                                                                               \
  X(Range)                                                                                                             \
  X(Reciprocal)                                                                                                        \
  X(Reshape)                                                                                                           \
  X(Resize)                                                                                                            \
  X(ReverseSequence)                                                                                                   \
  X(Scatter)                                                                                                           \
  X(ScatterElements)                                                                                                   \
  X(ScatterND)                                                                                                         \
  X(Selu)                                                                                                              \
  X(Shape)                                                                                                             \
  X(Shrink)                                                                                                            \
  X(Slice)                                                                                                             \
  X(Softmax)                                                                                                           \
  X(SoftmaxCrossEntropyLoss)                                                                                           \
  X(Softplus)                                                                                                          \
  X(SpaceToDepth)                                                                                                      \
  X(Split)                                                                                                             \
  X(Squeeze)                                                                                                           \
  X(Sum)                                                                                                               \
  X(ThresholdedRelu)                                                                                                   \
  X(Tile)                                                                                                              \
  X(TopK)                                                                                                              \
  X(Transpose)                                                                                                         \
  X(Trilu)                                                                                                             \
  X(Unsqueeze)                                                                                                         \
  X(Upsample)                                                                                                          \
  X(Where)
#define ROW(op) {#op, map_##op},
#define ROW_OF(op, ours) ROW(op)
static const struct {
  const char *op;
  void (*map)(onnx_call *);
} table[] = {UNARY(ROW_OF) BINARY(ROW_OF) REDUCTIONS(ROW_OF) OTHERS(ROW)};

void onnx_run_node(onnx_call *c) {
  for (size_t i = 0; *c->node->domain == 0 && i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].op, c->node->op) == 0) {
      table[i].map(c);
      return;
    }
  }
  refuse(c, "there is no row for it");
}
