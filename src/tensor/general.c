/* Ops in their general forms, made of others: slices and padding, reductions of any kind, products, gathers and
 * scatters with axes in any places. Each is captured as what it is made of. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor/lists.h"
#include "tensor/tensor_priv.h"

/* ---- slices ---- */

/* How many elements there are back from `from` to `to`, which is none of them and at least -1; false where not all are
 * there. */
static bool extent_back(int64_t n, int64_t from, int64_t to, int64_t step, int64_t *out) {
  if (!tl__is_number(n) || step == INT64_MIN || to < -1 || to > from || from > n - 1) {
    return false;
  }
  *out = (from - to) / -step + ((from - to) % -step != 0);
  return true;
}

/* The extent of x's axis from start to limit; false where it is none. Of an extent that is a handle the limit is the
 * end, by that handle or by another one: then *in_out_shape has it, which x is to have. */
static bool sliced_extent(int64_t from, int64_t to, int64_t step, int64_t *in_out_n, int64_t *out) {
  int64_t n = *in_out_n;
  if (from == 0 && to == n && step == 1) {
    *out = n;
    return true;
  }
  if (step < 0) {
    return extent_back(n, from, to, step, out);
  }
  if (from < 0 || step < 1) {
    return false;
  }
  if (!tl__is_number(n) && !tl__is_number(to)) {
    *in_out_n = to;
    *out = tl__extent_affine(to, 1, step - 1 - from, step);
    return true;
  }
  *out = to < from ? 0 : (to - from) / step + ((to - from) % step != 0);
  return from <= to && to <= n;
}

tl_tensor tl_slice(tl_tensor x, tl_ints start, tl_ints limit, tl_ints stride) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  stride = tl__list_or(stride, x->rank, 1);
  if (!tl__list_fits("slice", "starts", start, x->rank, &out) ||
      !tl__list_fits("slice", "limits", limit, x->rank, &out) ||
      !tl__list_fits("slice", "strides", stride, x->rank, &out)) {
    return out;
  }
  tl_shape shape = {.rank = x->rank}, whole = tl_shape_of(x);
  tl_axes back = {.count = 0};
  for (int i = 0; i < x->rank; i++) {
    if (!sliced_extent(start.dim[i], limit.dim[i], stride.dim[i], &whole.dim[i], &shape.dim[i])) {
      return tl__is_number(x->dim[i])
                 ? tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                     "slice: from %lld to %lld by %lld on axis %d, which has extent %lld",
                                     (long long)start.dim[i], (long long)limit.dim[i], (long long)stride.dim[i], i,
                                     (long long)x->dim[i])
                 : tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                     "slice: axis %d, of an extent that is not known here, from a start of 0 or more "
                                     "that is, by a stride of 1 or more, and to its end: tl_shape_of(x).dim[%d]",
                                     i, i);
    }
    if (stride.dim[i] < 0) { /* from the last one on, and turned round */
      stride.dim[i] = -stride.dim[i];
      start.dim[i] = shape.dim[i] ? start.dim[i] - (shape.dim[i] - 1) * stride.dim[i] : 0;
      back.axis[back.count++] = (int8_t)i;
    }
  }
  bool is_stated = memcmp(whole.dim, x->dim, sizeof *whole.dim * (size_t)x->rank) == 0;
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  out = tl_pick(is_stated ? x : tl_reshape(x, whole), shape, start, stride);
  return tl__scope_leave(scope, back.count ? tl_reverse(out, back) : out);
}

/* The extent of an axis that is padded; false where it is none. */
static bool padded_extent(int64_t n, int64_t low, int64_t high, int64_t interior, int64_t *out) {
  if (low == 0 && high == 0 && (interior == 0 || n == 0)) {
    *out = n;
    return true;
  }
  if (!tl__is_number(n)) {
    int64_t around;
    bool fits = interior >= 0 && interior < INT64_MAX && !__builtin_add_overflow(low, high, &around) &&
                !__builtin_sub_overflow(around, interior, &around);
    *out = fits ? tl__extent_affine(n, interior + 1, around, 1) : n;
    return fits;
  }
  int64_t inner = n;
  return interior >= 0 &&
         !(n > 0 && (__builtin_mul_overflow(n - 1, interior, &inner) || __builtin_add_overflow(inner, n, &inner))) &&
         !__builtin_add_overflow(inner, low, out) && !__builtin_add_overflow(*out, high, out) && *out >= 0;
}

