/* Structs that are put together for a call that stays a call: what their members point to is the callee's too, in each
 * mode, whatever it is that states how much it is. */
#include "check.h"

#include <tlaloc/grad.h>

struct fixed {
  double *w TL_LEN(3), c;
};

static double of_fixed(int d, const struct fixed *p) {
  return d ? p->c * of_fixed(d - 1, p) : p->w[0] * p->w[1] * p->c;
}
static double with_fixed(double x) {
  double a[3] = {x, x, 1};
  struct fixed p = {a, x};
  return of_fixed(1, &p);
}

static double by_value(int d, struct fixed p) { return d ? p.c * by_value(d - 1, p) : p.w[0] * p.w[1] * p.c; }
static double with_value(double x) {
  double a[3] = {x, x, 1};
  struct fixed p = {a, x};
  return by_value(1, p);
}

struct run {
  int n;
  double *w TL_LEN(n), c;
};

static double of_run(int d, const struct run *p) { return d ? p->c * of_run(d - 1, p) : p->w[0] * p->w[1] * p->c; }
static double with_run(double x) {
  double a[3] = {x, x, 1};
  struct run p = {3, a, x};
  return of_run(1, &p);
}

struct one {
  double *q, c;
};

static double of_one(int d, const struct one *p) { return d ? p->c * of_one(d - 1, p) : *p->q * *p->q * p->c; }
static double with_one(double x) {
  double a = x;
  struct one p = {&a, x};
  return of_one(1, &p);
}

/* The callee writes to what the member points to. */
static double changing(int d, struct fixed *p) {
  if (d) {
    p->w[1] *= p->c;
    return changing(d - 1, p);
  }
  return p->w[0] * p->w[1] * p->c;
}
static double with_changing(double x) {
  double a[3] = {x, x, 1};
  struct fixed p = {a, x};
  return changing(1, &p) + 0 * a[1];
}

#define CHECKED(f)                                                                                                     \
  CHECK(tl_grad(f)(2), 32);                                                                                            \
  CHECK(tl_jvp(f)(2, 1), 32);                                                                                          \
  CHECK(tl_grad(tl_grad(f, x), x)(2), 48);                                                                             \
  CHECK(tl_check_vjp(f)(2, 0), 0)

int main(void) {
  CHECKED(with_fixed);
  CHECKED(with_value);
  CHECKED(with_run);
  CHECKED(with_one);
  CHECKED(with_changing);
  double q = 3, q_bar, q_dot = 1, J[1][2];
  struct one p = {&q, 2}, p_bar = {&q_bar, 0}, p_dot = {&q_dot, 0};
  tl_grad(of_one)(1, &p, &p_bar);
  CHECK(q_bar, 4 * 6);
  CHECK(tl_jvp(of_one)(1, &p, &p_dot), 4 * 6);
  tl_jacobian(of_one)(1, &p, J);
  CHECK(J[0][0] + J[0][1], 4 * 6 + 2 * 2 * 9);
  CHECK(tl_check_vjp(of_one)(1, &p, 0), 0);
  return check_done();
}
