/* Counters that come to their bound by wrapping, that start beyond what they must not equal, or whose steps and bounds
 * reach the ends of their type: every loop runs as often as in C, forward and backward. */
#include "check.h"

#include <limits.h>
#include <stdint.h>

#include <tlaloc/grad.h>

#define LOOPS(X)                                                                                                       \
  X(byte_wraps, for (unsigned char i = 250; i != 2; i++), 0)                                                           \
  X(byte_steps_down, for (unsigned char i = 10; i > 0; i -= 3), turns > 100)                                           \
  X(byte_never_below, for (unsigned char i = 10; i >= 0; i--), turns > 20)                                             \
  X(byte_is_left, for (unsigned char i = 0; i < 255; i += 10), turns > 30 + n)                                         \
  X(signed_byte_steps, for (signed char i = -126; i > -127; i -= 5), turns > 30)                                       \
  X(short_wraps, for (uint16_t i = 65530; i != 3; ++i), 0)                                                             \
  X(word_wraps, for (unsigned i = 0xfffffff8u; i != 3; ++i), 0)                                                        \
  X(word_wraps_to, for (unsigned i = 0xfffffff8u, end = (unsigned)n; i != end; ++i), 0)                                \
  X(word_steps_over, for (unsigned i = 0; i < 4200000000u; i += 1000000000u), turns > 9)                               \
  X(widened_wraps, for (int i = -4; (unsigned)i != (unsigned)n; i++), 0)                                               \
  X(unlimited, for (int i = 0; i != n - 9; i++), turns == 7)                                                           \
  X(unlimited_down, for (int i = n - 9; i; i--), turns == 7)                                                           \
  X(tries, for (int i = 5, left = n - 9; left--; i++), turns == 7)                                                     \
  X(starts_at_least, for (int i = INT_MIN; i < INT_MIN + n; i++), 0)                                                   \
  X(starts_at_most, for (int i = INT_MAX; i > INT_MAX - n; i--), 0)                                                    \
  X(starts_at_least_of_long, for (long i = LONG_MIN; i < LONG_MIN + n; i++), 0)                                        \
  X(long_steps, for (int i = -1500000000; i < 1200000000; i += 600000000), 0)                                          \
  X(long_steps_down, for (int i = 1500000000; i > -1200000000; i -= 600000000), 0)                                     \
  X(long_steps_from, for (int i = n - 2000000000; i < 2000000000; i += 1000000000), 0)                                 \
  X(long_steps_of_words, for (unsigned i = 0; i < 4000000000u - (unsigned)n; i += 1000000000u), 0)                     \
  X(up_to_the_last, for (int i = INT_MAX - 9; i <= INT_MAX; i++), turns == n)                                          \
  X(down_to_the_first, for (int i = INT_MIN + 9; i >= INT_MIN; i--), turns == n)                                       \
  X(up_to_the_last_long, for (long i = LONG_MAX - 9; i <= LONG_MAX; i++), turns == n)                                  \
  X(as_long_as_it_takes, for (int i = 0, most = n > 0 ? INT_MAX : n; i <= most; i++), turns == n)

/* The product of one x for each iteration, and a plain count of them. */
#define WALK(head, leaves, statement)                                                                                  \
  int turns = 0;                                                                                                       \
  head {                                                                                                               \
    if (leaves) {                                                                                                      \
      break;                                                                                                           \
    }                                                                                                                  \
    statement;                                                                                                         \
    turns++;                                                                                                           \
  }
#define LOOP(name, head, leaves)                                                                                       \
  static double name(int n, const double x[3]) {                                                                       \
    double s = 1;                                                                                                      \
    WALK(head, leaves, s = s * x[(unsigned)i % 3])                                                                     \
    return s + 0 * n * turns;                                                                                          \
  }                                                                                                                    \
  static int name##_counts(int n, int count[3]) {                                                                      \
    WALK(head, leaves, count[(unsigned)i % 3]++)                                                                       \
    return n + turns;                                                                                                  \
  }
#define CHECKED(name, head, leaves)                                                                                    \
  static void name##_check(int n) {                                                                                    \
    double x[3] = {0.9, 1.1, 1.2}, ones[3] = {1, 1, 1}, x_bar[3], H[3][3], total = 0;                                  \
    int c[3] = {0};                                                                                                    \
    name##_counts(n, c);                                                                                               \
    double f = pow(x[0], c[0]) * pow(x[1], c[1]) * pow(x[2], c[2]);                                                    \
    tl_grad(name, x)(n, x, x_bar);                                                                                     \
    tl_hessian(name, x)(n, x, H);                                                                                      \
    for (int k = 0; k < 3; k++) {                                                                                      \
      check_near(#name, x_bar[k], f *c[k] / x[k], 1e-13);                                                              \
      check_near(#name, H[k][k], f *c[k] * (c[k] - 1) / x[k] / x[k], 1e-13);                                           \
      total += f * c[k] / x[k];                                                                                        \
    }                                                                                                                  \
    check_near(#name, tl_jvp(name, x)(n, x, ones), total, 1e-13);                                                      \
  }
#define CALL(name, head, leaves) name##_check(n);

LOOPS(LOOP)
LOOPS(CHECKED)

/* Where the outer loop does not run, nothing computes n - 1. */
static double never_runs(size_t m, size_t n, double x, double y) {
  double s = x;
  for (size_t k = 0; k < m; k++) {
    for (size_t i = 0; i < n - 1; i++) {
      s = sin(s) * s + y;
    }
  }
  return s;
}

int main(void) {
  double x_bar = 7, y_bar = 7;
  CHECK(tl_value_and_grad(never_runs, x, y)(0, 0, 0.7, 0.1, &x_bar, &y_bar), 0.7);
  CHECK(x_bar, 1);
  CHECK(y_bar, 0);
  for (int n = 0; n < 6; n += 5) {
    LOOPS(CALL)
  }
  return check_done();
}
