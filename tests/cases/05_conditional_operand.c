/* A value that only one arm of ?: uses, and that is overwritten afterwards. */
#include "check.h"

#include <tlaloc/grad.h>

static double chosen(int n, double x) {
  double t = x;
  double y = n > 0 ? 1.0 : t * t * t;
  t = 5;
  return y + 0 * t;
}

static double in_loop(int n, double x) {
  double s = 0, t = x;
  for (int i = 0; i < n; i++) {
    s += i % 2 ? t : t * t;
    t = i % 3 ? t + 1 : 2 * t;
  }
  return s;
}

int main(void) {
  CHECK(tl_grad(chosen)(0, 2), 12);
  CHECK(tl_grad(chosen)(1, 2), 0);
  CHECK(tl_jvp(chosen)(0, 2, 1), 12);
  CHECK(tl_jvp(chosen)(1, 2, 1), 0);
  /* t = x, 2x, 2x+1, 2x+2, 4x+4: s' = 2x + 2 + 2(2x+1)2 + 2 + 2(4x+4)4 */
  CHECK(tl_grad(in_loop)(5, 0.5), 1 + 2 + 8 + 2 + 48);
  CHECK(tl_jvp(in_loop)(5, 0.5, 1), 61);
  return check_done();
}
