/* Ops on matrices in float and double, on both sides of the number of rows where LAPACK takes over, of views and
 * batches: what each result must satisfy, and the numbers that LAPACK's drivers give where they are called directly.
 * Then what is not positive definite, singular or not finite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "random.h"
#include "tlaloc/tensor.h"

enum { MOST = 100 };
static const int sizes[] = {1, 2, 3, 4, 7, 16, 32, 33, 34, 65, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- matrices as doubles, by rows ---- */

static double *new_matrix(int64_t count) {
  double *x = calloc((size_t)count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

/* Numbers that float holds. */
static double *random_matrix(int m, int n) {
  double *x = new_matrix((int64_t)m * n);
  for (int64_t i = 0; i < (int64_t)m * n; i++) {
    x[i] = (float)random_double(-1, 1);
  }
  return x;
}

static double *random_spd(int n) {
  double *x = random_matrix(n, n), *a = new_matrix((int64_t)n * n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      double s = i == k;
      for (int q = 0; q < n; q++) {
        s += x[i * n + q] * x[k * n + q];
      }
      a[i * n + k] = a[k * n + i] = (float)s;
    }
  }
  free(x);
  return a;
}

static double *read_out(tl_tensor x) {
  if (tl_status_of(x) != TL_OK) {
    fail_msg("%s", tl_message_of(x));
  }
  int64_t count = 1;
  for (int i = 0; i < tl_shape_of(x).rank; i++) {
    count *= tl_shape_of(x).dim[i];
  }
  double *out = new_matrix(count);
  assert_int_equal(tl_read(tl_cast(x, TL_F64), out, (size_t)count * sizeof *out), TL_OK);
  return out;
}

/* As a tensor of the dtype; `way` 1: a view of its transpose. */
static tl_tensor tensor_of(tl_dtype d, int m, int n, const double *x, int way) {
  if (way == 0) {
    return tl_cast(tl_from(TL_F64, TL_SHAPE(m, n), x), d);
  }
  double *turned = new_matrix((int64_t)m * n);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < n; k++) {
      turned[k * m + i] = x[i * n + k];
    }
  }
  tl_tensor t = tl_transpose(tl_cast(tl_from(TL_F64, TL_SHAPE(n, m), turned), d), TL_ALL);
  free(turned);
  return t;
}

static double epsilon(tl_dtype d) { return d == TL_F32 ? FLT_EPSILON : DBL_EPSILON; }

static double largest(const double *x, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

/* Within `ulps` times what the dtype rounds the largest element by. */
static void near(const char *what, int n, tl_dtype d, int64_t count, const double *got, const double *want,
                 double ulps) {
  double scale = largest(want, count);
  for (int64_t i = 0; i < count; i++) {
    if (!(fabs(got[i] - want[i]) <= ulps * epsilon(d) * scale)) {
      fail_msg("%s of %d in %s: element %lld is %.17g, not %.17g: %.3g ulps", what, n, d == TL_F32 ? "f32" : "f64",
               (long long)i, got[i], want[i], fabs(got[i] - want[i]) / (epsilon(d) * scale));
    }
  }
}

/* x y, where either may be turned. */
static double *product(int m, int inner, int n, const double *x, bool turn_x, const double *y, bool turn_y) {
  double *out = new_matrix((int64_t)m * n);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < n; k++) {
      long double s = 0;
      for (int q = 0; q < inner; q++) {
        s += (long double)(turn_x ? x[q * m + i] : x[i * inner + q]) * (turn_y ? y[k * inner + q] : y[q * n + k]);
      }
      out[i * n + k] = (double)s;
    }
  }
  return out;
}

static double *identity(int n) {
  double *x = new_matrix((int64_t)n * n);
  for (int i = 0; i < n; i++) {
    x[i * n + i] = 1;
  }
  return x;
}

typedef void check(int n, tl_dtype d, int way);

static void everywhere(check *run) {
  for (int s = 0; s < SIZES; s++) {
    for (int way = 0; way < 2; way++) {
      tl_scope scope = tl_scope_open();
      run(sizes[s], TL_F32, way);
      run(sizes[s], TL_F64, way);
      tl_scope_close(scope);
    }
  }
}

/* ---- equations ---- */

