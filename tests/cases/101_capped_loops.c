/* A loop that ends when it has converged, or after a thousand iterations: memory is taken for the iterations that run,
 * where there is none for a thousand copies of the state. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <sys/resource.h>

#include <tlaloc/grad.h>

enum { MANY = 100000, MOST_BYTES = 1 << 27 };

static double relax(int n, const double b[n], int *iterations) {
  static const double half = 0.5;
  double r[n], s = 0;
  int it = 0;
  for (int i = 0; i < n; i++) {
    r[i] = b[i];
  }
  while (r[0] > 1e-3 && it < 1000) {
    for (int i = 0; i < n; i++) {
      r[i] = sin(r[i]) * half;
    }
    it++;
  }
  for (int i = 0; i < n; i++) {
    s += r[i];
  }
  *iterations = it;
  return s;
}

/* By few numbers, in a nest of loops of constant length: the array has all its places at once. */
static double newton(const double a[3]) {
  double x[3] = {1, 1, 1};
  for (int it = 0; it < 100; it++) {
    double worst = 0;
    for (int i = 0; i < 3; i++) {
      double step = (x[i] * x[i] - a[i]) / (2 * x[i]);
      x[i] -= step;
      worst = fmax(worst, fabs(step));
    }
    if (worst < 1e-14) {
      break;
    }
  }
  return x[0] + 2 * x[1] + 3 * x[2];
}

int main(void) {
  struct rlimit memory = {MOST_BYTES, MOST_BYTES};
  static double b[MANY], b_bar[MANY];
  int iterations;
  if (setrlimit(RLIMIT_AS, &memory)) {
    return 1;
  }
  for (int i = 0; i < MANY; i++) {
    b[i] = 1 + i % 7;
  }
  tl_grad(relax, b)(MANY, b, &iterations, b_bar);
  for (int i = 0; i < MANY; i += 997) {
    double r = b[i], want = 1;
    for (int it = 0; it < iterations; it++) {
      want *= cos(r) * 0.5;
      r = sin(r) * 0.5;
    }
    CHECK(b_bar[i], want);
  }
  double a[3] = {2, 3, 5}, a_bar[3];
  tl_grad(newton)(a, a_bar);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(a_bar[i], (i + 1) / (2 * sqrt(a[i])), 1e-12);
  }
  return check_done();
}
