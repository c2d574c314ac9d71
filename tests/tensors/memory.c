/* Tensors made of numbers of the program inside of a differentiated function: tl_from of arrays, parts of them,
 * literals and members, of run-time length, in loops; tl_fill with a number and an extent of the run. */
#include <math.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(N);

static double local(double a) {
  double v[3] = {a, 2 * a, a * a};
  tl_tensor t = tl_from(TL_F64, TL_SHAPE(3), v);
  v[0] = 100;                                          /* the tensor has its elements already */
  return tl_item(tl_sum(tl_mul(t, t), TL_ALL, false)); /* 5 a^2 + a^4 */
}

static double literal(double a, double b) {
  tl_tensor m = tl_from(TL_F64, TL_SHAPE(2, 2), (double[]){a, b, -b, a});
  return tl_item(tl_sum(tl_matmul(m, m), TL_ALL, false)); /* 2 (a^2 - b^2) */
}

static double of_array(size_t n, const double v[n], tl_typed(F64, N) w) {
  return tl_item(tl_sum(tl_mul(tl_from(TL_F64, TL_SHAPE((int64_t)n), v), tl_exp(w)), TL_ALL, false));
}

static double of_part(const double v[6]) {
  tl_tensor t = tl_from(TL_F64, TL_SHAPE(2, 2), v + 1);
  return tl_item(tl_sum(tl_matmul(t, t), TL_ALL, false));
}

static double of_matrix(const double a[2][3]) {
  tl_tensor t = tl_from(TL_F64, TL_SHAPE(3, 2), a);
  tl_tensor u = tl_from(TL_F64, TL_SHAPE(3), a[1]);
  return tl_item(tl_sum(tl_mul(tl_sum(tl_mul(t, t), TL_AXES(1), false), u), TL_ALL, false));
}

typedef struct model {
  double rates[2];
  int places[2];
} model;

static double of_members(const model *m, tl_typed(F64, N) x) {
  tl_tensor picked = tl_gather(x, tl_from(TL_I32, TL_SHAPE(2), m->places), 0, (tl_gather_opts){.mode = TL_INDEX_CLIP});
  return tl_item(tl_sum(tl_mul(tl_sin(picked), tl_from(TL_F64, TL_SHAPE(2), m->rates)), TL_ALL, false));
}

static const double table[3] = {2, 3, 5};

static double steps(double a, int n) { /* the state is a tensor made anew of numbers in each step */
  double x = a, y = 1;
  for (int i = 0; i < n; i++) {
    tl_tensor s = tl_from(TL_F64, TL_SHAPE(2), (double[]){x, y});
    tl_tensor r = tl_mul(tl_sin(s), tl_fill(TL_F64, TL_SHAPE(2), a));
    x = tl_item(tl_sum(r, TL_ALL, false));
    y = x * y;
  }
  return x + y;
}

static double filled(double a, int64_t n) {
  tl_tensor t = tl_fill(TL_F64, TL_SHAPE(n, 2), a), u = tl_from(TL_F64, TL_SHAPE(3), table);
  return tl_item(tl_sum(tl_mul(t, t), TL_ALL, false)) + a * tl_item(tl_sum(u, TL_ALL, false)); /* 2 n a^2 + 10 a */
}

static float single(const float v[4]) {
  tl_tensor t = tl_from(TL_F32, TL_SHAPE(4), v);
  return (float)tl_item(tl_sum(tl_mul(t, tl_mul(t, t)), TL_ALL, false));
}

static double along(double (*f)(double, int), double a, int n) {
  double h = 1e-3;
  return (f(a - 2 * h, n) - 8 * f(a - h, n) + 8 * f(a + h, n) - f(a + 2 * h, n)) / (12 * h);
}

int main(void) {
  CHECK(tl_grad(local)(1.5), 10 * 1.5 + 4 * 1.5 * 1.5 * 1.5);
  CHECK(tl_jvp(local)(1.5, 2), 2 * (10 * 1.5 + 4 * 1.5 * 1.5 * 1.5));
  double a_bar, b_bar, H[2][2], J[1][1];
  tl_grad(literal)(3, 2, &a_bar, &b_bar);
  CHECK(a_bar, 12);
  CHECK(b_bar, -8);
  tl_hessian(literal)(3, 2, H);
  CHECK(H[0][0], 4);
  CHECK(H[0][1], 0);
  CHECK(H[1][1], -4);
  tl_jacobian(local)(2, J);
  CHECK(J[0][0], 52);
  CHECK(tl_check_vjp(literal)(3, 2, 0), 0);

  double v[6] = {1, 2, -3, 0.5, 4, 7}, v_bar[6], g[3];
  tl_tensor w = tl_from(TL_F64, TL_SHAPE(3), (double[]){0.1, 0.2, -0.3}), w_bar;
  tl_grad(of_array)(3, v, w, v_bar, &w_bar);
  tl_read(w_bar, g, sizeof g);
  static const double at[] = {0.1, 0.2, -0.3};
  for (int i = 0; i < 3; i++) {
    CHECK_TO(v_bar[i], exp(at[i]), 1e-15);
    CHECK_TO(g[i], v[i] * exp(at[i]), 1e-15);
  }
  tl_grad(of_part)(v, v_bar); /* the columns' sums times the rows' sums */
  double column[] = {v[1] + v[3], v[2] + v[4]}, row[] = {v[1] + v[2], v[3] + v[4]};
  CHECK(v_bar[0], 0);
  CHECK(v_bar[5], 0);
  for (int i = 0; i < 4; i++) {
    CHECK(v_bar[1 + i], row[i % 2] + column[i / 2]);
  }
  CHECK(tl_check_vjp(of_part)(v, 0), 0);
  double m[2][3] = {{1, 2, 3}, {4, 5, 6}}, m_bar[2][3];
  tl_grad(of_matrix)(m, m_bar);
  CHECK(m_bar[0][0], 2 * 1 * 4);
  CHECK(m_bar[0][2], 2 * 3 * 5);
  CHECK(m_bar[1][0], 2 * 4 * 5 + 1 + 4);
  CHECK(m_bar[1][2], 2 * 6 * 6 + 25 + 36);
  model p = {{2, -1}, {2, 0}}, p_bar;
  tl_grad(of_members)(&p, w, &p_bar, &w_bar);
  tl_read(w_bar, g, sizeof g);
  CHECK_TO(p_bar.rates[0], sin(-0.3), 1e-15);
  CHECK_TO(p_bar.rates[1], sin(0.1), 1e-15);
  CHECK_TO(g[0], -cos(0.1), 1e-15);
  CHECK(g[1], 0);
  CHECK_TO(g[2], 2 * cos(-0.3), 1e-15);
  for (int n = 0; n < 4; n++) {
    CHECK_TO(tl_grad(steps)(0.7, n), along(steps, 0.7, n), 1e-9);
    CHECK_TO(tl_vjp(steps)(0.7, n, 1, &a_bar), steps(0.7, n), 1e-15);
    CHECK_TO(a_bar, along(steps, 0.7, n), 1e-9);
  }
  CHECK(tl_grad(filled)(3, 5), 4 * 5 * 3 + 10);
  float f[4] = {1, 2, 3, -4}, f_bar[4];
  tl_grad(single)(f, f_bar);
  for (int i = 0; i < 4; i++) {
    CHECK(f_bar[i], 3 * f[i] * f[i]);
  }
  return check_done();
}
