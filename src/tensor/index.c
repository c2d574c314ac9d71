/* Elements at indices that are data: gather and scatter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor/tensor_priv.h"

/* An operand whose axis is indexed: axes in front, the axis, axes behind. The places are an array of the axes in front,
 * those of the indices, those behind. */
typedef struct indexed {
  tl_dtype dtype;
  tl_index_mode mode;
  int64_t extent, axis_stride; /* of the operand's axis */
  int64_t count;               /* of indices, in an example */
  tl_dtype index_dtype;
  const unsigned char *indices;
  int64_t place_stride;   /* from the places of one index to those of the next */
  tl__walk front, behind; /* of the indexed axis, in an example: first what is written, then what is read */
  const void *fill;
  tl__stretch *example;
  tl__fold *add;
} indexed;

static int64_t index_at(const indexed *d, int64_t i) {
  return d->index_dtype == TL_I32 ? ((const int32_t *)(const void *)d->indices)[i]
                                  : ((const int64_t *)(const void *)d->indices)[i];
}

/* Whether there is an element for the index; moves it where the mode says so. */
static bool locate(const indexed *d, int64_t *i) {
  if (*i >= 0 && *i < d->extent) {
    return true;
  }
  *i = *i < 0 ? 0 : d->extent - 1;
  return d->mode == TL_INDEX_CLIP;
}

static tl_status check(tl_shape_rules *r, const char *op, const indexed *d, int axis) {
  for (int64_t i = 0; d->mode < TL_INDEX_DROP && i < d->count; i++) {
    int64_t at = index_at(d, i);
    if ((at < 0 || at >= d->extent) && (d->mode == TL_INDEX_CHECK || d->extent == 0)) {
      snprintf(r->message, sizeof r->message, "%s: index %lld on axis %d, which has extent %lld", op, (long long)at,
               axis, (long long)d->extent);
      return TL_INDEX_OUT_OF_RANGE;
    }
  }
  return TL_OK;
}

static tl_tensor index_init(indexed *d, const char *op, tl_tensor x, tl_tensor packed, const tl_attr *attrs,
                            int *axis) {
  *axis = (int)(attrs[0].integer + (attrs[0].integer < 0 ? x->rank : 0));
  *d = (indexed){.dtype = x->dtype,
                 .mode = (tl_index_mode)attrs[1].integer,
                 .extent = x->dim[*axis],
                 .count = packed->count,
                 .index_dtype = packed->dtype,
                 .indices = packed->data};
  tl_shape_rules r;
  tl_status status = check(&r, op, d, *axis);
  return status == TL_OK ? x : tl__tensor_failed(status, r.message);
}

/* The examples one after another, each with its own indices. */
static void examples_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  indexed *d = ctx;
  for (int64_t i = 0; i < n; i++) {
    tl__walk_run(&d->front, (unsigned char *const[]){at[0] + i * step[0], at[1] + i * step[1]}, d->example, d);
    d->indices += d->count * (int64_t)tl_dtype_size(d->index_dtype);
  }
}

static void run_examples(indexed *d, tl_tensor x, const tl_tensor *both, int axis, int common, const int64_t *dim) {
  for (int i = 0; i < common; i++) {
    d->count = x->dim[i] ? d->count / x->dim[i] : 0;
  }
  tl__walk examples;
  tl__walk_init(&d->front, axis - common, dim + common, 2,
                (const int64_t *const[]){both[0]->stride + common, both[1]->stride + common});
  tl__walk_init(&examples, common, dim, 2, (const int64_t *const[]){both[0]->stride, both[1]->stride});
  tl__walk_run(&examples, (unsigned char *const[]){both[0]->data, both[1]->data}, examples_stretch, d);
}

static void copy_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const indexed *d = ctx;
  tl__convert(d->dtype, at[0], d->dtype, at[1], step[1], n);
}

static void gather_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const indexed *d = ctx;
  bool is_run = d->behind.rank == 1 && d->behind.stride[1][0] * d->behind.dim[0] == d->place_stride;
  for (int64_t a = 0; a < n; a++) {
    unsigned char *o = at[0] + a * step[0], *x = at[1] + a * step[1];
    for (int64_t i = 0; i < d->count; i++, o += d->place_stride) {
      int64_t k = index_at(d, i);
      bool is_there = locate(d, &k);
      if (is_there && is_run) {
        memcpy(o, x + k * d->axis_stride, (size_t)d->place_stride);
      } else if (is_there) {
        tl__walk_run(&d->behind, (unsigned char *const[]){o, x + k * d->axis_stride}, copy_stretch, ctx);
      } else {
        tl__convert(d->dtype, o, d->dtype, d->fill, 0, d->place_stride / (int64_t)tl_dtype_size(d->dtype));
      }
    }
  }
}

