#include <math.h>
#include <stdlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/tensor_priv.h"

/* The elements start at a cache line. */
enum { ALIGNMENT = 64 };

static _Thread_local int64_t live_bytes, peak_bytes;

void tl__tensor_bytes_reset(void) { live_bytes = peak_bytes = 0; }
size_t tl__tensor_bytes_peak(void) { return (size_t)peak_bytes; }

static void count_bytes(int64_t bytes) {
  live_bytes += bytes;
  peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
}

static tl_status status_of(tl_tensor x) { return x->status == TL_OK && x->base ? x->base->status : x->status; }

static tl_tensor allocate(size_t tail) {
  tl_tensor t = tl__alloc_try(sizeof *t + tail);
  if (t) {
    t->status = TL_OK;
    t->value = 0;
    t->owned_bytes = 0;
    t->trace = 0;
    t->base = NULL;
    t->done = NULL;
    t->message = "";
    t->names = NULL;
    atomic_init(&t->references, 1);
  }
  return t;
}

static void set_row_major(tl_tensor t, tl_dtype dtype, int rank, const int64_t *dim) {
  int64_t stride = (int64_t)tl_dtype_size(dtype);
  t->dtype = dtype;
  t->rank = rank;
  t->is_row_major = true;
  t->count = 1;
  for (int i = rank - 1; i >= 0; i--) {
    t->dim[i] = dim[i];
    t->stride[i] = stride;
    stride *= dim[i];
    t->count *= dim[i];
  }
}

