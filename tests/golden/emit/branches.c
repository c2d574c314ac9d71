#include <stddef.h>
#include <math.h>

double piecewise(double x) {
  double y;
  if (x < 0.0) {
    y = exp(x);
  } else if (x > 1.0) {
    y = log(x) + 1.0;
  } else {
    y = 1.0;
  }
  return y;
}

double clamp(double x, double lo, double hi) {
  if (x < lo) {
    x = lo;
  }
  if (x > hi) {
    x = hi;
  }
  return x;
}

struct conditional_result conditional(_Bool c, _Bool d, double x, int k) {
  double a;
  if (c) {
    a = sin(x);
  } else {
    a = cos(x);
  }
  _Bool u = (!d || c) && d;
  struct conditional_result result;
  result.r0 = a;
  result.r1 = u || k == 0 ? 1.5 : x;
  return result;
}

struct order_result order(double x, double y) {
  if (x > y) {
    double next_x = y;
    y = x;
    x = next_x;
  }
  struct order_result result;
  result.r0 = x;
  result.r1 = y;
  return result;
}

struct not_less_result not_less(double x, int n) {
  _Bool d = !(x < 0.0 / 0.0);
  double r;
  if (d) {
    r = 1.0;
  } else {
    r = 2.0;
  }
  struct not_less_result result;
  result.r0 = r;
  result.r1 = n >= 0 ? 1.0 : 2.0;
  return result;
}
