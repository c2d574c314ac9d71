/* Parameters whose names mean something else in the derivative: functions that it calls though the primal does not,
 * globals that an inlined function reads, the primal itself. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <tlaloc/grad.h>

double scale = 3;
double weights[3] = {1, 2, 3};

typedef struct pair {
  double a, b;
} pair;

struct cosines {
  double cos;
};

static double scaled(double x) { return scale * x * x; }
static double by_scale(double scale, double x) { return scaled(x) * scale; }

static double weigh(int i, double x) { return weights[i] * x * x; }
static double by_weights(const double weights[2], double x) { return weigh(2, x) * weights[0] + weights[1]; }

static double turn(double x, double cos) { return sin(x) * cos; }
static double turn_float(float x, float cosf) { return sinf(x) * cosf; }
static double power(double x, const double log[2]) { return pow(x, log[1]) * log[0]; }
static double grow(double x) { return exp(x); }
static double grown(double x, int exp) { return grow(x) * exp; }
static double member(double x, const struct cosines *cos) { return sin(x) * cos->cos; }

static double product(int malloc, const double free[malloc], int memset) {
  double s = 1, a[malloc];
  for (int i = 0; i < malloc; i++) {
    a[i] = free[i] + memset;
  }
  for (int i = 0; i < malloc; i++) {
    s = sin(s * a[i]);
  }
  return s;
}

static double itself(int itself, double x) { return x * x * itself; }

static double recursive(int n, double x) { return n ? recursive(n - 1, sin(x)) : x; }
static double called(int n, double x) { return recursive(n, x) * x; }
static double calls(double recursive, double x) { return called(2, x) * recursive; }

static pair halves(int n, pair p) {
  if (n) {
    return halves(n - 1, (pair){p.b, p.a * p.b});
  }
  return p;
}
static double halved(pair p) { return halves(1, p).b; }
static double of_pair(double pair, double x) { return halved((struct pair){x, pair}); }

int main(void) {
  double x = 0.7, a, b, v[3];
  tl_grad(by_scale)(5, 2, &a, &b);
  CHECK(a, 12);
  CHECK(b, 60);
  CHECK(tl_grad(by_scale, x)(5, 2), 60);
  CHECK(tl_jvp(by_scale)(5, 2, 1, 1), 72);
  tl_vjp(by_scale, x)(5, 2, 2, &b);
  CHECK(b, 120);
  tl_grad(by_weights)((double[]){5, 7}, 2, v, &b);
  CHECK(v[0], 12);
  CHECK(b, 60);
  tl_grad(turn)(x, 2, &a, &b);
  CHECK(a, 2 * cos(x));
  CHECK(b, sin(x));
  CHECK_TO(tl_grad(turn_float, x)((float)x, 2), 2 * cos(x), 1e-6);
  tl_grad(power)(x, (double[]){2, 3}, &a, v);
  CHECK(a, 6 * x * x);
  CHECK(v[0], x * x * x);
  CHECK(v[1], 2 * x * x * x * log(x));
  CHECK(tl_grad(grown, x)(x, 3), 3 * exp(x));
  struct cosines c = {2}, c_bar;
  tl_grad(member)(x, &c, &a, &c_bar);
  CHECK(a, 2 * cos(x));
  CHECK(c_bar.cos, sin(x));
  double y[3] = {0.3, 0.5, 0.8}, H[3][3];
  CHECK(tl_check_vjp(product, free)(3, y, 1, 0), 0);
  tl_grad(product, free)(3, y, 1, v);
  CHECK(v[2], cos(sin(sin(1.3) * 1.5) * 1.8) * sin(sin(1.3) * 1.5));
  tl_hessian(product, free)(3, y, 1, H);
  CHECK(H[0][2], H[2][0]);
  CHECK(tl_grad(itself, x)(3, x), 6 * x);
  CHECK(tl_check_vjp(itself)(3, x, 0), 0);
  tl_grad(calls)(2, x, &a, &b);
  CHECK(a, sin(sin(x)) * x);
  CHECK(b, 2 * (sin(sin(x)) + cos(sin(x)) * cos(x) * x));
  tl_grad(of_pair)(2, x, &a, &b);
  CHECK(a, x);
  CHECK(b, 2);
  return check_done();
}
