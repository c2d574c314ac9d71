/* Custom rules of functions on tensors: what a rule says is what counts, in both modes, nested, in batches; each factor
 * 20 or 30 is a rule's that a derivative of the body would not have. */
#include <math.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(N);
tl_axis(Rows);

/* ---- a vjp ---- */

static tl_typed(F64, N) square(tl_typed(F64, N) x) { return tl_mul(x, x); }
static tl_tensor square_vjp(tl_typed(F64, N) x, tl_typed(F64, N) y_bar, tl_typed(F64, N) * x_bar) {
  *x_bar = tl_mul(tl_mul(tl_fill(TL_F64, TL_SCALAR, 20), x), y_bar);
  return tl_mul(x, x);
}
TL_CUSTOM_VJP(square, square_vjp);
static tl_tensor of_square(tl_typed(F64, N) x) { return tl_sum(square(tl_sin(x)), TL_ALL, false); }

/* x is squared n times, in a loop. */
static tl_tensor tower(tl_typed(F64, N) x, int n) {
  tl_tensor y = x;
  for (int i = 0; i < n; i++) {
    y = square(y);
  }
  return tl_sum(y, TL_ALL, false);
}

static void check_vjp(void) {
  const double v[] = {1, 2, -0.5};
  double g[3], t, j[9], h[9];
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3), v), d = tl_from(TL_F64, TL_SHAPE(3), (double[]){1, 10, 100}), J, H;
  tl_read(tl_grad(of_square)(x), g, sizeof g);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(g[i], 20 * sin(v[i]) * cos(v[i]), 1e-14);
  }
  tl_read(tl_jvp(of_square)(x, d), &t, sizeof t);
  CHECK_TO(t, g[0] + 10 * g[1] + 100 * g[2], 1e-14);
  for (int reverse = 0; reverse < 2; reverse++) {
    if (reverse) {
      tl_jacobian_reverse(square)(x, &J);
    } else {
      tl_jacobian(square)(x, &J);
    }
    tl_read(J, j, sizeof j);
    for (int i = 0; i < 9; i++) {
      CHECK_TO(j[i], i % 4 ? 0 : 20 * v[i / 4], 1e-14);
    }
  }
  tl_hessian(of_square)(x, &H); /* nesting differentiates the rule */
  tl_read(H, h, sizeof h);
  for (int i = 0; i < 9; i++) {
    CHECK_TO(h[i], i % 4 ? 0 : 20 * cos(2 * v[i / 4]), 1e-13);
  }
  tl_read(tl_grad(tower)(x, 3), g, sizeof g);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(g[i], 8000 * pow(v[i], 7), 1e-13);
  }
  CHECK(tl_check_vjp(square)(x, 0), 3);
}

/* ---- a jvp: numbers and integers among the parameters, and two outputs ---- */

static double norm(tl_typed(F64, N) x, double a, int n, tl_typed(F64, N) * unit) {
  double s = sqrt(tl_item(tl_sum(tl_mul(x, x), TL_ALL, false)));
  *unit = tl_mul(x, tl_fill(TL_F64, TL_SCALAR, a / s));
  return n * s;
}

static double norm_jvp(tl_typed(F64, N) x, double a, int n, tl_typed(F64, N) * unit, tl_typed(F64, N) x_dot,
                       double a_dot, double *norm_dot, tl_typed(F64, N) * unit_dot) {
  double s = sqrt(tl_item(tl_sum(tl_mul(x, x), TL_ALL, false)));
  double s_dot = tl_item(tl_sum(tl_mul(x, x_dot), TL_ALL, false)) / s;
  *unit = tl_mul(x, tl_fill(TL_F64, TL_SCALAR, a / s));
  *norm_dot = n * s_dot;
  *unit_dot = tl_add(tl_mul(x_dot, tl_fill(TL_F64, TL_SCALAR, a / s)),
                     tl_mul(x, tl_fill(TL_F64, TL_SCALAR, a_dot / s - a * s_dot / (s * s))));
  return n * s;
}
TL_CUSTOM_JVP(norm, norm_jvp);

static double of_norm(tl_typed(F64, N) x, double a) {
  tl_tensor u;
  double s = norm(tl_sin(x), a * a, 3, &u);
  return s * tl_item(tl_sum(tl_exp(u), TL_ALL, false));
}

/* One output alone goes on. */
static double of_unit(tl_typed(F64, N) x) {
  tl_tensor u;
  norm(x, 2, 1, &u);
  return tl_item(tl_sum(tl_mul(u, tl_mul(u, u)), TL_ALL, false));
}

static double of_length(tl_typed(F64, N) x) {
  tl_tensor u;
  return norm(x, 2, 1, &u);
}

static double plain(tl_typed(F64, N) x, double a) {
  tl_tensor y = tl_sin(x);
  double s = sqrt(tl_item(tl_sum(tl_mul(y, y), TL_ALL, false)));
  return 3 * s * tl_item(tl_sum(tl_exp(tl_mul(y, tl_fill(TL_F64, TL_SCALAR, a * a / s))), TL_ALL, false));
}

static void check_jvp(void) {
  const double v[] = {1, 2, -0.5};
  double h[9], k[9], a, b, g[3], e[3];
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3), v), x_bar, e_bar, H, K;
  CHECK(tl_check_vjp(of_norm)(x, 1.5, 0), 0);
  CHECK(tl_check_vjp(of_unit)(x, 0), 0);
  CHECK(tl_check_vjp(of_length)(x, 0), 0);
  tl_grad(of_norm)(x, 1.5, &x_bar, &a);
  tl_grad(plain)(x, 1.5, &e_bar, &b);
  tl_read(x_bar, g, sizeof g);
  tl_read(e_bar, e, sizeof e);
  CHECK_TO(a, b, 1e-13);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(g[i], e[i], 1e-13);
  }
  tl_hessian(of_norm, x)(x, 1.5, &H);
  tl_hessian(plain, x)(x, 1.5, &K);
  tl_read(H, h, sizeof h);
  tl_read(K, k, sizeof k);
  for (int i = 0; i < 9; i++) {
    CHECK_TO(h[i], k[i], 1e-11);
  }
}

