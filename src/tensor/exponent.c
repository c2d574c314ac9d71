/* The exponentials of softmax, whose arguments are not positive, in loops that vectorise: e^x = 2^n e^r with |r| at
 * most half of ln 2, e^r by its series. In F32 the series is summed in double, so the result is the nearest number but
 * for one in some millions; in F64 it is less than one unit in the last place off. */
#include <math.h>
#include <string.h>

#include "tensor/loops.h"

#define LOG2_E 0x1.71547652b82fep0
#define LN2_HIGH 0x1.62e42fefa0000p-1
#define LN2_LOW 0x1.cf79abc9e3b3ap-40
/* A double that is this plus an integer has the integer in its low bits. */
#define INTEGER_BITS 0x1.8p52

typedef union bits {
  double number;
  uint64_t bits;
} bits;

/* Of v in (-746, 0], or NaN. */
static inline double exp_of_negative(double v) {
  bits n = {v * LOG2_E + INTEGER_BITS};
  double whole = n.number - INTEGER_BITS;
  double r = v - whole * LN2_HIGH, low = whole * LN2_LOW;
  double t = r - low;
  double p = 1.0 / 6227020800;
  p = p * t + 1.0 / 479001600;
  p = p * t + 1.0 / 39916800;
  p = p * t + 1.0 / 3628800;
  p = p * t + 1.0 / 362880;
  p = p * t + 1.0 / 40320;
  p = p * t + 1.0 / 5040;
  p = p * t + 1.0 / 720;
  p = p * t + 1.0 / 120;
  p = p * t + 1.0 / 24;
  p = p * t + 1.0 / 6;
  p = p * t + 0.5;
  p = 1 + (r + (p * t * t - low));
  /* 2^n in two steps, of which the second rounds a subnormal number. */
  bits scale = {.bits = (n.bits + 1023 + 60) << 52};
  return p * scale.number * 0x1p-60;
}

static inline float exp_of_negative_in_float(float x) {
  double v = (double)x;
  bits n = {v * LOG2_E + INTEGER_BITS};
  double whole = n.number - INTEGER_BITS, t = v - whole * (LN2_HIGH + LN2_LOW);
  double p = 1.0 / 362880;
  p = p * t + 1.0 / 40320;
  p = p * t + 1.0 / 5040;
  p = p * t + 1.0 / 720;
  p = p * t + 1.0 / 120;
  p = p * t + 1.0 / 24;
  p = p * t + 1.0 / 6;
  p = p * t + 0.5;
  p = p * t + 1;
  p = p * t + 1;
  bits scale = {.bits = (n.bits + 1023) << 52};
  return (float)(p * scale.number);
}

/* NaN fails the comparison and stays. */
#define DEFINE(name, type, least, function)                                                                            \
  static void name(void *out, int64_t width, int64_t across, const unsigned char *x, const void *largest,              \
                   bool has_one_largest) {                                                                             \
    type *restrict o = out;                                                                                            \
    const type *restrict m = largest;                                                                                  \
    if (has_one_largest && across == sizeof(type)) {                                                                   \
      type most = *m;                                                                                                  \
      for (int64_t i = 0; i < width; i++) {                                                                            \
        type v = ((const type *)(const void *)x)[i] - most;                                                            \
        o[i] = function(v < (least) ? (least) : v);                                                                    \
      }                                                                                                                \
    } else {                                                                                                           \
      for (int64_t i = 0; i < width; i++) {                                                                            \
        type v = *(const type *)(const void *)(x + i * across) - (has_one_largest ? *m : m[i]);                        \
        o[i] = function(v < (least) ? (least) : v);                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
  }
DEFINE(exponents_f32, float, -104.0F, exp_of_negative_in_float)
DEFINE(exponents_f64, double, -746.0, exp_of_negative)

tl__exponents *const TL__AT_LEVEL(exponents)[TL_DTYPE_COUNT] = {[TL_F32] = exponents_f32, [TL_F64] = exponents_f64};
