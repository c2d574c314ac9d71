/* tl_vmap of functions that call: recursion, custom rules, other functions; rows that a call reads, writes, and both;
 * effects in the order of the examples. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include <tlaloc/grad.h>

enum { B = 5, N = 6 };

#define EACH(i, count) for (size_t i = 0; i < (size_t)(count); i++)

/* ---- recursion ---- */

static double power(double x, unsigned n) {
  if (n == 0) {
    return 1;
  }
  double half = power(x, n / 2);
  return n % 2 ? half * half * x : half * half;
}

static double sum(size_t n, const double x[n]) {
  return n == 0 ? 0 : n == 1 ? x[0] : sum(n / 2, x) + sum(n - n / 2, x + n / 2);
}

/* Sorts and weighs: the row is read and written by the calls. */
static void sift(size_t n, double x[n], const double w[n], double *moves) {
  if (n < 2) {
    return;
  }
  sift(n - 1, x, w, moves);
  for (size_t i = n - 1; i > 0 && x[i] < x[i - 1]; i--) {
    double t = x[i];
    x[i] = x[i - 1];
    x[i - 1] = t;
    *moves += w[i];
  }
}

struct grid {
  double cell[2][2];
  int depth;
};

static double folded(struct grid *g, double k) {
  if (g->depth == 0) {
    return g->cell[0][0] * k;
  }
  g->depth--;
  g->cell[0][0] += g->cell[1][1] * k;
  g->cell[1][1] *= .5;
  return folded(g, k * .9) + g->cell[0][1];
}

/* Calls it with rows of its own, and twice with one row. */
static double both(size_t n, const double x[n], double y[n]) {
  double z[N], moves = 0;
  for (size_t i = 0; i < n; i++) {
    y[i] = -x[i];
    z[i] = x[i] * x[i];
  }
  sift(n, y, x, &moves);
  sift(n, z, y, &moves);
  return sum(n, y) * moves + sum(n, z) - sum(n - 1, x + 1);
}

static void recursions(void) {
  double x[B], out[B], rows[B][N], want[B][N], w[N], moves[B], moves_want[B], y[B][N], one[N];
  unsigned n[B];
  EACH(i, B) {
    x[i] = .5 + .2 * (double)i;
    n[i] = (unsigned)i * 3;
    EACH(k, N) { rows[i][k] = want[i][k] = (double)((7 * i + 5 * k) % 11) - 3.3; }
    moves[i] = moves_want[i] = .1 * (double)i;
  }
  EACH(k, N) { w[k] = 1 + .1 * (double)k; }
  tl_vmap(power, b, x, n)(B, x, n, out);
  EACH(i, B) { CHECK_TO(out[i], power(x[i], n[i]), 0); }
  tl_vmap(power, b, x)(B, x, 5, out);
  EACH(i, B) { CHECK_TO(out[i], power(x[i], 5), 0); }
  tl_vmap(power, b, n)(B, 1.1, n, out);
  EACH(i, B) { CHECK_TO(out[i], power(1.1, n[i]), 0); }
  tl_vmap(sum, b)(B, N, rows, out);
  EACH(i, B) { CHECK_TO(out[i], sum(N, rows[i]), 0); }
  tl_vmap(both, b)(B, N, rows, y, out);
  EACH(i, B) {
    CHECK_TO(out[i], both(N, rows[i], one), 0);
    EACH(k, N) { CHECK_TO(y[i][k], one[k], 0); }
  }
  tl_vmap(sift, b, x)(B, N, rows, w, moves);
  EACH(i, B) {
    sift(N, want[i], w, &moves_want[i]);
    CHECK_TO(moves[i], moves_want[i], 0);
    EACH(k, N) { CHECK_TO(rows[i][k], want[i][k], 0); }
  }
  struct grid g[B], one_grid;
  EACH(i, B) { g[i] = (struct grid){{{1, 2}, {3, 4 + (double)i}}, (int)i}; }
  tl_vmap(folded, b, k)(B, g, x, out);
  EACH(i, B) {
    one_grid = (struct grid){{{1, 2}, {3, 4 + (double)i}}, (int)i};
    CHECK_TO(out[i], folded(&one_grid, x[i]), 0);
    CHECK_TO(g[i].cell[0][0], one_grid.cell[0][0], 0);
    CHECK_TO(g[i].cell[1][1], one_grid.cell[1][1], 0);
    CHECK(g[i].depth, 0);
  }
}

