/* Jacobians and Hessians of functions on tensors: result axes, then parameter axes; by both modes, with several results
 * and parameters, numbers among them, loops, narrow dtypes. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(N);
tl_axis(Rows);

static tl_typed(F64, N) squares(tl_typed(F64, N) x) { return tl_mul(x, tl_mul(x, x)); }

static void check_diagonal(void) {
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3), (double[]){1, 2, 3}), J, R;
  double j[9], r[9], y[3];
  tl_read(tl_jacobian(squares, x)(x, &J), y, sizeof y);
  tl_jacobian_reverse(squares)(x, &R);
  CHECK(y[2], 27);
  CHECK(tl_shape_of(J).rank, 2);
  CHECK(tl_read(J, j, sizeof j), TL_OK);
  CHECK(tl_read(R, r, sizeof r), TL_OK);
  for (int i = 0; i < 9; i++) {
    double v = i % 4 ? 0 : 3 * (i / 4 + 1) * (i / 4 + 1);
    CHECK(j[i], v);
    CHECK(r[i], v);
  }
}

/* Two results and three parameters, a number by value among both. */
static double layer(tl_typed(F64, Rows, 2) x, tl_typed(F64, 2, 3) w, double a, tl_typed(F64, Rows, 3) * out) {
  *out = tl_tanh(tl_mul(tl_matmul(x, w), tl_fill(TL_F64, TL_SCALAR, a)));
  return a * tl_item(tl_sum(tl_mul(*out, *out), TL_ALL, false));
}

static double layer_at(const double *v, double *out) {
  tl_tensor y;
  double value = layer(tl_from(TL_F64, TL_SHAPE(2, 2), v), tl_from(TL_F64, TL_SHAPE(2, 3), v + 4), v[10], &y);
  tl_read(y, out, 6 * sizeof *out);
  return value;
}

static void check_layer(void) {
  double v[11] = {.5, -1, .25, 2, .1, .2, -.3, .4, .5, -.6, .7}, out[7], j[7][11], d[7], moved[4][7];
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(2, 2), v), w = tl_from(TL_F64, TL_SHAPE(2, 3), v + 4), y;
  for (int reverse = 0; reverse < 2; reverse++) {
    tl_tensor J[2][3];
    double value =
        reverse
            ? tl_jacobian_reverse(layer)(x, w, v[10], &y, &J[0][0], &J[0][1], &J[0][2], &J[1][0], &J[1][1], &J[1][2])
            : tl_jacobian(layer)(x, w, v[10], &y, &J[0][0], &J[0][1], &J[0][2], &J[1][0], &J[1][1], &J[1][2]);
    CHECK(value, layer_at(v, out));
    tl_shape s = tl_shape_of(J[1][1]);
    CHECK(s.rank, 4);
    CHECK(s.dim[1], 3);
    CHECK(s.dim[3], 3);
    CHECK(tl_shape_of(J[0][2]).rank, 0);
    static const int from[] = {0, 4, 10, 11};
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 3; k++) {
        int columns = from[k + 1] - from[k];
        double block[36];
        CHECK(tl_read(J[i][k], block, sizeof *block * (size_t)(i ? 6 * columns : columns)), TL_OK);
        for (int r = 0; r < (i ? 6 : 1); r++) {
          for (int c = 0; c < columns; c++) {
            j[i + r][from[k] + c] = block[r * columns + c];
          }
        }
      }
    }
    for (int c = 0; c < 11; c++) {
      static const double steps[] = {-2, -1, 1, 2};
      double was = v[c], h = 1e-3;
      for (int s4 = 0; s4 < 4; s4++) {
        v[c] = was + steps[s4] * h;
        moved[s4][0] = layer_at(v, moved[s4] + 1);
      }
      v[c] = was;
      for (int r = 0; r < 7; r++) {
        d[r] = (moved[0][r] - 8 * moved[1][r] + 8 * moved[2][r] - moved[3][r]) / (12 * h);
        CHECK_TO(j[r][c], d[r], 1e-9);
      }
    }
  }
}

/* Of a quadratic form, and of one with a number: closed forms. */
static double form(tl_typed(F64, N) x, double a) {
  tl_tensor q = tl_mul(tl_sum(tl_mul(x, x), TL_ALL, false), tl_sum(x, TL_ALL, false));
  return a * a * tl_item(q);
}

