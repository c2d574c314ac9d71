#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <tlaloc/grad.h>
#define SCALE(v) (2 * (v))
enum kind { PLAIN, SQUARED = 4 };
struct in {
  double a[2];
  struct {
    float w;
    unsigned bits : 3;
  } part;
};
static const double table[3] = {1, 0.5, 0x1p-3};
static double power(double x, int n) { return n <= 0 ? 1 : x * power(x, n - 1); }
static double one(const struct in *s, enum kind k, double x) {
  double y;
  switch (k) {
  case PLAIN:
    y = sin(x) * s->a[1];
    break;
  case SQUARED:
    y = pow(x, 2.5f) + fabs(s->part.w);
    break;
  default:
    y = -x;
  }
  return y;
}
double f(int n, struct in s, TL_LEN(n) const double *x) {
  double sum = 0, old[2] = {0};
  struct in copy = s;
  for (int i = 0; i < n; i++) {
    if (i == 5 || !(x[i] > 0 && x[i] < 1e3)) {
      continue;
    }
    memcpy(old, copy.a, sizeof old);
    old[i & 1] += SCALE(x[i]);
    sum += one(&copy, i % 2 ? SQUARED : PLAIN, x[i]) * table[i % 3] + (double)(float)old[0];
  }
  int left = 3;
  do {
    sum = sum * (1 + power(copy.a[0], left)), left--;
  } while (left);
  while (sum > 1e6) {
    sum /= 2;
  }
  return sum + sqrt(1 + sum * sum);
}
void g(int n, struct in s, double *x, double *b) { tl_grad(f, x)(n, s, x, b); }
