/* Loops whose bound does not end them: it is to be met, but lies on the other side, or it is the largest number of its
 * type. Another exit leaves them, or the variable comes round. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

#include <tlaloc/grad.h>

enum { N = 8 };

static double sentinel(const double x[N], int n) {
  double s = 0;
  for (int k = 0; k != n; k++) {
    if (k == 5) {
      break;
    }
    s += x[k] * x[k];
  }
  return s;
}

static double returns(const double x[N], int n) {
  double s = 0;
  for (int k = 7; k != n; k--) {
    s += x[k] * x[k];
    if (k == 5) {
      return s;
    }
  }
  return 2 * s;
}

static double both(const double x[N], int n) {
  double s = 0;
  for (int k = 0; k != n && x[k] < 4; k++) {
    s += x[k] * x[k];
  }
  return s;
}

/* -1: any number of tries. */
static double tries(double x, int n) {
  double r = x;
  while (n--) {
    double d = (r * r - x) / (2 * r);
    r -= d;
    if (fabs(d) < 1e-13) {
      break;
    }
  }
  return r;
}

static double ring(const double x[N], uint8_t head, uint8_t tail) {
  double s = 0;
  for (uint8_t k = head; k != tail; k++) {
    s += x[k % N] * x[k % N];
  }
  return s;
}

static double wide_ring(const double x[N], unsigned head, unsigned tail) {
  double s = 0;
  for (unsigned k = head; k != tail; k++) {
    s += x[k % N] * x[k % N];
  }
  return s;
}

static double all_but_none(double x) {
  double s = 0;
  for (uint8_t k = 1; k != 0; k++) {
    s += x;
  }
  return s;
}

static double from_below(const double x[N], size_t n) {
  double s = 0;
  for (int k = -2; (size_t)k != n; k++) {
    s += x[k + 2] * x[k + 2];
  }
  return s;
}

/* SIZE_MAX: no limit. */
static double below(const double x[N], size_t n) {
  double s = 0;
  size_t k = 0;
  while (k < n) {
    s += x[k] * x[k];
    k++;
    if (x[k] > 5) {
      break;
    }
    s += x[k];
  }
  return s;
}

static double up_to(const double x[N], size_t n) {
  double s = 0;
  for (size_t k = 0; k <= n; k++) {
    if (x[k] > 5) {
      break;
    }
    s += x[k] * x[k];
  }
  return s;
}

static double up_to_unsigned(const double x[N], unsigned n) {
  double s = 0;
  for (unsigned k = 0; k <= n && x[k] < 5; k++) {
    s += x[k] * x[k];
  }
  return s;
}

/* What stays counted. */
static double counted(size_t n, const double x[n], int m, const double y[m]) {
  double s = 0;
  for (size_t k = 0; k != n; k++) {
    if (x[k] > 6) {
      break;
    }
    s += x[k] * x[k];
  }
  for (int k = 0; k != m; k++) {
    if (y[k] > 6) {
      break;
    }
    s += 3 * y[k];
  }
  for (int k = m; k != 0; k--) {
    s += y[k - 1];
  }
  for (int k = m; k--;) {
    if (y[k] < 2) {
      break;
    }
    s += y[k];
  }
  return s;
}

int main(void) {
  const double x[N] = {1, 2, 3, 4, 5, 6, 7, 8};
  double a[N], b[N], c[N], d[N], e[N], f[N], y[N];
  tl_grad(sentinel, x)(x, -1, a);
  tl_grad(returns, x)(x, 9, b);
  tl_grad(both, x)(x, -1, c);
  tl_grad(ring, x)(x, 254, 3, d);
  tl_grad(wide_ring, x)(x, UINT32_MAX, 2, e);
  tl_grad(from_below, x)(x, 2, f);
  for (int k = 0; k < N; k++) {
    CHECK(a[k], k < 5 ? 2 * x[k] : 0);
    CHECK(b[k], k >= 5 ? 2 * x[k] : 0);
    CHECK(c[k], x[k] < 4 ? 2 * x[k] : 0);
    CHECK(d[k], k >= 6 || k < 3 ? 2 * x[k] : 0);
    CHECK(e[k], k == 7 || k < 2 ? 2 * x[k] : 0);
    CHECK(f[k], k < 4 ? 2 * x[k] : 0);
  }
  tl_grad(below, x)(x, SIZE_MAX, a);
  tl_grad(up_to, x)(x, SIZE_MAX, b);
  tl_grad(up_to_unsigned, x)(x, UINT32_MAX, c);
  for (int k = 0; k < N; k++) {
    CHECK(a[k], k < 5 ? 2 * x[k] + (k > 0 ? 1 : 0) : 0);
    CHECK(b[k], k < 5 ? 2 * x[k] : 0);
    CHECK(c[k], k < 4 ? 2 * x[k] : 0);
  }
  tl_grad(below, x)(x, 2, a);
  tl_grad(up_to, x)(x, 2, b);
  tl_grad(up_to_unsigned, x)(x, 2, c);
  for (int k = 0; k < N; k++) {
    CHECK(a[k], (k < 2 ? 2 * x[k] : 0) + (k == 1 || k == 2 ? 1 : 0));
    CHECK(b[k], k < 3 ? 2 * x[k] : 0);
    CHECK(c[k], k < 3 ? 2 * x[k] : 0);
  }
  tl_grad(sentinel, x)(x, 3, a);
  CHECK(a[2], 6);
  CHECK(a[3], 0);
  tl_grad(ring, x)(x, 2, 4, d);
  CHECK(d[1], 0);
  CHECK(d[3], 8);
  CHECK(tl_grad(tries, x)(2, -1), 0.5 / sqrt(2));
  CHECK(tl_grad(tries, x)(2, 0), 1);
  CHECK(tl_grad(all_but_none)(1), 255);
  tl_grad(counted)(N, x, N, x, a, y);
  for (int k = 0; k < N; k++) {
    CHECK(a[k], k < 6 ? 2 * x[k] : 0);
    CHECK(y[k], (k < 6 ? 3 : 0) + 1 + (k > 0 ? 1 : 0));
  }
  return check_done();
}
