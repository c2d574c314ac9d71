/* Ops in their general forms, made of others: slices and padding, reductions of any kind, windows of them,
 * convolutions, products, gathers and scatters with axes in any places. Each is captured as what it is made of. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensor/tensor_priv.h"

static tl_tensor leave(tl_scope scope, tl_tensor out) {
  out = tl_scope_keep(scope, out);
  tl_scope_close(scope);
  return out;
}

__attribute__((format(printf, 2, 3))) static tl_tensor refuse(tl_status status, const char *format, ...) {
  char message[192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return tl__tensor_failed(status, message);
}

/* Refuses a list that has not one number for each axis. */
static bool has_length(const char *op, const char *what, tl_ints list, int count, tl_tensor *out) {
  if (list.rank == count) {
    return true;
  }
  *out = refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: %d %s for %d axes", op, list.rank, what, count);
  return false;
}

/* A list that may be left out: none is `number` for each axis. */
static tl_ints or_all(tl_ints list, int count, int64_t number) {
  if (list.rank == 0) {
    list.rank = count;
    for (int i = 0; i < count; i++) {
      list.dim[i] = number;
    }
  }
  return list;
}

static tl_ints all(int count, int64_t number) { return or_all((tl_ints){.rank = 0}, count, number); }

static bool is_valid(tl_tensor x) { return tl_status_of(x) == TL_OK; }

/* Whether it is an extent, and not what stands for one in a program that is being captured. */
static bool is_number(int64_t extent) { return extent >= 0; }

/* ---- slices ---- */

tl_tensor tl_slice(tl_tensor x, tl_ints start, tl_ints limit, tl_ints stride) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  stride = or_all(stride, x->rank, 1);
  if (!has_length("slice", "starts", start, x->rank, &out) || !has_length("slice", "limits", limit, x->rank, &out) ||
      !has_length("slice", "strides", stride, x->rank, &out)) {
    return out;
  }
  tl_shape shape = {.rank = x->rank};
  for (int i = 0; i < x->rank; i++) {
    int64_t from = start.dim[i], to = limit.dim[i], step = stride.dim[i];
    if (from == 0 && to == x->dim[i] && step == 1) {
      shape.dim[i] = to;
      continue;
    }
    if (from < 0 || to < from || to > x->dim[i] || step < 1) {
      return refuse(TL_TENSOR_SHAPE_MISMATCH, "slice: from %lld to %lld by %lld on axis %d, which has extent %lld",
                    (long long)from, (long long)to, (long long)step, i, (long long)x->dim[i]);
    }
    shape.dim[i] = (to - from) / step + ((to - from) % step != 0);
  }
  return tl_pick(x, shape, start, stride);
}

