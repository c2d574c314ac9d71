/* Objects that are put together for a call that stays one: as many as the arguments say, whatever the caller's names are; the
 * pointers in them point to what the arguments hold. */
#include "check.h"

#include <stdlib.h>
#include <tlaloc/grad.h>

struct point {
  double x;
};

static double product(int n, const struct point b[n]) { return n <= 0 ? 1 : b[0].x * product(n - 1, b + 1); }

static double other_n(int n, double x) {
  struct point b[9];
  for (int i = 0; i < 9; i++) {
    b[i].x = x;
  }
  return n * product(9, b);
}

static double no_n(double x) {
  struct point b[2] = {{x}, {x}};
  return product(2, b);
}

static double by_length(int n, const struct point *b TL_LEN(n)) { return n <= 0 ? 1 : b[0].x * by_length(n - 1, b + 1); }

static double two(double x) {
  struct point b[2] = {{x}, {x}};
  return by_length(2, b);
}

struct net {
  int n;
  double *w TL_LEN(n);
};

static double through(const struct net *p) {
  double s = 1;
  for (int i = 0; i < p->n; i++) {
    s *= p->w[i];
  }
  return s;
}

struct fixed {
  double *w TL_LEN(3), c;
};

static double through_fixed(const struct fixed *p) { return p->w[0] * p->w[1] * p->w[2] * p->c; }

/* Of two arrays that lie in one loop, moved on by one element. */
static void products(int d, int n, double p[n], double q[n]) {
  if (n <= 0) {
    return;
  }
  p[0] *= q[0];
  q[0] *= p[0];
  products(d, n - 1, p + 1, q + 1);
  if (d) {
    products(d - 1, n - 1, p, q);
  }
}

static double last_of_products(double x) {
  double u[2] = {x, x}, v[2] = {x, x};
  products(0, 2, u, v);
  return u[1] + v[1];
}

/* The extent of a member that is handed on is not that of the object. */
struct state {
  double place[3], speed;
};

static void squares(double p[3], double s[3]) {
  for (int i = 0; i < 3; i++) {
    s[i] = p[i] * p[i];
  }
}

static void set_state(double x[3], struct state *s) {
  squares(x, s->place);
  s->speed = x[0];
}

int main(void) {
  CHECK(tl_grad(other_n)(1, 1), 9);
  CHECK(tl_grad(no_n)(3), 6);
  CHECK(tl_grad(two)(3), 6);
  double w[3] = {1.5, 2, 0.5};
  struct net p = {3, w};
  CHECK(tl_check_vjp(through)(&p, 0), 0);
  struct fixed q = {w, 2};
  CHECK(tl_check_vjp(through_fixed)(&q, 0), 0);
  CHECK(tl_grad(last_of_products)(3), 2 * 3 + 3 * 9);
  double x[3] = {1, 2, 3}, x_bar[3];
  struct state s[3] = {{{0}, 0}}, s_bar[3] = {{{1, 1, 1}, 1}, {{5, 5, 5}, 5}, {{5, 5, 5}, 5}};
  tl_vjp(set_state, x)(x, s, s_bar, x_bar);
  CHECK(x_bar[0], 3);
  CHECK(x_bar[2], 6);
  CHECK(tl_check_vjp(set_state)(x, s, 0), 0);
  CHECK(s_bar[1].speed, 5);
  return check_done();
}
