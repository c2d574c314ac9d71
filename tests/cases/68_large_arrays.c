/* Arrays that derivatives make beside the user's locals do not fill a stack that is large enough for the primal:
 * tangents in 32 directions, adjoints, what tl_check_vjp works with, and objects put together for calls. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdlib.h>
#include <sys/resource.h>

#include <tlaloc/grad.h>

enum { COLUMNS = 32, LONG = 40000, MANY = 200000, WIDE = 20000 };

static void chain(int n, const double p[COLUMNS], double r[n]) {
  r[0] = p[0];
  for (int i = 1; i < n; i++) {
    r[i] = r[i - 1] * p[i % COLUMNS];
  }
}

static void in_place(int n, double z[n] TL_INOUT, const double p[COLUMNS]) {
  for (int i = 1; i < n; i++) {
    z[i] = z[i - 1] * p[i % COLUMNS] + z[i];
  }
}

/* Its local is of constant size, and is no more than the stack holds once. */
static double constant(const double p[COLUMNS]) {
  double a[WIDE], sum = 0;
  for (int i = 0; i < WIDE; i++) {
    a[i] = p[i % COLUMNS] * p[(i + 1) % COLUMNS];
  }
  for (int i = 1; i < WIDE; i++) {
    sum += a[i] * a[i - 1];
  }
  return sum;
}

static double local(int n, double x) {
  double a[n], sum = 0;
  for (int i = 0; i < n; i++) {
    a[i] = sin(x * i);
  }
  for (int i = 1; i < n; i++) {
    sum += a[i] * a[i - 1];
  }
  return sum;
}

static double total(int n, const double z[n], double y) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += z[i] * y;
  }
  return sum * y;
}

typedef struct point {
  double x, y;
  int count;
} point;

static double path(int n, int depth, const point p[n], double s) {
  if (depth == 0) {
    return s * p[n - 1].x;
  }
  point q[n];
  for (int i = 0; i < n; i++) {
    q[i].x = p[i].x * s;
    q[i].y = p[i].y;
    q[i].count = 0;
  }
  return path(n, depth - 1, q, s) + p[n - 1].y;
}

static int failures;

void tl_tape_failed(const char *function, size_t bytes);

void tl_tape_failed(const char *function, size_t bytes) { failures += function && bytes > 0; }

static double square(long n, const double x[n]) {
  double sum = 0;
  for (long i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return sum;
}

int main(void) {
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack)) {
    return 1;
  }
  stack.rlim_cur = 1 << 20;
  if (setrlimit(RLIMIT_STACK, &stack)) {
    return 1;
  }
  static double p[COLUMNS], ones[COLUMNS], r[MANY], J[LONG][COLUMNS], H[COLUMNS][COLUMNS], p_bar[COLUMNS];
  for (int i = 0; i < COLUMNS; i++) {
    p[i] = ones[i] = 1;
  }
  tl_jacobian(chain)(LONG, p, r, J);
  CHECK(J[LONG - 1][0], LONG / COLUMNS);
  CHECK(J[LONG - 1][31], LONG / COLUMNS);
  r[0] = 1;
  for (int i = 1; i < LONG; i++) {
    r[i] = 0;
  }
  tl_jacobian(in_place, p)(LONG, r, p, J);
  CHECK(J[LONG - 1][0], LONG / COLUMNS - 1);
  CHECK(J[LONG - 1][31], LONG / COLUMNS);
  tl_hessian(constant)(p, H);
  CHECK(H[0][0], 2 * WIDE / COLUMNS - 2);
  CHECK(H[1][2], H[2][1]);
  tl_grad(constant)(p, p_bar);
  CHECK(p_bar[7], 4 * (WIDE / COLUMNS));
  CHECK(tl_grad(local, x)(70000, 1e-9), tl_jvp(local, x)(70000, 1e-9, 1));
  for (int i = 0; i < MANY; i++) {
    r[i] = 1;
  }
  CHECK(tl_check_vjp(total, y)(MANY, r, 2, 0), 0);
  CHECK(tl_check_vjp(in_place, p)(2 * LONG, r, ones, 1e-6), 0);

  enum { POINTS = 15000 };
  static point points[POINTS], points_bar[POINTS];
  for (int i = 0; i < POINTS; i++) {
    points[i] = (point){i, 1, i};
  }
  double s_bar;
  tl_grad(path)(POINTS, 2, points, 2, points_bar, &s_bar);
  CHECK(s_bar, 12.0 * (POINTS - 1));
  CHECK(points_bar[POINTS - 1].x, 8);
  CHECK(points_bar[POINTS - 1].y, 2);

  CHECK(tl_check_vjp(square)(4, p, 0), 0);
  CHECK(failures, 0);
  CHECK(tl_check_vjp(square)(1L << 58, p, 0), 1);
  CHECK(failures, 1);
  return check_done();
}
