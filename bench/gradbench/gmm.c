#include "gmm.h"

#include "evals.h"

#include <tlaloc/grad.h>

double gmm_value(const gmm_input *in) {
  size_t d = in->d, k = in->k, n = in->n;
  return gmm_objective(d, k, n, in->alpha, (const double(*)[d])in->mu, (const double(*)[d])in->q,
                       (const double(*)[d * (d - 1) / 2]) in->l, (const double(*)[d])in->x, in->gamma, in->m);
}

void gmm_gradient(const gmm_input *in, double *alpha_bar, double *mu_bar, double *q_bar, double *l_bar) {
  size_t d = in->d, k = in->k, n = in->n;
  tl_grad(gmm_objective, alpha, mu, q, l)(d, k, n, in->alpha, (const double(*)[d])in->mu, (const double(*)[d])in->q,
                                          (const double(*)[d * (d - 1) / 2]) in->l, (const double(*)[d])in->x,
                                          in->gamma, in->m, alpha_bar, (double(*)[d])mu_bar, (double(*)[d])q_bar,
                                          (double(*)[d * (d - 1) / 2]) l_bar);
}
