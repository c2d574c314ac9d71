/* What a function leaves for others to ask is left by its derivatives too: errno, the flags of the floating-point
 * environment. A file may have objects of its own by such names. */
#include "check.h"

#include <errno.h>
#include <fenv.h>

#include <tlaloc/grad.h>

static int signgam_of_ours = 2;

static double root(double x) {
  if (x < 0) {
    errno = EDOM;
    return -x;
  }
  feclearexcept(FE_ALL_EXCEPT);
  return sqrt(x) * x;
}

static double sum_of_roots(int n, const double x[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += root(x[i]) * signgam_of_ours;
  }
  return s;
}

static double with_own_sign(double x) {
  int signgam = x > 0 ? 3 : 5;
  return x * x * signgam;
}

int main(void) {
  double x[3] = {4, -2, 9}, x_bar[3];
  errno = 0;
  tl_grad(sum_of_roots, x)(3, x, x_bar);
  CHECK(x_bar[0], 6);
  CHECK(x_bar[1], -2);
  CHECK(x_bar[2], 9);
  CHECK(errno, EDOM);
  errno = 0;
  CHECK(tl_grad(root)(4.0), 3);
  CHECK(errno, 0);
  CHECK(tl_jvp(root)(-4.0, 1.0), -1);
  CHECK(errno, EDOM);
  CHECK(tl_grad(with_own_sign)(0.5), 3);
  return check_done();
}
