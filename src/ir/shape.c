#include "ir/shape_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tl_status tl__shape_fail(tl_shape_rules *r, int at, tl_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->message, sizeof r->message, format, arguments);
  va_end(arguments);
  r->at = at;
  return status;
}

static bool is_open(tl_extent e) { return e.value == TL_NO_VALUE && e.fixed == -1; }

tl_status tl__shape_within(tl_shape_rules *r, const char *op, int at, int axis, tl_extent n,
                           const tl_axis_bound *bound) {
  if (bound && tl__extent_is_number(n) && (n.fixed < 1 || n.fixed > bound->most)) {
    return tl__shape_fail(r, at, TL_BOUNDED_DIM_EXCEEDED, "%s: axis %d has extent %lld, and its bound '%s' is %lld", op,
                          axis, (long long)n.fixed, bound->name, (long long)bound->most);
  }
  return TL_OK;
}

tl_status tl__shape_align(tl_shape_rules *r, const char *op, int at, const tl_tensor_type *x, int i,
                          const tl_tensor_type *y, int k, tl_tensor_type *t, int o) {
  const char *a = x->axis[i], *b = y->axis[k];
  const tl_axis_bound *m = x->bound[i], *n = y->bound[k];
  if (a && b && strcmp(a, b) != 0) {
    return tl__shape_fail(r, at, TL_NAMED_INDEX_MISMATCH, "%s: axis '%s' meets axis '%s'", op, a, b);
  }
  if (m && n && strcmp(m->name, n->name) != 0) {
    return tl__shape_fail(r, at, TL_BOUNDED_AXIS_MISMATCH, "%s: an axis with the bound '%s' meets one with '%s'", op,
                          m->name, n->name);
  }
  t->axis[o] = a ? a : b;
  t->bound[o] = m ? m : n;
  return TL_OK;
}

tl_status tl__shape_join(tl_shape_rules *r, const char *op, int at, const tl_tensor_type *x, const tl_tensor_type *y,
                         tl_tensor_type *out) {
  tl_tensor_type t = {.dtype = out->dtype, .rank = x->rank > y->rank ? x->rank : y->rank};
  for (int i = 0; i < t.rank; i++) {
    int a = i - (t.rank - x->rank), b = i - (t.rank - y->rank);
    if (a < 0 || b < 0) {
      tl__shape_take(&t, i, a < 0 ? y : x, a < 0 ? b : a);
      continue;
    }
    tl_extent m = x->dim[a], n = y->dim[b];
    tl_status status = tl__shape_align(r, op, at, x, a, y, b, &t, i);
    if (status == TL_OK && !tl__extent_is_one(m) && !tl__extent_is_one(n)) {
      status = tl__shape_within(r, op, at, i, m, y->bound[b]);
      status = status == TL_OK ? tl__shape_within(r, op, at, i, n, x->bound[a]) : status;
    }
    if (status != TL_OK) {
      return status;
    }
    if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed && m.fixed != 1 && n.fixed != 1) {
      return tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH,
                            "%s: axis %d has extent %lld in one operand, %lld in another", op, i, (long long)m.fixed,
                            (long long)n.fixed);
    }
    t.dim[i] =
        tl__extent_is_one(m) || (!tl__extent_is_number(m) && tl__extent_is_number(n) && !tl__extent_is_one(n)) ? n : m;
  }
  *out = t;
  return TL_OK;
}

static bool fits(tl_operand_kind kind, int which, tl_dtype d) {
  bool is_float = tl_dtype_is_float(d);
  switch (kind) {
  case TL_OPERANDS_NUM:
  case TL_OPERANDS_ANY:
    return true;
  case TL_OPERANDS_INT:
    return !is_float;
  case TL_OPERANDS_FLT:
    return is_float;
  case TL_OPERANDS_BOOL:
    return d == TL_BOOL;
  case TL_OPERANDS_FLT_INT:
    return which == 0 ? is_float : d == TL_I32;
  case TL_OPERANDS_INT_FLT:
    return which == 1 ? is_float : d == TL_I32;
  case TL_OPERANDS_SELECT:
    return which > 0 || d == TL_BOOL;
  case TL_OPERANDS_OTHER:
    break;
  }
  return false;
}