/* Whether placing is enough, as what is around is 0. */
static bool is_zero(tl_tensor value) {
  unsigned char element[8];
  static const unsigned char zero[8];
  return !value->trace && tl__tensor_is_uniform(value, element) &&
         memcmp(element, zero, tl_dtype_size(value->dtype)) == 0;
}

/* Of a program that is being captured a value of it, no tensor of elements, which would be a large constant. */
static tl_tensor truth_like(tl_tensor x) {
  tl_tensor place = x->trace && x->rank ? tl_positions(x, 0) : NULL;
  return place ? tl_eq(place, place) : tl_broadcast(tl_fill(TL_BOOL, TL_SCALAR, 1), tl_shape_of(x));
}

tl_tensor tl_pad(tl_tensor x, tl_tensor value, tl_ints low, tl_ints high, tl_ints interior) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, value}, &out)) {
    return out;
  }
  interior = tl__list_or(interior, x->rank, 0);
  if (!tl__list_fits("pad", "numbers in front", low, x->rank, &out) ||
      !tl__list_fits("pad", "numbers behind", high, x->rank, &out) ||
      !tl__list_fits("pad", "numbers between", interior, x->rank, &out)) {
    return out;
  }
  if (value->dtype != x->dtype || value->rank != 0) {
    return value->rank ? tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "pad: the value has rank %d, and is to have 0",
                                           value->rank)
                       : tl__tensor_refuse(TL_DTYPE_MISMATCH, "pad: operand 0 has dtype %s, operand 1 %s",
                                           tl_dtype_name(x->dtype), tl_dtype_name(value->dtype));
  }
  tl_shape shape = {.rank = x->rank};
  tl_ints step = {.rank = x->rank};
  for (int i = 0; i < x->rank; i++) {
    if (!padded_extent(x->dim[i], low.dim[i], high.dim[i], interior.dim[i], &shape.dim[i])) {
      return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                               "pad: %lld in front, %lld behind and %lld between the elements of axis %d, "
                               "which has extent %lld",
                               (long long)low.dim[i], (long long)high.dim[i], (long long)interior.dim[i], i,
                               (long long)x->dim[i]);
    }
    step.dim[i] = interior.dim[i] + 1;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  out = tl_place(x, shape, low, step);
  if (!is_zero(value)) {
    tl_tensor here = tl_place(truth_like(x), shape, low, step);
    out = tl_where(here, out, value);
  }
  return tl__scope_leave(scope, out);
}

static tl_tensor concatenate(int count, const tl_tensor *x, int axis) {
  return count == 1
             ? x[0]
             : tl_concat(concatenate(count / 2, x, axis), concatenate(count - count / 2, x + count / 2, axis), axis);
}

tl_tensor tl_concatenate(int count, const tl_tensor *x, int axis) {
  if (count < 1) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "concatenate: no operand");
  }
  tl_tensor failed;
  if (tl__tensor_any_failed(count, x, &failed)) {
    return failed;
  }
  tl_scope scope = tl_scope_open();
  return scope ? tl__scope_leave(scope, concatenate(count, x, axis)) : NULL;
}

tl_tensor tl_dynamic_slice(tl_tensor x, tl_tensor starts, tl_shape sizes) {
  return tl_window_gather(x, starts, sizes, TL_ALL, (tl_window_gather_opts){.mode = TL_INDEX_CLIP});
}

tl_tensor tl_dynamic_update_slice(tl_tensor x, tl_tensor update, tl_tensor starts) {
  return tl_window_scatter(x, starts, update, TL_ALL, TL_REDUCE_REPLACE,
                           (tl_window_scatter_opts){.mode = TL_INDEX_CLIP});
}

/* ---- one element of two ---- */

/* NaN where one is. */
static tl_tensor extreme(tl_tensor x, tl_tensor y, bool largest) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor out;
  if (tl_dtype_is_float(tl_dtype_of(x))) {
    out = tl_where(tl_ne(y, y), y, largest ? tl_fmax(x, y) : tl_fmin(x, y));
    out = tl_where(tl_ne(x, x), x, out);
  } else {
    out = tl_where(largest ? tl_gt(x, y) : tl_lt(x, y), x, y);
  }
  return tl__scope_leave(scope, out);
}

