/* The elementwise ops on scalars. The meanings are those of ops.def, compiled once per type. Compiled with wrapping
 * signed arithmetic. */
#include <assert.h>
#include <math.h>

#include "interp/internal.h"
#include "ops/special.h"

#define NAME eval_f32
#define S float
#define FIELD f32
#define M(name) name##f
#include "interp/float_body.inc"

#define NAME eval_f64
#define S double
#define FIELD f64
#define M(name) name
#include "interp/float_body.inc"

#define NAME eval_f80
#define S long double
#define FIELD f80
#define M(name) name##l
#include "interp/float_body.inc"

#define NAME eval_signed
#define S int64_t
#include "interp/integer_body.inc"

#define NAME eval_unsigned
#define S uint64_t
#include "interp/integer_body.inc"

static const char *eval_integer(tl_opcode code, tl_dtype dtype, tl_dtype result, int64_t x, int64_t y, int64_t *out) {
  int64_t bits = dtype == TL_BOOL ? 1 : 8 * (int64_t)tl_dtype_size(dtype);
  if ((code == TL_OP_div || code == TL_OP_rem) && y == 0) {
    return "integer division by zero";
  }
  if ((code == TL_OP_shl || code == TL_OP_shr) && (y < 0 || y >= bits)) {
    return "a shift by more than the width";
  }
  int64_t r;
  if ((code == TL_OP_div || code == TL_OP_rem) && y == -1 && !tl_dtype_is_unsigned(dtype)) {
    r = code == TL_OP_rem ? 0 : (int64_t)(0 - (uint64_t)x);
  } else if (code == TL_OP_bitnot && dtype == TL_BOOL) {
    r = !x;
  } else if (tl_dtype_is_unsigned(dtype)) {
    r = eval_unsigned(code, (uint64_t)x, (uint64_t)y);
  } else {
    r = eval_signed(code, x, y);
  }
  *out = tl_dtype_wrap(result, r);
  return NULL;
}

/* Toward zero; out of range, where C leaves it undefined, the smallest 64-bit integer. */
static int64_t to_integer(tl_dtype dtype, long double v) {
  if (dtype == TL_BOOL) {
    return v != 0;
  }
  if (dtype == TL_U64 && v > -1.0L && v < 0x1p64L) {
    return (int64_t)(uint64_t)v;
  }
  return tl_dtype_wrap(dtype, v >= -0x1p63L && v < 0x1p63L ? (int64_t)v : INT64_MIN);
}

long double tl__scalar_number(tl_dtype dtype, tl_interp_scalar x) {
  if (tl_dtype_is_float(dtype)) {
    return dtype == TL_F32 ? (long double)x.f32 : dtype == TL_F64 ? (long double)x.f64 : x.f80;
  }
  return dtype == TL_U64 ? (long double)(uint64_t)x.integer : (long double)x.integer;
}

tl_interp_scalar tl__scalar_of(tl_dtype dtype, long double x) {
  if (dtype == TL_F32) {
    return (tl_interp_scalar){.f32 = (float)x};
  }
  if (dtype == TL_F64) {
    return (tl_interp_scalar){.f64 = (double)x};
  }
  if (tl_dtype_is_float(dtype)) { /* a constant of a format that only tensors have too */
    return (tl_interp_scalar){.f80 = x};
  }
  return (tl_interp_scalar){.integer = dtype == TL_U64 ? (int64_t)(uint64_t)x : (int64_t)x};
}

static tl_interp_scalar convert(tl_dtype from, tl_dtype to, tl_interp_scalar x, bool f32) {
  long double v = tl__scalar_number(from, x);
  if (tl_dtype_is_float(to)) {
    return tl__scalar_of(to, f32 && to == TL_F64 ? (long double)(float)v : v);
  }
  return (tl_interp_scalar){.integer = tl_dtype_is_float(from) ? to_integer(to, v) : tl_dtype_wrap(to, x.integer)};
}

tl_interp_scalar tl__scalar_round(tl_dtype dtype, tl_interp_scalar v, bool f32) {
  if (f32 && dtype == TL_F64) {
    v.f64 = (double)(float)v.f64;
  }
  return v;
}

const char *tl_interp_elementwise(tl_opcode code, const tl_dtype *dtypes, tl_dtype result,
                                  const tl_interp_scalar *operands, bool f32, tl_interp_scalar *out) {
  const tl_op_info *row = &tl_op_table[code];
  assert(row->elementwise);
  tl_interp_scalar a[3] = {{0}, {0}, {0}};
  for (int i = 0; i < row->arity; i++) {
    a[i] = operands[i];
  }
  if (row->operands == TL_OPERANDS_ANY) {
    *out = convert(dtypes[0], result, a[0], f32);
    return NULL;
  }
  if (row->operands == TL_OPERANDS_SELECT) {
    *out = a[0].integer ? a[1] : a[2];
    return NULL;
  }
  tl_dtype dtype = dtypes[row->operands == TL_OPERANDS_INT_FLT ? 1 : 0];
  if (!tl_dtype_is_float(dtype)) {
    return eval_integer(code, dtype, result, a[0].integer, a[1].integer, &out->integer);
  }
  tl_interp_scalar r = {0};
  if (dtype == TL_F64 && f32) {
    for (int i = 0; i < row->arity; i++) {
      if (dtypes[i] == TL_F64) {
        a[i].f32 = (float)a[i].f64;
      }
    }
    eval_f32(code, a, &r);
    if (result == TL_F64) {
      r.f64 = (double)r.f32;
    }
  } else if (dtype == TL_F32) {
    eval_f32(code, a, &r);
  } else if (dtype == TL_F64) {
    eval_f64(code, a, &r);
  } else {
    eval_f80(code, a, &r);
  }
  *out = r;
  return NULL;
}