/* The operand whose dtype those after it must have: -1 where each has its own. */
static int like(tl_operand_kind kind) {
  return kind == TL_OPERANDS_SELECT ? 1 : kind == TL_OPERANDS_FLT_INT || kind == TL_OPERANDS_INT_FLT ? -1 : 0;
}

tl_status tl__shape_elementwise_dtype(tl_shape_rules *r, tl_opcode code, const tl_dtype *x, tl_dtype given,
                                      tl_dtype *out) {
  const tl_op_info *row = &tl_op_table[code];
  int first = like(row->operands);
  for (int i = 0; i < row->arity; i++) {
    if (x[i] == TL_F80 || !fits(row->operands, i, x[i])) {
      return tl__shape_fail(r, i, TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take",
                            row->name, i, tl_dtype_name(x[i]));
    }
    bool is_arithmetic = row->operands == TL_OPERANDS_NUM && row->result == TL_RESULT_SAME;
    bool is_logic = code == TL_OP_add || code == TL_OP_mul || code == TL_OP_and || code == TL_OP_or ||
                    code == TL_OP_xor || code == TL_OP_bitnot;
    if (x[i] == TL_BOOL && (is_arithmetic || row->operands == TL_OPERANDS_INT) && !is_logic) {
      return tl__shape_fail(r, i, TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take",
                            row->name, i, tl_dtype_name(x[i]));
    }
    if (first >= 0 && i > first && x[i] != x[first]) {
      return tl__shape_fail(r, i, TL_DTYPE_MISMATCH, "%s: operand %d has dtype %s, operand %d %s", row->name, first,
                            tl_dtype_name(x[first]), i, tl_dtype_name(x[i]));
    }
  }
  bool second = row->operands == TL_OPERANDS_SELECT || row->operands == TL_OPERANDS_INT_FLT;
  *out = row->result == TL_RESULT_BOOL    ? TL_BOOL
         : row->result == TL_RESULT_I32   ? TL_I32
         : row->result == TL_RESULT_I64   ? TL_I64
         : row->result == TL_RESULT_GIVEN ? given
                                          : x[second];
  return TL_OK;
}

tl_status tl__shape_elementwise(tl_shape_rules *r, tl_opcode code, const tl_tensor_type *x, tl_dtype given,
                                tl_tensor_type *out) {
  const tl_op_info *row = &tl_op_table[code];
  tl_dtype dtypes[3], dtype;
  for (int i = 0; i < row->arity; i++) {
    dtypes[i] = x[i].dtype;
  }
  tl_status status = tl__shape_elementwise_dtype(r, code, dtypes, given, &dtype);
  if (status != TL_OK) {
    return status;
  }
  tl_tensor_type t = x[0];
  for (int i = 1; i < row->arity; i++) {
    status = tl__shape_join(r, row->name, i, &t, &x[i], &t);
    if (status != TL_OK) {
      return status;
    }
  }
  t.dtype = dtype;
  *out = t;
  return TL_OK;
}

tl_status tl__shape_axis(tl_shape_rules *r, const char *op, int at, int rank, int64_t axis, int *out_axis) {
  if (axis < -rank || axis >= rank) {
    return tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH, "%s: there is no axis %lld in a tensor of rank %d", op,
                          (long long)axis, rank);
  }
  *out_axis = (int)(axis < 0 ? axis + rank : axis);
  return TL_OK;
}

tl_status tl__shape_axes(tl_shape_rules *r, const char *op, int rank, tl_axes axes, bool out_named[TL_MAX_RANK]) {
  if (axes.count > TL_MAX_RANK) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: %d axes", op, axes.count);
  }
  for (int i = 0; i < rank; i++) {
    out_named[i] = axes.count < 0;
  }
  for (int i = 0; i < axes.count; i++) {
    int axis = 0;
    tl_status status = tl__shape_axis(r, op, 1, rank, axes.axis[i], &axis);
    if (status != TL_OK) {
      return status;
    }
    if (out_named[axis]) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d is named twice", op, axis);
    }
    out_named[axis] = true;
  }
  return TL_OK;
}

