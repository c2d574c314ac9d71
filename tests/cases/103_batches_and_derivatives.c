/* tl_vmap of derivatives, and derivatives of tl_vmap, against loops over the plain ones. */
#include <stddef.h>
#include <string.h>

#include "check.h"

#include <tlaloc/grad.h>

enum { B = 7, N = 4 };

#define EACH(i, count) for (size_t i = 0; i < (size_t)(count); i++)

/* Relative, of one number. */
#define NEAR(got, want) CHECK_TO(got, want, 1e-15)

/* ---- a network with two layers and a loop whose values the way back needs ---- */

static double loss(size_t n, const double w[n], const double x[n], double target, int layers) {
  double h[N], s = 0;
  for (size_t i = 0; i < n; i++) {
    h[i] = x[i];
  }
  for (int l = 0; l < layers; l++) {
    for (size_t i = 0; i < n; i++) {
      h[i] = tanh(w[i] * h[i] + .1 * h[(i + 1) % n]);
    }
  }
  for (size_t i = 0; i < n; i++) {
    s += h[i];
  }
  return (s - target) * (s - target);
}

typedef struct data {
  double w[B][N], x[B][N], target[B];
  int layers[B];
} data;

static data make_data(void) {
  data d;
  EACH(i, B) {
    EACH(k, N) {
      d.w[i][k] = .4 - .1 * (double)k + .03 * (double)i;
      d.x[i][k] = .2 * (double)(i + 1) - .15 * (double)k;
    }
    d.target[i] = .3 * (double)i;
    d.layers[i] = (int)(i + 2) % 4;
  }
  return d;
}

static void of_gradients(void) {
  data d = make_data();
  double w_bar[B][N], x_bar[B][N], target_bar[B], value[B], one[N], other[N], by_target;
  tl_vmap(tl_grad(loss, w), b, x, target, layers)(B, N, d.w[0], d.x, d.target, d.layers, w_bar);
  EACH(i, B) {
    tl_grad(loss, w)(N, d.w[0], d.x[i], d.target[i], d.layers[i], one);
    EACH(k, N) { NEAR(w_bar[i][k], one[k]); }
  }
  tl_vmap(tl_grad(loss, target), b)(B, N, d.w, d.x, d.target, 3, target_bar);
  EACH(i, B) { NEAR(target_bar[i], tl_grad(loss, target)(N, d.w[i], d.x[i], d.target[i], 3)); }
  tl_vmap(tl_value_and_grad(loss), b, x)(B, N, d.w[0], d.x, .4, 2, w_bar, x_bar, target_bar, value);
  EACH(i, B) {
    NEAR(value[i], tl_value_and_grad(loss)(N, d.w[0], d.x[i], .4, 2, one, other, &by_target));
    EACH(k, N) {
      NEAR(w_bar[i][k], one[k]);
      NEAR(x_bar[i][k], other[k]);
    }
    NEAR(target_bar[i], by_target);
  }
  double dot[B][N], moved[B];
  EACH(i, B) EACH(k, N) { dot[i][k] = 1 - .2 * (double)(i + k); }
  tl_vmap(tl_jvp(loss, x), b, x, x_dot)(B, N, d.w[0], d.x, .4, 2, dot, moved);
  EACH(i, B) { NEAR(moved[i], tl_jvp(loss, x)(N, d.w[0], d.x[i], .4, 2, dot[i])); }
  double bars[B];
  EACH(i, B) { bars[i] = .5 + (double)i; }
  tl_vmap(tl_vjp(loss, x), b, loss_bar)(B, N, d.w[0], d.x[0], .4, 2, bars, x_bar, value);
  EACH(i, B) {
    NEAR(value[i], tl_vjp(loss, x)(N, d.w[0], d.x[0], .4, 2, bars[i], one));
    EACH(k, N) { NEAR(x_bar[i][k], one[k]); }
  }
}

/* ---- matrices ---- */

static double curve(const double p[2], double t, double out[2]) {
  out[0] = exp(p[0] * t) + p[1] * p[1];
  out[1] = sin(p[1] * t) * p[0];
  return out[0] * out[1];
}

static double bowl(const double p[2], double t) { return exp(p[0] * t) * p[1] + p[0] * p[0] * p[1] * t; }

