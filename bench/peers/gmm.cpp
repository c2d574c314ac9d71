#include "evals.h"
#include "primals.hpp"
#include "recording.hpp"

#include <algorithm>

double gmm_value(const gmm_input *in) {
  return primal::gmm<double>(in->d, in->k, in->n, in->alpha, in->mu, in->q, in->l, in->x, in->gamma, in->m);
}

void gmm_gradient(const gmm_input *in, double *alpha_bar, double *mu_bar, double *q_bar, double *l_bar) {
  static recording tape(1);
  std::size_t d = in->d, k = in->k, kd = k * d, triangles = k * d * (d - 1) / 2;
  std::vector<double> x(in->alpha, in->alpha + k), g(k + 2 * kd + triangles);
  x.insert(x.end(), in->mu, in->mu + kd);
  x.insert(x.end(), in->q, in->q + kd);
  x.insert(x.end(), in->l, in->l + triangles);
  if (!tape.made()) {
    tape.record(x.size(), x.data(), 1, [&](const active *a, active *out) {
      out[0] = primal::gmm<active>(d, k, in->n, a, a + k, a + k + kd, a + k + 2 * kd, in->x, in->gamma, in->m);
    });
  }
  tape.gradient(x.data(), g.data());
  const double *at = g.data();
  std::copy(at, at + k, alpha_bar);
  std::copy(at + k, at + k + kd, mu_bar);
  std::copy(at + k + kd, at + k + 2 * kd, q_bar);
  std::copy(at + k + 2 * kd, at + k + 2 * kd + triangles, l_bar);
}