/* The product of extents; false where the numbers among them exceed an int64_t. */
static bool product(tl_shape_rules *r, int rank, const tl_extent *dim, tl_extent *out) {
  tl_extent all = {.fixed = 1};
  for (int i = 0; i < rank; i++) {
    if (tl__extent_is_number(all) && tl__extent_is_number(dim[i])) {
      if (__builtin_mul_overflow(all.fixed, dim[i].fixed, &all.fixed)) {
        return false;
      }
    } else if (is_open(all) || is_open(dim[i])) {
      all = (tl_extent){.fixed = -1};
    } else {
      all = tl__extent_is_one(all) ? dim[i] : tl__extent_is_one(dim[i]) ? all : r->product(r->ctx, all, dim[i]);
    }
  }
  *out = all;
  return true;
}

tl_status tl__shape_check_target(tl_shape_rules *r, const char *op, int rank, const tl_extent *target,
                                 bool may_be_open) {
  if (rank < 0 || rank > TL_MAX_RANK) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: rank %d; it is 0 to %d", op, rank, TL_MAX_RANK);
  }
  int open = 0;
  for (int i = 0; i < rank; i++) {
    open += is_open(target[i]);
    if (!target[i].value && target[i].fixed < (may_be_open ? -1 : 0)) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: extent %lld of axis %d", op,
                            (long long)target[i].fixed, i);
    }
  }
  return open <= 1 ? TL_OK : tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: more than one extent is -1", op);
}

tl_status tl__shape_reshape(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int rank = attrs[0].shape.rank;
  const tl_extent *target = attrs[0].shape.dim;
  tl_status status = tl__shape_check_target(r, "reshape", rank, target, true);
  if (status != TL_OK) {
    return status;
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = rank};
  int open = -1;
  for (int i = 0; i < rank; i++) {
    t.dim[i] = target[i];
    if (is_open(target[i])) {
      open = i;
      t.dim[i].fixed = 1;
    }
  }
  tl_extent have, want;
  if (!product(r, x->rank, x->dim, &have) || !product(r, rank, t.dim, &want)) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "reshape: more elements than a tensor can have");
  }
  if (tl__extent_is_number(have) && tl__extent_is_number(want)) {
    if (open >= 0 && want.fixed > 0 && have.fixed % want.fixed == 0) {
      t.dim[open].fixed = have.fixed / want.fixed;
    } else if (open >= 0 || have.fixed != want.fixed) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "reshape: %lld elements into a shape of %lld%s",
                            (long long)have.fixed, (long long)want.fixed,
                            open >= 0 ? " and one extent that is open" : "");
    }
  } else if (open >= 0) {
    if (!tl__extent_is_one(want) && !r->quotient) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH,
                            "reshape: an extent of -1 where the elements are not a known number");
    }
    t.dim[open] = tl__extent_is_one(want) ? have : r->quotient(r->ctx, have, want);
  }
  /* An axis that stays as it is keeps its name: leading ones, then those counted from behind. */
  int front = 0;
  while (front < rank && front < x->rank && tl__extent_is_same(t.dim[front], x->dim[front])) {
    tl__shape_take(&t, front, x, front);
    front++;
  }
  for (int i = 1; i <= rank - front && i <= x->rank - front && tl__extent_is_same(t.dim[rank - i], x->dim[x->rank - i]);
       i++) {
    tl__shape_take(&t, rank - i, x, x->rank - i);
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_transpose(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_axes order = attrs[0].axes;
  if (order.count >= 0 && order.count != x->rank) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "transpose: %d axes for a tensor of rank %d", order.count,
                          x->rank);
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = x->rank};
  bool used[TL_MAX_RANK] = {false};
  for (int i = 0; i < x->rank; i++) {
    int axis = 0;
    tl_status status =
        tl__shape_axis(r, "transpose", 1, x->rank, order.count < 0 ? x->rank - 1 - i : order.axis[i], &axis);
    if (status != TL_OK) {
      return status;
    }
    if (used[axis]) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "transpose: axis %d is named twice", axis);
    }
    used[axis] = true;
    tl__shape_take(&t, i, x, axis);
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_broadcast(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int rank = attrs[0].shape.rank;
  const tl_extent *target = attrs[0].shape.dim;
  tl_status status = tl__shape_check_target(r, "broadcast", rank, target, false);
  if (status != TL_OK) {
    return status;
  }
  if (rank < x->rank) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "broadcast: rank %d to rank %d", x->rank, rank);
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = rank};
  for (int i = 0; i < rank; i++) {
    int a = i - (rank - x->rank);
    t.dim[i] = target[i];
    if (a < 0) {
      continue;
    }
    tl_extent m = x->dim[a], n = target[i];
    status = tl__extent_is_one(m) ? TL_OK : tl__shape_within(r, "broadcast", 1, a, n, x->bound[a]);
    if (status != TL_OK) {
      return status;
    }
    if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed && m.fixed != 1) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "broadcast: axis %d has extent %lld, and is to have %lld",
                            a, (long long)m.fixed, (long long)n.fixed);
    }
    t.axis[i] = x->axis[a];
    t.bound[i] = x->bound[a];
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_sum_to(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int rank = attrs[0].shape.rank;
  const tl_extent *target = attrs[0].shape.dim;
  tl_status status = tl__shape_check_target(r, "sum_to", rank, target, false);
  if (status != TL_OK) {
    return status;
  }
  if (rank > x->rank) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "sum_to: rank %d to rank %d", x->rank, rank);
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = rank};
  for (int i = 0; i < rank; i++) {
    int a = i + (x->rank - rank);
    tl_extent m = x->dim[a], n = target[i];
    tl__shape_take(&t, i, x, a);
    t.dim[i] = n;
    if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed && n.fixed != 1) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "sum_to: axis %d has extent %lld, and is to have %lld", a,
                            (long long)m.fixed, (long long)n.fixed);
    }
    if (!tl__extent_is_same(m, n)) {
      t.axis[i] = NULL;
      t.bound[i] = NULL;
    }
  }
  *out = t;
  return TL_OK;
}

