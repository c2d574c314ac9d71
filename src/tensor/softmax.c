/* exp(x - max x) over its sum along an axis. */
#include <math.h>

#include "tensor/tensor_priv.h"

typedef void along(int64_t n, unsigned char *out, int64_t out_step, const unsigned char *x, int64_t step);

#define DEFINE(d, type, exp)                                                                                           \
  static void softmax_##d(int64_t n, unsigned char *out, int64_t out_step, const unsigned char *x, int64_t step) {     \
    type largest = -(type)INFINITY, sum = 0;                                                                           \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      type v = *(const type *)(const void *)(x + i * step);                                                            \
      largest = v > largest || v != v ? v : largest;                                                                   \
    }                                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      type v = exp(*(const type *)(const void *)(x + i * step) - largest);                                             \
      *(type *)(void *)(out + i * out_step) = v;                                                                       \
      sum += v;                                                                                                        \
    }                                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      *(type *)(void *)(out + i * out_step) /= sum;                                                                    \
    }                                                                                                                  \
  }
DEFINE(TL_F32, float, expf)
DEFINE(TL_F64, double, exp)

typedef struct lines {
  along *run;
  int64_t n, out_step, step;
} lines;

static void run_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const lines *l = ctx;
  for (int64_t i = 0; i < n; i++) {
    l->run(l->n, at[0] + i * step[0], l->out_step, at[1] + i * step[1], l->step);
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
  lines l = {.run = type->dtype == TL_F32 ? softmax_TL_F32 : softmax_TL_F64,
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
