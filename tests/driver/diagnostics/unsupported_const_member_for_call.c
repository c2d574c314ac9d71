#include <tlaloc/grad.h>

struct scale {
  double by;
  const double unit;
};

static double power(const struct scale *s, int n) { return n ? power(s, n - 1) * s->by : s->unit; }
static double put_together(double x) {
  struct scale s = {x, 2};
  return power(&s, 3);
}

double slope(double x) { return tl_grad(put_together)(x); }
double tangent(double x) { return tl_jvp(put_together)(x, 1); }
double passed_on_is_fine(const struct scale *s, const struct scale *s_dot, double *dot) {
  return tl_value_and_jvp(power, s)(s, 3, s_dot, dot);
}