static void check_cholesky(int n, tl_dtype d, int way) {
  double *a = random_spd(n), *l = read_out(tl_cholesky(tensor_of(d, n, n, a, way)));
  double *again = product(n, n, n, l, false, l, true);
  near("l l'", n, d, n * n, again, a, n + 2);
  for (int i = 0; i < n; i++) {
    assert_true(l[i * n + i] > 0);
    for (int k = i + 1; k < n; k++) {
      assert_true(l[i * n + k] == 0 && !signbit(l[i * n + k]));
    }
  }
  double log_det = 0, got = tl_item(tl_log_det_spd(tensor_of(d, n, n, a, way)));
  for (int i = 0; i < n; i++) {
    log_det += 2 * log(l[i * n + i]);
  }
  assert_true(fabs(got - log_det) <= 8 * n * epsilon(d) * (1 + fabs(log_det)));
  free(a);
  free(l);
  free(again);
}

static void check_inverse_spd(int n, tl_dtype d, int way) {
  double *a = random_spd(n), *one = identity(n), *b = random_matrix(n, 3);
  double *x = read_out(tl_inv_spd(tensor_of(d, n, n, a, way)));
  double *y = read_out(tl_solve_spd(tensor_of(d, n, n, a, 0), tensor_of(d, n, 3, b, way)));
  double *ax = product(n, n, n, a, false, x, false), *ay = product(n, n, 3, a, false, y, false);
  double size = largest(a, n * n) * n;
  near("a a^-1", n, d, n * n, ax, one, 4 * size);
  near("a x", n, d, 3 * n, ay, b, 4 * size);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      assert_true(x[i * n + k] == x[k * n + i]);
    }
  }
  free(a), free(one), free(b), free(x), free(y), free(ax), free(ay);
}

/* The residual of a backward stable solution is a few roundings of |a| |x|. */
static void check_solve(int n, tl_dtype d, int way) {
  double *a = random_matrix(n, n), *b = random_matrix(n, 2);
  for (int transposed = 0; transposed < 2; transposed++) {
    tl_tensor ta = tensor_of(d, n, n, a, way), tb = tensor_of(d, n, 2, b, way);
    double *x = read_out(tl_solve(ta, tb, transposed));
    double *ax = product(n, n, 2, a, transposed, x, false);
    double most = 4 * n * epsilon(d) * n * largest(a, n * n) * largest(x, 2 * n);
    for (int i = 0; i < 2 * n; i++) {
      assert_true(fabs(ax[i] - b[i]) <= most);
    }
    free(x), free(ax);
  }
  free(a), free(b);
}

static void check_triangular(int n, tl_dtype d, int way) {
  for (int kind = 0; kind < 8; kind++) {
    bool upper = kind & 1, transposed = kind & 2, unit = kind & 4;
    double *a = random_matrix(n, n), *b = random_matrix(n, 2), *t = new_matrix(n * n);
    for (int i = 0; i < n; i++) { /* well conditioned; NaN where nothing is read */
      for (int k = 0; k < n; k++) {
        bool inside = i == k ? !unit : (k > i) == upper;
        a[i * n + k] = !inside ? NAN : (float)(i == k ? 2 + fabs(a[i * n + k]) : a[i * n + k] / (4 * n));
        t[i * n + k] = inside ? a[i * n + k] : i == k;
      }
    }
    double *x = read_out(tl_triangular_solve(tensor_of(d, n, n, a, way), tensor_of(d, n, 2, b, way),
                                             (tl_triangular_solve_opts){upper, transposed, unit}));
    double *tx = product(n, n, 2, t, transposed, x, false);
    near("t x", n, d, 2 * n, tx, b, 8 * n);
    free(a), free(b), free(t), free(x), free(tx);
  }
}

/* The rows of a in their order are l u, whose multipliers are at most 1. */
static void check_lu(int n, tl_dtype d, int way) {
  double *a = random_matrix(n, n), *p = new_matrix(n * n), *l = identity(n), *u = new_matrix(n * n);
  tl_tensor x = tensor_of(d, n, n, a, way), order = tl_lu_permutation(x);
  double *lu = read_out(tl_lu(x)), *places = read_out(order);
  assert_int_equal(tl_dtype_of(order), TL_I64);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      p[i * n + k] = a[(int)places[i] * n + k];
      *(k < i ? &l[i * n + k] : &u[i * n + k]) = lu[i * n + k];
      assert_true(k >= i || fabs(lu[i * n + k]) <= 1);
    }
  }
  double *again = product(n, n, n, l, false, u, false);
  near("l u", n, d, n * n, again, p, 4 * n);
  free(a), free(p), free(l), free(u), free(lu), free(places), free(again);
}