/* The extent of an axis that is padded; false where it is none. */
static bool padded_extent(int64_t n, int64_t low, int64_t high, int64_t interior, int64_t *out) {
  if (low == 0 && high == 0 && (interior == 0 || n == 0)) {
    *out = n;
    return true;
  }
  int64_t inner = n;
  return is_number(n) && interior >= 0 &&
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
  interior = or_all(interior, x->rank, 0);
  if (!has_length("pad", "numbers in front", low, x->rank, &out) ||
      !has_length("pad", "numbers behind", high, x->rank, &out) ||
      !has_length("pad", "numbers between", interior, x->rank, &out)) {
    return out;
  }
  if (value->dtype != x->dtype || value->rank != 0) {
    return value->rank ? refuse(TL_TENSOR_SHAPE_MISMATCH, "pad: the value has rank %d, and is to have 0", value->rank)
                       : refuse(TL_DTYPE_MISMATCH, "pad: operand 0 has dtype %s, operand 1 %s", tl_dtype_name(x->dtype),
                                tl_dtype_name(value->dtype));
  }
  tl_shape shape = {.rank = x->rank};
  tl_ints step = {.rank = x->rank};
  for (int i = 0; i < x->rank; i++) {
    if (!padded_extent(x->dim[i], low.dim[i], high.dim[i], interior.dim[i], &shape.dim[i])) {
      return refuse(TL_TENSOR_SHAPE_MISMATCH,
                    "pad: %lld in front, %lld behind and %lld between the elements of axis %d, "
                    "which has extent %lld",
                    (long long)low.dim[i], (long long)high.dim[i], (long long)interior.dim[i], i, (long long)x->dim[i]);
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
  return leave(scope, out);
}

static tl_tensor concatenate(int count, const tl_tensor *x, int axis) {
  return count == 1
             ? x[0]
             : tl_concat(concatenate(count / 2, x, axis), concatenate(count - count / 2, x + count / 2, axis), axis);
}

tl_tensor tl_concatenate(int count, const tl_tensor *x, int axis) {
  if (count < 1) {
    return refuse(TL_TENSOR_SHAPE_MISMATCH, "concatenate: no operand");
  }
  tl_tensor failed;
  if (tl__tensor_any_failed(count, x, &failed)) {
    return failed;
  }
  tl_scope scope = tl_scope_open();
  return scope ? leave(scope, concatenate(count, x, axis)) : NULL;
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
  return leave(scope, out);
}

tl_tensor tl_maximum(tl_tensor x, tl_tensor y) { return extreme(x, y, true); }
tl_tensor tl_minimum(tl_tensor x, tl_tensor y) { return extreme(x, y, false); }

tl_tensor tl_is_finite(tl_tensor x) {
  if (is_valid(x) && !tl_dtype_is_float(x->dtype)) {
    return refuse(TL_DTYPE_UNSUPPORTED, "is_finite: operand 0 has dtype %s, which it does not take",
                  tl_dtype_name(x->dtype));
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor zero = tl_sub(x, x); /* NaN where x is not finite */
  return leave(scope, tl_eq(zero, zero));
}

tl_tensor tl_abs(tl_tensor x) {
  if (!is_valid(x) || tl_dtype_is_float(x->dtype)) {
    return tl_fabs(x);
  }
  tl_scope scope = tl_scope_open();
  return scope ? leave(scope, tl_where(tl_lt(x, tl_scalar_like(x, 0)), tl_neg(x), x)) : NULL;
}

tl_tensor tl_square(tl_tensor x) { return tl_mul(x, x); }

tl_tensor tl_rsqrt(tl_tensor x) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor wide = is_valid(x) && tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  tl_tensor out = tl_div(tl_scalar_like(wide, 1), tl_sqrt(wide));
  return leave(scope, wide == x ? out : tl_cast(out, tl_dtype_of(x)));
}

tl_tensor tl_select_n(tl_tensor which, int count, const tl_tensor *cases) {
  tl_tensor failed;
  if (count < 1) {
    return refuse(TL_TENSOR_SHAPE_MISMATCH, "select_n: no case");
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
  return leave(scope, out);
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
    return refuse(TL_TENSOR_SHAPE_MISMATCH, "broadcast_in_dim: %d axes for a tensor of rank %d", count, x->rank);
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
  return scope ? leave(scope, tl_broadcast(tl_reshape(tl_transpose(x, order), apart), shape)) : NULL;
}

/* By whichever of two quotients has no exponential of a large number. */
tl_tensor tl_logistic(tl_tensor x) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor wide = is_valid(x) && tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  tl_tensor zero = tl_scalar_like(wide, 0), one = tl_scalar_like(wide, 1), is_negative = tl_lt(wide, zero);
  tl_tensor down = tl_exp(tl_neg(tl_where(is_negative, zero, wide))), up = tl_exp(tl_where(is_negative, wide, zero));
  tl_tensor out = tl_where(is_negative, tl_div(up, tl_add(one, up)), tl_div(one, tl_add(one, down)));
  return leave(scope, wide == x ? out : tl_cast(out, tl_dtype_of(x)));
}

tl_tensor tl_digamma(tl_tensor x) {
  tl_scope scope = tl_scope_open();
  return scope ? leave(scope, tl_polygamma(tl_fill(TL_I32, TL_SCALAR, 0), x)) : NULL;
}

tl_tensor tl_integer_pow(tl_tensor x, int exponent) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  unsigned rest = exponent < 0 ? 0u - (unsigned)exponent : (unsigned)exponent;
  bool widens = is_valid(x) && tl_dtype_is_stored_only(x->dtype);
  tl_tensor power = widens ? tl_cast(x, TL_F32) : x, out = NULL, one = tl_scalar_like(power, 1);
  for (; rest; rest >>= 1) {
    if (rest & 1) {
      out = out ? tl_mul(out, power) : power;
    }
    power = rest > 1 ? tl_mul(power, power) : power;
  }
  out = out ? out : tl_broadcast(one, tl_shape_of(x));
  out = exponent < 0 ? tl_div(one, out) : out;
  return leave(scope, widens ? tl_cast(out, tl_dtype_of(x)) : out);
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
  return leave(scope, dx == unsigned_of(dx) ? out : tl_bitcast(out, dx));
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
  return leave(scope, out);
}

/* The elements [from, from + count) of an axis. */
static tl_tensor part(tl_tensor x, int axis, int64_t from, int64_t count) {
  tl_shape shape = tl_shape_of(x);
  tl_ints start = all(shape.rank, 0), step = all(shape.rank, 1);
  if (axis < shape.rank) {
    shape.dim[axis] = count;
    start.dim[axis] = from;
  }
  return tl_pick(x, shape, start, step);
}

/* An axis halved until one element is left: in few ops, and without a quotient in the derivative. */
static tl_tensor fold(tl_tensor x, int axis, tl_tensor (*take)(tl_tensor, tl_tensor)) {
  while (is_valid(x) && x->dim[axis] > 1) {
    int64_t half = x->dim[axis] / 2, rest = x->dim[axis] % 2;
    tl_tensor both = take(part(x, axis, 0, half), part(x, axis, half, half));
    x = rest ? tl_concat(both, part(x, axis, 2 * half, 1), axis) : both;
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
  for (int i = 0; is_valid(out) && i < x->rank; i++) {
    if (named[i] && !is_number(x->dim[i])) {
      out = refuse(TL_TRACED_TENSOR, "prod: axis %d has an extent that is no number yet", i);
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
  return leave(scope, tl_dtype_of(out) == x->dtype ? out : tl_cast(out, x->dtype));
}

tl_tensor tl_reduce(tl_tensor x, tl_reducer reducer, tl_axes axes, bool keep) {
  bool is_truth = is_valid(x) && x->dtype == TL_BOOL;
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
  return refuse(TL_UNSUPPORTED_CONSTRUCT, "reduce: no order is known in which one replaces another");
}

/* What changes nothing, as a tensor of rank 0. */
static tl_tensor identity(tl_tensor x, tl_reducer reducer) {
  if (tl_dtype_is_float(x->dtype) || x->dtype == TL_BOOL || reducer == TL_REDUCE_ADD || reducer == TL_REDUCE_MUL) {
    /* F8E4M3FN has no infinity: its largest number. */
    double most = x->dtype == TL_F8E4M3FN ? 448 : INFINITY;
    double v = reducer == TL_REDUCE_ADD   ? 0
               : reducer == TL_REDUCE_MUL ? 1
               : reducer == TL_REDUCE_MIN ? most
                                          : (x->dtype == TL_BOOL ? 0 : -most);
    return tl_scalar_like(x, v);
  }
  return tl_scalar_like(x, reducer == TL_REDUCE_MIN ? INFINITY : -INFINITY); /* saturates */
}

/* ---- of all elements so far ---- */

/* By doubling: after each step an element is that of twice as many. So the error of a sum grows with the logarithm of
 * their number, and there are as few ops. */
static tl_tensor cumulative(const char *op, tl_tensor x, tl_reducer reducer, tl_tensor (*take)(tl_tensor, tl_tensor),
                            int axis, bool reverse) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  tl_shape_rules rules;
  tl_status status = tl__shape_axis(&rules, op, 0, x->rank, axis, &axis);
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  if (!is_number(x->dim[axis])) {
    return refuse(TL_TRACED_TENSOR, "%s: axis %d has an extent that is no number yet", op, axis);
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  out = tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  for (int64_t done = 1; is_valid(out) && done < x->dim[axis]; done *= 2) {
    tl_ints low = all(x->rank, 0), high = low;
    low.dim[axis] = reverse ? -done : done;
    high.dim[axis] = -low.dim[axis];
    out = take(tl_pad(out, identity(out, reducer), low, high, (tl_ints){.rank = 0}), out);
  }
  return leave(scope, tl_dtype_of(out) == x->dtype ? out : tl_cast(out, x->dtype));
}

tl_tensor tl_cumsum(tl_tensor x, int axis, bool reverse) {
  return cumulative("cumsum", x, TL_REDUCE_ADD, tl_add, axis, reverse);
}
tl_tensor tl_cumprod(tl_tensor x, int axis, bool reverse) {
  return cumulative("cumprod", x, TL_REDUCE_MUL, tl_mul, axis, reverse);
}
tl_tensor tl_cummax(tl_tensor x, int axis, bool reverse) {
  return cumulative("cummax", x, TL_REDUCE_MAX, tl_maximum, axis, reverse);
}
tl_tensor tl_cummin(tl_tensor x, int axis, bool reverse) {
  return cumulative("cummin", x, TL_REDUCE_MIN, tl_minimum, axis, reverse);
}

/* ---- windows ---- */

/* x padded, and the shape of its windows along axes from `first` on; false where it is refused. */
static bool pad_for_windows(const char *op, tl_tensor *x, tl_tensor value, int first, const tl_shape *window,
                            const tl_window_opts *o, tl_shape *out_shape, tl_tensor *out) {
  int count = window->rank, rank = (*x)->rank;
  if (first + count != rank) {
    *out = refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: a window of rank %d for %d axes", op, count, rank - first);
    return false;
  }
  if (!has_length(op, "strides", o->stride, count, out) || !has_length(op, "numbers in front", o->low, count, out) ||
      !has_length(op, "numbers behind", o->high, count, out) ||
      !has_length(op, "base dilations", o->base_dilation, count, out) ||
      !has_length(op, "dilations", o->dilation, count, out)) {
    return false;
  }
  if (rank + count > TL_MAX_RANK) {
    *out = refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: windows of rank %d along %d axes are more axes than %d", op, rank,
                  count, TL_MAX_RANK);
    return false;
  }
  tl_ints low = all(rank, 0), high = low, interior = low;
  bool changes = false;
  for (int i = 0; i < count; i++) {
    low.dim[first + i] = o->low.dim[i];
    high.dim[first + i] = o->high.dim[i];
    interior.dim[first + i] = o->base_dilation.dim[i] - 1;
    changes = changes || o->low.dim[i] || o->high.dim[i] || o->base_dilation.dim[i] != 1;
  }
  *x = changes ? tl_pad(*x, value, low, high, interior) : *x;
  if (!is_valid(*x)) {
    *out = *x;
    return false;
  }
  *out_shape = tl_shape_of(*x);
  for (int i = 0; i < count; i++) {
    int64_t n = (*x)->dim[first + i], wide = window->dim[i], span;
    if (!is_number(n) || wide < 1 || o->stride.dim[i] < 1 || o->dilation.dim[i] < 1 ||
        __builtin_mul_overflow(wide - 1, o->dilation.dim[i], &span)) {
      *out =
          refuse(TL_TENSOR_SHAPE_MISMATCH,
                 "%s: windows of %lld with stride %lld and dilation %lld along axis %d, which has extent %lld", op,
                 (long long)wide, (long long)o->stride.dim[i], (long long)o->dilation.dim[i], first + i, (long long)n);
      return false;
    }
    out_shape->dim[first + i] = n > span ? (n - span - 1) / o->stride.dim[i] + 1 : 0;
    out_shape->dim[out_shape->rank++] = wide;
  }
  return true;
}

static tl_window_opts completed(tl_window_opts o, int count) {
  o.stride = or_all(o.stride, count, 1);
  o.low = or_all(o.low, count, 0);
  o.high = or_all(o.high, count, 0);
  o.base_dilation = or_all(o.base_dilation, count, 1);
  o.dilation = or_all(o.dilation, count, 1);
  return o;
}

static tl_axes axes_from(int first, int count) {
  tl_axes out = {.count = count};
  for (int i = 0; i < count; i++) {
    out.axis[i] = (int8_t)(first + i);
  }
  return out;
}

tl_tensor tl_reduce_window(tl_tensor x, tl_reducer reducer, tl_shape window, tl_window_opts o) {
  tl_tensor out;
  if (tl__tensor_any_failed(1, &x, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_shape shape;
  int rank = x->rank;
  o = completed(o, rank);
  tl_tensor padded = x;
  if (pad_for_windows("reduce_window", &padded, identity(x, reducer), 0, &window, &o, &shape, &out)) {
    out = tl_reduce(tl_windows(padded, shape, TL_ALL, o.stride, o.dilation), reducer, axes_from(rank, rank), false);
  }
  return leave(scope, out);
}

tl_tensor tl_select_and_scatter(tl_tensor x, tl_tensor source, tl_reducer select, tl_shape window, tl_window_opts o) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, source}, &out)) {
    return out;
  }
  if (select != TL_REDUCE_MAX && select != TL_REDUCE_MIN) {
    return refuse(TL_UNSUPPORTED_CONSTRUCT, "select_and_scatter: it is the largest or the smallest that is selected");
  }
  if (x->dtype != source->dtype) {
    return refuse(TL_DTYPE_MISMATCH, "select_and_scatter: operand 0 has dtype %s, operand 1 %s",
                  tl_dtype_name(x->dtype), tl_dtype_name(source->dtype));
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_shape shape;
  int rank = x->rank;
  o = completed(o, rank);
  tl_tensor padded = x;
  if (!pad_for_windows("select_and_scatter", &padded, identity(x, select), 0, &window, &o, &shape, &out)) {
    return leave(scope, out);
  }
  tl_shape flat = {.rank = rank + 1}, each = {.rank = rank + 1};
  flat.dim[rank] = each.dim[rank] = 1;
  for (int i = 0; i < rank; i++) {
    flat.dim[i] = each.dim[i] = shape.dim[i];
    flat.dim[rank] *= window.dim[i];
  }
  tl_tensor seen = tl_reshape(tl_windows(padded, shape, TL_ALL, o.stride, o.dilation), flat);
  tl_tensor at = select == TL_REDUCE_MAX ? tl_argmax(seen, rank, true) : tl_argmin(seen, rank, true);
  tl_tensor chosen = tl_eq(tl_positions(seen, rank), at);
  tl_tensor given = tl_where(chosen, tl_reshape(source, each), tl_scalar_like(x, 0));
  out = tl_overlap_add(tl_reshape(given, shape), tl_shape_of(padded), TL_ALL, o.stride, o.dilation);
  return leave(scope, tl_pick(out, tl_shape_of(x), o.low, o.base_dilation));
}

/* ---- convolutions ---- */

/* The axis split in `groups` and the rest of it. */
static tl_tensor split(tl_tensor x, int axis, int64_t groups) {
  tl_shape shape = tl_shape_of(x);
  if (!is_valid(x)) {
    return x;
  }
  for (int i = shape.rank; i > axis; i--) {
    shape.dim[i] = shape.dim[i - 1];
  }
  shape.rank++;
  shape.dim[axis] = groups;
  shape.dim[axis + 1] /= groups;
  return tl_reshape(x, shape);
}

/* Axis `from` in front of axis `to`, the others in their order. */
static tl_tensor moved(tl_tensor x, int from, int to) {
  tl_axes order = {.count = 0};
  for (int i = 0; is_valid(x) && i < x->rank; i++) {
    if (i != from) {
      if (order.count == to) {
        order.axis[order.count++] = (int8_t)from;
      }
      order.axis[order.count++] = (int8_t)i;
    }
  }
  if (is_valid(x) && order.count < x->rank) {
    order.axis[order.count++] = (int8_t)from;
  }
  return is_valid(x) ? tl_transpose(x, order) : x;
}

static tl_tensor refuse_convolution(tl_tensor x, tl_tensor w, int64_t groups, int64_t batch_groups) {
  if (x->rank < 2 || w->rank != x->rank) {
    return refuse(TL_TENSOR_SHAPE_MISMATCH, "convolution: x has rank %d, w %d; both have two axes more than windows",
                  x->rank, w->rank);
  }
  if (x->dtype != w->dtype) {
    return refuse(TL_DTYPE_MISMATCH, "convolution: operand 0 has dtype %s, operand 1 %s", tl_dtype_name(x->dtype),
                  tl_dtype_name(w->dtype));
  }
  if (groups < 1 || batch_groups < 1 || (groups > 1 && batch_groups > 1) || !is_number(x->dim[1]) ||
      x->dim[1] != w->dim[1] * groups || w->dim[0] % (groups * batch_groups) ||
      (batch_groups > 1 && (!is_number(x->dim[0]) || x->dim[0] % batch_groups))) {
    return refuse(TL_TENSOR_SHAPE_MISMATCH,
                  "convolution: %lld examples of %lld channels by %lld filters of %lld, in %lld groups of channels and "
                  "%lld of examples",
                  (long long)x->dim[0], (long long)x->dim[1], (long long)w->dim[0], (long long)w->dim[1],
                  (long long)groups, (long long)batch_groups);
  }
  return NULL;
}

/* The windows as rows times the filters, group by group. */
tl_tensor tl_convolution(tl_tensor x, tl_tensor w, tl_convolution_opts o) {
  tl_tensor out;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, w}, &out)) {
    return out;
  }
  int64_t groups = o.groups ? o.groups : 1, batch_groups = o.batch_groups ? o.batch_groups : 1;
  out = refuse_convolution(x, w, groups, batch_groups);
  if (out) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  int count = x->rank - 2;
  tl_window_opts windows = completed(o.window, count);
  if (batch_groups > 1) { /* groups of examples become groups of channels */
    tl_shape shape = tl_shape_of(x);
    shape.dim[0] /= batch_groups;
    shape.dim[1] *= batch_groups;
    x = tl_reshape(moved(split(x, 0, batch_groups), 0, 1), shape);
    groups = batch_groups;
  }
  tl_shape window = {.rank = count}, shape;
  for (int i = 0; i < count; i++) {
    window.dim[i] = w->dim[2 + i];
  }
  bool ok = is_valid(x) && pad_for_windows("convolution", &x, tl_scalar_like(x, 0), 2, &window, &windows, &shape, &out);
  if (!ok) {
    return leave(scope, is_valid(x) ? out : x);
  }
  int64_t examples = x->dim[0], filters = w->dim[0], inner = w->dim[1], places = 1;
  tl_shape split_shape = {.rank = shape.rank + 1};
  split_shape.dim[0] = examples;
  split_shape.dim[1] = groups;
  split_shape.dim[2] = w->dim[1];
  for (int i = 0; i < count; i++) {
    split_shape.dim[3 + i] = shape.dim[2 + i];
    split_shape.dim[3 + count + i] = window.dim[i];
    inner *= window.dim[i];
    places *= shape.dim[2 + i];
  }
  /* examples, groups, channels, places, elements -> groups, (examples, places), (channels, elements) */
  tl_tensor seen = tl_windows(split(x, 1, groups), split_shape, axes_from(3, count), windows.stride, windows.dilation);
  tl_axes order = {.count = 0};
  order.axis[order.count++] = 1;
  order.axis[order.count++] = 0;
  for (int i = 0; i < count; i++) {
    order.axis[order.count++] = (int8_t)(3 + i);
  }
  order.axis[order.count++] = 2;
  for (int i = 0; i < count; i++) {
    order.axis[order.count++] = (int8_t)(3 + count + i);
  }
  int64_t rows = is_number(examples) ? examples * places : -1;
  tl_tensor matrix = tl_reshape(tl_transpose(seen, order), TL_SHAPE(groups, rows, inner));
  tl_tensor by = tl_transpose(tl_reshape(w, TL_SHAPE(groups, filters / groups, inner)), TL_AXES(0, 2, 1));
  tl_tensor product = tl_reshape(tl_matmul(matrix, by), TL_SHAPE(groups, examples, places, filters / groups));
  tl_shape result = {.rank = 2 + count, .dim = {examples, filters}};
  for (int i = 0; i < count; i++) {
    result.dim[2 + i] = shape.dim[2 + i];
  }
  return leave(scope, tl_reshape(tl_transpose(product, TL_AXES(1, 0, 3, 2)), result));
}

