/* The elementwise ops on stretches of elements, from the meanings of ops.def. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/small_float.h"
#include "ops/special.h"
#include "tensor/loops.h"

/* Of a meaning that reads one operand the others are not there, and a test for truth may always be true. */
#pragma GCC diagnostic ignored "-Wunused-variable"

/* As the sign that lgamma stores is every thread's. */
#define lgammaf(x) lgammaf_r(x, &(int){0})
#define lgamma(x) lgamma_r(x, &(int){0})

#define S float
#define NAME(op) f32_##op
#define IS_FLOAT 1
#define M(name) name##f
#include "tensor/kernels_body.inc"
#undef M
#define S double
#define NAME(op) f64_##op
#define IS_FLOAT 1
#define M(name) name
#include "tensor/kernels_body.inc"
#undef M
#define IS_FLOAT 0
#define S int8_t
#define NAME(op) i8_##op
#include "tensor/kernels_body.inc"
#define IS_FLOAT 0
#define S int16_t
#define NAME(op) i16_##op
#include "tensor/kernels_body.inc"
#define IS_FLOAT 0
#define S int32_t
#define NAME(op) i32_##op
#include "tensor/kernels_body.inc"
#define IS_FLOAT 0
#define S int64_t
#define NAME(op) i64_##op
#include "tensor/kernels_body.inc"
#define IS_FLOAT 0
#define S uint8_t
#define NAME(op) u8_##op
#include "tensor/kernels_body.inc"
#define IS_FLOAT 0
#define S uint16_t
#define NAME(op) u16_##op
#include "tensor/kernels_body.inc"
#define IS_FLOAT 0
#define S uint32_t
#define NAME(op) u32_##op
#include "tensor/kernels_body.inc"
#define IS_FLOAT 0
#define S uint64_t
#define NAME(op) u64_##op
#include "tensor/kernels_body.inc"

/* What C leaves undefined has a meaning for elements; see tensor.h. */
#define CHECKED(type, prefix, zero_or_sign)                                                                            \
  static type prefix##_quotient(type x, type y) {                                                                      \
    return y == 0 ? (type) - 1 : (type) - 1 < (type)1 && y == (type) - 1 ? (type)(0 - (uint64_t)x) : (type)(x / y);    \
  }                                                                                                                    \
  static type prefix##_remainder(type x, type y) {                                                                     \
    return y == 0 ? x : (type) - 1 < (type)1 && y == (type) - 1 ? (type)0 : (type)(x % y);                             \
  }                                                                                                                    \
  static type prefix##_left(type x, type y) {                                                                          \
    return (uint64_t)y < 8 * sizeof(type) ? (type)((uint64_t)x << y) : (type)0;                                        \
  }                                                                                                                    \
  static type prefix##_right(type x, type y) {                                                                         \
    return (uint64_t)y < 8 * sizeof(type) ? (type)(x >> y) : (zero_or_sign);                                           \
  }                                                                                                                    \
  CHECKED_LOOP(type, prefix, quotient)                                                                                 \
  CHECKED_LOOP(type, prefix, remainder) CHECKED_LOOP(type, prefix, left) CHECKED_LOOP(type, prefix, right)
#define CHECKED_LOOP(type, prefix, what)                                                                               \
  static void prefix##_checked_##what(int64_t n, unsigned char *const at[], const int64_t step[]) {                    \
    type *restrict o = (type *)(void *)at[0];                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      o[i] = prefix##_##what(*(const type *)(const void *)(at[1] + i * step[1]),                                       \
                             *(const type *)(const void *)(at[2] + i * step[2]));                                      \
    }                                                                                                                  \
  }
CHECKED(int8_t, i8, x < 0 ? -1 : 0)
CHECKED(int16_t, i16, x < 0 ? -1 : 0)
CHECKED(int32_t, i32, x < 0 ? -1 : 0)
CHECKED(int64_t, i64, x < 0 ? -1 : 0)
CHECKED(uint8_t, u8, 0)
CHECKED(uint16_t, u16, 0)
CHECKED(uint32_t, u32, 0)
CHECKED(uint64_t, u64, 0)

/* An i1 is a byte that is 0 or 1: the ops on uint8_t serve, but for those whose result leaves that. */
static void bool_add(int64_t n, unsigned char *const at[], const int64_t step[]) { u8_or(n, at, step); }
static void bool_mul(int64_t n, unsigned char *const at[], const int64_t step[]) { u8_and(n, at, step); }

static tl__kernel *bool_kernel(tl_opcode code) {
  return code == TL_OP_add ? bool_add : code == TL_OP_mul ? bool_mul : code == TL_OP_bitnot ? u8_not : u8_kernels[code];
}

/* One condition, then two operands of any type: bytes are chosen. */
#define DEFINE_WHERE(type)                                                                                             \
  static void type##_where(int64_t n, unsigned char *const at[], const int64_t step[]) {                               \
    type *restrict o = (type *)(void *)at[0];                                                                          \
    const unsigned char *c = at[1], *x = at[2], *y = at[3];                                                            \
    if (step[1] == 1 && step[2] == sizeof(type) && step[3] == sizeof(type)) {                                          \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        type a = ((const type *)(const void *)x)[i], b = ((const type *)(const void *)y)[i];                           \
        o[i] = c[i] ? a : b;                                                                                           \
      }                                                                                                                \
    } else {                                                                                                           \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        type a = *(const type *)(const void *)(x + i * step[2]), b = *(const type *)(const void *)(y + i * step[3]);   \
        o[i] = c[i * step[1]] ? a : b;                                                                                 \
      }                                                                                                                \
    }                                                                                                                  \
  }
DEFINE_WHERE(uint8_t)
DEFINE_WHERE(uint16_t)
DEFINE_WHERE(uint32_t)
DEFINE_WHERE(uint64_t)

tl__kernel *TL__AT_LEVEL(where_of)(tl_dtype dtype) {
  switch (tl_dtype_size(dtype)) {
  case 1:
    return uint8_t_where;
  case 2:
    return uint16_t_where;
  case 4:
    return uint32_t_where;
  case 8:
    return uint64_t_where;
  }
  assert(!"a size of a dtype");
  return NULL;
}

tl__kernel *TL__AT_LEVEL(kernel_of)(tl_opcode code, tl_dtype dtype) {
  switch (dtype) {
  case TL_BOOL:
    return bool_kernel(code);
#define INTEGER(d, prefix)                                                                                             \
  case d:                                                                                                              \
    return code == TL_OP_div   ? prefix##_checked_quotient                                                             \
           : code == TL_OP_rem ? prefix##_checked_remainder                                                            \
           : code == TL_OP_shl ? prefix##_checked_left                                                                 \
           : code == TL_OP_shr ? prefix##_checked_right                                                                \
                               : prefix##_kernels[code];
    INTEGER(TL_I8, i8)
    INTEGER(TL_I16, i16)
    INTEGER(TL_I32, i32)
    INTEGER(TL_I64, i64)
    INTEGER(TL_U8, u8)
    INTEGER(TL_U16, u16)
    INTEGER(TL_U32, u32)
    INTEGER(TL_U64, u64)
  case TL_F32:
    return f32_kernels[code];
  case TL_F64:
    return f64_kernels[code];
  case TL_F80:
  case TL_F16: /* computed in float */
  case TL_BF16:
  case TL_F8E4M3FN:
  case TL_DTYPE_COUNT:
    break;
  }
  return NULL;
}
