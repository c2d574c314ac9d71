/* Conversions between dtypes, a loop for each pair of C types; the small formats go through double, which holds each of
 * their numbers and rounds to them once. */
#include <assert.h>
#include <string.h>

#include "base/small_float.h"
#include "tensor/loops.h"

/* Toward zero, into the type's range: `most` + 1 is a power of 2, which both floating types hold. */
#define SATURATE(type, v)                                                                                              \
  ((v) != (v)             ? (type)0                                                                                    \
   : (type) - 1 < (type)1 ? ((v) < -BEYOND(type)   ? LEAST(type)                                                       \
                             : (v) >= BEYOND(type) ? MOST(type)                                                        \
                                                   : (type)(v))                                                        \
                          : ((v) <= -1             ? (type)0                                                           \
                             : (v) >= BEYOND(type) ? MOST(type)                                                        \
                                                   : (type)(v)))
#define BITS(type) (8 * sizeof(type) - ((type) - 1 < (type)1))
#define BEYOND(type) (2.0 * (double)((uint64_t)1 << (BITS(type) - 1)))
#define MOST(type) ((type)(UINT64_MAX >> (64 - BITS(type))))
#define LEAST(type) ((type)(-(int64_t)MOST(type) - 1))

/* The compiler vectorises the loop over consecutive elements. */
#define LOOP(from, expression)                                                                                         \
  if (step == sizeof(from)) {                                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      from v = ((const from *)(const void *)x)[i];                                                                     \
      o[i] = (expression);                                                                                             \
    }                                                                                                                  \
  } else {                                                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      from v = *(const from *)(const void *)(x + i * step);                                                            \
      o[i] = (expression);                                                                                             \
    }                                                                                                                  \
  }                                                                                                                    \
  return;
/* `number` is the type that is converted to. */
#define CASE_CAST(d, from)                                                                                             \
  case d:                                                                                                              \
    LOOP(from, (number)v)
#define CASE_SATURATE(d, from)                                                                                         \
  case d:                                                                                                              \
    LOOP(from, SATURATE(number, v))
#define NONE                                                                                                           \
  case TL_F80:                                                                                                         \
  case TL_F16:                                                                                                         \
  case TL_BF16:                                                                                                        \
  case TL_F8E4M3FN:                                                                                                    \
  case TL_DTYPE_COUNT:                                                                                                 \
    break;

#define TO_INTEGER(d, type)                                                                                            \
  static void to_##d(type *restrict o, tl_dtype from, const unsigned char *x, int64_t step, int64_t n) {               \
    typedef type number;                                                                                               \
    switch (from) {                                                                                                    \
    case TL_BOOL:                                                                                                      \
      LOOP(_Bool, (number)v) TL__INTEGERS(CASE_CAST) TL__FLOATS(CASE_SATURATE) NONE                                    \
    }                                                                                                                  \
    assert(!"no dtype to convert from");                                                                               \
  }
#define TO_FLOAT(d, type)                                                                                              \
  static void to_##d(type *restrict o, tl_dtype from, const unsigned char *x, int64_t step, int64_t n) {               \
    typedef type number;                                                                                               \
    switch (from) {                                                                                                    \
    case TL_BOOL:                                                                                                      \
      LOOP(_Bool, (number)v) TL__INTEGERS(CASE_CAST) TL__FLOATS(CASE_CAST) NONE                                        \
    }                                                                                                                  \
    assert(!"no dtype to convert from");                                                                               \
  }
/* One by one, as a macro is not expanded within itself. */
TO_INTEGER(TL_I8, int8_t)
TO_INTEGER(TL_I16, int16_t)
TO_INTEGER(TL_I32, int32_t)
TO_INTEGER(TL_I64, int64_t)
TO_INTEGER(TL_U8, uint8_t)
TO_INTEGER(TL_U16, uint16_t)
TO_INTEGER(TL_U32, uint32_t)
TO_INTEGER(TL_U64, uint64_t)
TO_FLOAT(TL_F32, float)
TO_FLOAT(TL_F64, double)

#define CASE_TRUTH(d, from)                                                                                            \
  case d:                                                                                                              \
    LOOP(from, v != 0)
static void to_bool(_Bool *restrict o, tl_dtype from, const unsigned char *x, int64_t step, int64_t n) {
  switch (from) {
  case TL_BOOL:
    LOOP(_Bool, v)
    TL__INTEGERS(CASE_TRUTH)
    TL__FLOATS(CASE_TRUTH)
    NONE
  }
  assert(!"no dtype to convert from");
}

static double small_load(tl_dtype d, const unsigned char *x) {
  uint16_t bits = *x;
  if (d != TL_F8E4M3FN) {
    memcpy(&bits, x, sizeof bits);
  }
  return tl__small_float_to(d, bits);
}

static void small_store(tl_dtype d, unsigned char *o, double v) {
  uint16_t bits = tl__small_float_from(d, v);
  if (d == TL_F8E4M3FN) {
    *o = (unsigned char)bits;
  } else {
    memcpy(o, &bits, sizeof bits);
  }
}

/* Doubles that round to the small formats as the elements do. */
static void to_wide(double *o, tl_dtype from, const unsigned char *x, int64_t step, int64_t n) {
  if (from == TL_I64) {
    LOOP(int64_t, tl__small_float_of_i64(v))
  }
  if (from == TL_U64) {
    LOOP(uint64_t, tl__small_float_of_u64(v))
  }
  to_TL_F64(o, from, x, step, n);
}

enum { CHUNK = 128 };

void TL__AT_LEVEL(convert)(tl_dtype to, void *out, tl_dtype from, const void *source, int64_t step, int64_t n) {
  const unsigned char *x = source;
  int64_t size = (int64_t)tl_dtype_size(to);
  if (to == from && step == size) {
    memcpy(out, x, (size_t)(n * size));
    return;
  }
  if (to == from && size <= 2 && tl_dtype_is_stored_only(to)) { /* the bits, a NaN's too */
    tl_dtype bits = size == 1 ? TL_U8 : TL_U16;
    TL__AT_LEVEL(convert)(bits, out, bits, x, step, n);
    return;
  }
  if (tl_dtype_is_stored_only(from) || tl_dtype_is_stored_only(to)) {
    double wide[CHUNK];
    for (int64_t at = 0; at < n; at += CHUNK) {
      int64_t count = n - at < CHUNK ? n - at : CHUNK;
      unsigned char *o = (unsigned char *)out + at * size;
      if (tl_dtype_is_stored_only(from)) {
        for (int64_t i = 0; i < count; i++) {
          wide[i] = small_load(from, x + (at + i) * step);
        }
      } else {
        to_wide(wide, from, x + at * step, step, count);
      }
      if (tl_dtype_is_stored_only(to)) {
        for (int64_t i = 0; i < count; i++) {
          small_store(to, o + i * size, wide[i]);
        }
      } else {
        TL__AT_LEVEL(convert)(to, o, TL_F64, wide, sizeof *wide, count);
      }
    }
    return;
  }
  switch (to) {
  case TL_BOOL:
    to_bool(out, from, x, step, n);
    return;
#define CALL(d, type)                                                                                                  \
  case d:                                                                                                              \
    to_##d(out, from, x, step, n);                                                                                     \
    return;
    TL__INTEGERS(CALL)
    TL__FLOATS(CALL)
    NONE
  }
  assert(!"no dtype to convert to");
}
