/* Sums, products and extremes of all elements of an axis up to each, made of other ops. */
#include <math.h>

#include "tensor/compose.h"

/* What changes nothing, as a tensor of rank 0. */
tl_tensor tl__reducer_identity(tl_tensor x, tl_reducer reducer) {
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
  if (!tl__is_number(x->dim[axis])) {
    return tl__tensor_refuse(TL_TRACED_TENSOR, "%s: axis %d has an extent that is no number yet", op, axis);
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  out = tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
  for (int64_t done = 1; tl__tensor_is_valid(out) && done < x->dim[axis]; done *= 2) {
    tl_ints low = tl__list_of(x->rank, 0), high = low;
    low.dim[axis] = reverse ? -done : done;
    high.dim[axis] = -low.dim[axis];
    out = take(tl_pad(out, tl__reducer_identity(out, reducer), low, high, (tl_ints){.rank = 0}), out);
  }
  return tl__scope_leave(scope, tl_dtype_of(out) == x->dtype ? out : tl_cast(out, x->dtype));
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

tl_tensor tl_cumsum_before(tl_tensor x, int axis, bool reverse) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (tl__find_axis("cumsum_before", x, &axis, &out)) {
    tl_ints low = tl__list_of(x->rank, 0), high = low;
    low.dim[axis] = reverse ? -1 : 1;
    high.dim[axis] = -low.dim[axis];
    bool is_empty = x->dim[axis] == 0;
    tl_tensor moved = is_empty ? x : tl_pad(x, tl_scalar_like(x, 0), low, high, (tl_ints){.rank = 0});
    out = tl_cumsum(moved, axis, reverse);
  }
  return tl__compose_leave("cumsum_before", scope, out);
}
