/* Values ahead of their guards: several guards of one value, guards in guards, derivatives of derivatives, trial steps
 * that overflow and are rejected. */
#include "check.h"

#include <tlaloc/grad.h>

/* More branches than get a root of their own. */
static double many_branches(double x, int which) {
  double r = sqrt(x), u = 3 * r, s = 5 * x;
  if (which == 0) {
    s += r;
  }
  if (which > 0) {
    s += 2 * r;
  }
  if (which > 1 && x > 0) {
    s += r * x;
  } else if (which > 2) {
    s += u;
  }
  if (which > 3) {
    s *= r;
  }
  if (which > 4) {
    s /= r;
  }
  if (which > 5) {
    s -= u;
  }
  return s;
}

static double nested(double x, double y) {
  double r = sqrt(x), l = log(x), s = x * y;
  if (y > 0) {
    double q = l * r;
    s += y;
    if (x > 0) {
      s += q;
      for (int i = 0; i < 2; i++) {
        double t = q / r;
        if (i == 1) {
          s += t;
        }
      }
    }
  }
  return s;
}

static double of_one(double x) {
  double r = sqrt(x), v[2] = {r * x, 1 / x}, s = x * x * x;
  if (r > 0) {
    s += r;
  }
  for (int i = 0; i < 2; i++) {
    if (x > 0) {
      s += v[i];
    }
  }
  return s;
}

/* Points that coincide do not act on each other. */
static double repulsion(int n, const double x[n]) {
  double e = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double r = sqrt((x[i] - x[j]) * (x[i] - x[j]));
      if (r > 0) {
        e += 1 / (1 + r);
      }
    }
  }
  return e;
}
static double repulsion_by_hand(int n, const double x[n]) {
  double e = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (i != j) {
        e += 1 / (1 + sqrt((x[i] - x[j]) * (x[i] - x[j])));
      }
    }
  }
  return e;
}

static double steps(double mu, double y0, double h) {
  double y[2] = {y0, 0.5};
  for (int i = 0; i < 30; i++) {
    double w[2];
    for (int k = 0; k < 2; k++) {
      w[k] = y[k] * exp(h * mu * y[k]);
    }
    double trial = w[0] * w[1] * mu;
    if (!(trial < 2)) {
      h *= 0.5;
      continue;
    }
    for (int k = 0; k < 2; k++) {
      y[k] += 0.01 * w[k] * trial;
    }
  }
  return y[0] + y[1];
}

static double halvings(double x) {
  double s = x, r = sqrt(x);
  while (r > 1e-3) {
    s += r;
    r *= 0.5;
  }
  return s;
}

static float in_float(float x, float y) {
  float r = sqrtf(x * x + y * y), s = 2 * x + y;
  return r > 1e-9F ? r : s;
}

/* What is not guarded stays as it is. */
static double unguarded(double x, double y) { return y * sqrt(x); }

/* In a Hessian whose directions ride along, two stretches of ops test one cotangent. */
static double tested_twice(int n, double x, const double v[n]) {
  double t = v[1];
  switch (n & 3) {
  default:
    t = atan(log(1.3 + t * t) + v[0] * v[0]);
    /* fall through */
  case 1:
    for (int i = 0; i < n; i++) {
      t *= sin(-(x + t));
    }
    break;
  }
  t = t / (1.5 + t * t);
  return t - v[1];
}

int main(void) {
  double a, b;
  for (int which = -1; which < 4; which++) {
    double more = which < 0 ? 0 : which == 0 ? 1 : which < 3 ? 2 : 5;
    if (which != 0 && which < 1) {
      CHECK(tl_grad(many_branches, x)(0, which), 5);
    }
    CHECK(tl_grad(many_branches, x)(4, which), 5 + more / 4 - (which == 3 ? 0.75 : 0) + (which > 1 ? 3 : 0));
  }
  CHECK(tl_grad(many_branches, x)(4, 6), tl_jvp(many_branches, x)(4, 6, 1));
  for (int i = 0; i < 4; i++) {
    double x = i & 1, y = i < 2 ? -1 : 1;
    tl_grad(nested)(x, y, &a, &b);
    CHECK(a, tl_jvp(nested)(x, y, 1, 0));
    CHECK(b, tl_jvp(nested)(x, y, 0, 1));
  }
  CHECK(tl_grad(of_one)(0), 0);
  CHECK(tl_grad(tl_grad(of_one))(0), 0);
  CHECK(tl_grad(tl_grad(tl_grad(of_one)))(0), 6);
  CHECK_TO(tl_grad(of_one)(4), 48 + 0.25 + 3 - 1.0 / 16, 1e-14);
  CHECK_TO(tl_grad(tl_grad(of_one))(4), 24 - 1.0 / 32 + 0.375 + 1.0 / 32, 1e-14);
  const double x[4] = {1, 2, 4, 4};
  double x_bar[4], hand[4];
  tl_grad(repulsion, x)(3, x, x_bar);
  tl_grad(repulsion_by_hand, x)(3, x, hand);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(x_bar[i], hand[i], 1e-14);
  }
  tl_grad(repulsion, x)(4, x, x_bar);
  CHECK_TO(x_bar[3], -2.0 / 16 - 2.0 / 9, 1e-14);
  tl_grad(steps, mu, y0)(0.8, 1, 3000, &a, &b);
  CHECK_TO(a, tl_jvp(steps, mu)(0.8, 1, 3000, 1), 1e-12);
  CHECK_TO(b, tl_jvp(steps, y0)(0.8, 1, 3000, 1), 1e-12);
  tl_vjp(halvings)(0, 1, &a);
  CHECK(a, 1);
  tl_vjp(halvings)(1e-6, 1, &a);
  CHECK(a, 1);
  tl_vjp(halvings)(4e-6, 1, &a);
  CHECK_TO(a, 1 + 0.5 / 2e-3, 1e-13);
  float c, d;
  tl_grad(in_float)(0, 0, &c, &d);
  CHECK(c, 2);
  CHECK(d, 1);
  tl_grad(in_float)(3, 4, &c, &d);
  CHECK(c, 0.6F);
  double v[2] = {0.71, 0.71}, H[2][2];
  tl_hessian(tested_twice, v)(2, 0.71, v, H);
  for (int k = 0; k < 2; k++) {
    double g[4][2], step = 1e-3;
    for (int i = 0; i < 4; i++) {
      double at[2] = {v[0], v[1]};
      at[k] += (i < 2 ? i - 2 : i - 1) * step;
      tl_grad(tested_twice, v)(2, 0.71, at, g[i]);
    }
    for (int i = 0; i < 2; i++) {
      CHECK_TO(H[i][k], (g[0][i] - 8 * g[1][i] + 8 * g[2][i] - g[3][i]) / (12 * step), 1e-9);
    }
  }
  tl_grad(unguarded)(0, 0, &a, &b);
  CHECK(a, NAN);
  return check_done();
}
