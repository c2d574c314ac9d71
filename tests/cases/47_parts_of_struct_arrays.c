/* Parts of arrays of structs that calls that stay calls read and write: their members have axes of their own. */
#include "check.h"

#include <tlaloc/grad.h>

struct pair {
  double q[2];
};

struct nest {
  double w;
  struct pair in[3];
  struct pair one;
};

static double first(int depth, int n, const struct pair a[n]) { return depth ? first(depth - 1, n, a) : a[0].q[0]; }

static double from_second(int n, double x) {
  struct pair a[n + 1];
  for (int i = 0; i <= n; i++) {
    a[i].q[0] = x * i;
    a[i].q[1] = 0;
  }
  return first(1, n, a + 1);
}

static void wear(int depth, int n, struct pair a[n]) {
  if (depth) {
    wear(depth - 1, n, a);
    return;
  }
  for (int i = 0; i < n; i++) {
    a[i].q[0] *= a[i].q[1];
    a[i].q[1] += i * a[i].q[0];
  }
}

static double worn_part(int n, double x) {
  struct pair a[n + 1];
  for (int i = 0; i <= n; i++) {
    a[i].q[0] = x * i;
    a[i].q[1] = x;
  }
  wear(1, n, a + 1);
  wear(0, n, &a[n - 2]);
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    sum += (i + 1) * a[i].q[0] + (i + 2) * a[i].q[1];
  }
  return sum;
}

/* Arrays of structs in structs, a struct in a struct, rows of structs. */
static double fill_and_wear(int n, double x) {
  struct nest a[n + 1];
  struct pair rows[n + 1][2];
  for (int i = 0; i <= n; i++) {
    a[i].w = x;
    for (int j = 0; j < 3; j++) {
      a[i].in[j] = (struct pair){{x * i, x + j}};
    }
    a[i].one = a[i].in[1];
    rows[i][0] = a[i].in[2];
    rows[i][1] = a[i].one;
  }
  wear(1, 2, a[1].in + 1);
  wear(0, 3, a[2].in);
  wear(1, 1, &a[1].one);
  wear(1, 2, rows[1]);
  wear(1, 1, &rows[2][1]);
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    sum += a[i].one.q[0] * a[i].one.q[1] + rows[i][0].q[0] * rows[i][1].q[1] + rows[i][0].q[1] * rows[i][1].q[0];
    for (int j = 0; j < 3; j++) {
      sum += (i + 1) * a[i].in[j].q[0] + a[i].in[j].q[1] * (i + 2) * j * a[i].w;
    }
  }
  return sum;
}

static void wear_nests(int depth, int n, struct nest a[n]) {
  if (depth) {
    wear_nests(depth - 1, n, a);
    return;
  }
  for (int i = 0; i < n; i++) {
    a[i].w *= a[i].in[2].q[1];
    a[i].one.q[1] *= a[i].in[i % 3].q[0];
    a[i].in[1].q[0] *= a[i].w;
  }
}

static double worn_nests(int n, double x) {
  struct nest a[n + 1];
  for (int i = 0; i <= n; i++) {
    a[i].w = x + i;
    for (int j = 0; j < 3; j++) {
      a[i].in[j] = (struct pair){{x * i, x + j}};
    }
    a[i].one = a[i].in[1];
  }
  wear_nests(1, n, a + 1);
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    sum += a[i].w + a[i].one.q[0] * a[i].one.q[1] + a[i].in[1].q[0] * a[i].in[2].q[0];
  }
  return sum;
}

static void wear_rows(int depth, int n, struct pair a[n][2]) {
  if (depth) {
    wear_rows(depth - 1, n, a);
    return;
  }
  for (int i = 0; i < n; i++) {
    a[i][1].q[0] *= a[i][0].q[1];
    a[i][0].q[1] += i * a[i][1].q[1];
  }
}

static double worn_rows(int n, double x) {
  struct pair a[n + 1][2];
  for (int i = 0; i <= n; i++) {
    a[i][0] = (struct pair){{x * i, x - i}};
    a[i][1] = (struct pair){{x, x * x}};
  }
  wear_rows(1, n, a + 1);
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    sum += (i + 1) * a[i][0].q[0] + a[i][0].q[1] * a[i][1].q[0] + a[i][1].q[1];
  }
  return sum;
}

/* A struct that is no element is an array of one. */
static double lone(int n, double x) {
  struct pair a = {{x, x * x}};
  struct nest b = {.w = x, .in = {{{x, 1}}, {{x, x}}, {{2, x}}}, .one = {{x, n * x}}};
  wear(1, 1, &a);
  wear_nests(1, 1, &b);
  return a.q[0] + a.q[1] * b.w + b.one.q[1] * b.in[1].q[0];
}

static double along(double (*f)(int, double), int n, double x) {
  double h = 1e-3;
  return (8 * (f(n, x + h) - f(n, x - h)) - f(n, x + 2 * h) + f(n, x - 2 * h)) / (12 * h);
}

#define CHECK_ALONG(f)                                                                                                 \
  do {                                                                                                                 \
    double slope, v = tl_value_and_grad(f)(3, 1.25, &slope);                                                           \
    CHECK(v, f(3, 1.25));                                                                                              \
    CHECK_TO(slope, along(f, 3, 1.25), 1e-9);                                                                          \
  } while (0)

int main(void) {
  double slope;
  CHECK(tl_value_and_grad(from_second)(2, 3, &slope), 3);
  CHECK(slope, 1);
  CHECK_ALONG(worn_part);
  CHECK_ALONG(fill_and_wear);
  CHECK_ALONG(worn_nests);
  CHECK_ALONG(worn_rows);
  CHECK_ALONG(lone);
  return check_done();
}
