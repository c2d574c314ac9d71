/* Special functions made of other ops, so that they are captured, batched and differentiated, by their parameters too,
 * as what they are made of. All are computed in F64, whose result is rounded to x's dtype. Sums and fractions run until
 * the last element has settled; where another formula holds, an element has harmless arguments. */
#include <math.h>
#include <stdio.h>

#include "base/dtype.h"
#include "tensor/op.h"
#include "tlaloc/capture.h"

enum { MOST_TERMS = 2000 };

/* Numbers of one type, as F64; false where the op is refused. */
static bool widen(const char *op, int count, const tl_tensor *x, tl_tensor *out, tl_tensor *refused) {
  for (int i = 0; i < count; i++) {
    *refused = x[i];
    if (!tl__tensor_is_valid(x[i])) {
      return false;
    }
  }
  for (int i = 0; i < count; i++) {
    char message[128] = "";
    tl_status status = TL_OK;
    if (!tl_dtype_is_float(tl_dtype_of(x[i]))) {
      status = TL_DTYPE_UNSUPPORTED;
      snprintf(message, sizeof message, "%s: operand %d has dtype %s, which it does not take", op, i,
               tl_dtype_name(tl_dtype_of(x[i])));
    } else if (tl_dtype_of(x[i]) != tl_dtype_of(x[0])) {
      status = TL_DTYPE_MISMATCH;
      snprintf(message, sizeof message, "%s: operand 0 has dtype %s, operand %d %s", op,
               tl_dtype_name(tl_dtype_of(x[0])), i, tl_dtype_name(tl_dtype_of(x[i])));
    }
    if (status != TL_OK) {
      *refused = tl__tensor_failed(status, message);
      return false;
    }
    out[i] = tl_dtype_of(x[i]) == TL_F64 ? x[i] : tl_cast(x[i], TL_F64);
  }
  return true;
}

static tl_tensor narrowed(tl_tensor out, tl_tensor x) {
  return tl_dtype_of(x) == TL_F64 ? out : tl_cast(out, tl_dtype_of(x));
}

static tl_tensor number(double v) { return tl_fill(TL_F64, TL_SCALAR, v); }
static tl_tensor plus(tl_tensor x, double v) { return tl_add(x, number(v)); }
static tl_tensor times(tl_tensor x, double v) { return tl_mul(x, number(v)); }
static tl_tensor less(tl_tensor x, double v) { return tl_lt(x, number(v)); }
static tl_tensor above(tl_tensor x, double v) { return tl_gt(x, number(v)); }
static tl_tensor where(tl_tensor c, tl_tensor x, double otherwise) { return tl_where(c, x, number(otherwise)); }

/* Every operand in the shape of all. */
static void spread(int count, tl_tensor *x) {
  tl_tensor sum = tl_mul(x[0], number(0));
  for (int i = 1; i < count; i++) {
    sum = tl_add(sum, tl_mul(x[i], number(0)));
  }
  for (int i = 0; i < count; i++) {
    x[i] = tl__tensor_is_valid(sum) ? tl_broadcast(x[i], tl_shape_of(sum)) : sum;
  }
}

static tl_tensor like(tl_tensor x, double v) {
  return tl__tensor_is_valid(x) ? tl_broadcast(number(v), tl_shape_of(x)) : x;
}

/* Whether an element of `change` is not small against `whole`, and there are still terms. */
static tl_tensor goes_on(tl_tensor change, tl_tensor whole, tl_tensor terms) {
  tl_tensor moves = tl_gt(tl_fabs(change), times(tl_fabs(whole), 0x1p-54));
  return tl_and(tl_reduce_or(moves, TL_ALL, false), less(terms, MOST_TERMS));
}

/* ---- the inverse error function ---- */

static tl_tensor polynomial(tl_tensor x, int count, const double *coefficients) {
  tl_tensor out = number(coefficients[0]);
  for (int i = 1; i < count; i++) {
    out = plus(tl_mul(out, x), coefficients[i]);
  }
  return out;
}

