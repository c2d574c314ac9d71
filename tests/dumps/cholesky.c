/* A factorisation in place and a triangular system: what a column reads of those before it stays where it is, and
 * nothing of it is kept. */
#include <math.h>

#include "dumps.h"

static double deviance(int n, const double A[n][n], const double b[n]) {
  double L[n][n], z[n], sum = 0;
  for (int j = 0; j < n; j++) {
    double s = A[j][j];
    for (int k = 0; k < j; k++) {
      s -= L[j][k] * L[j][k];
    }
    L[j][j] = sqrt(s);
    for (int i = j + 1; i < n; i++) {
      double t = A[i][j];
      for (int k = 0; k < j; k++) {
        t -= L[i][k] * L[j][k];
      }
      L[i][j] = t / L[j][j];
    }
  }
  for (int i = 0; i < n; i++) {
    z[i] = b[i];
    for (int k = 0; k < i; k++) {
      z[i] -= L[i][k] * z[k];
    }
    z[i] /= L[i][i];
    sum += z[i] * z[i] + 2 * log(L[i][i]);
  }
  return sum;
}

/* calls */
int RUN(double out[]) {
  enum { N = 6 };
  double A[N][N], b[N];
  for (int i = 0; i < N; i++) {
    b[i] = i - 2.5;
    for (int j = 0; j < N; j++) {
      A[i][j] = exp(-0.1 * (i - j) * (i - j)) + (i == j);
    }
  }
  CALL_BY(grad, deviance, A)(N, A, b, (double(*)[N])out);
  return N * N;
}
