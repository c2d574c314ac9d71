/* Hessians of objects that loops overwrite with copies of others: their cotangents are cleared where there are lanes. */
#include "check.h"

#include <tlaloc/grad.h>

struct triple {
  double m[3];
};

/* sin(y1^2) + y2^3, with y a copy of x that the loop makes again. */
static double of_copies(struct triple y, struct triple x, int n) {
  y = x;
  for (int i = 0; i < n; i++) {
    y = x;
  }
  return sin(y.m[1] * y.m[1]) + y.m[2] * y.m[2] * y.m[2];
}

int main(void) {
  struct triple x = {{0.3, 0.7, -1.1}}, y = {{5, 6, 7}};
  double H[3][3], square = x.m[1] * x.m[1];
  for (int n = 0; n < 4; n++) {
    tl_hessian(of_copies, x)(y, x, n, H);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        double want = i != j ? 0 : i == 1 ? 2 * cos(square) - 4 * square * sin(square) : i == 2 ? 6 * x.m[2] : 0;
        CHECK(H[i][j], want);
      }
    }
  }
  return check_done();
}