/* M. Giles, "Approximating the erfinv function" (2011): six digits or more, from which Halley's steps go on. */
static tl_tensor first_guess(tl_tensor x) {
  static const double central[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                   -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
  static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  tl_tensor w = tl_neg(tl_log(tl_mul(tl_sub(number(1), x), plus(x, 1)))), is_central = less(w, 5);
  tl_tensor root = tl_sqrt(tl_where(is_central, number(9), w));
  tl_tensor guess = tl_mul(x, tl_where(is_central, polynomial(plus(where(is_central, w, 2.5), -2.5), 9, central),
                                       polynomial(plus(root, -3), 9, tail)));
  /* Farther out, where 1 - |x| = e^-y^2 / (y sqrt(pi)) but for some percent, y^2 = l - log(l)/2. */
  tl_tensor is_far = above(w, 15), rest = where(is_far, tl_sub(number(1), tl_fabs(x)), 0.125);
  tl_tensor l = tl_neg(tl_log(times(rest, 1.77245385090551602730)));
  tl_tensor far = tl_copysign(tl_sqrt(tl_sub(l, times(tl_log(l), 0.5))), x);
  return tl_where(is_far, far, guess);
}

tl_tensor tl_erf_inv(tl_tensor given) {
  tl_tensor x, out;
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  if (!widen("erf_inv", 1, &given, &x, &out)) {
    return tl__scope_leave(scope, out);
  }
  tl_tensor size = tl_fabs(x), inside = less(size, 1), in_tail = tl_and(above(size, 0.5), inside);
  tl_tensor safe = where(inside, x, 0), rest = tl_sub(number(1), tl_fabs(safe));
  tl_tensor y = first_guess(safe), sign = tl_copysign(like(safe, 1), safe);
  for (int i = 0; i < 3; i++) {
    /* Near 1 by erfc, so that no digit is lost. */
    tl_tensor near_one = tl_mul(sign, tl_sub(rest, tl_erfc(tl_fabs(where(in_tail, y, 1)))));
    tl_tensor error = tl_where(in_tail, near_one, tl_sub(tl_erf(y), safe));
    tl_tensor step = times(tl_mul(error, tl_exp(tl_mul(y, y))), 0.88622692545275801365);
    y = tl_sub(y, tl_div(step, plus(tl_mul(step, y), 1)));
  }
  tl_tensor outside = tl_where(tl_eq(size, number(1)), times(x, INFINITY), number(NAN));
  return tl__scope_leave(scope, narrowed(tl_where(inside, y, outside), given));
}

/* ---- Bessel functions ---- */

enum { FAR = 30 }; /* from where on the asymptotic series has enough terms */

/* Carries: term, sum, k, and the square that is shared. */
static void series_cond(void *ctx, const tl_tensor c[], tl_tensor out[]) {
  (void)ctx;
  out[0] = goes_on(c[0], c[1], c[2]);
}

static void series_body(void *ctx, const tl_tensor c[], tl_tensor out[]) {
  const int *order = ctx;
  tl_tensor k = plus(c[2], 1);
  out[0] = tl_div(tl_mul(c[0], c[3]), tl_mul(k, plus(k, *order)));
  out[1] = tl_add(c[1], out[0]);
  out[2] = k;
  out[3] = c[3];
}

/* exp(-|x|) I_order(x), order 0 or 1. Near: (x/2)^order sum (x^2/4)^k / (k! (k + order)!). Far: 1/sqrt(2 pi |x|) times
 * the sum of products of ((2j - 1)^2 - 4 order^2) / (8 |x| j), whose terms fall until j is 2 |x|. */
static tl_tensor bessel(const char *op, int order, tl_tensor given) {
  tl_tensor x, out;
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  if (!widen(op, 1, &given, &x, &out)) {
    return tl__scope_leave(scope, out);
  }
  tl_tensor is_far = above(tl_fabs(x), FAR), near = tl_where(is_far, number(0), x);
  tl_tensor size = tl_where(is_far, tl_fabs(x), number(FAR)), one = like(x, 1);
  tl_tensor square = times(tl_mul(near, near), 0.25);
  tl_tensor carries[] = {one, one, number(0), square}, last[4];
  tl_loop(series_cond, series_body, &order, 4, carries, last);
  tl_tensor of_near = tl_mul(last[1], tl_exp(tl_neg(tl_fabs(near))));
  tl_tensor sum = one, term = one;
  for (int j = 1; j <= 40; j++) {
    double factor = (2 * j - 1) * (2 * j - 1) - 4 * order * order;
    term = tl_div(times(term, factor / (8 * j)), size);
    sum = tl_add(sum, term);
  }
  tl_tensor of_far = tl_div(sum, tl_sqrt(times(size, 6.28318530717958647693)));
  if (order) {
    of_near = tl_mul(of_near, times(near, 0.5));
    of_far = tl_copysign(of_far, x);
  }
  return tl__scope_leave(scope, narrowed(tl_where(is_far, of_far, of_near), given));
}

tl_tensor tl_bessel_i0e(tl_tensor x) { return bessel("bessel_i0e", 0, x); }
tl_tensor tl_bessel_i1e(tl_tensor x) { return bessel("bessel_i1e", 1, x); }

/* ---- incomplete gamma functions ---- */

/* Carries: term, sum, count, a + count, x. */
static void gamma_series_cond(void *ctx, const tl_tensor c[], tl_tensor out[]) {
  (void)ctx;
  out[0] = goes_on(c[0], c[1], c[2]);
}

static void gamma_series_body(void *ctx, const tl_tensor c[], tl_tensor out[]) {
  (void)ctx;
  out[3] = plus(c[3], 1);
  out[0] = tl_div(tl_mul(c[0], c[4]), out[3]);
  out[1] = tl_add(c[1], out[0]);
  out[2] = plus(c[2], 1);
  out[4] = c[4];
}

/* x^a e^-x / gamma(a + shift) */
static tl_tensor density(tl_tensor a, tl_tensor x, double shift) {
  return tl_exp(tl_sub(tl_sub(tl_mul(a, tl_log(x)), x), tl_lgamma(plus(a, shift))));
}

/* P(a, x) = x^a e^-x / gamma(a + 1) * (1 + x/(a + 1) + x^2/((a + 1)(a + 2)) + ...) */
static tl_tensor lower(tl_tensor a, tl_tensor x) {
  tl_tensor one = like(a, 1), carries[] = {one, one, number(0), a, x}, last[5];
  tl_loop(gamma_series_cond, gamma_series_body, NULL, 5, carries, last);
  return tl_mul(density(a, x, 1), last[1]);
}

/* Carries of a continued fraction by Lentz's method: its value, the factor that it changes by, the two quotients, a
 * count, and the arguments. */
static void fraction_cond(void *ctx, const tl_tensor c[], tl_tensor out[]) {
  (void)ctx;
  out[0] = goes_on(plus(c[1], -1), c[1], c[4]);
}

static tl_tensor not_zero(tl_tensor x) { return tl_where(tl_eq(x, number(0)), number(1e-300), x); }

/* One step by the partial numerator and denominator. */
static void lentz(const tl_tensor c[], tl_tensor numerator, tl_tensor denominator, tl_tensor out[4]) {
  out[2] = not_zero(tl_add(denominator, tl_div(numerator, c[2])));
  out[3] = tl_div(number(1), not_zero(tl_add(denominator, tl_mul(numerator, c[3]))));
  out[1] = tl_mul(out[2], out[3]);
  out[0] = tl_mul(c[0], out[1]);
}

static void gamma_fraction_body(void *ctx, const tl_tensor c[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor n = plus(c[4], 1);
  lentz(c, tl_mul(n, tl_sub(c[5], n)), tl_add(tl_add(tl_sub(c[6], c[5]), times(n, 2)), number(1)), out);
  out[4] = n;
  out[5] = c[5];
  out[6] = c[6];
}

/* Q(a, x) = x^a e^-x / gamma(a) / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (...))) */
static tl_tensor upper(tl_tensor a, tl_tensor x) {
  tl_tensor first = not_zero(plus(tl_sub(x, a), 1));
  /* The value is of the denominator; its first factor has the numerator 1. */
  tl_tensor carries[] = {first, like(a, 2), first, like(a, 0), number(0), a, x}, last[7];
  tl_loop(fraction_cond, gamma_fraction_body, NULL, 7, carries, last);
  return tl_div(density(a, x, 0), last[0]);
}

/* Where x is below a, or 1, the series; the fraction elsewhere. */
static tl_tensor gammas(const char *op, bool is_upper, tl_tensor given, tl_tensor at) {
  tl_tensor v[2], out;
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  if (!widen(op, 2, (tl_tensor[]){given, at}, v, &out)) {
    return tl__scope_leave(scope, out);
  }
  spread(2, v);
  tl_tensor a = v[0], x = v[1];
  tl_tensor inside = tl_and(above(a, 0), above(x, 0)), is_finite = less(x, INFINITY);
  tl_tensor by_series = tl_or(less(x, 1), tl_lt(x, a));
  tl_tensor in_series = tl_and(tl_and(inside, is_finite), by_series);
  tl_tensor in_fraction = tl_and(tl_and(inside, is_finite), tl_not(by_series));
  tl_tensor p = lower(where(in_series, a, 1), where(in_series, x, 0.5));
  tl_tensor q = upper(where(in_fraction, a, 1), where(in_fraction, x, 2));
  tl_tensor one = number(1), zero = number(0), end, edge;
  if (is_upper) {
    end = tl_where(in_series, tl_sub(one, p), q);
    edge = tl_where(inside, zero, one); /* at infinity; outside it is 1 */
  } else {
    end = tl_where(in_series, p, tl_sub(one, q));
    edge = tl_where(inside, one, tl_where(tl_and(above(a, 0), tl_eq(x, zero)), zero, number(NAN)));
  }
  out = tl_where(tl_or(in_series, in_fraction), end, edge);
  out = tl_where(tl_or(tl_ne(a, a), tl_ne(x, x)), number(NAN), out);
  return tl__scope_leave(scope, narrowed(out, given));
}

tl_tensor tl_igamma(tl_tensor a, tl_tensor x) { return gammas("igamma", false, a, x); }
tl_tensor tl_igammac(tl_tensor a, tl_tensor x) { return gammas("igammac", true, a, x); }

/* ---- incomplete beta function ---- */

/* 1 + d_1 / (1 + d_2 / (1 + ...)), two of them a step:
 *   d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)),  d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)) */
static void beta_fraction_body(void *ctx, const tl_tensor c[], tl_tensor out[]) {
  (void)ctx;
  tl_tensor m = plus(c[4], 1), a = c[5], b = c[6], x = c[7], one = number(1), even[4];
  tl_tensor at = tl_add(a, times(m, 2));
  tl_tensor d = tl_div(tl_mul(tl_mul(m, tl_sub(b, m)), x), tl_mul(plus(at, -1), at));
  lentz(c, d, one, even);
  d = tl_neg(tl_div(tl_mul(tl_mul(tl_add(a, m), tl_add(tl_add(a, b), m)), x), tl_mul(at, plus(at, 1))));
  lentz(even, d, one, out);
  out[4] = m;
  for (int i = 5; i < 8; i++) {
    out[i] = c[i];
  }
}

/* For x below (a + 1)/(a + b + 2). */
static tl_tensor beta_below(tl_tensor a, tl_tensor b, tl_tensor x) {
  tl_tensor one = like(a, 1), sum = tl_add(a, b);
  tl_tensor first = not_zero(plus(tl_neg(tl_div(tl_mul(sum, x), plus(a, 1))), 1)); /* 1 + d_1 */
  tl_tensor carries[] = {first, like(a, 2), first, one, number(0), a, b, x}, last[8];
  tl_loop(fraction_cond, beta_fraction_body, NULL, 8, carries, last);
  tl_tensor log_factor = tl_sub(tl_sub(tl_lgamma(sum), tl_lgamma(a)), tl_lgamma(b));
  log_factor = tl_add(log_factor, tl_add(tl_mul(a, tl_log(x)), tl_mul(b, tl_log1p(tl_neg(x)))));
  return tl_div(tl_exp(log_factor), tl_mul(a, last[0]));
}

tl_tensor tl_betainc(tl_tensor a_given, tl_tensor b_given, tl_tensor x_given) {
  tl_tensor v[3], out;
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  if (!widen("betainc", 3, (tl_tensor[]){a_given, b_given, x_given}, v, &out)) {
    return tl__scope_leave(scope, out);
  }
  spread(3, v);
  tl_tensor positive = tl_and(above(v[0], 0), above(v[1], 0));
  tl_tensor inside = tl_and(positive, tl_and(above(v[2], 0), less(v[2], 1)));
  tl_tensor a = where(inside, v[0], 1), b = where(inside, v[1], 1), x = where(inside, v[2], 0.5);
  /* I_x(a, b) = 1 - I_1-x(b, a) */
  tl_tensor swaps = tl_gt(tl_mul(x, plus(tl_add(a, b), 2)), plus(a, 1));
  tl_tensor below = beta_below(tl_where(swaps, b, a), tl_where(swaps, a, b), tl_where(swaps, tl_sub(number(1), x), x));
  tl_tensor edge = tl_where(tl_and(positive, tl_eq(v[2], number(0))), number(0),
                            where(tl_and(positive, tl_eq(v[2], number(1))), number(1), NAN));
  out = tl_where(inside, tl_where(swaps, tl_sub(number(1), below), below), edge);
  return tl__scope_leave(scope, narrowed(out, a_given));
}
