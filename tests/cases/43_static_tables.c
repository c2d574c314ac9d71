/* Static arrays that nothing writes are constants, also where they go to functions whose parameters are not const. */
#include "check.h"

#include <tlaloc/grad.h>

static double dot(double a[3], double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double sum_to(double *p, double *end) {
  double sum = 0;
  while (p != end) {
    sum += *p++;
  }
  return sum;
}

static double nested(double m[2][3], double x[3]) { return dot(m[0], x) * m[1][2] + *(m[1] + 1); }

static double f(double x[3]) {
  static double table[2][3] = {{1, -2, 3}, {0.5, 0.25, 4}};
  static double line[3] = {2, 3, 5};
  return nested(table, x) * line[1] + dot(line, x);
}

static double g(double x) {
  static double line[3] = {2, 3, 5};
  return x * line[0] * x + dot(line, line) * x;
}

/* These are written to by a function that they go to, and read as they are. */
static double a1[2] = {1, 2}, a2[2] = {1, 2}, a3[2] = {1, 2}, a4[2] = {1, 2}, a5[2] = {1, 2}, a6[2] = {1, 2};

static void by_index(double *p) { p[1] = 7; }
static void by_offset(double *p) { *(p + 1) = 7; }
static void by_walk(double *p) {
  p++;
  *p++ = 7;
}
static void by_alias(double *p) {
  double *q = p;
  q[1] = 7;
}
static void by_call(double *p) { by_index(p); }
static void by_step(double *p) { ++*(p += 1); }

static double h(double x) { return (a1[1] + 10 * a2[1] + 100 * a3[1] + 1e3 * a4[1] + 1e4 * a5[1] + 1e5 * a6[1]) * x; }

int main(void) {
  CHECK(tl_grad(h)(1), 222222);
  by_index(a1), by_offset(a2), by_walk(a3), by_alias(a4), by_call(a5), by_step(a6);
  CHECK(tl_grad(h)(1), 377777);
  double x[3] = {0.5, 1, -1}, x_bar[3];
  CHECK(sum_to(x, x + 3), 0.5);
  tl_grad(f)(x, x_bar);
  CHECK(x_bar[0], 1 * 4 * 3 + 2);
  CHECK(x_bar[1], -2 * 4 * 3 + 3);
  CHECK(x_bar[2], 3 * 4 * 3 + 5);
  CHECK(tl_grad(g)(1.5), 2 * 2 * 1.5 + 4 + 9 + 25);
  return check_done();
}
