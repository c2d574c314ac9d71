/* Members passed as arrays of one element, and structs that a conditional chooses from what its branches make. */
#include "check.h"

#include <tlaloc/grad.h>

typedef struct {
  double v, w;
} pair;

typedef struct {
  pair p;
  double z[2];
} nest;

static void square(int n, double *p TL_LEN(n)) {
  for (int i = 0; i < n; i++) {
    p[i] *= p[i];
  }
}

static void square_row(int n, double p[n]) {
  for (int i = 0; i < n; i++) {
    p[i] *= p[i];
  }
}

static void square_deep(int depth, int n, double p[n]) {
  if (depth) {
    square_deep(depth - 1, n, p);
    return;
  }
  for (int i = 0; i < n; i++) {
    p[i] *= p[i];
  }
}

static pair mixed(pair p) { return (pair){p.v * p.w, p.w + p.v}; }

static double members(int n, double x) {
  pair t = {x, 2};
  nest a[2] = {{{x, x}, {1, x}}, {{2, x}, {x, 1}}};
  square(1, &t.v);
  square_row(1, &t.w);
  square(1, &a[1].p.w);
  square(1, &a[n & 1].p.w);
  square_deep(1, 1, &a[0].p.v);
  return t.v * t.w + a[0].p.v * a[0].p.w * a[0].z[1] + a[1].p.v * a[1].p.w;
}

static double chosen(int n, double x) {
  pair t = {x, 2};
  pair u = n & 1 ? mixed(t) : t;
  nest a = {t, {x, x * x}};
  nest k = n > 1 ? a : (nest){mixed(u), {x, 3}};
  pair last = n == 0 ? u : n == 1 ? (pair){x * x, u.v} : n == 2 ? mixed(k.p) : a.p;
  return u.v * u.w + k.p.v * k.p.w * k.z[0] + k.z[1] + last.v * last.w + (n ? mixed(u) : u).v;
}

static double along(double (*f)(int, double), int n, double x) {
  double h = 1e-3;
  return (8 * (f(n, x + h) - f(n, x - h)) - f(n, x + 2 * h) + f(n, x - 2 * h)) / (12 * h);
}

int main(void) {
  for (int n = 0; n < 4; n++) {
    double slope;
    CHECK(tl_value_and_grad(members)(n, 1.25, &slope), members(n, 1.25));
    CHECK_TO(slope, along(members, n, 1.25), 1e-9);
    CHECK(tl_value_and_grad(chosen)(n, 1.25, &slope), chosen(n, 1.25));
    CHECK_TO(slope, along(chosen, n, 1.25), 1e-9);
  }
  return check_done();
}
