/* Matrices in one row, element i * m + j; and matrices of derivatives that are built where the caller wants them.
 * Results hold NaN before each call: what is not stored shows. */
#include "check.h"

#include <stddef.h>

#include <tlaloc/grad.h>

static void spoil(int n, double *a) {
  for (int i = 0; i < n; i++) {
    a[i] = NAN;
  }
}

static double rows(int n, int m, const double w[n * m], const double x[m], const double v[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      s += w[i * m + j] * x[j] * v[i];
    }
  }
  return s;
}

static double columns(size_t n, size_t m, const double w[n * m], const double x[m], const double v[n]) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < m; j++) {
      s += w[j * n + i] * x[j] * v[i];
    }
  }
  return s;
}

/* Rows with room behind them; rows that overlap. */
static double pitched(int n, int m, int pitch, int length, const double w[length], const double x[m]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      s += w[i * pitch + j] * x[j];
    }
  }
  return s;
}

/* The index comes round. */
static double around(int n, int m, const double w[256]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      s += w[(unsigned char)(i * m + j)];
    }
  }
  return s;
}

/* No loop reaches an element where both are negative, but there are some. */
static double negative(int n, int m, const double w[n * m]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      s += w[i * m + j];
    }
  }
  return s;
}

static void flat_gradients(void) {
  enum { N = 3, M = 4 };
  double w[N * M], x[M] = {1, -2, 3, 0.5}, v[N] = {2, 5, -1}, w_bar[256];
  for (int i = 0; i < N * M; i++) {
    w[i] = 0.25 * i - 1;
  }
  spoil(N * M, w_bar);
  tl_grad(rows, w)(N, M, w, x, v, w_bar);
  for (int i = 0; i < N * M; i++) {
    CHECK(w_bar[i], v[i / M] * x[i % M]);
  }
  spoil(N * M, w_bar);
  tl_grad(columns, w)(N, M, w, x, v, w_bar);
  for (int i = 0; i < N * M; i++) {
    CHECK(w_bar[i], v[i % N] * x[i / N]);
  }
  spoil(N * M, w_bar);
  tl_grad(pitched, w)(N, 2, M, N * M, w, x, w_bar);
  for (int i = 0; i < N * M; i++) {
    CHECK(w_bar[i], i % M < 2 ? x[i % M] : 0);
  }
  spoil(N * M, w_bar);
  tl_grad(pitched, w)(N, M, 1, N * M, w, x, w_bar);
  for (int k = 0; k < N * M; k++) {
    double want = 0;
    for (int i = 0; i < N; i++) {
      want += k - i >= 0 && k - i < M ? x[k - i] : 0;
    }
    CHECK(w_bar[k], want);
  }
  double wide[256] = {0};
  spoil(256, w_bar);
  tl_grad(around, w)(3, 128, wide, w_bar);
  for (int i = 0; i < 256; i++) {
    CHECK(w_bar[i], i < 128 ? 2 : 1);
  }
  spoil(6, w_bar);
  tl_grad(negative, w)(-2, -3, w, w_bar);
  for (int i = 0; i < 6; i++) {
    CHECK(w_bar[i], 0);
  }
}

static void pairs(int n, const double p[2], const double t[n], double r[2 * n]) {
  for (int i = 0; i < n; i++) {
    r[2 * i] = p[0] * t[i];
    r[2 * i + 1] = p[1] * t[i] * p[0];
  }
}

/* One of each three is what it was. */
static void thirds(size_t n, const double p[2], const double t[n], double r[3 * n]) {
  for (size_t i = 0; i < n; i++) {
    r[3 * i] = p[0] * t[i];
    r[3 * i + 2] = p[1] * t[i];
  }
}

static void table(int n, const double p[2], const double t[n], double r[n][2]) {
  for (int i = 0; i < n; i++) {
    r[i][0] = p[0] * t[i];
    for (int j = 0; j < 2; j++) {
      r[i][1] = p[j] * t[i];
    }
  }
}

/* What is read is what is written. */
static void mixed(double x[2][2]) {
  for (int i = 0; i < 2; i++) {
    double old = x[i][0];
    x[i][0] = old * x[i][1];
    x[1 - i][1] += old;
  }
}

static double around_cube(const double x[2][3]) {
  double s = 0;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 3; j++) {
      s += x[i][j] * x[i][j] * x[1 - i][(j + 1) % 3];
    }
  }
  return s;
}

/* One array is the content of two results; two numbers are one row each. */
struct outer {
  double a[2][3];
};
static void twice(const double x[4], struct outer *p, struct outer *q) {
  struct outer t;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 3; j++) {
      t.a[i][j] = x[i] * x[j + 1];
    }
  }
  *p = t;
  *q = t;
}

struct state {
  double x, v;
};
static void advance(const double u[3], struct state *s) {
  s->x = u[0] * u[1];
  s->v = u[2] * s->x;
}