void tl__index_fill(tl_dtype dtype, unsigned char out[8]) {
  int64_t least = 0, most;
  double nan = NAN;
  if (tl_dtype_is_float(dtype)) {
    tl__convert(dtype, out, TL_F64, &nan, 0, 1);
    return;
  }
  if (!tl_dtype_is_unsigned(dtype)) {
    tl_dtype_range(dtype, &least, &most);
  }
  tl__convert(dtype, out, TL_I64, &least, 0, 1);
}

tl_tensor tl__eager_gather(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  tl_tensor x = operands[0], indices = tl__tensor_packed(operands[1]);
  if (!indices) {
    return NULL;
  }
  indexed d;
  int axis;
  tl_tensor failed = index_init(&d, "gather", x, indices, attrs, &axis);
  if (failed != x) {
    return failed;
  }
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  unsigned char fill[8] = {0};
  if (d.mode == TL_INDEX_FILL) {
    tl__index_fill(x->dtype, fill);
  }
  d.fill = fill;
  d.axis_stride = x->stride[axis];
  int common = (int)attrs[2].integer, behind = axis + indices->rank - common, rank = x->rank - 1 - axis;
  d.place_stride = (int64_t)tl_dtype_size(x->dtype);
  for (int i = behind; i < out->rank; i++) {
    d.place_stride *= out->dim[i];
  }
  tl__walk_init(&d.behind, rank, out->dim + behind, 2,
                (const int64_t *const[]){out->stride + behind, x->stride + axis + 1});
  d.example = gather_stretch;
  run_examples(&d, x, (tl_tensor[]){out, x}, axis, common, x->dim);
  return out;
}

static void add_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const indexed *d = ctx;
  d->add(at[0], n, step[1], at[1], 1, 0);
}

static void scatter_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const indexed *d = ctx;
  for (int64_t a = 0; a < n; a++) {
    unsigned char *o = at[0] + a * step[0], *u = at[1] + a * step[1];
    for (int64_t i = 0; i < d->count; i++, u += d->place_stride) {
      int64_t k = index_at(d, i);
      if (locate(d, &k)) {
        tl__walk_run(&d->behind, (unsigned char *const[]){o + k * d->axis_stride, u}, add_stretch, ctx);
      }
    }
  }
}

tl_tensor tl__eager_scatter_add(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(TL_OP_scatter_add, operands, attrs);
  }
  /* The updates packed, as their axes of indices are walked as one. */
  tl_tensor x = operands[0], indices = tl__tensor_packed(operands[1]), updates = tl__tensor_packed(operands[2]);
  if (!indices || !updates) {
    return NULL;
  }
  indexed d;
  int axis;
  tl_tensor failed = index_init(&d, "scatter_add", x, indices, attrs, &axis);
  if (failed != x) {
    return failed;
  }
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  tl_read(x, out->data, (size_t)x->count * tl_dtype_size(x->dtype));
  d.add = tl__loops_here()->sum[x->dtype];
  d.axis_stride = d.place_stride = out->stride[axis];
  int common = (int)attrs[2].integer, behind = axis + indices->rank - common;
  tl__walk_init(&d.behind, out->rank - 1 - axis, out->dim + axis + 1, 2,
                (const int64_t *const[]){out->stride + axis + 1, updates->stride + behind});
  d.example = scatter_stretch;
  run_examples(&d, x, (tl_tensor[]){out, updates}, axis, common, x->dim);
  return out;
}

tl_tensor tl_gather(tl_tensor x, tl_tensor indices, int axis, tl_gather_opts o) {
  return tl__op(TL_OP_gather, (tl_tensor[]){x, indices},
                (tl_attr[]){{.integer = axis}, {.integer = o.mode}, {.integer = o.batch}});
}

tl_tensor tl_scatter_add(tl_tensor x, tl_tensor indices, tl_tensor updates, int axis, tl_gather_opts o) {
  return tl__op(TL_OP_scatter_add, (tl_tensor[]){x, indices, updates},
                (tl_attr[]){{.integer = axis}, {.integer = o.mode}, {.integer = o.batch}});
}