tl_tensor tl_maximum(tl_tensor x, tl_tensor y) { return extreme(x, y, true); }
tl_tensor tl_minimum(tl_tensor x, tl_tensor y) { return extreme(x, y, false); }

tl_tensor tl_is_finite(tl_tensor x) {
  if (tl__tensor_is_valid(x) && !tl_dtype_is_float(x->dtype)) {
    return tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "is_finite: operand 0 has dtype %s, which it does not take",
                             tl_dtype_name(x->dtype));
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor zero = tl_sub(x, x); /* NaN where x is not finite */
  return tl__scope_leave(scope, tl_eq(zero, zero));
}

tl_tensor tl_abs(tl_tensor x) {
  if (!tl__tensor_is_valid(x) || tl_dtype_is_float(x->dtype)) {
    return tl_fabs(x);
  }
  tl_scope scope = tl_scope_open();
  return scope ? tl__scope_leave(scope, tl_where(tl_lt(x, tl_scalar_like(x, 0)), tl_neg(x), x)) : NULL;
}

tl_tensor tl_square(tl_tensor x) { return tl_mul(x, x); }

tl_tensor tl_rsqrt(tl_tensor x) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor wide = tl__tensor_is_valid(x) && tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  tl_tensor out = tl_div(tl_scalar_like(wide, 1), tl_sqrt(wide));
  return tl__scope_leave(scope, wide == x ? out : tl_cast(out, tl_dtype_of(x)));
}

tl_tensor tl_select_n(tl_tensor which, int count, const tl_tensor *cases) {
  tl_tensor failed;
  if (count < 1) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "select_n: no case");
  }
  if (tl__tensor_any_failed(1, &which, &failed)) {
    return failed;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor out = cases[count - 1];
  for (int i = count - 2; i >= 0; i--) {
    out = tl_where(which->dtype == TL_BOOL ? tl_not(which) : tl_eq(which, tl_scalar_like(which, i)), cases[i], out);
  }
  return tl__scope_leave(scope, out);
}

tl_tensor tl_broadcast_in_dim(tl_tensor x, tl_shape shape, tl_axes dims) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  bool named[TL_MAX_RANK];
  tl_shape_rules rules;
  tl_status status = tl__shape_axes(&rules, "broadcast_in_dim", shape.rank, dims, named);
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  int list[TL_MAX_RANK], count = tl__shape_axis_list(dims, shape.rank, list);
  if (count != x->rank) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "broadcast_in_dim: %d axes for a tensor of rank %d", count,
                             x->rank);
  }
  /* x's axes in the order of those that they become, with ones for the others. */
  tl_axes order = {.count = 0};
  tl_shape apart = {.rank = shape.rank};
  for (int i = 0; i < shape.rank; i++) {
    apart.dim[i] = 1;
    for (int k = 0; k < count; k++) {
      if (list[k] == i) {
        order.axis[order.count++] = (int8_t)k;
        apart.dim[i] = x->dim[k];
      }
    }
  }
  tl_scope scope = tl_scope_open();
  return scope ? tl__scope_leave(scope, tl_broadcast(tl_reshape(tl_transpose(x, order), apart), shape)) : NULL;
}

/* By whichever of two quotients has no exponential of a large number. */
tl_tensor tl_logistic(tl_tensor x) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor wide = tl__tensor_is_valid(x) && tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  tl_tensor zero = tl_scalar_like(wide, 0), one = tl_scalar_like(wide, 1), is_negative = tl_lt(wide, zero);
  tl_tensor down = tl_exp(tl_neg(tl_where(is_negative, zero, wide))), up = tl_exp(tl_where(is_negative, wide, zero));
  tl_tensor out = tl_where(is_negative, tl_div(up, tl_add(one, up)), tl_div(one, tl_add(one, down)));
  return tl__scope_leave(scope, wide == x ? out : tl_cast(out, tl_dtype_of(x)));
}

tl_tensor tl_digamma(tl_tensor x) {
  tl_scope scope = tl_scope_open();
  return scope ? tl__scope_leave(scope, tl_polygamma(tl_fill(TL_I32, TL_SCALAR, 0), x)) : NULL;
}

