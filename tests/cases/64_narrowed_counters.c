/* Counters that are narrowed to be indices, bounds or operands of a comparison. Where every value is kept, a loop
 * stores into an element of each iteration's own; where the narrow one comes round, it does not. */
#include "check.h"

#include <stdint.h>
#include <string.h>
#include <tlaloc/grad.h>

enum { N = 300 };

#define SUM(name, parameters, loop, index)                                                                             \
  static double name(parameters, const double x[N]) {                                                                  \
    double s = 0;                                                                                                      \
    loop { s += x[index] * x[index] * (double)(i % 7); }                                                               \
    return s;                                                                                                          \
  }

SUM(wide_to_int, size_t n, for (size_t i = 0; i < n; i++), (int)i)
SUM(long_to_int, long n, for (long i = 0; i < n; i++), (int)i)
SUM(int_below_wide, size_t n, for (int i = 0; i < (long)n; i++), i)
SUM(inner_long, int n, for (long i = 1; i < n - 1; i++), (int)i)
SUM(inner_wide, int n, for (size_t i = 1; i < (size_t)n; i++), (unsigned)i)
SUM(int_to_wide, int n, for (int i = 2; i < n; i++), (size_t)i)
SUM(downward, int n, for (long i = n - 1; i >= 0; i--), (int)i)
SUM(mirrored, int n, for (long i = 0; i < n; i++), n - 1 - (int)i)
SUM(to_byte, int n, for (int i = 0; i < n; i++), (unsigned char)i)
SUM(to_short, int n, for (int i = 0; i < n; i++), (short)i)
SUM(few_to_byte, int n, for (int i = 0; i < (n < 200 ? n : 200); i++), (unsigned char)i)
SUM(few_to_signed_byte, int n, for (int i = 0; i < (n < 100 ? n : 100); i++), (signed char)i)

/* Stores that come round leave zeros behind. */
static double kept(int n, const double x[N]) {
  double w[N] = {0}, s = 0;
  for (int i = 0; i < N; i++) {
    unsigned char k = (unsigned char)i;
    w[k] = x[i] * x[i] * n;
  }
  for (int i = 0; i < N; i++) {
    s += w[i] * (i % 5);
  }
  return s;
}

/* So do loops whose bound is cut off. */
static double up_to_byte(int n, const double x[N]) {
  double w[n], s = 0;
  for (int i = 0; i < n; i++) {
    w[i] = 0;
  }
  for (int i = 0; i < (unsigned char)n; i++) {
    w[i] = x[i] * x[i];
  }
  for (int i = 0; i < n; i++) {
    s += w[i] * (i % 5);
  }
  return s;
}

/* A bound below zero is a large one, which an exit is ahead of: the counter comes round before. */
#define UP_TO_EXIT(name, bound)                                                                                        \
  static double name(int n, const double x[N]) {                                                                       \
    double w[256] = {0}, s = 0;                                                                                        \
    for (size_t i = 0; i < (bound); i++) {                                                                             \
      if (i >= N) {                                                                                                    \
        break;                                                                                                         \
      }                                                                                                                \
      w[(unsigned char)i] += x[i] * x[i];                                                                              \
    }                                                                                                                  \
    for (int i = 0; i < 256; i++) {                                                                                    \
      s += w[i] * (i % 5);                                                                                             \
    }                                                                                                                  \
    return s;                                                                                                          \
  }
UP_TO_EXIT(below_zero, (size_t)(signed char)n)
UP_TO_EXIT(difference_below_zero, (size_t)(unsigned char)n - (size_t)(unsigned char)(200 - n))

/* The comparison never ends the loop. */
static double compared(int n, const double x[N]) {
  double s = 0;
  for (int i = 0; (unsigned char)i < n && i < 2 * N; i++) {
    s += x[i % N] * x[i % N] * i;
  }
  return s;
}

static double junk(void) { /* what the stack holds must not pass for zeros */
  volatile double used[4 * N];
  for (int i = 0; i < 4 * N; i++) {
    used[i] = 1e9 + i;
  }
  return used[N];
}

static void check(const char *name, double f(int, const double *), double at, const double x[N], const double got[N],
                  int n) {
  check_near(name, at, f(n, x), 1e-14);
  for (int k = 0; k < N; k++) {
    double q[N];
    memcpy(q, x, sizeof q);
    q[k] = x[k] + 0.5;
    double up = f(n, q);
    q[k] = x[k] - 0.5;
    check_near(name, got[k], up - f(n, q), 1e-6); /* exact but for rounding: the functions are quadratic */
  }
}

#define CHECK_AT(f, n)                                                                                                 \
  do {                                                                                                                 \
    double got[N];                                                                                                     \
    memset(got, 0xff, sizeof got);                                                                                     \
    junk();                                                                                                            \
    double at = tl_value_and_grad(f, x)(n, x, got);                                                                    \
    check(#f, f##_by_int, at, x, got, n);                                                                              \
  } while (0)

#define BY_INT(f)                                                                                                      \
  static double f##_by_int(int n, const double *x) { return f(n, x); }
BY_INT(wide_to_int)
BY_INT(long_to_int)
BY_INT(int_below_wide)
BY_INT(inner_long)
BY_INT(inner_wide)
BY_INT(int_to_wide)
BY_INT(downward)
BY_INT(mirrored)
BY_INT(to_byte)
BY_INT(to_short)
BY_INT(few_to_byte)
BY_INT(few_to_signed_byte)
BY_INT(kept)
BY_INT(up_to_byte)
BY_INT(below_zero)
BY_INT(difference_below_zero)
BY_INT(compared)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) {
    x[i] = (i * 37 % 64 - 32) / 64.0;
  }
  static const int counts[] = {0, 1, 2, 5, 44, 200, 256, 257, N};
  for (int i = 0; i < 9; i++) {
    int n = counts[i];
    CHECK_AT(wide_to_int, n);
    CHECK_AT(long_to_int, n);
    CHECK_AT(int_below_wide, n);
    CHECK_AT(inner_long, n);
    CHECK_AT(inner_wide, n);
    CHECK_AT(int_to_wide, n);
    CHECK_AT(downward, n);
    CHECK_AT(mirrored, n);
    CHECK_AT(to_byte, n);
    CHECK_AT(to_short, n);
    CHECK_AT(few_to_byte, n);
    CHECK_AT(few_to_signed_byte, n);
    CHECK_AT(kept, n);
    CHECK_AT(below_zero, n);
    CHECK_AT(difference_below_zero, n);
    CHECK_AT(compared, n);
    if (n) {
      CHECK_AT(up_to_byte, n);
    }
  }
  return check_done();
}
