/* LAPACK's factorizations by ours: preloaded into LAPACK's own test programs, so that these judge them.
 *
 * potrf, getrf of square matrices, geqrf of those with no more columns than rows, trtrs, syev and syevd, in float and
 * double, are tl_cholesky, tl_lu, tl_qr, tl_triangular_solve and tl_eigh; what else they are asked (other shapes, sizes
 * of workspaces, arguments that are wrong) the library behind is asked, and what libtlaloc itself calls. At the end the
 * calls that were ours go to the file TL_PRELOAD_LOG. TL_PRELOAD_OFF=1 is the control: one element is off by 1e-3,
 * which the programs have to find. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tlaloc/tensor.h>

enum { POTRF, GETRF, GEQRF, TRTRS, SYEV, KINDS };
static unsigned long calls[KINDS];
static bool is_off;
static _Thread_local int depth; /* in a call of ours, which may call LAPACK */

__attribute__((constructor)) static void begin(void) {
  const char *off = getenv("TL_PRELOAD_OFF");
  is_off = off && *off == '1';
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("TL_PRELOAD_LOG");
  FILE *f = path ? fopen(path, "w") : NULL;
  if (f) {
    fprintf(f, "potrf %lu getrf %lu geqrf %lu trtrs %lu syev %lu\n", calls[POTRF], calls[GETRF], calls[GEQRF],
            calls[TRTRS], calls[SYEV]);
    fclose(f);
  }
}

/* ---- matrices by columns, in either dtype, as doubles by rows ---- */

static double *room(int m, int n) {
  double *x = calloc((size_t)m * (size_t)n + 1, sizeof *x);
  if (!x) {
    abort();
  }
  return x;
}

static double *load(tl_dtype d, int m, int n, const void *a, int lda) {
  double *x = room(m, n);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < n; k++) {
      size_t at = (size_t)k * (size_t)lda + (size_t)i;
      x[i * n + k] = d == TL_F64 ? ((const double *)a)[at] : (double)((const float *)a)[at];
    }
  }
  return x;
}

static void put(tl_dtype d, void *a, size_t at, double x) {
  if (d == TL_F64) {
    ((double *)a)[at] = x;
  } else {
    ((float *)a)[at] = (float)x;
  }
}

static void store(tl_dtype d, int m, int n, const double *x, void *a, int lda) {
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < n; k++) {
      put(d, a, (size_t)k * (size_t)lda + (size_t)i, x[i * n + k]);
    }
  }
}

static tl_tensor tensor(tl_dtype d, int m, int n, const double *x) {
  return tl_cast(tl_from(TL_F64, TL_SHAPE(m, n), x), d);
}

/* The elements of a result, the last of them off where that is asked. */
static void take(tl_tensor t, double *out, int64_t count) {
  if (tl_read(tl_cast(t, TL_F64), out, (size_t)count * sizeof *out) != TL_OK) {
    fprintf(stderr, "preload: %s\n", tl_message_of(t));
    abort();
  }
  if (is_off && count) {
    out[count - 1] += 1e-3 * (1 + fabs(out[count - 1]));
  }
}

/* The symmetric matrix of which one triangle is stored. */
static double *symmetric(tl_dtype d, bool upper, int n, const void *a, int lda) {
  double *x = load(d, n, n, a, lda);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      *(upper ? &x[i * n + k] : &x[k * n + i]) = upper ? x[k * n + i] : x[i * n + k];
    }
  }
  return x;
}

static bool is_one_of(char c, const char *letters) { return c && strchr(letters, c & ~32); }

/* ---- the factorizations; false where they are not ours ---- */

static bool enter(bool is_ours, int kind) {
  if (depth || !is_ours) {
    return false;
  }
  depth++;
  calls[kind]++;
  return true;
}

