/* Functions with custom rules whose arrays have run-time extents, in each mode: the results are those of the same
 * functions without rules. */
#include "check.h"

#include <string.h>
#include <tlaloc/grad.h>

/* ---- bodies and rules ---- */

static void squares(int n, const double x[n], double y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
  }
}

static void squares_by_vjp(int n, const double x[n], double y[n]) { squares(n, x, y); }

static void squares_vjp(int n, const double x[n], double y[n], const double y_bar[n], double x_bar[n]) {
  squares(n, x, y);
  for (int i = 0; i < n; i++) {
    x_bar[i] = 2 * x[i] * y_bar[i];
  }
}

TL_CUSTOM_VJP(squares_by_vjp, squares_vjp);

static void squares_by_jvp(int n, const double x[n], double y[n]) { squares(n, x, y); }

static void squares_jvp(int n, const double x[n], double y[n], const double x_dot[n], double y_dot[n]) {
  squares(n, x, y);
  for (int i = 0; i < n; i++) {
    y_dot[i] = 2 * x[i] * x_dot[i];
  }
}

TL_CUSTOM_JVP(squares_by_jvp, squares_jvp);

/* The extent comes last, in a TL_LEN; a scalar too has a cotangent. */
static void scaled(const double *x TL_LEN(n), double *y TL_LEN(n), double c, int n) {
  for (int i = 0; i < n; i++) {
    y[i] = c * x[i] * x[i];
  }
}

static void scaled_by_vjp(const double *x TL_LEN(n), double *y TL_LEN(n), double c, int n) { scaled(x, y, c, n); }

static void scaled_vjp(const double *x TL_LEN(n), double *y TL_LEN(n), double c, int n, const double *y_bar TL_LEN(n),
                       double *x_bar TL_LEN(n), double *c_bar) {
  scaled(x, y, c, n);
  *c_bar = 0;
  for (int i = 0; i < n; i++) {
    x_bar[i] = 2 * c * x[i] * y_bar[i];
    *c_bar += x[i] * x[i] * y_bar[i];
  }
}

TL_CUSTOM_VJP(scaled_by_vjp, scaled_vjp);

static void scaled_by_jvp(const double *x TL_LEN(n), double *y TL_LEN(n), double c, int n) { scaled(x, y, c, n); }

static void scaled_jvp(const double *x TL_LEN(n), double *y TL_LEN(n), double c, int n, const double *x_dot TL_LEN(n),
                       double c_dot, double *y_dot TL_LEN(n)) {
  scaled(x, y, c, n);
  for (int i = 0; i < n; i++) {
    y_dot[i] = 2 * c * x[i] * x_dot[i] + c_dot * x[i] * x[i];
  }
}

TL_CUSTOM_JVP(scaled_by_jvp, scaled_jvp);

/* Two extents, two axes, extents by expressions: y = A x + x_0 z, and its value. */
static double product(size_t rows, int cols, const double a[rows][cols], const double x[cols],
                      const double *z TL_LEN(rows * 2 - 1), double y[rows]) {
  double s = 0;
  for (size_t i = 0; i < rows; i++) {
    y[i] = x[0] * z[2 * i];
    for (int k = 0; k < cols; k++) {
      y[i] += a[i][k] * x[k];
    }
    s += y[i];
  }
  return s;
}

static double product_by_vjp(size_t rows, int cols, const double a[rows][cols], const double x[cols],
                             const double *z TL_LEN(rows * 2 - 1), double y[rows]) {
  return product(rows, cols, a, x, z, y);
}

static double product_vjp(size_t rows, int cols, const double a[rows][cols], const double x[cols],
                          const double *z TL_LEN(rows * 2 - 1), double y[rows], double s_bar, const double y_bar[rows],
                          double a_bar[rows][cols], double x_bar[cols], double *z_bar TL_LEN(rows * 2 - 1)) {
  for (int k = 0; k < cols; k++) {
    x_bar[k] = 0;
  }
  for (size_t i = 0; i < rows * 2 - 1; i++) {
    z_bar[i] = 0;
  }
  for (size_t i = 0; i < rows; i++) {
    double bar = y_bar[i] + s_bar;
    x_bar[0] += z[2 * i] * bar;
    z_bar[2 * i] = x[0] * bar;
    for (int k = 0; k < cols; k++) {
      a_bar[i][k] = x[k] * bar;
      x_bar[k] += a[i][k] * bar;
    }
  }
  return product(rows, cols, a, x, z, y);
}

