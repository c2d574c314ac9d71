/* tl_vmap of functions on tensors, both ways round tl_grad and in a function that is differentiated, against loops over
 * the examples; a while loop that each example leaves at its own time. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Example);
tl_axis(In);
tl_axis(Hidden);

static tl_tensor loss(tl_typed(F64, In) x, tl_typed(F64, In, Hidden) w, tl_typed(F64, Hidden) b, double scale) {
  tl_tensor h = tl_tanh(tl_add(tl_matmul(x, w), b));
  return tl_mul(tl_max(tl_softmax(h, 0), TL_ALL, false), tl_scalar_like(x, scale));
}

static tl_tensor root(tl_typed(F64) x) {
  tl_tensor z = tl_fill(TL_F64, TL_SCALAR, 1);
  while (tl_item(tl_fabs(tl_sub(tl_mul(z, z), x))) > 1e-13) {
    z = tl_mul(tl_add(z, tl_div(x, z)), tl_scalar_like(x, 0.5));
  }
  return z;
}

/* log where it is defined: the other examples get nothing back through it. */
static tl_tensor guarded(tl_typed(F64) x) { return tl_item(x) > 0 ? tl_log(x) : tl_mul(x, x); }

/* The array is made anew in each iteration, and examples leave the outer loop at times of their own: so in the gradient
 * it is filled where only some of them take part. */
static tl_tensor in_an_array(tl_typed(F64) x, int n) {
  tl_tensor z = x;
  for (int i = 0; i < 5 && tl_item(tl_mul(z, z)) > 0.05; i++) {
    tl_tensor kept[4];
    kept[0] = tl_sin(z);
    for (int k = 0; k < n; k++) {
      kept[(k + 1) % 4] = tl_mul(kept[k % 4], tl_scalar_like(x, 0.75));
    }
    z = tl_mul(kept[0], tl_cos(kept[n % 4]));
  }
  return z;
}

static tl_tensor sum_of_losses(tl_typed(F64, Example, In) x, tl_typed(F64, In, Hidden) w, tl_typed(F64, Hidden) b) {
  return tl_sum(tl_vmap(loss, Example, x)(x, w, b, 2), TL_ALL, false);
}

enum { COUNT = 7 };

int main(void) {
  double xs[2 * COUNT], ws[] = {.1, .2, .3, .4}, bs[] = {.5, .6};
  for (int i = 0; i < 2 * COUNT; i++) {
    xs[i] = 0.3 * i - 1;
  }
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(COUNT, 2), xs), w = tl_from(TL_F64, TL_SHAPE(2, 2), ws);
  tl_tensor b = tl_from(TL_F64, TL_SHAPE(2), bs);
  double v[COUNT], g[4 * COUNT], sum[4] = {0}, all[4];
  CHECK(tl_read(tl_vmap(loss, Example, x)(x, w, b, 2), v, sizeof v), TL_OK);
  CHECK(tl_read(tl_vmap(tl_grad(loss, w), Example, x)(x, w, b, 2), g, sizeof g), TL_OK);
  for (int i = 0; i < COUNT; i++) {
    tl_tensor one = tl_from(TL_F64, TL_SHAPE(2), xs + 2 * i);
    double h[4];
    tl_read(tl_grad(loss, w)(one, w, b, 2), h, sizeof h);
    CHECK(v[i], tl_item(loss(one, w, b, 2)));
    for (int k = 0; k < 4; k++) {
      CHECK(g[4 * i + k], h[k]);
      sum[k] += h[k];
    }
  }
  CHECK(tl_read(tl_grad(sum_of_losses, w)(x, w, b), all, sizeof all), TL_OK);
  for (int k = 0; k < 4; k++) {
    CHECK(all[k], sum[k]);
  }
  double q[] = {2, 3, 10, 0.25, 1e4}, r[5], d[5];
  tl_tensor y = tl_from(TL_F64, TL_SHAPE(5), q);
  tl_read(tl_vmap(root, Example, x)(y), r, sizeof r);
  tl_read(tl_vmap(tl_grad(root), Example, x)(y), d, sizeof d);
  for (int i = 0; i < 4; i++) { /* the last one's 1e-13 is below its rounding: 1e4 is met exactly */
    CHECK_TO(r[i], sqrt(q[i]), 1e-12);
    CHECK_TO(d[i], 0.5 / sqrt(q[i]), 1e-12);
  }
  double p[] = {-2, 0, 3};
  tl_read(tl_vmap(tl_grad(guarded), Example, x)(tl_from(TL_F64, TL_SHAPE(3), p)), d, 24);
  CHECK(d[0], -4);
  CHECK(d[1], 0);
  CHECK(d[2], 1.0 / 3);
  double starts[] = {0.1, 0.3, 0.6, 1.2, -2}, each[5];
  tl_read(tl_vmap(tl_grad(in_an_array, x), Example, x)(tl_from(TL_F64, TL_SHAPE(5), starts), 3), each, sizeof each);
  for (int i = 0; i < 5; i++) {
    CHECK(each[i], tl_item(tl_grad(in_an_array, x)(tl_fill(TL_F64, TL_SCALAR, starts[i]), 3)));
  }
  return check_done();
}