/* The axes that are named leave, or stay with extent 1 and without a name. */
static tl_status reduce(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_attr *attrs,
                        tl_tensor_type *out) {
  bool named[TL_MAX_RANK];
  tl_status status = tl__shape_axes(r, op, x->rank, attrs[0].axes, named);
  if (status != TL_OK) {
    return status;
  }
  tl_tensor_type t = {.dtype = x->dtype};
  for (int i = 0; i < x->rank; i++) {
    if (!named[i]) {
      tl__shape_take(&t, t.rank++, x, i);
    } else if (attrs[1].integer) {
      t.dim[t.rank++].fixed = 1;
    }
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_refuse_bool(tl_shape_rules *r, const char *op, tl_dtype d) {
  return d == TL_BOOL ? tl__shape_fail(r, 0, TL_DTYPE_UNSUPPORTED, "%s: operand 0 has dtype %s, which it does not take",
                                       op, tl_dtype_name(d))
                      : TL_OK;
}

tl_status tl__shape_need_float(tl_shape_rules *r, const char *op, int operand, tl_dtype d) {
  return tl_dtype_is_float(d)
             ? TL_OK
             : tl__shape_fail(r, operand, TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take",
                              op, operand, tl_dtype_name(d));
}

tl_status tl__shape_alike(tl_shape_rules *r, const char *op, int i, tl_dtype x, int k, tl_dtype y) {
  return x == y ? TL_OK
                : tl__shape_fail(r, k, TL_DTYPE_MISMATCH, "%s: operand %d has dtype %s, operand %d %s", op, i,
                                 tl_dtype_name(x), k, tl_dtype_name(y));
}

tl_status tl__shape_sum(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_status status = tl__shape_refuse_bool(r, "sum", x->dtype);
  return status != TL_OK ? status : reduce(r, "sum", x, attrs, out);
}

tl_status tl__shape_max(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_status status = tl__shape_refuse_bool(r, "max", x->dtype);
  bool named[TL_MAX_RANK] = {false};
  if (status == TL_OK) {
    status = tl__shape_axes(r, "max", x->rank, attrs[0].axes, named);
  }
  for (int i = 0; status == TL_OK && i < x->rank; i++) {
    if (named[i] && tl__extent_is_number(x->dim[i]) && x->dim[i].fixed == 0) {
      return tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "max: axis %d is empty, and has no largest element", i);
    }
  }
  return status != TL_OK ? status : reduce(r, "max", x, attrs, out);
}

static tl_status need_bool(tl_shape_rules *r, const char *op, tl_dtype d) {
  return d == TL_BOOL ? TL_OK
                      : tl__shape_fail(r, 0, TL_DTYPE_UNSUPPORTED, "%s: operand 0 has dtype %s, which it does not take",
                                       op, tl_dtype_name(d));
}

tl_status tl__shape_reduce_or(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_status status = need_bool(r, "reduce_or", x->dtype);
  return status != TL_OK ? status : reduce(r, "reduce_or", x, attrs, out);
}

tl_status tl__shape_reduce_and(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_status status = need_bool(r, "reduce_and", x->dtype);
  return status != TL_OK ? status : reduce(r, "reduce_and", x, attrs, out);
}

/* The place of one element along an axis. */
static tl_status place(tl_shape_rules *r, const char *op, const char *most, const tl_tensor_type *x,
                       const tl_attr *attrs, tl_tensor_type *out) {
  int axis = 0;
  tl_status status = tl__shape_axis(r, op, 1, x->rank, attrs[0].integer, &axis);
  if (status != TL_OK) {
    return status;
  }
  if (tl__extent_is_number(x->dim[axis]) && x->dim[axis].fixed == 0) {
    return tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d is empty, and has no %s element", op, axis,
                          most);
  }
  tl_attr as_axes[2] = {{.axes = {.count = 1, .axis = {(int8_t)axis}}}, attrs[1]};
  status = reduce(r, op, x, as_axes, out);
  out->dtype = TL_I64;
  return status;
}

