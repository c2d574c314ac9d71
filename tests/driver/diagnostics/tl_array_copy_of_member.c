/* Arrays that the derivative alone has are copied at one place: it is told of once, by a name of the user's. */
#include <tlaloc/grad.h>

struct matrix {
  double m[7][7];
};

static struct matrix product(const struct matrix *a, const struct matrix *b) {
  struct matrix c;
  for (int i = 0; i < 7; i++) {
    for (int j = 0; j < 7; j++) {
      c.m[i][j] = 0;
      for (int k = 0; k < 7; k++) {
        c.m[i][j] += a->m[i][k] * b->m[k][j];
      }
    }
  }
  return c;
}

static double power(const struct matrix *a, int n) {
  struct matrix p = *a, q = *a;
  for (int i = 0; i < n; i++) {
    p = product(&p, a);
    q = product(&q, a);
  }
  return p.m[0][1] * q.m[1][0];
}

void slopes(const struct matrix *a, struct matrix *a_bar) { tl_grad(power, a)(a, 10, a_bar); }
