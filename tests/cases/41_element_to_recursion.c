/* A recursive helper takes one struct, with an array in it, out of an array of structs. */
#include "check.h"

#include <tlaloc/grad.h>

typedef struct {
  double weight, value[3];
} row;

static double helper(int d, double x, const row *r) {
  return d <= 0 ? sin(x) : r->value[0] * r->weight * helper(d - 1, x * r->value[1], r);
}

static double outer(double x, const row rows[4]) { return helper(2, x, &rows[1]); }

int main(void) {
  row rows[4] = {{1, {1, 2, 3}}, {0.4, {0.5, 0.6, 0.7}}}, rows_bar[4];
  double x = 0.3, x_bar, y = x * 0.6 * 0.6, c = 0.4 * 0.5 * 0.4 * 0.5;
  tl_grad(outer)(x, rows, &x_bar, rows_bar);
  CHECK(x_bar, c * cos(y) * 0.36);
  CHECK(rows_bar[1].weight, 2 * c / 0.4 * sin(y));
  CHECK(rows_bar[1].value[0], 2 * c / 0.5 * sin(y));
  CHECK(rows_bar[1].value[1], c * cos(y) * x * 2 * 0.6);
  CHECK(rows_bar[1].value[2], 0);
  CHECK(rows_bar[0].value[1], 0);
  CHECK(rows_bar[3].weight, 0);
  return check_done();
}
