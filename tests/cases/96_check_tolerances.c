/* The default tolerance of tl_check_vjp is each entry's own: 1e-3 where something that depends on the variable is a
 * float, else 1e-8. A wrong rule is seen by it beside floats. */
#include "check.h"

#include <tlaloc/grad.h>

static double mix(double x, float w) { return sin(x) * w; }
static double mix_more(const double x[2], float w) { return sin(x[0]) * w * w * w + x[1] * w; }

/* Floats between, as results and in calls. */
static double between(double x, double y) {
  float t = (float)(x * x);
  return t * t * t + y * y * y;
}
static float returned(double x) { return (float)(x * x * sin(x)); }
static double stored(double x, double y, float *out) {
  *out = (float)(x * x * sin(x));
  return exp(y);
}
static double in_call(double x, int depth) {
  return depth ? in_call(x, depth - 1) : (double)((float)x * (float)x * (float)x);
}

struct mixed {
  double m;
  float d[3];
  double q[2][2];
};
static double members(const struct mixed *p) {
  return exp(p->m) * p->d[0] * p->d[1] * p->d[2] + sin(p->q[0][1] * p->q[1][1]) * p->m;
}

double slightly_off(double x);
double slightly_off_vjp(double x, double bar, double *x_bar);
double slightly_off(double x) { return x * x * x; }
double slightly_off_vjp(double x, double bar, double *x_bar) {
  *x_bar = bar * 3 * x * x * (1 + 1e-6);
  return x * x * x;
}
TL_CUSTOM_VJP(slightly_off, slightly_off_vjp);

static double wrong_beside_float(double x, float w) { return slightly_off(x) * w; }
static double wrong_beside_float_result(double x, double y, float *out) {
  *out = (float)(y * y * sin(y));
  return slightly_off(x);
}

int main(void) {
  double x[2] = {0.3, 0.92};
  float out;
  CHECK(tl_check_vjp(mix)(1.1, 0.7f, 0), 0);
  CHECK(tl_check_vjp(mix)(1.1, 0.7f, 1e-3), 0);
  CHECK(tl_check_vjp(mix, x)(1.1, 0.7f, 0), 0);
  CHECK(tl_check_vjp(mix_more)(x, 0.7f, 0), 0);
  CHECK(tl_check_vjp(between)(1.1, 0.3, 0), 0);
  CHECK(tl_check_vjp(returned)(1.3, 0), 0);
  CHECK(tl_check_vjp(stored)(1.3, 0.7, &out, 0), 0);
  CHECK(tl_check_vjp(in_call, x)(1.3, 2, 0), 0);
  struct mixed p = {0.4, {0.3f, 0.8f, 1.7f}, {{1, 0.2}, {3, 0.7}}};
  CHECK(tl_check_vjp(members)(&p, 0), 0);
  CHECK(tl_check_vjp(wrong_beside_float)(0.7, 0.9f, 0), 1);
  CHECK(tl_check_vjp(wrong_beside_float)(0.7, 0.9f, 1e-3), 0);
  CHECK(tl_check_vjp(wrong_beside_float_result)(0.7, 0.9, &out, 0) >= 1, 1);
  return check_done();
}
