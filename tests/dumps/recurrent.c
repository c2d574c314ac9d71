/* A recurrent network: each step reads the state all over, in every row. The reverse sweep reads the states from the
 * history that the user keeps, or from copies, one a step, where the user overwrites the state. */
#include "dumps.h"

#include <math.h>

static double with_history(int steps, int n, const double w[n][n], const double x[steps][n]) {
  double h[steps + 1][n], loss = 0.0;
  for (int i = 0; i < n; i++) {
    h[0][i] = 0.0;
  }
  for (int t = 0; t < steps; t++) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
      double s = x[t][i];
      for (int j = 0; j < n; j++) {
        s += w[i][j] * h[t][j];
      }
      h[t + 1][i] = tanh(s);
      sum += h[t + 1][i];
    }
    loss += sum * sum;
  }
  return loss;
}

static double in_place(int steps, int n, const double w[n][n], const double x[steps][n]) {
  double h[n], next[n], loss = 0.0;
  for (int i = 0; i < n; i++) {
    h[i] = 0.0;
  }
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      double s = x[t][i];
      for (int j = 0; j < n; j++) {
        s += w[i][j] * h[j];
      }
      next[i] = tanh(s);
    }
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
      h[i] = next[i];
      sum += h[i];
    }
    loss += sum * sum;
  }
  return loss;
}

/* calls */
int RUN(double out[]) {
  double w[4][4], x[6][4];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      w[i][j] = 0.1 * i - 0.2 * j + (i == j);
    }
    for (int t = 0; t < 6; t++) {
      x[t][i] = 0.3 * t - 0.5 * i;
    }
  }
  out[0] = CALL_BY(value_and_grad, with_history, w)(6, 4, (const double(*)[4])w, (const double(*)[4])x,
                                                    (double(*)[4])(out + 1));
  out[17] = CALL_BY(value_and_grad, in_place, w)(6, 4, (const double(*)[4])w, (const double(*)[4])x,
                                                 (double(*)[4])(out + 18));
  return 34;
}
