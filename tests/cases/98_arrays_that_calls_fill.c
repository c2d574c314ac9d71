/* What a call in a branch fills is read where it lies by the adjoint too: what every row read of it would be n * n
 * numbers, more than there is memory for here. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <sys/resource.h>

#include <tlaloc/grad.h>

enum { MANY = 6000, FEW = 4, MOST_BYTES = 1 << 28 };

static double weight(int s, int u, double e) { return s == u ? e : 0.01 * (1 - e); }

/* Behind an early return, and in a branch of its own. */
static void mixed(int d, int n, double e, double L[n]) {
  if (d == 0) {
    for (int s = 0; s < n; s++) {
      L[s] = s % 5 + e;
    }
    return;
  }
  double A[n];
  mixed(d - 1, n, e, A);
  for (int s = 0; s < n; s++) {
    double a = 0;
    for (int u = 0; u < n; u++) {
      a += weight(s, u, e) * A[u];
    }
    L[s] = a * a / n;
  }
}

/* Two of them, of which one is read after it has changed, and one in the other branch as well. */
static double chosen(int d, int n, double e) {
  double A[n], B[n], r = 0;
  for (int i = 0; i < n; i++) {
    A[i] = B[i] = e * i;
  }
  if (d > 0) {
    mixed(d, n, e, A);
    mixed(d - 1, n, e * e, B);
    for (int s = 0; s < n; s++) {
      for (int u = 0; u < n; u++) {
        r += weight(s, u, e) * A[u] * B[s];
      }
      B[s] = r * A[s];
    }
  }
  for (int s = 0; s < n; s++) {
    r += A[s] * B[s];
  }
  return r;
}

/* In a branch of a loop each iteration has its own; an array of the caller's; branches in a branch. */
static double looped(int d, int n, double e, double out[n]) {
  double r = 0;
  for (int k = 0; k < d; k++) {
    if (k != 1) {
      double A[n];
      mixed(k, n, e + k, A);
      for (int s = 0; s < n; s++) {
        for (int u = 0; u < n; u++) {
          r += weight(s, u, e) * A[u] * A[s];
        }
      }
    }
  }
  if (d > 1) {
    mixed(d - 1, n, e, out);
    if (e > 0) {
      double A[n];
      mixed(d - 2, n, r / (1 + r * r), A);
      for (int s = 0; s < n; s++) {
        for (int u = 0; u < n; u++) {
          r += sin(weight(s, u, e) * A[u] * out[s]);
        }
      }
    }
  } else {
    for (int s = 0; s < n; s++) {
      out[s] = e;
    }
  }
  return r;
}

/* A struct of arrays that is returned lies in no argument. */
typedef struct pair {
  double at[2];
} pair;
static pair turned(int d, double e) {
  if (d == 0) {
    return (pair){{1, e}};
  }
  pair p = turned(d - 1, e), q = {{0, 0}};
  for (int s = 0; s < 2; s++) {
    for (int u = 0; u < 2; u++) {
      q.at[s] += weight(s, u, e) * p.at[u] * p.at[s];
    }
  }
  return q;
}
static double of_turned(int d, double e) {
  pair p = turned(d, e);
  return p.at[0] * p.at[1];
}

static double along(double e, double h, int which, int d, int n) {
  double out[FEW];
  return which == 0 ? chosen(d, n, e + h) : which == 1 ? looped(d, n, e + h, out) : of_turned(d, e + h);
}

static double L[MANY], L_bar[MANY];

int main(void) {
  struct rlimit memory = {MOST_BYTES, MOST_BYTES};
  if (setrlimit(RLIMIT_AS, &memory)) {
    return 1;
  }
  double e_bar, e_dot;
  L_bar[1] = 1;
  tl_vjp(mixed, e)(1, MANY, 0.5, L, L_bar, &e_bar);
  double A_1 = 1.5, a = 0.005 * ((MANY / 5) * 10 + 0.5 * MANY - A_1) + 0.5 * A_1;
  CHECK_TO(L[1], a * a / MANY, 1e-12); /* of MANY terms */
  /* a is the sum of the weights times the elements, and both depend on e */
  double a_dot = (A_1 - 0.01 * ((MANY / 5) * 10 + 0.5 * MANY - A_1)) + 0.5 + 0.005 * (MANY - 1);
  CHECK_TO(e_bar, 2 * a * a_dot / MANY, 1e-11);

  L_bar[0] = 0.5, L_bar[2] = -2;
  double out[FEW], out_dot[FEW], h = 2e-4;
  tl_vjp(mixed, e)(3, FEW, 0.5, L, L_bar, &e_bar);
  tl_jvp(mixed, e)(3, FEW, 0.5, out, 1, out_dot);
  CHECK(e_bar, 0.5 * out_dot[0] + out_dot[1] - 2 * out_dot[2]);
  for (int which = 0; which < 3; which++) {
    for (int d = 0; d < 4; d++) {
      double none[FEW] = {0}, slope = 0;
      for (int k = 1; k <= 2; k++) {
        double f = k == 1 ? 8 : -1;
        slope += f * (along(0.75, k * h, which, d, FEW) - along(0.75, -k * h, which, d, FEW)) / (12 * h);
      }
      if (which == 0) {
        (void)tl_vjp(chosen, e)(d, FEW, 0.75, 1, &e_bar);
        e_dot = tl_jvp(chosen, e)(d, FEW, 0.75, 1);
      } else if (which == 1) {
        (void)tl_vjp(looped, e)(d, FEW, 0.75, out, 1, none, &e_bar);
        e_dot = tl_jvp(looped, e)(d, FEW, 0.75, out, 1, out_dot);
      } else {
        (void)tl_vjp(of_turned, e)(d, 0.75, 1, &e_bar);
        e_dot = tl_jvp(of_turned, e)(d, 0.75, 1);
      }
      CHECK_TO(e_bar, e_dot, 1e-13);
      CHECK_TO(e_bar, slope, 1e-8);
    }
  }
  return check_done();
}
