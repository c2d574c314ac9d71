/* Tridiagonal systems by elimination along the diagonal: two scans, which are captured and differentiated as such. */
#include <stdio.h>

#include "base/dtype.h"
#include "tensor/op.h"
#include "tlaloc/capture.h"

static tl_tensor leave(tl_scope scope, tl_tensor out) {
  out = tl_scope_keep(scope, out);
  tl_scope_close(scope);
  return out;
}

static tl_tensor column(tl_tensor x) {
  tl_shape s = tl_shape_of(x);
  s.dim[s.rank++] = 1;
  return tl_reshape(x, s);
}

/* Carries c and y of the row above; in: lower, diagonal and upper element and the right side of this one.
 *   c' = upper / (diagonal - lower c),  y' = (b - lower y) / (diagonal - lower c) */
static void eliminate(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor pivot = tl_sub(in[3], tl_mul(in[2], in[0]));
  out[0] = tl_div(in[4], pivot);
  out[1] = tl_div(tl_sub(in[5], tl_mul(column(in[2]), in[1])), column(pivot));
  out[2] = out[0];
  out[3] = out[1];
}

/* Carries x of the row below; in: c and y of this one. x = y - c x */
static void substitute(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_sub(in[2], tl_mul(column(in[1]), in[0]));
  out[1] = out[0];
}

/* The axis `at` in front of all others, or back. */
static tl_axes turned(int rank, int at, bool back) {
  tl_axes order = {.count = rank};
  for (int i = 0; i < rank; i++) {
    int from = i == 0 ? at : i <= at ? i - 1 : i;
    order.axis[back ? from : i] = (int8_t)(back ? i : from);
  }
  return order;
}

tl_tensor tl_tridiagonal_solve(tl_tensor lower, tl_tensor diagonal, tl_tensor upper, tl_tensor b) {
  tl_tensor rows[] = {lower, diagonal, upper, b};
  tl_shape s = tl_shape_of(diagonal), r = tl_shape_of(b);
  for (int i = 0; i < 4; i++) {
    if (tl_status_of(rows[i]) != TL_OK) {
      return rows[i];
    }
  }
  bool fits = s.rank >= 1 && r.rank == s.rank + 1;
  for (int k = 0; k < 4; k++) {
    tl_shape own = tl_shape_of(rows[k]);
    fits = fits && own.rank == s.rank + (k == 3);
    for (int i = 0; fits && i < s.rank; i++) {
      fits = own.dim[i] == s.dim[i];
    }
  }
  if (!fits) {
    return tl__tensor_failed(TL_TENSOR_SHAPE_MISMATCH,
                             "tridiagonal_solve: three diagonals of one shape, and a right side with one axis more");
  }
  if (!tl_dtype_is_float(tl_dtype_of(diagonal))) {
    return tl__tensor_failed(TL_DTYPE_UNSUPPORTED, "tridiagonal_solve: of floating numbers");
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_dtype dtype = tl_dtype_of(diagonal);
  bool widens = tl_dtype_is_stored_only(dtype);
  for (int k = 0; k < 4; k++) {
    rows[k] = widens ? tl_cast(rows[k], TL_F32) : rows[k];
    rows[k] = tl_transpose(rows[k], turned(s.rank + (k == 3), s.rank - 1, false));
  }
  tl_shape c = {.rank = s.rank - 1}, y = {.rank = s.rank};
  for (int i = 0; i < s.rank - 1; i++) {
    c.dim[i] = y.dim[i] = s.dim[i];
  }
  y.dim[s.rank - 1] = r.dim[s.rank];
  tl_dtype d = widens ? TL_F32 : dtype;
  tl_tensor zero = tl_fill(d, TL_SCALAR, 0), init[] = {tl_broadcast(zero, c), tl_broadcast(zero, y)}, forward[4];
  tl_scan(eliminate, NULL, 2, init, 4, rows, 2, forward);
  tl_tensor up[] = {tl_reverse(forward[2], TL_AXES(0)), tl_reverse(forward[3], TL_AXES(0))}, back[2];
  tl_scan(substitute, NULL, 1, &init[1], 2, up, 1, back);
  tl_tensor x = tl_transpose(tl_reverse(back[1], TL_AXES(0)), turned(s.rank + 1, s.rank - 1, true));
  return leave(scope, widens ? tl_cast(x, dtype) : x);
}
