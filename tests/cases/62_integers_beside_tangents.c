/* Structs of calls that stay calls, with integers among the floating members: their copies, in structs of tangents and
 * of cotangents that are results, are no values of the call. */
#include "check.h"

#include <tlaloc/grad.h>

typedef struct {
  double a;
  int k;
  double b;
} left_alone;

static double grow(left_alone *q, double x, int depth) {
  if (depth <= 0) {
    return sin(q->a);
  }
  q->a *= x * q->k;
  q->b += q->a;
  return sin(grow(q, x, depth - 1)) + q->b;
}

static double grown(double x) {
  left_alone s = {1, 2, 3};
  double r = grow(&s, x, 3);
  return r * s.a * s.b * s.k;
}

typedef struct {
  double a;
  int calls;
  double b[2];
} counted;

static double count(counted *q, const double x[2], int depth) {
  if (depth <= 0) {
    return q->a * q->b[1];
  }
  q->calls++;
  q->b[q->calls % 2] *= x[depth % 2];
  return count(q, x, depth - 1) + q->b[0] * q->a;
}

static double counting(const double x[2]) {
  counted s = {0.5, 1, {1.5, 2}};
  double r = count(&s, x, 4);
  return r * s.b[0] * s.b[1] + s.calls * r;
}

static double counting_from(double a, const double x[2]) {
  counted s = {a, 1, {1.5, a * a}};
  double r = count(&s, x, 4);
  return r * s.b[0] * s.b[1] + s.calls * r;
}

static double rows(int n, counted q[n], double x, int depth) {
  if (depth <= 0) {
    return q[n - 1].b[0];
  }
  for (int i = 0; i < n; i++) {
    q[i].a *= x;
    q[i].b[depth % 2] += q[i].a * (q[i].calls + i);
  }
  return rows(n, q, x, depth - 1) * q[0].a;
}

static double of_rows(int n, double x) {
  counted q[n];
  for (int i = 0; i < n; i++) {
    q[i] = (counted){i + 1, i, {1, 2}};
  }
  double r = rows(n, q, x, 3);
  for (int i = 0; i < n; i++) {
    r += q[i].a * q[i].b[1] * q[i].calls;
  }
  return r;
}

static const double step = 1e-5;

int main(void) {
  double x = 0.8, x_bar, x_bar_dot, H[1][1];
  CHECK_TO(tl_jvp(grown, x)(x, 1), (grown(x + step) - grown(x - step)) / (2 * step), 1e-7);
  CHECK_TO(tl_grad(grown)(x), tl_jvp(grown, x)(x, 1), 1e-13);
  tl_hessian(grown, x)(x, H);
  CHECK_TO(H[0][0], (tl_grad(grown)(x + step) - tl_grad(grown)(x - step)) / (2 * step), 1e-7);
  CHECK_TO(tl_jvp(tl_vjp(grown, x), x)(x, 1, &x_bar, 1, &x_bar_dot), tl_grad(grown)(x), 1e-13);

  double w[2] = {0.7, 1.2}, w_bar[2], v_bar[2], HH[2][2], J[1][2];
  tl_grad(counting, x)(w, w_bar);
  tl_jacobian(counting, x)(w, J);
  tl_hessian(counting, x)(w, HH);
  for (int i = 0; i < 2; i++) {
    double at = w[i], d;
    w[i] = at + step;
    d = counting(w);
    tl_grad(counting, x)(w, v_bar);
    double up[2] = {v_bar[0], v_bar[1]};
    w[i] = at - step;
    d -= counting(w);
    tl_grad(counting, x)(w, v_bar);
    w[i] = at;
    CHECK_TO(w_bar[i], d / (2 * step), 1e-7);
    CHECK_TO(J[0][i], w_bar[i], 1e-13);
    for (int k = 0; k < 2; k++) {
      CHECK_TO(HH[k][i], (up[k] - v_bar[k]) / (2 * step), 1e-7);
    }
  }
  double a = 0.9;
  tl_hessian(counting_from, a)(a, w, H);
  CHECK_TO(H[0][0], (tl_grad(counting_from, a)(a + step, w) - tl_grad(counting_from, a)(a - step, w)) / (2 * step),
           1e-7);

  for (int n = 1; n < 4; n++) {
    CHECK_TO(tl_jvp(of_rows, x)(n, x, 1), (of_rows(n, x + step) - of_rows(n, x - step)) / (2 * step), 1e-7);
    CHECK_TO(tl_grad(of_rows, x)(n, x), tl_jvp(of_rows, x)(n, x, 1), 1e-13);
    tl_hessian(of_rows, x)(n, x, H);
    CHECK_TO(H[0][0], (tl_grad(of_rows, x)(n, x + step) - tl_grad(of_rows, x)(n, x - step)) / (2 * step), 1e-6);
  }
  return check_done();
}
