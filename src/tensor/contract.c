/* Matrix products. */
#include <string.h>

#include "tensor/tensor_priv.h"

/* rows x inner times inner x columns; strides in bytes. The result is row-major. */
typedef struct product {
  int64_t rows, inner, columns;
  int64_t x_row, x_inner, y_inner, y_column;
} product;
typedef void multiply(const product *, void *out, const unsigned char *x, const unsigned char *y);

#define DEFINE(d, type)                                                                                                \
  static void multiply_##d(const product *p, void *out, const unsigned char *x, const unsigned char *y) {              \
    type *restrict o = out;                                                                                            \
    memset(o, 0, (size_t)(p->rows * p->columns) * sizeof *o);                                                          \
    for (int64_t i = 0; i < p->rows; i++, o += p->columns) {                                                           \
      for (int64_t k = 0; k < p->inner; k++) {                                                                         \
        type v = *(const type *)(const void *)(x + i * p->x_row + k * p->x_inner);                                     \
        const unsigned char *row = y + k * p->y_inner;                                                                 \
        for (int64_t j = 0; j < p->columns; j++) {                                                                     \
          o[j] = (type)(o[j] + v * *(const type *)(const void *)(row + j * p->y_column));                              \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }
/* A product of two 16-bit numbers is an int's, which wraps. */
TL__INTEGERS(DEFINE)
TL__FLOATS(DEFINE)

#define ENTRY(d, type) [d] = multiply_##d,
static multiply *const table[TL_DTYPE_COUNT] = {TL__INTEGERS(ENTRY) TL__FLOATS(ENTRY)};

typedef struct batch {
  product p;
  multiply *run;
  int64_t size; /* of a result's matrix */
} batch;

static void run_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const batch *b = ctx;
  for (int64_t i = 0; i < n; i++) {
    b->run(&b->p, at[0] + i * step[0], at[1] + i * step[1], at[2] + i * step[2]);
  }
}

tl_tensor tl__eager_matmul(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(TL_OP_matmul, operands, attrs);
  }
  tl_tensor x = operands[0], y = operands[1], out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  int m = x->rank - 1, n = y->rank - 1;
  batch b = {.run = table[type->dtype]};
  b.p = (product){.rows = m ? x->dim[m - 1] : 1,
                  .inner = x->dim[m],
                  .columns = n ? y->dim[n] : 1,
                  .x_row = m ? x->stride[m - 1] : 0,
                  .x_inner = x->stride[m],
                  .y_inner = y->stride[n ? n - 1 : 0],
                  .y_column = n ? y->stride[n] : 0};
  /* The axes in front, as those of tensors without the matrices. */
  struct tl_tensor_object fx = *x, fy = *y;
  fx.rank = m ? m - 1 : 0;
  fy.rank = n ? n - 1 : 0;
  int rank = fx.rank > fy.rank ? fx.rank : fy.rank;
  int64_t strides[2][TL_MAX_RANK];
  tl__walk_strides(&fx, rank, out->dim, strides[0]);
  tl__walk_strides(&fy, rank, out->dim, strides[1]);
  tl__walk w;
  tl__walk_init(&w, rank, out->dim, 3, (const int64_t *const[]){out->stride, strides[0], strides[1]});
  tl__walk_run(&w, (unsigned char *const[]){out->data, x->data, y->data}, run_stretch, &b);
  return out;
}

tl_tensor tl_matmul(tl_tensor x, tl_tensor y) { return tl__op(TL_OP_matmul, (tl_tensor[]){x, y}, NULL); }