tl_tensor tl__tensor_create(tl_dtype dtype, int rank, const int64_t *dim) {
  size_t bytes = tl_dtype_size(dtype);
  for (int i = 0; i < rank; i++) {
    bytes *= (size_t)dim[i];
  }
  tl_tensor t = allocate(bytes + ALIGNMENT);
  if (!t) {
    return NULL;
  }
  set_row_major(t, dtype, rank, dim);
  t->owned_bytes = (int64_t)bytes;
  count_bytes(t->owned_bytes);
  t->data = (unsigned char *)(((uintptr_t)(t + 1) + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
  return tl__scope_add(t);
}

tl_tensor tl__tensor_view(tl_tensor x, int rank, const int64_t *dim, const int64_t *stride) {
  tl_tensor t = allocate(0);
  if (!t) {
    return NULL;
  }
  set_row_major(t, x->dtype, rank, dim);
  for (int i = 0; i < rank; i++) {
    /* Where there is one element or none, no stride is ever taken. */
    t->is_row_major = t->is_row_major && (stride[i] == t->stride[i] || dim[i] == 1 || t->count == 0);
  }
  memcpy(t->stride, stride, (size_t)rank * sizeof *stride);
  t->data = x->data;
  t->trace = x->trace;
  t->value = x->value;
  t->count = x->value ? 0 : t->count;
  t->base = tl_retain(x->base ? x->base : x);
  return tl__scope_add(t);
}

tl_tensor tl__tensor_failed(tl_status status, const char *message) {
  size_t length = strlen(message) + 1;
  tl_tensor t = allocate(length);
  if (!t) {
    return NULL;
  }
  set_row_major(t, TL_F32, 0, NULL);
  t->count = 0;
  t->status = status;
  t->data = NULL;
  t->message = memcpy(t + 1, message, length);
  return tl__scope_add(t);
}

tl_tensor tl__tensor_refuse(tl_status status, const char *format, ...) {
  char message[192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return tl__tensor_failed(status, message);
}

tl_tensor tl_retain(tl_tensor t) {
  if (t) {
    atomic_fetch_add_explicit(&t->references, 1, memory_order_relaxed);
  }
  return t;
}

void tl_release(tl_tensor t) {
  if (!t || atomic_fetch_sub_explicit(&t->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  if (t->done) {
    t->done(t->ctx, t->data);
  }
  tl_tensor base = t->base;
  count_bytes(-t->owned_bytes);
  tl__free(t->names);
  tl__free(t);
  tl_release(base);
}

bool tl__tensor_any_failed(int count, const tl_tensor *x, tl_tensor *out) {
  for (int i = 0; i < count; i++) {
    if (!x[i] || status_of(x[i]) != TL_OK) {
      /* It is the caller's again, by the innermost scope. */
      *out = x[i] ? tl__scope_add(tl_retain(x[i])) : NULL;
      return true;
    }
  }
  return false;
}

tl_status tl__tensor_check(tl_shape_rules *r, const char *op, tl_dtype dtype, int rank, const int64_t *dim) {
  tl_extent extents[TL_MAX_RANK];
  for (int i = 0; i < rank && i < TL_MAX_RANK; i++) {
    extents[i] = (tl_extent){.fixed = dim[i]};
  }
  return tl__shape_create(r, op, dtype, rank, extents);
}

tl_tensor tl_from(tl_dtype dtype, tl_shape shape, const void *data) {
  tl_shape_rules r;
  tl_status status = tl__tensor_check(&r, "from", dtype, shape.rank, shape.dim);
  if (status != TL_OK) {
    return tl__tensor_failed(status, r.message);
  }
  tl_tensor t = tl__tensor_create(dtype, shape.rank, shape.dim);
  if (t && t->count) {
    memcpy(t->data, data, (size_t)t->count * tl_dtype_size(dtype));
  }
  return t;
}

tl_tensor tl__tensor_blank(tl_dtype dtype, tl_shape shape, void **out_data) {
  tl_shape_rules r;
  tl_status status = tl__tensor_check(&r, "result", dtype, shape.rank, shape.dim);
  if (status != TL_OK) {
    return tl__tensor_failed(status, r.message);
  }
  tl_tensor t = tl__tensor_create(dtype, shape.rank, shape.dim);
  *out_data = t ? t->data : NULL;
  return t;
}

tl_tensor tl_wrap(tl_dtype dtype, tl_shape shape, void *data, void (*done)(void *ctx, void *data), void *ctx) {
  tl_shape_rules r;
  tl_status status = tl__tensor_check(&r, "wrap", dtype, shape.rank, shape.dim);
  tl_tensor t = status == TL_OK ? allocate(0) : NULL;
  if (!t) {
    if (done) {
      done(ctx, data);
    }
    return status == TL_OK ? NULL : tl__tensor_failed(status, r.message);
  }
  set_row_major(t, dtype, shape.rank, shape.dim);
  t->data = data;
  t->done = done;
  t->ctx = ctx;
  return tl__scope_add(t);
}

tl_tensor tl_fill(tl_dtype dtype, tl_shape shape, double number) {
  if (tl__shape_is_traced(shape)) {
    return tl_broadcast(tl_fill(dtype, TL_SCALAR, number), shape);
  }
  tl_shape_rules r;
  tl_status status = tl__tensor_check(&r, "fill", dtype, shape.rank, shape.dim);
  if (status != TL_OK) {
    return tl__tensor_failed(status, r.message);
  }
  tl_tensor t = tl__tensor_create(dtype, shape.rank, shape.dim);
  if (t) {
    tl__convert(dtype, t->data, TL_F64, &number, 0, t->count);
  }
  return t;
}

tl_tensor tl_iota(tl_dtype dtype, tl_shape shape, int axis) {
  tl_shape_rules r;
  tl_status status = tl__tensor_check(&r, "iota", dtype, shape.rank, shape.dim);
  int at = 0;
  status = status == TL_OK ? tl__shape_axis(&r, "iota", 2, shape.rank, axis, &at) : status;
  if (status != TL_OK) {
    return tl__tensor_failed(status, r.message);
  }
  tl_tensor line = tl__tensor_create(dtype, 1, &shape.dim[at]);
  if (!line) {
    return NULL;
  }
  for (int64_t i = 0; i < shape.dim[at]; i++) {
    tl__convert(dtype, line->data + i * line->stride[0], TL_I64, &i, 0, 1);
  }
  int64_t stride[TL_MAX_RANK] = {0};
  stride[at] = line->stride[0];
  return tl__tensor_view(line, shape.rank, shape.dim, stride);
}

tl_tensor tl_scalar_like(tl_tensor x, double number) {
  tl_tensor failed;
  return tl__tensor_any_failed(1, &x, &failed) ? failed : tl_fill(x->dtype, TL_SCALAR, number);
}

tl_dtype tl_dtype_of(tl_tensor x) { return x ? x->dtype : TL_F32; }

tl_shape tl_shape_of(tl_tensor x) {
  tl_shape shape = {0, {0}};
  if (x) {
    shape.rank = x->rank;
    memcpy(shape.dim, x->dim, (size_t)x->rank * sizeof *x->dim);
  }
  return shape;
}

tl_status tl_status_of(tl_tensor x) { return x ? status_of(x) : TL_OUT_OF_MEMORY; }

const char *tl_message_of(tl_tensor x) {
  return !x                           ? "an allocation failed"
         : status_of(x) == TL_DONATED ? "the tensor's storage was given to a program"
                                      : x->message;
}

const void *tl_data(tl_tensor x) { return x && status_of(x) == TL_OK && x->is_row_major ? x->data : NULL; }

static tl_tensor owner(tl_tensor x) { return x->base ? x->base : x; }

void tl__tensor_donate(tl_tensor x) { owner(x)->status = TL_DONATED; }

bool tl__tensor_shares(tl_tensor x, tl_tensor y) { return owner(x) == owner(y); }

typedef struct comparison {
  size_t size;
  const unsigned char *element;
  bool differs;
} comparison;

static void compare_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  comparison *c = ctx;
  for (int64_t i = 0; i < n && !c->differs; i++) {
    c->differs = memcmp(at[0] + i * step[0], c->element, c->size) != 0;
  }
}

bool tl__tensor_is_uniform(tl_tensor x, void *out_element) {
  size_t size = tl_dtype_size(x->dtype);
  memset(out_element, 0, size);
  if (!x->count) {
    return true;
  }
  memcpy(out_element, x->data, size);
  int64_t dim[TL_MAX_RANK];
  for (int i = 0; i < x->rank; i++) {
    dim[i] = x->stride[i] ? x->dim[i] : 1;
  }
  comparison c = {size, out_element, false};
  tl__walk w;
  tl__walk_init(&w, x->rank, dim, 1, (const int64_t *const[]){x->stride});
  tl__walk_run(&w, (unsigned char *const[]){x->data}, compare_stretch, &c);
  return !c.differs;
}

static void copy_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  tl_dtype dtype = *(const tl_dtype *)ctx;
  tl__convert(dtype, at[0], dtype, at[1], step[1], n);
}

static void copy_out(tl_tensor x, unsigned char *out) {
  int64_t packed[TL_MAX_RANK], stride = (int64_t)tl_dtype_size(x->dtype);
  for (int i = x->rank - 1; i >= 0; i--) {
    packed[i] = stride;
    stride *= x->dim[i];
  }
  tl__walk w;
  tl__walk_init(&w, x->rank, x->dim, 2, (const int64_t *const[]){packed, x->stride});
  tl__walk_run(&w, (unsigned char *const[]){out, x->data}, copy_stretch, &x->dtype);
}

tl_status tl_read(tl_tensor x, void *out_data, size_t bytes) {
  if (!x || status_of(x) != TL_OK || x->value) {
    return x && x->value ? TL_TRACED_TENSOR : tl_status_of(x);
  }
  if (bytes != (size_t)x->count * tl_dtype_size(x->dtype)) {
    return TL_TENSOR_SHAPE_MISMATCH;
  }
  if (bytes) {
    copy_out(x, out_data);
  }
  return TL_OK;
}

static bool has_one(tl_tensor x) { return x && status_of(x) == TL_OK && x->count == 1 && !x->value; }

double tl_item(tl_tensor x) {
  double number = NAN;
  if (has_one(x)) {
    tl__convert(TL_F64, &number, x->dtype, x->data, 0, 1);
  }
  return number;
}

int64_t tl_item_int(tl_tensor x) {
  int64_t number = 0;
  if (has_one(x)) {
    tl__convert(TL_I64, &number, x->dtype, x->data, 0, 1);
  }
  return number;
}

tl_tensor tl__tensor_packed(tl_tensor x) {
  if (x->is_row_major) {
    return x;
  }
  tl_tensor t = tl__tensor_create(x->dtype, x->rank, x->dim);
  if (t && t->count) {
    copy_out(x, t->data);
  }
  return t;
}

tl_tensor_type tl__tensor_type(tl_tensor x) {
  tl_tensor_type t = {.dtype = x->dtype, .rank = x->rank};
  for (int i = 0; i < x->rank; i++) {
    t.dim[i].fixed = x->dim[i];
  }
  if (x->names) {
    memcpy(t.axis, x->names->axis, sizeof t.axis);
    memcpy(t.bound, x->names->bound, sizeof t.bound);
  }
  return t;
}

tl_tensor tl__tensor_name(tl_tensor t, const tl_tensor_type *type) {
  bool has_any = false;
  for (int i = 0; i < type->rank; i++) {
    has_any = has_any || type->axis[i] || type->bound[i];
  }
  if (!t || t->status != TL_OK || t->names || !has_any) {
    return t;
  }
  t->names = tl__alloc_try(sizeof *t->names);
  if (!t->names) {
    return NULL;
  }
  memset(t->names, 0, sizeof *t->names);
  memcpy(t->names->axis, type->axis, sizeof *type->axis * (size_t)type->rank);
  memcpy(t->names->bound, type->bound, sizeof *type->bound * (size_t)type->rank);
  return t;
}

tl_tensor tl__tensor_of(const tl_tensor_type *type) {
  int64_t dim[TL_MAX_RANK];
  for (int i = 0; i < type->rank; i++) {
    dim[i] = type->dim[i].fixed;
  }
  tl_shape_rules r;
  tl_status status = tl__tensor_check(&r, "result", type->dtype, type->rank, dim);
  return status == TL_OK ? tl__tensor_name(tl__tensor_create(type->dtype, type->rank, dim), type)
                         : tl__tensor_failed(status, r.message);
}