static void recursions_derived(void) {
  double x[B], bars[B], out[B], rows[B][N], row_bar[B][N], one[N], seeds[B], y[B][N], y_bar[B][N], y_one[N], y_seed[N];
  EACH(i, B) {
    x[i] = .5 + .2 * (double)i;
    seeds[i] = 1 + (double)i;
    EACH(k, N) {
      rows[i][k] = (double)((7 * i + 5 * k) % 11) - 3.3;
      y_bar[i][k] = .1 * (double)(i + k);
    }
  }
  tl_vmap(tl_grad(power, x), b)(B, x, 7, bars);
  EACH(i, B) { CHECK(bars[i], tl_grad(power, x)(x[i], 7)); }
  tl_vjp(tl_vmap(power, b))(B, x, 7, out, seeds, bars);
  EACH(i, B) { CHECK(bars[i], seeds[i] * tl_grad(power, x)(x[i], 7)); }
  tl_vmap(tl_grad(sum), b)(B, N, rows, row_bar);
  EACH(i, B) EACH(k, N) { CHECK(row_bar[i][k], 1); }
  tl_vjp(tl_vmap(both, b))(B, N, rows, y, out, y_bar, seeds, row_bar); /* the value is the last output */
  EACH(i, B) {
    EACH(k, N) { y_seed[k] = .1 * (double)(i + k); }
    CHECK(out[i], tl_vjp(both)(N, rows[i], y_one, seeds[i], y_seed, one));
    EACH(k, N) { CHECK(row_bar[i][k], one[k]); }
  }
  CHECK(tl_check_vjp(tl_vmap(both, b))(B, N, rows, y, out, 0), 0);
  tl_vmap(tl_vjp(both), b)(B, N, rows, y, seeds, y_bar, row_bar, out);
  EACH(i, B) {
    EACH(k, N) { y_seed[k] = .1 * (double)(i + k); }
    CHECK_TO(out[i], tl_vjp(both)(N, rows[i], y_one, seeds[i], y_seed, one), 1e-15);
    EACH(k, N) { CHECK_TO(row_bar[i][k], one[k], 1e-15); }
  }
}

/* ---- custom rules ---- */

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double sigmoid_jvp(double x, double x_dot, double *sigmoid_dot) {
  double s = sigmoid(x);
  *sigmoid_dot = 2 * s * (1 - s) * x_dot; /* twice the derivative: it is the rule that is used */
  return s;
}
TL_CUSTOM_JVP(sigmoid, sigmoid_jvp);

static void spread(double x, double y[3]) {
  for (int i = 0; i < 3; i++) {
    y[i] = x * i;
  }
}

static void spread_vjp(double x, double y[3], double y_bar[3], double *x_bar) {
  spread(x, y);
  *x_bar = 10 * (y_bar[1] + 2 * y_bar[2]);
}
TL_CUSTOM_VJP(spread, spread_vjp);

static double unit(double w, double x) { return sigmoid(w * x); }

static void rules(void) {
  double x[B], out[B], bars[B], y[B][3], y_bar[B][3];
  EACH(i, B) {
    x[i] = .4 * (double)i - 1;
    EACH(k, 3) { y_bar[i][k] = (double)(i + k); }
  }
  tl_vmap(unit, b, x)(B, .5, x, out);
  EACH(i, B) { CHECK(out[i], unit(.5, x[i])); }
  tl_vmap(sigmoid, b)(B, x, out);
  EACH(i, B) { CHECK(out[i], sigmoid(x[i])); }
  double ones[B] = {1, 1, 1, 1, 1}, s[B];
  tl_vjp(tl_vmap(sigmoid, b))(B, x, s, ones, bars);
  EACH(i, B) { CHECK(bars[i], 2 * s[i] * (1 - s[i])); }
  tl_vmap(tl_grad(unit, x), b, x)(B, .5, x, bars);
  EACH(i, B) { CHECK(bars[i], tl_grad(unit, x)(.5, x[i])); }
  tl_vmap(spread, b)(B, x, y);
  EACH(i, B) EACH(k, 3) { CHECK(y[i][k], x[i] * (double)k); }
  tl_vjp(tl_vmap(spread, b))(B, x, y, y_bar, bars);
  EACH(i, B) { CHECK(bars[i], 10 * (y_bar[i][1] + 2 * y_bar[i][2])); }
}

