/* A loop that is left early, or stands in a branch that is not taken, may have a bound that says nothing of how often
 * it runs: what its derivative keeps has the size of what ran. */
#include "check.h"

#include <limits.h>
#include <stdint.h>

#include <tlaloc/grad.h>

static int failures;

void tl_tape_failed(const char *function, size_t bytes);

void tl_tape_failed(const char *function, size_t bytes) { failures += function && bytes > 0; }

/* Each is x^n, but that no product is seen in it. */
static double by_int(int n, double x) {
  double s = 1;
  for (int i = 0; i < INT_MAX; i++) {
    if (i >= n) {
      break;
    }
    s = exp(log(s) + log(x));
  }
  return s;
}

static double by_size(int n, double x) {
  double s = 1;
  for (size_t i = 0; i < SIZE_MAX; i++) {
    if ((int)i >= n) {
      return s;
    }
    s = exp(log(s) + log(x));
  }
  return 0;
}

static double by_parameter(int n, long most, double x) {
  double s = 1;
  for (long i = 0; i < most && i < n; i++) {
    s = exp(log(s) + log(x));
  }
  return s;
}

static double within(int n, long most, double x) {
  double s = 1;
  for (int i = 0; i < 2; i++) {
    for (long k = 0; k < most; k++) {
      if (k == n - i) {
        break;
      }
      s = exp(log(s) + log(x));
    }
  }
  return s;
}

static double in_branch(int n, int many, double x) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (many < 100) {
      for (long k = 0; k < (long)many * many; k++) {
        s = exp(log(s) + log(x));
      }
    } else {
      s = exp(log(s) + log(x));
    }
  }
  return s;
}

static double in_branch_of_constants(int n, double x) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (n > 1000) {
      for (long k = 0; k < LONG_MAX; k++) {
        s = exp(log(s) + log(x));
      }
    }
    s = exp(log(s) + log(x));
  }
  return s;
}

/* Within the length of an array, and for a small constant, the size is known. */
static double of_array(int n, const double x[n]) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (x[i] < 0) {
      break;
    }
    s = sin(s * x[i]);
  }
  return s;
}

int main(void) {
  double H[1][1], x = 1.25;
  for (int n = 2; n < 10; n += 3) {
    double d = n * pow(x, n - 1), dd = (n - 1) * d / x;
    CHECK_TO(tl_grad(by_int, x)(n, x), d, 1e-13);
    CHECK_TO((tl_hessian(by_int, x)(n, x, H), H[0][0]), dd, 1e-12);
    CHECK_TO(tl_grad(by_size, x)(n, x), d, 1e-13);
    CHECK_TO((tl_hessian(by_size, x)(n, x, H), H[0][0]), dd, 1e-12);
    CHECK_TO(tl_grad(by_parameter, x)(n, LONG_MAX, x), d, 1e-13);
    CHECK_TO((tl_hessian(by_parameter, x)(n, LONG_MAX, x, H), H[0][0]), dd, 1e-12);
    double bar;
    tl_vjp(by_parameter, x)(n, LONG_MAX, x, 1, &bar);
    CHECK_TO(bar, d, 1e-13);
    tl_vjp(within, x)(n, LONG_MAX, x, 1, &bar);
    CHECK_TO(bar, (2 * n - 1) * pow(x, 2 * n - 2), 1e-13);
    tl_vjp(in_branch, x)(n, INT_MAX, x, 1, &bar);
    CHECK_TO(bar, d, 1e-13);
    tl_vjp(in_branch, x)(n, 2, x, 1, &bar);
    CHECK_TO(bar, 4 * n * pow(x, 4 * n - 1), 1e-13);
    tl_vjp(in_branch_of_constants, x)(n, x, 1, &bar);
    CHECK_TO(bar, d, 1e-13);
  }
  double y[4] = {0.5, 0.7, -1, 2}, y_bar[4];
  tl_grad(of_array)(4, y, y_bar);
  CHECK_TO(y_bar[1], cos(sin(0.5) * 0.7) * sin(0.5), 1e-14);
  CHECK(y_bar[2], 0);
  CHECK(failures, 0);
  return check_done();
}
