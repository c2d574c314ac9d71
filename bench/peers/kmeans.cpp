#include "evals.h"
#include "primals.hpp"
#include "recording.hpp"

double kmeans_value(std::size_t n, std::size_t k, std::size_t d, const double *points, const double *centroids) {
  return primal::kmeans<double>(n, k, d, points, centroids);
}

void kmeans_direction(std::size_t n, std::size_t k, std::size_t d, const double *points, const double *centroids,
                      double *direction) {
  static recording tape(1);
  std::vector<double> ones(k * d, 1.0), diagonal(k * d);
  if (!tape.made()) {
    tape.record(k * d, centroids, 1,
                [&](const active *in, active *out) { out[0] = primal::kmeans<active>(n, k, d, points, in); });
  }
  tape.hessian_times(centroids, ones.data(), direction, diagonal.data());
  for (std::size_t i = 0; i < k * d; i++) {
    direction[i] /= diagonal[i];
  }
}
