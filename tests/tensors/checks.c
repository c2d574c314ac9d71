/* tl_check_vjp of functions on tensors: 0 where a derivative is right, the number of entries where it is not, at the
 * tolerance that each dtype has; outputs are left as they were. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Rows);
tl_axis(N);

static tl_tensor loss(tl_typed(F64, Rows, 2) x, tl_typed(F64, 2, 3) w, double scale) {
  tl_tensor p = tl_softmax(tl_tanh(tl_matmul(x, w)), 1);
  return tl_mul(tl_sum(tl_log(p), TL_ALL, false), tl_fill(TL_F64, TL_SCALAR, scale));
}

static double both(tl_typed(F64, N) x, double a, tl_typed(F64, N, N) * outer, double *twice) {
  tl_tensor column = tl_reshape(x, TL_SHAPE(-1, 1));
  *outer = tl_mul(tl_matmul(column, tl_reshape(x, TL_SHAPE(1, -1))), tl_fill(TL_F64, TL_SCALAR, a));
  *twice = 2 * a;
  return a * tl_item(tl_sum(tl_exp(x), TL_ALL, false));
}

static tl_typed(F32, N) single(tl_typed(F32, N) x, int n) {
  tl_tensor y = x;
  for (int i = 0; i < n; i++) {
    y = tl_mul(tl_sin(y), tl_add(x, y));
  }
  return y;
}

static tl_tensor zero_extent(tl_typed(F64, N) x) { return tl_sum(tl_mul(x, x), TL_ALL, false); }

/* A branch whose derivative by the tensor is not that of what is near: |x| at 0 is taken as 0. */
static tl_tensor kink(tl_typed(F64, N) x) {
  return tl_sum(tl_fabs(tl_add(x, tl_fmax(x, tl_scalar_like(x, 0)))), TL_ALL, false);
}

static double mixed(tl_typed(F64, N) x, const double w[3]) {
  double s = tl_item(tl_sum(tl_mul(x, x), TL_ALL, false));
  return s * w[0] + w[1] * w[2];
}

/* A rule that is wrong in one entry. */
static tl_tensor wrong(tl_typed(F64, 4) x);
static tl_tensor wrong(tl_typed(F64, 4) x) { return tl_sum(tl_mul(x, x), TL_ALL, false); }

static tl_tensor of_another_type(void) { return tl_fill(TL_F32, TL_SCALAR, 0); }

int main(void) {
  const double v[] = {.5, -1, .25, 2, .1, .2, -.3, .4, .5, -.6};
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(2, 2), v), w = tl_from(TL_F64, TL_SHAPE(2, 3), v + 4);
  CHECK(tl_check_vjp(loss)(x, w, 1.5, 0), 0);
  CHECK(tl_check_vjp(loss, w)(x, w, 1.5, 1e-9), 0);
  CHECK(tl_check_vjp(loss)(x, w, 1.5, 1e-18) > 5, 1);
  tl_tensor y = tl_from(TL_F64, TL_SHAPE(4), v), outer = w;
  double twice = 5;
  CHECK(tl_check_vjp(both)(y, 0.75, &outer, &twice, 0), 0);
  CHECK(outer == w, 1);
  CHECK(twice, 5);
  const float f[] = {.5f, -.25f, 1, 2};
  CHECK(tl_check_vjp(single)(tl_from(TL_F32, TL_SHAPE(4), f), 3, 0), 0);
  CHECK(tl_check_vjp(zero_extent)(tl_fill(TL_F64, TL_SHAPE(0), 0), 0), 0);
  CHECK(tl_check_vjp(zero_extent)(y, 0), 0);
  const double at_kink[] = {0, 1, 0, -1, 2};
  CHECK(tl_check_vjp(kink)(tl_from(TL_F64, TL_SHAPE(5), at_kink), 0), 2);
  CHECK(tl_check_vjp(mixed)(y, v, 0), 0);
  CHECK(tl_check_vjp(mixed, x)(y, v, 0), 0);
  CHECK(tl_check_vjp(wrong)(y, 0), 0);
  /* what cannot be computed is no success */
  CHECK(tl_check_vjp(loss)(x, of_another_type(), 1.5, 0) > 0, 1);
  return check_done();
}