static void of_matrices(void) {
  double p[B][2], t[B], out[B][2], value[B], J_value[B][1][2], J[B][2][2], H[B][2][2], one[1][2], two[2][2], o[2];
  int faults[B];
  EACH(i, B) {
    p[i][0] = .3 * (double)i;
    p[i][1] = 1 - .2 * (double)i;
    t[i] = .5 + .1 * (double)i;
  }
  tl_vmap(tl_jacobian(curve, p), b)(B, p, t, out, J_value, J, value);
  EACH(i, B) {
    NEAR(value[i], tl_jacobian(curve, p)(p[i], t[i], o, one, two));
    EACH(r, 2) {
      NEAR(out[i][r], o[r]);
      NEAR(J_value[i][0][r], one[0][r]);
      EACH(c, 2) { NEAR(J[i][r][c], two[r][c]); }
    }
  }
  tl_vmap(tl_jacobian_reverse(curve, p), b, p)(B, p, .7, out, J_value, J, value);
  EACH(i, B) {
    tl_jacobian(curve, p)(p[i], .7, o, one, two);
    EACH(r, 2) EACH(c, 2) { CHECK(J[i][r][c], two[r][c]); }
  }
  tl_vmap(tl_hessian(bowl, p), b)(B, p, t, H);
  EACH(i, B) {
    tl_hessian(bowl, p)(p[i], t[i], two);
    EACH(r, 2) EACH(c, 2) { NEAR(H[i][r][c], two[r][c]); }
  }
  tl_vmap(tl_check_vjp(curve), b, p)(B, p, .4, out, 0, faults);
  EACH(i, B) { NEAR(faults[i], 0); }
}

/* ---- derivatives of the batch ---- */

static void of_batches(void) {
  data d = make_data();
  double out[B], seeds[B], w_bar[N], want[N] = {0}, x_bar[B][N], one[N], other[N];
  EACH(i, B) { seeds[i] = 1 - .3 * (double)i; }
  tl_vjp(tl_vmap(loss, b, x, target, layers), w, x)(B, N, d.w[0], d.x, d.target, d.layers, out, seeds, w_bar, x_bar);
  EACH(i, B) {
    double value = tl_vjp(loss, w, x)(N, d.w[0], d.x[i], d.target[i], d.layers[i], seeds[i], one, other);
    NEAR(out[i], value);
    EACH(k, N) {
      want[k] += one[k];
      NEAR(x_bar[i][k], other[k]);
    }
  }
  EACH(k, N) { CHECK(w_bar[k], want[k]); }
  double w_dot[N] = {1, -1, .5, .25}, out_dot[B];
  tl_jvp(tl_vmap(loss, b, x), w)(B, N, d.w[0], d.x, .3, 2, out, w_dot, out_dot);
  EACH(i, B) { NEAR(out_dot[i], tl_jvp(loss, w)(N, d.w[0], d.x[i], .3, 2, w_dot)); }
  double J[B][N], J_reverse[B][N], J_x[B][B * N];
  tl_jacobian(tl_vmap(loss, b, x), w)(B, N, d.w[0], d.x, .3, 2, out, J);
  tl_jacobian_reverse(tl_vmap(loss, b, x), w)(B, N, d.w[0], d.x, .3, 2, out, J_reverse);
  tl_jacobian(tl_vmap(loss, b, x), x)(B, N, d.w[0], d.x, .3, 2, out, J_x);
  EACH(i, B) {
    tl_grad(loss, w)(N, d.w[0], d.x[i], .3, 2, one);
    tl_grad(loss, x)(N, d.w[0], d.x[i], .3, 2, other);
    EACH(k, N) {
      CHECK(J[i][k], one[k]);
      CHECK(J_reverse[i][k], one[k]);
      EACH(j, B) { CHECK(J_x[i][j * N + k], i == j ? other[k] : 0); }
    }
  }
  CHECK(tl_check_vjp(tl_vmap(loss, b, x))(B, N, d.w[0], d.x, .3, 2, out, 0), 0);
  CHECK(tl_check_vjp(tl_vmap(loss, b, x), w)(0, N, d.w[0], d.x, .3, 2, out, 0), 0);
}

/* An in-out, an output, structs: seeds and results have the shapes of the batch. */
typedef struct body {
  double at, speed;
  int hits;
} body;

static body kicked(body p, double *energy, double by[2]) {
  by[0] = p.at * p.speed;
  by[1] = sin(by[0]);
  *energy += p.speed * p.speed * by[1];
  return (body){p.at + p.speed, p.speed * *energy, p.hits + 1};
}

