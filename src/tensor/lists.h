/* Lists of a number for each axis, as the options of general ops have them. */
#ifndef TL_TENSOR_LISTS_H
#define TL_TENSOR_LISTS_H

#include "tensor/tensor_priv.h"

/* Refuses a list that has not one number for each axis. */
static inline bool tl__list_fits(const char *op, const char *what, tl_ints list, int count, tl_tensor *out) {
  if (list.rank == count) {
    return true;
  }
  *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: %d %s for %d axes", op, list.rank, what, count);
  return false;
}

/* A list that may be left out: none is `number` for each axis. */
static inline tl_ints tl__list_or(tl_ints list, int count, int64_t number) {
  if (list.rank == 0) {
    list.rank = count;
    for (int i = 0; i < count; i++) {
      list.dim[i] = number;
    }
  }
  return list;
}

static inline tl_ints tl__list_of(int count, int64_t number) {
  return tl__list_or((tl_ints){.rank = 0}, count, number);
}

/* The elements [from, from + count) of an axis. */
static inline tl_tensor tl__part(tl_tensor x, int axis, int64_t from, int64_t count) {
  tl_shape shape = tl_shape_of(x);
  tl_ints start = tl__list_of(shape.rank, 0), step = tl__list_of(shape.rank, 1);
  if (axis < shape.rank) {
    shape.dim[axis] = count;
    start.dim[axis] = from;
  }
  return tl_pick(x, shape, start, step);
}

/* Whether it is an extent, and not what stands for one in a program that is being captured. */
static inline bool tl__is_number(int64_t extent) { return extent >= 0; }

#endif
