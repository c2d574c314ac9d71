/* The derivative and batching rules of the ops on matrices, by implicit differentiation: a factorization is never
 * differentiated, its equation is. Written as such ops again, so that every rule has derivatives.
 *
 * In the formulas x' is a tangent, X a cotangent (of y it is Y), t the transpose, sym(x) = (x + xt)/2, and o the
 * product of elements. An op of a symmetric a is one of sym(a), so A is symmetric. */
#include "ops/ops.h"

static tl_type type_of(tl_builder *b, tl_value v) { return tl_build_type(b, v); }
static int rank_of(const tl_builder *b, tl_value v) { return tl_type_of(b->func, v).rank; }

static tl_value add(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_add, x, y); }
static tl_value sub(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_sub, x, y); }
static tl_value mul(tl_builder *b, tl_value x, tl_value y) { return tl_build_binary(b, TL_OP_mul, x, y); }
static tl_value neg(tl_builder *b, tl_value x) { return tl_build_unary(b, TL_OP_neg, x); }
static tl_value half(tl_builder *b, tl_value x) {
  return mul(b, x, tl_build_float(b, tl_type_of(b->func, x).dtype, 0.5L, NULL));
}

static tl_value matmul(tl_builder *b, tl_value x, tl_value y) {
  return tl_build_tensor(b, TL_OP_matmul, (tl_value[]){x, y}, NULL);
}

static tl_value unary(tl_builder *b, tl_opcode code, tl_value x) { return tl_build_tensor(b, code, &x, NULL); }

static tl_value turn(tl_builder *b, tl_value x) {
  int rank = rank_of(b, x);
  tl_axes order = {.count = rank};
  for (int i = 0; i < rank; i++) {
    order.axis[i] = (int8_t)(i < rank - 2 ? i : 2 * rank - 3 - i);
  }
  return tl_build_tensor(b, TL_OP_transpose, &x, &(tl_attr){.axes = order});
}

static tl_value sym(tl_builder *b, tl_value x) { return half(b, add(b, x, turn(b, x))); }

static tl_value triangle(tl_builder *b, tl_opcode code, tl_value x, int64_t diagonal) {
  return tl_build_tensor(b, code, &x, &(tl_attr){.integer = diagonal});
}

static tl_value lower(tl_builder *b, tl_value x) { return triangle(b, TL_OP_tril, x, 0); }
static tl_value below(tl_builder *b, tl_value x) { return triangle(b, TL_OP_tril, x, -1); }
static tl_value diagonal(tl_builder *b, tl_value x) { return triangle(b, TL_OP_triu, lower(b, x), 0); }

static tl_value by_triangle(tl_builder *b, tl_value a, tl_value x, bool upper, bool transposed, bool unit) {
  return tl_build_tensor(b, TL_OP_triangular_solve, (tl_value[]){a, x},
                         (tl_attr[]){{.integer = upper}, {.integer = transposed}, {.integer = unit}});
}

static tl_value to_shape(tl_builder *b, tl_opcode code, tl_value x, int rank, const tl_extent *dim) {
  return tl_build_tensor(b, code, &x, &(tl_attr){.shape = {rank, dim}});
}

static bool same_extent(tl_extent x, tl_extent y) { return x.value == y.value && (x.value || x.fixed == y.fixed); }

/* x summed to the shape, which broadcasts to its own. */
static tl_value sum_to(tl_builder *b, tl_value x, tl_type like) {
  tl_type t = type_of(b, x);
  bool same = t.rank == like.rank;
  for (int i = 0; same && i < t.rank; i++) {
    same = same_extent(t.extents[i], like.extents[i]);
  }
  return same ? x : to_shape(b, TL_OP_sum_to, x, like.rank, like.extents);
}

/* x with an axis of extent 1 at `axis`, or without it. */
static tl_value with_one(tl_builder *b, tl_value x, int axis) {
  tl_type t = type_of(b, x);
  tl_extent dim[TL_MAX_RANK];
  for (int i = 0; i <= t.rank; i++) {
    dim[i] = i == axis ? (tl_extent){.fixed = 1} : t.extents[i - (i > axis)];
  }
  return to_shape(b, TL_OP_reshape, x, t.rank + 1, dim);
}

static tl_value without_last(tl_builder *b, tl_value x) {
  tl_type t = type_of(b, x);
  return to_shape(b, TL_OP_reshape, x, t.rank - 1, t.extents);
}

