/* Arrays and structs of tensors: as locals, typed and not, filled and read in loops, of run-time length; as parameters,
 * inputs and outputs; in structs by value and by pointer. Closed forms and central differences. */
#include <math.h>
#include <stdlib.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(N);
tl_axis(M);

static tl_tensor times(tl_typed(F64, N) x, double a) { return tl_mul(x, tl_fill(TL_F64, TL_SCALAR, a)); }

/* ---- locals ---- */

static tl_tensor product(tl_typed(F64, N) x, double a) {
  tl_tensor w[3];
  for (int i = 0; i < 3; i++) {
    w[i] = times(x, a * (i + 1));
  }
  return tl_sum(tl_mul(w[0], tl_mul(w[1], w[2])), TL_ALL, false); /* 6 a^3 x^3 */
}

static tl_tensor powers(tl_typed(F64, N) x, int n) { /* x + x^2 + ... + x^n */
  tl_typed(F64, N) w[n];
  w[0] = x;
  for (int i = 1; i < n; i++) {
    w[i] = tl_mul(w[i - 1], x);
  }
  tl_tensor s = w[n - 1];
  for (int i = 0; i < n - 1; i++) {
    s = tl_add(s, w[i]);
  }
  return tl_sum(s, TL_ALL, false);
}

/* Elements of different extents, overwritten; one that is never read. */
static tl_tensor shapes(tl_typed(F64, N) x, tl_typed(I32, 2) ends) {
  tl_tensor w[4] = {x, tl_gather(x, ends, 0, (tl_gather_opts){.mode = TL_INDEX_CLIP})};
  w[2] = tl_mul(w[0], x);
  w[0] = tl_sin(w[2]);
  w[3] = tl_exp(x);
  tl_tensor s = tl_sum(tl_mul(w[1], w[1]), TL_ALL, false);
  return tl_mul(tl_sum(w[0], TL_ALL, false), s); /* sum sin(x^2) times the ends' squares */
}

static tl_tensor branches(tl_typed(F64, N) x, int which) {
  tl_tensor w[2];
  if (which > 0) {
    w[0] = tl_mul(x, x);
    w[1] = x;
  } else {
    w[0] = x;
    w[1] = tl_sin(x);
  }
  return tl_sum(tl_mul(w[0], w[1]), TL_ALL, false);
}

static tl_tensor on_heap(tl_typed(F64, N) x, size_t n) {
  tl_tensor *w = malloc(n * sizeof *w);
  w[0] = x;
  for (size_t i = 1; i < n; i++) {
    w[i] = tl_mul(w[i - 1], x);
  }
  tl_tensor s = tl_sum(w[n - 1], TL_ALL, false);
  free(w);
  return s;
}

typedef struct pair {
  tl_tensor a, b;
} pair;

static pair swapped(pair p) { return (pair){p.b, p.a}; }
static tl_tensor by_struct(tl_typed(F64, N) x) {
  pair p = {tl_sin(x), tl_mul(x, x)}, all[2];
  for (int i = 0; i < 2; i++) {
    p = swapped(p);
    all[i] = p;
  }
  return tl_sum(tl_mul(all[0].a, tl_mul(all[0].b, all[1].a)), TL_ALL, false); /* x^2 sin(x)^2 */
}