tl_tensor tl_integer_pow(tl_tensor x, int exponent) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  unsigned rest = exponent < 0 ? 0u - (unsigned)exponent : (unsigned)exponent;
  bool widens = tl__tensor_is_valid(x) && tl_dtype_is_stored_only(x->dtype);
  tl_tensor power = widens ? tl_cast(x, TL_F32) : x, out = NULL, one = tl_scalar_like(power, 1);
  for (; rest; rest >>= 1) {
    if (rest & 1) {
      out = out ? tl_mul(out, power) : power;
    }
    power = rest > 1 ? tl_mul(power, power) : power;
  }
  out = out ? out : tl_broadcast(one, tl_shape_of(x));
  out = exponent < 0 ? tl_div(one, out) : out;
  return tl__scope_leave(scope, widens ? tl_cast(out, tl_dtype_of(x)) : out);
}

static tl_dtype unsigned_of(tl_dtype d) {
  return d == TL_I8 ? TL_U8 : d == TL_I16 ? TL_U16 : d == TL_I32 ? TL_U32 : d == TL_I64 ? TL_U64 : d;
}

tl_tensor tl_shr_logical(tl_tensor x, tl_tensor y) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_dtype dx = tl_dtype_of(x), dy = tl_dtype_of(y);
  tl_tensor out = tl_shr(dx == unsigned_of(dx) ? x : tl_bitcast(x, unsigned_of(dx)),
                         dy == unsigned_of(dy) ? y : tl_bitcast(y, unsigned_of(dy)));
  return tl__scope_leave(scope, dx == unsigned_of(dx) ? out : tl_bitcast(out, dx));
}

/* ---- reductions ---- */

/* Of integers by their complements, whose order is the reverse: no negation overflows. */
tl_tensor tl_min(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_dtype d = tl_dtype_of(x);
  tl_tensor out =
      tl_dtype_is_float(d) ? tl_neg(tl_max(tl_neg(x), axes, keep)) : tl_bitnot(tl_max(tl_bitnot(x), axes, keep));
  return tl__scope_leave(scope, out);
}

/* An axis halved until one element is left: in few ops, and without a quotient in the derivative. */
static tl_tensor fold(tl_tensor x, int axis, tl_tensor (*take)(tl_tensor, tl_tensor)) {
  while (tl__tensor_is_valid(x) && x->dim[axis] > 1) {
    int64_t half = x->dim[axis] / 2, rest = x->dim[axis] % 2;
    tl_tensor both = take(tl__part(x, axis, 0, half), tl__part(x, axis, half, half));
    x = rest ? tl_concat(both, tl__part(x, axis, 2 * half, 1), axis) : both;
  }
  return x;
}

tl_tensor tl_prod(tl_tensor x, tl_axes axes, bool keep) {
  tl_tensor out;
  bool named[TL_MAX_RANK];
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  tl_shape_rules rules;
  tl_status status = tl__shape_axes(&rules, "prod", x->rank, axes, named);
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  out = tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  tl_shape shape = {.rank = 0};
  for (int i = 0; tl__tensor_is_valid(out) && i < x->rank; i++) {
    if (named[i] && !tl__is_number(x->dim[i])) {
      out = tl__tensor_refuse(TL_TRACED_TENSOR, "prod: axis %d has an extent that is no number yet", i);
    } else if (named[i]) {
      tl_shape one = tl_shape_of(out);
      one.dim[i] = 1;
      out = x->dim[i] ? fold(out, i, tl_mul) : tl_broadcast(tl_scalar_like(out, 1), one);
    }
    if (!named[i] || keep) {
      shape.dim[shape.rank++] = named[i] ? 1 : x->dim[i];
    }
  }
  out = tl_reshape(out, shape);
  return tl__scope_leave(scope, tl_dtype_of(out) == x->dtype ? out : tl_cast(out, x->dtype));
}

tl_tensor tl_reduce(tl_tensor x, tl_reducer reducer, tl_axes axes, bool keep) {
  bool is_truth = tl__tensor_is_valid(x) && x->dtype == TL_BOOL;
  switch (reducer) {
  case TL_REDUCE_ADD:
    return is_truth ? tl_reduce_or(x, axes, keep) : tl_sum(x, axes, keep);
  case TL_REDUCE_MUL:
    return is_truth ? tl_reduce_and(x, axes, keep) : tl_prod(x, axes, keep);
  case TL_REDUCE_MIN:
    return is_truth ? tl_reduce_and(x, axes, keep) : tl_min(x, axes, keep);
  case TL_REDUCE_MAX:
    return is_truth ? tl_reduce_or(x, axes, keep) : tl_max(x, axes, keep);
  case TL_REDUCE_REPLACE:
    break;
  }
  return tl__tensor_refuse(TL_UNSUPPORTED_CONSTRUCT, "reduce: no order is known in which one replaces another");
}

