/* Arrays of two dimensions: a layer, its bias and a squared error. */
#include "dumps.h"

#include <math.h>
#include <stddef.h>

static double loss(size_t rows, size_t columns, const double weight[rows][columns], const double bias[rows],
                   const double x[columns], const double target[rows]) {
  double sum = 0;
  for (size_t i = 0; i < rows; i++) {
    double activation = bias[i];
    for (size_t j = 0; j < columns; j++) {
      activation += weight[i][j] * x[j];
    }
    double miss = tanh(activation) - target[i];
    sum += miss * miss;
  }
  return sum;
}

/* calls */
int RUN(double out[]) {
  double w[4][5], b[4], x[5], t[4];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 5; j++) {
      w[i][j] = sin(3 * i + j);
      x[j] = cos(2 * j);
    }
    b[i] = 0.1 * i;
    t[i] = 0.5 - 0.2 * i;
  }
  CALL_BY(grad, loss, weight)(4, 5, (const double(*)[5])w, b, x, t, (double(*)[5])out);
  CALL_BY(grad, loss, x)(4, 5, (const double(*)[5])w, b, x, t, out + 20);
  return 25;
}