tl_status tl__shape_argmax(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  return place(r, "argmax", "largest", x, attrs, out);
}

tl_status tl__shape_argmin(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  return place(r, "argmin", "smallest", x, attrs, out);
}

tl_status tl__shape_argsort(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int axis;
  tl_status status = tl__shape_axis(r, "argsort", 1, x->rank, attrs[0].integer, &axis);
  *out = *x;
  out->dtype = TL_I64;
  return status;
}

tl_status tl__shape_softmax(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int axis;
  tl_status status = tl__shape_need_float(r, "softmax", 0, x->dtype);
  if (status == TL_OK) {
    status = tl__shape_axis(r, "softmax", 1, x->rank, attrs[0].integer, &axis);
  }
  *out = *x;
  return status;
}

/* s and t of one shape, and h, which has extent 1 along the axis; what is known of s and t. */
static tl_status pair(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_attr *attrs, int *axis,
                      tl_tensor_type *out) {
  tl_tensor_type t = x[0];
  tl_status status = tl__shape_need_float(r, op, 0, t.dtype);
  if (status == TL_OK) {
    status = tl__shape_axis(r, op, 3, t.rank, attrs[0].integer, axis);
  }
  for (int k = 1; status == TL_OK && k < 3; k++) {
    status = tl__shape_alike(r, op, 0, t.dtype, k, x[k].dtype);
    if (status == TL_OK && x[k].rank != t.rank) {
      return tl__shape_fail(r, k, TL_TENSOR_SHAPE_MISMATCH, "%s: operand 0 has rank %d, operand %d %d", op, t.rank, k,
                            x[k].rank);
    }
    for (int i = 0; status == TL_OK && i < t.rank; i++) {
      tl_extent m = t.dim[i], n = x[k].dim[i], one = {.fixed = 1};
      bool is_one = k == 2 && i == *axis;
      if (!is_one) {
        status = tl__shape_align(r, op, k, &t, i, &x[k], i, &t, i);
        t.dim[i] = tl__extent_is_number(m) ? m : n;
      }
      m = is_one ? one : m;
      if (status == TL_OK && tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed) {
        return tl__shape_fail(r, k, TL_TENSOR_SHAPE_MISMATCH,
                              "%s: axis %d of operand %d has extent %lld; it is to have %lld", op, i, k,
                              (long long)n.fixed, (long long)m.fixed);
      }
    }
  }
  *out = t;
  return status;
}