static void check_tridiagonal(int n, tl_dtype d, int way) {
  double *a[3], *b = random_matrix(n, 2), *t = new_matrix(n * n);
  for (int k = 0; k < 3; k++) {
    a[k] = random_matrix(n, 1);
    for (int i = 0; i < n; i++) {
      if (i + k >= 1 && i + k - 1 < n) {
        t[i * n + i + k - 1] = a[k][i];
      }
    }
  }
  a[0][0] = a[2][n - 1] = NAN; /* not read */
  tl_tensor x[3];
  for (int k = 0; k < 3; k++) {
    x[k] = tl_cast(tl_from(TL_F64, TL_SHAPE(n), a[k]), d);
  }
  double *y = read_out(tl_tridiagonal_solve(x[0], x[1], x[2], tensor_of(d, n, 2, b, way)));
  double *ty = product(n, n, 2, t, false, y, false), most = 32 * epsilon(d) * largest(t, n * n) * largest(y, 2 * n);
  for (int i = 0; i < 2 * n; i++) {
    assert_true(fabs(ty[i] - b[i]) <= most);
  }
  free(a[0]), free(a[1]), free(a[2]), free(b), free(t), free(y), free(ty);
}

static void check_qr(int n, tl_dtype d, int way) {
  for (int extra = 0; extra < 4; extra += 3) {
    int m = n + extra;
    double *a = random_matrix(m, n), *one = identity(n);
    tl_tensor x = tensor_of(d, m, n, a, way);
    double *q = read_out(tl_qr_q(x)), *r = read_out(tl_qr_r(x));
    double *qr = product(m, n, n, q, false, r, false), *qq = product(n, m, n, q, true, q, false);
    near("q r", n, d, m * n, qr, a, 4 * n + 4);
    near("q' q", n, d, n * n, qq, one, 4 * n + 4);
    tl_qr_result both = tl_qr(x);
    double *q2 = read_out(both.q), *r2 = read_out(both.r);
    assert_memory_equal(q, q2, sizeof *q * (size_t)(m * n));
    assert_memory_equal(r, r2, sizeof *r * (size_t)(n * n));
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) {
        assert_true(r[i * n + k] == 0);
      }
    }
    free(a), free(one), free(q), free(r), free(qr), free(qq), free(q2), free(r2);
  }
}

static void check_eigh(int n, tl_dtype d, int way) {
  double *x = random_matrix(n, n), *a = new_matrix(n * n), *one = identity(n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      a[i * n + k] = ((float)x[i * n + k] + (double)(float)x[k * n + i]) / 2;
    }
  }
  tl_eigh_result e = tl_eigh(tensor_of(d, n, n, x, way)); /* not symmetric as it stands */
  double *w = read_out(e.values), *v = read_out(e.vectors);
  double *av = product(n, n, n, a, false, v, false), *vv = product(n, n, n, v, true, v, false);
  near("v' v", n, d, n * n, vv, one, 4 * n + 4);
  double most = (4 * n + 4) * epsilon(d) * n * largest(a, n * n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      assert_true(fabs(av[i * n + k] - w[k] * v[i * n + k]) <= most);
    }
    assert_true(i == 0 || w[i - 1] <= w[i]);
    int biggest = 0;
    for (int k = 1; k < n; k++) {
      biggest = fabs(v[k * n + i]) > fabs(v[biggest * n + i]) ? k : biggest;
    }
    assert_true(v[biggest * n + i] > 0);
  }
  free(x), free(a), free(one), free(w), free(v), free(av), free(vv);
}

static void test_cholesky(void **state) { (void)state, everywhere(check_cholesky); }
static void test_inverse_spd(void **state) { (void)state, everywhere(check_inverse_spd); }
static void test_solve(void **state) { (void)state, everywhere(check_solve); }
static void test_triangular(void **state) { (void)state, everywhere(check_triangular); }
static void test_lu(void **state) { (void)state, everywhere(check_lu); }
static void test_tridiagonal(void **state) { (void)state, everywhere(check_tridiagonal); }
static void test_qr(void **state) { (void)state, everywhere(check_qr); }
static void test_eigh(void **state) { (void)state, everywhere(check_eigh); }

/* ---- LAPACK's drivers, in double ---- */

