/* Results whose lengths stand in members, beside local arrays whose rows have run-time lengths: the code that runs
 * where memory has run out fills them too. */
#include "check.h"

#include <stdint.h>
#include <stdlib.h>

#include <tlaloc/grad.h>

struct box {
  int n;
  double *x TL_LEN(n);
};

/* Every loop of the derivative keeps rows of m numbers. */
static double f(struct box *b, int m, int steps) {
  double(*t)[m] = malloc(sizeof(double[3][m]));
  double s = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < m; j++) {
      t[i][j] = j ? t[i][j - 1] * b->x[i] : b->x[i];
    }
  }
  for (int k = 0; k < steps; k++) {
    for (int i = 0; i < b->n; i++) {
      b->x[i] = b->x[i] * b->x[i] * t[i % 3][k % m];
      s += b->x[i];
    }
  }
  free(t);
  return s;
}

static size_t failed;
void tl_tape_failed(const char *function, size_t bytes) {
  (void)function;
  failed = bytes;
}

static const double start[4] = {0.9, 1.1, 0.8, 1.05};

static double value(int at, double step) {
  double x[4];
  for (int i = 0; i < 4; i++) {
    x[i] = start[i] + (i == at ? step : 0);
  }
  return f(&(struct box){4, x}, 2, 3);
}

int main(void) {
  double x[4], x_bar[5] = {0, 0, 0, 0, 7};
  for (int i = 0; i < 4; i++) {
    x[i] = start[i];
  }
  struct box b = {4, x}, b_bar = {4, x_bar};
  CHECK(tl_vjp(f, b)(&b, 2, 3, 1.0, &b_bar), value(0, 0));
  for (int i = 0; i < 4; i++) {
    double h = 1e-3;
    double slope = (8 * (value(i, h) - value(i, -h)) - (value(i, 2 * h) - value(i, -2 * h))) / (12 * h);
    CHECK_TO(x_bar[i], slope, 1e-7);
  }
  CHECK(b_bar.n, 4);

  /* More than any machine has. */
  CHECK(tl_vjp(f, b)(&b, INT32_MAX, INT32_MAX, 1.0, &b_bar), NAN);
  CHECK(failed > 0, 1);
  for (int i = 0; i < 4; i++) {
    CHECK(x_bar[i], NAN);
    CHECK(x[i], NAN);
  }
  CHECK(x_bar[4], 7);
  return check_done();
}