/* ---- both, of which each mode takes its own ---- */

static tl_typed(F64, N) twin(tl_typed(F64, N) x, tl_typed(I32, N) i) { return tl_mul(x, tl_cast(i, TL_F64)); }
static tl_tensor twin_vjp(tl_typed(F64, N) x, tl_typed(I32, N) i, tl_typed(F64, N) y_bar, tl_typed(F64, N) * x_bar) {
  *x_bar = tl_mul(tl_mul(tl_cast(i, TL_F64), y_bar), tl_fill(TL_F64, TL_SCALAR, 20));
  return tl_mul(x, tl_cast(i, TL_F64));
}
static tl_tensor twin_jvp(tl_typed(F64, N) x, tl_typed(I32, N) i, tl_typed(F64, N) x_dot, tl_typed(F64, N) * y_dot) {
  *y_dot = tl_mul(tl_mul(tl_cast(i, TL_F64), x_dot), tl_fill(TL_F64, TL_SCALAR, 30));
  return tl_mul(x, tl_cast(i, TL_F64));
}
TL_CUSTOM_VJP(twin, twin_vjp);
TL_CUSTOM_JVP(twin, twin_jvp);
static tl_tensor of_twin(tl_typed(F64, N) x, tl_typed(I32, N) i) { return tl_sum(twin(x, i), TL_ALL, false); }

static void check_twin(void) {
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(2), (double[]){3, 5}), i = tl_from(TL_I32, TL_SHAPE(2), (int[]){7, 11});
  double g[2], t;
  tl_read(tl_grad(of_twin)(x, i), g, sizeof g);
  CHECK(g[0], 140);
  CHECK(g[1], 220);
  tl_read(tl_jvp(of_twin)(x, i, x), &t, sizeof t);
  CHECK(t, 30 * (21 + 55));
}

/* ---- of a library, whose body is not there ---- */

tl_typed(F64, N) far_away(tl_typed(F64, N, N) a, tl_typed(F64, N) x);
tl_tensor far_away_vjp(tl_typed(F64, N, N) a, tl_typed(F64, N) x, tl_typed(F64, N) y_bar, tl_typed(F64, N, N) * a_bar,
                       tl_typed(F64, N) * x_bar);
TL_CUSTOM_VJP(far_away, far_away_vjp);
static tl_tensor of_far(tl_typed(F64, N, N) a, tl_typed(F64, N) x) {
  return tl_sum(tl_sin(far_away(a, tl_exp(x))), TL_ALL, false);
}

static void check_far(void) {
  const double m[] = {1, 2, 3, 4}, v[] = {0.1, -0.2};
  tl_tensor a = tl_from(TL_F64, TL_SHAPE(2, 2), m), x = tl_from(TL_F64, TL_SHAPE(2), v), a_bar, x_bar;
  double g[4], h[2], y[2];
  tl_grad(of_far)(a, x, &a_bar, &x_bar);
  tl_read(a_bar, g, sizeof g);
  tl_read(x_bar, h, sizeof h);
  for (int i = 0; i < 2; i++) {
    y[i] = cos(m[2 * i] * exp(v[0]) + m[2 * i + 1] * exp(v[1]));
  }
  for (int i = 0; i < 4; i++) {
    CHECK_TO(g[i], y[i / 2] * exp(v[i % 2]), 1e-14);
  }
  for (int i = 0; i < 2; i++) {
    CHECK_TO(h[i], (m[i] * y[0] + m[2 + i] * y[1]) * exp(v[i]), 1e-14);
  }
}

tl_tensor far_away(tl_tensor a, tl_tensor x) { return tl_matmul(a, x); }
tl_tensor far_away_vjp(tl_tensor a, tl_tensor x, tl_tensor y_bar, tl_tensor *a_bar, tl_tensor *x_bar) {
  *a_bar = tl_matmul(tl_reshape(y_bar, TL_SHAPE(-1, 1)), tl_reshape(x, TL_SHAPE(1, -1)));
  *x_bar = tl_matmul(tl_transpose(a, TL_ALL), y_bar);
  return tl_matmul(a, x);
}

/* ---- batches: the derivative is batched with its rule; a call that all examples share keeps it ---- */

static tl_tensor shared(tl_typed(F64, N) x, tl_typed(F64, N) w) { return tl_sum(tl_mul(x, square(w)), TL_ALL, false); }
static tl_tensor all_of_shared(tl_typed(F64, Rows, N) x, tl_typed(F64, N) w) {
  return tl_sum(tl_vmap(shared, Rows, x)(x, w), TL_ALL, false);
}

static void check_batches(void) {
  const double v[] = {1, 2, 3, 4, 5, 6}, u[] = {2, 3};
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3, 2), v), w = tl_from(TL_F64, TL_SHAPE(2), u);
  double g[6], h[2];
  tl_read(tl_vmap(tl_grad(of_square), Rows, x)(x), g, sizeof g);
  for (int i = 0; i < 6; i++) {
    CHECK_TO(g[i], 20 * sin(v[i]) * cos(v[i]), 1e-14);
  }
  tl_read(tl_grad(all_of_shared, w)(x, w), h, sizeof h);
  CHECK(h[0], 20 * 2 * 9);
  CHECK(h[1], 20 * 3 * 12);
}

int main(void) {
  check_vjp();
  check_jvp();
  check_twin();
  check_far();
  check_batches();
  return check_done();
}
