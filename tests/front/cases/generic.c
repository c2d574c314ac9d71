#include <math.h>
typedef double real;
struct s {
  int n;
};
#define KIND(x) _Generic((x), float: 1, double: 2, long double: 3, int: 4, unsigned long: 5, double *: 6, struct s *: 7, default: 8)
#define ROOT(x) _Generic((x), float: sqrtf, default: sqrt, long double: sqrtl)(x)
double choose(float f, double d, long double l, int i, unsigned long u, real r, double *p, struct s *q, char c, const double k,
              double a[3]) {
  d += KIND(f) + 10 * KIND(d) + KIND(l) + KIND(i) + KIND(u) + KIND(r) + KIND(p) + KIND(q) + KIND(c) + KIND(k) + KIND(a);
  return ROOT(f) + ROOT(d) + ROOT(l) + ROOT(i);
}
