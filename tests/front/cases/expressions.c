/* Every operator and conversion. */
#include <math.h>
#include <stddef.h>

struct point {
  double x, y;
};
enum colour { RED, GREEN = 5, BLUE };

double callee(double v) { return v; }

void arithmetic(int i, unsigned u, long l, float f, double d, long double q, unsigned char c, _Bool b, size_t n) {
  d = i + d;
  f = f * d;
  q = q / f;
  i = i % 3;
  u = u << 3 >> i;
  i = (i & 1) | (i ^ 7);
  b = i == 3;
  b = d != 0 && i < l || u <= n || !(d > f) || d >= 1;
  i = -c + +c - ~c;
  d = -d;
  l = i;
  n = l;
  c = 300;
  i = d;
  b = d;
  d = b;
  i = (int)f;
  (void)i;
  d = i ? f : d;
  d = i ?: 2;
  d = (i, d);
  d = i = 4;
}

void compound(int i, unsigned char c, float f, double d, long double q, double *p, long l, short s) {
  d += i;
  f -= d;
  f *= i;
  c += 1.5;
  c *= c;
  q /= f;
  i %= l;
  i <<= l;
  s >>= 1;
  i &= c, i |= l, i ^= 3u;
  p += i;
  p -= 2;
  i++, ++i, i--, --i;
  d++;
  p++, --p;
}

double pointers(double *p, const double *r, struct point *s, struct point v, double m[2][3], double (*f)(double)) {
  double a[4], *q = a;
  double **pp = &p;
  long distance = q - p;
  int order = p < q && p == r || !p;
  p = &a[1];
  p = a + 1;
  p = 1 + a;
  p = 0;
  p = NULL;
  p = (void *)q;
  r = p;
  *p = 2;
  **pp = 1[a];
  s->x = v.y;
  (*s).x = (&v)->y;
  q = &m[1][2];
  q = *m;
  double (*row)[3] = &m[1];
  f = callee;
  f = &callee;
  f = *callee;
  return f(1) + (*f)(2) + callee(f(3)) + (f ? f : callee)(4) + (*row)[2] + distance + order + m[1][1];
}

struct point make(double x) {
  struct point p = {.y = x};
  p = (struct point){x, 1};
  double d = make(2).x + ((double[]){1, x})[1];
  return d > 0 ? p : (struct point){0};
}

double constants(void) {
  double d = 1.0 + .5 + 1e3 + 0x1.8p3 + 1.5f + 0.1L + 1e-400L + 0.1 + 16777217.0f;
  unsigned long long big = 18446744073709551615ull + 0xffffffff + 0377 + 'a' + '\n' + L'b' + '\xff';
  const char *s = "a\"b" "c\n";
  enum colour e = BLUE;
  e = GREEN + 1;
  d = NAN + INFINITY + HUGE_VAL + HUGE_VALF;
  return d + big + s[1] + e + __builtin_fabs(d) + __builtin_expect(big, 0);
}

double gnu(double x, int n) {
  double y = ({
    double t = x * x;
    t + 1;
  });
  y += __extension__({ n; });
  y += __builtin_choose_expr(sizeof(int) == 4, x, n);
  y += __builtin_types_compatible_p(int, long) + __builtin_types_compatible_p(int, int);
  __typeof__(x) z = y;
  __auto_type w = z;
  return w + (n ?: 4) + __builtin_constant_p(3);
}
