/* The rules of types of ops on matrices: the last two axes, those in front any. */
#include "ir/shape_priv.h"

/* Operand `at` is one of the axes that an op on matrices has, of floats. */
static tl_status need_matrix(tl_shape_rules *r, const char *op, int at, const tl_tensor_type *x) {
  return x->rank >= 2 ? TL_OK
                      : tl__shape_fail(r, at, TL_TENSOR_SHAPE_MISMATCH,
                                       "%s: operand %d has rank %d; a matrix has 2 or more", op, at, x->rank);
}

static tl_status need_square(tl_shape_rules *r, const char *op, const tl_tensor_type *x) {
  tl_status status = need_matrix(r, op, 0, x);
  if (status != TL_OK) {
    return status;
  }
  tl_extent m = x->dim[x->rank - 2], n = x->dim[x->rank - 1];
  return tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed
             ? tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH, "%s: the matrix has %lld rows and %lld columns", op,
                              (long long)m.fixed, (long long)n.fixed)
             : TL_OK;
}

static tl_status need_float_square(tl_shape_rules *r, const char *op, const tl_tensor_type *x) {
  tl_status status = tl__shape_need_float(r, op, 0, x->dtype);
  return status == TL_OK ? need_square(r, op, x) : status;
}

/* A symmetric matrix: its rows and its columns are one axis. *out has its name and bound in both places. */
static tl_status symmetric(tl_shape_rules *r, const char *op, const tl_tensor_type *x, tl_tensor_type *out) {
  tl_tensor_type t = *x;
  tl_status status = need_float_square(r, op, x);
  if (status == TL_OK) {
    status = tl__shape_align(r, op, 0, x, x->rank - 2, x, x->rank - 1, &t, x->rank - 1);
  }
  if (status == TL_OK) {
    tl_extent n = x->dim[x->rank - 1];
    t.dim[x->rank - 1] = tl__extent_is_number(n) ? n : x->dim[x->rank - 2];
    tl__shape_take(&t, x->rank - 2, &t, x->rank - 1);
    *out = t;
  }
  return status;
}

static void forget(tl_tensor_type *t, int axis) {
  t->axis[axis] = NULL;
  t->bound[axis] = NULL;
}

tl_status tl__shape_tril(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_status status = need_matrix(r, "tril", 0, x);
  *out = *x;
  return status;
}

tl_status tl__shape_triu(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_status status = need_matrix(r, "triu", 0, x);
  *out = *x;
  return status;
}

tl_status tl__shape_identity_like(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                  tl_tensor_type *out) {
  (void)attrs;
  tl_status status = need_square(r, "identity_like", x);
  *out = *x;
  return status;
}

/* The columns of the factor are no axis of a's. */
tl_status tl__shape_cholesky(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_status status = symmetric(r, "cholesky", x, out);
  if (status == TL_OK) {
    forget(out, out->rank - 1);
  }
  return status;
}

/* x with op(a) x = b: b's rows are op(a)'s, and x's are its columns. */
static tl_status solution(tl_shape_rules *r, const char *op, const tl_tensor_type *a, const tl_tensor_type *b,
                          bool transposed, tl_tensor_type *out) {
  tl_status status = need_float_square(r, op, a);
  if (status == TL_OK) {
    status = tl__shape_alike(r, op, 0, a->dtype, 1, b->dtype);
  }
  if (status != TL_OK) {
    return status;
  }
  if (!b->rank) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: operand 1 has rank 0", op);
  }
  int rows = a->rank - (transposed ? 1 : 2), columns = a->rank - (transposed ? 2 : 1), own = b->rank > 1 ? 2 : 1;
  tl_tensor_type met;
  tl_extent m = a->dim[rows], n = b->dim[b->rank - own];
  status = tl__shape_align(r, op, 1, a, rows, b, b->rank - own, &met, 0);
  if (status == TL_OK) {
    status = tl__shape_within(r, op, 1, rows, m, b->bound[b->rank - own]);
  }
  if (status == TL_OK) {
    status = tl__shape_within(r, op, 1, b->rank - own, n, a->bound[rows]);
  }
  if (status != TL_OK) {
    return status;
  }
  if (tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: the matrix has %lld rows, operand 1 %lld", op,
                          (long long)m.fixed, (long long)n.fixed);
  }
  tl_tensor_type fa = *a, fb = *b, t = {.dtype = a->dtype};
  fa.rank = a->rank - 2;
  fb.rank = b->rank - own;
  status = tl__shape_join(r, op, 1, &fa, &fb, &t);
  if (status != TL_OK) {
    return status;
  }
  if (t.rank + own > TL_MAX_RANK) {
    return tl__shape_fail(r, 1, TL_TENSOR_SHAPE_MISMATCH, "%s: the result would have rank %d", op, t.rank + own);
  }
  tl__shape_take(&t, t.rank++, a, columns);
  if (own == 2) {
    tl__shape_take(&t, t.rank++, b, b->rank - 1);
  }
  *out = t;
  return TL_OK;
}

tl_status tl__shape_triangular_solve(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                     tl_tensor_type *out) {
  return solution(r, "triangular_solve", &x[0], &x[1], attrs[1].integer != 0, out);
}

tl_status tl__shape_solve(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  return solution(r, "solve", &x[0], &x[1], attrs[0].integer != 0, out);
}

tl_status tl__shape_solve_spd(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_tensor_type a;
  tl_status status = symmetric(r, "solve_spd", &x[0], &a);
  return status != TL_OK ? status : solution(r, "solve_spd", &a, &x[1], false, out);
}

