/* Copies of whole arrays of rows, and memory that the user allocates. */
#include "dumps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double smoothed(int n, const double x[n][n]) {
  double y[n][n], z[2][3][4];
  memcpy(y, x, sizeof y);
  memset(z, 0, sizeof z);
  for (int i = 1; i < n; i++) {
    for (int j = 1; j < n; j++) {
      y[i][j] = 0.5 * (y[i - 1][j] + sin(y[i][j - 1]));
    }
  }
  double(*kept)[n] = malloc((size_t)n * sizeof *kept), *sums = calloc((size_t)n, sizeof(double)), sum = 0;
  memcpy(kept, y, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      sums[i] += kept[i][j] * x[j][i];
    }
    z[1][i % 3][3] += sums[i] * sums[i];
  }
  for (int j = 0; j < 3; j++) {
    sum += z[1][j][3] * z[1][j][3];
  }
  free(kept);
  free(sums);
  return sum;
}

static double mixed(int depth, double x[8][8]) {
  double y[8][8], first = x[depth][0];
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) {
      y[i][j] = x[i][j] * x[j][i];
    }
  }
  memcpy(x, y, sizeof y);
  return depth == 0 ? first : first * mixed(depth - 1, x) + mixed(depth - 1, y);
}

/* calls */
int RUN(double out[]) {
  double x[5][5], y[8][8];
  for (int i = 0; i < 25; i++) {
    x[i / 5][i % 5] = 0.1 * i;
  }
  for (int i = 0; i < 64; i++) {
    y[i / 8][i % 8] = 1 + 0.01 * i;
  }
  CALL(grad, smoothed)(5, (const double(*)[5])x, (double(*)[5])out);
  CALL_BY(grad, mixed, x)(2, y, (double(*)[8])(out + 25));
  return 89;
}
