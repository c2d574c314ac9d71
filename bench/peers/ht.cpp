#include "evals.h"
#include "primals.hpp"
#include "recording.hpp"

#include <algorithm>

namespace {
void gather(const ht_input *in, double *x) {
  x[0] = x[1] = 0;
  std::copy(in->theta, in->theta + 26, x + 2);
}
}  // namespace

void ht_errors(const ht_input *in, double *error) {
  double x[28];
  gather(in, x);
  primal::ht<double>(*in, x, error);
}

void ht_jacobian(const ht_input *in, double *jacobian) {
  static recording tape(1);
  double x[28];
  std::size_t rows = 3 * in->n;
  gather(in, x);
  if (!tape.made()) {
    tape.record(28, x, rows, [&](const active *a, active *out) { primal::ht<active>(*in, a, out); });
  }
  if (in->complicated) {
    tape.jacobian(x, jacobian);
    return;
  }
  std::vector<double> all(rows * 28);
  tape.jacobian(x, all.data());
  for (std::size_t i = 0; i < rows; i++) {
    std::copy(&all[28 * i + 2], &all[28 * i] + 28, jacobian + 26 * i);
  }
}
