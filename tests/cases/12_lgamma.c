/* A Hessian through lgamma and exp: L = lbeta(e^a, e^b) - lbeta(e^a + 1, e^b) = log(1 + e^(b - a)). */
#include "check.h"

#include <tlaloc/grad.h>

static double log_beta(double x, double y) { return lgamma(x) + lgamma(y) - lgamma(x + y); }

static double log_odds(double a, double b) { return log_beta(exp(a), exp(b)) - log_beta(exp(a) + 1, exp(b)); }

int main(void) {
  double h[2][2], a_bar, b_bar;
  tl_grad(log_odds)(0, 0, &a_bar, &b_bar);
  CHECK(a_bar, -0.5);
  CHECK(b_bar, 0.5);
  tl_hessian(log_odds)(0, 0, h);
  CHECK_TO(h[0][0], 0.25, 1e-13);
  CHECK_TO(h[0][1], -0.25, 1e-13);
  CHECK_TO(h[1][0], -0.25, 1e-13);
  CHECK_TO(h[1][1], 0.25, 1e-13);
  CHECK_TO(tl_grad(tl_grad(log_odds, a), b)(0, 0), -0.25, 1e-13);
  return check_done();
}
