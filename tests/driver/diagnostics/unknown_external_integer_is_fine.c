#include <tlaloc/grad.h>
enum kind { LOW, HIGH };
int bin(double x);
int pick(int n);
_Bool is_big(double x);
enum kind kind_of(double x);
static double f(double x, int n, const double t[4]) {
  double s = pick(n) * x + is_big(x) * x;
  for (int i = 0; i < bin(x); i++) {
    s += x * t[i];
  }
  switch (kind_of(x)) {
  case LOW:
    return s * t[bin(x)];
  case HIGH:
    return bin(2 * x) > 3 ? s : x;
  }
  return s;
}
double g(double x, const double t[4]) { return tl_grad(f, x)(x, 3, t); }
