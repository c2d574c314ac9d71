#include <tlaloc/grad.h>

struct point {
  double x, y;
};

struct net {
  struct point *at TL_LEN(2);
  double c;
};

static double f(const struct net *p) { return p->at[0].x * p->at[1].y * p->c; }

int check(const struct net *p) { return tl_check_vjp(f)(p, 0); }
