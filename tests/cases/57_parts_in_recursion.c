/* A recursion over an array passes the rest of it where it lies: no copies, which here would not fit on the stack. */
#include "check.h"

#include <tlaloc/grad.h>

enum { MANY = 4000, N = 6 };

/* In each the cotangent of the rest meets that of the first element in another order. */
static double first(int n, const double x[n]) { return n ? x[0] * x[0] + 0.5 * first(n - 1, x + 1) : 0; }
static double last(const double *x TL_LEN(n), int n) { return n ? sin(last(x, n - 1)) + x[n - 1] * x[n - 1] : 1; }
static double after(int n, const double x[n]) {
  if (!n) {
    return 1;
  }
  double r = after(n - 1, x + 1);
  return (r + 1) * x[0];
}
static double even(int n, const double x[n]);
static double odd(int n, const double x[n]) { return n ? x[0] + even(n - 1, x + 1) : 2; }
static double even(int n, const double x[n]) { return n ? x[0] * odd(n - 1, x + 1) : 1; }

static double halves(int n, const double x[n]) {
  return n == 1 ? x[0] * x[0] : halves(n / 2, x) * halves(n - n / 2, x + n / 2);
}
static double dot(int n, const double *a TL_LEN(n), const double *b TL_LEN(n)) {
  return n ? a[0] * b[0] + dot(n - 1, a + 1, b + 1) : 0;
}
static double neighbours(int n, const double x[n]) {
  return n > 1 ? x[0] * dot(n - 1, x, x + 1) + neighbours(n - 1, x + 1) : x[0];
}
static double windows(int n, const double x[n]) {
  double s = 1;
  for (int i = 0; i + 2 < n; i++) {
    s = 0.5 * s + dot(3, x + i, x + i) * s;
  }
  return s;
}
static double of_rows(int n, int m, const double a[n][m]) {
  double s = 0;
  for (int i = 1; i < n; i++) {
    s += dot(m, a[i], a[i - 1]) + dot(m - 1, a[i] + 1, a[0]);
  }
  return s;
}
static double of_tables(double x) {
  static const double t[5] = {1, 2, 3, 4, 5};
  double y[5];
  for (int i = 0; i < 5; i++) {
    y[i] = x * i;
  }
  return dot(4, t + 1, y) * dot(3, y + 1, y + 2);
}

/* Parts that the callee writes are copies. */
static void squares(int n, double x[n]) {
  if (n) {
    x[0] = x[0] * x[0];
    squares(n - 1, x + 1);
  }
}
static double squared(int n, const double x[n]) {
  double y[N];
  for (int i = 0; i < n; i++) {
    y[i] = 2 * x[i];
  }
  squares(n, y);
  return dot(n - 1, y, y + 1);
}

struct box {
  int n;
  double *x TL_LEN(n);
  double w[4];
};
static double in_struct(const struct box *b) { return dot(b->n - 1, b->x + 1, b->x) * dot(3, b->w, b->w + 1); }

static double x[MANY], x_bar[MANY], x_dot[MANY];

#define CHECKED(f)                                                                                                     \
  CHECK(tl_check_vjp(f)(N, x, 1e-7), 0);                                                                               \
  tl_value_and_grad(f)(N, x, x_bar);                                                                                   \
  for (int i = 0; i < N; i++) {                                                                                        \
    x_dot[i] = 1;                                                                                                      \
    CHECK_TO(tl_jvp(f)(N, x, x_dot), x_bar[i], 1e-13);                                                                 \
    x_dot[i] = 0;                                                                                                      \
  }

int main(void) {
  for (int i = 0; i < MANY; i++) {
    x[i] = 0.5 + i % 4 * 0.25;
  }
  tl_value_and_grad(first)(MANY, x, x_bar);
  CHECK(x_bar[2], 0.25 * 2 * x[2]);
  tl_value_and_grad(last)(x, MANY, x_bar);
  CHECK(x_bar[MANY - 1], 2 * x[MANY - 1]);
  tl_value_and_grad(after)(MANY, x, x_bar);
  CHECK(x_bar[0], 1 + after(MANY - 1, x + 1));
  tl_value_and_grad(even)(MANY, x, x_bar);
  CHECK(x_bar[1], x[0]);
  x_dot[3] = 1;
  CHECK(tl_jvp(first)(MANY, x, x_dot), 0.125 * 2 * x[3]);
  x_dot[3] = 0;

  CHECKED(first);
  CHECKED(after);
  CHECKED(even);
  CHECKED(halves);
  CHECKED(neighbours);
  CHECKED(windows);
  CHECKED(squared);
  CHECK(tl_check_vjp(last)(x, N, 1e-7), 0);
  CHECK(tl_check_vjp(of_tables)(1.5, 1e-7), 0);
  double a[3][2] = {{1, 2}, {3, 4}, {5, 6}}, a_bar[3][2];
  CHECK(tl_check_vjp(of_rows, a)(3, 2, a, 1e-7), 0);
  tl_value_and_grad(of_rows, a)(3, 2, a, a_bar);
  CHECK(a_bar[0][0], 3 + 4 + 6);
  CHECK(a_bar[1][1], 2 + 6 + 1);
  double b_x[N], H[N][N];
  struct box b = {N, x, {1, 2, 3, 4}}, b_bar = {N, b_x, {0}};
  tl_value_and_grad(in_struct)(&b, &b_bar);
  CHECK(b_x[1], 20 * (x[0] + x[2]));
  CHECK(b_bar.w[1], dot(N - 1, x + 1, x) * 4);
  tl_hessian(after)(N, x, H);
  CHECK(H[0][1], 1 + after(N - 2, x + 2));
  CHECK(H[1][0], H[0][1]);
  tl_hessian(neighbours)(3, x, (double(*)[3])H);
  CHECK(((double(*)[3])H)[0][1], 2 * x[0] + x[2]);
  return check_done();
}
