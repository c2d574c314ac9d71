/* Calls that stay calls: their cotangents are added to those of the arguments. */
#include "check.h"

#include <tlaloc/grad.h>

/* The sum over i of a_i b_(i + depth), by depth. */
static double shifted(int depth, int n, const double a[n], const double b[n]) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[(i + depth) % n];
  }
  return depth == 0 ? sum : sum + shifted(depth - 1, n, a, b);
}

/* One array twice: each operand has storage of its own. */
static double with_itself(int n, const double a[n]) { return a[0] + 2 * shifted(1, n, a, a) * a[1]; }

/* In loops and branches, and read ahead of and behind the call. */
static double many(int n, const double a[n], const double b[n]) {
  double sum = a[0] * b[1];
  for (int i = 0; i < n; i++) {
    if (i != 1) {
      sum += i * shifted(i & 1, n, a, b);
    } else {
      sum *= a[2];
    }
    sum += a[i] * sum;
  }
  return sum;
}

/* The callee's copy of a struct: its cotangents come by pointer. */
struct row {
  double at[3];
  double scale;
};

static double worn(int depth, struct row r) {
  if (depth == 0) {
    return r.at[0] * r.at[1] * r.scale;
  }
  r.scale = sin(r.scale) * r.at[2];
  return worn(depth - 1, r) + r.at[0] * r.scale;
}

static double twice_worn(struct row r) { return worn(2, r) * r.at[2] + worn(1, r); }

/* The expansion of a determinant along its first row: the value and its derivative come from one call for each minor. */
static double minor(int n, const double a[n][n], int m, const int columns[m]) {
  if (m == 1) {
    return a[n - 1][columns[0]];
  }
  double sum = 0, sign = 1;
  for (int j = 0; j < m; j++) {
    int others[m - 1];
    for (int i = 0; i < m - 1; i++) {
      others[i] = columns[i < j ? i : i + 1];
    }
    sum += sign * a[n - m][columns[j]] * minor(n, a, m - 1, others);
    sign = -sign;
  }
  return sum;
}

static double determinant(int n, const double a[n][n]) {
  int columns[n];
  for (int j = 0; j < n; j++) {
    columns[j] = j;
  }
  return minor(n, a, n, columns);
}

/* The seed of the inner call depends on its value: the value's call stays. */
static double squared(int n, const double a[n], const double b[n]) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double s = shifted(1, n, a, b);
    sum += s * s * a[i];
  }
  return sum;
}

enum { N = 4 };

static double along(double (*f)(int, const double *, const double *), const double *a, const double *b, int i) {
  double p[2 * N], h = 1e-3, slope = 0;
  static const double weight[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
  for (int k = -2; k <= 2; k++) {
    for (int j = 0; j < N; j++) {
      p[j] = a[j] + (i == j ? k * h : 0);
      p[N + j] = b[j] + (i == N + j ? k * h : 0);
    }
    slope += weight[k + 2] * f(N, p, p + N) / h;
  }
  return slope;
}

static double many_of(int n, const double *a, const double *b) { return many(n, a, b); }
static double squared_of(int n, const double *a, const double *b) { return squared(n, a, b); }
static double with_itself_of(int n, const double *a, const double *b) { return with_itself(n, a) + 0 * b[0]; }

int main(void) {
  const double a[N] = {0.5, -1.25, 0.75, 1.5}, b[N] = {1.125, 0.25, -0.5, 2};
  double a_bar[N], b_bar[N];
  tl_grad(with_itself)(N, a, a_bar);
  for (int i = 0; i < N; i++) {
    CHECK_TO(a_bar[i], along(with_itself_of, a, b, i), 1e-9);
  }
  tl_grad(many)(N, a, b, a_bar, b_bar);
  for (int i = 0; i < N; i++) {
    CHECK_TO(a_bar[i], along(many_of, a, b, i), 1e-9);
    CHECK_TO(b_bar[i], along(many_of, a, b, N + i), 1e-9);
  }
  tl_grad(squared)(N, a, b, a_bar, b_bar);
  for (int i = 0; i < N; i++) {
    CHECK_TO(a_bar[i], along(squared_of, a, b, i), 1e-9);
    CHECK_TO(b_bar[i], along(squared_of, a, b, N + i), 1e-9);
  }

  const struct row r = {{0.5, 1.5, 0.75}, 2};
  struct row r_bar, r_dot;
  tl_grad(twice_worn)(r, &r_bar);
  const double *bars[] = {&r_bar.at[0], &r_bar.at[1], &r_bar.at[2], &r_bar.scale};
  for (int i = 0; i < 4; i++) {
    r_dot = (struct row){{i == 0, i == 1, i == 2}, i == 3};
    CHECK(*bars[i], tl_jvp(twice_worn)(r, r_dot));
  }

  /* of a 3 by 3 matrix: the cofactors; of their sum, by each element: the second derivative */
  const double m[3][3] = {{2, -1, 0.5}, {0.25, 3, 1}, {-2, 0.75, 1.5}};
  double m_bar[3][3], m_dot[3][3] = {{0}}, hessian_row[3][3], none[3][3];
  tl_grad(determinant)(3, m, m_bar);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int p = (i + 1) % 3, q = (i + 2) % 3, s = (j + 1) % 3, t = (j + 2) % 3;
      CHECK(m_bar[i][j], m[p][s] * m[q][t] - m[p][t] * m[q][s]);
    }
  }
  m_dot[0][0] = 1;
  tl_jvp(tl_grad(determinant), a)(3, m, none, m_dot, hessian_row);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      CHECK(hessian_row[i][j], i == 0 || j == 0 ? 0 : (i == j ? 1 : -1) * m[3 - i][3 - j]);
    }
  }
  return check_done();
}
