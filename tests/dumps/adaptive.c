/* An integrator that adapts its step: steps are taken again where they were too long. What the loop saves grows as one.
 */
#include "dumps.h"

#include <math.h>

static double run(double mu, double start, double end) {
  double t = 0, h = 0.1, x = start, v = 0;
  while (t < end) {
    double a = mu * (1 - x * x) * v - x, x_next = x + h * v, v_next = v + h * a;
    double error = h / 2 * hypot(v_next - v, mu * (1 - x_next * x_next) * v_next - x_next - a);
    if (error > 1e-3) {
      h *= 0.5;
      continue;
    }
    x = x_next;
    v = v_next;
    t += h;
    if (error < 2e-4) {
      h *= 1.5;
    }
  }
  return x * x + v;
}

/* calls */
int RUN(double out[]) {
  int n = 0;
  for (int i = 1; i < 6; i++, n += 3) {
#ifdef DUMPED
    out[n] = run__value_and_grad__mu__start(0.3 * i, 2, 1, &out[n + 1], &out[n + 2]);
#else
    out[n] = tl_value_and_grad(run, mu, start)(0.3 * i, 2, 1, &out[n + 1], &out[n + 2]);
#endif
  }
  return n;
}
