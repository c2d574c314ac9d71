/* Parts of tensors and windows in functions that tlalocc differentiates and batches: against sums by hand. */
#include <math.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Batch);

/* x_1^2 + x_3^2 */
static tl_tensor every_second(tl_typed(F64, 5) x) {
  tl_tensor y = tl_pick(x, TL_SHAPE(2), TL_INTS(1), TL_INTS(2));
  return tl_sum(tl_mul(y, y), TL_ALL, false);
}

/* Of the extent that the call has: each element times its neighbour, and the last one alone. */
static tl_tensor neighbours(tl_typed(F64, Batch) x) {
  int64_t n = tl_shape_of(x).dim[0];
  tl_tensor next = tl_pick(x, TL_SHAPE(n), TL_INTS(1), TL_INTS(1));
  return tl_sum(tl_mul(x, tl_add(next, tl_reverse(next, TL_AXES(0)))), TL_ALL, false);
}

/* The squares of sums of windows of 3. */
static tl_tensor moving(tl_typed(F64, 6) x) {
  tl_tensor s = tl_sum(tl_windows(x, TL_SHAPE(2, 3), TL_AXES(0), TL_INTS(3), TL_INTS(1)), TL_AXES(1), false);
  return tl_sum(tl_mul(s, s), TL_ALL, false);
}

static tl_tensor spread(tl_typed(F64, 2, 3) y) {
  tl_tensor x = tl_overlap_add(y, TL_SHAPE(4), TL_AXES(0), TL_INTS(1), TL_INTS(1));
  return tl_sum(tl_mul(x, x), TL_ALL, false);
}

/* The product of updates at their places. */
static tl_tensor scattered(tl_typed(F64, 3) x, tl_typed(I64, 2, 1) i, tl_typed(F64, 2, 2) u) {
  tl_tensor y = tl_window_scatter(x, i, u, TL_AXES(0), TL_REDUCE_MUL, (tl_window_scatter_opts){.mode = TL_INDEX_CLIP});
  tl_tensor z = tl_window_gather(y, i, TL_SHAPE(2, 2), TL_AXES(0), (tl_window_gather_opts){.mode = TL_INDEX_DROP});
  return tl_sum(tl_concat(y, tl_reshape(z, TL_SHAPE(4)), 0), TL_ALL, false);
}

/* Composites: padded with 1, the product of all. */
static tl_tensor padded(tl_typed(F64, 3) x, tl_typed(F64) one) {
  tl_tensor y = tl_pad(x, one, TL_INTS(1), TL_INTS(-1), TL_INTS(1));
  return tl_add(tl_prod(y, TL_ALL, false),
                tl_sum(tl_maximum(tl_slice(x, TL_INTS(1), TL_INTS(3), TL_SCALAR), one), TL_ALL, false));
}

/* Of an extent that the call has: the squares of differences of neighbours, and of every second element. */
static tl_tensor rough(tl_typed(F64, Batch) x) {
  int64_t n = tl_shape_of(x).dim[0];
  tl_tensor last = tl_slice(x, TL_INTS(1), TL_INTS(n), TL_SCALAR);
  tl_tensor first = tl_pad(x, tl_scalar_like(x, 0), TL_INTS(0), TL_INTS(-1), TL_SCALAR);
  tl_tensor second = tl_slice(x, TL_INTS(1), TL_INTS(tl_shape_of(x).dim[0]), TL_INTS(2));
  return tl_add(tl_sum(tl_square(tl_sub(last, first)), TL_ALL, false), tl_sum(tl_square(second), TL_ALL, false));
}

/* Bits are inactive. */
static tl_tensor whole(tl_typed(F32, 2) x) {
  tl_tensor bits = tl_bitcast(x, TL_I32), one = tl_cast(tl_sign(bits), TL_F32);
  return tl_sum(tl_mul(x, tl_mul(one, tl_cast(tl_positions(x, 0), TL_F32))), TL_ALL, false);
}

