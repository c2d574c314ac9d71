/* Structures by pointer and by value: the energy of a body in a field of two sources. */
#include "dumps.h"

#include <math.h>

struct vector {
  double x, y;
};
struct body {
  struct vector at, speed;
  double mass;
};

static double potential(struct vector at, struct vector source) {
  return -1 / hypot(at.x - source.x, at.y - source.y);
}

static double energy(const struct body *b, const struct vector sources[2]) {
  double kinetic = 0.5 * (b->speed.x * b->speed.x + b->speed.y * b->speed.y);
  return b->mass * (kinetic + potential(b->at, sources[0]) + potential(b->at, sources[1]));
}

/* calls */
int RUN(double out[]) {
  int n = 0;
  for (int i = 0; i < 10; i++, n += 5) {
    struct body b = {{0.1 * i, 1}, {2, -0.3 * i}, 1.5}, b_bar;
    struct vector sources[2] = {{-1, 0.5}, {2, 3}};
    CALL_BY(grad, energy, b)(&b, sources, &b_bar);
    out[n] = b_bar.at.x;
    out[n + 1] = b_bar.at.y;
    out[n + 2] = b_bar.speed.x;
    out[n + 3] = b_bar.speed.y;
    out[n + 4] = b_bar.mass;
  }
  return n;
}
