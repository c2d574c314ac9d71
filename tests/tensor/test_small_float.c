/* The stored formats against their definition: all patterns as numbers, and the nearest of them found by search. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/small_float.h"
#include "random.h"

typedef struct format {
  tl_dtype dtype;
  int fraction, exponent;
  uint32_t finite; /* patterns of sign 0 that are finite numbers come first: so many */
} format;
static const format formats[] = {{TL_F16, 10, 5, 0x7c00}, {TL_BF16, 7, 8, 0x7f80}, {TL_F8E4M3FN, 3, 4, 0x7f}};
enum { FORMATS = 3 };

/* The number by the definition of the format. */
static double number(const format *f, uint32_t pattern) {
  int bias = (1 << (f->exponent - 1)) - 1, e = (int)(pattern >> f->fraction);
  double fraction = (double)(pattern & ((1u << f->fraction) - 1)) / (double)(1 << f->fraction);
  return e ? (1 + fraction) * pow(2, e - bias) : fraction * pow(2, 1 - bias);
}

/* The nearest finite pattern, on a tie the even one; `finite` itself, which comes next, is where overflow begins. */
static uint32_t nearest(const format *f, double v) {
  uint32_t low = 0, high = f->finite;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    *(number(f, middle) <= v ? &low : &high) = middle;
  }
  double below = v - number(f, low), above = number(f, low + 1) - v;
  return above < below || (above == below && low % 2) ? low + 1 : low;
}

static void check(const format *f, double v) {
  uint32_t sign = 1u << (f->fraction + f->exponent), expected = nearest(f, fabs(v));
  uint16_t bits = tl__small_float_from(f->dtype, v);
  if (bits != (expected | (signbit(v) ? sign : 0))) {
    fail_msg("%s: %a gives %x, not %x", tl_dtype_name(f->dtype), v, bits, expected);
  }
}

static void test_patterns(void **state) {
  (void)state;
  for (int k = 0; k < FORMATS; k++) {
    const format *f = &formats[k];
    uint32_t sign = 1u << (f->fraction + f->exponent);
    for (uint32_t p = 0; p < sign; p++) {
      double v = tl__small_float_to(f->dtype, (uint16_t)p), w = tl__small_float_to(f->dtype, (uint16_t)(p | sign));
      if (p < f->finite) {
        assert_true(v == number(f, p) && w == -v && !signbit(v) && signbit(w));
        assert_int_equal(tl__small_float_from(f->dtype, v), p);
        assert_int_equal(tl__small_float_from(f->dtype, w), p | sign);
      } else if (p == f->finite && f->dtype != TL_F8E4M3FN) {
        assert_true(v == INFINITY && w == -INFINITY);
        assert_int_equal(tl__small_float_from(f->dtype, w), p | sign);
      } else {
        assert_true(isnan(v) && isnan(w));
        assert_true(isnan(tl__small_float_to(f->dtype, tl__small_float_from(f->dtype, v))));
      }
    }
  }
}

static void test_nearest(void **state) {
  (void)state;
  for (int k = 0; k < FORMATS; k++) {
    const format *f = &formats[k];
    for (uint32_t p = 0; p < f->finite; p++) {
      double middle = (number(f, p) + number(f, p + 1)) / 2; /* exact: a double has the bits */
      for (int side = -1; side <= 1; side++) {
        double v = side < 0 ? nextafter(middle, 0) : side ? nextafter(middle, INFINITY) : middle;
        check(f, v);
        check(f, -v);
      }
    }
    for (int i = 0; i < 200000; i++) {
      check(f, random_double(-160, 140));
    }
    check(f, 0x1p-1074);
    check(f, DBL_MAX);
    assert_true(isnan(tl__small_float_to(f->dtype, tl__small_float_from(f->dtype, NAN))));
  }
}

#ifdef __FLT16_MAX__
__extension__ typedef _Float16 half;
/* The compiler's own conversion. */
static void test_compiler(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    double v = random_double(-30, 18);
    half h = (half)v;
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    assert_int_equal(tl__small_float_from(TL_F16, v), bits);
  }
}
#endif

static void test_integers(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    uint64_t x = random_bits() >> random_below(64);
    /* A long double holds all 64 bits; rounded to odd at 53 bits by hand. */
    long double exact = (long double)x;
    int exponent;
    frexpl(exact, &exponent);
    long double unit = exponent > 53 ? ldexpl(1, exponent - 53) : 1, cut = truncl(exact / unit);
    if (cut * unit != exact && fmodl(cut, 2) == 0) {
      cut += 1;
    }
    double odd = (double)(cut * unit);
    for (int k = 0; k < FORMATS; k++) {
      assert_int_equal(tl__small_float_from(formats[k].dtype, tl__small_float_of_u64(x)),
                       tl__small_float_from(formats[k].dtype, odd));
    }
    assert_true(tl__small_float_of_i64((int64_t)(x >> 1)) == tl__small_float_of_u64(x >> 1));
    assert_true(tl__small_float_of_i64(-(int64_t)(x >> 1)) == -tl__small_float_of_u64(x >> 1));
  }
  assert_true(tl__small_float_of_i64(INT64_MIN) == -0x1p63);
  /* Rounded to double first it would be a tie, and go to the even side below. */
  uint64_t above_tie = ((uint64_t)0x81 << 56) + ((uint64_t)1 << 55) + 1;
  check(&formats[1], tl__small_float_of_u64(above_tie));
  assert_true(tl__small_float_to(TL_BF16, tl__small_float_from(TL_BF16, tl__small_float_of_u64(above_tie))) ==
              (double)((uint64_t)0x82 << 56));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_integers),
#ifdef __FLT16_MAX__
      cmocka_unit_test(test_compiler),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
