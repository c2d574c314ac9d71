/* Functions of matrices: the gradient of a Gaussian process's log marginal likelihood against its formula and against
 * differences, the Hessian of a log-determinant against its formula, a batch by tl_vmap against a loop, and the
 * derivatives at singular matrices and repeated eigenvalues. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Point);
tl_axis(Batch);

/* log p(y) up to a constant, of the kernel a exp(-d/l) + s on the diagonal. */
static tl_tensor likelihood(tl_typed(F64, Point, Point) distance, tl_typed(F64, Point) y, double a, double l,
                            double s) {
  tl_tensor k = tl_mul(tl_exp(tl_div(tl_neg(distance), tl_scalar_like(y, l))), tl_scalar_like(y, a));
  k = tl_add(k, tl_mul(tl_identity_like(distance), tl_scalar_like(y, s)));
  tl_tensor fit = tl_matmul(y, tl_solve_spd(k, y));
  return tl_mul(tl_add(fit, tl_log_det_spd(k)), tl_scalar_like(y, -0.5));
}

static void check_process(void) {
  enum { N = 6 };
  double d[N * N], ys[N], at[3] = {1.5, 0.8, 0.1}, bar[3];
  for (int i = 0; i < N; i++) {
    ys[i] = sin(1.7 * i);
    for (int k = 0; k < N; k++) {
      d[i * N + k] = 0.3 * (i - k) * (i - k);
    }
  }
  tl_tensor distance = tl_from(TL_F64, TL_SHAPE(N, N), d), y = tl_from(TL_F64, TL_SHAPE(N), ys);
  tl_tensor value = tl_value_and_grad(likelihood, a, l, s)(distance, y, at[0], at[1], at[2], &bar[0], &bar[1], &bar[2]);
  CHECK(tl_item(value), tl_item(likelihood(distance, y, at[0], at[1], at[2])));
  for (int i = 0; i < 3; i++) {
    double h = 1e-3, p[4];
    static const double steps[] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
      double moved[3] = {at[0], at[1], at[2]};
      moved[i] += steps[k] * h * at[i];
      p[k] = tl_item(likelihood(distance, y, moved[0], moved[1], moved[2]));
    }
    CHECK_TO(bar[i], (p[0] - 8 * p[1] + 8 * p[2] - p[3]) / (12 * h * at[i]), 1e-8);
  }
}

static tl_tensor volume(tl_typed(F64, 3, 3) a) { return tl_log_det_spd(a); }
static tl_tensor slope_of_volume(tl_typed(F64, 3, 3) a) { return tl_grad(volume)(a); }

/* d2 log det sym(a) = -(x o x') terms: H[ij,kl] is -(x_jk x_li + x_jl x_ki + x_ik x_lj + x_il x_kj)/4. */
static void check_hessian(void) {
  double as[9] = {4, 1, -0.5, 1, 3, 0.25, -0.5, 0.25, 2}, h[9], x[9];
  tl_tensor a = tl_from(TL_F64, TL_SHAPE(3, 3), as);
  tl_read(tl_inv_spd(a), x, sizeof x);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double unit[9] = {0};
      unit[3 * i + j] = 1;
      tl_read(tl_jvp(slope_of_volume)(a, tl_from(TL_F64, TL_SHAPE(3, 3), unit)), h, sizeof h);
      for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
          double want = -(x[3 * j + k] * x[3 * l + i] + x[3 * j + l] * x[3 * k + i] + x[3 * i + k] * x[3 * l + j] +
                          x[3 * i + l] * x[3 * k + j]) /
                        4;
          CHECK_TO(h[3 * k + l], want, 1e-15);
        }
      }
    }
  }
}

static tl_tensor moved(tl_typed(F64, 3, 3) a, tl_typed(F64, 3) b) {
  return tl_sum(
      tl_triangular_solve(tl_cholesky(a), tl_solve(a, b, true), (tl_triangular_solve_opts){.transposed = true}), TL_ALL,
      false);
}
static tl_tensor slope(tl_typed(F64, 3, 3) a, tl_typed(F64, 3) b) { return tl_grad(moved, a)(a, b); }

static void check_batch(void) {
  double as[18], bs[3] = {1, -2, 0.5}, g[18], one[9];
  for (int i = 0; i < 18; i++) {
    as[i] = (i % 9) % 4 == 0 ? 4 + i : cos(i);
  }
  tl_tensor b = tl_from(TL_F64, TL_SHAPE(3), bs);
  tl_read(tl_vmap(slope, Batch, a)(tl_from(TL_F64, TL_SHAPE(2, 3, 3), as), b), g, sizeof g);
  for (int i = 0; i < 2; i++) {
    tl_read(slope(tl_from(TL_F64, TL_SHAPE(3, 3), as + 9 * i), b), one, sizeof one);
    for (int k = 0; k < 9; k++) {
      CHECK_TO(g[9 * i + k], one[k], 1e-15);
    }
  }
}

static tl_tensor determinant(tl_typed(F64, 2, 2) a) { return tl_det(a); }
static tl_tensor spectrum(tl_typed(F64, 2, 2) a) {
  tl_tensor w = tl_eigh_values(a);
  return tl_sum(tl_mul(w, w), TL_ALL, false);
}
static tl_tensor directions(tl_typed(F64, 2, 2) a) {
  return tl_sum(tl_mul(tl_eigh_vectors(a), tl_exp(a)), TL_ALL, false);
}
static tl_tensor root(tl_typed(F64, 2, 2) a) { return tl_sum(tl_cholesky(a), TL_ALL, false); }

static void check_singular(void) {
  double singular[4] = {1, 2, 2, 4}, twice[4] = {3, 0, 0, 3}, negative[4] = {1, 2, 2, 1}, g[4];
  CHECK(tl_item(determinant(tl_from(TL_F64, TL_SHAPE(2, 2), singular))), 0);
  tl_read(tl_grad(determinant)(tl_from(TL_F64, TL_SHAPE(2, 2), singular)), g, sizeof g);
  for (int i = 0; i < 4; i++) {
    CHECK(isnan(g[i]), 1);
  }
  tl_read(tl_grad(spectrum)(tl_from(TL_F64, TL_SHAPE(2, 2), twice)), g, sizeof g); /* 2 a */
  for (int i = 0; i < 4; i++) {
    CHECK(g[i], 2 * twice[i]);
  }
  tl_read(tl_grad(directions)(tl_from(TL_F64, TL_SHAPE(2, 2), twice)), g, sizeof g);
  CHECK(isfinite(g[1]), 0);
  tl_read(tl_grad(root)(tl_from(TL_F64, TL_SHAPE(2, 2), negative)), g, sizeof g);
  for (int i = 0; i < 4; i++) {
    CHECK(isnan(g[i]), 1);
  }
}

int main(void) {
  check_process();
  check_hessian();
  check_batch();
  check_singular();
  return check_done();
}