/* ---- effects, objects, null tests ---- */

static double noted(FILE *to, double x, int k) {
  if (x > 0) {
    fprintf(to, "%d:%.1f ", k, x);
  }
  double r = x;
  for (int i = 0; i < k; i++) {
    r *= x;
    fprintf(to, "%.2f ", r);
  }
  return r;
}

static double weighed(size_t n, const double x[n], const double *w TL_LEN(n), struct grid *g) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    s += w ? w[i] * x[i] : x[i];
  }
  if (g) {
    g->depth++;
    s += g->cell[1][0];
  }
  return s;
}

struct chain {
  double value;
  const double *rest;
};

static double chained(const struct chain *c) { return c->rest ? c->value + *c->rest : -c->value; }

/* Memory of its own. */
static double on_heap(size_t n, const double x[n]) {
  double *y = malloc(n * sizeof *y), s = 0;
  for (size_t i = 0; i < n; i++) {
    y[i] = x[n - 1 - i];
  }
  for (size_t i = 0; i < n; i++) {
    s = s * y[i] + x[i];
  }
  free(y);
  return s;
}

static void objects(void) {
  char text[2][1000] = {"", ""};
  double x[B], out[B], rows[B][N], w[B][N], bars[B], row_bar[B][N], one[N];
  int k[B];
  EACH(i, B) {
    x[i] = .5 * (double)i - 1;
    k[i] = (int)(4 - i);
    EACH(j, N) {
      rows[i][j] = .1 * (double)(i * j);
      w[i][j] = 1 - .2 * (double)(i + j);
    }
  }
  FILE *to = fmemopen(text[0], sizeof text[0], "w");
  tl_vmap(noted, b, x, k)(B, to, x, k, out);
  fclose(to);
  to = fmemopen(text[1], sizeof text[1], "w");
  EACH(i, B) { CHECK(out[i], noted(to, x[i], k[i])); }
  fclose(to);
  CHECK(strcmp(text[0], text[1]), 0);
  tl_vmap(tl_grad(noted), b)(B, stdout, (double[B]){-1, -2, -3, -4, -5}, 0, bars);
  EACH(i, B) { CHECK(bars[i], 1); }
  struct grid g[B], h[B];
  EACH(i, B) { g[i] = h[i] = (struct grid){{{1, 2}, {3 * (double)i, 4}}, (int)i}; }
  tl_vmap(weighed, b, x, w)(B, N, rows, w, g, out);
  EACH(i, B) {
    CHECK(out[i], weighed(N, rows[i], w[i], &h[i]));
    CHECK(g[i].depth, h[i].depth);
  }
  double(*volatile nothing)[N] = NULL;
  struct grid *volatile nobody = NULL;
  tl_vmap(weighed, b, x, w)(B, N, rows, nothing, nobody, out);
  EACH(i, B) { CHECK(out[i], weighed(N, rows[i], NULL, NULL)); }
  struct chain c[B];
  EACH(i, B) { c[i] = (struct chain){(double)i, i % 2 ? &x[i] : NULL}; }
  tl_vmap(chained, b)(B, c, out);
  EACH(i, B) { CHECK(out[i], chained(&c[i])); }
  tl_vmap(on_heap, b)(B, N, rows, out);
  EACH(i, B) { CHECK(out[i], on_heap(N, rows[i])); }
  tl_vmap(tl_grad(on_heap), b)(B, N, rows, row_bar);
  EACH(i, B) {
    tl_grad(on_heap)(N, rows[i], one);
    EACH(j, N) { CHECK_TO(row_bar[i][j], one[j], 1e-15); }
  }
}

int main(void) {
  recursions();
  recursions_derived();
  rules();
  objects();
  return check_done();
}