TL_CUSTOM_VJP(product_by_vjp, product_vjp);

static double product_by_jvp(size_t rows, int cols, const double a[rows][cols], const double x[cols],
                             const double *z TL_LEN(rows * 2 - 1), double y[rows]) {
  return product(rows, cols, a, x, z, y);
}

static double product_jvp(size_t rows, int cols, const double a[rows][cols], const double x[cols],
                          const double *z TL_LEN(rows * 2 - 1), double y[rows], const double a_dot[rows][cols],
                          const double x_dot[cols], const double *z_dot TL_LEN(rows * 2 - 1), double *s_dot,
                          double y_dot[rows]) {
  *s_dot = 0;
  for (size_t i = 0; i < rows; i++) {
    y_dot[i] = x_dot[0] * z[2 * i] + x[0] * z_dot[2 * i];
    for (int k = 0; k < cols; k++) {
      y_dot[i] += a_dot[i][k] * x[k] + a[i][k] * x_dot[k];
    }
    *s_dot += y_dot[i];
  }
  return product(rows, cols, a, x, z, y);
}

TL_CUSTOM_JVP(product_by_jvp, product_jvp);

/* An in-out. */
static void advance(int n, double x[n], double t) {
  for (int i = 0; i < n; i++) {
    x[i] += t * x[i] * x[i];
  }
}

static void advance_by_vjp(int n, double x[n], double t) { advance(n, x, t); }

static void advance_vjp(int n, double x[n], double t, double x_bar[n], double *t_bar) {
  *t_bar = 0;
  for (int i = 0; i < n; i++) {
    *t_bar += x[i] * x[i] * x_bar[i];
    x_bar[i] *= 1 + 2 * t * x[i];
    x[i] += t * x[i] * x[i];
  }
}

TL_CUSTOM_VJP(advance_by_vjp, advance_vjp);

static void advance_by_jvp(int n, double x[n], double t) { advance(n, x, t); }

static void advance_jvp(int n, double x[n], double t, double x_dot[n], double t_dot) {
  for (int i = 0; i < n; i++) {
    x_dot[i] += t_dot * x[i] * x[i] + 2 * t * x[i] * x_dot[i];
    x[i] += t * x[i] * x[i];
  }
}

TL_CUSTOM_JVP(advance_by_jvp, advance_jvp);

/* ---- callers ---- */

