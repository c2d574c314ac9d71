/* A copy in a loop of the user's, in loops over directions. */
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