static void check_locals(void) {
  const double v[] = {1, -2, 0.5};
  double g[3], b;
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3), v), x_bar;
  tl_grad(product)(x, 1.5, &x_bar, &b);
  tl_read(x_bar, g, sizeof g);
  double cubes = 0;
  for (int i = 0; i < 3; i++) {
    CHECK_TO(g[i], 18 * 1.5 * 1.5 * 1.5 * v[i] * v[i], 1e-14);
    cubes += v[i] * v[i] * v[i];
  }
  CHECK_TO(b, 18 * 1.5 * 1.5 * cubes, 1e-14);
  for (int n = 1; n < 6; n++) {
    tl_read(tl_grad(powers)(x, n), g, sizeof g);
    for (int i = 0; i < 3; i++) {
      double want = 0;
      for (int k = 1; k <= n; k++) {
        want += k * pow(v[i], k - 1);
      }
      CHECK_TO(g[i], want, 1e-13);
    }
    tl_read(tl_grad(on_heap)(x, (size_t)n), g, sizeof g);
    CHECK_TO(g[1], n * pow(v[1], n - 1), 1e-13);
    CHECK_TO(tl_item(tl_jvp(on_heap)(x, (size_t)n, x)), n * (1 + pow(-2, n) + pow(0.5, n)), 1e-13);
  }
  tl_tensor ends = tl_from(TL_I32, TL_SHAPE(2), (int[]){0, 2});
  double sines = sin(1) + sin(4) + sin(0.25);
  tl_read(tl_grad(shapes)(x, ends), g, sizeof g);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(g[i], 1.25 * 2 * v[i] * cos(v[i] * v[i]) + (i == 1 ? 0 : 2 * v[i] * sines), 1e-13);
  }
  CHECK(tl_check_vjp(shapes)(x, ends, 0), 0);
  CHECK(tl_check_vjp(branches)(x, 1, 0), 0);
  CHECK(tl_check_vjp(branches)(x, 0, 0), 0);
  CHECK(tl_check_vjp(by_struct)(x, 0), 0);
  tl_read(tl_grad(by_struct)(x), g, sizeof g);
  for (int i = 0; i < 3; i++) {
    CHECK_TO(g[i], 2 * v[i] * sin(v[i]) * (sin(v[i]) + v[i] * cos(v[i])), 1e-13);
  }
  tl_tensor H;
  double h[9];
  tl_hessian(powers)(x, 4, &H);
  tl_read(H, h, sizeof h);
  for (int i = 0; i < 9; i++) {
    CHECK_TO(h[i], i % 4 ? 0 : 2 + 6 * v[i / 4] + 12 * v[i / 4] * v[i / 4], 1e-13);
  }
}

/* ---- arrays as parameters ---- */

static tl_tensor of_three(tl_typed(F64, N) w[3]) {
  return tl_sum(tl_mul(w[0], tl_mul(w[1], w[1])), TL_ALL, false); /* w[2] is not read */
}

static tl_tensor of_many(size_t n, const tl_typed(F64, N) w[n]) {
  tl_tensor s = w[0];
  for (size_t i = 1; i < n; i++) {
    s = tl_mul(s, tl_add(w[i], w[i - 1]));
  }
  return tl_sum(s, TL_ALL, false);
}

static void two_outputs(tl_typed(F64, N) x, tl_typed(F64, N) y[2]) {
  y[0] = tl_mul(x, x);
  y[1] = tl_sin(x);
}

static void check_parameters(void) {
  const double u[] = {1, 2, 3, -4, 5, 6};
  double g[2], f[2];
  tl_tensor w[3], w_bar[3], y[2], y_bar[2], y_dot[2], x_bar;
  for (int i = 0; i < 3; i++) {
    w[i] = tl_from(TL_F64, TL_SHAPE(2), u + 2 * i);
  }
  tl_grad(of_three)(w, w_bar);
  tl_read(w_bar[0], g, sizeof g);
  tl_read(w_bar[1], f, sizeof f);
  for (int i = 0; i < 2; i++) {
    CHECK(g[i], u[2 + i] * u[2 + i]);
    CHECK(f[i], 2 * u[i] * u[2 + i]);
  }
  CHECK(tl_item(tl_sum(w_bar[2], TL_ALL, false)), 0);
  CHECK(tl_item(tl_jvp(of_three)(w, w)), 3 * (1 * 9 + 2 * 16));
  tl_grad(of_many)(3, w, w_bar); /* a (a + b) (b + c) */
  for (int i = 0; i < 3; i++) {
    tl_read(w_bar[i], g, sizeof g);
    for (int k = 0; k < 2; k++) {
      double a = u[k], b = u[2 + k], c = u[4 + k];
      CHECK(g[k], i == 0 ? (2 * a + b) * (b + c) : i == 1 ? a * (a + 2 * b + c) : a * (a + b));
    }
  }
  tl_jvp(two_outputs)(w[0], y, w[1], y_dot);
  tl_read(y_dot[0], g, sizeof g);
  tl_read(y_dot[1], f, sizeof f);
  for (int i = 0; i < 2; i++) {
    CHECK(g[i], 2 * u[i] * u[2 + i]);
    CHECK_TO(f[i], cos(u[i]) * u[2 + i], 1e-15);
    y_bar[i] = w[1 + i];
  }
  tl_vjp(two_outputs)(w[0], y, y_bar, &x_bar);
  tl_read(x_bar, g, sizeof g);
  for (int i = 0; i < 2; i++) {
    CHECK_TO(g[i], 2 * u[i] * u[2 + i] + cos(u[i]) * u[4 + i], 1e-15);
  }
}

