/* Structs with const, volatile and restrict members: what lies behind a pointer to const is written in a result. */
#include "check.h"

#include <stddef.h>

#include <tlaloc/grad.h>

struct table {
  int n;
  const double *w TL_LEN(n);
  double *restrict v TL_LEN(n);
  double k;
};
static double dot(const struct table *t, double x) {
  double s = 0;
  for (int i = 0; i < t->n; i++) {
    s += t->w[i] * t->v[i] * x;
  }
  return s * t->k;
}
static double dot_value(struct table t, double x) { return dot(&t, x); }

typedef const double fixed;
struct pair {
  double a, b;
};
struct nest {
  fixed *one; /* const within a typedef, one element */
  const struct pair *p;
  fixed (*m)[2] TL_LEN(2);
  const int *count;
  int k;
};
static double inner(const struct nest *q) {
  double s = 0;
  for (int i = 0; i < q->k; i++) {
    s += q->m[1][i] * q->m[0][i];
  }
  return *q->one * q->p->a * q->p->b + s * *q->count;
}

/* Const members are read like others where nothing of their struct is a result. */
struct model {
  const double scale[2];
  const int kind;
  volatile double x;
  double *const out;
};
static double use(const struct model *m, double y) { return m->kind * m->scale[1] * y * y + m->x; }
static double write(struct model *m, double y) {
  *m->out = m->scale[0] * y;
  return *m->out * y;
}

struct loose {
  volatile double x;
  volatile double v[2];
  double *const p;
};
static double free_of_const(const struct loose *s) { return s->x * s->v[1] * *s->p; }

/* Calls that stay calls get the caller's object, or one that is put together. */
static double power(const struct table *t, int depth) { return depth ? power(t, depth - 1) * t->w[0] : t->k; }
static double passes(const struct table *t) { return power(t, 3); }
static double makes(double w[1], double k) {
  double v[1] = {0};
  struct table t = {1, w, v, k};
  return power(&t, 3);
}

int main(void) {
  double w[2] = {2, 3}, v[2] = {5, 7}, wb[2], vb[2];
  struct table t = {2, w, v, 0.5}, b = {0, wb, vb, 0};
  tl_grad(dot, t)(&t, 2, &b);
  CHECK(wb[0], 5);
  CHECK(wb[1], 7);
  CHECK(vb[1], 3);
  CHECK(b.k, 62);
  CHECK(b.n, 2);
  tl_grad(dot_value, t)(t, 4, &b);
  CHECK(wb[1], 14);
  CHECK(vb[0], 4);
  CHECK(tl_check_vjp(dot)(&t, 2, 0), 0);
  struct table d = {2, wb, vb, 0};
  wb[0] = wb[1] = vb[0] = 0;
  vb[1] = 1;
  CHECK(tl_jvp(dot, t)(&t, 2, &d), 3);

  double one = 3, m[2][2] = {{1, 2}, {3, 4}}, oneb, mb[2][2];
  struct pair p = {5, 7}, pb;
  int two = 2, countb = 0;
  struct nest q = {&one, &p, m, &two, 2}, qb = {&oneb, &pb, mb, &countb, 0};
  tl_grad(inner)(&q, &qb);
  CHECK(oneb, 35);
  CHECK(pb.b, 15);
  CHECK(mb[0][1], 8);
  CHECK(mb[1][0], 2);
  CHECK(countb, 2);
  CHECK(qb.k, 2);

  double out = 0;
  struct model o = {{2, 3}, 4, 5, &out};
  CHECK(tl_grad(use, y)(&o, 2), 48);
  CHECK(tl_grad(write, y)(&o, 3), 12);
  CHECK(out, 6);

  double pp = 5, pq;
  struct loose l = {2, {0, 3}, &pp}, lb = {0, {0, 0}, &pq};
  tl_grad(free_of_const)(&l, &lb);
  CHECK(lb.x, 15);
  CHECK(lb.v[0], 0);
  CHECK(lb.v[1], 10);
  CHECK(pq, 6);

  tl_grad(passes)(&t, &b);
  CHECK(wb[0], 3 * 4 * 0.5);
  CHECK(b.k, 8);
  double kb;
  tl_grad(makes, w, k)(w, 0.5, wb, &kb);
  CHECK(wb[0], 3 * 4 * 0.5);
  CHECK(kb, 8);
  return check_done();
}
