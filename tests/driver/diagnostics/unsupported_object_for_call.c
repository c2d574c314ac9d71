#include <tlaloc/grad.h>

struct point {
  double x, y;
};

struct net {
  struct point *at TL_LEN(2);
  double c;
};

static double f(int n, const struct net *p) { return n ? p->c * f(n - 1, p) : p->at[0].x * p->at[1].y * p->c; }

static double with_local(double x) {
  struct point a[2] = {{x, 1}, {2, x}};
  struct net p = {a, x};
  return 2 * f(1, &p);
}

double slope(double x) { return tl_grad(with_local)(x) + tl_jvp(with_local)(x, 1); }
void passed_on_is_fine(const struct net *p, struct net *p_bar) { tl_grad(f)(1, p, p_bar); }