tl_status tl__shape_softmax_difference(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                       tl_tensor_type *out) {
  int axis;
  return pair(r, "softmax_difference", x, attrs, &axis, out);
}

tl_status tl__shape_soft_cross_entropy(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                       tl_tensor_type *out) {
  int axis = 0;
  tl_status status = pair(r, "soft_cross_entropy", x, attrs, &axis, out);
  if (status == TL_OK) {
    out->dim[axis] = (tl_extent){.fixed = 1};
    out->axis[axis] = NULL;
    out->bound[axis] = NULL;
  }
  return status;
}

/* Contracts the last axis of x with the last but one of y, or its only one; the axes in front of the matrices'
 * are broadcast. */
tl_status tl__shape_matmul(tl_shape_rules *r, const tl_tensor_type *operands, const tl_attr *attrs,
                           tl_tensor_type *out) {
  (void)attrs;
  tl_tensor_type x = operands[0], y = operands[1];
  tl_status status = tl__shape_alike(r, "matmul", 0, x.dtype, 1, y.dtype);
  if (status == TL_OK) {
    status = tl__shape_refuse_bool(r, "matmul", x.dtype);
  }
  if (status != TL_OK) {
    return status;
  }
  if (!x.rank || !y.rank) {
    return tl__shape_fail(r, x.rank ? 1 : 0, TL_TENSOR_SHAPE_MISMATCH, "matmul: operand %d has rank 0", x.rank ? 1 : 0);
  }
  int k = y.rank > 1 ? y.rank - 2 : 0;
  tl_extent m = x.dim[x.rank - 1], n = y.dim[k];
  tl_tensor_type contracted;
  status = tl__shape_align(r, "matmul", 1, &x, x.rank - 1, &y, k, &contracted, 0);
  if (status == TL_OK) {
    status = tl__shape_within(r, "matmul", 1, x.rank - 1, m, y.bound[k]);
  }
  if (status == TL_OK) {
    status = tl__shape_within(r, "matmul", 1, k, n, x.bound[x.rank - 1]);
  }
  if (status != TL_OK) {
    return status;
  }
  if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH,
                          "matmul: axis %d of operand 0 has extent %lld, axis %d of operand 1 %lld", x.rank - 1,
                          (long long)m.fixed, k, (long long)n.fixed);
  }
  tl_tensor_type fx = x, fy = y, t;
  fx.rank = x.rank > 1 ? x.rank - 2 : 0;
  fy.rank = y.rank > 1 ? y.rank - 2 : 0;
  t.dtype = x.dtype;
  status = tl__shape_join(r, "matmul", 1, &fx, &fy, &t);
  if (status != TL_OK) {
    return status;
  }
  if (x.rank > 1) {
    tl__shape_take(&t, t.rank++, &x, x.rank - 2);
  }
  if (y.rank > 1) {
    tl__shape_take(&t, t.rank++, &y, y.rank - 1);
  }
  *out = t;
  return TL_OK;
}