/* A number per matrix times the matrix. */
static tl_value scaled(tl_builder *b, tl_value number, tl_value x) {
  tl_value each = with_one(b, with_one(b, number, rank_of(b, number)), rank_of(b, number) + 1);
  return mul(b, tl_build_broadcast(b, each, type_of(b, x)), x);
}

/* Over the last axes, so many. */
static tl_value sum_last(tl_builder *b, tl_value x, int count) {
  tl_axes axes = {.count = count, .axis = {-1, -2}};
  return tl_build_tensor(b, TL_OP_sum, &x, (tl_attr[]){{.axes = axes}, {.integer = 0}});
}

/* ---- triangles ---- */

tl_value tl__transpose_tril(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)args, (void)which;
  return triangle(b, TL_OP_tril, bar, op->attrs[0].integer);
}

tl_value tl__transpose_triu(tl_builder *b, const tl_op *op, const tl_value *args, uint32_t which, tl_value bar) {
  (void)args, (void)which;
  return triangle(b, TL_OP_triu, bar, op->attrs[0].integer);
}

/* ---- cholesky: a = l lt ---- */

/* l' = l F(l^-1 sym(a') l^-t), where F takes what is below the diagonal and half of the diagonal. */
tl_value tl__tangent_cholesky(tl_builder *b, const tl_op *op, const tl_value *args, tl_value l,
                              const tl_value *tangents) {
  (void)op, (void)args;
  tl_value x = by_triangle(b, l, sym(b, tangents[0]), false, false, false);
  x = turn(b, by_triangle(b, l, turn(b, x), false, false, false));
  return matmul(b, l, add(b, below(b, x), half(b, diagonal(b, x))));
}

/* A = l^-t (F(p) + F(p)t)/2 l^-1 of p = lt L: Murray, Differentiation of the Cholesky decomposition, 2016. */
tl_value tl__cotangent_cholesky(tl_builder *b, const tl_op *op, const tl_value *args, tl_value l, tl_value bar,
                                uint32_t which) {
  (void)op, (void)args, (void)which;
  tl_value p = matmul(b, turn(b, l), lower(b, bar)), strict = below(b, p);
  tl_value both = half(b, add(b, add(b, strict, turn(b, strict)), diagonal(b, p)));
  tl_value x = by_triangle(b, l, both, false, true, false);
  return sym(b, by_triangle(b, l, turn(b, x), false, true, false));
}

/* ---- x with op(a) x = b ---- */

/* What a cotangent of a sum of matrices is for a: op(a)' x is in the equation, so it is -(B xt), turned where a is. */
static tl_value of_matrix(tl_builder *b, tl_value bar, tl_value x, bool transposed) {
  return neg(b, transposed ? matmul(b, x, turn(b, bar)) : matmul(b, bar, turn(b, x)));
}

static tl_value matrix_tangent(tl_builder *b, const tl_op *op, tl_value a) {
  if (op->code == TL_OP_solve_spd) {
    return sym(b, a);
  }
  if (op->code == TL_OP_triangular_solve) {
    bool upper = op->attrs[0].integer, unit = op->attrs[2].integer;
    return triangle(b, upper ? TL_OP_triu : TL_OP_tril, a, !unit ? 0 : upper ? 1 : -1);
  }
  return a;
}

static bool is_transposed(const tl_op *op) {
  return op->code == TL_OP_solve_spd ? false : op->attrs[op->code == TL_OP_triangular_solve].integer != 0;
}

/* x' = op(a)^-1 (b' - op(a)' x) */
static tl_value solution_tangent(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x,
                                 const tl_value *tangents) {
  bool is_column = rank_of(b, args[1]) == 1;
  tl_value right = tangents[1];
  if (tangents[0]) {
    tl_value a = matrix_tangent(b, op, tangents[0]);
    tl_value column = is_column ? with_one(b, x, rank_of(b, x)) : x;
    tl_value moved = neg(b, matmul(b, is_transposed(op) ? turn(b, a) : a, column));
    moved = is_column ? without_last(b, moved) : moved;
    if (right) {
      tl_type t = type_of(b, moved);
      right = add(b, tl_build_tensor(b, TL_OP_broadcast, &right, &(tl_attr){.shape = {t.rank, t.extents}}), moved);
    } else {
      right = moved;
    }
  }
  /* A column per matrix is no column for all. */
  bool grown = is_column && rank_of(b, right) > 1;
  right = grown ? with_one(b, right, rank_of(b, right)) : right;
  tl_value v = tl_build_tensor(b, op->code, (tl_value[]){args[0], right}, op->attrs);
  return grown ? without_last(b, v) : v;
}

