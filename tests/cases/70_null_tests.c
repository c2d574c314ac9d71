/* Pointers that the caller may leave null: members, rows, what void * stands for; and pointers that are passed on. */
#include "check.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <tlaloc/grad.h>

struct weights {
  int n;
  const double *w TL_LEN(n);
  double k;
};

static double weigh(const struct weights *p, double x) {
  double s = 0;
  for (int i = 0; i < p->n; i++) {
    s += (p->w ? p->w[i] : 1.0) * x * x;
  }
  return s * p->k;
}
static double weigh_value(struct weights p, double x) {
  double s = 0;
  for (int i = 0; i < p.n; i++) {
    s += (p.w != NULL ? p.w[i] : 1.0) * x * x;
  }
  return s;
}
static double weigh_many(int m, const struct weights s[m], double x) {
  double r = 0;
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < s[j].n; i++) {
      r += !s[j].w ? x * x * x : s[j].w[i] * x * x * x;
    }
  }
  return r;
}
static double rows(int m, int n, double **a, double x) {
  double r = 0;
  for (int j = 0; j < m; j++) {
    if (!a[j]) {
      continue;
    }
    for (int i = 0; i < n; i++) {
      r += a[j][i] * x * x;
    }
  }
  return r;
}
static double walk(int n, const double *y, double x) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += y ? *y++ * x : x * x;
  }
  return s;
}
static double typed(const void *data, double x) { return (data ? *(const double *)data : 3.0) * x * x; }
static double any_of(const struct weights *p, const double *other, double x) {
  const double *w = p->w ? p->w : other;
  return w ? w[0] * x * x : x;
}

/* Streams and the like have no content here; each keeps its name through recursion and copied bodies. */
static double logged(FILE *log, const struct weights *p, int depth, double x) {
  if (log) {
    fprintf(log, "%d%%$ ", depth);
  }
  if (!depth) {
    return p->w ? p->w[0] * x : 5 * x;
  }
  return logged(log, p, depth - 1, x) * x;
}
static double nested(const struct weights *q, FILE *out, double y) { return tl_grad(logged, x)(out, q, 2, y); }
static double nested_stream(const struct weights *q, double y) { return tl_grad(logged, x)(stderr, q, 2, y); }
static double nested_null(double y) {
  double v[1] = {9}, w[1] = {7};
  struct weights a = {1, v, 2}, b = {1, w, 2};
  return tl_grad(logged, x)(NULL, &a, 2, y) + tl_grad(logged, x)(NULL, &b, 2, y);
}
static double nested_typed(const double *any, double y) { return tl_grad(typed, x)(any, y); }

static int text_length(FILE *f) {
  rewind(f);
  int n = 0;
  while (getc(f) != EOF) {
    n++;
  }
  rewind(f);
  return n;
}

int main(void) {
  double w[2] = {2, 3}, other[1] = {11};
  struct weights some = {2, w, 2}, none = {2, NULL, 2}, both[2] = {some, none};
  CHECK(tl_grad(weigh, x)(&some, 1.5), 2 * 2 * 5 * 1.5);
  CHECK(tl_grad(weigh, x)(&none, 1.5), 2 * 2 * 2 * 1.5);
  CHECK(tl_grad(weigh_value, x)(some, 1.5), 2 * 5 * 1.5);
  CHECK(tl_grad(weigh_value, x)(none, 1.5), 2 * 2 * 1.5);
  CHECK(tl_grad(weigh_many, x)(2, both, 2), 7 * 3 * 4);
  CHECK(tl_check_vjp(weigh_many, x)(2, both, 2, 0), 0);
  double *table[3] = {w, NULL, w};
  CHECK(tl_grad(rows, x)(3, 2, table, 2), 10 * 2 * 2);
  CHECK(tl_grad(walk, x)(2, w, 2), 5);
  CHECK(tl_grad(walk, x)(2, NULL, 2), 8);
  CHECK(tl_grad(typed, x)(w, 2), 8);
  CHECK(tl_grad(typed, x)(NULL, 2), 12);
  CHECK(tl_grad(any_of, x)(&some, other, 2), 8);
  CHECK(tl_grad(any_of, x)(&none, other, 2), 44);
  CHECK(tl_grad(any_of, x)(&none, NULL, 2), 1);

  FILE *log = tmpfile();
  if (!log) {
    return 1;
  }
  CHECK(tl_grad(logged, x)(log, &some, 2, 2), 2 * 3 * 4);
  CHECK(text_length(log), 3 * 4);
  CHECK(tl_grad(logged, x)(NULL, &none, 2, 2), 5 * 3 * 4);
  CHECK(tl_grad(nested, y)(&none, log, 2), 5 * 3 * 2 * 2);
  CHECK(text_length(log), 3 * 4);
  CHECK(tl_grad(nested, y)(&some, NULL, 2), 2 * 3 * 2 * 2);
  CHECK(tl_grad(nested_stream, y)(&some, 2), 2 * 3 * 2 * 2);
  CHECK(tl_grad(nested_null)(2), (9 + 7) * 3 * 2 * 2);
  CHECK(tl_grad(nested_typed, y)(NULL, 2), 6);
  CHECK(tl_grad(nested_typed, y)(w, 2), 4);
  CHECK(tl_check_vjp(logged, x)(log, &some, 1, 2, 0), 0);
  CHECK(text_length(log) > 3 * 4, 1);
  fclose(log);
  return check_done();
}