/* ---- products ---- */

static bool read_axes(const char *op, int rank, tl_axes axes, int out[TL_MAX_RANK], tl_tensor *refused) {
  bool named[TL_MAX_RANK];
  tl_shape_rules rules;
  tl_status status = tl__shape_axes(&rules, op, rank, axes, named);
  if (status != TL_OK) {
    *refused = tl__tensor_failed(status, rules.message);
    return false;
  }
  tl__shape_axis_list(axes, rank, out);
  return true;
}

tl_tensor tl_dot_general(tl_tensor x, tl_tensor y, tl_axes x_batch, tl_axes y_batch, tl_axes x_axes, tl_axes y_axes) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, y}, &out)) {
    return out;
  }
  int lists[4][TL_MAX_RANK];
  if (!read_axes("dot_general", x->rank, x_batch, lists[0], &out) ||
      !read_axes("dot_general", y->rank, y_batch, lists[1], &out) ||
      !read_axes("dot_general", x->rank, x_axes, lists[2], &out) ||
      !read_axes("dot_general", y->rank, y_axes, lists[3], &out)) {
    return out;
  }
  if (x_batch.count != y_batch.count || x_axes.count != y_axes.count) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                             "dot_general: %d and %d common axes, %d and %d that are summed over", x_batch.count,
                             y_batch.count, x_axes.count, y_axes.count);
  }
  /* Letters from a on for x's axes, from A on for y's own. */
  char of_x[TL_MAX_RANK + 1] = "", of_y[TL_MAX_RANK + 1] = "", result[2 * TL_MAX_RANK + 1] = "";
  int n = 0;
  for (int i = 0; i < x->rank; i++) {
    of_x[i] = (char)('a' + i);
  }
  for (int i = 0; i < y->rank; i++) {
    of_y[i] = (char)('A' + i);
  }
  bool taken[TL_MAX_RANK] = {false}, y_taken[TL_MAX_RANK] = {false};
  for (int i = 0; i < x_batch.count; i++) {
    of_y[lists[1][i]] = result[n++] = of_x[lists[0][i]];
    taken[lists[0][i]] = y_taken[lists[1][i]] = true;
  }
  for (int i = 0; i < x_axes.count; i++) {
    if (taken[lists[2][i]] || y_taken[lists[3][i]]) {
      return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "dot_general: an axis is common and summed over");
    }
    of_y[lists[3][i]] = of_x[lists[2][i]];
    taken[lists[2][i]] = y_taken[lists[3][i]] = true;
  }
  for (int i = 0; i < x->rank; i++) {
    result[n] = of_x[i];
    n += !taken[i];
  }
  for (int i = 0; i < y->rank; i++) {
    result[n] = of_y[i];
    n += !y_taken[i];
  }
  result[n] = 0;
  char letters[5 * TL_MAX_RANK];
  snprintf(letters, sizeof letters, "%s,%s->%s", of_x, of_y, result);
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  bool is_truth = x->dtype == TL_BOOL && y->dtype == TL_BOOL;
  tl_tensor operands[2] = {is_truth ? tl_cast(x, TL_I32) : x, is_truth ? tl_cast(y, TL_I32) : y};
  out = tl_einsum(letters, 2, operands);
  return tl__scope_leave(scope, is_truth ? tl_cast(out, TL_BOOL) : out);
}

/* ---- indices ---- */

/* Where the axes of operand, indices and windows lie when each has its own in front: the common axes, then those of the
 * indices or the operand in their order. */
typedef struct layout {
  tl_axes x, indices, windows; /* orders of axes for tl_transpose */
  tl_axes axes;                /* the indexed ones, in the operand as it lies then */
  tl_shape squeezed;           /* of the windows, and of what is left of them */
  tl_shape shape;
  int common;
} layout;

static bool contains(const int *list, int count, int axis, int *out_at) {
  for (int i = 0; i < count; i++) {
    if (list[i] == axis) {
      *out_at = i;
      return true;
    }
  }
  return false;
}