/* B = op(a)^-t X, A = -(B xt) where a is as it stands, else -(x Bt). */
static tl_value solution_cotangent(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x, tl_value bar,
                                   uint32_t which) {
  bool is_column = rank_of(b, args[1]) == 1, transposed = is_transposed(op);
  tl_attr attrs[3];
  for (int i = 0; i < tl_op_table[op->code].attr_count; i++) {
    attrs[i] = op->attrs[i];
  }
  if (op->code != TL_OP_solve_spd) {
    attrs[op->code == TL_OP_triangular_solve].integer = !transposed;
  }
  bar = is_column ? with_one(b, bar, rank_of(b, bar)) : bar;
  tl_value right = tl_build_tensor(b, op->code, (tl_value[]){args[0], bar}, attrs);
  if (which == 1) {
    return sum_to(b, is_column ? without_last(b, right) : right, type_of(b, args[1]));
  }
  tl_value column = is_column ? with_one(b, x, rank_of(b, x)) : x;
  return sum_to(b, matrix_tangent(b, op, of_matrix(b, right, column, transposed)), type_of(b, args[0]));
}

#define SOLUTION(name)                                                                                                 \
  tl_value tl__tangent_##name(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x,                        \
                              const tl_value *tangents) {                                                              \
    return solution_tangent(b, op, args, x, tangents);                                                                 \
  }                                                                                                                    \
  tl_value tl__cotangent_##name(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x, tl_value bar,        \
                                uint32_t which) {                                                                      \
    return solution_cotangent(b, op, args, x, bar, which);                                                             \
  }
SOLUTION(triangular_solve)
SOLUTION(solve)
SOLUTION(solve_spd)

/* ---- inverses: x' = -x a' x, A = -xt X xt ---- */

static tl_value between(tl_builder *b, tl_value x, tl_value a) { return neg(b, matmul(b, matmul(b, x, a), x)); }

tl_value tl__tangent_inverse(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x,
                             const tl_value *tangents) {
  (void)op, (void)args;
  return between(b, x, tangents[0]);
}

tl_value tl__cotangent_inverse(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x, tl_value bar,
                               uint32_t which) {
  (void)op, (void)args, (void)which;
  return between(b, turn(b, x), bar);
}

tl_value tl__tangent_inv_spd(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x,
                             const tl_value *tangents) {
  (void)op, (void)args;
  return between(b, x, sym(b, tangents[0]));
}

tl_value tl__cotangent_inv_spd(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x, tl_value bar,
                               uint32_t which) {
  (void)op, (void)args, (void)which;
  return between(b, x, sym(b, bar));
}

/* ---- determinants ---- */

/* The gradient: of det a it is det a a^-t, of log |det a| a^-t. */
static tl_value gradient(tl_builder *b, const tl_op *op, tl_value a) {
  return op->code == TL_OP_log_det_spd ? unary(b, TL_OP_inv_spd, a) : turn(b, unary(b, TL_OP_inverse, a));
}

static tl_value number_tangent(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result, tl_value a) {
  tl_value trace = sum_last(b, mul(b, gradient(b, op, args[0]), a), 2);
  return op->code == TL_OP_det ? mul(b, result, trace) : trace;
}

static tl_value number_cotangent(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result, tl_value bar) {
  return scaled(b, op->code == TL_OP_det ? mul(b, bar, result) : bar, gradient(b, op, args[0]));
}

#define NUMBER(name)                                                                                                   \
  tl_value tl__tangent_##name(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,                   \
                              const tl_value *tangents) {                                                              \
    return number_tangent(b, op, args, result, tangents[0]);                                                           \
  }                                                                                                                    \
  tl_value tl__cotangent_##name(tl_builder *b, const tl_op *op, const tl_value *args, tl_value result, tl_value bar,   \
                                uint32_t which) {                                                                      \
    (void)which;                                                                                                       \
    return number_cotangent(b, op, args, result, bar);                                                                 \
  }
NUMBER(det)
NUMBER(log_det_spd)
NUMBER(slogdet_log)

/* ---- lu: p a = l u ---- */

