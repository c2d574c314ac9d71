/* Elements taken into others, one by one: what scatters and sums of windows do where they meet. */
#include "tensor/tensor_priv.h"

#define AT(type, p) (*(type *)(void *)(p))
/* Through 64 bits without a sign, so that every integer wraps. */
#define ADD_INTEGER(type, a, b) ((type)((uint64_t)(a) + (uint64_t)(b)))
#define MUL_INTEGER(type, a, b) ((type)((uint64_t)(a) * (uint64_t)(b)))
#define ADD_FLOAT(type, a, b) ((a) + (b))
#define MUL_FLOAT(type, a, b) ((a) * (b))
#define OR(type, a, b) ((a) | (b))
#define AND(type, a, b) ((a) & (b))
#define SMALLER(type, a, b) ((b) < (a) || (b) != (b) ? (b) : (a))
#define LARGER(type, a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define LATER(type, a, b) (b)

#define DEFINE(name, type, TAKE)                                                                                       \
  static void name(int64_t n, unsigned char *o, int64_t o_step, const unsigned char *x, int64_t x_step) {              \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      AT(type, o + i * o_step) = TAKE(type, AT(type, o + i * o_step), AT(const type, x + i * x_step));                 \
    }                                                                                                                  \
  }
#define DEFINE_ALL(name, type, ADD, MUL)                                                                               \
  DEFINE(add_##name, type, ADD)                                                                                        \
  DEFINE(mul_##name, type, MUL)                                                                                        \
  DEFINE(min_##name, type, SMALLER)                                                                                    \
  DEFINE(max_##name, type, LARGER)                                                                                     \
  DEFINE(replace_##name, type, LATER)
DEFINE_ALL(i8, int8_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(i16, int16_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(i32, int32_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(i64, int64_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(u8, uint8_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(u16, uint16_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(u32, uint32_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(u64, uint64_t, ADD_INTEGER, MUL_INTEGER)
DEFINE_ALL(i1, uint8_t, OR, AND)
DEFINE_ALL(f32, float, ADD_FLOAT, MUL_FLOAT)
DEFINE_ALL(f64, double, ADD_FLOAT, MUL_FLOAT)

#define ROW(id, name)                                                                                                  \
  [id] = {[TL_REDUCE_ADD] = add_##name,                                                                                \
          [TL_REDUCE_MUL] = mul_##name,                                                                                \
          [TL_REDUCE_MIN] = min_##name,                                                                                \
          [TL_REDUCE_MAX] = max_##name,                                                                                \
          [TL_REDUCE_REPLACE] = replace_##name},
tl__combine *tl__combine_of(tl_reducer reducer, tl_dtype dtype) {
  static tl__combine *const table[TL_DTYPE_COUNT][TL_REDUCE_REPLACE + 1] = {
      ROW(TL_BOOL, i1) ROW(TL_I8, i8) ROW(TL_I16, i16) ROW(TL_I32, i32) ROW(TL_I64, i64) ROW(TL_U8, u8) ROW(TL_U16, u16)
          ROW(TL_U32, u32) ROW(TL_U64, u64) ROW(TL_F32, f32) ROW(TL_F64, f64)};
  return table[dtype][reducer];
}
