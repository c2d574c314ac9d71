/* math.h in three precisions. */
#include <math.h>
#include <stdlib.h>
double one(double x) { return fabs(x) + sqrt(x * x) + cbrt(x) + exp(x) + exp2(x) + expm1(x) + sin(x) + cos(x) + tan(x); }
double two(double x) { double y = x * x + 0.5; return log(y) + log2(y) + log10(y) + log1p(y) + asinh(x) + acosh(y + 1) + atanh(x / 3) + asin(x / 3) + acos(x / 3) + atan(x); }
double three(double x) { return sinh(x) + cosh(x) + tanh(x) + erf(x) + erfc(x) + lgamma(x * x + 1) + tgamma(x * x + 1); }
double rounding(double x) { return floor(x) + 10 * ceil(x) + 100 * trunc(x) + 1000 * round(x) + 10000 * rint(x) + 1e5 * nearbyint(x); }
double pairs(double x, double y) { return pow(x * x + 0.1, y) + atan2(x, y) + hypot(x, y) + fmax(x, y) + fmin(x, y) + fdim(x, y) + fmod(x, y) + remainder(x, y) + copysign(x, y) + nextafter(x, y) + fma(x, y, x); }
float floats(float x, float y) { return sinf(x) + expf(y) + powf(x * x, y) + fmaxf(x, y) + sqrtf(y * y) + floorf(x) + fmodf(x, y) + fmaf(x, y, 2.0f); }
long double longs(long double x) { return sinl(x) + expl(x) + fabsl(x) + sqrtl(x * x) + floorl(x); }
double scaled(double x, int k) { return ldexp(x, k) + scalbn(x, k) + scalbln(x, k) + ilogb(x) + logb(x); }
double parts(double x) { int e; double w; double f = frexp(x, &e), g = modf(x * 3, &w); return f + 10 * e + 100 * g + 1000 * w; }
double quotient(double x, double y) { int q; double r = remquo(x * 5, y, &q); return r + (q & 7) * 10; }
long to_integers(double x) { return lround(x) + 10 * lrint(x * 3) + 100 * llround(x * 2) + 1000 * llrint(x); }
int classes(double x, double y) { return (isnan(x) != 0) + 2 * (isinf(x) != 0) + 4 * (isfinite(x) != 0) + 8 * (signbit(x) != 0) + 16 * (isgreater(x, y) != 0) + 32 * (islessequal(x, y) != 0) + 64 * (isnormal(x) != 0) + 128 * (isunordered(x, y) != 0) + 256 * (islessgreater(x, y) != 0); }
int classify(double x) { double z = 0; return fpclassify(x) * 1000 + fpclassify(z) * 100 + fpclassify(x / z) * 10 + fpclassify(z / z); }
double specials(double x) { double big = HUGE_VAL, inf = INFINITY, nan1 = NAN; if (x > big || x > inf) return 1; return isnan(nan1) ? x : nan1; }
int integers(int a, long b) { return abs(a) + (int)labs(b - 5) + (int)llabs(b); }
double bessel(double x) { double y = x * x + 0.1; return j0(x) + j1(x) + y0(y) + y1(y) + jn(2, x) + yn(3, y); }
double builtins(double x, double y) { return __builtin_fabs(x) + __builtin_sqrt(y * y) + __builtin_pow(x * x, 2) + __builtin_expect(x > 0, 1); }
float in_class(float x) { return isnan(x) ? 0 : isinf(x) ? 1 : signbit(x) ? -x : x; }
double constants(double x) { return x * M_PI + M_E - M_SQRT2; }
double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
double logsumexp(int n, const double x[n]) { double m = x[0]; for (int i = 1; i < n; i++) m = fmax(m, x[i]); double s = 0; for (int i = 0; i < n; i++) s += exp(x[i] - m); return m + log(s); }