#define CALLERS(rule)                                                                                                  \
  static void all##rule(int n, const double p[n], double out[n + 1]) {                                                 \
    double a[n][n + 1], x[n + 1], y[n], z[2 * n - 1], u[n];                                                            \
    for (int i = 0; i < n; i++) {                                                                                      \
      u[i] = p[i] + i;                                                                                                 \
      for (int k = 0; k <= n; k++) {                                                                                   \
        a[i][k] = p[i] * p[k % n] + k;                                                                                 \
      }                                                                                                                \
    }                                                                                                                  \
    squares##rule(n, u, y);                                                                                            \
    for (int i = 0; i < n; i++) {                                                                                      \
      x[i] = sin(y[i]);                                                                                                \
      z[i] = y[i] * p[0];                                                                                              \
    }                                                                                                                  \
    x[n] = p[n - 1];                                                                                                   \
    for (int i = n; i < 2 * n - 1; i++) {                                                                              \
      z[i] = p[i - n] * 0.5;                                                                                           \
    }                                                                                                                  \
    out[n] = product##rule((size_t)n, n + 1, a, x, z, y);                                                              \
    for (int i = 0; i < n; i++) {                                                                                      \
      y[i] = cos(y[i]);                                                                                                \
    }                                                                                                                  \
    for (int i = 0; i < 2; i++) {                                                                                      \
      scaled##rule(y, u, p[n / 2], n);                                                                                 \
      advance##rule(n, u, p[0] * 0.1);                                                                                 \
      memcpy(y, u, sizeof y);                                                                                          \
    }                                                                                                                  \
    for (int i = 0; i < n; i++) {                                                                                      \
      out[i] = y[i] * u[n - 1 - i];                                                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  static double sum##rule(int n, const double p[n]) {                                                                  \
    double out[n + 1], s = 0;                                                                                          \
    all##rule(n, p, out);                                                                                              \
    for (int i = 0; i <= n; i++) {                                                                                     \
      s += out[i] * (i + 1);                                                                                           \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double of_one##rule(double x) {                                                                               \
    double t[5], o[5];                                                                                                 \
    for (int i = 0; i < 5; i++) {                                                                                      \
      t[i] = x + i;                                                                                                    \
    }                                                                                                                  \
    squares##rule(5, t, o);                                                                                            \
    advance##rule(3, o + 1, x);                                                                                        \
    scaled##rule(o, t, x, 2);                                                                                          \
    return t[0] * o[3] * o[1];                                                                                         \
  }

CALLERS()
CALLERS(_by_vjp)
CALLERS(_by_jvp)

enum { MOST = 4 };

static double p_dot[MOST] = {1, -2, 0.5, 3}, y[MOST + 1], y_dot[2][MOST + 1], J[2][MOST + 1][MOST], p_bar[2][MOST],
              H[2][MOST * MOST], one[2][1][1];

static void compare(const char *what, int count, const double *want, const double *got) {
  for (int i = 0; i < count; i++) {
    check_near(what, got[i], want[i], 1e-12);
  }
}

#define WITH_RULE(rule)                                                                                                \
  do {                                                                                                                 \
    tl_jvp(all##rule, p)(n, p, y, p_dot, y_dot[1]);                                                                    \
    tl_jacobian(all##rule, p)(n, p, y, (void *)J[1]);                                                                  \
    compare("jvp" #rule, n + 1, y_dot[0], y_dot[1]);                                                                   \
    compare("jacobian" #rule, n *(n + 1), J[0][0], J[1][0]);                                                           \
    tl_jacobian_reverse(all##rule, p)(n, p, y, (void *)J[1]);                                                          \
    compare("jacobian_reverse" #rule, n *(n + 1), J[0][0], J[1][0]);                                                   \
    tl_grad(sum##rule, p)(n, p, p_bar[1]);                                                                             \
    compare("grad" #rule, n, p_bar[0], p_bar[1]);                                                                      \
    tl_hessian(sum##rule, p)(n, p, (void *)H[1]);                                                                      \
    compare("hessian" #rule, n *n, H[0], H[1]);                                                                        \
    check_near("of one" #rule, tl_grad(of_one##rule)(0.3), tl_grad(of_one)(0.3), 1e-13);                               \
    tl_hessian(of_one##rule, x)(0.3, one[1]);                                                                          \
    check_near("second of one" #rule, one[1][0][0], one[0][0][0], 1e-13);                                              \
    check_near("third of one" #rule, tl_jvp(tl_grad(tl_grad(of_one##rule, x), x), x)(0.3, 1),                          \
               tl_jvp(tl_grad(tl_grad(of_one, x), x), x)(0.3, 1), 1e-13);                                              \
  } while (0)

int main(void) {
  tl_hessian(of_one, x)(0.3, one[0]);
  for (int n = 1; n <= MOST; n++) {
    const double p[MOST] = {0.3, 0.5, 0.7, 0.2};
    tl_jvp(all, p)(n, p, y, p_dot, y_dot[0]);
    tl_jacobian(all, p)(n, p, y, (void *)J[0]);
    tl_grad(sum, p)(n, p, p_bar[0]);
    tl_hessian(sum, p)(n, p, (void *)H[0]);
    WITH_RULE(_by_vjp);
    WITH_RULE(_by_jvp);
    for (int k = 0; k < n; k++) { /* differences */
      double q[MOST], up;
      memcpy(q, p, sizeof q);
      q[k] = p[k] + 1e-6;
      up = sum(n, q);
      q[k] = p[k] - 1e-6;
      CHECK_TO(p_bar[1][k], (up - sum(n, q)) / 2e-6, 1e-7);
    }
  }
  return check_done();
}
