/* Rules of the user's: where the value is wanted too, the rule gives it; a rule by jvp of one number is called with 1.
 */
#include "dumps.h"

#include <math.h>

static double softplus(double x) { return log1p(exp(x)); }
static double softplus_vjp(double x, double softplus_bar, double *x_bar) {
  *x_bar = softplus_bar / (1 + exp(-x));
  return softplus(x);
}

static double soft_abs(double x, double width) { return sqrt(x * x + width); }
static double soft_abs_jvp(double x, double width, double x_dot, double width_dot, double *soft_abs_dot) {
  double y = soft_abs(x, width);
  *soft_abs_dot = (x * x_dot + 0.5 * width_dot) / y;
  return y;
}

static double soft_max(int n, const double z[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += exp(z[i]);
  }
  return log(s);
}
static double soft_max_vjp(int n, const double z[n], double soft_max_bar, double z_bar[n]) {
  double l = soft_max(n, z);
  for (int i = 0; i < n; i++) {
    z_bar[i] = soft_max_bar * exp(z[i] - l);
  }
  return l;
}
#ifdef TL_CUSTOM_VJP
TL_CUSTOM_VJP(softplus, softplus_vjp);
TL_CUSTOM_JVP(soft_abs, soft_abs_jvp);
TL_CUSTOM_VJP(soft_max, soft_max_vjp);
#endif

static double sum(int n, const double q[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += softplus(q[i]);
  }
  return s;
}

static double waves(int n, const double q[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += soft_abs(q[i], 0.01) * sin(q[i]);
  }
  return s;
}

static double loss(const double w[4]) {
  double z[4];
  for (int i = 0; i < 4; i++) {
    z[i] = tanh(w[i]);
  }
  return soft_max(4, z) - z[2];
}

/* calls */
int RUN(double out[]) {
  double q[4] = {-1, 0.5, 2, 0.1};
  out[0] = CALL(value_and_grad, sum)(4, q, out + 1);
  out[5] = CALL(value_and_grad, waves)(4, q, out + 6);
  out[10] = CALL(value_and_grad, loss)(q, out + 11);
  double hessian[4][4];
  CALL(hessian, waves)(4, q, hessian);
  for (int i = 0; i < 4; i++) {
    out[15 + i] = hessian[i][i];
  }
  return 19;
}
