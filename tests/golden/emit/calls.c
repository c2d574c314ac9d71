#include <stddef.h>

double step(const struct pair *p, int n, struct pair *restrict out) {
  int m = n - 1;
  double a = p->a;
  double r;
  if (m > 1) {
    double s = step(p, m, out);
    r = s;
  } else {
    double qb[2] = {0}, qa = a + a;
    qb[1] = a;
    double rb[2], ra;
    struct pair p_2;
    p_2.a = qa;
    for (size_t i = 0; i < 2; i++) {
      p_2.b[i] = qb[i];
    }
    struct pair out_2;
    double t = step(&p_2, m, &out_2);
    ra = out_2.a;
    for (size_t i = 0; i < 2; i++) {
      rb[i] = out_2.b[i];
    }
    double u = ra;
    out->a = u * rb[1] + u;
    for (size_t i = 0; i < 2; i++) {
      out->b[i] = 0.0;
    }
    r = t;
  }
  return r;
}

void through(size_t n, const double x[n], double y[restrict n], double *restrict z) {
  double w = 0.0;
  through(n, x, y, &w);
  through(n, x, y, z);
  *z += w;
}

double add_to(long n, double y[restrict n], const double x[n]) {
  double s = 0.0;
  for (long i = 0; i < n; i++) {
    double v = x[i];
    y[i] += v;
    s += v;
  }
  return s;
}

double parts(const double x[6], const double m[3][4], int k, double y[restrict 5]) {
  int j = k & 1;
  double a = add_to(2, y + 1, x + j), b = add_to(3, y, &m[j][1]);
  double c[5];
  for (size_t p = 0; p < 5; p++) {
    c[p] = y[p];
  }
  double d = add_to(1, y + j, x), e = add_to(2, c + 2, y + 3), i = a + b + (d + e);
  return i + c[2];
}
