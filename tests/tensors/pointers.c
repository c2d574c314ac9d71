/* Tensors given by pointer, forward mode, seeds, and calls between functions on tensors. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(N);

static double both(tl_typed(F64, N) x, double a, tl_typed(F64, N) *square) {
  *square = tl_mul(tl_mul(x, x), tl_scalar_like(x, a));
  return tl_item(tl_sum(*square, TL_ALL, false));
}

static tl_typed(F64, N) softplus(tl_typed(F64, N) x) { return tl_log1p(tl_exp(x)); }
static tl_tensor twice(tl_typed(F64, N) x) { return tl_sum(softplus(softplus(x)), TL_ALL, false); }

int main(void) {
  double xs[] = {1, 2, 3}, ds[] = {1, 0, 0}, r[3];
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3), xs), d = tl_from(TL_F64, TL_SHAPE(3), ds), y, y_dot, x_bar;
  double a_bar;
  CHECK(tl_jvp(both, x)(x, 2, &y, d, &y_dot), 4);
  tl_read(y_dot, r, sizeof r);
  CHECK(r[0], 4);
  CHECK(r[1], 0);
  CHECK(tl_vjp(both)(x, 2, &y, 1, &d, &x_bar, &a_bar), 28);
  tl_read(x_bar, r, sizeof r);
  CHECK(r[0], 8);
  CHECK(r[2], 12);
  CHECK(a_bar, 15);
  tl_read(y, r, sizeof r);
  CHECK(r[2], 18);
  tl_read(tl_grad(twice)(x), r, sizeof r);
  for (int i = 0; i < 3; i++) {
    double s = log1p(exp(xs[i]));
    CHECK(r[i], 1 / (1 + exp(-xs[i])) / (1 + exp(-s)));
  }
  tl_tensor t = tl_jvp(twice)(x, d);
  CHECK(tl_item(t), r[0]);
  return check_done();
}
