#include "ir/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static tl_status fail(tl_shape_rules *r, tl_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->message, sizeof r->message, format, arguments);
  va_end(arguments);
  return status;
}

/* An extent of -1 is not stated: nothing is known of it, as of one that is a value. */
static bool is_number(tl_extent e) { return e.value == TL_NO_VALUE && e.fixed >= 0; }
static bool is_open(tl_extent e) { return e.value == TL_NO_VALUE && e.fixed == -1; }
static bool is_one(tl_extent e) { return is_number(e) && e.fixed == 1; }
static bool same(tl_extent a, tl_extent b) {
  return a.value ? a.value == b.value : is_number(a) && is_number(b) && a.fixed == b.fixed;
}

/* The names of two axes that an op aligns: the one that there is. */
static tl_status align_names(tl_shape_rules *r, const char *op, const char *x, const char *y, const char **out) {
  if (x && y && strcmp(x, y) != 0) {
    return fail(r, TL_NAMED_INDEX_MISMATCH, "%s: axis '%s' meets axis '%s'", op, x, y);
  }
  *out = x ? x : y;
  return TL_OK;
}

/* NumPy's rule: aligned from behind, equal or 1. */
static tl_status broadcast(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_tensor_type *y,
                           tl_tensor_type *out) {
  tl_tensor_type t = {.dtype = out->dtype, .rank = x->rank > y->rank ? x->rank : y->rank};
  for (int i = 0; i < t.rank; i++) {
    int a = i - (t.rank - x->rank), b = i - (t.rank - y->rank);
    if (a < 0 || b < 0) {
      const tl_tensor_type *only = a < 0 ? y : x;
      int k = a < 0 ? b : a;
      t.dim[i] = only->dim[k], t.axis[i] = only->axis[k];
      continue;
    }
    tl_extent m = x->dim[a], n = y->dim[b];
    if (is_number(m) && is_number(n) && m.fixed != n.fixed && m.fixed != 1 && n.fixed != 1) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d has extent %lld in one operand, %lld in another", op, i,
                  (long long)m.fixed, (long long)n.fixed);
    }
    t.dim[i] = is_one(m) || (!is_number(m) && is_number(n) && !is_one(n)) ? n : m;
    tl_status status = align_names(r, op, x->axis[a], y->axis[b], &t.axis[i]);
    if (status != TL_OK) {
      return status;
    }
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

tl_status tl__shape_elementwise(tl_shape_rules *r, tl_opcode code, const tl_tensor_type *x, tl_dtype given,
                                tl_tensor_type *out) {
  const tl_op_info *row = &tl_op_table[code];
  int first = like(row->operands);
  for (int i = 0; i < row->arity; i++) {
    if (x[i].dtype == TL_F80 || !fits(row->operands, i, x[i].dtype)) {
      return fail(r, TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take", row->name, i,
                  tl_dtype_name(x[i].dtype));
    }
    bool is_arithmetic = row->operands == TL_OPERANDS_NUM && row->result == TL_RESULT_SAME;
    bool is_logic = code == TL_OP_add || code == TL_OP_mul || code == TL_OP_and || code == TL_OP_or ||
                    code == TL_OP_xor || code == TL_OP_bitnot;
    if (x[i].dtype == TL_BOOL && (is_arithmetic || row->operands == TL_OPERANDS_INT) && !is_logic) {
      return fail(r, TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take", row->name, i,
                  tl_dtype_name(x[i].dtype));
    }
    if (first >= 0 && i > first && x[i].dtype != x[first].dtype) {
      return fail(r, TL_DTYPE_MISMATCH, "%s: operand %d has dtype %s, operand %d %s", row->name, first,
                  tl_dtype_name(x[first].dtype), i, tl_dtype_name(x[i].dtype));
    }
  }
  bool second = row->operands == TL_OPERANDS_SELECT || row->operands == TL_OPERANDS_INT_FLT;
  tl_tensor_type t = x[0];
  for (int i = 1; i < row->arity; i++) {
    tl_status status = broadcast(r, row->name, &t, &x[i], &t);
    if (status != TL_OK) {
      return status;
    }
  }
  t.dtype = row->result == TL_RESULT_BOOL    ? TL_BOOL
            : row->result == TL_RESULT_I32   ? TL_I32
            : row->result == TL_RESULT_I64   ? TL_I64
            : row->result == TL_RESULT_GIVEN ? given
                                             : x[second].dtype;
  *out = t;
  return TL_OK;
}