/* x with `axis` replaced by the axes of the indices. */
static tl_status indexed(tl_shape_rules *r, tl_opcode code, const tl_tensor_type *x, const tl_tensor_type *indices,
                         const tl_attr *attrs, tl_tensor_type *out) {
  const char *op = tl_op_table[code].name;
  if (indices->dtype != TL_I32 && indices->dtype != TL_I64) {
    return tl__shape_fail(r, 1, TL_DTYPE_UNSUPPORTED, "%s: the indices have dtype %s, not i32 or i64", op,
                          tl_dtype_name(indices->dtype));
  }
  int axis = 0;
  tl_status status = tl__shape_axis(r, op, tl_op_table[code].arity, x->rank, attrs[0].integer, &axis);
  if (status != TL_OK) {
    return status;
  }
  int64_t common = attrs[2].integer;
  int options = tl_op_table[code].arity + 1; /* the argument that has the mode and the count */
  if (common < 0 || common > axis || common > indices->rank) {
    return tl__shape_fail(r, options, TL_TENSOR_SHAPE_MISMATCH, "%s: %lld common axes, of which axis %d is none", op,
                          (long long)common, axis);
  }
  tl_tensor_type t = {.dtype = x->dtype};
  for (int i = 0; i < common; i++) {
    tl_extent m = x->dim[i], n = indices->dim[i];
    status = tl__shape_align(r, op, 1, x, i, indices, i, &t, i);
    if (status != TL_OK) {
      return status;
    }
    if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d has extent %lld, that of the indices %lld", op,
                            i, (long long)m.fixed, (long long)n.fixed);
    }
  }
  int rank = x->rank - 1 + indices->rank - (int)common;
  if (rank > TL_MAX_RANK) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: the result would have rank %d", op, rank);
  }
  for (int i = 0; i < x->rank; i++) {
    for (int k = (int)common; i == axis && k < indices->rank; k++) {
      tl__shape_take(&t, t.rank++, indices, k);
    }
    if (i != axis) {
      tl__shape_take(&t, t.rank++, x, i);
    }
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_gather(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  return indexed(r, TL_OP_gather, &x[0], &x[1], attrs, out);
}

tl_status tl__shape_scatter_add(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_tensor_type updates;
  tl_status status = tl__shape_alike(r, "scatter_add", 0, x[0].dtype, 2, x[2].dtype);
  if (status == TL_OK) {
    status = tl__shape_refuse_bool(r, "scatter_add", x[0].dtype);
  }
  if (status == TL_OK) {
    status = indexed(r, TL_OP_scatter_add, &x[0], &x[1], attrs, &updates);
  }
  if (status != TL_OK) {
    return status;
  }
  if (updates.rank != x[2].rank) {
    return tl__shape_fail(r, 2, TL_TENSOR_SHAPE_MISMATCH, "scatter_add: operand 2 has rank %d, the places have %d",
                          x[2].rank, updates.rank);
  }
  for (int i = 0; i < updates.rank; i++) {
    tl_extent m = updates.dim[i], n = x[2].dim[i];
    status = tl__shape_align(r, "scatter_add", 2, &updates, i, &x[2], i, &updates, i);
    if (status != TL_OK) {
      return status;
    }
    if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed) {
      return tl__shape_fail(r, 2, TL_TENSOR_SHAPE_MISMATCH,
                            "scatter_add: axis %d of operand 2 has extent %lld, the places %lld", i, (long long)n.fixed,
                            (long long)m.fixed);
    }
  }
  *out = x[0];
  return TL_OK;
}

/* Of so many bytes as can be counted. */
static tl_status is_countable(tl_shape_rules *r, const char *op, tl_dtype dtype, int rank, const tl_extent *dim) {
  int64_t bytes = (int64_t)tl_dtype_size(dtype);
  bool fits = true;
  for (int i = 0; i < rank; i++) {
    /* Even where another axis is empty: strides are products of extents too. */
    fits =
        fits && !(tl__extent_is_number(dim[i]) && dim[i].fixed && __builtin_mul_overflow(bytes, dim[i].fixed, &bytes));
  }
  return fits && bytes <= PTRDIFF_MAX - 4096
             ? TL_OK
             : tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: more elements than can be counted", op);
}

tl_status tl__shape_create(tl_shape_rules *r, const char *op, tl_dtype dtype, int rank, const tl_extent *dim) {
  if ((unsigned)dtype >= TL_DTYPE_COUNT || dtype == TL_F80) {
    return tl__shape_fail(r, 0, TL_DTYPE_UNSUPPORTED, "%s: a dtype that tensors do not have", op);
  }
  if (rank < 0 || rank > TL_MAX_RANK) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: a rank that is not 0 to %d", op, TL_MAX_RANK);
  }
  for (int i = 0; i < rank; i++) {
    if (!dim[i].value && dim[i].fixed < 0) {
      return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: a negative extent", op);
    }
  }
  return is_countable(r, op, dtype, rank, dim);
}

