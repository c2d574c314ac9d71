/* More derivatives of whole small programs: bodies in structs, trees, transforms, iterations that stop by themselves.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <tlaloc/grad.h>
struct body {
  double x[3], v[3], m;
};
static double energy(int n, const struct body b[n]) {
  double e = 0;
  for (int i = 0; i < n; i++) {
    const struct body *p = &b[i];
    e += 0.5 * p->m * (p->v[0] * p->v[0] + p->v[1] * p->v[1] + p->v[2] * p->v[2]);
    for (int j = i + 1; j < n; j++) {
      double d2 = 0.01;
      for (int k = 0; k < 3; k++) {
        double d = p->x[k] - b[j].x[k];
        d2 += d * d;
      }
      e -= p->m * b[j].m / sqrt(d2);
    }
  }
  return e;
}
static void step(int n, struct body b[n], double dt) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (i == j) {
        continue;
      }
      double d[3], r2 = 0.1;
      for (int k = 0; k < 3; k++) {
        d[k] = b[j].x[k] - b[i].x[k];
        r2 += d[k] * d[k];
      }
      double f = b[j].m / (r2 * sqrt(r2));
      for (int k = 0; k < 3; k++) {
        b[i].v[k] += dt * f * d[k];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      b[i].x[k] += dt * b[i].v[k];
    }
  }
}
struct node {
  double v;
  int left, right;
};
static double tree(int n, const struct node t[n], int at, double x) {
  if (at < 0) {
    return x;
  }
  double l = tree(n, t, t[at].left, x * t[at].v), r = tree(n, t, t[at].right, x + t[at].v);
  return l * r + t[at].v;
}
static double kernel(int n, int m, const double x[n][m], const double y[m], double g) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    const double *row = x[i];
    double d = 0;
    for (int k = 0; k < m; k++) {
      d += (row[k] - y[k]) * (row[k] - y[k]);
    }
    s += exp(-g * d);
  }
  return log(s);
}
static float mixed(int n, const float x[n], double a) {
  float s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i] * (float)a;
  }
  return s;
}
static long double wide(int n, const long double x[n]) {
  long double s = 1;
  for (int i = 0; i < n; i++) {
    s *= x[i] + sinl(s);
  }
  return s;
}
static double while_conv(double a) {
  double x = a, last;
  int it = 0;
  do {
    last = x;
    x = 0.5 * (x + a / x);
  } while (fabs(x - last) > 1e-13 && ++it < 50);
  return x;
}
static double switchy(int k, double x) {
  double y = x;
  switch (k) {
  case 0:
    y = x * x;
  case 1:
    y *= x;
    break;
  case 2:
    y = sin(x);
    break;
  default:
    y = 1 / x;
  }
  return y * y;
}
static double sw(int n, const double x[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += switchy(i % 4, x[i]);
  }
  return s;
}
static double conv(int n, const double x[n], int m, const double w[m]) {
  double s = 0;
  for (int i = 0; i + m <= n; i++) {
    double a = 0;
    for (int k = 0; k < m; k++) {
      a += x[i + k] * w[k];
    }
    s += a > 0 ? a : 0.01 * a;
  }
  return s;
}
static double dp(int n, const double x[n]) {
  double best[n + 1];
  best[0] = 0;
  for (int i = 1; i <= n; i++) {
    best[i] = best[i - 1] + x[i - 1] * x[i - 1];
    if (i > 1 && best[i - 2] + 2 * x[i - 1] > best[i]) {
      best[i] = best[i - 2] + 2 * x[i - 1];
    }
  }
  return best[n];
}
static void fft(int n, double re[n], double im[n]) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      double t = re[i];
      re[i] = re[j];
      re[j] = t;
      t = im[i];
      im[i] = im[j];
      im[j] = t;
    }
  }
  for (int len = 2; len <= n; len <<= 1) {
    double ang = 2 * 3.14159265358979 / len, wr = cos(ang), wi = sin(ang);
    for (int i = 0; i < n; i += len) {
      double cr = 1, ci = 0;
      for (int k = 0; k < len / 2; k++) {
        double ur = re[i + k], ui = im[i + k], vr = re[i + k + len / 2] * cr - im[i + k + len / 2] * ci,
               vi = re[i + k + len / 2] * ci + im[i + k + len / 2] * cr;
        re[i + k] = ur + vr;
        im[i + k] = ui + vi;
        re[i + k + len / 2] = ur - vr;
        im[i + k + len / 2] = ui - vi;
        double nr = cr * wr - ci * wi;
        ci = cr * wi + ci * wr;
        cr = nr;
      }
    }
  }
}
static double power(int n, const double x[n]) {
  double re[8], im[8];
  for (int i = 0; i < 8; i++) {
    re[i] = i < n ? x[i] : 0;
    im[i] = 0;
  }
  fft(8, re, im);
  double s = 0;
  for (int i = 1; i < 8; i++) {
    s += i * (re[i] * re[i] + im[i] * im[i]);
  }
  return s;
}
static double qr(int n, double a[n][n]) {
  double d[n];
  for (int j = 0; j < n; j++) {
    double s = 0;
    for (int i = j; i < n; i++) {
      s += a[i][j] * a[i][j];
    }
    if (s == 0) {
      d[j] = 0;
      continue;
    }
    d[j] = a[j][j] > 0 ? -sqrt(s) : sqrt(s);
    double f = sqrt(fabs(a[j][j] - d[j]) * fabs(d[j]));
    a[j][j] -= d[j];
    for (int k = j; k < n; k++) {
      a[k][j] /= f;
    }
    for (int i = j + 1; i < n; i++) {
      double t = 0;
      for (int k = j; k < n; k++) {
        t += a[k][j] * a[k][i];
      }
      for (int k = j; k < n; k++) {
        a[k][i] -= a[k][j] * t;
      }
    }
  }
  double p = 0;
  for (int j = 0; j < n; j++) {
    p += log(fabs(d[j]));
  }
  return p;
}
static double newton2(double a, double b) {
  double u = 1, v = 1;
  for (int k = 0; k < 20; k++) {
    double f = u * u + v * v - a, g = u * v - b;
    double j11 = 2 * u, j12 = 2 * v, j21 = v, j22 = u;
    double det = j11 * j22 - j12 * j21;
    if (fabs(det) < 1e-3) {
      u += 0.5;
      continue;
    }
    double du = (f * j22 - g * j12) / det, dv = (g * j11 - f * j21) / det;
    u -= du;
    v -= dv;
    if (fabs(du) + fabs(dv) < 1e-14) {
      break;
    }
  }
  return u + 3 * v;
}
#define CHECK(name, ...)                                                                                               \
  do {                                                                                                                 \
    int bad = __VA_ARGS__;                                                                                             \
    if (bad)                                                                                                           \
      printf("%s: %d\n", name, bad);                                                                                   \
    total += bad;                                                                                                      \
    runs++;                                                                                                            \
  } while (0)
int main(void) {
  int total = 0, runs = 0;
  double x[16], y[16], m[3][3] = {{0.5, 2, 1}, {4, 1, 3}, {1, 1, 2.5}};
  for (int i = 0; i < 16; i++) {
    x[i] = 0.3 + 0.17 * i - (i % 3) * 0.4;
    y[i] = 1.1 - 0.09 * i;
  }
  struct body b[3] = {{{0, 0, 0}, {0.1, 0, 0}, 1}, {{1, 0.5, 0}, {0, 0.2, 0}, 2}, {{-1, 0.2, 0.7}, {0, 0, 0.3}, 1.5}};
  CHECK("energy", tl_check_vjp(energy)(3, b, 0));
  CHECK("step", tl_check_vjp(step)(3, b, 0.01, 0));
  struct node t[4] = {{1.5, 1, 2}, {0.5, 3, -1}, {2, -1, -1}, {0.7, -1, -1}};
  CHECK("tree", tl_check_vjp(tree)(4, t, 0, 1.3, 0));
  double k[2][3] = {{1, 2, 3}, {0.5, 1, 1}};
  CHECK("kernel", tl_check_vjp(kernel)(2, 3, k, y, 0.3, 0));
  float xf[4] = {1, 2, 0.5f, 1.5f};
  CHECK("mixed", tl_check_vjp(mixed)(4, xf, 1.25, 0));
  long double xl[3] = {1, 2, 3};
  CHECK("wide", tl_check_vjp(wide)(3, xl, 0));
  CHECK("while", tl_check_vjp(while_conv)(7, 0));
  CHECK("sw", tl_check_vjp(sw)(9, y, 0));
  CHECK("conv", tl_check_vjp(conv)(12, x, 3, y, 0));
  CHECK("dp", tl_check_vjp(dp)(8, x, 0));
  CHECK("fft", tl_check_vjp(fft)(8, x, y, 0));
  CHECK("power", tl_check_vjp(power)(6, x, 0));
  CHECK("qr", tl_check_vjp(qr)(3, m, 0));
  CHECK("newton2", tl_check_vjp(newton2)(5, 2, 0));
  printf("%d runs, %d wrong\n", runs, total);
  return total != 0;
}
