/* Parts of a tensor whose extents are computed from its own. */
#ifndef TL_TESTS_CAPTURE_PARTS_H
#define TL_TESTS_CAPTURE_PARTS_H

#include "tlaloc/capture.h"

enum { PARTS = 5 };

/* Of x of n rows by 3: differences of rows, padding on all sides, every second row from the second on, maxima and
 * products of windows along the rows. */
static inline void parts(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor x = in[0], value = tl_scalar_like(x, 1.5);
  int64_t n = tl_shape_of(x).dim[0];
  tl_tensor last = tl_slice(x, TL_INTS(1, 0), TL_INTS(n, 3), TL_SCALAR);
  tl_tensor first = tl_pad(x, value, TL_INTS(0, 0), TL_INTS(-1, 0), TL_SCALAR);
  out[0] = tl_sub(last, first);
  out[1] = tl_pad(x, value, TL_INTS(2, 0), TL_INTS(1, 1), TL_INTS(1, 0));
  out[2] = tl_slice(x, TL_INTS(1, 0), TL_INTS(n, 2), TL_INTS(2, 1));
  tl_window_opts windows = {.stride = TL_INTS(2, 1), .low = TL_INTS(1, 0), .high = TL_INTS(0, 1)};
  out[3] = tl_reduce_window(x, TL_REDUCE_MAX, TL_SHAPE(2, 2), windows);
  tl_shape plane = {4, {1, 1, n, 3}};
  out[4] = tl_convolution(tl_reshape(x, plane), in[1], (tl_convolution_opts){.window = {.stride = TL_INTS(2, 1)}});
}

static inline void squares_of_parts(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_tensor all[PARTS];
  parts(ctx, in, all);
  out[0] = tl_scalar_like(in[0], 0);
  for (int i = 0; i < PARTS; i++) {
    out[0] = tl_add(out[0], tl_sum(tl_square(all[i]), TL_ALL, false));
  }
}

static const tl_spec parts_specs[] = {{TL_F64, {2, {TL_SYM(0), 3}}, "x"}, {TL_F64, {4, {2, 1, 2, 2}}, "w"}};

#endif
