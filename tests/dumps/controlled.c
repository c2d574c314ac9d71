/* A pair of methods that controls its step by the largest error: quotients by what is away from 0 and a factor between
 * two constants need no guard, a running maximum shares its ties, and cotangents of what atan2 is not computed from
 * are not added to 0. */
#include "dumps.h"

#include <math.h>
#include <string.h>

static double orbit(const double rate[2], const double start[2], double end) {
  double t = 0, h = 0.1, x[2] = {start[0], start[1]};
  for (int steps = 0; t < end && steps < 1000; steps++) {
    double k[2][2], next[2], err = 0;
    if (t + h > end) {
      h = end - t;
    }
    for (int s = 0; s < 2; s++) {
      memcpy(next, x, sizeof next);
      for (int i = 0; s && i < 2; i++) {
        next[i] += h * k[0][i];
      }
      k[s][0] = -rate[0] * next[1];
      k[s][1] = rate[1] * next[0] * next[0];
    }
    for (int i = 0; i < 2; i++) {
      err = fmax(err, fabs(h * (k[1][i] - k[0][i]) / (1e-3 * (1 + fabs(x[i])))));
    }
    if (err <= 1) {
      for (int i = 0; i < 2; i++) {
        x[i] += h / 2 * (k[0][i] + k[1][i]);
      }
      t += h;
    }
    h *= fmin(5, fmax(0.2, 0.9 / sqrt(err + 1e-12)));
  }
  return atan2(x[1], x[0]) + x[0];
}

/* calls */
int RUN(double out[]) {
  int n = 0;
  for (int i = 1; i < 4; i++, n += 5) {
    double rate[2] = {0.5 * i, 1}, start[2] = {1, 0.2 * i};
#ifdef DUMPED
    out[n] = orbit__value_and_grad__rate__start(rate, start, 1, &out[n + 1], &out[n + 3]);
#else
    out[n] = tl_value_and_grad(orbit, rate, start)(rate, start, 1, &out[n + 1], &out[n + 3]);
#endif
  }
  return n;
}
