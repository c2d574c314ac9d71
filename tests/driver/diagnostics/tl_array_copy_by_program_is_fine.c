/* Copies in loops that the program itself makes: by assignment, also in loops over directions, and by a result. */
#include <math.h>
#include <string.h>
#include <tlaloc/grad.h>
struct state {
  double x[40];
};
static double relaxed(const double start[40], int steps) {
  struct state s;
  memcpy(s.x, start, sizeof s.x);
  double change = 0;
  for (int k = 0; k < steps; k++) {
    struct state before = s;
    for (int i = 1; i < 39; i++) {
      s.x[i] = 0.5 * (before.x[i - 1] + before.x[i + 1]) * s.x[0];
    }
    change += (s.x[1] - before.x[1]) * (s.x[1] - before.x[1]);
  }
  return change;
}
void slopes(const double start[40], double J[1][40]) { tl_jacobian(relaxed, start)(start, 10, J); }
typedef struct { double m[2][2]; } mat;
static mat mul(const mat *a, const mat *b) {
  mat c;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j];
    }
  }
  return c;
}
static void turn(int n, const double q[n], double pose[2]) {
  mat T = {{{1, 0}, {0, 1}}};
  for (int i = 0; i < n; i++) {
    mat A = {{{cos(q[i]), -sin(q[i])}, {sin(q[i]), cos(q[i])}}};
    T = mul(&T, &A);
  }
  pose[0] = T.m[0][0];
  pose[1] = T.m[1][0];
}
void turned(int n, double q[n], double p[2], double p_bar[2], double q_bar[n]) { tl_vjp(turn, q)(n, q, p, p_bar, q_bar); }
