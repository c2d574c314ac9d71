#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "interp/internal.h"

static size_t element_size(const tl__array *a) { return a->of_tensors ? sizeof(tl_tensor) : tl_dtype_size(a->dtype); }

tl__array *tl__array_create(tl__array **list, tl_dtype dtype, bool of_tensors, int rank, const int64_t *extents) {
  tl__array *a = tl__alloc(sizeof *a);
  *a = (tl__array){
      .references = 1, .dtype = dtype, .of_tensors = of_tensors, .rank = rank, .count = 1, .home = list, .next = *list};
  *list = a;
  if (a->next) {
    a->next->home = &a->next;
  }
  for (int i = 0; i < rank; i++) {
    a->extents[i] = extents[i];
    a->count *= extents[i];
  }
  a->data = tl__alloc((size_t)a->count * element_size(a));
  if (of_tensors) {
    memset(a->data, 0, (size_t)a->count * element_size(a));
  }
  a->written = tl__alloc((size_t)a->count);
  memset(a->written, 0, (size_t)a->count);
  return a;
}

tl__array *tl__array_copy(tl__array **list, const tl__array *from) {
  tl__array *a = tl__array_create(list, from->dtype, from->of_tensors, from->rank, from->extents);
  a->grows = from->grows;
  memcpy(a->data, from->data, (size_t)a->count * element_size(a));
  for (int64_t i = 0; a->of_tensors && i < a->count; i++) {
    tl_retain(((tl_tensor *)(void *)a->data)[i]);
  }
  if (from->written) {
    memcpy(a->written, from->written, (size_t)a->count);
  } else {
    tl__array_set_written(a);
  }
  return a;
}

static void array_free(tl__array *a) {
  *a->home = a->next;
  if (a->next) {
    a->next->home = a->home;
  }
  for (int64_t i = 0; a->of_tensors && i < a->count; i++) {
    tl_release(((tl_tensor *)(void *)a->data)[i]);
  }
  tl__free(a->data);
  tl__free(a->written);
  tl__free(a);
}

void tl__array_release(tl__array *a) {
  if (a && --a->references == 0) {
    array_free(a);
  }
}

void tl__array_free_all(tl__array **list) {
  while (*list) {
    array_free(*list);
  }
}

void tl__array_grow(tl__array *a, int64_t count) {
  assert(a->rank == 1);
  if (count <= a->count) {
    return;
  }
  int64_t room = count + count / 2;
  size_t size = element_size(a);
  if (!a->written) {
    a->written = tl__alloc((size_t)a->count);
    memset(a->written, 1, (size_t)a->count);
  }
  a->data = tl__realloc(a->data, (size_t)room * size);
  a->written = tl__realloc(a->written, (size_t)room);
  memset(a->written + a->count, 0, (size_t)(room - a->count));
  if (a->of_tensors) {
    memset(a->data + (size_t)a->count * size, 0, (size_t)(room - a->count) * size);
  }
  a->count = room;
  a->extents[0] = room;
}

tl_tensor tl__array_tensor(const tl__array *a, int64_t i) { return ((tl_tensor *)(void *)a->data)[i]; }

void tl__array_store_tensor(tl__array *a, int64_t i, tl_tensor x) {
  tl_tensor *at = (tl_tensor *)(void *)a->data + i, before = *at;
  *at = tl_retain(x);
  tl_release(before);
  if (a->written) {
    a->written[i] = 1;
  }
}

void tl__array_set_written(tl__array *a) {
  tl__free(a->written);
  a->written = NULL;
}

void tl__element_load(tl_dtype dtype, const void *data, int64_t i, tl_interp_scalar *out) {
  switch (dtype) {
  case TL_BOOL:
    out->integer = ((const _Bool *)data)[i];
    return;
  case TL_I8:
    out->integer = ((const int8_t *)data)[i];
    return;
  case TL_I16:
    out->integer = ((const int16_t *)data)[i];
    return;
  case TL_I32:
    out->integer = ((const int32_t *)data)[i];
    return;
  case TL_I64:
    out->integer = ((const int64_t *)data)[i];
    return;
  case TL_U8:
    out->integer = ((const uint8_t *)data)[i];
    return;
  case TL_U16:
    out->integer = ((const uint16_t *)data)[i];
    return;
  case TL_U32:
    out->integer = ((const uint32_t *)data)[i];
    return;
  case TL_U64:
    out->integer = (int64_t)((const uint64_t *)data)[i];
    return;
  case TL_F32:
    out->f32 = ((const float *)data)[i];
    return;
  case TL_F64:
    out->f64 = ((const double *)data)[i];
    return;
  case TL_F80:
    out->f80 = ((const long double *)data)[i];
    return;
  case TL_F16:
  case TL_BF16:
  case TL_F8E4M3FN:
  case TL_DTYPE_COUNT:
    break;
  }
  assert(!"no dtype of an array's elements");
}

void tl__element_store(tl_dtype dtype, void *data, int64_t i, tl_interp_scalar v) {
  switch (dtype) {
  case TL_BOOL:
    ((_Bool *)data)[i] = v.integer != 0;
    return;
  case TL_I8:
    ((int8_t *)data)[i] = (int8_t)v.integer;
    return;
  case TL_I16:
    ((int16_t *)data)[i] = (int16_t)v.integer;
    return;
  case TL_I32:
    ((int32_t *)data)[i] = (int32_t)v.integer;
    return;
  case TL_I64:
    ((int64_t *)data)[i] = v.integer;
    return;
  case TL_U8:
    ((uint8_t *)data)[i] = (uint8_t)v.integer;
    return;
  case TL_U16:
    ((uint16_t *)data)[i] = (uint16_t)v.integer;
    return;
  case TL_U32:
    ((uint32_t *)data)[i] = (uint32_t)v.integer;
    return;
  case TL_U64:
    ((uint64_t *)data)[i] = (uint64_t)v.integer;
    return;
  case TL_F32:
    ((float *)data)[i] = v.f32;
    return;
  case TL_F64:
    ((double *)data)[i] = v.f64;
    return;
  case TL_F80:
    ((long double *)data)[i] = v.f80;
    return;
  case TL_F16:
  case TL_BF16:
  case TL_F8E4M3FN:
  case TL_DTYPE_COUNT:
    break;
  }
  assert(!"no dtype of an array's elements");
}

bool tl__array_load(const tl__array *a, int64_t position, tl_interp_scalar *out) {
  if (a->written && !a->written[position]) {
    return false;
  }
  tl__element_load(a->dtype, a->data, position, out);
  return true;
}

void tl__array_store(tl__array *a, int64_t position, tl_interp_scalar v) {
  tl__element_store(a->dtype, a->data, position, v);
  if (a->written) {
    a->written[position] = 1;
  }
}