/* The rows of x, a matrix of a's shape, in the order of the factors, and back. */
static tl_value permuted(tl_builder *b, tl_value a, tl_value x, bool back) {
  int axis = rank_of(b, a) - 2;
  tl_attr attrs[] = {{.integer = axis}, {.integer = TL_INDEX_CLIP}, {.integer = axis}};
  tl_value order = unary(b, TL_OP_lu_permutation, a);
  return back ? tl_build_tensor(b, TL_OP_scatter_add, (tl_value[]){tl_build_zero_like(b, a), order, x}, attrs)
              : tl_build_tensor(b, TL_OP_gather, (tl_value[]){x, order}, attrs);
}

/* l' = l below(m), u' = (m - below(m)) u of m = l^-1 p a' u^-1 */
tl_value tl__tangent_lu(tl_builder *b, const tl_op *op, const tl_value *args, tl_value lu, const tl_value *tangents) {
  (void)op;
  tl_value m = by_triangle(b, lu, permuted(b, args[0], tangents[0], false), false, false, true);
  m = turn(b, by_triangle(b, lu, turn(b, m), true, true, false));
  tl_value l = below(b, m), u = triangle(b, TL_OP_triu, m, 0);
  l = add(b, l, below(b, matmul(b, below(b, lu), l)));
  u = matmul(b, u, triangle(b, TL_OP_triu, lu, 0));
  return add(b, l, triangle(b, TL_OP_triu, u, 0));
}

/* p A = l^-t (below(lt L) + what is not below of U ut) u^-t */
tl_value tl__cotangent_lu(tl_builder *b, const tl_op *op, const tl_value *args, tl_value lu, tl_value bar,
                          uint32_t which) {
  (void)op, (void)which;
  tl_value l = below(b, bar), u = triangle(b, TL_OP_triu, bar, 0);
  l = below(b, add(b, l, matmul(b, turn(b, below(b, lu)), l)));
  u = triangle(b, TL_OP_triu, matmul(b, u, turn(b, triangle(b, TL_OP_triu, lu, 0))), 0);
  tl_value x = by_triangle(b, lu, add(b, l, u), false, true, true);
  x = turn(b, by_triangle(b, lu, turn(b, x), true, false, false));
  return permuted(b, args[0], x, true);
}

/* ---- tridiagonal_solve ---- */

/* x[i + step] along an axis at i; 0 beyond the ends. The places are those of equal elements in their order. */
static tl_value shifted(tl_builder *b, tl_value x, int axis, int step) {
  tl_type t = {.dtype = TL_I32, .is_tensor = true, .rank = 1, .extents = type_of(b, x).extents + axis};
  tl_value line = tl_build_broadcast(b, tl_build_zero(b, TL_I32), t);
  line = tl_build_tensor(b, TL_OP_argsort, &line, (tl_attr[]){{.integer = 0}, {.integer = 0}});
  tl_value places = add(b, line, tl_build_int(b, TL_I64, step));
  return tl_build_tensor(b, TL_OP_gather, (tl_value[]){x, places},
                         (tl_attr[]){{.integer = axis}, {.integer = TL_INDEX_DROP}, {.integer = 0}});
}

static tl_value along_rows(tl_builder *b, tl_value line, tl_value like) {
  return tl_build_broadcast(b, with_one(b, line, rank_of(b, line)), type_of(b, like));
}

/* x[i-1], x[i] or x[i+1], which the diagonals 0, 1 and 2 multiply. */
static tl_value neighbour(tl_builder *b, tl_value x, uint32_t diagonal) {
  return diagonal == 1 ? x : shifted(b, x, rank_of(b, x) - 2, (int)diagonal - 1);
}

/* x' = t^-1 (b' - t' x) */
tl_value tl__tangent_tridiagonal_solve(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x,
                                       const tl_value *tangents) {
  tl_value right = tangents[3];
  for (uint32_t k = 0; k < 3; k++) {
    if (tangents[k]) {
      tl_value term = neg(b, mul(b, along_rows(b, tangents[k], x), neighbour(b, x, k)));
      right = right ? add(b, right, term) : term;
    }
  }
  return tl_build_tensor(b, op->code, (tl_value[]){args[0], args[1], args[2], right}, NULL);
}

/* B = t^-t X; of a diagonal -(the sum of B o what it multiplies, over the columns) */
tl_value tl__cotangent_tridiagonal_solve(tl_builder *b, const tl_op *op, const tl_value *args, tl_value x, tl_value bar,
                                         uint32_t which) {
  int axis = rank_of(b, args[0]) - 1;
  tl_value before = shifted(b, args[2], axis, -1), after = shifted(b, args[0], axis, 1);
  tl_value right = tl_build_tensor(b, op->code, (tl_value[]){before, args[1], after, bar}, NULL);
  return which == 3 ? right : neg(b, sum_last(b, mul(b, right, neighbour(b, x, which)), 1));
}

