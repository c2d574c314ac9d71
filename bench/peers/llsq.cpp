#include "evals.h"
#include "primals.hpp"
#include "recording.hpp"

double llsq_value(std::size_t m, const double *x, std::size_t n) {
  return primal::llsq<double>(m, x, n);
}

void llsq_gradient(std::size_t m, const double *x, std::size_t n, double *x_bar) {
  static recording tape(1);
  if (!tape.made()) {
    tape.record(m, x, 1, [&](const active *in, active *out) { out[0] = primal::llsq<active>(m, in, n); });
  }
  tape.gradient(x, x_bar);
}
