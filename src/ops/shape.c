#include "ops/shape.h"

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

static bool is_number(tl_extent e) { return e.value == TL_NO_VALUE; }
static bool is_one(tl_extent e) { return is_number(e) && e.fixed == 1; }
static bool same(tl_extent a, tl_extent b) { return a.value == b.value && (a.value || a.fixed == b.fixed); }

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

/* The axis from the front that `axis` is, which counts from behind where negative. */
static tl_status find_axis(tl_shape_rules *r, const char *op, int rank, int axis, int *out_axis) {
  if (axis < -rank || axis >= rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: there is no axis %d in a tensor of rank %d", op, axis, rank);
  }
  *out_axis = axis < 0 ? axis + rank : axis;
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
    open += is_number(target[i]) && target[i].fixed == -1;
    if (is_number(target[i]) && target[i].fixed < (may_be_open ? -1 : 0)) {
      return fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: extent %lld of axis %d", op, (long long)target[i].fixed, i);
    }
  }
  return open <= 1 ? TL_OK : fail(r, TL_TENSOR_SHAPE_MISMATCH, "%s: more than one extent is -1", op);
}

tl_status tl__shape_reshape(tl_shape_rules *r, const tl_tensor_type *x, int rank, const tl_extent *target,
                            tl_tensor_type *out) {
  tl_status status = check_target(r, "reshape", rank, target, true);
  if (status != TL_OK) {
    return status;
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = rank};
  int open = -1;
  for (int i = 0; i < rank; i++) {
    t.dim[i] = target[i];
    if (is_number(target[i]) && target[i].fixed == -1) {
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

tl_status tl__shape_transpose(tl_shape_rules *r, const tl_tensor_type *x, tl_axes order, tl_tensor_type *out) {
  if (order.count >= 0 && order.count != x->rank) {
    return fail(r, TL_TENSOR_SHAPE_MISMATCH, "transpose: %d axes for a tensor of rank %d", order.count, x->rank);
  }
  tl_tensor_type t = {.dtype = x->dtype, .rank = x->rank};
  bool used[TL_MAX_RANK] = {false};
  for (int i = 0; i < x->rank; i++) {
    int axis = 0;
    tl_status status = find_axis(r, "transpose", x->rank, order.count < 0 ? x->rank - 1 - i : order.axis[i], &axis);
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

tl_status tl__shape_broadcast(tl_shape_rules *r, const tl_tensor_type *x, int rank, const tl_extent *target,
                              tl_tensor_type *out) {
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
