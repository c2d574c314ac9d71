/* Custom rules whose seeds hold integers beside the floating members, that overwrite their seeds and arguments, and
 * that are called where cotangents are added: the results are those of the same functions without rules. */
#include "check.h"

#include <tlaloc/grad.h>

/* ---- structs by value ---- */

typedef struct {
  double a;
  int k;
  double b[2];
} mixed;

static mixed turn(mixed v, double t) {
  mixed r = {v.a * v.a * t, v.k + 1, {v.b[0] * v.b[1], v.b[1] * t}};
  return r;
}

static mixed turn_by_jvp(mixed v, double t) { return turn(v, t); }

static mixed turn_jvp(mixed v, double t, mixed v_dot, double t_dot, mixed *turned_dot) {
  turned_dot->a = 2 * v.a * v_dot.a * t + v.a * v.a * t_dot;
  turned_dot->k = v.k + 1;
  turned_dot->b[0] = v_dot.b[0] * v.b[1] + v.b[0] * v_dot.b[1];
  turned_dot->b[1] = v_dot.b[1] * t + v.b[1] * t_dot + v_dot.k; /* the tangent of an integer is 0 */
  return turn(v, t);
}

TL_CUSTOM_JVP(turn_by_jvp, turn_jvp);

static mixed turn_by_vjp(mixed v, double t) { return turn(v, t); }

static mixed turn_vjp(mixed v, double t, mixed turned_bar, mixed *v_bar, double *t_bar) {
  v_bar->a = 2 * v.a * turned_bar.a * t;
  v_bar->k = v.k;
  v_bar->b[0] = turned_bar.b[0] * v.b[1];
  v_bar->b[1] = turned_bar.b[0] * v.b[0] + turned_bar.b[1] * t;
  *t_bar = v.a * v.a * turned_bar.a + v.b[1] * turned_bar.b[1] + turned_bar.k;
  return turn(v, t);
}

TL_CUSTOM_VJP(turn_by_vjp, turn_vjp);

/* ---- arrays of structs of a run-time extent ---- */

static void each(int n, const mixed v[n], mixed r[n]) {
  for (int i = 0; i < n; i++) {
    r[i] = turn(v[i], i + 0.5);
  }
}

static void each_by_jvp(int n, const mixed v[n], mixed r[n]) { each(n, v, r); }

static void each_jvp(int n, const mixed v[n], mixed r[n], const mixed v_dot[n], mixed r_dot[n]) {
  for (int i = 0; i < n; i++) {
    r[i] = turn_jvp(v[i], i + 0.5, v_dot[i], v_dot[i].k, &r_dot[i]);
  }
}

TL_CUSTOM_JVP(each_by_jvp, each_jvp);

static void each_by_vjp(int n, const mixed v[n], mixed r[n]) { each(n, v, r); }

static void each_vjp(int n, const mixed v[n], mixed r[n], const mixed r_bar[n], mixed v_bar[n]) {
  for (int i = 0; i < n; i++) {
    double t_bar;
    r[i] = turn_vjp(v[i], i + 0.5, r_bar[i], &v_bar[i], &t_bar);
  }
}

TL_CUSTOM_VJP(each_by_vjp, each_vjp);

/* ---- seeds and arguments as work space ---- */

static void squares(int n, const double *x TL_LEN(n), double *y TL_LEN(n)) {
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
  }
}

static void squares_by_jvp(int n, const double *x TL_LEN(n), double *y TL_LEN(n)) { squares(n, x, y); }

static void squares_jvp(int n, double *x TL_LEN(n), double *y TL_LEN(n), double *x_dot TL_LEN(n),
                        double *y_dot TL_LEN(n)) {
  squares(n, x, y);
  for (int i = 0; i < n; i++) {
    x_dot[i] *= 2 * x[i];
    y_dot[i] = x_dot[i];
    x[i] = 7;
  }
}

TL_CUSTOM_JVP(squares_by_jvp, squares_jvp);

static void squares_by_vjp(int n, const double *x TL_LEN(n), double *y TL_LEN(n)) { squares(n, x, y); }

static void squares_vjp(int n, double *x TL_LEN(n), double *y TL_LEN(n), double *y_bar TL_LEN(n),
                        double *x_bar TL_LEN(n)) {
  squares(n, x, y);
  for (int i = 0; i < n; i++) {
    y_bar[i] *= 2 * x[i];
    x_bar[i] = y_bar[i];
    x[i] = 7;
  }
}

