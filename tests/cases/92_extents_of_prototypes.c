/* A prototype, as a header has it, says with array brackets how long what a pointer of the definition refers to is; its
 * parameters may have other names. */
#include "check.h"

#include <tlaloc/grad.h>

double weighted(int rows, int columns, const double w[rows * columns], const double in[static 3]);
double shifted(int count, const double values[count + 1], double scale);

double weighted(int h, int n, const double *w, const double *x) {
  double s = 0;
  for (int i = 0; i < h; i++) {
    for (int j = 0; j < n; j++) {
      s += w[i * n + j] * x[j];
    }
  }
  return s;
}

double shifted(int n, const double *x, double scale) {
  double s = 0;
  for (int i = 0; i <= n; i++) {
    s += scale * x[i] * x[i];
  }
  return s;
}

int main(void) {
  double w[6] = {1, 2, 3, 4, 5, 6}, x[3] = {0.5, -1, 2}, w_bar[7] = {[6] = 7}, x_bar[3];
  tl_grad(weighted, w, x)(2, 3, w, x, w_bar, x_bar);
  for (int i = 0; i < 6; i++) {
    CHECK(w_bar[i], x[i % 3]);
  }
  CHECK(w_bar[6], 7);
  for (int j = 0; j < 3; j++) {
    CHECK(x_bar[j], w[j] + w[3 + j]);
  }
  double y_bar[4] = {[3] = 7}, scale_bar;
  tl_grad(shifted)(2, x, 3, y_bar, &scale_bar);
  for (int i = 0; i < 3; i++) {
    CHECK(y_bar[i], 6 * x[i]);
  }
  CHECK(y_bar[3], 7);
  CHECK(scale_bar, 0.25 + 1 + 4);
  return check_done();
}
