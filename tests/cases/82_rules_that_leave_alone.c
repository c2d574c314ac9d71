/* Custom rules that leave the cotangent or the tangent of an in-out as it is: it stays what it was. The results are
 * those of the same functions without rules. */
#include "check.h"

#include <tlaloc/grad.h>

enum { N = 3 };

struct pair {
  double a, b;
};

#define STEPS(rule)                                                                                                    \
  static void shift##rule(double p[N], double y) { p[0] += y; }                                                        \
  static void count##rule(double p[N], int n) { p[1] += n; }                                                           \
  static void scale##rule(struct pair *q, double y) { q->a *= y; }

STEPS()
STEPS(_by_vjp)
STEPS(_by_jvp)

static void shift_vjp(double p[N], double y, double p_bar[N], double *y_bar) {
  shift(p, y);
  *y_bar = p_bar[0];
}
static void count_vjp(double p[N], int n, double p_bar[N]) {
  (void)p_bar;
  count(p, n);
}
static void scale_vjp(struct pair *q, double y, struct pair *q_bar, double *y_bar) {
  *y_bar = q_bar->a * q->a;
  q_bar->a *= y;
  scale(q, y);
}
TL_CUSTOM_VJP(shift_by_vjp, shift_vjp);
TL_CUSTOM_VJP(count_by_vjp, count_vjp);
TL_CUSTOM_VJP(scale_by_vjp, scale_vjp);

static void shift_jvp(double p[N], double y, double p_dot[N], double y_dot) {
  shift(p, y);
  p_dot[0] += y_dot;
}
static void count_jvp(double p[N], int n, double p_dot[N]) {
  (void)p_dot;
  count(p, n);
}
static void scale_jvp(struct pair *q, double y, struct pair *q_dot, double y_dot) {
  q_dot->a = q_dot->a * y + q->a * y_dot;
  scale(q, y);
}
TL_CUSTOM_JVP(shift_by_jvp, shift_jvp);
TL_CUSTOM_JVP(count_by_jvp, count_jvp);
TL_CUSTOM_JVP(scale_by_jvp, scale_jvp);

#define CALLERS(rule)                                                                                                  \
  static double whole##rule(int n, const double x[N]) {                                                                \
    double p[N], s = 1;                                                                                                \
    for (int i = 0; i < N; i++) {                                                                                      \
      p[i] = x[i] * x[i];                                                                                              \
    }                                                                                                                  \
    for (int i = 0; i < n; i++) {                                                                                      \
      shift##rule(p, x[i] * x[2]);                                                                                     \
      count##rule(p, n);                                                                                               \
    }                                                                                                                  \
    struct pair q = {p[0] * x[1], p[1]};                                                                               \
    scale##rule(&q, p[2]);                                                                                             \
    for (int i = 0; i < N; i++) {                                                                                      \
      s *= p[i];                                                                                                       \
    }                                                                                                                  \
    return s + q.a * q.b;                                                                                              \
  }

CALLERS()
CALLERS(_by_vjp)
CALLERS(_by_jvp)

static double bar[2][N], dot[2], H[2][N][N];

static void compare(const char *what) {
  check_near(what, dot[1], dot[0], 1e-13);
  for (int i = 0; i < N; i++) {
    check_near(what, bar[1][i], bar[0][i], 1e-13);
    for (int k = 0; k < N; k++) {
      check_near(what, H[1][i][k], H[0][i][k], 1e-13);
    }
  }
}

#define DERIVE(at, f)                                                                                                  \
  do {                                                                                                                 \
    tl_grad(f, x)(n, x, bar[at]);                                                                                      \
    dot[at] = tl_jvp(f, x)(n, x, x_dot);                                                                               \
    tl_hessian(f, x)(n, x, H[at]);                                                                                     \
  } while (0)

int main(void) {
  double x[N] = {0.3, 0.5, 0.7}, x_dot[N] = {1, -2, 3};
  for (int n = 0; n < N; n++) {
    DERIVE(0, whole);
    DERIVE(1, whole_by_vjp);
    compare("by vjp");
    DERIVE(1, whole_by_jvp);
    compare("by jvp");
  }
  return check_done();
}