tl_status tl__shape_axis(tl_shape_rules *r, const char *op, int rank, int64_t axis, int *out_axis) {
  if (axis < -rank || axis >= rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: there is no axis %lld in a tensor of rank %d", op, (long long)axis,
                rank);
  }
  *out_axis = (int)(axis < 0 ? axis + rank : axis);
  return TL_OK;
}

tl_status tl__shape_axes(tl_shape_rules *r, const char *op, int rank, tl_axes axes, bool out_named[TL_MAX_RANK]) {
  if (axes.count > TL_MAX_RANK) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: %d axes", op, axes.count);
  }
  for (int i = 0; i < rank; i++) {
    out_named[i] = axes.count < 0;
  }
  for (int i = 0; i < axes.count; i++) {
    int axis = 0;
    tl_status status = tl__shape_axis(r, op, rank, axes.axis[i], &axis);
    if (status != TL_OK) {
      return status;
    }
    if (out_named[axis]) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d is named twice", op, axis);
    }
    out_named[axis] = true;
  }
  return TL_OK;
}

/* The product of extents; false where the numbers among them exceed an int64_t. */
static bool product(tl_shape_rules *r, int rank, const tl_extent *dim, tl_extent *out) {
  tl_extent all = {.fixed = 1};
  for (int i = 0; i < rank; i++) {
    if (is_number(all) && is_number(dim[i])) {
      if (__builtin_mul_overflow(all.fixed, dim[i].fixed, &all.fixed)) {
        return false;
      }
    } else if (is_open(all) || is_open(dim[i])) {
      all = (tl_extent){.fixed = -1};
    } else {
      all = is_one(all) ? dim[i] : is_one(dim[i]) ? all : r->product(r->ctx, all, dim[i]);
    }
  }
  *out = all;
  return true;
}

static tl_status check_target(tl_shape_rules *r, const char *op, int rank, const tl_extent *target, bool may_be_open) {
  if (rank < 0 || rank > TL_MAX_RANK) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: rank %d; it is 0 to %d", op, rank, TL_MAX_RANK);
  }
  int open = 0;
  for (int i = 0; i < rank; i++) {
    open += is_open(target[i]);
    if (!target[i].value && target[i].fixed < (may_be_open ? -1 : 0)) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: extent %lld of axis %d", op, (long long)target[i].fixed, i);
    }
  }
  return open <= 1 ? TL_OK : fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: more than one extent is -1", op);
}

tl_status tl__shape_reshape(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int rank = attrs[0].shape.rank;
  const tl_extent *target = attrs[0].shape.dim;
  tl_status status = check_target(r, "reshape", rank, target, true);
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
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "reshape: more elements than a tensor can have");
  }
  if (is_number(have) && is_number(want)) {
    if (open >= 0 && want.fixed > 0 && have.fixed % want.fixed == 0) {
      t.dim[open].fixed = have.fixed / want.fixed;
    } else if (open >= 0 || have.fixed != want.fixed) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "reshape: %lld elements into a shape of %lld%s", (long long)have.fixed,
                  (long long)want.fixed, open >= 0 ? " and one extent that is open" : "");
    }
  } else if (open >= 0) {
    if (!same(want, (tl_extent){.fixed = 1})) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "reshape: an extent of -1 where the elements are not a known number");
    }
    t.dim[open] = have;
  }
  /* An axis that stays as it is keeps its name: leading ones, then those counted from behind. */
  int front = 0;
  while (front < rank && front < x->rank && same(t.dim[front], x->dim[front])) {
    t.axis[front] = x->axis[front];
    front++;
  }
  for (int i = 1; i <= rank - front && i <= x->rank - front && same(t.dim[rank - i], x->dim[x->rank - i]); i++) {
    t.axis[rank - i] = x->axis[x->rank - i];
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_transpose(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_axes order = attrs[0].axes;
  if (order.count >= 0 && order.count != x->rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "transpose: %d axes for a tensor of rank %d", order.count, x->rank);
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = x->rank};
  bool used[TL_MAX_RANK] = {false};
  for (int i = 0; i < x->rank; i++) {
    int axis = 0;
    tl_status status =
        tl__shape_axis(r, "transpose", x->rank, order.count < 0 ? x->rank - 1 - i : order.axis[i], &axis);
    if (status != TL_OK) {
      return status;
    }
    if (used[axis]) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "transpose: axis %d is named twice", axis);
    }
    used[axis] = true;
    t.dim[i] = x->dim[axis], t.axis[i] = x->axis[axis];
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_broadcast(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int rank = attrs[0].shape.rank;
  const tl_extent *target = attrs[0].shape.dim;
  tl_status status = check_target(r, "broadcast", rank, target, false);
  if (status != TL_OK) {
    return status;
  }
  if (rank < x->rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "broadcast: rank %d to rank %d", x->rank, rank);
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = rank};
  for (int i = 0; i < rank; i++) {
    int a = i - (rank - x->rank);
    t.dim[i] = target[i];
    if (a < 0) {
      continue;
    }
    tl_extent m = x->dim[a], n = target[i];
    if (is_number(m) && is_number(n) && m.fixed != n.fixed && m.fixed != 1) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "broadcast: axis %d has extent %lld, and is to have %lld", a,
                  (long long)m.fixed, (long long)n.fixed);
    }
    t.axis[i] = x->axis[a];
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_sum_to(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int rank = attrs[0].shape.rank;
  const tl_extent *target = attrs[0].shape.dim;
  tl_status status = check_target(r, "sum_to", rank, target, false);
  if (status != TL_OK) {
    return status;
  }
  if (rank > x->rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "sum_to: rank %d to rank %d", x->rank, rank);
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = rank};
  for (int i = 0; i < rank; i++) {
    int a = i + (x->rank - rank);
    tl_extent m = x->dim[a], n = target[i];
    t.dim[i] = n;
    if (is_number(m) && is_number(n) && m.fixed != n.fixed && n.fixed != 1) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "sum_to: axis %d has extent %lld, and is to have %lld", a,
                  (long long)m.fixed, (long long)n.fixed);
    }
    t.axis[i] = same(m, n) ? x->axis[a] : NULL;
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
      t.dim[t.rank] = x->dim[i], t.axis[t.rank++] = x->axis[i];
    } else if (attrs[1].integer) {
      t.dim[t.rank++].fixed = 1;
    }
  }
  *out = t;
  return TL_OK;
}