static bool potrf(tl_dtype d, char uplo, int n, void *a, int lda, int *info) {
  if (!enter(is_one_of(uplo, "UL") && n > 0 && lda >= n, POTRF)) {
    return false;
  }
  tl_scope scope = tl_scope_open();
  bool upper = (uplo & ~32) == 'U';
  double *s = symmetric(d, upper, n, a, lda), *l = room(n, n);
  tl_tensor x = tensor(d, n, n, s);
  take(tl_cholesky(x), l, (int64_t)n * n);
  *info = 0;
  if (isnan(l[0])) { /* the first leading part that is not positive definite */
    for (int k = 1; k <= n && !*info; k++) {
      double *part = room(k, k), first;
      for (int i = 0; i < k; i++) {
        memcpy(part + i * k, s + i * n, (size_t)k * sizeof *part);
      }
      first = tl_item(tl_log_det_spd(tensor(d, k, k, part)));
      *info = isnan(first) ? k : 0;
      free(part);
    }
  }
  for (int i = 0; i < n && !*info; i++) {
    for (int k = 0; k <= i; k++) {
      put(d, a, upper ? (size_t)i * (size_t)lda + (size_t)k : (size_t)k * (size_t)lda + (size_t)i, l[i * n + k]);
    }
  }
  free(s), free(l);
  tl_scope_close(scope);
  depth--;
  return true;
}

static bool getrf(tl_dtype d, int m, int n, void *a, int lda, int *pivots, int *info) {
  if (!enter(m == n && n > 0 && lda >= n, GETRF)) {
    return false;
  }
  tl_scope scope = tl_scope_open();
  double *x = load(d, n, n, a, lda), *lu = room(n, n);
  tl_tensor t = tensor(d, n, n, x);
  int64_t *row = calloc((size_t)n, sizeof *row);
  int *now = calloc((size_t)n, sizeof *now);
  take(tl_lu(t), lu, (int64_t)n * n);
  tl_read(tl_lu_permutation(t), row, (size_t)n * sizeof *row);
  store(d, n, n, lu, a, lda);
  *info = 0;
  for (int i = 0; i < n; i++) {
    now[i] = i;
  }
  for (int i = 0; i < n; i++) {
    int k = i;
    while (now[k] != row[i]) {
      k++;
    }
    pivots[i] = k + 1;
    now[k] = now[i];
    now[i] = (int)row[i];
    *info = !*info && lu[i * n + i] == 0 ? i + 1 : *info;
  }
  free(x), free(lu), free(row), free(now);
  tl_scope_close(scope);
  depth--;
  return true;
}

/* The reflections that q is the product of, one after another: H e = e - tau v is q's column. */
static bool geqrf(tl_dtype d, int m, int n, void *a, int lda, void *tau, int most, int *info) {
  if (!enter(most != -1 && n > 0 && m >= n && lda >= m && most >= n, GEQRF)) {
    return false;
  }
  tl_scope scope = tl_scope_open();
  double *x = load(d, m, n, a, lda), *q = room(m, n), *r = room(n, n);
  tl_qr_result qr = tl_qr(tensor(d, m, n, x));
  take(qr.q, q, (int64_t)m * n);
  take(qr.r, r, (int64_t)n * n);
  for (int i = 0; i < n; i++) {
    double t = 1 - q[i * n + i];
    put(d, tau, (size_t)i, t);
    for (int k = i + 1; k < m; k++) {
      q[k * n + i] = t == 0 ? 0 : -q[k * n + i] / t;
    }
    for (int c = i + 1; c < n; c++) {
      double s = q[i * n + c];
      for (int k = i + 1; k < m; k++) {
        s += q[k * n + i] * q[k * n + c];
      }
      q[i * n + c] -= t * s;
      for (int k = i + 1; k < m; k++) {
        q[k * n + c] -= t * s * q[k * n + i];
      }
    }
    for (int k = 0; k <= i; k++) {
      q[k * n + i] = r[k * n + i];
    }
  }
  store(d, m, n, q, a, lda);
  *info = 0;
  free(x), free(q), free(r);
  tl_scope_close(scope);
  depth--;
  return true;
}

static bool trtrs(tl_dtype d, char uplo, char trans, char diag, int n, int right, const void *a, int lda, void *b,
                  int ldb, int *info) {
  if (!enter(is_one_of(uplo, "UL") && is_one_of(trans, "NTC") && is_one_of(diag, "NU") && n > 0 && right > 0 &&
                 lda >= n && ldb >= n,
             TRTRS)) {
    return false;
  }
  tl_scope scope = tl_scope_open();
  tl_triangular_solve_opts o = {(uplo & ~32) == 'U', (trans & ~32) != 'N', (diag & ~32) == 'U'};
  double *t = load(d, n, n, a, lda), *x = load(d, n, right, b, ldb);
  *info = 0;
  for (int i = 0; i < n && !o.unit_diagonal && !*info; i++) {
    *info = t[i * n + i] == 0 ? i + 1 : 0;
  }
  if (!*info) {
    take(tl_triangular_solve(tensor(d, n, n, t), tensor(d, n, right, x), o), x, (int64_t)n * right);
    store(d, n, right, x, b, ldb);
  }
  free(t), free(x);
  tl_scope_close(scope);
  depth--;
  return true;
}

