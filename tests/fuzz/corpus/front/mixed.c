#include <tlaloc/grad.h>
double sin(double), sqrt(double), fmax(double, double);
typedef unsigned long size_t;
struct p { double a, b[3]; int k; };
static double inner(double x, int n) { return n > 0 ? inner(x * 0.5, n - 1) + x : x; }
static double f(size_t n, const double w[n], struct p *q, double x) {
  double s = 0, t[4] = {x, 1};
  for (size_t i = 0; i < n; i++) {
    if (w[i] < 0) continue;
    if (s > 100) break;
    s += sin(w[i]) * q->a + q->b[i % 3] * t[i & 3];
    t[i & 3] = s * x;
  }
  do { x = sqrt(fmax(x, 1)); s += x; } while (x > 1.5);
  switch (n & 3) { case 0: s *= 2; case 1: s += x; break; default: return s; }
  q->a = s;
  return s * inner(x, 3);
}
void g(size_t n, const double w[n], struct p *q, double *w_bar, struct p *q_bar, double *x_bar) {
  tl_grad(f, w, x)(n, w, q, 1.0, w_bar, x_bar);
  tl_vjp(f)(n, w, q, 1.0, 1.0, q_bar, w_bar, x_bar);
  tl_jvp(f, x)(n, w, q, 1.0, 1.0, q_bar);
}
