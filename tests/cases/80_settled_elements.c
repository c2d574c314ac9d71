/* Loops that read of an array what earlier iterations left in it for good, and loops that only seem to. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <tlaloc/grad.h>

enum { N = 5 };

static void factor(int n, double a[n][n]) {
  for (int j = 0; j < n; j++) {
    double s = a[j][j];
    for (int k = 0; k < j; k++) {
      s -= a[j][k] * a[j][k];
    }
    a[j][j] = sqrt(s);
    for (int i = j + 1; i < n; i++) {
      double t = a[i][j];
      for (int k = 0; k < j; k++) {
        t -= a[i][k] * a[j][k];
      }
      a[i][j] = t / a[j][j];
    }
  }
}

/* Forward and backward substitution, in place. */
static double cholesky(const double x[N]) {
  double a[N][N], z[N], s = 0;
  for (int i = 0; i < N; i++) {
    z[i] = 1 + x[i] * x[i];
    for (int j = 0; j <= i; j++) {
      a[i][j] = exp(-(x[i] - x[j]) * (x[i] - x[j])) + (i == j);
    }
  }
  factor(N, a);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < i; k++) {
      z[i] -= a[i][k] * z[k];
    }
    z[i] /= a[i][i];
  }
  for (int i = N - 1; i >= 0; i--) {
    double t = z[i];
    for (int k = i + 1; k < N; k++) {
      t -= a[k][i] * z[k];
    }
    z[i] = t / a[i][i];
    s += z[i] * x[i];
  }
  return s;
}

static double recurrence(const double x[N]) {
  double v[N];
  v[0] = x[0];
  v[1] = x[1];
  for (int i = 2; i < N; i++) {
    v[i] = sin(v[i - 1]) * v[i - 2] + x[i] * v[0];
  }
  return v[N - 1] * v[N - 2];
}

/* The elements are written again in the next step. */
static double sweeps(const double x[N]) {
  double v[N], s = 0;
  memcpy(v, x, sizeof v);
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < N; i++) {
      double t = x[i];
      for (int k = 0; k < i; k++) {
        t += v[k] * v[k] * 0.1;
      }
      v[i] = t * v[i];
    }
    s += v[N - 1];
  }
  return s;
}

/* And after the loop. */
static double reused(const double x[N]) {
  double v[N], s = 0;
  for (int i = 0; i < N; i++) {
    double t = x[i];
    for (int k = 0; k < i; k++) {
      t += v[k] * v[k] * x[i];
    }
    v[i] = t;
  }
  for (int i = 0; i < N; i++) {
    v[i] = v[i] * v[i];
    s += v[i] * v[i];
  }
  return s;
}

/* Element 0 changes in every iteration; the last statement of the loop reads what is still to be written. */
static double moving(const double x[N]) {
  double v[N], s = 0;
  memcpy(v, x, sizeof v);
  for (int i = 1; i < N; i++) {
    for (int k = 0; k < i; k++) {
      s += v[k] * v[k] * x[i];
    }
    v[i] = s * x[i];
    v[0] *= x[i];
    for (int k = i + 1; k < N; k++) {
      s += v[k] * v[k] * v[i] * 0.1;
    }
  }
  return s;
}

/* Downward the other elements are settled. */
static double downward(const double x[N]) {
  double v[N], s = 0;
  memcpy(v, x, sizeof v);
  for (int i = N - 1; i >= 0; i--) {
    double t = v[i];
    for (int k = 0; k < i; k++) {
      t += v[k] * v[k] * x[i];
    }
    for (int k = i + 1; k < N; k++) {
      t += v[k] * v[k] * x[i] * 0.01;
    }
    v[i] = t * t;
    s += v[i];
  }
  return s;
}

static double left_early(const double x[N], double most) {
  double v[N], s = 0;
  memcpy(v, x, sizeof v);
  for (int i = 0; i < N; i++) {
    double t = x[i];
    for (int k = 0; k < i; k++) {
      t += v[k] * v[k];
    }
    if (t > most) {
      break;
    }
    v[i] = t * t;
    s += v[i] * t;
  }
  return s + v[N - 1] * v[0];
}

/* A row per iteration that reads the rows above it. */
static double rows(const double x[N]) {
  double a[N][3], s = 0;
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < 3; c++) {
      a[i][c] = x[i] * (c + 1);
      for (int k = 0; k < i; k++) {
        a[i][c] += a[k][(c + 1) % 3] * a[k][c] * 0.2;
      }
    }
    s += a[i][0] * a[i][2];
  }
  return s;
}

typedef double function(const double *x);
static double left_at_two(const double *x) { return left_early(x, 2); }

static void compare(const char *name, function *f, const double x[N], const double g[N]) {
  for (int i = 0; i < N; i++) {
    double y[N], h = 1e-3, d[4];
    for (int k = 0; k < 4; k++) {
      memcpy(y, x, sizeof y);
      y[i] += h * (double[]){1, -1, 2, -2}[k];
      d[k] = f(y);
    }
    check_near(name, g[i], (8 * (d[0] - d[1]) - (d[2] - d[3])) / (12 * h), 1e-7);
  }
}

static double slope(const double x[N]) {
  double g[N], s = 0;
  tl_grad(cholesky)(x, g);
  for (int i = 0; i < N; i++) {
    s += g[i] * (i + 1);
  }
  return s;
}

#define COMPARE(f, g) (tl_grad(f)(x, g), compare(#f, f, x, g))

int main(void) {
  double x[N] = {0.3, 0.8, -0.4, 1.1, 0.6}, g[N], H[N][N], d[N];
  COMPARE(cholesky, g);
  COMPARE(recurrence, g);
  COMPARE(sweeps, g);
  COMPARE(reused, g);
  COMPARE(moving, g);
  COMPARE(downward, g);
  COMPARE(rows, g);
  COMPARE(slope, g);
  tl_grad(left_early, x)(x, 2, g);
  compare("left_early", left_at_two, x, g);
  tl_hessian(cholesky)(x, H);
  for (int i = 0; i < N; i++) {
    d[i] = 0;
    for (int k = 0; k < N; k++) {
      d[i] += H[k][i] * (k + 1);
    }
  }
  compare("hessian", slope, x, d);
  return check_done();
}