static bool lay_out(const char *op, tl_tensor x, tl_tensor indices, const tl_index_dims *d, const int64_t *sizes,
                    layout *l, tl_tensor *refused) {
  int window[TL_MAX_RANK], squeezed[TL_MAX_RANK], x_batch[TL_MAX_RANK], i_batch[TL_MAX_RANK], map[TL_MAX_RANK], at;
  int vector = d->vector;
  if (vector < 0 || vector > indices->rank) {
    *refused = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: there is no axis %d in indices of rank %d", op, vector,
                                 indices->rank);
    return false;
  }
  bool implicit = vector == indices->rank;
  int places = indices->rank - !implicit; /* axes of the indices that are no vector */
  int kept = x->rank - d->squeezed.count - d->x_batch.count, rank = places + kept;
  bool ok = d->window.count >= 0 && d->squeezed.count >= 0 && d->x_batch.count >= 0 && d->axes.count >= 0 &&
            d->x_batch.count == d->indices_batch.count && d->window.count == kept && rank <= TL_MAX_RANK;
  if (!ok) {
    *refused = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                 "%s: %d axes of windows, %d without extent, %d and %d common ones, of %d", op,
                                 d->window.count, d->squeezed.count, d->x_batch.count, d->indices_batch.count, x->rank);
    return false;
  }
  if (!read_axes(op, rank, d->window, window, refused) || !read_axes(op, x->rank, d->squeezed, squeezed, refused) ||
      !read_axes(op, x->rank, d->x_batch, x_batch, refused) ||
      !read_axes(op, indices->rank, d->indices_batch, i_batch, refused) ||
      !read_axes(op, x->rank, d->axes, map, refused)) {
    return false;
  }
  *l = (layout){.common = d->x_batch.count};
  int moved_to[TL_MAX_RANK]; /* of the operand's axes */
  for (int i = 0; i < l->common; i++) {
    l->x.axis[l->x.count] = (int8_t)x_batch[i];
    moved_to[x_batch[i]] = l->x.count++;
    l->indices.axis[l->indices.count++] = (int8_t)i_batch[i];
  }
  for (int i = 0; i < x->rank; i++) {
    if (!contains(x_batch, l->common, i, &at)) {
      l->x.axis[l->x.count] = (int8_t)i;
      moved_to[i] = l->x.count++;
    }
  }
  int place_of[TL_MAX_RANK]; /* of the indices' axes, in front of a window's */
  for (int i = 0; i < l->common; i++) {
    place_of[i_batch[i]] = i;
  }
  for (int i = 0; i < indices->rank; i++) {
    if (i != vector && !contains(i_batch, l->common, i, &at)) {
      place_of[i] = l->indices.count;
      l->indices.axis[l->indices.count++] = (int8_t)i;
    }
  }
  if (!implicit) {
    l->indices.axis[l->indices.count++] = (int8_t)vector;
  }
  l->axes.count = d->axes.count;
  for (int i = 0; i < d->axes.count; i++) {
    l->axes.axis[i] = (int8_t)moved_to[map[i]];
  }
  for (int i = 0; i < places; i++) {
    l->shape.dim[l->shape.rank] = indices->dim[l->indices.axis[i]];
    l->squeezed.dim[l->shape.rank] = l->shape.dim[l->shape.rank];
    l->shape.rank++;
  }
  l->squeezed.rank = l->shape.rank;
  for (int i = 0; i < x->rank; i++) {
    if (!contains(x_batch, l->common, i, &at)) {
      bool is_squeezed = contains(squeezed, d->squeezed.count, i, &at);
      int64_t size = is_squeezed ? 1 : sizes ? sizes[i] : 0;
      l->shape.dim[l->shape.rank++] = size;
      if (!is_squeezed) {
        l->squeezed.dim[l->squeezed.rank++] = size;
      }
    }
  }
  l->windows.count = rank;
  int next = 0; /* of the indices' axes, in their order */
  for (int k = 0; k < rank; k++) {
    if (contains(window, d->window.count, k, &at)) {
      l->windows.axis[k] = (int8_t)(places + at);
    } else {
      next += !implicit && next == vector;
      l->windows.axis[k] = (int8_t)place_of[next++];
    }
  }
  return true;
}