static tl_status refuse_bool(tl_shape_rules *r, const char *op, tl_dtype d) {
  return d == TL_BOOL
             ? fail(r, TL_DTYPE_UNSUPPORTED, "%s: operand 0 has dtype %s, which it does not take", op, tl_dtype_name(d))
             : TL_OK;
}

static tl_status need_float(tl_shape_rules *r, const char *op, int operand, tl_dtype d) {
  return tl_dtype_is_float(d) ? TL_OK
                              : fail(r, TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take", op,
                                     operand, tl_dtype_name(d));
}

static tl_status alike(tl_shape_rules *r, const char *op, int i, tl_dtype x, int k, tl_dtype y) {
  return x == y ? TL_OK
                : fail(r, TL_DTYPE_MISMATCH, "%s: operand %d has dtype %s, operand %d %s", op, i, tl_dtype_name(x), k,
                       tl_dtype_name(y));
}

tl_status tl__shape_sum(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_status status = refuse_bool(r, "sum", x->dtype);
  return status != TL_OK ? status : reduce(r, "sum", x, attrs, out);
}

tl_status tl__shape_max(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_status status = refuse_bool(r, "max", x->dtype);
  bool named[TL_MAX_RANK] = {false};
  if (status == TL_OK) {
    status = tl__shape_axes(r, "max", x->rank, attrs[0].axes, named);
  }
  for (int i = 0; status == TL_OK && i < x->rank; i++) {
    if (named[i] && is_number(x->dim[i]) && x->dim[i].fixed == 0) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "max: axis %d is empty, and has no largest element", i);
    }
  }
  return status != TL_OK ? status : reduce(r, "max", x, attrs, out);
}

tl_status tl__shape_softmax(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  int axis;
  tl_status status = need_float(r, "softmax", 0, x->dtype);
  if (status == TL_OK) {
    status = tl__shape_axis(r, "softmax", x->rank, attrs[0].integer, &axis);
  }
  *out = *x;
  return status;
}

/* Contracts the last axis of x with the last but one of y, or its only one; the axes in front of the matrices'
 * are broadcast. */
