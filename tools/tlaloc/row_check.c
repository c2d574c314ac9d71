#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/small_float.h"
#include "rows.h"

static uint64_t bits_at(const row_value *v, const unsigned char *data, size_t i) {
  uint64_t bits = 0;
  size_t size = tl_dtype_size(v->dtype);
  memcpy(&bits, data + i * size, size);
  return bits;
}

static double number_of(tl_dtype d, uint64_t bits) {
  double wide;
  float narrow;
  if (tl_dtype_is_stored_only(d)) {
    return tl__small_float_to(d, (uint16_t)bits);
  }
  if (d == TL_F32) {
    uint32_t low = (uint32_t)bits;
    memcpy(&narrow, &low, sizeof narrow);
    return (double)narrow;
  }
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

/* Steps from one number of a floating type to another: both zeros are one. */
static uint64_t distance(tl_dtype d, uint64_t a, uint64_t b) {
  uint64_t sign = (uint64_t)1 << (8 * tl_dtype_size(d) - 1);
  uint64_t x = a & (sign - 1), y = b & (sign - 1);
  return (a & sign) == (b & sign) ? (x > y ? x - y : y - x) : x + y;
}

static bool element_matches(const row *r, tl_dtype d, uint64_t got, uint64_t want, uint64_t *worst) {
  if (got == want) {
    return true;
  }
  if (!tl_dtype_is_float(d)) {
    return false;
  }
  double x = number_of(d, got), y = number_of(d, want);
  if (isnan(x) || isnan(y)) {
    return isnan(x) && isnan(y);
  }
  if (x == y) {
    return true;
  }
  if (isinf(x) || isinf(y) || r->check == ROW_EQ) {
    return false;
  }
  uint64_t steps = distance(d, got, want);
  *worst = steps > *worst ? steps : *worst;
  return r->check == ROW_CLOSE ? steps <= (uint64_t)r->max_ulp : fabs(x - y) <= r->atol;
}

static const char *spelled(tl_dtype d, uint64_t bits, char out[40]) {
  if (tl_dtype_is_float(d)) {
    snprintf(out, 40, "%.17g", number_of(d, bits));
  } else if (tl_dtype_is_unsigned(d)) {
    snprintf(out, 40, "%llu", (unsigned long long)bits);
  } else {
    snprintf(out, 40, "%lld", (long long)tl_dtype_wrap(d, (int64_t)bits));
  }
  return out;
}

static bool has_type(const row_value *want, tl_tensor got, char *out, size_t length) {
  tl_shape s = tl_shape_of(got);
  bool same = tl_dtype_of(got) == want->dtype && s.rank == want->shape.rank;
  for (int i = 0; same && i < s.rank; i++) {
    same = s.dim[i] == want->shape.dim[i];
  }
  if (!same) {
    int n = snprintf(out, length, "it is %s<", row_dtype_name(tl_dtype_of(got)));
    for (int i = 0; i < s.rank && n < (int)length; i++) {
      n += snprintf(out + n, length - (size_t)n, "%s%lld", i ? ", " : "", (long long)s.dim[i]);
    }
    if (n < (int)length) {
      snprintf(out + n, length - (size_t)n, ">, another type than is expected");
    }
  }
  return same;
}

bool row_matches(const row *r, int output, tl_tensor got, char *out, size_t length) {
  const row_value *want = &r->expected.at[output];
  if (!has_type(want, got, out, length)) {
    return false;
  }
  unsigned char *data = malloc(want->bytes + 1);
  if (!data || tl_read(got, data, want->bytes) != TL_OK) {
    snprintf(out, length, "%s", data ? "it cannot be read" : "there is no memory");
    free(data);
    return false;
  }
  size_t count = want->bytes / tl_dtype_size(want->dtype), bad = 0, first = 0;
  uint64_t worst = 0;
  for (size_t i = 0; i < count; i++) {
    if (!element_matches(r, want->dtype, bits_at(want, data, i), bits_at(want, want->data, i), &worst) && !bad++) {
      first = i;
    }
  }
  if (bad) {
    char x[40], y[40];
    snprintf(out, length, "%zu of %zu elements of output %d differ, at most by %llu steps: element %zu is %s, not %s",
             bad, count, output, (unsigned long long)worst, first, spelled(want->dtype, bits_at(want, data, first), x),
             spelled(want->dtype, bits_at(want, want->data, first), y));
  }
  free(data);
  return bad == 0;
}
