/* Indices of every integer type, converted from every other: C reads and writes the element that the last conversion
 * names, also where a negative number becomes a small positive one. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#include <tlaloc/grad.h>

#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wbool-compare"

enum { N = 512 }; /* an index is taken modulo N by `&`, which keeps what the conversion made of it */

#define PAIRS(X, from)                                                                                                 \
  X(from, int8_t)                                                                                                      \
  X(from, uint8_t)                                                                                                     \
  X(from, int16_t)                                                                                                     \
  X(from, uint16_t) X(from, int32_t) X(from, uint32_t) X(from, int64_t) X(from, uint64_t) X(from, bool)
#define ALL(X)                                                                                                         \
  PAIRS(X, int8_t)                                                                                                     \
  PAIRS(X, uint8_t)                                                                                                    \
  PAIRS(X, int16_t)                                                                                                    \
  PAIRS(X, uint16_t)                                                                                                   \
  PAIRS(X, int32_t) PAIRS(X, uint32_t) PAIRS(X, int64_t) PAIRS(X, uint64_t) PAIRS(X, bool)

/* The converted number itself is the index where it lies in the array; else it is no index, and is folded. */
#define DEFINE(from, to)                                                                                               \
  static double sum_##from##_##to(const double x[N], int first) {                                                      \
    double s = 0;                                                                                                      \
    for (int k = first; k < first + 4; k++) {                                                                          \
      from a = (from)k;                                                                                                \
      to b = (to)a;                                                                                                    \
      if ((to)a >= 0 && (to)a < N) {                                                                                   \
        s += x[b] * x[(to)a];                                                                                          \
      } else {                                                                                                         \
        s += x[(unsigned)b & (N - 1)] * k;                                                                             \
      }                                                                                                                \
    }                                                                                                                  \
    for (from a = (from)first, once = 1; once; once = 0) {                                                             \
      s += (to)a >= 0 && (to)a < N ? x[(to)a] * x[(to)a] : 0;                                                          \
    }                                                                                                                  \
    return s;                                                                                                          \
  }
#define ASK(from, to)                                                                                                  \
  static void gradient_##from##_##to(const double x[N], int first, double out[N]) {                                    \
    tl_grad(sum_##from##_##to)(x, first, out);                                                                         \
  }
#define IS_TESTED(from, to)                                                                                            \
  for (int first = -9; first < 300; first += 103) {                                                                    \
    double want[N] = {0}, got[N];                                                                                      \
    for (int k = first; k <= first + 4; k++) {                                                                         \
      int n = k < first + 4 ? k : first;                                                                               \
      to b = (to)(from)n;                                                                                              \
      if (b >= 0 && b < N) {                                                                                           \
        want[b] += 2 * x[b];                                                                                           \
      } else if (k < first + 4) {                                                                                      \
        want[(unsigned)b & (N - 1)] += n;                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    gradient_##from##_##to(x, first, got);                                                                             \
    double distance = 0;                                                                                               \
    for (int i = 0; i < N; i++) {                                                                                      \
      distance += fabs(got[i] - want[i]);                                                                              \
    }                                                                                                                  \
    check_near(#from " to " #to, distance, 0, 1e-12);                                                                  \
  }

ALL(DEFINE)
ALL(ASK)

static double ring(const double x[3]) {
  double cells[256] = {0}, s = 0;
  uint8_t h = 250;
  for (int i = 0; i < 12; i++, h++) {
    cells[h] = x[i % 3] + cells[(uint8_t)(h - 1)] * .5;
  }
  for (int8_t k = -6; k < 6; k++) {
    s += cells[(uint8_t)k] * cells[(uint8_t)k];
  }
  return s;
}

static double buffers(const double x[2], int n) {
  double a[2] = {x[0], x[1]};
  bool now = true, on[3] = {true, false, true};
  for (int i = 0; i < n; i++) {
    now = !now;
    a[now] = a[!now] * a[on[i % 3]];
  }
  return a[now] + x[true] * x[false];
}

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) {
    x[i] = sin(i + 1.0);
  }
  ALL(IS_TESTED)
  double y[3] = {.5, 1.5, .7}, r[3], z[2] = {1.25, 0.75}, q[2];
  tl_grad(ring)(y, r);
  for (int i = 0; i < 3; i++) {
    double up[3] = {y[0], y[1], y[2]}, down[3] = {y[0], y[1], y[2]};
    up[i] += 0.5;
    down[i] -= 0.5;
    CHECK_TO(r[i], ring(up) - ring(down), 1e-13); /* it is quadratic */
  }
  tl_grad(buffers, x)(z, 3, q);
  for (int i = 0; i < 2; i++) {
    double d[2] = {i == 0, i == 1}, h = 1e-3, f[4];
    for (int k = 0; k < 4; k++) {
      double t = (k < 2 ? k - 2 : k - 1) * h, at[2] = {z[0] + t * d[0], z[1] + t * d[1]};
      f[k] = buffers(at, 3);
    }
    CHECK_TO(q[i], (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h), 1e-9);
  }
  return check_done();
}
