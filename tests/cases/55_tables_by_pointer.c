/* Static tables that a local pointer reaches: chosen among several, a row, a walk; const or never written. */
#include "check.h"

#include <stddef.h>
#include <string.h>

#include <tlaloc/grad.h>

static const double t[4] = {1, 2, 3, 4}, u[4] = {5, 6, 7, 8}, m[2][3] = {{1, 2, 3}, {4, 5, 6}};
static const double *const rows[2] = {m[0], m[1]};

static double polynomial(const double *c, int n, double x) {
  double s = 0;
  for (int i = n - 1; i >= 0; i--) {
    s = s * x + c[i];
  }
  return s;
}

static double whole(double x, int i) {
  const double *p = t;
  return p[i] * x * x;
}
static double local(double x, int i) {
  static const double v[4] = {1, 2, 3, 4};
  const double *p = v + 1;
  return p[i] * x * x;
}
static double chosen(double x, int i) {
  const double *p = i ? t : u + 1;
  return polynomial(p, 3, x);
}
static double row(double x, int i) {
  const double *p = m[i];
  return polynomial(p, 3, x) + rows[1 - i][1] * x;
}
static double row_pointer(double x, int i) {
  const double(*p)[3] = m;
  return polynomial(p[i], 3, x);
}
static double walk(double x, int i) {
  double s = 0;
  for (const double *p = t, *end = p + sizeof t / sizeof *t; p != end; p++) {
    s += *p * x * x;
  }
  return s * i;
}

/* Not const, and never written: constants although what reaches them could write. */
static double plain(double x, int i) {
  static double v[4] = {1, 2, 3, 4};
  double *p = v + 1, *end = v + 4, s = 0;
  if (i > 1) {
    p = &v[2];
  }
  for (p = p - 1; p < end; ++p) {
    s += *p * x * x;
  }
  return s + *(v + i) * x;
}
static double plain_row(double x, int i) {
  static double v[2][2] = {{1, 2}, {3, 4}};
  double *p = v[i], (*q)[2] = v;
  const double *r = i ? v[0] : v[1] + 1;
  return (p[1] * x + q[i][0]) * x + r[0] * x;
}
static double text(double x, int i) {
  static const char steps[2][4] = {"*+*", "\x2b"};
  static const unsigned char weights[] = "\x01\xff";
  double s = x;
  for (const char *p = steps[i]; *p; p++) {
    s = *p == '*' ? s * x : s + x;
  }
  return s * weights[i];
}
static double folded(double x, int i) {
  static const double v[2] = {sizeof(int) > 1 ? 2.0 : 3.0, 1.0 / 3};
  const double *p = v;
  return p[i] * x * x;
}

/* In calls that stay calls. */
static double nested(const double *c TL_LEN(n), int n, double x) { return n ? c[0] + x * nested(c + 1, n - 1, x) : 0; }
static double in_call(double x, int i) {
  const double *p = i ? t : u, *q = m[i];
  return nested(p, 4, x) + nested(q, 3, x);
}
struct term {
  double factor;
  int power;
};
static double terms(int n, const struct term a[n], double x) {
  return n ? a[0].factor * pow(x, a[0].power) + terms(n - 1, a + 1, x) : 0;
}
static double chosen_terms(double x, int i) {
  static const struct term v[2] = {{2, 1}, {3, 2}}, w[2] = {{5, 3}, {7, 2}};
  return terms(2, i ? v : w, x);
}
static double set_in_loop(double x, int i) {
  const double *p = NULL;
  double buffer[4] = {0}, *q = NULL, s = 0;
  for (int k = 0; k < 2; k++) {
    if (p) {
      s += nested(p, 4, x);
      memcpy(q, p, sizeof buffer);
      memmove(q, p, sizeof buffer);
    }
    p = i ? t : u;
    q = buffer;
  }
  return s + buffer[1] * x;
}

/* These are written through a pointer, and read as they are. */
static double a1[2] = {1, 2}, a2[2] = {1, 2}, a3[2] = {1, 2}, a4[2] = {1, 2}, a5[2] = {1, 2}, a6[2] = {1, 2},
              a7[2][2] = {{1, 2}, {3, 4}}, a8[2] = {1, 2}, a9[2] = {1, 2}, b1[2] = {1, 2}, b2[2] = {1, 2};
static double *kept;
static void set(double *p) { *p = 7; }
static double *same(double *p) { return p; }
static void keep(double *p) { kept = p++; }
static void pass_on(double *p) { set(p += 1); }
static void write_all(int i) {
  double *p = a1, *q;
  p[1] = 7;
  p = a2 + 1;
  q = p;
  *q = 7;
  (p = a3)[1] = 7;
  set(&a4[1]);
  *(a5 + 1) = 7;
  p = i ? a6 : a5;
  *++p = 7;
  double *r = a7[0];
  r[1] = 7;
  set(same(a8) + 1);
  keep(a9);
  kept[1] = 7;
  pass_on(b1);
  double *s = __extension__({ b2; });
  s[1] = 7;
}
static double sum_of_written(double x) {
  return (a1[1] + a2[1] + a3[1] + a4[1] + a5[1] + a6[1] + a7[0][1] + a8[1] + a9[1] + b1[1] + b2[1]) * x;
}

#define SLOPES(f, first, second)                                                                                       \
  CHECK(tl_grad(f, x)(2, 0), first);                                                                                   \
  CHECK(tl_grad(f, x)(2, 1), second);                                                                                  \
  CHECK(tl_jvp(f, x)(2, 0, 1), first);                                                                                 \
  CHECK(tl_jvp(f, x)(2, 1, 1), second);                                                                                \
  CHECK(tl_check_vjp(f, x)(2, 1, 0), 0)

int main(void) {
  SLOPES(whole, 4, 8);
  SLOPES(local, 8, 12);
  SLOPES(chosen, 39, 14);
  SLOPES(row, 19, 31);
  SLOPES(row_pointer, 14, 29);
  SLOPES(walk, 0, 40);
  SLOPES(plain, 41, 42);
  SLOPES(plain_row, 13, 20);
  SLOPES(text, 16, 2 * 255);
  SLOPES(folded, 8, 4. / 3);
  SLOPES(in_call, 130 + 14, 62 + 29);
  SLOPES(chosen_terms, 5 * 12 + 7 * 4, 2 + 12);
  SLOPES(set_in_loop, 130 + 6, 62 + 2);
  double H[1][1];
  tl_hessian(chosen, x)(2, 1, H);
  CHECK(H[0][0], 6);
  CHECK(tl_grad(tl_grad(in_call, x), x)(2, 1), 6 + 24 * 2 + 12);
  double J[1][1];
  tl_jacobian(row, x)(2, 1, J);
  CHECK(J[0][0], 31);
  CHECK(tl_grad(sum_of_written)(1), 22);
  write_all(1);
  CHECK(tl_grad(sum_of_written)(1), 77);
  return check_done();
}