/* ---- structs as parameters ---- */

typedef struct layer {
  tl_typed(F64, M, N) w;
  tl_typed(F64, M) b;
  double scale;
  int n;
} layer;

static tl_tensor dense(layer p, tl_typed(F64, N) x) {
  return tl_tanh(tl_mul(tl_add(tl_matmul(p.w, x), p.b), tl_fill(TL_F64, TL_SCALAR, p.scale * p.n)));
}
static tl_tensor of_layer(layer p, tl_typed(F64, N) x) { return tl_sum(dense(p, x), TL_ALL, false); }

typedef struct cell {
  tl_typed(F64, N, N) w;
  tl_typed(F64, N) b;
} cell;

static tl_tensor of_cells(const cell p[2], tl_typed(F64, N) x) {
  tl_tensor y = x;
  for (int i = 0; i < 2; i++) {
    y = tl_tanh(tl_add(tl_matmul(p[i].w, y), p[i].b));
  }
  return tl_sum(y, TL_ALL, false);
}

static double of_layer_at(double *v) {
  layer p = {tl_from(TL_F64, TL_SHAPE(2, 3), v), tl_from(TL_F64, TL_SHAPE(2), v + 6), v[8], 2};
  return tl_item(of_layer(p, tl_from(TL_F64, TL_SHAPE(3), v + 9)));
}

static double of_cells_at(double *v) {
  cell p[2] = {{tl_from(TL_F64, TL_SHAPE(2, 2), v), tl_from(TL_F64, TL_SHAPE(2), v + 4)},
               {tl_from(TL_F64, TL_SHAPE(2, 2), v + 6), tl_from(TL_F64, TL_SHAPE(2), v + 10)}};
  return tl_item(of_cells(p, tl_from(TL_F64, TL_SHAPE(2), v + 12)));
}

static double central(double (*f)(double *), double *v, int i) {
  double was = v[i], h = 1e-3, d[4];
  static const double steps[] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    v[i] = was + steps[k] * h;
    d[k] = f(v);
  }
  v[i] = was;
  return (d[0] - 8 * d[1] + 8 * d[2] - d[3]) / (12 * h);
}

static void check_structs(void) {
  double v[14] = {.1, -.2, .3, .4, -.5, .6, .7, -.8, .9, 1, -1.1, .2, .3, -.4}, g[14];
  layer p = {tl_from(TL_F64, TL_SHAPE(2, 3), v), tl_from(TL_F64, TL_SHAPE(2), v + 6), v[8], 2}, p_bar;
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(3), v + 9), x_bar;
  tl_grad(of_layer)(p, x, &p_bar, &x_bar);
  tl_read(p_bar.w, g, 6 * sizeof *g);
  tl_read(p_bar.b, g + 6, 2 * sizeof *g);
  g[8] = p_bar.scale;
  tl_read(x_bar, g + 9, 3 * sizeof *g);
  for (int i = 0; i < 12; i++) {
    CHECK_TO(g[i], central(of_layer_at, v, i), 1e-10);
  }
  CHECK(p_bar.n, 2);
  double along = tl_item(tl_jvp(of_layer, p)(p, x, p)), want = 0;
  for (int i = 0; i < 9; i++) {
    want += g[i] * v[i];
  }
  CHECK_TO(along, want, 1e-14);
  cell c[2] = {{tl_from(TL_F64, TL_SHAPE(2, 2), v), tl_from(TL_F64, TL_SHAPE(2), v + 4)},
               {tl_from(TL_F64, TL_SHAPE(2, 2), v + 6), tl_from(TL_F64, TL_SHAPE(2), v + 10)}},
       c_bar[2];
  x = tl_from(TL_F64, TL_SHAPE(2), v + 12);
  tl_grad(of_cells)(c, x, c_bar, &x_bar);
  for (int i = 0; i < 2; i++) {
    tl_read(c_bar[i].w, g + 6 * i, 4 * sizeof *g);
    tl_read(c_bar[i].b, g + 6 * i + 4, 2 * sizeof *g);
  }
  tl_read(x_bar, g + 12, 2 * sizeof *g);
  for (int i = 0; i < 14; i++) {
    CHECK_TO(g[i], central(of_cells_at, v, i), 1e-10);
  }
}

int main(void) {
  check_locals();
  check_parameters();
  check_structs();
  return check_done();
}