static void check_hessian(void) {
  const double v[] = {1, -2, 0.5};
  double a = 3, h[9], b[3], c, sum = -0.5, square = 5.25;
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3), v), H, Hxa, Hax, Haa;
  tl_hessian(form, x)(x, a, &H);
  tl_read(H, h, sizeof h);
  for (int i = 0; i < 9; i++) { /* of |x|^2 sum(x): 2 x_i + 2 x_j, and 2 sum(x) more on the diagonal */
    CHECK_TO(h[i], a * a * (2 * v[i / 3] + 2 * v[i % 3] + (i % 4 ? 0 : 2 * sum)), 1e-14);
  }
  tl_hessian(form)(x, a, &H, &Hxa, &Hax, &Haa);
  tl_read(Hxa, b, sizeof b);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(b[i], 2 * a * (square + 2 * v[i] * sum), 1e-14);
  }
  tl_read(Hax, b, sizeof b);
  CHECK_TO(b[1], 2 * a * (square + 2 * v[1] * sum), 1e-14);
  CHECK(tl_read(Haa, &c, sizeof c), TL_OK);
  CHECK_TO(c, 2 * square * sum, 1e-14);
}

/* A loop with a run-time trip count; in single precision; with an inactive parameter. */
static tl_tensor iterate(tl_typed(F32, N) x, int n, tl_typed(I32, 2) rows) {
  tl_tensor y = x;
  for (int i = 0; i < n; i++) {
    y = tl_add(tl_mul(y, y), x);
  }
  return tl_gather(y, rows, 0, (tl_gather_opts){.mode = TL_INDEX_CLIP});
}

static void check_loop(void) {
  float v[] = {0.5f, -0.25f, 0.125f}, j[6];
  tl_tensor x = tl_from(TL_F32, TL_SHAPE(3), v), rows = tl_from(TL_I32, TL_SHAPE(2), (int[]){2, 0}), J;
  for (int reverse = 0; reverse < 2; reverse++) {
    if (reverse) {
      tl_jacobian_reverse(iterate)(x, 3, rows, &J);
    } else {
      tl_jacobian(iterate)(x, 3, rows, &J);
    }
    CHECK(tl_dtype_of(J), TL_F32);
    tl_read(J, j, sizeof j);
    for (int i = 0; i < 6; i++) {
      int row = i / 3 ? 0 : 2, column = i % 3;
      double y = v[row], dot = 1;
      for (int k = 0; k < 3; k++) {
        dot = 2 * y * dot + 1;
        y = y * y + (double)v[row];
      }
      CHECK_TO(j[i], row == column ? dot : 0, 1e-6);
    }
  }
}

/* The Hessian of a gradient's norm nests; of a function that calls others. */
static tl_typed(F64, N) softplus(tl_typed(F64, N) x) { return tl_log1p(tl_exp(x)); }
static tl_tensor energy(tl_typed(F64, N) x) { return tl_sum(tl_mul(softplus(x), x), TL_ALL, false); }

static void check_calls(void) {
  const double v[] = {0.3, -1.2};
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(2), v), H, J;
  double h[4], j[4];
  tl_hessian(energy)(x, &H);
  tl_jacobian(tl_grad(energy))(x, &J);
  tl_read(H, h, sizeof h);
  tl_read(J, j, sizeof j);
  for (int i = 0; i < 4; i++) {
    double s = 1 / (1 + exp(-v[i / 2]));
    CHECK_TO(h[i], i % 3 ? 0 : 2 * s + v[i / 2] * s * (1 - s), 1e-14);
    CHECK_TO(j[i], h[i], 1e-14);
  }
}

/* Numbers in and out, tensors between: arrays as ever. */
static double inside(double a, double b) {
  tl_tensor x = tl_fill(TL_F64, TL_SHAPE(2), a);
  return tl_item(tl_sum(tl_mul(x, tl_mul(x, x)), TL_ALL, false)) * b;
}

static void check_inside(void) {
  double J[1][2], H[2][2];
  tl_jacobian(inside)(2, 3, J);
  CHECK(J[0][0], 72);
  CHECK(J[0][1], 16);
  tl_hessian(inside)(2, 3, H);
  CHECK(H[0][0], 72);
  CHECK(H[0][1], 24);
  CHECK(H[1][0], 24);
  CHECK(H[1][1], 0);
}

int main(void) {
  check_diagonal();
  check_layer();
  check_hessian();
  check_loop();
  check_calls();
  check_inside();
  return check_done();
}
