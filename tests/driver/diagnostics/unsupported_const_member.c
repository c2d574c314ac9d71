#include <tlaloc/grad.h>

struct scale {
  double by;
  const double unit;
};

static double scaled(struct scale s, double x) { return s.by * s.unit * x; }
static double through(const struct scale *s, double x) { return s->by * s->unit * x; }
static struct scale made(double x) { return (struct scale){x, 2 * x}; }
static double uses(double x) { return made(x).unit * x; }
int main(void) {
  struct scale s = {2, 3}, bar = {0, 0};
  tl_grad(scaled, s)(s, 1, &bar);
  tl_vjp(through)(&s, 1, 1, &bar, 0);
  tl_jvp(made)(1, 1);
  return tl_grad(scaled, x)(s, 1) + tl_grad(through, x)(&s, 1) + tl_grad(uses)(1) > 0;
}