tl_status tl__shape_matmul(tl_shape_rules *r, const tl_tensor_type *operands, const tl_attr *attrs,
                           tl_tensor_type *out) {
  (void)attrs;
  tl_tensor_type x = operands[0], y = operands[1];
  tl_status status = alike(r, "matmul", 0, x.dtype, 1, y.dtype);
  if (status == TL_OK) {
    status = refuse_bool(r, "matmul", x.dtype);
  }
  if (status != TL_OK) {
    return status;
  }
  if (!x.rank || !y.rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "matmul: operand %d has rank 0", x.rank ? 1 : 0);
  }
  int k = y.rank > 1 ? y.rank - 2 : 0;
  tl_extent m = x.dim[x.rank - 1], n = y.dim[k];
  const char *name;
  status = align_names(r, "matmul", x.axis[x.rank - 1], y.axis[k], &name);
  if (status != TL_OK) {
    return status;
  }
  if (is_number(m) && is_number(n) && m.fixed != n.fixed) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "matmul: axis %d of operand 0 has extent %lld, axis %d of operand 1 %lld",
                x.rank - 1, (long long)m.fixed, k, (long long)n.fixed);
  }
  tl_tensor_type fx = x, fy = y, t;
  fx.rank = x.rank > 1 ? x.rank - 2 : 0;
  fy.rank = y.rank > 1 ? y.rank - 2 : 0;
  t.dtype = x.dtype;
  status = broadcast(r, "matmul", &fx, &fy, &t);
  if (status != TL_OK) {
    return status;
  }
  if (x.rank > 1) {
    t.dim[t.rank] = x.dim[x.rank - 2], t.axis[t.rank++] = x.axis[x.rank - 2];
  }
  if (y.rank > 1) {
    t.dim[t.rank] = y.dim[y.rank - 1], t.axis[t.rank++] = y.axis[y.rank - 1];
  }
  *out = t;
  return TL_OK;
}

/* x with `axis` replaced by the axes of the indices. */
static tl_status indexed(tl_shape_rules *r, const char *op, const tl_tensor_type *x, const tl_tensor_type *indices,
                         const tl_attr *attrs, tl_tensor_type *out) {
  if (indices->dtype != TL_I32 && indices->dtype != TL_I64) {
    return fail(r, TL_DTYPE_UNSUPPORTED, "%s: the indices have dtype %s, not i32 or i64", op,
                tl_dtype_name(indices->dtype));
  }
  int axis = 0;
  tl_status status = tl__shape_axis(r, op, x->rank, attrs[0].integer, &axis);
  if (status != TL_OK) {
    return status;
  }
  int64_t common = attrs[2].integer;
  if (common < 0 || common > axis || common > indices->rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: %lld common axes, of which axis %d is none", op, (long long)common,
                axis);
  }
  for (int i = 0; i < common; i++) {
    tl_extent m = x->dim[i], n = indices->dim[i];
    const char *name;
    if (is_number(m) && is_number(n) && m.fixed != n.fixed) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: axis %d has extent %lld, that of the indices %lld", op, i,
                  (long long)m.fixed, (long long)n.fixed);
    }
    status = align_names(r, op, x->axis[i], indices->axis[i], &name);
    if (status != TL_OK) {
      return status;
    }
  }
  int rank = x->rank - 1 + indices->rank - (int)common;
  if (rank > TL_MAX_RANK) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: the result would have rank %d", op, rank);
  }
  tl_tensor_type t = {.dtype = x->dtype};
  for (int i = 0; i < x->rank; i++) {
    for (int k = (int)common; i == axis && k < indices->rank; k++) {
      t.dim[t.rank] = indices->dim[k], t.axis[t.rank++] = indices->axis[k];
    }
    if (i != axis) {
      t.dim[t.rank] = x->dim[i], t.axis[t.rank++] = x->axis[i];
    }
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_gather(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  return indexed(r, "gather", &x[0], &x[1], attrs, out);
}

tl_status tl__shape_scatter_add(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  tl_tensor_type updates;
  tl_status status = alike(r, "scatter_add", 0, x[0].dtype, 2, x[2].dtype);
  if (status == TL_OK) {
    status = refuse_bool(r, "scatter_add", x[0].dtype);
  }
  if (status == TL_OK) {
    status = indexed(r, "scatter_add", &x[0], &x[1], attrs, &updates);
  }
  if (status != TL_OK) {
    return status;
  }
  if (updates.rank != x[2].rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "scatter_add: operand 2 has rank %d, the places have %d", x[2].rank,
                updates.rank);
  }
  for (int i = 0; i < updates.rank; i++) {
    tl_extent m = updates.dim[i], n = x[2].dim[i];
    const char *name;
    if (is_number(m) && is_number(n) && m.fixed != n.fixed) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "scatter_add: axis %d of operand 2 has extent %lld, the places %lld", i,
                  (long long)n.fixed, (long long)m.fixed);
    }
    status = align_names(r, "scatter_add", updates.axis[i], x[2].axis[i], &name);
    if (status != TL_OK) {
      return status;
    }
  }
  *out = x[0];
  return TL_OK;
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