static tl_ints two(const int64_t at[2], int64_t otherwise) {
  return TL_INTS(at[0] ? at[0] : otherwise, at[1] ? at[1] : otherwise);
}

static tl_tensor refuse_planes(const char *op, tl_tensor x) {
  return refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: x has rank %d; it has examples, channels, rows and columns", op,
                x->rank);
}

tl_tensor tl_conv2d(tl_tensor x, tl_tensor w, tl_conv2d_opts o) {
  if (is_valid(x) && x->rank != 4) {
    return refuse_planes("conv2d", x);
  }
  tl_ints padding = two(o.padding, 0);
  tl_convolution_opts c = {
      .window = {.stride = two(o.stride, 1), .low = padding, .high = padding, .dilation = two(o.dilation, 1)},
      .groups = o.groups};
  return tl_convolution(x, w, c);
}

/* x with zeros between its elements, by the filters turned round. */
tl_tensor tl_conv2d_transpose(tl_tensor x, tl_tensor w, tl_conv2d_opts o) {
  tl_tensor failed;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, w}, &failed)) {
    return failed;
  }
  if (x->rank != 4 || w->rank != 4) {
    return refuse_planes("conv2d_transpose", x->rank != 4 ? x : w);
  }
  int64_t groups = o.groups ? o.groups : 1;
  if (groups < 1 || w->dim[0] % groups) {
    return refuse(TL_TENSOR_SHAPE_MISMATCH, "conv2d_transpose: %lld channels in %lld groups", (long long)w->dim[0],
                  (long long)groups);
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_ints dilation = two(o.dilation, 1), low = {.rank = 2}, high = {.rank = 2};
  for (int i = 0; i < 2; i++) {
    low.dim[i] = (w->dim[2 + i] - 1) * dilation.dim[i] - o.padding[i];
    high.dim[i] = low.dim[i] + o.output_padding[i];
  }
  tl_shape shape = {.rank = 4, .dim = {w->dim[1] * groups, w->dim[0] / groups, w->dim[2], w->dim[3]}};
  tl_tensor turned = tl_reshape(moved(split(tl_reverse(w, TL_AXES(2, 3)), 0, groups), 2, 1), shape);
  tl_convolution_opts c = {
      .window = {.low = low, .high = high, .base_dilation = two(o.stride, 1), .dilation = dilation},
      .groups = o.groups};
  return leave(scope, tl_convolution(x, turned, c));
}

