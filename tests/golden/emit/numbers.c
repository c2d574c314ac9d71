#include <stddef.h>
#include <math.h>

/* The derivative of log |gamma(x)|. Between 1 and 2 it is a polynomial times the distance from the zero at 1.46; other
 * values below 10 are brought there by recurrence, above stands Stirling's series. Negative x is reflected. */
static double tl__digamma(double argument) {
  static const long double near[] = {
    0.95105587603183287971105L, -0.42362742128146049633392L,
    0.24054248424078691406818L, -0.14840492305391726974451L,
    0.094988724452914618170835L, -0.06192213327172083222063L,
    0.040760833938334431442048L, -0.026975796839586987098152L,
    0.017907248437179829005502L, -0.011908215352038964483055L,
    7.927018627589997705073e-3L, -5.280013754573881359161e-3L,
    3.5181575631252077708536e-3L, -2.3447085913324210022391e-3L,
    1.562845532823974647391e-3L, -1.0417068579679151234899e-3L,
    6.9442449092888870645399e-4L, -4.6347256560872196402614e-4L,
    3.0897424815384481318854e-4L, -2.031927780100768988393e-4L,
    1.3546065961743731908329e-4L, -1.0007465075955595407114e-4L,
    6.6716242600876747255108e-5L, -2.2238761767901919371005e-5L,
    1.4825811889322715729433e-5L, -3.9535405301454115181009e-5L,
    2.6356930449260314821045e-5L};
  static const long double far[] = {
    0.083333333333333333333333L, -8.3333333333333333333333e-3L,
    3.9682539682539682539683e-3L, -4.1666666666666666666667e-3L,
    7.5757575757575757575758e-3L, -0.021092796092796092796093L,
    0.083333333333333333333333L, -0.44325980392156862745098L,
    3.053954330270119743804L, -26.456212121212121212121L,
    281.46014492753623188406L, -3.6075105463980463980464e+3L,
    5.4827583333333333333333e+4L};
  const long double pi = 3.14159265358979323846264338328L;
  long double x = (long double)argument, sum = 0.0L, shift = 0.0L, series = 0.0L;
  if (x <= 0.0L) {
    long double d = x - rintl(x), a = fabsl(d);
    if (d == 0.0L) return (double)(x == 0.0L ? -1.0L / x : d / d);
    long double cotangent = a <= 0.25L ? 1.0L / tanl(pi * a) : tanl(pi * (0.5L - a));
    sum = d > 0.0L ? -pi * cotangent : pi * cotangent;
    x = 1.0L - x;
  }
  if (x < 1.0L) {
    sum -= 1.0L / x;
    x += 1.0L;
  }
  if (x < 10.0L) {
    while (x > 2.0L) {
      x -= 1.0L;
      shift += 1.0L / x;
    }
    for (int k = (int)(sizeof near / sizeof near[0]) - 1; k >= 0; k--) series = series * (x - 1.5L) + near[k];
    return (double)(sum + (shift + (x - 1.4616321449683623411724964214L - 9.0163120932586959186144e-20L
/* end */) * series));
  }
  long double z = 1.0L / x / x;
  for (int k = (int)(sizeof far / sizeof far[0]) - 1; k >= 0; k--) series = series * z + far[k];
  return (double)(sum + (logl(x) - (0.5L / x + z * series)));
}

/* (n - 1)! / x^n */
static long double tl__polygamma_term(int n, long double x) {
  long double term = 1.0L / x;
  if (n <= 25 && fabsl(x) > 1e-12L && fabsl(x) < 1e12L) {
    term = powl(x, (long double)-n);
    for (int k = 2; k < n; k++) term *= (long double)k;
    return term;
  }
  for (int k = 1; k < n; k++) term *= (long double)k / x;
  return term;
}

/* n! (x^-(n+1) + (x+1)^-(n+1) + ...) for positive x: the terms below n + 10, then the series of Euler and Maclaurin. */
static long double tl__polygamma_sum(int n, long double x) {
  static const long double bernoulli[] = {
    0.083333333333333333333333L, -1.3888888888888888888889e-3L,
    3.3068783068783068783069e-5L, -8.2671957671957671957672e-7L,
    2.087675698786809897921e-8L, -5.2841901386874931848477e-10L,
    1.3382536530684678832827e-11L, -3.3896802963225828668302e-13L,
    8.5860620562778445641359e-15L, -2.1748686985580618730415e-16L,
    5.5090028283602295152027e-18L, -1.3954464685812523340708e-19L,
    3.5347070396294674716932e-21L};
  long double sum = 0.0L;
  while (x < (long double)n + 10.0L) {
    sum += tl__polygamma_term(n + 1, x);
    x += 1.0L;
  }
  long double factor = 1.0L, rest = 1.0L + (long double)n / (2.0L * x);
  for (int k = 0; k < (int)(sizeof bernoulli / sizeof bernoulli[0]); k++) {
    factor *= ((long double)(n + 2 * k) / x) * ((long double)(n + 2 * k + 1) / x);
    rest += bernoulli[k] * factor;
  }
  return sum + tl__polygamma_term(n, x) * rest;
}

/* The n-th derivative of digamma. Negative x: the term nearest to zero apart, those on either side of it as sums. */
static double tl__polygamma(int n, double argument) {
  if (n == 0) return tl__digamma(argument);
  long double x = (long double)argument, sign = n % 2 ? 1.0L : -1.0L;
  if (x > 0.0L) return (double)(sign * tl__polygamma_sum(n, x));
  long double d = x - rintl(x);
  if (d == 0.0L) return (double)(n % 2 ? 1.0L / (x - x) : x == 0.0L ? -1.0L / x : d / d);
  long double below = tl__polygamma_sum(n, 1.0L - d) - tl__polygamma_sum(n, 1.0L - x);
  long double others = tl__polygamma_sum(n, 1.0L + d) + sign * below;
  return (double)(sign * (tl__polygamma_term(n + 1, d) + others));
}

/* The fraction that frexp returns. */
static double tl__frexp_fraction(double x) {
  int exponent;
  return frexp(x, &exponent);
}

struct parentheses_result parentheses(double a, double b, double c, double d) {
  double minus_a = -a;
  struct parentheses_result result;
  result.r0 = a + (b + c);
  result.r1 = a - (b - c);
  result.r2 = a / (b / c);
  result.r3 = -minus_a - minus_a;
  result.r4 = (d + 2.5) * -2.5 + minus_a;
  return result;
}

struct integers_result integers(int i, int j, long k, size_t u) {
  int index = ((i & (1 << 1)) | j) - 1;
  struct integers_result result;
  result.r0 = (int)(signed char)-(signed char)((signed char)index * (signed char)i);
  result.r1 = (double)((k + 4294967296L - (long)(u - 1)) << 1);
  result.r2 = (int)(unsigned short)~(unsigned short)i;
  result.r3 = index;
  return result;
}

struct single_result single(float x, double y, int i) {
  struct single_result result;
  result.r0 = (double)(sqrtf(x * (float)i + 0.1f) - (float)y) * y;
  result.r1 = (double)x;
  return result;
}

struct special_result special(double x, int n) {
  (void)n;
  double a = fabs(x);
  struct special_result result;
  result.r0 = tl__digamma(a);
  result.r1 = tl__polygamma(2, a);
  result.r2 = tl__frexp_fraction(x);
  return result;
}