/* ---- qr: a = q r with qt q = 1; of full column rank ---- */

/* a' r^-1 */
static tl_value over_r(tl_builder *b, tl_value r, tl_value a) {
  return turn(b, by_triangle(b, r, turn(b, a), true, true, false));
}

/* w = qt a' r^-1 is the sum of an antisymmetric matrix, which moves q, and of an upper one, which moves r; the first
 * is what is below the diagonal of w, less its transpose. */
static tl_value rotation(tl_builder *b, tl_value w) { return sub(b, below(b, w), turn(b, below(b, w))); }

/* q' = a' r^-1 + q (o - w), o the rotation of w */
tl_value tl__tangent_qr_q(tl_builder *b, const tl_op *op, const tl_value *args, tl_value q, const tl_value *tangents) {
  (void)op;
  tl_value x = over_r(b, unary(b, TL_OP_qr_r, args[0]), tangents[0]), w = matmul(b, turn(b, q), x);
  return add(b, x, matmul(b, q, sub(b, rotation(b, w), w)));
}

/* r' = (w - o) r */
tl_value tl__tangent_qr_r(tl_builder *b, const tl_op *op, const tl_value *args, tl_value r, const tl_value *tangents) {
  (void)op;
  tl_value q = unary(b, TL_OP_qr_q, args[0]), w = matmul(b, turn(b, q), over_r(b, r, tangents[0]));
  return triangle(b, TL_OP_triu, matmul(b, sub(b, w, rotation(b, w)), r), 0);
}

/* The symmetric matrix that is m on and below the diagonal. */
static tl_value mirrored(tl_builder *b, tl_value m) { return add(b, lower(b, m), turn(b, below(b, m))); }

/* A = (Q - q mirrored(Qt q)) r^-t */
tl_value tl__cotangent_qr_q(tl_builder *b, const tl_op *op, const tl_value *args, tl_value q, tl_value bar,
                            uint32_t which) {
  (void)op, (void)which;
  tl_value m = mirrored(b, matmul(b, turn(b, bar), q)), r = unary(b, TL_OP_qr_r, args[0]);
  return turn(b, by_triangle(b, r, turn(b, sub(b, bar, matmul(b, q, m))), true, false, false));
}

/* A = q mirrored(r Rt) r^-t, of the upper triangle of R */
tl_value tl__cotangent_qr_r(tl_builder *b, const tl_op *op, const tl_value *args, tl_value r, tl_value bar,
                            uint32_t which) {
  (void)op, (void)which;
  tl_value q = unary(b, TL_OP_qr_q, args[0]);
  tl_value m = mirrored(b, matmul(b, r, turn(b, triangle(b, TL_OP_triu, bar, 0))));
  return turn(b, by_triangle(b, r, turn(b, matmul(b, q, m)), true, false, false));
}

/* ---- eigh: sym(a) v = v diag(w) ---- */

/* w' = diag(vt sym(a') v) */
tl_value tl__tangent_eigh_values(tl_builder *b, const tl_op *op, const tl_value *args, tl_value w,
                                 const tl_value *tangents) {
  (void)op, (void)w;
  tl_value v = unary(b, TL_OP_eigh_vectors, args[0]);
  tl_value each = mul(b, v, matmul(b, sym(b, tangents[0]), v));
  tl_axes rows = {1, {-2}};
  return tl_build_tensor(b, TL_OP_sum, &each, (tl_attr[]){{.axes = rows}, {.integer = 0}});
}

/* A = v diag(W) vt */
tl_value tl__cotangent_eigh_values(tl_builder *b, const tl_op *op, const tl_value *args, tl_value w, tl_value bar,
                                   uint32_t which) {
  (void)op, (void)w, (void)which;
  tl_value v = unary(b, TL_OP_eigh_vectors, args[0]);
  tl_value row = tl_build_broadcast(b, with_one(b, bar, rank_of(b, bar) - 1), type_of(b, v));
  return matmul(b, mul(b, v, row), turn(b, v));
}