static bool syev(tl_dtype d, char job, char uplo, int n, void *a, int lda, void *w, bool has_room, int *info) {
  if (!enter(is_one_of(job, "NV") && is_one_of(uplo, "UL") && n > 0 && lda >= n && has_room, SYEV)) {
    return false;
  }
  tl_scope scope = tl_scope_open();
  double *s = symmetric(d, (uplo & ~32) == 'U', n, a, lda), *v = room(n, n);
  tl_tensor x = tensor(d, n, n, s);
  if ((job & ~32) == 'V') {
    take(tl_eigh_vectors(x), v, (int64_t)n * n);
    store(d, n, n, v, a, lda);
  }
  take(tl_eigh_values(x), v, n);
  for (int i = 0; i < n; i++) {
    put(d, w, (size_t)i, v[i]);
  }
  *info = 0;
  free(s), free(v);
  tl_scope_close(scope);
  depth--;
  return true;
}

/* ---- as LAPACK calls them, with the lengths of strings behind ---- */

static void (*next(const char *name))(void) {
  void *found = dlsym(RTLD_NEXT, name);
  void (*f)(void);
  memcpy(&f, &found, sizeof f);
  return f;
}
#define NEXT(name, ...) ((__typeof__(&name))next(#name))(__VA_ARGS__)

#define DEFINE(name, parameters, ours, ...)                                                                            \
  void name parameters;                                                                                                \
  void name parameters {                                                                                               \
    if (!(ours)) {                                                                                                     \
      NEXT(name, __VA_ARGS__);                                                                                         \
    }                                                                                                                  \
  }
#define EXPORT(p, type, d)                                                                                             \
  DEFINE(p##potrf_, (const char *uplo, const int *n, type *a, const int *lda, int *info, size_t u),                    \
         potrf(d, *uplo, *n, a, *lda, info), uplo, n, a, lda, info, u)                                                 \
  DEFINE(p##getrf_, (const int *m, const int *n, type *a, const int *lda, int *pivots, int *info),                     \
         getrf(d, *m, *n, a, *lda, pivots, info), m, n, a, lda, pivots, info)                                          \
  DEFINE(p##geqrf_,                                                                                                    \
         (const int *m, const int *n, type *a, const int *lda, type *tau, type *work, const int *most, int *info),     \
         geqrf(d, *m, *n, a, *lda, tau, *most, info), m, n, a, lda, tau, work, most, info)                             \
  DEFINE(p##trtrs_,                                                                                                    \
         (const char *uplo, const char *trans, const char *diag, const int *n, const int *right, const type *a,        \
          const int *lda, type *b, const int *ldb, int *info, size_t u, size_t v, size_t w),                           \
         trtrs(d, *uplo, *trans, *diag, *n, *right, a, *lda, b, *ldb, info), uplo, trans, diag, n, right, a, lda, b,   \
         ldb, info, u, v, w)                                                                                           \
  DEFINE(p##syev_,                                                                                                     \
         (const char *job, const char *uplo, const int *n, type *a, const int *lda, type *w, type *work,               \
          const int *most, int *info, size_t u, size_t v),                                                             \
         syev(d, *job, *uplo, *n, a, *lda, w, *most >= 3 * *n - 1, info), job, uplo, n, a, lda, w, work, most, info,   \
         u, v)                                                                                                         \
  DEFINE(p##syevd_,                                                                                                    \
         (const char *job, const char *uplo, const int *n, type *a, const int *lda, type *w, type *work,               \
          const int *most, int *ints, const int *most_ints, int *info, size_t u, size_t v),                            \
         syev(d, *job, *uplo, *n, a, *lda, w, *most >= 1 + 6 * *n + 2 * *n * *n && *most_ints >= 3 + 5 * *n, info),    \
         job, uplo, n, a, lda, w, work, most, ints, most_ints, info, u, v)
EXPORT(s, float, TL_F32)
EXPORT(d, double, TL_F64)