static tl_tensor with_vectors(tl_tensor indices, const tl_index_dims *d, const layout *l) {
  bool implicit = d->vector == indices->rank;
  tl_tensor out = tl_transpose(indices, l->indices);
  if (implicit && tl__tensor_is_valid(out)) {
    tl_shape shape = tl_shape_of(out);
    if (shape.rank == TL_MAX_RANK) {
      return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "gather: indices of rank %d without an axis of vectors",
                               shape.rank);
    }
    shape.dim[shape.rank++] = 1;
    out = tl_reshape(out, shape);
  }
  return out;
}

static tl_axes inverse(tl_axes order) {
  tl_axes out = {.count = order.count};
  for (int i = 0; i < order.count; i++) {
    out.axis[order.axis[i]] = (int8_t)i;
  }
  return out;
}

tl_tensor tl_gather_general(tl_tensor x, tl_tensor indices, tl_index_dims d, tl_ints sizes, tl_index_mode mode) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, indices}, &out) ||
      !tl__list_fits("gather_general", "sizes", sizes, x->rank, &out)) {
    return out;
  }
  layout l;
  if (!lay_out("gather_general", x, indices, &d, sizes.dim, &l, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor taken = tl_window_gather(tl_transpose(x, l.x), with_vectors(indices, &d, &l), l.shape, l.axes,
                                     (tl_window_gather_opts){.mode = mode, .batch = l.common});
  return tl__scope_leave(scope, tl_transpose(tl_reshape(taken, l.squeezed), l.windows));
}

tl_tensor tl_scatter_general(tl_tensor x, tl_tensor indices, tl_tensor updates, tl_index_dims d, tl_reducer reducer,
                             tl_index_mode mode) {
  tl_tensor out;
  if (tl__tensor_any_failed(3, (tl_tensor[]){x, indices, updates}, &out)) {
    return out;
  }
  layout l;
  if (!lay_out("scatter_general", x, indices, &d, NULL, &l, &out)) {
    return out;
  }
  if (updates->rank != l.windows.count) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "scatter_general: operand 2 has rank %d, the places have %d",
                             updates->rank, l.windows.count);
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor u = tl_transpose(updates, inverse(l.windows));
  /* The axes that the windows lack have extent 1: the sizes of the others are the updates'. */
  int places = l.shape.rank - (x->rank - l.common), next = places;
  for (int i = 0; tl__tensor_is_valid(u) && i < l.shape.rank; i++) {
    bool is_kept = i < places || l.shape.dim[i] == 0; /* lay_out knows no sizes */
    if (i < places) {
      l.shape.dim[i] = u->dim[i];
    } else if (is_kept) {
      l.shape.dim[i] = u->dim[next++];
    }
  }
  out = tl_window_scatter(tl_transpose(x, l.x), with_vectors(indices, &d, &l), tl_reshape(u, l.shape), l.axes, reducer,
                          (tl_window_scatter_opts){.mode = mode, .batch = l.common});
  return tl__scope_leave(scope, tl_transpose(out, inverse(l.x)));
}

/* ---- order ---- */

tl_status tl_sort_by(int keys, int count, const tl_tensor *x, int axis, bool descending, tl_tensor *out_sorted) {
  tl_tensor order = NULL;
  if (keys < 1 || keys > count) {
    order = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "sort_by: %d keys of %d operands", keys, count);
  }
  tl_scope scope = tl_scope_open();
  for (int k = keys - 1; scope && k >= 0 && !(order && !tl__tensor_is_valid(order)); k--) {
    /* A stable sort by each key, the first one last. */
    tl_tensor key = order ? tl_take_along(x[k], order, axis, TL_INDEX_CHECK) : x[k];
    tl_tensor next = tl_argsort(key, axis, descending);
    order = order ? tl_take_along(order, next, axis, TL_INDEX_CHECK) : next;
  }
  tl_status status = scope ? tl_status_of(order) : TL_OUT_OF_MEMORY;
  for (int i = 0; i < count; i++) {
    tl_tensor sorted = !scope                       ? NULL
                       : tl__tensor_is_valid(order) ? tl_take_along(x[i], order, axis, TL_INDEX_CHECK)
                                                    : order;
    out_sorted[i] = scope ? tl_scope_keep(scope, sorted) : NULL;
    status = status == TL_OK ? tl_status_of(out_sorted[i]) : status;
  }
  tl_scope_close(scope);
  return status;
}
