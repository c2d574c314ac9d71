/* exp(x - max x) over its sum along an axis: lines one at a time where their elements are consecutive, else some that
 * lie side by side. */
#include <math.h>
#include <string.h>

#include "tensor/tensor_priv.h"

typedef struct lines {
  tl__line largest, sum;
  tl__exponents *exponents;
  tl__kernel *divide;
  int64_t n, out_step, step;
} lines;

static void run_tile(const lines *l, int64_t width, unsigned char *out, const unsigned char *x, int64_t across) {
  _Alignas(64) unsigned char largest[TL__TILE * sizeof(double)], sum[TL__TILE * sizeof(double)];
  int64_t size = l->sum.size;
  memcpy(largest, l->largest.identity, (size_t)(width * size));
  memcpy(sum, l->sum.identity, (size_t)(width * size));
  tl__fold_line(&l->largest, largest, width, across, x, l->n, l->step);
  if (width == 1) {
    l->exponents(out, l->n, l->step, x, largest, true);
    tl__fold_line(&l->sum, sum, 1, 0, out, l->n, size);
    l->divide(l->n, (unsigned char *const[]){out, out, sum}, (const int64_t[]){size, size, 0});
    return;
  }
  for (int64_t i = 0; i < l->n; i++) {
    l->exponents(out + i * l->out_step, width, across, x + i * l->step, largest, false);
  }
  tl__fold_line(&l->sum, sum, width, size, out, l->n, l->out_step);
  for (int64_t i = 0; i < l->n; i++) {
    unsigned char *row = out + i * l->out_step;
    l->divide(width, (unsigned char *const[]){row, row, sum}, (const int64_t[]){size, size, size});
  }
}

static void run_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const lines *l = ctx;
  int64_t tile = l->out_step == l->sum.size ? 1 : TL__TILE;
  for (int64_t i = 0; i < n; i += tile) {
    run_tile(l, n - i < tile ? n - i : tile, at[0] + i * step[0], at[1] + i * step[1], step[1]);
  }
}

tl_tensor tl__eager_softmax(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(TL_OP_softmax, operands, attrs);
  }
  tl_tensor x = *operands, out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  int axis = (int)(attrs[0].integer + (attrs[0].integer < 0 ? x->rank : 0));
  int64_t size = (int64_t)tl_dtype_size(type->dtype);
  double least = -INFINITY, zero = 0;
  _Alignas(64) unsigned char identities[2][TL__TILE * sizeof(double)];
  tl__convert(type->dtype, identities[0], TL_F64, &least, 0, TL__TILE);
  tl__convert(type->dtype, identities[1], TL_F64, &zero, 0, TL__TILE);
  const tl__loops *loops = tl__loops_here();
  lines l = {.largest = {loops->max[type->dtype], size, identities[0]},
             .sum = {loops->sum[type->dtype], size, identities[1]},
             .exponents = loops->exponents[type->dtype],
             .divide = loops->kernel_of(TL_OP_div, type->dtype),
             .n = x->dim[axis],
             .out_step = out->stride[axis],
             .step = x->stride[axis]};
  int64_t dim[TL_MAX_RANK];
  for (int i = 0; i < x->rank; i++) {
    dim[i] = i == axis ? 1 : x->dim[i];
  }
  tl__walk w;
  tl__walk_init(&w, x->rank, dim, 2, (const int64_t *const[]){out->stride, x->stride});
  tl__walk_run(&w, (unsigned char *const[]){out->data, x->data}, run_stretch, &l);
  return out;
}

tl_tensor tl_softmax(tl_tensor x, int axis) { return tl__op(TL_OP_softmax, &x, &(tl_attr){.integer = axis}); }
