#include <tlaloc/grad.h>
struct p { double a, b; };
static double f(const struct p *p, double x) { return p->a * x; }
double g(const struct p *p) {
  return tl_grad(f, a)(p, 2.0);
}
