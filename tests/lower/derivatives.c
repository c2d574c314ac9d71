/* Derivatives of whole small programs against differences: pivoting in place, sorting, searches with several exits,
 * tables of pointers, heap memory, recursion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <tlaloc/grad.h>
typedef struct {
  double re, im;
} cplx;
static cplx cmul(cplx a, cplx b) { return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static double mandel(double x, double y) {
  cplx z = {0, 0}, c = {x, y};
  int k;
  for (k = 0; k < 5 && z.re * z.re + z.im * z.im < 4; k++) {
    z = cmul(z, z);
    z.re += c.re;
    z.im += c.im;
  }
  return z.re + k;
}
static double stack(int n, const double x[n]) {
  double st[32];
  int top = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > 0) {
      st[top++] = x[i] * x[i];
    } else if (top > 0) {
      st[top - 1] *= x[i];
    }
  }
  double s = 0;
  while (top > 0) {
    s += st[--top];
  }
  return s;
}
typedef struct {
  int rows, cols;
  double *data;
} matrix;
static double get(const matrix *m, int i, int j) { return m->data[i * m->cols + j]; }
static void set(matrix *m, int i, int j, double v) { m->data[i * m->cols + j] = v; }
static matrix new_matrix(int r, int c) {
  matrix m = {r, c, calloc(r * c, sizeof(double))};
  return m;
}
static matrix matmul(const matrix *a, const matrix *b) {
  matrix c = new_matrix(a->rows, b->cols);
  for (int i = 0; i < a->rows; i++) {
    for (int j = 0; j < b->cols; j++) {
      double s = 0;
      for (int k = 0; k < a->cols; k++) {
        s += get(a, i, k) * get(b, k, j);
      }
      set(&c, i, j, s);
    }
  }
  return c;
}
static double use_matrix(int n, const double x[n * n]) {
  matrix a = new_matrix(n, n);
  for (int i = 0; i < n * n; i++) {
    a.data[i] = x[i];
  }
  matrix b = matmul(&a, &a);
  double t = 0;
  for (int i = 0; i < n; i++) {
    t += get(&b, i, i);
  }
  free(a.data);
  free(b.data);
  return t;
}
static double swap_rows(int n, double a[n][n]) {
  double *p = a[0], *q = a[n - 1];
  for (int j = 0; j < n; j++) {
    double t = p[j];
    p[j] = q[j];
    q[j] = t;
  }
  return a[0][0] * a[n - 1][0];
}
static double interp(int n, const double x[n], const double y[n], double t) {
  int i;
  for (i = 0; i < n - 2; i++) {
    if (t < x[i + 1]) {
      break;
    }
  }
  double u = (t - x[i]) / (x[i + 1] - x[i]);
  return y[i] * (1 - u) + y[i + 1] * u;
}
static void thomas(int n, const double a[n], const double b[n], double d[n]) {
  double *c = malloc(n * sizeof *c);
  if (!c) {
    return;
  }
  double beta = b[0] + 5;
  d[0] /= beta;
  for (int i = 1; i < n; i++) {
    c[i] = 1 / beta;
    beta = b[i] + 5 - a[i] * c[i];
    d[i] = (d[i] - a[i] * d[i - 1]) / beta;
  }
  for (int i = n - 2; i >= 0; i--) {
    d[i] -= c[i + 1] * d[i + 1];
  }
  free(c);
}
static double determinant(int n, const double x[n][n]) {
  double a[n][n];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      a[i][j] = x[i][j];
    }
  }
  double d = 1;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(a[i][k]) > fabs(a[p][k])) {
        p = i;
      }
    }
    if (a[p][k] == 0) {
      return 0;
    }
    if (p != k) {
      d = -d;
      for (int j = 0; j < n; j++) {
        double t = a[k][j];
        a[k][j] = a[p][j];
        a[p][j] = t;
      }
    }
    d *= a[k][k];
    for (int i = k + 1; i < n; i++) {
      double f = a[i][k] / a[k][k];
      for (int j = k; j < n; j++) {
        a[i][j] -= f * a[k][j];
      }
    }
  }
  return d;
}
static double ping_pong(int n, double x) {
  double a[4] = {x, 1, 2, 3}, b[4];
  double *p = a, *q = b;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      q[j] = 0.5 * (p[j] * p[j] + p[(j + 1) % 4]);
    }
    double *t = p;
    p = q;
    q = t;
  }
  return p[0] + 2 * p[3];
}
static double heap_rows(int n, const double x[n]) {
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) {
    a[i] = malloc(n * sizeof **a);
    for (int j = 0; j < n; j++) {
      a[i][j] = x[i] * x[j] + j;
    }
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      s = s * 0.5 + a[j][i];
    }
  }
  for (int i = 0; i < n; i++) {
    free(a[i]);
  }
  free(a);
  return s;
}
static double contiguous(int n, int m, const double x[n]) {
  double *data = malloc(n * m * sizeof *data);
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) {
    a[i] = data + i * m;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      a[i][j] = x[i] * x[i] * j;
    }
  }
  double s = 0;
  for (int k = 0; k < n * m; k++) {
    s = s * 0.5 + data[k];
  }
  free(a);
  free(data);
  return s;
}
static double lazy(int n, const double x[n]) {
  double *w = NULL;
  if (n > 2) {
    w = malloc(n * sizeof *w);
  }
  if (!w) {
    return 0;
  }
  for (int i = 0; i < n; i++) {
    w[i] = x[i] * x[i];
  }
  double s = w[0] + w[n - 1];
  free(w);
  return s;
}
static double levenshtein(int n, const double x[n], int m, const double y[m]) {
  double d[n + 1][m + 1];
  for (int i = 0; i <= n; i++) {
    d[i][0] = i;
  }
  for (int j = 0; j <= m; j++) {
    d[0][j] = j;
  }
  for (int i = 1; i <= n; i++) {
    for (int j = 1; j <= m; j++) {
      double c = fabs(x[i - 1] - y[j - 1]);
      double best = d[i - 1][j - 1] + c;
      if (d[i - 1][j] + 1 < best) {
        best = d[i - 1][j] + 1;
      }
      if (d[i][j - 1] + 1 < best) {
        best = d[i][j - 1] + 1;
      }
      d[i][j] = best;
    }
  }
  return d[n][m];
}
static double back(double x) {
  int k = 0;
again:
  x = x * x * 0.5 + 1;
  if (++k < 3) {
    goto again;
  }
  return x;
}
static double many(int n, const double x[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (i == 1) {
      continue;
    }
    if (x[i] < -1.5) {
      break;
    }
    if (x[i] > 1.7) {
      return s * s * 2;
    }
    for (int j = 0; j < i; j++) {
      if (x[j] > x[i]) {
        break;
      }
      if (x[j] * x[i] > 2.5) {
        return -s;
      }
      s += x[j] * x[i];
    }
    s += x[i];
  }
  return s;
}
static double fsort(int n, double a[n]) {
  for (int i = 1; i < n; i++) {
    double key = a[i];
    int j = i - 1;
    while (j >= 0 && a[j] > key) {
      a[j + 1] = a[j];
      j--;
    }
    a[j + 1] = key;
  }
  return a[0] * 3 + a[n - 1];
}
static int lu(int n, double a[n][n], int piv[n]) {
  for (int k = 0; k < n; k++) {
    int p = k;
    double big = fabs(a[k][k]);
    for (int i = k + 1; i < n; i++) {
      if (fabs(a[i][k]) > big) {
        big = fabs(a[i][k]);
        p = i;
      }
    }
    piv[k] = p;
    if (big == 0) {
      return k + 1;
    }
    if (p != k) {
      for (int j = 0; j < n; j++) {
        double t = a[k][j];
        a[k][j] = a[p][j];
        a[p][j] = t;
      }
    }
    for (int i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j++) {
        a[i][j] -= a[i][k] * a[k][j];
      }
    }
  }
  return 0;
}
static int search(int n, const double x[n], double key, double *at) {
  for (int i = 0; i < n; i++) {
    if (x[i] > 3.5) {
      *at = x[i] * key;
      return 1;
    }
    if (x[i] < -3) {
      break;
    }
    if (x[i] > 2.5) {
      *at = x[i] * x[i];
      return 2;
    }
  }
  *at = key * key;
  return 0;
}
static double rows_view(int n, const double x[8 * n]) {
  const double *a[8];
  for (int i = 0; i < 8; i++) {
    a[i] = x + i * n;
  }
  double s = 0;
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < n; j++) {
      s += a[i][j] * a[7 - i][j];
    }
  }
  return s;
}
static double halves(int n, const double x[n]) {
  if (n == 1) {
    return x[0] * x[0];
  }
  int h = n / 2;
  return halves(h, x) * 0.5 + sin(halves(n - h, x + h));
}
static double gauss(double a, double b) {
  const double x[3] = {-0.7745966692414834, 0, 0.7745966692414834}, w[3] = {5. / 9, 8. / 9, 5. / 9};
  double s = 0;
  for (int i = 0; i < 3; i++) {
    double t = 0.5 * (a + b) + 0.5 * (b - a) * x[i];
    s += w[i] * t * t * t;
  }
  return 0.5 * (b - a) * s;
}
#define CHECK(name, ...)                                                                                               \
  do {                                                                                                                 \
    int bad = __VA_ARGS__;                                                                                             \
    if (bad)                                                                                                           \
      printf("%s: %d\n", name, bad);                                                                                   \
    total += bad;                                                                                                      \
    runs++;                                                                                                            \
  } while (0)
int main(void) {
  int total = 0, runs = 0, piv[3];
  double x[16], y[16], m[3][3] = {{0.5, 2, 1}, {4, 1, 3}, {1, 1, 2.5}};
  for (int i = 0; i < 16; i++) {
    x[i] = 0.3 + 0.17 * i - (i % 3) * 0.4;
    y[i] = 1.1 - 0.09 * i;
  }
  CHECK("mandel", tl_check_vjp(mandel)(0.3, 0.2, 0));
  CHECK("stack", tl_check_vjp(stack, x)(9, x, 0));
  CHECK("use_matrix", tl_check_vjp(use_matrix, x)(3, x, 0));
  CHECK("swap_rows", tl_check_vjp(swap_rows, a)(3, m, 0));
  double t[6] = {0, 1, 2, 3, 4, 5};
  CHECK("interp", tl_check_vjp(interp)(6, t, y, 2.4, 0));
  CHECK("thomas", tl_check_vjp(thomas)(6, x, y, t, 0));
  CHECK("determinant", tl_check_vjp(determinant, x)(3, m, 0));
  CHECK("ping_pong", tl_check_vjp(ping_pong, x)(3, 0.7, 0));
  CHECK("heap_rows", tl_check_vjp(heap_rows, x)(4, x, 0));
  CHECK("contiguous", tl_check_vjp(contiguous, x)(4, 3, x, 0));
  CHECK("lazy", tl_check_vjp(lazy, x)(4, x, 0));
  CHECK("levenshtein", tl_check_vjp(levenshtein)(4, x, 5, y, 0));
  CHECK("back", tl_check_vjp(back)(0.4, 0));
  CHECK("many", tl_check_vjp(many, x)(12, x, 0));
  CHECK("fsort", tl_check_vjp(fsort, a)(9, x, 0));
  CHECK("lu", tl_check_vjp(lu, a)(3, m, piv, 0));
  double at;
  double z[4] = {1, 2, 2.7, 4};
  CHECK("search", tl_check_vjp(search)(4, z, 1.5, &at, 0));
  CHECK("search2", tl_check_vjp(search)(2, z, 1.5, &at, 0));
  CHECK("rows_view", tl_check_vjp(rows_view, x)(2, x, 0));
  CHECK("halves", tl_check_vjp(halves, x)(7, x, 0));
  CHECK("gauss", tl_check_vjp(gauss)(0.2, 1.4, 0));
  printf("%d runs, %d wrong\n", runs, total);
  return total != 0;
}