tl_status tl__shape_inverse(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_tensor_type t = *x;
  tl_status status = need_float_square(r, "inverse", x);
  if (status == TL_OK) {
    tl__shape_take(&t, x->rank - 1, x, x->rank - 2);
    tl__shape_take(&t, x->rank - 2, x, x->rank - 1);
    *out = t;
  }
  return status;
}

tl_status tl__shape_inv_spd(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  return symmetric(r, "inv_spd", x, out);
}

/* A number per matrix. */
static tl_status number(tl_shape_rules *r, const char *op, const tl_tensor_type *x, tl_tensor_type *out) {
  tl_status status = need_float_square(r, op, x);
  *out = *x;
  out->rank = x->rank - 2;
  return status;
}

tl_status tl__shape_det(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  return number(r, "det", x, out);
}

tl_status tl__shape_log_det_spd(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_tensor_type a;
  tl_status status = symmetric(r, "log_det_spd", x, &a);
  return status != TL_OK ? status : number(r, "log_det_spd", &a, out);
}

tl_status tl__shape_slogdet_sign(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                 tl_tensor_type *out) {
  (void)attrs;
  return number(r, "slogdet_sign", x, out);
}

tl_status tl__shape_slogdet_log(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  return number(r, "slogdet_log", x, out);
}

tl_status tl__shape_lu(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_status status = need_float_square(r, "lu", x);
  *out = *x;
  if (status == TL_OK) {
    forget(out, x->rank - 1);
    forget(out, x->rank - 2);
  }
  return status;
}

tl_status tl__shape_lu_permutation(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                   tl_tensor_type *out) {
  (void)attrs;
  tl_status status = need_float_square(r, "lu_permutation", x);
  *out = *x;
  if (status == TL_OK) {
    out->dtype = TL_I64;
    forget(out, --out->rank - 1);
  }
  return status;
}

/* The diagonals have the axes of b but its last one. */
tl_status tl__shape_tridiagonal_solve(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                      tl_tensor_type *out) {
  (void)attrs;
  const char *op = "tridiagonal_solve";
  tl_tensor_type t = x[3];
  tl_status status = tl__shape_need_float(r, op, 0, x[0].dtype);
  for (int k = 1; status == TL_OK && k < 4; k++) {
    status = tl__shape_alike(r, op, 0, x[0].dtype, k, x[k].dtype);
  }
  if (status == TL_OK) {
    status = need_matrix(r, op, 3, &x[3]);
  }
  for (int k = 0; status == TL_OK && k < 3; k++) {
    if (x[k].rank != t.rank - 1) {
      return tl__shape_fail(r, k, TL_TENSOR_SHAPE_MISMATCH, "%s: operand %d has rank %d, operand 3 %d", op, k,
                            x[k].rank, t.rank);
    }
    for (int i = 0; status == TL_OK && i < x[k].rank; i++) {
      tl_extent m = x[k].dim[i], n = t.dim[i];
      status = tl__shape_align(r, op, k, &x[k], i, &t, i, &t, i);
      if (status == TL_OK && tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed != n.fixed) {
        return tl__shape_fail(r, k, TL_TENSOR_SHAPE_MISMATCH,
                              "%s: axis %d of operand %d has extent %lld, of operand 3 %lld", op, i, k,
                              (long long)m.fixed, (long long)n.fixed);
      }
      t.dim[i] = tl__extent_is_number(n) ? n : m;
    }
  }
  *out = t;
  return status;
}

static tl_status need_tall(tl_shape_rules *r, const char *op, const tl_tensor_type *x) {
  tl_status status = tl__shape_need_float(r, op, 0, x->dtype);
  if (status == TL_OK) {
    status = need_matrix(r, op, 0, x);
  }
  if (status != TL_OK) {
    return status;
  }
  tl_extent m = x->dim[x->rank - 2], n = x->dim[x->rank - 1];
  return tl__extent_is_number(m) && tl__extent_is_number(n) && m.fixed < n.fixed
             ? tl__shape_fail(r, 0, TL_TENSOR_SHAPE_MISMATCH,
                              "%s: the matrix has %lld rows and %lld columns, which are more", op, (long long)m.fixed,
                              (long long)n.fixed)
             : TL_OK;
}

tl_status tl__shape_qr_q(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_status status = need_tall(r, "qr_q", x);
  *out = *x;
  if (status == TL_OK) {
    forget(out, x->rank - 1);
  }
  return status;
}

tl_status tl__shape_qr_r(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_status status = need_tall(r, "qr_r", x);
  *out = *x;
  if (status == TL_OK) {
    out->dim[x->rank - 2] = x->dim[x->rank - 1];
    forget(out, x->rank - 2);
  }
  return status;
}

tl_status tl__shape_eigh_values(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs, tl_tensor_type *out) {
  (void)attrs;
  tl_status status = symmetric(r, "eigh_values", x, out);
  if (status == TL_OK) {
    out->rank--;
    forget(out, out->rank - 1);
  }
  return status;
}

tl_status tl__shape_eigh_vectors(tl_shape_rules *r, const tl_tensor_type *x, const tl_attr *attrs,
                                 tl_tensor_type *out) {
  (void)attrs;
  tl_status status = symmetric(r, "eigh_vectors", x, out);
  if (status == TL_OK) {
    forget(out, out->rank - 1);
  }
  return status;
}