/* ---- pools ---- */

/* The window of a pool along all four axes; false where it is refused. */
static bool pool_window(const char *op, tl_tensor x, tl_pool2d_opts o, tl_shape *out_window, tl_window_opts *out_opts,
                        tl_tensor *out) {
  if (tl__tensor_any_failed(1, &x, out)) {
    return false;
  }
  if (x->rank != 4) {
    *out = refuse_planes(op, x);
    return false;
  }
  tl_ints none = all(4, 0), ones = all(4, 1);
  *out_window = ones;
  *out_opts = (tl_window_opts){.stride = ones, .low = none, .dilation = ones};
  for (int i = 0; i < 2; i++) {
    if (o.window[i] < 1 || o.padding[i] < 0 || o.padding[i] > o.window[i] / 2) {
      *out = refuse(TL_TENSOR_SHAPE_MISMATCH,
                    "%s: a window of %lld along axis %d with padding %lld, which is to be at most half of it", op,
                    (long long)o.window[i], 2 + i, (long long)o.padding[i]);
      return false;
    }
    out_window->dim[2 + i] = o.window[i];
    out_opts->stride.dim[2 + i] = o.stride[i] ? o.stride[i] : o.window[i];
    out_opts->low.dim[2 + i] = o.padding[i];
    out_opts->dilation.dim[2 + i] = o.dilation[i] ? o.dilation[i] : 1;
  }
  out_opts->high = out_opts->low;
  return true;
}