#ifdef TL_WITH_BLAS
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dgecon_(const char *, const int *, const double *, const int *, const double *, double *, double *, int *, int *,
             size_t);
void dgetri_(const int *, double *, const int *, const int *, double *, const int *, int *);
void dtrtrs_(const char *, const char *, const char *, const int *, const int *, const double *, const int *, double *,
             const int *, int *, size_t, size_t, size_t);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
void dorgqr_(const int *, const int *, const int *, double *, const int *, const double *, double *, const int *,
             int *);
void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
            size_t, size_t);

static double *columns_of(int m, int n, const double *x) {
  double *out = new_matrix((int64_t)m * n);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < n; k++) {
      out[k * m + i] = x[i * n + k];
    }
  }
  return out;
}

static void lapack_cholesky(int n, tl_dtype d, int way) {
  double *a = random_spd(n), *want = columns_of(n, n, a), *got = read_out(tl_cholesky(tensor_of(d, n, n, a, way)));
  int info;
  dpotrf_("U", &n, want, &n, &info, 1);
  assert_int_equal(info, 0);
  for (int i = 0; i < n; i++) {
    for (int k = i + 1; k < n; k++) {
      want[i * n + k] = 0;
    }
  }
  near("cholesky", n, d, n * n, got, want, 4 * n);
  free(a), free(want), free(got);
}

/* Solutions and inverses: within a few roundings times the condition number. */
static void lapack_solve(int n, tl_dtype d, int way) {
  double *a = random_matrix(n, n), *b = random_matrix(n, 2), work[64 * MOST], condition, norm = 0;
  double *lu = columns_of(n, n, a), *x = columns_of(n, 2, b);
  int pivots[MOST], ints[MOST], info, two = 2, most = 64 * MOST;
  for (int k = 0; k < n; k++) {
    double s = 0;
    for (int i = 0; i < n; i++) {
      s += fabs(a[i * n + k]);
    }
    norm = fmax(norm, s);
  }
  dgesv_(&n, &two, lu, &n, pivots, x, &n, &info);
  dgecon_("1", &n, lu, &n, &norm, &condition, work, ints, &info, 1);
  double *want = columns_of(2, n, x),
         *got = read_out(tl_solve(tensor_of(d, n, n, a, way), tensor_of(d, n, 2, b, 0), false));
  near("solve", n, d, 2 * n, got, want, 4 / condition);
  double det = 1, log_det = 0;
  for (int i = 0; i < n; i++) {
    det *= pivots[i] == i + 1 ? lu[i * n + i] : -lu[i * n + i];
    log_det += log(fabs(lu[i * n + i]));
  }
  double got_det = tl_item(tl_det(tensor_of(d, n, n, a, way)));
  if (d == TL_F32 && fabs(det) > FLT_MAX) {
    assert_true(got_det == (det < 0 ? -INFINITY : INFINITY));
  } else {
    near("det", n, d, 1, &got_det, &det, 4 / condition);
  }
  tl_slogdet_result s = tl_slogdet(tensor_of(d, n, n, a, way));
  assert_true(tl_item(s.sign) == (det < 0 ? -1 : 1));
  assert_true(fabs(tl_item(s.log) - log_det) <= 4 * epsilon(d) / condition);
  assert_true(tl_item(tl_slogdet_log(tensor_of(d, n, n, a, way))) == tl_item(s.log));
  dgetri_(&n, lu, &n, pivots, work, &most, &info);
  double *inverse = columns_of(n, n, lu), *got_inverse = read_out(tl_inverse(tensor_of(d, n, n, a, way)));
  near("inverse", n, d, n * n, got_inverse, inverse, 4 / condition);
  free(a), free(b), free(lu), free(x), free(want), free(got), free(inverse), free(got_inverse);
}

static void lapack_triangular(int n, tl_dtype d, int way) {
  for (int kind = 0; kind < 8; kind++) {
    bool upper = kind & 1, transposed = kind & 2, unit = kind & 4;
    double *a = random_matrix(n, n), *b = random_matrix(n, 2);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < n; k++) {
        a[i * n + k] = (float)(i == k ? 2 + fabs(a[i * n + k]) : a[i * n + k] / (4 * n));
      }
    }
    double *t = columns_of(n, n, a), *x = columns_of(n, 2, b);
    int info, two = 2;
    dtrtrs_(upper ? "U" : "L", transposed ? "T" : "N", unit ? "U" : "N", &n, &two, t, &n, x, &n, &info, 1, 1, 1);
    double *want = columns_of(2, n, x),
           *got = read_out(tl_triangular_solve(tensor_of(d, n, n, a, way), tensor_of(d, n, 2, b, 0),
                                               (tl_triangular_solve_opts){upper, transposed, unit}));
    near("triangular_solve", n, d, 2 * n, got, want, 8 + n);
    free(a), free(b), free(t), free(x), free(want), free(got);
  }
}

