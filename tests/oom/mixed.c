/* A little of everything, so that every part of a translation allocates. */
#include <math.h>
#include <stddef.h>
#include <tlaloc/grad.h>

struct body {
  double mass, position[3];
  int kind;
};

static double energy(size_t n, const struct body bodies[n], double softening) {
  double e = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      double r2 = softening * softening;
      for (int k = 0; k < 3; k++) {
        double d = bodies[i].position[k] - bodies[j].position[k];
        r2 += d * d;
      }
      if (r2 > 100) {
        continue;
      }
      e -= bodies[i].mass * bodies[j].mass / sqrt(r2);
    }
  }
  return e;
}

static double root(double a) {
  double x = a;
  for (int i = 0; i < 50; i++) {
    double next = 0.5 * (x + a / x);
    if (fabs(next - x) < 1e-15) {
      break;
    }
    x = next;
  }
  return x;
}

static double slope(double a) { return tl_grad(root)(a) * a; }

void forces(size_t n, const struct body bodies[n], struct body bodies_bar[n]) { tl_grad(energy, bodies)(n, bodies, 0.1, bodies_bar); }
double curvature(double a) { return tl_grad(slope)(a) + tl_grad(tl_grad(root))(a); }
