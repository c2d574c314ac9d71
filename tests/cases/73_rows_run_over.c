/* Pointers made of the first row of an array of rows, a[0] or *a, run over all of its elements, which are those that
 * a[i][j] names; rows among others stay in their rows. */
#include "check.h"

#include <string.h>

#include <tlaloc/grad.h>

static void scale(double *v, int n, double c) {
  for (int i = 0; i < n; i++) {
    v[i] *= c;
  }
}
static double at(const double *p, int i, int j) { return p[2 * i + j]; }

static double stored_and_read(const double x[4]) {
  double a[2][2], *p = a[0], s = 0;
  for (int i = 0; i < 4; i++) {
    p[i] = x[i] * x[i];
  }
  a[1][0] *= 2;
  for (int i = 0; i < 4; i++) {
    s += p[i] * (i + 1);
  }
  return s * a[1][1] + a[1][0];
}
static double passed(const double x[4]) {
  double a[2][2] = {{x[0], x[1]}, {x[2], x[3]}};
  scale(*a, 4, x[0]);
  a[1][0] += 1;
  scale(a[0], 3, x[1]);
  double s = a[1][0];
  a[0][1] = 5;
  return s * a[1][1] + a[1][0] * a[0][0];
}
static double copied(const double x[4]) {
  double a[2][2], b[2][3];
  memcpy(a[0], x, 4 * sizeof(double));
  a[0][1] += x[0];
  memset(a[0], 0, 3 * sizeof(double));
  for (double *p = b[0]; p != b[0] + 6; ++p) {
    *p = x[(p - b[0]) % 4];
  }
  return a[1][0] + a[1][1] * b[1][2] + b[0][1] * b[1][0];
}
static double mixed(const double x[4]) {
  double a[2][2] = {{x[0], x[1]}, {x[2], x[3]}}, s = 0;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      s += at(a[0], i, j) * (i + 1);
      a[i][j] = s;
      s += at(*a, 1, 0);
    }
  }
  return s;
}
static double slab(const double x[4], int n) { /* the middle one of three matrices, and a run-time number of columns */
  double a[3][2][n], s = 0;
  memset(a, 0, sizeof a);
  memcpy(a[1][0], x, 2 * n * sizeof(double));
  for (double *p = &a[1][0][0]; p < &a[1][0][0] + 2 * n; p++) {
    *p *= *p;
  }
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < n; j++) {
      s = s * 2 + a[1][i][j];
    }
  }
  return s;
}
static double exchanged(const double x[4], int steps) {
  double b[2][4], *now = b[0], *next = b[1];
  memcpy(now, x, sizeof b[0]);
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < 4; i++) {
      next[i] = now[i] * 0.5 + now[(i + 1) % 4] * now[i];
    }
    double *other = now;
    now = next;
    next = other;
  }
  return now[0] * now[3];
}

int main(void) {
  double x[4] = {2, 3, 5, 7}, b[4];
  tl_grad(stored_and_read)(x, b);
  double s = 4 + 18 + 150 + 196;
  CHECK(b[0], 4 * 49);
  CHECK(b[1], 2 * 6 * 49);
  CHECK(b[2], 20 * 3 * 49 + 20);
  CHECK(b[3], 8 * 7 * 49 + 14 * s);
  CHECK(tl_check_vjp(stored_and_read)(x, 0), 0);
  tl_grad(passed)(x, b);
  /* with p = x0, q = x1: (p x2 + 1) q (p x3 + p p q) */
  CHECK(b[3], (2 * 5 + 1) * 3 * 2);
  CHECK(b[2], 2 * 3 * (2 * 7 + 2 * 2 * 3));
  CHECK(tl_check_vjp(passed)(x, 0), 0);
  tl_grad(copied)(x, b);
  CHECK(b[0], 0);
  CHECK(b[1], 7 + 7);
  CHECK(b[2], 0);
  CHECK(b[3], 3 + 3);
  CHECK(tl_check_vjp(mixed)(x, 0), 0);
  tl_grad(slab, x)(x, 2, b);
  CHECK(b[0], 8 * 4);
  CHECK(b[1], 4 * 6);
  CHECK(b[2], 2 * 10);
  CHECK(b[3], 14);
  CHECK(tl_check_vjp(exchanged, x)(x, 3, 0), 0);
  return check_done();
}
