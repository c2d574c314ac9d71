/* Derivatives of functions of generic.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <stddef.h>
#include <math.h>

void product__grad(float y, double z, float *y_bar, double *z_bar);
static double descend__add_vjp__z__w(float y, double z, int n, long double w, double descend_bar, double *z_bar, long double *w_bar);
static double descend__add_vjp__y__z(float y, double z, int n, long double w, double descend_bar, float *y_bar, double *z_bar);

/* Copied from generic.c. */
static double descend(float y, double z, int n, long double w) {
    if (n == 0) {
        return (double)(2 * (fabsf(y))) + fma((double)y, z, n) + ldexp(sin(z), n) + (double)cosl(w) + atan2((double)y, z) + sqrt(n);
    }
    return descend(y, exp(-pow(z, sin(pow((double)y, 2)))), n - 1, w) * hypot(z, (double)y);
}

void product__grad(float y, double z, float *restrict y_bar, double *restrict z_bar) {
  double descend_result = descend(y, z, 3, 2.0L);
  double z_bar_value;
  long double w_bar;
  double descend_result_2 = descend__add_vjp__z__w(1.0f, (double)y, 1, (long double)y, descend_result,
      &z_bar_value, &w_bar);
  float y_bar_value;
  double z_bar_value_2;
  (void)descend__add_vjp__y__z(y, z, 3, 2.0L, descend_result_2, &y_bar_value, &z_bar_value_2);
  *y_bar = (float)w_bar + (float)z_bar_value + y_bar_value;
  *z_bar = z_bar_value_2;
}

static double descend__add_vjp__z__w(float y, double z, int n, long double w, double descend_bar,
    double *restrict z_bar, long double *restrict w_bar) {
  /* line 9: if (n == 0) */
  double descend;
  long double w_bar_2;
  double z_bar_2;
  if (n == 0) {
    /* line 10: return (double)TWICE(fabs(y)) + fma(y, z, n) + ldexp(sin(z), n) + (double)cos(w) + atan2(y, z) + sqrt(n); */
    descend = (double)(2.0f * fabsf(y)) + fma((double)y, z, n) + ldexp(sin(z), n) + (double)cosl(w) +
        atan2((double)y, z) + sqrt(n);
    double hypot_y = hypot((double)y, z), t = hypot_y == 0.0 ? 1.0 : hypot_y;
    w_bar_2 = -((long double)descend_bar * sinl(w));
    z_bar_2 = ldexp(descend_bar, n) * cos(z) - descend_bar * ((double)y / t / t) + descend_bar * (double)y;
  } else {
    /* line 12: return descend(y, exp(-pow(z, sin(pow(y, 2)))), n - 1, w) * hypot(z, y); */
    double sin_value = sin(pow((double)y, 2.0)), exp_value = exp(-pow(z, sin_value));
    double hypot_z = hypot(z, (double)y);
    double z_bar_value;
    long double w_bar_value;
    double descend_result = descend__add_vjp__z__w(y, exp_value, n - 1, w, descend_bar * hypot_z,
        &z_bar_value, &w_bar_value);
    descend = descend_result * hypot_z;
    w_bar_2 = w_bar_value;
    double product_value = z_bar_value * exp_value *
        (sin_value * pow(z, (sin_value == 0.0 && !(fabs(z) >= 2.2250738585072014e-308) ? 1.0 : sin_value) -
        1.0));
    z_bar_2 = descend_bar * descend_result * (z / (hypot_z == 0.0 ? 1.0 : hypot_z)) - product_value;
  }
  /* line 12: return descend(y, exp(-pow(z, sin(pow(y, 2)))), n - 1, w) * hypot(z, y); */
  *z_bar = z_bar_2;
  *w_bar = w_bar_2;
  return descend;
}

static double descend__add_vjp__y__z(float y, double z, int n, long double w, double descend_bar,
    float *restrict y_bar, double *restrict z_bar) {
  /* line 9: if (n == 0) */
  double descend, z_bar_2;
  float y_bar_2;
  if (n == 0) {
    /* line 10: return (double)TWICE(fabs(y)) + fma(y, z, n) + ldexp(sin(z), n) + (double)cos(w) + atan2(y, z) + sqrt(n); */
    descend = (double)(2.0f * fabsf(y)) + fma((double)y, z, n) + ldexp(sin(z), n) + (double)cosl(w) +
        atan2((double)y, z) + sqrt(n);
    double hypot_y = hypot((double)y, z), t = hypot_y == 0.0 ? 1.0 : hypot_y;
    z_bar_2 = ldexp(descend_bar, n) * cos(z) - descend_bar * ((double)y / t / t) + descend_bar * (double)y;
    y_bar_2 = (float)(descend_bar * (z / t / t) + descend_bar * z) +
        (y > 0.0f ? (float)descend_bar * 2.0f : y < 0.0f ? -2.0f * (float)descend_bar : 0.0f);
  } else {
    /* line 12: return descend(y, exp(-pow(z, sin(pow(y, 2)))), n - 1, w) * hypot(z, y); */
    double pow_y = pow((double)y, 2.0), sin_pow_y = sin(pow_y), pow_z = pow(z, sin_pow_y);
    double exp_value = exp(-pow_z), hypot_z = hypot(z, (double)y);
    double t_2 = hypot_z == 0.0 ? 1.0 : hypot_z;
    float y_bar_value;
    double z_bar_value;
    double descend_result = descend__add_vjp__y__z(y, exp_value, n - 1, w, descend_bar * hypot_z,
        &y_bar_value, &z_bar_value);
    descend = descend_result * hypot_z;
    double t = descend_bar * descend_result, t_3 = z_bar_value * exp_value;
    double product_value = t_3 * (sin_pow_y *
        pow(z, (sin_pow_y == 0.0 && !(fabs(z) >= 2.2250738585072014e-308) ? 1.0 : sin_pow_y) - 1.0));
    z_bar_2 = t * (z / t_2) - product_value;
    double product_value_2 = 2.0 * (double)y *
        (t_3 * (pow_z * log(z == 0.0 && sin_pow_y >= 0.0 ? 1.0 : z)) * cos(pow_y));
    y_bar_2 = y_bar_value + (float)(t * ((double)y / t_2) - product_value_2);
  }
  /* line 12: return descend(y, exp(-pow(z, sin(pow(y, 2)))), n - 1, w) * hypot(z, y); */
  *y_bar = y_bar_2;
  *z_bar = z_bar_2;
  return descend;
}