/* 1/(w_j - w_i) at [i, j], 0 on the diagonal; infinite where two eigenvalues are the same. */
static tl_value gaps(tl_builder *b, tl_value a, tl_value v) {
  tl_value w = unary(b, TL_OP_eigh_values, a), one = unary(b, TL_OP_identity_like, v);
  tl_type t = type_of(b, v);
  tl_value row = tl_build_broadcast(b, with_one(b, w, rank_of(b, w) - 1), t);
  tl_value column = tl_build_broadcast(b, with_one(b, w, rank_of(b, w)), t);
  tl_value unit = tl_build_float(b, t.dtype, 1, NULL);
  return sub(b, tl_build_binary(b, TL_OP_div, unit, add(b, one, sub(b, row, column))), one);
}

/* v' = v (gaps o (vt sym(a') v)) */
tl_value tl__tangent_eigh_vectors(tl_builder *b, const tl_op *op, const tl_value *args, tl_value v,
                                  const tl_value *tangents) {
  (void)op;
  tl_value m = matmul(b, turn(b, v), matmul(b, sym(b, tangents[0]), v));
  return matmul(b, v, mul(b, gaps(b, args[0], v), m));
}

/* A = sym(v (gaps o (vt V)) vt) */
tl_value tl__cotangent_eigh_vectors(tl_builder *b, const tl_op *op, const tl_value *args, tl_value v, tl_value bar,
                                    uint32_t which) {
  (void)op, (void)which;
  tl_value m = mul(b, gaps(b, args[0], v), matmul(b, turn(b, v), bar));
  return sym(b, matmul(b, matmul(b, v, m), turn(b, v)));
}

/* ---- batches: the matrices are the last axes, so one more in front changes nothing ---- */

#define IN_FRONT(name)                                                                                                 \
  tl_value tl__batch_##name(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) { \
    (void)type, (void)batched;                                                                                         \
    return tl_build_tensor(b, op->code, args, op->attrs);                                                              \
  }
IN_FRONT(tril)
IN_FRONT(triu)
IN_FRONT(identity_like)
IN_FRONT(cholesky)
IN_FRONT(inverse)
IN_FRONT(inv_spd)
IN_FRONT(det)
IN_FRONT(log_det_spd)
IN_FRONT(slogdet_sign)
IN_FRONT(slogdet_log)
IN_FRONT(lu)
IN_FRONT(lu_permutation)
IN_FRONT(qr_q)
IN_FRONT(qr_r)
IN_FRONT(eigh_values)
IN_FRONT(eigh_vectors)

/* x with ones behind the batch's axis, so that an example has rank `to`. */
static tl_value lift(tl_builder *b, tl_value x, int to) {
  while (rank_of(b, x) < to + 1) {
    x = with_one(b, x, 1);
  }
  return x;
}

/* The axes in front of the matrices are broadcast. A column per example is a matrix of one. */
static tl_value batch_solution(tl_builder *b, const tl_op *op, const tl_value *args, const bool *batched) {
  tl_value a = args[0], x = args[1];
  bool is_column = rank_of(b, x) - batched[1] == 1;
  x = is_column ? with_one(b, x, rank_of(b, x)) : x;
  int ra = rank_of(b, a) - batched[0], rx = rank_of(b, x) - batched[1], most = ra > rx ? ra : rx;
  a = batched[0] ? lift(b, a, most) : a;
  x = batched[1] ? lift(b, x, most) : x;
  tl_value v = tl_build_tensor(b, op->code, (tl_value[]){a, x}, op->attrs);
  return is_column ? without_last(b, v) : v;
}

#define SOLUTIONS(name)                                                                                                \
  tl_value tl__batch_##name(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args, const bool *batched) { \
    (void)type;                                                                                                        \
    return batch_solution(b, op, args, batched);                                                                       \
  }
SOLUTIONS(triangular_solve)
SOLUTIONS(solve)
SOLUTIONS(solve_spd)

/* What is shared is repeated, as a view. */
tl_value tl__batch_tridiagonal_solve(tl_builder *b, const tl_op *op, tl_type type, const tl_value *args,
                                     const bool *batched) {
  (void)type;
  tl_value operands[4];
  tl_extent batch = {.fixed = 0};
  for (int i = 0; i < 4; i++) {
    batch = batched[i] ? type_of(b, args[i]).extents[0] : batch;
  }
  for (int i = 0; i < 4; i++) {
    tl_type t = type_of(b, args[i]);
    tl_extent dim[TL_MAX_RANK] = {batch};
    tl_extents_copy(dim + 1, t.extents, t.rank);
    operands[i] = batched[i] ? args[i] : to_shape(b, TL_OP_broadcast, args[i], t.rank + 1, dim);
  }
  return tl_build_tensor(b, op->code, operands, NULL);
}
