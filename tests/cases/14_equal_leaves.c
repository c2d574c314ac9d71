/* Two inputs of equal value are not one input. */
#include "check.h"

#include <tlaloc/grad.h>

static double sum(double w1, double w2) { return w1 + w2; }

static double product(double w1, double w2) { return w1 * w2; }

static double both(double w1, double w2) { return sum(w1, w2) * product(w2, w1); }

int main(void) {
  double w1_bar, w2_bar;
  tl_grad(sum)(3, 3, &w1_bar, &w2_bar);
  CHECK(w1_bar, 1);
  CHECK(w2_bar, 1);
  tl_grad(product)(3, 3, &w1_bar, &w2_bar);
  CHECK(w1_bar, 3);
  CHECK(w2_bar, 3);
  tl_grad(both)(3, 3, &w1_bar, &w2_bar);
  CHECK(w1_bar, 27);
  CHECK(w2_bar, 27);
  return check_done();
}
