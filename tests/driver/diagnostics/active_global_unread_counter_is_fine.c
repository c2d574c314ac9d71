#include <tlaloc/grad.h>
static unsigned long total, per_branch[2];
static double f(double x) {
  static int calls;
  calls++, total += 2;
  per_branch[x > 0]++;
  for (int i = 0; i < 3; i++, ++calls) {
    x = x > 1 ? x * x : x;
    (void)(calls = calls + 1);
  }
  return x;
}
double g(double x) { return tl_grad(f)(x); }
