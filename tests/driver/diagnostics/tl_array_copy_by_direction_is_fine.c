/* What is copied once for each run of a function, in loops over directions that no user wrote. */
#include <tlaloc/grad.h>
static void chain(int n, double z[n] TL_INOUT, const double p[33]) {
  for (int i = 1; i < n; i++) {
    z[i] = z[i - 1] * p[i % 33] + z[i];
  }
}
struct pair {
  double a[2];
};
static double down(struct pair *q, const double x[2], int depth) {
  if (depth <= 0) {
    return q->a[0];
  }
  q->a[depth % 2] *= x[depth % 2];
  return down(q, x, depth - 1) + q->a[1];
}
static double start(const double x[2]) {
  struct pair q = {{x[0], 2}};
  return down(&q, x, 4) * q.a[0];
}
void g(int n, double z[n], const double p[33], double J[n][33], double R[n][33]) {
  tl_jacobian(chain, p)(n, z, p, J);
  tl_jacobian_reverse(chain, p)(n, z, p, R);
}
void h(const double x[2], double H[2][2]) { tl_hessian(start, x)(x, H); }
