/* A Jacobian: where the hand of an arm of three joints is. */
#include "dumps.h"

#include <math.h>

static void hand(const double angle[3], const double length[3], double at[2]) {
  double direction = 0;
  at[0] = at[1] = 0;
  for (int i = 0; i < 3; i++) {
    direction += angle[i];
    at[0] += length[i] * cos(direction);
    at[1] += length[i] * sin(direction);
  }
}

/* calls */
int RUN(double out[]) {
  int n = 0;
  double length[3] = {1, 0.7, 0.4};
  for (int i = 0; i < 10; i++, n += 8) {
    double angle[3] = {0.1 * i, 1 - 0.2 * i, 0.3};
    CALL_BY(jacobian, hand, angle)(angle, length, out + n, (double(*)[3])(out + n + 2));
  }
  return n;
}
