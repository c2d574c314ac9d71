#include "base/small_float.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct format {
  int fraction; /* bits */
  int exponent; /* bits */
  bool has_infinity;
} format;

static format format_of(tl_dtype d) {
  assert(tl_dtype_is_stored_only(d));
  return d == TL_F16    ? (format){.fraction = 10, .exponent = 5, .has_infinity = true}
         : d == TL_BF16 ? (format){.fraction = 7, .exponent = 8, .has_infinity = true}
                        : (format){.fraction = 3, .exponent = 4, .has_infinity = false};
}

static int bias_of(format f) { return (1 << (f.exponent - 1)) - 1; }

/* The first pattern that is no finite number: the infinity, or the one NaN, which is all ones. */
static uint32_t first_special(format f) {
  return (((1u << f.exponent) - 1) << f.fraction) | (f.has_infinity ? 0 : (1u << f.fraction) - 1);
}

uint16_t tl__small_float_from(tl_dtype d, double v) {
  format f = format_of(d);
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  uint32_t sign = (uint32_t)(bits >> 63) << (f.fraction + f.exponent), special = first_special(f);
  if (isnan(v)) {
    return (uint16_t)(sign | special | (f.has_infinity ? 1u << (f.fraction - 1) : 0));
  }
  int biased = (int)(bits >> 52 & 0x7ff);
  if (biased == 0) {
    return (uint16_t)sign; /* a subnormal double is far below half of the least number of each format */
  }
  /* v = significand * 2^(biased - 1075). Of its 53 bits those below the format's last are rounded off; where v is
   * subnormal in the format there are more of them. */
  uint64_t significand = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
  int exponent = biased - 1023 + bias_of(f); /* the format's exponent field, if v is normal in it */
  int dropped = 52 - f.fraction + (exponent < 1 ? 1 - exponent : 0);
  if (dropped > 53) {
    return (uint16_t)sign; /* less than half of the least number */
  }
  uint64_t kept = significand >> dropped, rest = significand & (((uint64_t)1 << dropped) - 1);
  uint64_t half = (uint64_t)1 << (dropped - 1);
  kept += rest > half || (rest == half && (kept & 1));
  /* A carry out of the fraction goes into the exponent, as it should. */
  uint64_t magnitude = exponent < 1 ? kept : kept + ((uint64_t)(exponent - 1) << f.fraction);
  return (uint16_t)(sign | (magnitude < special ? (uint32_t)magnitude : special));
}

double tl__small_float_to(tl_dtype d, uint16_t bits) {
  format f = format_of(d);
  uint32_t magnitude = bits & ((1u << (f.fraction + f.exponent)) - 1), special = first_special(f);
  double v;
  if (magnitude >= special) {
    v = f.has_infinity && magnitude == special ? INFINITY : NAN;
  } else {
    int exponent = (int)(magnitude >> f.fraction);
    uint32_t fraction = magnitude & ((1u << f.fraction) - 1);
    v = exponent ? ldexp((double)(fraction | 1u << f.fraction), exponent - bias_of(f) - f.fraction)
                 : ldexp((double)fraction, 1 - bias_of(f) - f.fraction);
  }
  return bits >> (f.fraction + f.exponent) & 1 ? -v : v;
}

double tl__small_float_of_u64(uint64_t x) { return (double)(x >> 53 ? (x >> 11 | ((x & 0x7ff) != 0)) << 11 : x); }

double tl__small_float_of_i64(int64_t x) {
  double magnitude = tl__small_float_of_u64(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
  return x < 0 ? -magnitude : magnitude;
}