TL_CUSTOM_VJP(squares_by_vjp, squares_vjp);

/* ---- callers ---- */

#define CALLERS(rule)                                                                                                  \
  static double whole##rule(int n, const double x[4]) {                                                                \
    mixed v = {x[0], n, {x[1], x[2]}};                                                                                 \
    v = turn##rule(v, x[3]);                                                                                           \
    v = turn##rule(v, x[0]);                                                                                           \
    return v.a * v.b[0] * v.b[1] * v.k;                                                                                \
  }                                                                                                                    \
  static double rows##rule(int n, const double x[4]) {                                                                 \
    mixed v[n], u[n];                                                                                                  \
    double sum = 0;                                                                                                    \
    for (int i = 0; i < n; i++) {                                                                                      \
      v[i] = (mixed){x[0] + i, 2, {x[1], x[2] * x[3]}};                                                                \
    }                                                                                                                  \
    each##rule(n, v, u);                                                                                               \
    each##rule(n, u, v);                                                                                               \
    for (int i = 0; i < n; i++) {                                                                                      \
      sum += v[i].a * v[i].b[0] * v[i].b[1] * v[i].k * u[i].b[0];                                                      \
    }                                                                                                                  \
    return sum;                                                                                                        \
  }                                                                                                                    \
  static double work##rule(int n, const double x[4]) {                                                                 \
    double y[4], z[4], sum = 0;                                                                                        \
    squares##rule(4, x, y);                                                                                            \
    squares##rule(4, y, z);                                                                                            \
    for (int i = 0; i < 4; i++) {                                                                                      \
      sum += x[i] * y[i] * z[i] * n;                                                                                   \
    }                                                                                                                  \
    return sum;                                                                                                        \
  }                                                                                                                    \
  static double powers##rule(int depth, const double x[4]) {                                                           \
    double y[4], sum = 0;                                                                                              \
    squares##rule(4, x, y);                                                                                            \
    if (depth <= 0) {                                                                                                  \
      for (int i = 0; i < 4; i++) {                                                                                    \
        sum += y[i];                                                                                                   \
      }                                                                                                                \
      return sum;                                                                                                      \
    }                                                                                                                  \
    return powers##rule(depth - 1, y) + depth;                                                                         \
  }                                                                                                                    \
  static double added##rule(int depth, const double x[4]) {                                                            \
    return powers##rule(depth, x) * powers##rule(depth - 1, x);                                                        \
  }

CALLERS()
CALLERS(_by_jvp)
CALLERS(_by_vjp)

static double bar[2][4], dot[2], J[2][1][4], H[2][4][4];

static void compare(const char *what) {
  for (int i = 0; i < 4; i++) {
    check_near(what, bar[1][i], bar[0][i], 1e-13);
    check_near(what, J[1][0][i], bar[0][i], 1e-13);
    for (int k = 0; k < 4; k++) {
      check_near(what, H[1][i][k], H[0][i][k], 1e-13);
    }
  }
  check_near(what, dot[1], dot[0], 1e-13);
}

#define DERIVE(at, f)                                                                                                  \
  do {                                                                                                                 \
    tl_grad(f, x)(n, x, bar[at]);                                                                                      \
    tl_jacobian(f, x)(n, x, J[at]);                                                                                    \
    tl_hessian(f, x)(n, x, H[at]);                                                                                     \
    dot[at] = tl_jvp(f, x)(n, x, x_dot);                                                                               \
  } while (0)

#define COMPARE(f)                                                                                                     \
  do {                                                                                                                 \
    DERIVE(0, f);                                                                                                      \
    DERIVE(1, f##_by_jvp);                                                                                             \
    compare(#f "_by_jvp");                                                                                             \
    DERIVE(1, f##_by_vjp);                                                                                             \
    compare(#f "_by_vjp");                                                                                             \
  } while (0)

int main(void) {
  double x[4] = {0.3, 0.5, 0.7, 0.9}, x_dot[4] = {1, -2, 3, 0.5};
  for (int n = 1; n < 4; n++) {
    COMPARE(whole);
    COMPARE(rows);
    COMPARE(work);
    COMPARE(added);
  }
  return check_done();
}
