/* Constants and functions that the two compilers' headers spell in different ways, with one meaning. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double limits(double x) {
  assert(x > DBL_MIN);
  x += DBL_MAX + DBL_EPSILON + FLT_MAX + FLT_EPSILON + LDBL_MAX + LDBL_EPSILON + FLT_MIN;
  long n = INT_MAX + (long)INT_MIN + CHAR_MAX + UCHAR_MAX + SHRT_MIN + DBL_DIG + DBL_MANT_DIG + FLT_RADIX;
  unsigned long u = ULONG_MAX + UINT_MAX + SIZE_MAX + UINT64_MAX;
  long l = LONG_MIN + LONG_MAX + LLONG_MAX + INT64_MIN + PTRDIFF_MAX;
  bool b = true;
  b = false;
  return x + n + u + l + b + M_PI + M_E + M_SQRT2;
}

double classes(double x, float f, long double q) {
  if (isnan(x) || isinf(x) || !isfinite(x) || isnormal(x) || signbit(x) || isnan(f) || isinf(q)) return NAN;
  if (isgreater(x, f) || isless(x, q) || isunordered(x, f) || isgreaterequal(x, 1)) return -INFINITY;
  if (fpclassify(x) == FP_ZERO) errno = EDOM;
  return x == HUGE_VAL ? HUGE_VALF : fmax(x, f) + hypot(x, q);
}

double input(const char *s) {
  if (s == NULL || !isdigit((unsigned char)*s)) {
    fprintf(stderr, "bad %" PRId32 "\n", (int32_t)*s);
    exit(EXIT_FAILURE);
  }
  char *copy = malloc(strlen(s) + 1);
  strcpy(copy, s);
  double x = strtod(copy, NULL) + atoi(s) + abs(-3) + toupper(*s);
  free(copy);
  return x;
}
