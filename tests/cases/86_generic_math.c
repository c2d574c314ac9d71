/* Operands of <tgmath.h>'s macros: constants of each type, conversions that are written, macros in macros. */
#include <tgmath.h>

#include "check.h"

#include <tlaloc/grad.h>

#define TWICE(x) ((x) + (x))
#define TENTH 0.1L

static double scaled(double x, long k) { return ldexp(x * x, (int)k) + fabs(x - 2.L) + scalbln(x, (long)(int)k); }

static long double constants(long double x) {
  return pow(x, 1.1L) * fabs(x - TENTH) + TWICE(exp(x * 0.1L)) + sin(TWICE(x * 0x1.8p-1L));
}

static float of_floats(float x) { return x * pow(x, 2.f) + fabs(x - 0x1p-3f) + (float)cos((double)x * .5); }

/* The same of <math.h>. */
static long double plain(long double x) {
  return (powl)(x, 1.1L) * (fabsl)(x - 0.1L) + 2 * (expl)(x * 0.1L) + (sinl)(1.5L * x);
}

int main(void) {
  CHECK(tl_grad(scaled, x)(1.5, 3), 2 * 1.5 * 8 - 1 + 8);
  CHECK(tl_grad(scaled, x)(2.5, -1), 2 * 2.5 * 0.5 + 1 + 0.5);
  long double x = 1.75L, h = 1e-4L;
  long double slope = (8 * (plain(x + h) - plain(x - h)) - (plain(x + 2 * h) - plain(x - 2 * h))) / (12 * h);
  CHECK_TO(tl_grad(constants)(x) - slope, 0, 1e-14);
  CHECK_TO(constants(x) - plain(x), 0, 1e-18);
  CHECK_TO(tl_grad(of_floats)(1.5f), 3 * 1.5 * 1.5 + 1 - 0.5 * (sin)(0.75), 1e-6);
  return check_done();
}
