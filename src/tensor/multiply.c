/* Products of matrices: panels of columns, a few rows at a time whose sums stay in registers. */
#include <string.h>

#include "tensor/loops.h"

enum {
  DEPTH = 256,     /* of a panel */
  BLOCK = 240,     /* rows of x that stay in the second cache, as deep as a panel */
  NEAR = 1 << 15,  /* bytes of rows that are read where they lie: they are in the nearest cache anyway */
  WIDE = 3,        /* vectors of a panel */
#ifdef __AVX512F__ /* as many sums as there are registers for */
  ROWS = 8
#else
  ROWS = 4
#endif
};
#define AT(type, p) (*(const type *)(const void *)(p))

#define S int8_t
#define NAME(function) i8_##function
#include "tensor/multiply_body.inc"
#define S int16_t
#define NAME(function) i16_##function
#include "tensor/multiply_body.inc"
#define S int32_t
#define NAME(function) i32_##function
#include "tensor/multiply_body.inc"
#define S int64_t
#define NAME(function) i64_##function
#include "tensor/multiply_body.inc"
#define S float
#define NAME(function) f32_##function
#include "tensor/multiply_body.inc"
#define S double
#define NAME(function) f64_##function
#include "tensor/multiply_body.inc"

/* Modulo their width the products of unsigned numbers have the bits of those of signed ones. */
tl__multiply *const TL__AT_LEVEL(multiply)[TL_DTYPE_COUNT] = {
    [TL_I8] = i8_multiply,   [TL_U8] = i8_multiply,   [TL_I16] = i16_multiply, [TL_U16] = i16_multiply,
    [TL_I32] = i32_multiply, [TL_U32] = i32_multiply, [TL_I64] = i64_multiply, [TL_U64] = i64_multiply,
    [TL_F32] = f32_multiply, [TL_F64] = f64_multiply};
