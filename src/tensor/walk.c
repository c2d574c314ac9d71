#include <assert.h>

#include "tensor/tensor_priv.h"

void tl__walk_init(tl__walk *w, int rank, const int64_t *dim, int operands, const int64_t *const *strides) {
  assert(operands <= TL__WALK_MOST);
  w->operands = operands;
  w->rank = 0;
  for (int i = 0; i < rank; i++) {
    if (dim[i] == 1) {
      continue;
    }
    /* An axis joins the one before it where in every operand a step of that one is all of this one. */
    bool joins = w->rank > 0;
    for (int k = 0; joins && k < operands; k++) {
      joins = w->stride[k][w->rank - 1] == strides[k][i] * dim[i];
    }
    if (joins) {
      w->rank--;
      w->dim[w->rank] *= dim[i];
    } else {
      w->dim[w->rank] = dim[i];
    }
    for (int k = 0; k < operands; k++) {
      w->stride[k][w->rank] = strides[k][i];
    }
    w->rank++;
  }
  if (w->rank == 0) {
    w->dim[0] = 1;
    for (int k = 0; k < operands; k++) {
      w->stride[k][0] = 0;
    }
    w->rank = 1;
  }
}

void tl__walk_run(const tl__walk *w, unsigned char *const data[], tl__stretch *run, void *ctx) {
  int last = w->rank - 1;
  unsigned char *at[TL__WALK_MOST] = {NULL};
  int64_t step[TL__WALK_MOST] = {0}, index[TL_MAX_RANK] = {0};
  for (int i = 0; i < w->rank; i++) {
    if (w->dim[i] == 0) {
      return;
    }
  }
  for (int k = 0; k < w->operands; k++) {
    at[k] = data[k];
    step[k] = w->stride[k][last];
  }
  for (;;) {
    run(ctx, w->dim[last], at, step);
    int axis = last - 1;
    while (axis >= 0 && ++index[axis] == w->dim[axis]) {
      index[axis] = 0;
      for (int k = 0; k < w->operands; k++) {
        at[k] -= w->stride[k][axis] * (w->dim[axis] - 1);
      }
      axis--;
    }
    if (axis < 0) {
      return;
    }
    for (int k = 0; k < w->operands; k++) {
      at[k] += w->stride[k][axis];
    }
  }
}

void tl__walk_strides(tl_tensor x, int front, int rank, const int64_t *dim, int64_t out_stride[TL_MAX_RANK]) {
  for (int i = 0; i < rank; i++) {
    int k = i - (rank - front);
    out_stride[i] = k < 0 || (x->dim[k] == 1 && dim[i] != 1) ? 0 : x->stride[k];
  }
}
