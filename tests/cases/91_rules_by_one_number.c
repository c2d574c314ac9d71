/* Custom rules by jvp of calls with one number that is differentiated: reverse mode calls the rule with the tangent 1.
 */
#include "check.h"

#include <tlaloc/grad.h>

enum { N = 5 };

static double root(double x, double b) { return sqrt(x * x + b); }
static double root_jvp(double x, double b, double x_dot, double b_dot, double *root_dot) {
  double y = root(x, b);
  *root_dot = (x * x_dot + b_dot / 2) / y;
  return y;
}
TL_CUSTOM_JVP(root, root_jvp);

static double weigh(double x, const double w[2]) { return x * x * x * w[0] + w[1] * x; }
static double weigh_jvp(double x, const double w[2], double x_dot, const double w_dot[2], double *weigh_dot) {
  *weigh_dot = (3 * x * x * w[0] + w[1]) * x_dot + x * x * x * w_dot[0] + x * w_dot[1];
  return weigh(x, w);
}
TL_CUSTOM_JVP(weigh, weigh_jvp);

static void powers(double x, double *square, double *cube) {
  *square = x * x;
  *cube = x * x * x;
}
static void powers_jvp(double x, double *square, double *cube, double x_dot, double *square_dot, double *cube_dot) {
  powers(x, square, cube);
  *square_dot = 2 * x * x_dot;
  *cube_dot = 3 * x * x * x_dot;
}
TL_CUSTOM_JVP(powers, powers_jvp);

static float narrow(float x) { return x * x; }
static float narrow_jvp(float x, float x_dot, float *narrow_dot) {
  *narrow_dot = 2 * x * x_dot;
  return x * x;
}
TL_CUSTOM_JVP(narrow, narrow_jvp);

static double roots(const double q[N], double b) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    s += root(q[i], b) * sin(q[i]);
  }
  return s;
}

static double weights(const double q[N], const double w[2]) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    s += weigh(q[i], w) * sin(q[i]);
  }
  return s;
}

static double both_powers(const double q[N]) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double square, cube;
    powers(q[i], &square, &cube);
    s += square * sin(cube);
  }
  return s;
}

static double one_power(const double q[N]) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double square, cube;
    powers(q[i], &square, &cube);
    s += cube;
  }
  return s;
}

static double narrowed(const double q[N]) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    s += narrow((float)q[i]) * q[i];
  }
  return s;
}

static void roots_of_all(const double q[N], double r[N], double p[N]) {
  for (int i = 0; i < N; i++) {
    double square, cube;
    powers(q[i], &square, &cube);
    r[i] = root(q[i], q[0] * q[0]) * q[1];
    p[i] = root(square, 0.5) + cube;
  }
}

static double plain_root(double x, double b) { return sqrt(x * x + b); }
static void plain_roots_of_all(const double q[N], double r[N], double p[N]) {
  for (int i = 0; i < N; i++) {
    r[i] = plain_root(q[i], q[0] * q[0]) * q[1];
    p[i] = plain_root(q[i] * q[i], 0.5) + q[i] * q[i] * q[i];
  }
}

static double soft(double x) { return log1p(exp(x)); }
static double soft_vjp(double x, double soft_bar, double *x_bar) {
  *x_bar = soft_bar / (1 + exp(-x));
  return soft(x);
}
TL_CUSTOM_VJP(soft, soft_vjp);
static double plain_soft(double x) { return log1p(exp(x)); }

/* Recurrences, so that all directions are in every number. */
#define RECURRENCES(rule)                                                                                              \
  static double recurrence##rule(const double q[N]) {                                                                  \
    double s = 0.5;                                                                                                    \
    for (int i = 0; i < N; i++) {                                                                                      \
      s = s > 1 ? rule##soft(s * q[i]) : rule##root(s, q[i] * q[i]) * rule##soft(q[i]);                                \
    }                                                                                                                  \
    return s;                                                                                                          \
  }
RECURRENCES()
RECURRENCES(plain_)

static void check_lanes(const double q[N]) {
  double r[N], p[N], J[2][N][N], plain[2][N][N];
  tl_jacobian(roots_of_all)(q, r, p, J[0], J[1]);
  tl_jacobian(plain_roots_of_all)(q, r, p, plain[0], plain[1]);
  for (int i = 0; i < 2 * N * N; i++) {
    CHECK((&J[0][0][0])[i], (&plain[0][0][0])[i]);
  }
  tl_hessian(recurrence)(q, J[0]);
  tl_hessian(recurrenceplain_)(q, plain[0]);
  for (int i = 0; i < N * N; i++) {
    CHECK_TO((&J[0][0][0])[i], (&plain[0][0][0])[i], 1e-12);
  }
}

static double curvature(double x) { /* of x^2 sin(x^3) */
  double c = x * x * x;
  return 2 * sin(c) + 18 * c * cos(c) - 9 * c * c * sin(c);
}

int main(void) {
  static const double q[N] = {1, 0.5, -2, 3, 0.25}, w[2] = {1, 2};
  double q_bar[N], H[N][N];
  CHECK(tl_check_vjp(roots, q)(q, 0.1, 0), 0);
  CHECK(tl_check_vjp(roots)(q, 0.1, 0), 0);
  CHECK(tl_check_vjp(weights, q)(q, w, 0), 0);
  CHECK(tl_check_vjp(weights)(q, w, 0), 0);
  CHECK(tl_check_vjp(both_powers)(q, 0), 0);
  CHECK(tl_check_vjp(one_power)(q, 0), 0);
  tl_hessian(both_powers)(q, H);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) {
      CHECK_TO(H[i][k], i == k ? curvature(q[i]) : 0, 1e-12);
    }
  }
  check_lanes(q);
  tl_grad(narrowed)(q, q_bar);
  for (int i = 0; i < N; i++) {
    CHECK(q_bar[i], 3 * q[i] * q[i]);
  }
  return check_done();
}
