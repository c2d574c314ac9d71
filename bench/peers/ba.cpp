#include "evals.h"
#include "primals.hpp"
#include "recording.hpp"

#include <algorithm>

namespace {
void gather(const ba_input *in, std::size_t i, double *x) {
  const double *camera = in->cameras + 11 * in->observed[2 * i], *point = in->points + 3 * in->observed[2 * i + 1];
  std::copy(camera, camera + 11, x);
  std::copy(point, point + 3, x + 11);
  x[14] = in->w[i];
  x[15] = in->features[2 * i];
  x[16] = in->features[2 * i + 1];
}
}  // namespace

void ba_errors(const ba_input *in, double *reprojection, double *weight) {
  for (std::size_t i = 0; i < in->p; i++) {
    double x[17];
    gather(in, i, x);
    primal::ba<double>(x, reprojection + 2 * i);
    weight[i] = 1 - in->w[i] * in->w[i];
  }
}

void ba_jacobian(const ba_input *in, int *rows, int *cols, double *vals) {
  static recording tape(1), weight_tape(2);
  std::size_t p = in->p, points = 11 * in->n, weights = points + 3 * in->m, at = 0;
  double x[17], block[2][17];
  if (!tape.made()) {
    gather(in, 0, x);
    tape.record(17, x, 2, [](const active *a, active *out) { primal::ba<active>(a, out); });
    weight_tape.record(1, in->w, 1, [](const active *a, active *out) { out[0] = 1.0 - a[0] * a[0]; });
  }
  *rows++ = 0;
  for (std::size_t i = 0; i < p; i++) {
    gather(in, i, x);
    tape.jacobian(x, block[0]);
    for (std::size_t row = 0; row < 2; row++) {
      for (std::size_t j = 0; j < 15; j++, at++) {
        vals[at] = block[row][j];
        cols[at] = int(j < 11   ? 11 * in->observed[2 * i] + j
                       : j < 14 ? points + 3 * in->observed[2 * i + 1] + j - 11
                                : weights + i);
      }
      *rows++ = int(at);
    }
  }
  for (std::size_t i = 0; i < p; i++, at++) {
    weight_tape.gradient(in->w + i, vals + at);
    cols[at] = int(weights + i);
    *rows++ = int(at + 1);
  }
}
