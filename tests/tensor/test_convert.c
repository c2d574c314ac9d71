/* tl_cast between every two dtypes, against its contract in long double, which holds every number of each. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/dtype.h"
#include "base/small_float.h"
#include "random.h"
#include "tlaloc/tensor.h"

enum { COUNT = 600 };

static bool has_tensors(int d) { return d != TL_F80; }

static long double load(tl_dtype d, const void *data, int i) {
  switch (d) {
#define LOAD(id, type)                                                                                                 \
  case id:                                                                                                             \
    return (long double)((const type *)data)[i];
    LOAD(TL_BOOL, _Bool)
    LOAD(TL_I8, int8_t)
    LOAD(TL_I16, int16_t)
    LOAD(TL_I32, int32_t)
    LOAD(TL_I64, int64_t)
    LOAD(TL_U8, uint8_t)
    LOAD(TL_U16, uint16_t)
    LOAD(TL_U32, uint32_t)
    LOAD(TL_U64, uint64_t)
    LOAD(TL_F32, float)
    LOAD(TL_F64, double)
  case TL_F16:
  case TL_BF16:
    return tl__small_float_to(d, ((const uint16_t *)data)[i]);
  case TL_F8E4M3FN:
    return tl__small_float_to(d, ((const uint8_t *)data)[i]);
  case TL_F80:
  case TL_DTYPE_COUNT:
    break;
  }
  fail();
  return 0;
}

/* The small formats round from a long double once: through double with the last bit odd where it is not exact. */
static double to_odd(long double v) {
  double d = (double)v;
  if ((long double)d == v || !isfinite(v)) {
    return d;
  }
  d = fabsl((long double)d) > fabsl(v) ? nextafter(d, 0) : d;
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  bits |= 1;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static long double expected(tl_dtype from, tl_dtype to, long double v) {
  if (to == TL_BOOL) {
    return v != 0;
  }
  if (to == TL_F32) {
    return (float)v;
  }
  if (to == TL_F64) {
    return (double)v;
  }
  if (tl_dtype_is_float(to)) {
    return tl__small_float_to(to, tl__small_float_from(to, to_odd(v)));
  }
  int bits = 8 * (int)tl_dtype_size(to);
  bool is_unsigned = tl_dtype_is_unsigned(to);
  long double least = is_unsigned ? 0 : -ldexpl(1, bits - 1), most = ldexpl(1, bits - !is_unsigned) - 1;
  if (tl_dtype_is_float(from)) {
    return isnan(v) ? 0 : v < least ? least : v > most ? most : truncl(v) + 0.0L; /* no -0 */
  }
  long double m = ldexpl(1, bits), wrapped = v - floorl(v / m) * m; /* modulo 2^bits */
  return wrapped > most ? wrapped - m : wrapped;
}

static void fill_random(tl_dtype d, unsigned char *data) {
  size_t size = tl_dtype_size(d);
  for (int i = 0; i < COUNT; i++) {
    uint64_t bits = random_bits();
    if (d == TL_BOOL) {
      bits &= 1;
    } else if (d == TL_F32) {
      float v = (float)(i % 3 ? random_double(-10, 70) : ldexp((double)random_below(2), 8 * (int)random_below(9)) - 1);
      uint32_t b;
      memcpy(&b, &v, sizeof b);
      bits = i % 50 ? b : bits;
    } else if (d == TL_F64) {
      double v = i % 3 ? random_double(-10, 70) : ldexp((double)random_below(2), 8 * (int)random_below(9)) - 1;
      memcpy(&bits, &v, sizeof bits);
      bits = i % 50 ? bits : random_bits();
    } else if (!tl_dtype_is_float(d) && i % 2) {
      bits >>= random_below(64);
    }
    memcpy(data + (size_t)i * size, &bits, size);
  }
}

static void test_pairs(void **state) {
  (void)state;
  for (int from = 0; from < TL_DTYPE_COUNT; from++) {
    for (int to = 0; to < TL_DTYPE_COUNT; to++) {
      if (!has_tensors(from) || !has_tensors(to)) {
        continue;
      }
      tl_scope s = tl_scope_open();
      _Alignas(16) unsigned char data[COUNT * 8], packed[COUNT * 8], strided[COUNT * 8];
      fill_random((tl_dtype)from, data);
      tl_tensor x = tl_from((tl_dtype)from, TL_SHAPE(2, COUNT / 2), data), y = tl_cast(x, (tl_dtype)to);
      assert_int_equal(tl_status_of(y), TL_OK);
      assert_int_equal(tl_read(y, packed, COUNT * tl_dtype_size((tl_dtype)to)), TL_OK);
      /* The same through strides. */
      tl_tensor z = tl_transpose(tl_cast(tl_transpose(x, TL_ALL), (tl_dtype)to), TL_ALL);
      assert_int_equal(tl_read(z, strided, COUNT * tl_dtype_size((tl_dtype)to)), TL_OK);
      assert_memory_equal(packed, strided, COUNT * tl_dtype_size((tl_dtype)to));
      for (int i = 0; i < COUNT; i++) {
        long double v = load((tl_dtype)from, data, i), got = load((tl_dtype)to, packed, i);
        long double want = expected((tl_dtype)from, (tl_dtype)to, v);
        if (!(got == want && signbit(got) == signbit(want)) && !(isnan(got) && isnan(want))) {
          fail_msg("%s to %s: %La gives %La, not %La", tl_dtype_name((tl_dtype)from), tl_dtype_name((tl_dtype)to), v,
                   got, want);
        }
      }
      tl_scope_close(s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
