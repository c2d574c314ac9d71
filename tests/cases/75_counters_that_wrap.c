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
  X(long_steps_of_words, for (unsigned i = 0; i < 4000000000u - (unsigned)n; i += 1000000000u), 0)

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

int main(void) {
  for (int n = 0; n < 6; n += 5) {
    LOOPS(CALL)
  }
  return check_done();
}
