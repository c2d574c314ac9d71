#include <tlaloc/grad.h>
struct p { double a, b[2]; };
static double f(const struct p *p, double x) { return p->a * p->b[1] * x; }
double a(const struct p *p) { return tl_grad(f, "x")(p, 1); }
double b(const struct p *p) { return tl_grad(f, &x)(p, 1); }
double c(const struct p *p) { return tl_grad(f, p->a)(p, 1); }
double d(const struct p *p) { return tl_grad(f, p, x[0])(p, 1); }
double e(const struct p *p) { return tl_grad(f, double x)(p, 1); }
double g(const struct p *p) { return tl_grad(f, const struct p *p)(p, 1); }
double h(const struct p *p) { return tl_grad(f, x, )(p, 1); }
double i(const struct p *p) { return tl_grad(f, , x)(p, 1); }
double j(const struct p *p) { return tl_grad(f, 2 * x)(p, 1); }
double k(const struct p *p) { return tl_grad(f, x + 1)(p, 1); }
double l(const struct p *p) { return tl_grad(f, 1)(p, 1); }
double m(const struct p *p) { return tl_grad(tl_value_and_grad(f, "x"), x)(p, 1); }