tl_status tl__shape_op(tl_shape_rules *r, tl_opcode code, const tl_tensor_type *operands, const tl_attr *attrs,
                       tl_dtype given, tl_tensor_type *out) {
  const tl_op_info *row = &tl_op_table[code];
  tl_status status = row->elementwise ? tl__shape_elementwise(r, code, operands, given, out)
                                      : tl_shape_table[code](r, operands, attrs, out);
  return status != TL_OK ? status : is_countable(r, row->name, out->dtype, out->rank, out->dim);
}

/* Axes of one value have one extent: of the axes before i that are known, one with the same value and another number.
 */
static tl_status agrees(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_tensor_type *stated,
                        int i) {
  for (int k = 0; k < i && !tl__extent_is_number(stated->dim[i]); k++) {
    if (tl__extent_is_same(stated->dim[i], stated->dim[k]) && tl__extent_is_number(x->dim[i]) &&
        tl__extent_is_number(x->dim[k]) && x->dim[i].fixed != x->dim[k].fixed) {
      return tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "%s: '%s' has extent %lld as axis %d, %lld as axis %d", op,
                            stated->bound[i] ? stated->bound[i]->name : stated->axis[i], (long long)x->dim[k].fixed, k,
                            (long long)x->dim[i].fixed, i);
    }
  }
  return TL_OK;
}

tl_status tl__shape_as(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_tensor_type *stated,
                       tl_tensor_type *out) {
  if (x->dtype != stated->dtype) {
    return tl__shape_fail(r, 0, TL_DTYPE_MISMATCH, "%s: the dtype is %s, and %s is stated", op, tl_dtype_name(x->dtype),
                          tl_dtype_name(stated->dtype));
  }
  if (x->rank != stated->rank) {
    return tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "%s: the rank is %d, and %d is stated", op, x->rank,
                          stated->rank);
  }
  tl_tensor_type t = *x;
  for (int i = 0; i < x->rank; i++) {
    tl_extent m = x->dim[i], n = stated->dim[i];
    tl_status status = tl__shape_align(r, op, 0, stated, i, x, i, &t, i);
    if (status == TL_OK) {
      status = tl__shape_within(r, op, 0, i, m, stated->bound[i]);
    }
    if (status == TL_OK) {
      status = tl__shape_within(r, op, 0, i, n, x->bound[i]);
    }
    if (status != TL_OK) {
      return status;
    }
    if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed) {
      return tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d has extent %lld, and %lld is stated", op, i,
                            (long long)m.fixed, (long long)n.fixed);
    }
    status = agrees(r, op, x, stated, i);
    if (status != TL_OK) {
      return status;
    }
    t.dim[i] = tl__extent_is_number(m) ? m : n;
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_bound(tl_shape_rules *r, const tl_axis_bound *bound) {
  return bound->most >= 1 ? TL_OK
                          : tl__shape_fail(r, 0, TL_BOUNDED_DIM_INVALID, "the bound '%s' is %lld; it is at least 1",
                                           bound->name, (long long)bound->most);
}

tl_tensor_type tl__shape_of_value(const tl_func *f, tl_value v) {
  tl_type t = tl_type_of(f, v);
  tl_tensor_type out = {.dtype = t.dtype, .rank = t.rank};
  for (int i = 0; i < t.rank; i++) {
    out.dim[i] = t.extents[i];
    out.axis[i] = t.axis_names ? t.axis_names[i] : NULL;
  }
  return out;
}

tl_type tl__shape_to_type(tl_func *f, const tl_tensor_type *t) {
  tl_type out = tl_array_type(f, t->dtype, t->rank, t->dim);
  out.is_array = false;
  out.is_tensor = true;
  bool named = false;
  for (int i = 0; i < t->rank; i++) {
    named = named || t->axis[i];
  }
  if (named) {
    const char **names = TL_NEW_ARRAY(f->arena, const char *, t->rank);
    memcpy(names, t->axis, sizeof *names * (size_t)t->rank);
    out.axis_names = names;
  }
  return out;
}

#define TL_TEN(name, class, arity, attributes, doc) [TL_OP_##name] = tl__shape_##name,
tl_shape_rule *const tl_shape_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};