int main(void) {
  double x[] = {1, 2, 3, 4, 5, 6}, g[6];
  tl_tensor five = tl_from(TL_F64, TL_SHAPE(5), x), six = tl_from(TL_F64, TL_SHAPE(6), x);
  tl_read(tl_grad(every_second)(five), g, 5 * sizeof *g);
  CHECK(g[0], 0);
  CHECK(g[1], 4);
  CHECK(g[3], 8);
  /* sum x_i (x_i+1 + [i > 0] x_n-i), where x_n is 0 */
  tl_read(tl_grad(neighbours)(five), g, 5 * sizeof *g);
  CHECK(g[0], 2);
  CHECK(g[1], 1 + 3 + 2 * 5);
  CHECK(g[4], 4 + 2 * 2);
  tl_read(tl_grad(moving)(six), g, sizeof g);
  CHECK(g[0], 2 * 6);
  CHECK(g[5], 2 * 15);
  tl_read(tl_grad(spread)(tl_reshape(six, TL_SHAPE(2, 3))), g, sizeof g); /* 1, 2 + 4, 3 + 5, 6 */
  CHECK(g[0], 2);
  CHECK(g[1], 12);
  CHECK(g[3], 12);
  CHECK(g[4], 16);
  int64_t at[] = {0, 7}; /* the second one is moved to 1: the products 1*1, 2*2*3, 3*4 */
  tl_tensor i = tl_from(TL_I64, TL_SHAPE(2, 1), at), three = tl_from(TL_F64, TL_SHAPE(3), x);
  tl_tensor u = tl_from(TL_F64, TL_SHAPE(2, 2), x), x_bar, u_bar;
  CHECK(tl_item(tl_value_and_grad(scattered, x, u)(three, i, u, &x_bar, &u_bar)), 25 + 13); /* drops at 7 */
  tl_read(x_bar, g, 3 * sizeof *g);
  CHECK(g[0], 2);
  CHECK(g[1], 12);
  CHECK(g[2], 4);
  tl_read(u_bar, g, 4 * sizeof *g);
  CHECK(g[0], 2);
  CHECK(g[1], 12);
  CHECK(g[2], 8);
  CHECK(g[3], 3);
  tl_tensor one = tl_fill(TL_F64, TL_SCALAR, 1), one_bar;
  CHECK(tl_item(tl_value_and_grad(padded, x, one)(three, one, &x_bar, &one_bar)), 2 + 5); /* 1 1 1 2 1, then 2, 3 */
  tl_read(x_bar, g, 3 * sizeof *g);
  CHECK(g[0], 2);
  CHECK(g[1], 1 + 1);
  CHECK(g[2], 1);
  CHECK(tl_item(one_bar), 2 * 3);
  for (int n = 2; n <= 6; n++) {
    const double squares[] = {1, 4, 9, 25, 16, 36};
    double y[] = {1, 2, -3, 5, 4, -6}, value = 0;
    for (int k = 0; k < n; k++) {
      value += (k ? (y[k] - y[k - 1]) * (y[k] - y[k - 1]) : 0) + (k % 2 ? squares[k] : 0);
    }
    CHECK(tl_item(tl_value_and_grad(rough)(tl_from(TL_F64, TL_SHAPE(n), y), &x_bar)), value);
    tl_read(x_bar, g, (size_t)n * sizeof *g);
    for (int k = 0; k < n; k++) {
      double before = k ? y[k] - y[k - 1] : 0, after = k + 1 < n ? y[k + 1] - y[k] : 0;
      CHECK(g[k], 2 * (before - after + (k % 2 ? y[k] : 0)));
    }
  }
  float f[] = {3, -5}, fg[2];
  tl_read(tl_grad(whole)(tl_from(TL_F32, TL_SHAPE(2), f)), fg, sizeof fg);
  CHECK(fg[0], 0);
  CHECK(fg[1], -1);
  return check_done();
}
