/* What a function leaves alone behind a pointer member: it may be null, in the argument and in the result; nothing is
 * read or written there. What it uses has its results as ever. */
#include "check.h"

#include <stddef.h>

#include <tlaloc/grad.h>

struct model {
  double m;
  const double *tab;
  int n;
  const int *kinds TL_LEN(n);
  double *w TL_LEN(n);
};

static double square(struct model *c) { return c->m * c->m; }
static double square_value(struct model c) { return c.m * c.m; }
static double asks(const struct model *c) { return c->tab ? c->m * c->m * c->m : c->m * c->m; }

/* Through calls that stay calls, and where other members are written. */
static double recursive(struct model *c, int depth) { return depth ? c->m * recursive(c, depth - 1) : c->m; }
static double in_place(struct model *c) {
  c->m *= c->m;
  return 3 * c->m;
}
static double changing(struct model *c, int depth) {
  if (depth) {
    c->m *= 2;
    return changing(c, depth - 1);
  }
  return c->m * c->m;
}

/* Mentioned is used, whether or not it counts; so is what only one call of a recursion reads. */
static double mentions(const struct model *c) {
  double unused = *c->tab;
  (void)unused;
  return c->m;
}
static double reads_last(const struct model *c, int depth) {
  return depth ? c->m * reads_last(c, depth - 1) : *c->tab * c->m;
}

/* Pointers to structs, and arrays of structs. */
struct inner {
  double a;
  struct model *deep;
};
struct outer {
  struct inner *in;
  struct model *other;
  double x;
};
static double nested(const struct outer *o) { return o->x * o->in->a; }
static double only_x(const struct outer *o) { return o->x * o->x; }
static double many(int n, const struct model s[n]) {
  double r = 1;
  for (int i = 0; i < n; i++) {
    r *= s[i].m;
  }
  return r;
}

static double with_rows(double x, double **rows) {
  (void)rows;
  return x * x;
}

int main(void) {
  struct model c = {.m = 0.7, .n = 2}, b = {0};
  CHECK(tl_check_vjp(square)(&c, 0), 0);
  CHECK(tl_check_vjp(square_value)(c, 0), 0);
  CHECK(tl_check_vjp(asks)(&c, 0), 0);
  CHECK(tl_check_vjp(recursive, c)(&c, 2, 0), 0);
  CHECK(tl_check_vjp(in_place)(&c, 0), 0);
  CHECK(tl_check_vjp(changing, c)(&c, 2, 0), 0);
  CHECK(c.m, 0.7);
  tl_grad(square)(&c, &b);
  CHECK(b.m, 1.4);
  CHECK(b.n, 2);
  tl_grad(square_value)(c, &b);
  CHECK(b.m, 1.4);
  CHECK(tl_value_and_grad(asks)(&c, &b), 0.49);
  CHECK(b.m, 1.4);
  tl_grad(recursive, c)(&c, 2, &b);
  CHECK(b.m, 3 * 0.49);
  CHECK(tl_vjp(square)(&c, 2, &b), 0.49);
  CHECK(b.m, 2.8);
  struct model d = c, dot = {.m = 1};
  CHECK(tl_vjp(in_place)(&d, 1, &dot), 3 * 0.49);
  CHECK(dot.m, (3 + 1) * 1.4);
  dot.m = 1;
  CHECK(tl_jvp(square)(&c, &dot), 1.4);
  d = c;
  tl_grad(in_place)(&d, &b);
  CHECK(b.m, 4.2);
  d = c;
  tl_grad(changing, c)(&d, 1, &b);
  CHECK(b.m, 8 * 0.7);

  /* A pointer that is there is passed on, and what it points to stays as it is. */
  double t = 5, t_bar = 9;
  const struct model full = {.m = 0.7, .tab = &t};
  struct model full_bar = {.tab = &t_bar};
  CHECK(tl_check_vjp(asks)(&full, 0), 0);
  tl_grad(asks)(&full, &full_bar);
  CHECK(full_bar.m, 3 * 0.49);
  CHECK(t_bar, 9);
  tl_grad(mentions)(&full, &full_bar);
  CHECK(t_bar, 0);
  CHECK(tl_check_vjp(mentions)(&full, 0), 0);
  tl_grad(reads_last, c)(&full, 1, &full_bar);
  CHECK(t_bar, 0.49);
  CHECK(tl_check_vjp(reads_last, c)(&full, 1, 0), 0);

  struct inner in = {.a = 2}, in_bar = {0};
  struct outer o = {.in = &in, .x = 3}, o_bar = {.in = &in_bar};
  tl_grad(nested)(&o, &o_bar);
  CHECK(in_bar.a, 3);
  CHECK(o_bar.x, 2);
  o.in = o_bar.in = NULL;
  tl_grad(only_x)(&o, &o_bar);
  CHECK(o_bar.x, 6);
  CHECK(tl_check_vjp(only_x)(&o, 0), 0);
  struct model s[2] = {{.m = 2}, {.m = 3}}, s_bar[2] = {{.m = 0}, {.m = 0}};
  tl_grad(many)(2, s, s_bar);
  CHECK(s_bar[1].m, 2);
  CHECK(tl_check_vjp(many)(2, s, 0), 0);
  CHECK(tl_grad(with_rows, x)(3, NULL), 6);
  CHECK(tl_check_vjp(with_rows, x)(3, NULL, 0), 0);
  return check_done();
}
