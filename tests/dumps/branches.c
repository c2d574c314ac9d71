/* Branches in a loop: Huber's loss of a line. */
#include "dumps.h"

#include <math.h>

static double huber(int n, const double x[n], const double y[n], double slope, double offset) {
  double loss = 0;
  for (int i = 0; i < n; i++) {
    double residual = slope * x[i] + offset - y[i];
    if (fabs(residual) < 1) {
      loss += 0.5 * residual * residual;
    } else {
      loss += fabs(residual) - 0.5;
    }
  }
  return loss / n;
}

/* calls */
int RUN(double out[]) {
  double x[20], y[20], x_bar[20], y_bar[20];
  for (int i = 0; i < 20; i++) {
    x[i] = 0.1 * i;
    y[i] = 3 - x[i] * x[i];
  }
  CALL(grad, huber)(20, x, y, 0.5, 1, x_bar, y_bar, &out[40], &out[41]);
  for (int i = 0; i < 20; i++) {
    out[i] = x_bar[i];
    out[20 + i] = y_bar[i];
  }
  return 42;
}
