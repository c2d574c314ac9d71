#include "evals.h"
#include "primals.hpp"
#include "recording.hpp"

void ode_value(std::size_t n, const double *x, std::size_t s, double *y) {
  for (std::size_t i = 0; i < n; i++) {
    y[i] = primal::ode<double>(i + 1, x, s); /* an element depends on those before it alone */
  }
}

void ode_gradient(std::size_t n, const double *x, std::size_t s, double *x_bar) {
  static recording tape(1);
  if (!tape.made()) {
    tape.record(n, x, 1, [&](const active *in, active *out) { out[0] = primal::ode<active>(n, in, s); });
  }
  tape.gradient(x, x_bar);
}
