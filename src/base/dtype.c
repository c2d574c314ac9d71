#include "base/small_float.h"

#include <assert.h>
#include <float.h>

const char *tl_dtype_name(tl_dtype d) {
  static const char *const names[] = {
#define TL_NAME(id, name, size, c) name,
      TL_DTYPE_MAP(TL_NAME)
#undef TL_NAME
  };
  return d < TL_DTYPE_COUNT ? names[d] : "?";
}

const char *tl_dtype_symbol(tl_dtype d) {
  static const char *const symbols[] = {
#define TL_SYMBOL(id, name, size, c) #id,
      TL_DTYPE_MAP(TL_SYMBOL)
#undef TL_SYMBOL
  };
  return d < TL_DTYPE_COUNT ? symbols[d] : "?";
}

size_t tl_dtype_size(tl_dtype d) {
  static const unsigned char sizes[] = {
#define TL_SIZE(id, name, size, c) size,
      TL_DTYPE_MAP(TL_SIZE)
#undef TL_SIZE
  };
  return d < TL_DTYPE_COUNT ? sizes[d] : 0;
}

int64_t tl_dtype_wrap(tl_dtype dtype, int64_t v) {
  switch (dtype) {
  case TL_BOOL:
    return v != 0;
  case TL_I8:
    return (int8_t)v;
  case TL_I16:
    return (int16_t)v;
  case TL_I32:
    return (int32_t)v;
  case TL_U8:
    return (uint8_t)v;
  case TL_U16:
    return (uint16_t)v;
  case TL_U32:
    return (uint32_t)v;
  case TL_I64:
  case TL_U64:
    return v;
  case TL_F32:
  case TL_F64:
  case TL_F80:
  case TL_F16:
  case TL_BF16:
  case TL_F8E4M3FN:
  case TL_DTYPE_COUNT:
    break;
  }
  assert(!"not an integer dtype");
  return v;
}

double tl_dtype_largest(tl_dtype d) {
  return d == TL_F32 ? FLT_MAX : d == TL_F16 ? 65504 : d == TL_BF16 ? 0x1.FEp127 : d == TL_F8E4M3FN ? 448 : DBL_MAX;
}

void tl_dtype_range(tl_dtype d, int64_t *out_least, int64_t *out_most) {
  bool is_unsigned = tl_dtype_is_unsigned(d);
  int bits = d == TL_BOOL ? 1 : 8 * (int)tl_dtype_size(d) - !is_unsigned;
  *out_most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
  *out_least = is_unsigned ? 0 : -*out_most - 1;
}

long double tl_dtype_round(tl_dtype dtype, long double v) {
  if (tl_dtype_is_stored_only(dtype)) {
    return tl__small_float_to(dtype, tl__small_float_from(dtype, (double)v));
  }
  return dtype == TL_F32 ? (long double)(float)v : dtype == TL_F64 ? (long double)(double)v : v;
}
