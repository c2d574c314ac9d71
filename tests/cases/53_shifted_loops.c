/* Loops over nearly one range become one, of which the first or the last iterations are peeled: as few elements as
   there may be, dependences in both directions, and loops that have to stay apart. */
#include "check.h"

#include <string.h>
#include <tlaloc/grad.h>

enum { MOST = 8 };

static void slope(size_t n, const double x[n], const double y[n], double k[n]) {
  k[0] = x[0];
  for (size_t i = 1; i < n; i++) {
    k[i] = x[i] * y[i - 1];
  }
}

/* Two steps of the midpoint rule. */
static void midpoint(size_t n, const double x[n], double h, double y[n]) {
  for (size_t i = 0; i < n; i++) {
    y[i] = 1;
  }
  for (int step = 0; step < 2; step++) {
    double k[n], between[n];
    slope(n, x, y, k);
    for (size_t i = 0; i < n; i++) {
      between[i] = y[i] + h / 2 * k[i];
    }
    slope(n, x, between, k);
    for (size_t i = 0; i < n; i++) {
      y[i] += h * k[i];
    }
  }
}

/* The second loop is two behind the first. */
static void two_behind(int n, const double x[n], double y[n]) {
  double t[n];
  t[n - 1] = x[n - 1];
  t[n - 2] = x[n - 2] * x[1];
  for (int i = 2; i < n; i++) {
    t[i - 2] = x[i] * x[i - 1];
  }
  for (int i = 0; i < n; i++) {
    y[i] = t[i] * t[i];
  }
}

/* Each loop needs what the other one has not reached yet, or has left behind. */
static void apart(size_t n, const double x[n], double y[n]) {
  double t[n];
  for (size_t i = 0; i < n; i++) {
    y[i] = x[i];
  }
  t[0] = x[0];
  for (size_t i = 1; i < n; i++) {
    t[i] = y[i - 1] * x[i];
  }
  for (size_t i = 0; i < n; i++) {
    y[i] = t[i] * y[i];
  }
  for (size_t i = 0; i + 1 < n; i++) {
    y[i] += t[i + 1] * t[i];
  }
  for (size_t i = 1; i < n; i++) {
    t[i - 1] = y[i] * y[i];
  }
  for (size_t i = 1; i < n; i++) {
    y[i] += t[i] + t[i - 1];
  }
}

/* Of constant length, the shorter loop in the middle of the longer one, twice. */
static void inner_part(const double x[MOST], double y[MOST]) {
  double t[MOST], u[MOST];
  for (int i = 0; i < MOST; i++) {
    t[i] = x[i] * x[i];
  }
  u[0] = u[MOST - 1] = 1;
  for (int i = 1; i < MOST - 1; i++) {
    u[i] = t[i] * x[i + 1];
  }
  for (int i = 0; i < MOST; i++) {
    y[i] = u[i] * x[i];
  }
}

static const double x[MOST] = {1.5, -.75, .5, 2, -1.25, .25, 1, -.5}, w[MOST] = {1, -2, .5, 3, -1, 2, .25, -3};
static double d[MOST] = {.5, 1, -1, 2, .25, -.75, 3, -2}; /* a direction */

static double dot(size_t n, const double a[n], const double b[n]) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    s += a[i] * b[i];
  }
  return s;
}

int main(void) {
  double y[MOST], same[MOST], weights[MOST], x_bar[MOST], y_dot[MOST];
  for (size_t n = 1; n <= MOST; n++) {
    midpoint(n, x, .5, same);
    memcpy(weights, w, sizeof w);
    tl_vjp(midpoint, x)(n, x, .5, y, weights, x_bar);
    CHECK(memcmp(y, same, n * sizeof *y), 0);
    tl_jvp(midpoint, x)(n, x, .5, y, d, y_dot);
    CHECK(dot(n, x_bar, d), dot(n, w, y_dot));

    apart(n, x, same);
    memcpy(weights, w, sizeof w);
    tl_vjp(apart, x)(n, x, y, weights, x_bar);
    CHECK(memcmp(y, same, n * sizeof *y), 0);
    tl_jvp(apart, x)(n, x, y, d, y_dot);
    CHECK(dot(n, x_bar, d), dot(n, w, y_dot));
  }
  for (int n = 2; n <= MOST; n++) {
    two_behind(n, x, same);
    memcpy(weights, w, sizeof w);
    tl_vjp(two_behind, x)(n, x, y, weights, x_bar);
    CHECK(memcmp(y, same, (size_t)n * sizeof *y), 0);
    tl_jvp(two_behind, x)(n, x, y, d, y_dot);
    CHECK(dot((size_t)n, x_bar, d), dot((size_t)n, w, y_dot));
  }
  /* x = (a, b, c): y = (b^2 c^2, b^4, c^2) */
  memcpy(weights, w, sizeof w);
  tl_vjp(two_behind, x)(3, x, y, weights, x_bar);
  CHECK(x_bar[0], 0);
  CHECK(x_bar[1], w[0] * 2 * x[1] * x[2] * x[2] + w[1] * 4 * x[1] * x[1] * x[1]);
  CHECK(x_bar[2], w[0] * 2 * x[1] * x[1] * x[2] + w[2] * 2 * x[2]);

  inner_part(x, same);
  memcpy(weights, w, sizeof w);
  tl_vjp(inner_part)(x, y, weights, x_bar);
  CHECK(memcmp(y, same, sizeof y), 0);
  CHECK(x_bar[0], w[0]);
  CHECK(x_bar[1], w[1] * 3 * x[1] * x[1] * x[2]);
  CHECK(x_bar[2], w[1] * x[1] * x[1] * x[1] + w[2] * 3 * x[2] * x[2] * x[3]);
  CHECK(x_bar[MOST - 1], w[MOST - 2] * x[MOST - 2] * x[MOST - 2] * x[MOST - 2] + w[MOST - 1]);
  return check_done();
}
