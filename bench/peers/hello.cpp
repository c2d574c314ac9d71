#include "evals.h"
#include "recording.hpp"

double hello_square(double x) {
  return x * x;
}

double hello_double(double x) {
  static recording tape(1);
  double slope;
  if (!tape.made()) {
    tape.record(1, &x, 1, [](const active *in, active *out) { out[0] = in[0] * in[0]; });
  }
  tape.gradient(&x, &slope);
  return slope;
}