static void of_structs(void) {
  body p[B], out[B], p_bar[B], out_bar[B], one, p_dot[B], out_dot[B], dot;
  double energy[B], energy_bar[B], by[B][2], by_bar[B][2], e, e_bar, y[2], energy_dot[B], by_dot[B][2];
  EACH(i, B) {
    p[i] = (body){.1 * (double)i, 1 - .1 * (double)i, (int)i};
    out_bar[i] = (body){1, .5, 0};
    p_dot[i] = (body){.3, -.2, 0};
    energy[i] = .3 + .1 * (double)i;
    energy_bar[i] = energy_dot[i] = .2 * (double)i;
    by_bar[i][0] = 2;
    by_bar[i][1] = -.5 * (double)i;
  }
  double start[B];
  memcpy(start, energy, sizeof start);
  tl_vjp(tl_vmap(kicked, b))(B, p, energy, by, out, energy_bar, by_bar, out_bar, p_bar);
  EACH(i, B) {
    e = start[i];
    e_bar = .2 * (double)i;
    body want = tl_vjp(kicked)(p[i], &e, y, (body){1, .5, 0}, &e_bar, (double[]){2, -.5 * (double)i}, &one);
    CHECK(out[i].at, want.at);
    CHECK(out[i].speed, want.speed);
    CHECK(out[i].hits, want.hits);
    CHECK(energy[i], e);
    CHECK(energy_bar[i], e_bar);
    CHECK(p_bar[i].at, one.at);
    CHECK(p_bar[i].speed, one.speed);
    CHECK(p_bar[i].hits, p[i].hits);
  }
  memcpy(energy, start, sizeof start);
  tl_jvp(tl_vmap(kicked, b))(B, p, energy, by, out, p_dot, energy_dot, by_dot, out_dot);
  EACH(i, B) {
    e = start[i];
    double e_dot = .2 * (double)i, y_dot[2];
    dot = tl_jvp(kicked)(p[i], &e, y, p_dot[i], &e_dot, y_dot);
    CHECK(out_dot[i].at, dot.at);
    CHECK(out_dot[i].speed, dot.speed);
    CHECK(energy_dot[i], e_dot);
    CHECK(by_dot[i][1], y_dot[1]);
  }
}

/* ---- both ways, and within functions ---- */

static void nested(void) {
  data d = make_data();
  double w_bar[B][N], one[N], H[B][N][N], want[N][N], dots[N] = {1, 0, -1, 2}, w_bar_dot[B][N], column[N];
  tl_jvp(tl_vmap(tl_grad(loss, w), b, x), w)(B, N, d.w[0], d.x, .3, 2, w_bar, dots, w_bar_dot);
  EACH(i, B) {
    tl_jvp(tl_grad(loss, w), w)(N, d.w[0], d.x[i], .3, 2, one, dots, column);
    EACH(k, N) {
      NEAR(w_bar[i][k], one[k]);
      NEAR(w_bar_dot[i][k], column[k]);
    }
  }
  tl_vmap(tl_jacobian(tl_grad(loss, w), w), b, x)(B, N, d.w[0], d.x, .3, 2, w_bar, H);
  EACH(i, B) {
    tl_hessian(loss, w)(N, d.w[0], d.x[i], .3, 2, want);
    EACH(r, N) EACH(c, N) { CHECK(H[i][r][c], want[r][c]); }
  }
  double all[B][B][N], seeds[B][B], into[B][N];
  EACH(i, B) EACH(j, B) { seeds[i][j] = i == j; }
  /* an axis for the weights, one for the examples */
  tl_vmap(tl_vmap(tl_grad(loss, w), b, x), c, w)(B, B, N, d.w, d.x, .3, 2, all);
  EACH(i, B) EACH(j, B) {
    tl_grad(loss, w)(N, d.w[i], d.x[j], .3, 2, one);
    EACH(k, N) { NEAR(all[i][j][k], one[k]); }
  }
  /* the rows of a Jacobian: a batch of seeds */
  double outs[B][B];
  tl_vmap(tl_vjp(tl_vmap(loss, b, x), w), c, loss_out_bar)(B, B, N, d.w[0], d.x, .3, 2, outs, seeds, into);
  EACH(i, B) {
    tl_grad(loss, w)(N, d.w[0], d.x[i], .3, 2, one);
    EACH(k, N) { CHECK(into[i][k], one[k]); }
  }
}

/* A mean over a batch, differentiated as a whole, and an example that differentiates. */
static double mean(size_t b, size_t n, const double w[n], const double x[b][n], double out[b]) {
  double s = 0;
  tl_vmap(loss, b, x)(b, n, w, x, .3, 2, out);
  for (size_t i = 0; i < b; i++) {
    s += out[i];
  }
  return s / (double)b;
}

static double slope(double x, double y) { return tl_grad(loss, target)(1, &x, &y, x * y, 2); }

static void within(void) {
  data d = make_data();
  double w_bar[N], want[N] = {0}, one[N], out[B], slopes[B], x[B];
  tl_grad(mean, w)(B, N, d.w[0], d.x, out, w_bar);
  EACH(i, B) {
    tl_grad(loss, w)(N, d.w[0], d.x[i], .3, 2, one);
    EACH(k, N) { want[k] += one[k] / B; }
    x[i] = .2 * (double)i;
  }
  EACH(k, N) { CHECK(w_bar[k], want[k]); }
  CHECK(tl_check_vjp(mean)(B, N, d.w[0], d.x, out, 0), 0);
  tl_vmap(slope, b, x)(B, x, .6, slopes);
  EACH(i, B) { NEAR(slopes[i], slope(x[i], .6)); }
  tl_vmap(tl_grad(slope, x), b, x)(B, x, .6, slopes);
  EACH(i, B) { NEAR(slopes[i], tl_grad(slope, x)(x[i], .6)); }
}

int main(void) {
  of_gradients();
  of_matrices();
  of_batches();
  of_structs();
  nested();
  within();
  return check_done();
}
