/* Static integers that are only counted with: left out of derivatives, in every mode. */
#include "check.h"

#include <tlaloc/grad.h>

static unsigned total, by_sign[2];

static double f(double x, int n) {
  static int calls;
  double s = 1;
  calls++;
  for (int i = 0; i < n; i++, total += 1) {
    s *= x;
    by_sign[s > 0]++;
  }
  return s;
}

static double power(double x, int n) {
  static long depth;
  ++depth;
  return n ? x * power(x, n - 1) : 1;
}

int main(void) {
  CHECK(tl_grad(f, x)(2, 3), 12);
  CHECK(tl_jvp(f, x)(2, 3, 1), 12);
  CHECK(tl_grad(tl_grad(f, x), x)(2, 3), 12);
  CHECK(tl_grad(power, x)(2, 3), 12);
  CHECK(tl_check_vjp(f, x)(2, 3, 0), 0);
  CHECK(f(2, 3), 8);
  return check_done();
}