static void lapack_qr(int n, tl_dtype d, int way) {
  int m = n + 2, info, most = 64 * MOST;
  double *a = random_matrix(m, n), tau[MOST], work[64 * MOST];
  for (int i = 0; i < n; i++) { /* well conditioned, as q is no better than a */
    a[i * n + i] += n;
  }
  double *q = columns_of(m, n, a), *r = new_matrix(n * n);
  dgeqrf_(&m, &n, q, &m, tau, work, &most, &info);
  for (int i = 0; i < n; i++) {
    for (int k = i; k < n; k++) {
      r[i * n + k] = q[k * m + i];
    }
  }
  dorgqr_(&m, &n, &n, q, &m, tau, work, &most, &info);
  double *want = columns_of(n, m, q);
  double *got_q = read_out(tl_qr_q(tensor_of(d, m, n, a, way))), *got_r = read_out(tl_qr_r(tensor_of(d, m, n, a, way)));
  near("q", n, d, m * n, got_q, want, 8 + n);
  near("r", n, d, n * n, got_r, r, 8 + n);
  free(a), free(q), free(r), free(want), free(got_q), free(got_r);
}

/* By the QR algorithm, which is neither of ours. */
static void lapack_eigh(int n, tl_dtype d, int way) {
  double *a = random_matrix(n, n), w[MOST], work[64 * MOST];
  int info, most = 64 * MOST;
  for (int i = 0; i < n; i++) { /* eigenvalues about 3 apart */
    for (int k = 0; k < i; k++) {
      a[k * n + i] = a[i * n + k] = (float)(a[i * n + k] / n);
    }
    a[i * n + i] = (float)(3 * i + a[i * n + i] / 8);
  }
  double *v = columns_of(n, n, a);
  dsyev_("V", "L", &n, v, &n, w, work, &most, &info, 1, 1);
  tl_eigh_result e = tl_eigh(tensor_of(d, n, n, a, way));
  double *values = read_out(e.values), *vectors = read_out(e.vectors), *want = columns_of(n, n, v);
  for (int k = 0; k < n; k++) {
    int biggest = 0;
    for (int i = 1; i < n; i++) {
      biggest = fabs(want[i * n + k]) > fabs(want[biggest * n + k]) ? i : biggest;
    }
    bool turned = want[biggest * n + k] < 0;
    for (int i = 0; turned && i < n; i++) {
      want[i * n + k] = -want[i * n + k];
    }
  }
  near("eigenvalues", n, d, n, values, w, 8 + n);
  near("eigenvectors", n, d, n * n, vectors, want, (8 + n) * n);
  free(a), free(v), free(values), free(vectors), free(want);
}

static void test_lapack(void **state) {
  (void)state;
  everywhere(lapack_cholesky);
  everywhere(lapack_solve);
  everywhere(lapack_triangular);
  everywhere(lapack_qr);
  everywhere(lapack_eigh);
}
#endif

/* ---- batches ---- */

