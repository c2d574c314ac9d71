/* Gradient descent with a step that doubles after ten steps down and halves after a step up. */
#ifndef DESCENT_H
#define DESCENT_H

#include <math.h>
#include <stddef.h>

typedef double descent_value(const void *context, const double x[]);
typedef void descent_slope(const void *context, const double x[], double slope[]);

enum { DESCENT_MAX = 2 };

/* Moves x, of n <= DESCENT_MAX numbers, until the slope or the step is at most 1e-5. */
static void descend(size_t n, double x[], const void *context, descent_value *value, descent_slope *slope) {
  double g[DESCENT_MAX], next[DESCENT_MAX];
  double at = value(context, x), step = 1e-5;
  int good = 0;
  slope(context, x, g);
  for (;;) {
    double norm = 0, moved = 0;
    for (size_t i = 0; i < n; i++) {
      norm += g[i] * g[i];
      next[i] = x[i] - step * g[i];
      moved += (next[i] - x[i]) * (next[i] - x[i]);
    }
    if (sqrt(norm) <= 1e-5) {
      return;
    }
    if (good == 10) {
      step *= 2;
      good = 0;
      continue;
    }
    if (sqrt(moved) <= 1e-5) {
      return;
    }
    double there = value(context, next);
    if (there < at) {
      for (size_t i = 0; i < n; i++) {
        x[i] = next[i];
      }
      at = there;
      slope(context, x, g);
      good++;
    } else {
      step /= 2;
      good = 0;
    }
  }
}

#endif