static void structs(void) {
  double x[4] = {2, 3, -1, 5}, J[6][4], K[6][4], L[2][3], u[3] = {2, 3, 5};
  struct outer p, q;
  struct state s;
  spoil(24, &J[0][0]);
  spoil(24, &K[0][0]);
  tl_jacobian(twice, x)(x, &p, &q, J, K);
  for (int k = 0; k < 24; k++) {
    int i = k / 12, j = k / 4 % 3, l = k % 4;
    CHECK(J[k / 4][l], (l == i) * x[j + 1] + (l == j + 1) * x[i]);
    CHECK(K[k / 4][l], J[k / 4][l]);
  }
  spoil(6, &L[0][0]);
  tl_jacobian(advance, u)(u, &s, L);
  const double want[2][3] = {{3, 2, 0}, {15, 10, 6}};
  for (int k = 0; k < 6; k++) {
    CHECK(L[k / 3][k % 3], want[k / 3][k % 3]);
  }
}

static void matrices(void) {
  enum { N = 3 };
  double p[2] = {1.5, -0.5}, t[N] = {1, 2, -3}, r[3 * N], J[3 * N][2];
  spoil(2 * N * 2, &J[0][0]);
  tl_jacobian(pairs, p)(N, p, t, r, J);
  for (int i = 0; i < N; i++) {
    CHECK(r[2 * i], p[0] * t[i]);
    CHECK(J[2 * i][0], t[i]);
    CHECK(J[2 * i][1], 0);
    CHECK(J[2 * i + 1][0], p[1] * t[i]);
    CHECK(J[2 * i + 1][1], t[i] * p[0]);
  }
  spoil(3 * N * 2, &J[0][0]);
  tl_jacobian(thirds, p)(N, p, t, r, J);
  for (int i = 0; i < N; i++) {
    CHECK(J[3 * i][0], t[i]);
    CHECK(J[3 * i][1], 0);
    CHECK(J[3 * i + 1][0], 0);
    CHECK(J[3 * i + 1][1], 0);
    CHECK(J[3 * i + 2][0], 0);
    CHECK(J[3 * i + 2][1], t[i]);
  }
  double q[N][2];
  spoil(2 * N * 2, &J[0][0]);
  tl_jacobian(table, p)(N, p, t, q, J);
  for (int i = 0; i < N; i++) {
    CHECK(q[i][1], p[1] * t[i]);
    CHECK(J[2 * i][0], t[i]);
    CHECK(J[2 * i][1], 0);
    CHECK(J[2 * i + 1][0], 0);
    CHECK(J[2 * i + 1][1], t[i]);
  }
  double x[2][2] = {{2, 3}, {5, 7}}, K[4][4];
  const double want[4][4] = {{3, 2, 0, 0}, {0, 1, 1, 0}, {5, 0, 9, 5}, {1, 0, 0, 1}};
  spoil(16, &K[0][0]);
  tl_jacobian(mixed)(x, K);
  CHECK(x[0][0], 6);
  CHECK(x[0][1], 8);
  CHECK(x[1][0], 45);
  CHECK(x[1][1], 9);
  for (int i = 0; i < 16; i++) {
    CHECK(K[i / 4][i % 4], want[i / 4][i % 4]);
  }
  double y[2][3] = {{1, 2, 3}, {-1, 0.5, 4}}, H[6][6];
  spoil(36, &H[0][0]);
  tl_hessian(around_cube)(y, H);
  for (int a = 0; a < 6; a++) {
    for (int b = 0; b < 6; b++) {
      int i = a / 3, j = a % 3, k = b / 3, l = b % 3;
      double second = a == b ? 2 * y[1 - i][(j + 1) % 3] : 0;
      second += k == 1 - i && l == (j + 1) % 3 ? 2 * y[i][j] : 0;
      second += i == 1 - k && j == (l + 1) % 3 ? 2 * y[k][l] : 0;
      CHECK(H[a][b], second);
    }
  }
}

/* A mask in place, and numbers that change places from step to step. */
static double masked(int n, const double a[n], const double w[n]) {
  double h[n], s = 0;
  for (int i = 0; i < n; i++) {
    h[i] = a[i] * a[i] - 1;
  }
  for (int i = 0; i < n; i++) {
    if (h[i] < 0) {
      h[i] = 0;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      s += w[i] * h[j];
    }
  }
  return s;
}

static double turned(const double u[2], int steps) {
  double x = u[0], y = u[1];
  for (int i = 0; i < steps; i++) {
    double next = y * x;
    y = x + y;
    x = next;
  }
  return x;
}

static void in_place(void) {
  double a[4] = {2, 0.5, -3, -0.25}, w[4] = {1, 2, 3, 4}, a_bar[4];
  spoil(4, a_bar);
  tl_grad(masked, a)(4, a, w, a_bar);
  for (int i = 0; i < 4; i++) {
    CHECK(a_bar[i], a[i] * a[i] < 1 ? 0 : 20 * a[i]);
  }
  /* After two steps x y (x + y). */
  double u[2] = {1.25, -0.75}, H[2][2];
  spoil(4, &H[0][0]);
  tl_hessian(turned, u)(u, 2, H);
  CHECK(H[0][0], 2 * u[1]);
  CHECK(H[0][1], 2 * u[0] + 2 * u[1]);
  CHECK(H[1][0], 2 * u[0] + 2 * u[1]);
  CHECK(H[1][1], 2 * u[0]);
}

int main(void) {
  flat_gradients();
  matrices();
  structs();
  in_place();
  return check_done();
}