/* Many matrices are as many calls, bit for bit, of either operand once or for each. */
static void test_batches(void **state) {
  (void)state;
  const int some[] = {3, 40};
  for (int s = 0; s < 2; s++) {
    tl_scope scope = tl_scope_open();
    int n = some[s];
    double *a = random_matrix(6 * n, n), *b = random_matrix(3 * n, 2);
    for (int i = 0; i < 6 * n; i++) {
      a[i * n + i % n] += n;
    }
    tl_tensor ta = tl_reshape(tl_from(TL_F64, TL_SHAPE(6 * n, n), a), TL_SHAPE(2, 3, n, n));
    tl_tensor tb = tl_reshape(tl_from(TL_F64, TL_SHAPE(3 * n, 2), b), TL_SHAPE(3, n, 2));
    double *x = read_out(tl_solve(ta, tb, true)), *l = read_out(tl_cholesky(ta)), *dets = read_out(tl_det(ta));
    double *shared = read_out(tl_solve_spd(tl_from(TL_F64, TL_SHAPE(n, n), a), tb));
    double *vectors = read_out(tl_eigh_vectors(ta)), *r = read_out(tl_qr(ta).r);
    for (int i = 0; i < 6; i++) {
      tl_tensor one = tl_from(TL_F64, TL_SHAPE(n, n), a + (size_t)i * n * n);
      tl_tensor right = tl_from(TL_F64, TL_SHAPE(n, 2), b + (size_t)(i % 3) * n * 2);
      double *x1 = read_out(tl_solve(one, right, true)), *l1 = read_out(tl_cholesky(one));
      double *v1 = read_out(tl_eigh_vectors(one)), *r1 = read_out(tl_qr_r(one));
      assert_memory_equal(x1, x + i * n * 2, sizeof *x * (size_t)(2 * n));
      assert_memory_equal(l1, l + i * n * n, sizeof *l * (size_t)(n * n));
      assert_memory_equal(v1, vectors + i * n * n, sizeof *l * (size_t)(n * n));
      assert_memory_equal(r1, r + i * n * n, sizeof *l * (size_t)(n * n));
      assert_true(tl_item(tl_det(one)) == dets[i]);
      free(x1), free(l1), free(v1), free(r1);
      if (i < 3) {
        double *y1 = read_out(tl_solve_spd(tl_from(TL_F64, TL_SHAPE(n, n), a), right));
        assert_memory_equal(y1, shared + i * n * 2, sizeof *y1 * (size_t)(2 * n));
        free(y1);
      }
    }
    free(a), free(b), free(x), free(l), free(dets), free(shared), free(vectors), free(r);
    tl_scope_close(scope);
  }
}

/* ---- what has no answer ---- */

static void all_nan(tl_tensor x, int64_t count) {
  double *at = read_out(x);
  for (int64_t i = 0; i < count; i++) {
    assert_true(isnan(at[i]));
  }
  free(at);
}

/* Of n rows: ones and zeros, of which one pivot fails. */
static void check_failures(int n, tl_dtype d, int way) {
  double *indefinite = identity(n), *singular = identity(n), *broken = identity(n), *infinite = identity(n);
  tl_tensor b = tl_fill(d, TL_SHAPE(n), 1);
  indefinite[(n - 1) * n + n - 1] = -1;
  singular[(n / 2) * n + n / 2] = 0;
  broken[n / 2] = NAN;
  infinite[(n - 1) * n + n - 1] = INFINITY;
  tl_tensor bad = tensor_of(d, n, n, indefinite, way), flat = tensor_of(d, n, n, singular, way);
  double *l = read_out(tl_cholesky(bad));
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      assert_true(k <= i ? isnan(l[i * n + k]) : l[i * n + k] == 0);
    }
  }
  free(l);
  tl_tensor not_spd[] = {bad, flat, tensor_of(d, n, n, broken, way)};
  for (int i = 0; i < 3; i++) {
    all_nan(tl_inv_spd(not_spd[i]), n * n);
    all_nan(tl_solve_spd(not_spd[i], b), n);
    all_nan(tl_log_det_spd(not_spd[i]), 1);
  }
  all_nan(tl_inverse(flat), n * n);
  all_nan(tl_solve(flat, b, false), n);
  all_nan(tl_solve(tensor_of(d, n, n, broken, way), b, true), n);
  assert_true(tl_item(tl_det(flat)) == 0);
  tl_slogdet_result s = tl_slogdet(flat);
  assert_true(tl_item(s.sign) == 0 && tl_item(s.log) == -INFINITY);
  s = tl_slogdet(bad);
  assert_true(tl_item(s.sign) == -1 && tl_item(s.log) == 0);
  const double *not_finite[] = {broken, infinite};
  for (int i = 0; i < 2; i++) {
    tl_tensor x = tensor_of(d, n, n, not_finite[i], way);
    all_nan(tl_qr_q(x), n * n);
    all_nan(tl_qr_r(x), n * n);
    all_nan(tl_eigh_values(x), n);
    all_nan(tl_eigh_vectors(x), n * n);
  }
  /* A zero on the diagonal of a triangle is divided by. */
  double *x = read_out(tl_triangular_solve(flat, b, (tl_triangular_solve_opts){.upper = true}));
  assert_true(!isfinite(x[n / 2]));
  free(x), free(indefinite), free(singular), free(broken), free(infinite);
}

