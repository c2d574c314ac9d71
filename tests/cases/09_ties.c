/* Conventions at ties must agree: log(e^x + e^y) through fmax and fabs has the true gradient where x = y. */
#include "check.h"

#include <tlaloc/grad.h>

static double log_add(double x, double y) { return fmax(x, y) + log1p(exp(-fabs(x - y))); }

static double spread(double x, double y) { return fmax(x, y) - fmin(x, y); }

static double greater(double x, double y) { return fmax(x, y); }

int main(void) {
  double x_bar, y_bar;
  tl_grad(log_add)(1, 1, &x_bar, &y_bar);
  CHECK(x_bar, 0.5);
  CHECK(y_bar, 0.5);
  tl_grad(log_add)(2, 1, &x_bar, &y_bar);
  CHECK(x_bar, 1 / (1 + exp(-1.0)));
  CHECK(y_bar, 1 / (1 + exp(1.0)));
  tl_grad(spread)(1, 1, &x_bar, &y_bar);
  CHECK(x_bar, 0);
  CHECK(y_bar, 0);
  CHECK(tl_jvp(log_add)(1, 1, 1, 0), 0.5);
  CHECK(tl_grad(greater, x)(NAN, 1), 0); /* a NaN passes all to the other */
  CHECK(tl_grad(greater, y)(NAN, 1), 1);
  return check_done();
}
