#include <tgmath.h>
double chosen(double x, float y, int i, long double q) {
  return sin(x) + exp(y) + pow(x, i) + fabs(y) + fmax(x, y) + sqrt(q) + atan2(y, i);
}
