/* Bits and signs of elements, and their places. */
#include <math.h>
#include <string.h>

#include "tensor/tensor_priv.h"

static bool has_elements(tl_tensor t) { return t && t->status == TL_OK && t->count > 0; }

/* ---- bits as another dtype ---- */

tl_tensor tl__eager_bitcast(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)attrs;
  tl_tensor x = tl__tensor_packed(operands[0]), out = tl__tensor_of(type);
  if (!x) {
    return NULL;
  }
  if (has_elements(out)) {
    memcpy(out->data, x->data, (size_t)out->count * tl_dtype_size(out->dtype));
  }
  return out;
}

/* ---- places ---- */

tl_tensor tl__eager_positions(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)operands;
  tl_tensor out = tl__tensor_of(type);
  if (has_elements(out)) {
    int axis = (int)((attrs[0].integer + type->rank) % type->rank);
    int64_t *o = (int64_t *)(void *)out->data;
    int64_t behind = out->stride[axis] / (int64_t)sizeof *o, extent = out->dim[axis];
    for (int64_t i = 0; i < out->count; i++) {
      o[i] = i / behind % extent;
    }
  }
  return out;
}

/* ---- one element at a time ---- */

typedef struct each {
  tl_opcode code;
  tl_dtype dtype;
} each;

static int64_t integer_of(tl_dtype d, const unsigned char *x) {
  int64_t v = 0;
  tl__convert(TL_I64, &v, d, x, 0, 1);
  return v;
}

static void run_integer(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const each *e = ctx;
  int bits = 8 * (int)tl_dtype_size(e->dtype);
  uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  for (int64_t i = 0; i < n; i++) {
    int64_t v = integer_of(e->dtype, at[1] + i * step[1]), r;
    uint64_t u = (uint64_t)v & mask;
    if (e->code == TL_OP_popcnt) {
      r = __builtin_popcountll(u);
    } else if (e->code == TL_OP_clz) {
      r = u ? __builtin_clzll(u) - (64 - bits) : bits;
    } else {
      r = tl_dtype_is_unsigned(e->dtype) ? u != 0 : (v > 0) - (v < 0);
    }
    tl__convert(e->dtype, at[0] + i * step[0], TL_I64, &r, 0, 1);
  }
}

static double sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : v; }

static void run_sign(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const each *e = ctx;
  for (int64_t i = 0; i < n; i++) {
    double v;
    tl__convert(TL_F64, &v, e->dtype, at[1] + i * step[1], 0, 1);
    v = sign_of(v);
    tl__convert(e->dtype, at[0] + i * step[0], TL_F64, &v, 0, 1);
  }
}

static tl_tensor elementwise(tl_tensor x, const tl_tensor_type *type, tl__stretch *run, void *ctx) {
  tl_tensor out = tl__tensor_of(type);
  if (has_elements(out)) {
    tl__walk w;
    tl__walk_init(&w, x->rank, x->dim, 2, (const int64_t *const[]){out->stride, x->stride});
    tl__walk_run(&w, (unsigned char *const[]){out->data, x->data}, run, ctx);
  }
  return out;
}

tl_tensor tl__eager_sign(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)attrs;
  each e = {TL_OP_sign, type->dtype};
  return elementwise(*x, type, tl_dtype_is_float(type->dtype) ? run_sign : run_integer, &e);
}

tl_tensor tl__eager_popcnt(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)attrs;
  return elementwise(*x, type, run_integer, &(each){TL_OP_popcnt, type->dtype});
}

tl_tensor tl__eager_clz(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)attrs;
  return elementwise(*x, type, run_integer, &(each){TL_OP_clz, type->dtype});
}

/* ---- fewer bits ---- */

typedef struct precision {
  tl_dtype dtype;
  int exponent, mantissa; /* bits, no more than a double has */
  bool is_narrower;       /* fewer bits of exponent than the dtype has */
} precision;

/* To the nearest, even; with the exponents of IEEE. Where these are fewer than the dtype's, what would be subnormal is
 * 0; else the dtype's subnormal numbers stay such. */
static double reduced(const precision *p, double v) {
  if (!isfinite(v) || v == 0) {
    return v;
  }
  int most = (1 << (p->exponent - 1)) - 1, e = ilogb(v);
  int unit = (e < 1 - most && !p->is_narrower ? 1 - most : e) - p->mantissa;
  double r = scalbn(rint(scalbn(v, -unit)), unit); /* exact but for the rounding */
  if (r == 0 || ilogb(r) > most) {
    return r == 0 ? r : copysign(INFINITY, v);
  }
  return p->is_narrower && ilogb(r) < 1 - most ? copysign(0, v) : r;
}

static void run_precision(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const precision *p = ctx;
  for (int64_t i = 0; i < n; i++) {
    double v;
    tl__convert(TL_F64, &v, p->dtype, at[1] + i * step[1], 0, 1);
    v = reduced(p, v);
    tl__convert(p->dtype, at[0] + i * step[0], TL_F64, &v, 0, 1);
  }
}

tl_tensor tl__eager_reduce_precision(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  static const struct {
    int exponent, mantissa;
  } bits[TL_DTYPE_COUNT] = {
      [TL_F64] = {11, 52}, [TL_F32] = {8, 23}, [TL_F16] = {5, 10}, [TL_BF16] = {8, 7}, [TL_F8E4M3FN] = {4, 3}};
  int exponent = bits[type->dtype].exponent, mantissa = bits[type->dtype].mantissa;
  if (attrs[0].integer >= exponent && attrs[1].integer >= mantissa) { /* changes nothing */
    return tl__tensor_view(*x, type->rank, (*x)->dim, (*x)->stride);
  }
  bool is_narrower = attrs[0].integer < exponent;
  precision p = {type->dtype, is_narrower ? (int)attrs[0].integer : exponent,
                 attrs[1].integer < mantissa ? (int)attrs[1].integer : mantissa, is_narrower};
  return elementwise(*x, type, run_precision, &p);
}

tl_tensor tl_positions(tl_tensor x, int axis) { return tl__op(TL_OP_positions, &x, &(tl_attr){.integer = axis}); }
tl_tensor tl_bitcast(tl_tensor x, tl_dtype dtype) { return tl__op(TL_OP_bitcast, &x, &(tl_attr){.integer = dtype}); }
tl_tensor tl_sign(tl_tensor x) { return tl__op(TL_OP_sign, &x, NULL); }
tl_tensor tl_popcnt(tl_tensor x) { return tl__op(TL_OP_popcnt, &x, NULL); }
tl_tensor tl_clz(tl_tensor x) { return tl__op(TL_OP_clz, &x, NULL); }
tl_tensor tl_reduce_precision(tl_tensor x, tl_reduce_precision_opts o) {
  return tl__op(TL_OP_reduce_precision, &x, (tl_attr[]){{.integer = o.exponent}, {.integer = o.mantissa}});
}
