/* Code that comes out of macros. */
#include <assert.h>
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define EVER for (;;)
#define DOWN(i) for (; i; i--)
#define UNTIL(i) for (i = 0;; \
                      i++)
#define SQUARE(x) ((x) * (x))
#define TENTH 0.1L
#define HALF .5f
#define JOIN(a, b) a##b
#define DEFINE(name, op) \
  static double name(double a, double b) { return a op b; }
#define EMPTY
#define FIRST(x) x
DEFINE(plus, +)
DEFINE(minus, -)

double sum(int n, const double *x) {
  double s = 0;
  FOR(i, n) s += SQUARE(x[i]) + TENTH;
  EVER break;
  DOWN(n) s++;
  UNTIL(n) break;
  for (EMPTY; n; ) n--;
  assert(n == 0);
  s += FIRST(2.5) + JOIN(1., 5) + JOIN(1.25, f) + HALF + SQUARE(1.5e3);
  return plus(s, minus(s, 1)) FIRST(+ 1);
}