tl_tensor tl_max_pool2d(tl_tensor x, tl_pool2d_opts o) {
  tl_shape window;
  tl_window_opts windows;
  tl_tensor out;
  return pool_window("max_pool2d", x, o, &window, &windows, &out) ? tl_reduce_window(x, TL_REDUCE_MAX, window, windows)
                                                                  : out;
}

tl_tensor tl_avg_pool2d(tl_tensor x, tl_pool2d_opts o) {
  tl_shape window;
  tl_window_opts windows;
  tl_tensor out;
  if (!pool_window("avg_pool2d", x, o, &window, &windows, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor count = tl_scalar_like(x, (double)o.window[0] * (double)o.window[1]);
  if (o.without_padding) {
    tl_shape plane = {.rank = 4, .dim = {1, 1, x->dim[2], x->dim[3]}};
    count = tl_reduce_window(tl_broadcast(tl_scalar_like(x, 1), plane), TL_REDUCE_ADD, window, windows);
  }
  return leave(scope, tl_div(tl_reduce_window(x, TL_REDUCE_ADD, window, windows), count));
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
    return refuse(TL_TENSOR_SHAPE_MISMATCH, "dot_general: %d and %d common axes, %d and %d that are summed over",
                  x_batch.count, y_batch.count, x_axes.count, y_axes.count);
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
      return refuse(TL_TENSOR_SHAPE_MISMATCH, "dot_general: an axis is common and summed over");
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
  return leave(scope, is_truth ? tl_cast(out, TL_BOOL) : out);
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
    *refused =
        refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: there is no axis %d in indices of rank %d", op, vector, indices->rank);
    return false;
  }
  bool implicit = vector == indices->rank;
  int places = indices->rank - !implicit; /* axes of the indices that are no vector */
  int kept = x->rank - d->squeezed.count - d->x_batch.count, rank = places + kept;
  bool ok = d->window.count >= 0 && d->squeezed.count >= 0 && d->x_batch.count >= 0 && d->axes.count >= 0 &&
            d->x_batch.count == d->indices_batch.count && d->window.count == kept && rank <= TL_MAX_RANK;
  if (!ok) {
    *refused =
        refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: %d axes of windows, %d without extent, %d and %d common ones, of %d", op,
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
  if (implicit && is_valid(out)) {
    tl_shape shape = tl_shape_of(out);
    if (shape.rank == TL_MAX_RANK) {
      return refuse(TL_TENSOR_SHAPE_MISMATCH, "gather: indices of rank %d without an axis of vectors", shape.rank);
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
      !has_length("gather_general", "sizes", sizes, x->rank, &out)) {
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
  return leave(scope, tl_transpose(tl_reshape(taken, l.squeezed), l.windows));
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
    return refuse(TL_TENSOR_SHAPE_MISMATCH, "scatter_general: operand 2 has rank %d, the places have %d", updates->rank,
                  l.windows.count);
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor u = tl_transpose(updates, inverse(l.windows));
  /* The axes that the windows lack have extent 1: the sizes of the others are the updates'. */
  int places = l.shape.rank - (x->rank - l.common), next = places;
  for (int i = 0; is_valid(u) && i < l.shape.rank; i++) {
    bool is_kept = i < places || l.shape.dim[i] == 0; /* lay_out knows no sizes */
    if (i < places) {
      l.shape.dim[i] = u->dim[i];
    } else if (is_kept) {
      l.shape.dim[i] = u->dim[next++];
    }
  }
  out = tl_window_scatter(tl_transpose(x, l.x), with_vectors(indices, &d, &l), tl_reshape(u, l.shape), l.axes, reducer,
                          (tl_window_scatter_opts){.mode = mode, .batch = l.common});
  return leave(scope, tl_transpose(out, inverse(l.x)));
}

/* ---- order ---- */

tl_status tl_sort_by(int keys, int count, const tl_tensor *x, int axis, bool descending, tl_tensor *out_sorted) {
  tl_tensor order = NULL;
  if (keys < 1 || keys > count) {
    order = refuse(TL_TENSOR_SHAPE_MISMATCH, "sort_by: %d keys of %d operands", keys, count);
  }
  tl_scope scope = tl_scope_open();
  for (int k = keys - 1; scope && k >= 0 && !(order && !is_valid(order)); k--) {
    /* A stable sort by each key, the first one last. */
    tl_tensor key = order ? tl_take_along(x[k], order, axis, TL_INDEX_CHECK) : x[k];
    tl_tensor next = tl_argsort(key, axis, descending);
    order = order ? tl_take_along(order, next, axis, TL_INDEX_CHECK) : next;
  }
  tl_status status = scope ? tl_status_of(order) : TL_OUT_OF_MEMORY;
  for (int i = 0; i < count; i++) {
    tl_tensor sorted = !scope ? NULL : is_valid(order) ? tl_take_along(x[i], order, axis, TL_INDEX_CHECK) : order;
    out_sorted[i] = scope ? tl_scope_keep(scope, sorted) : NULL;
    status = status == TL_OK ? tl_status_of(out_sorted[i]) : status;
  }
  tl_scope_close(scope);
  return status;
}
