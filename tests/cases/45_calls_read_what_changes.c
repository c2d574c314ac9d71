/* Recursive helpers that read and write memory in loops and branches: what a call read has to be there again on the way
 * back, as it was at every call, also where its size changes from one iteration to the next. */
#include "check.h"

#include <tlaloc/grad.h>

static double differences(double (*f)(int, double), int n, double x) {
  double e = 1e-3;
  return (8 * (f(n, x + e) - f(n, x - e)) - f(n, x + 2 * e) + f(n, x - 2 * e)) / (12 * e);
}

static double reads(int d, int n, const double a[n]) {
  return d <= 0 ? sin(a[0] * a[n - 1]) : a[0] * reads(d - 1, n, a);
}

static double writes(int d, int n, double a[n]) {
  if (d <= 0) {
    a[0] = sin(a[1]);
    return a[0] * a[1];
  }
  a[1] = 0.9 * a[1] * cos(a[0]);
  return a[0] * writes(d - 1, n, a);
}

static double overwritten_later(int n, double x) {
  double a[3] = {x, x * x, 1}, sum = 0;
  for (int i = 0; i < n; i++) {
    sum += reads(2, 3, a);
    a[i % 3] = sin(a[0] * x) + 0.1 * sum;
  }
  return sum;
}

static double written_in_branches(int n, double x) {
  double a[4] = {x, 0.5 * x, x * x, 1}, sum = 0;
  for (int i = 0; i < n; i++) {
    if (i % 2) {
      for (int j = 0; j < i; j++) {
        sum += writes(j & 3, 4, a);
      }
    }
  }
  return sum + a[0];
}

/* The array's size changes, and it is written by a loop of calls inside. */
static double sizes_that_change(int n, double x) {
  double sum = 0;
  for (int i = 1; i < n; i++) {
    double a[i + 2];
    for (int j = 0; j < i + 2; j++) {
      a[j] = x + 0.1 * j;
    }
    for (int j = 0; j < i; j++) {
      sum += writes(j & 3, i + 2, a);
    }
    sum += a[1];
  }
  return sum;
}

static double sizes_without_bound(int n, double x) {
  double sum = x;
  int i = 1;
  while (i < n && sum < 1e3) {
    double a[i + 2];
    for (int j = 0; j < i + 2; j++) {
      a[j] = x + 0.1 * j;
    }
    int j = 0;
    while (j < i && a[0] > -2) {
      sum += writes(j & 1, i + 2, a);
      j++;
    }
    sum *= a[1] + reads(1, i + 2, a);
    i++;
  }
  return sum;
}

static double size_of_a_branch(int n, double x) {
  double sum = x;
  if (n > 3) {
    int m = n - 1;
    double a[m];
    for (int j = 0; j < m; j++) {
      a[j] = sum * (j + 1);
    }
    sum += writes(2, m, a);
    sum += writes(1, m, a) * a[m - 1];
  }
  return sum;
}

static double rows(int n, double x) {
  double a[4][n], sum = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < n; j++) {
      a[i][j] = 0.3 * x * i + 0.1 * j;
    }
  }
  for (int i = 0; i < 4; i++) {
    sum += writes(i, n, a[i]);
    a[i][0] *= sum;
    sum += writes(1, n, a[3 - i]);
  }
  return sum;
}

static double calls_in_a_recursion(int d, double x, double a[2]) {
  if (d <= 0) {
    return sin(x) * a[0];
  }
  double sum = 0;
  for (int i = 0; i < 2; i++) {
    a[0] = a[0] * 0.5 + x;
    sum += calls_in_a_recursion(d - 1, x + i, a) * a[1];
  }
  return sum;
}

static double recursion_with_loops(int n, double x) {
  double a[2] = {x, x * x};
  return calls_in_a_recursion(n & 3, x, a);
}

typedef struct {
  double value[2], weight;
} pair;

static double by_value(int d, double x, pair p) {
  if (d <= 0) {
    return 0.25 * sin(x * p.value[0]);
  }
  p.weight = 0.5 * p.weight + sin(p.weight + x);
  p.value[0] = p.weight;
  double t = by_value(d - 1, sin(p.weight - x), p);
  p.value[0] = p.value[0] * t;
  return p.value[0] + cos(t);
}

static double structs(int n, double x) {
  pair p = {{x, 1}, 0.3};
  return by_value(n & 3, x, p);
}

static double structs_in_a_loop(int n, double x) {
  pair p = {{x, 1}, 0.3};
  for (int i = 0; i < n; i++) {
    if (i != 2) {
      p.weight += 0.1 * by_value(i & 1, x, p);
      p.value[0] = sin(p.value[0] + p.weight);
    }
  }
  return p.weight;
}

static const double table[4] = {0.5, 0.6, 0.7, 0.8};

static double shorter_each_time(int n, const double c[n], double x) {
  return n == 0 ? 0.3 : 0.5 * (c[0] + 0.5 * x * shorter_each_time(n - 1, &c[1], x));
}

/* The table is longer than what the helper says that it reads. */
static double longer_than_said(int n, double x) { return sin(shorter_each_time(n & 3, table, x)); }

int main(void) {
  for (int n = 2; n < 6; n++) {
    CHECK_TO(tl_grad(overwritten_later)(n, 0.4), differences(overwritten_later, n, 0.4), 1e-9);
    CHECK_TO(tl_grad(written_in_branches)(n, 0.7), differences(written_in_branches, n, 0.7), 1e-9);
    CHECK_TO(tl_grad(sizes_that_change)(n, 0.7), differences(sizes_that_change, n, 0.7), 1e-9);
    CHECK_TO(tl_grad(sizes_without_bound)(n, 0.7), differences(sizes_without_bound, n, 0.7), 1e-9);
    CHECK_TO(tl_grad(size_of_a_branch)(n, 0.3), differences(size_of_a_branch, n, 0.3), 1e-9);
    CHECK_TO(tl_grad(rows)(n, 0.7), differences(rows, n, 0.7), 1e-9);
    CHECK_TO(tl_grad(recursion_with_loops)(n, 0.7), differences(recursion_with_loops, n, 0.7), 1e-9);
    CHECK_TO(tl_grad(longer_than_said)(n, 0.7), differences(longer_than_said, n, 0.7), 1e-9);
    CHECK_TO(tl_grad(structs)(n, 0.7), differences(structs, n, 0.7), 1e-9);
    CHECK_TO(tl_grad(structs_in_a_loop)(n, 0.7), differences(structs_in_a_loop, n, 0.7), 1e-9);
  }
  double h[1][1];
  tl_hessian(sizes_that_change)(4, 0.7, h);
  double e = 1e-4;
  CHECK_TO(h[0][0], (tl_grad(sizes_that_change)(4, 0.7 + e) - tl_grad(sizes_that_change)(4, 0.7 - e)) / (2 * e), 1e-6);
  tl_hessian(sizes_without_bound)(4, 0.7, h);
  CHECK_TO(h[0][0], (tl_grad(sizes_without_bound)(4, 0.7 + e) - tl_grad(sizes_without_bound)(4, 0.7 - e)) / (2 * e), 1e-6);
  tl_hessian(structs_in_a_loop)(4, 0.7, h);
  CHECK_TO(h[0][0], (tl_grad(structs_in_a_loop)(4, 0.7 + e) - tl_grad(structs_in_a_loop)(4, 0.7 - e)) / (2 * e), 1e-6);
  return check_done();
}