static void test_failures(void **state) { (void)state, everywhere(check_failures); }

/* Elements near the ends of the range. */
static void test_range(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  for (int end = 0; end < 2; end++) {
    double scale = end ? 0x1p1000 : 0x1p-1000, a[4] = {2 * scale, scale, scale, 2 * scale},
           tall[2] = {3 * scale, 4 * scale};
    double *w = read_out(tl_eigh_values(tl_from(TL_F64, TL_SHAPE(2, 2), a)));
    double *r = read_out(tl_qr_r(tl_from(TL_F64, TL_SHAPE(2, 1), tall)));
    double sum[2] = {(w[0] - scale) / scale, (w[1] - 3 * scale) / scale};
    assert_true(fabs(sum[0]) < 1e-15 && fabs(sum[1]) < 1e-15);
    assert_true(r[0] == -5 * scale);
    assert_true(fabs(tl_item(tl_log_det_spd(tl_from(TL_F64, TL_SHAPE(2, 2), a))) - (log(3) + 2 * log(scale))) < 1e-12);
    free(w), free(r);
  }
  /* (a + a')/2 is what is read; repeated eigenvalues have orthonormal vectors. */
  double a[4] = {4, 2, 0, 4}, same[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  double *l = read_out(tl_cholesky(tl_from(TL_F64, TL_SHAPE(2, 2), a)));
  assert_true(l[0] == 2 && l[1] == 0 && l[2] == 0.5 && fabs(l[3] - sqrt(3.75)) < 1e-15);
  tl_eigh_result e = tl_eigh(tl_from(TL_F64, TL_SHAPE(3, 3), same));
  double *w = read_out(e.values), *v = read_out(e.vectors);
  for (int i = 0; i < 9; i++) {
    assert_true(v[i] == (i % 4 == 0) && w[i % 3] == 2);
  }
  free(l), free(w), free(v);
  tl_tensor large = tl_broadcast(tl_fill(TL_F64, TL_SCALAR, 1), TL_SHAPE(30001, 30001));
  assert_int_equal(tl_status_of(tl_eigh_values(large)), TL_TENSOR_SHAPE_MISMATCH);
  tl_scope_close(scope);
}

static void test_triangles(void **state) {
  (void)state;
  tl_scope scope = tl_scope_open();
  double a[6] = {1, NAN, 3, 4, 5, INFINITY}, got[6], want[3][6] = {{1, 0, 0, 4, 5, 0}, {1, 0, 0, 0, 5, 0}, {0}};
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(2, 3), a);
  tl_tensor parts[] = {tl_tril(x, 0), tl_scale_triangles(x, 0, 1, 0), tl_scale_triangles(x, 0, 0, 0)};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(tl_read(parts[i], got, sizeof got), TL_OK);
    assert_memory_equal(got, want[i], sizeof got);
  }
  double square[4] = {1, 2, 3, 4}, scaled[4] = {0.5, 20, -6, 2};
  assert_int_equal(tl_read(tl_scale_triangles(tl_from(TL_F64, TL_SHAPE(2, 2), square), -2, 0.5, 10), got, 32), TL_OK);
  assert_memory_equal(got, scaled, 32);
  assert_int_equal(tl_status_of(tl_scale_triangles(tl_fill(TL_F64, TL_SHAPE(2), 1), 1, 1, 1)),
                   TL_TENSOR_SHAPE_MISMATCH);
  int8_t ones[4] = {7, 7, 7, 7};
  assert_int_equal(tl_read(tl_identity_like(tl_from(TL_I8, TL_SHAPE(2, 2), ones)), ones, 4), TL_OK);
  assert_true(ones[0] == 1 && ones[1] == 0 && ones[2] == 0 && ones[3] == 1);
  tl_scope_close(scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cholesky), cmocka_unit_test(test_inverse_spd),
                                     cmocka_unit_test(test_solve),    cmocka_unit_test(test_triangular),
                                     cmocka_unit_test(test_lu),       cmocka_unit_test(test_tridiagonal),
                                     cmocka_unit_test(test_qr),       cmocka_unit_test(test_eigh),
#ifdef TL_WITH_BLAS
                                     cmocka_unit_test(test_lapack),
#endif
                                     cmocka_unit_test(test_batches),  cmocka_unit_test(test_failures),
                                     cmocka_unit_test(test_range),    cmocka_unit_test(test_triangles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
