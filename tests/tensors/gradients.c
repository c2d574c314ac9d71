/* Gradients of functions on tensors: a classifier against central differences, a Newton iteration to convergence
 * against its implicit derivative, branches and loops on numbers taken from tensors. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Batch);
tl_axis(In);
tl_axis(Hidden);

static tl_tensor loss(tl_typed(F64, Batch, In) x, tl_typed(F64, In, Hidden) w, tl_typed(F64, Hidden) b,
                      tl_typed(F64, Hidden, 3) v, double scale) {
  tl_tensor h = tl_tanh(tl_add(tl_matmul(x, w), b));
  tl_tensor p = tl_softmax(tl_matmul(h, v), 1);
  tl_tensor best = tl_max(p, TL_AXES(1), false);
  return tl_mul(tl_sum(best, TL_ALL, false), tl_scalar_like(x, scale));
}

static void check_classifier(void) {
  double xs[] = {1, 2, 3, 4, 5, 6}, ws[] = {.1, .2, .3, .4}, bs[] = {.5, .6}, vs[] = {1, 2, 3, -4, 5, 6};
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3, 2), xs), b = tl_from(TL_F64, TL_SHAPE(2), bs);
  tl_tensor w = tl_from(TL_F64, TL_SHAPE(2, 2), ws), v = tl_from(TL_F64, TL_SHAPE(2, 3), vs), w_bar, v_bar;
  double scale_bar, g[4], gv[6];
  tl_tensor value = tl_value_and_grad(loss, w, v, scale)(x, w, b, v, 2, &w_bar, &v_bar, &scale_bar);
  CHECK(tl_item(value), tl_item(loss(x, w, b, v, 2)));
  CHECK(scale_bar, tl_item(value) / 2);
  CHECK(tl_read(w_bar, g, sizeof g), TL_OK);
  CHECK(tl_read(v_bar, gv, sizeof gv), TL_OK);
  for (int i = 0; i < 10; i++) {
    double *at = i < 4 ? &ws[i] : &vs[i - 4], was = *at, h = 1e-4, d[4];
    static const double steps[] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
      *at = was + steps[k] * h;
      d[k] = tl_item(loss(x, tl_from(TL_F64, TL_SHAPE(2, 2), ws), b, tl_from(TL_F64, TL_SHAPE(2, 3), vs), 2));
    }
    *at = was;
    CHECK_TO(i < 4 ? g[i] : gv[i - 4], (d[0] - 8 * d[1] + 8 * d[2] - d[3]) / (12 * h), 1e-9);
  }
}

static tl_tensor root(tl_typed(F64, Batch) x) {
  tl_tensor z = tl_fill(TL_F64, tl_shape_of(x), 1);
  for (int i = 0; tl_item(tl_max(tl_fabs(tl_sub(tl_mul(z, z), x)), TL_ALL, false)) > 1e-13 && i < 100; i++) {
    z = tl_mul(tl_add(z, tl_div(x, z)), tl_scalar_like(x, 0.5));
  }
  return tl_sum(z, TL_ALL, false);
}

static tl_tensor powers(tl_typed(F64, 2) x, int n) {
  tl_tensor y = x;
  for (int i = 0; i < n; i++) {
    if (i % 2 == 0) {
      y = tl_mul(y, x);
    } else {
      y = tl_add(y, tl_exp(x));
    }
  }
  return tl_sum(y, TL_ALL, false);
}

static double mixed(tl_typed(F64, 2) x, double a) {
  double s = tl_item(tl_sum(tl_mul(x, x), TL_ALL, false));
  tl_tensor y = s > 4 ? tl_sin(x) : tl_mul(x, tl_fill(TL_F64, TL_SCALAR, a));
  return a * s + tl_item(tl_sum(y, TL_ALL, false));
}

static tl_tensor cube(tl_typed(F64, Batch) x) { return tl_sum(tl_mul(tl_mul(x, x), x), TL_ALL, false); }
static tl_tensor slope(tl_typed(F64, Batch) x) { return tl_sum(tl_grad(cube)(x), TL_ALL, false); }

/* Narrow tensors stay narrow. */
static tl_tensor single(tl_typed(F32, 3) x, tl_typed(I32, 2) i) {
  tl_tensor picked = tl_gather(x, i, 0, (tl_gather_opts){.mode = TL_INDEX_CLIP});
  return tl_sum(tl_mul(picked, picked), TL_ALL, false);
}

int main(void) {
  check_classifier();
  double q[] = {2, 3, 10}, g[3], two[] = {0.5, 1.5};
  tl_read(tl_grad(root)(tl_from(TL_F64, TL_SHAPE(3), q)), g, sizeof g);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(g[i], 0.5 / sqrt(q[i]), 1e-12);
  }
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(2), two);
  tl_read(tl_grad(powers, x)(x, 3), g, 16); /* x (x^2 + e^x) */
  for (int i = 0; i < 2; i++) {
    CHECK(g[i], 3 * two[i] * two[i] + exp(two[i]) * (1 + two[i]));
  }
  tl_read(tl_grad(powers, x)(x, 0), g, 16);
  CHECK(g[0], 1);
  tl_tensor x_bar;
  double a_bar, s = two[0] * two[0] + two[1] * two[1];
  CHECK(tl_value_and_grad(mixed)(x, 3, &x_bar, &a_bar), 3 * s + 3 * (two[0] + two[1]));
  tl_read(x_bar, g, 16);
  CHECK(g[1], 6 * two[1] + 3);
  CHECK(a_bar, s + two[0] + two[1]);
  tl_read(tl_grad(slope)(tl_from(TL_F64, TL_SHAPE(3), q)), g, sizeof g);
  CHECK(g[2], 60);
  float fs[] = {1, 2, 3}, fg[3];
  int32_t is[] = {2, 7};
  tl_read(tl_grad(single, x)(tl_from(TL_F32, TL_SHAPE(3), fs), tl_from(TL_I32, TL_SHAPE(2), is)), fg, sizeof fg);
  CHECK(fg[0], 0);
  CHECK(fg[2], 12); /* read twice */
  int64_t below = -1; /* not known to the compiler */
  tl_tensor failed = tl_grad(cube)(tl_from(TL_F64, TL_SHAPE(below), q));
  CHECK(tl_status_of(failed), TL_TENSOR_SHAPE_MISMATCH);
  return check_done();
}
