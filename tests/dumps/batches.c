/* Batches: a network's loss over many examples, one gradient for each, and the gradient of the whole batch. */
#include "dumps.h"

#include <math.h>
#include <stddef.h>

static double loss(size_t n, const double w[n], const double x[n], double target) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    s += w[i] * x[i];
  }
  double miss = tanh(s) - target;
  return miss * miss;
}

struct ball {
  double at, speed;
  int bounces;
};

static void fall(struct ball *b, double step, int steps) {
  for (int i = 0; i < steps; i++) {
    b->speed -= 9.81 * step;
    b->at += b->speed * step;
    if (b->at < 0) {
      b->at = -b->at;
      b->speed *= -0.8;
      b->bounces++;
    }
  }
}

/* calls */
#ifdef DUMPED
#define LOSSES loss__vmap__batch__x__target
#define GRADIENTS loss__grad__w__vmap__batch__x__target
#define WHOLE loss__vmap__batch__x__target__vjp__w
#define FALLS fall__vmap__batch__b__steps
#else
#define LOSSES tl_vmap(loss, batch, x, target)
#define GRADIENTS tl_vmap(tl_grad(loss, w), batch, x, target)
#define WHOLE tl_vjp(tl_vmap(loss, batch, x, target), w)
#define FALLS tl_vmap(fall, batch, b, steps)
#endif

int RUN(double out[]) {
  enum { EXAMPLES = 5, N = 3 };
  double w[N] = {0.4, -0.2, 0.1}, x[EXAMPLES][N], target[EXAMPLES], ones[EXAMPLES];
  struct ball balls[EXAMPLES];
  int steps[EXAMPLES], n = 0;
  for (int i = 0; i < EXAMPLES; i++) {
    for (int k = 0; k < N; k++) {
      x[i][k] = 0.3 * i - 0.1 * k;
    }
    target[i] = 0.1 * i;
    ones[i] = 1;
    balls[i].at = 1 + 0.5 * i;
    balls[i].speed = 0;
    balls[i].bounces = 0;
    steps[i] = 20 * i;
  }
  LOSSES(EXAMPLES, N, w, x, target, out + n);
  n += EXAMPLES;
  GRADIENTS(EXAMPLES, N, w, x, target, (double(*)[N])(out + n));
  n += EXAMPLES * N;
  WHOLE(EXAMPLES, N, w, x, target, out + n, ones, out + n + EXAMPLES);
  n += EXAMPLES + N;
  FALLS(EXAMPLES, balls, 0.01, steps);
  for (int i = 0; i < EXAMPLES; i++) {
    out[n++] = balls[i].at;
    out[n++] = balls[i].speed;
    out[n++] = balls[i].bounces;
  }
  return n;
}
