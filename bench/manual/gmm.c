#include "gmm.h"

#include "evals.h"

#include <string.h>

double gmm_value(const gmm_input *in) {
  size_t d = in->d, k = in->k, n = in->n;
  return gmm_objective(d, k, n, in->alpha, (const double(*)[d])in->mu, (const double(*)[d])in->q,
                       (const double(*)[d * (d - 1) / 2]) in->l, (const double(*)[d])in->x, in->gamma, in->m);
}

/* share[c] = exp(v[c]) / sum; v and share may be one array. */
static void softmax(size_t n, const double *v, double *share) {
  double max = v[0], sum = 0;
  for (size_t i = 1; i < n; i++) {
    max = v[i] > max ? v[i] : max;
  }
  for (size_t i = 0; i < n; i++) {
    share[i] = exp(v[i] - max);
    sum += share[i];
  }
  double inverse = 1 / sum;
  for (size_t i = 0; i < n; i++) {
    share[i] *= inverse;
  }
}

/* With z = Q (x - mu) and share r of a component in a point: the point adds r to alpha's derivative, r Q' z to mu's,
   -r z (x - mu)' to Q's, and r to q's through the determinant. */
void gmm_gradient(const gmm_input *in, double *alpha_bar, double *mu_bar, double *q_bar, double *l_bar) {
  size_t d = in->d, k = in->k, n = in->n, t = d * (d - 1) / 2;
  const double *l = in->l;
  double diagonal[k][d], sum[k], share[k], centered[k][d], scaled[k][d], alpha_share[k];
  memset(alpha_bar, 0, k * sizeof *alpha_bar);
  memset(mu_bar, 0, k * d * sizeof *mu_bar);
  memset(q_bar, 0, k * d * sizeof *q_bar);
  memset(l_bar, 0, k * t * sizeof *l_bar);
  for (size_t c = 0; c < k; c++) {
    sum[c] = in->alpha[c];
    for (size_t j = 0; j < d; j++) {
      sum[c] += in->q[c * d + j];
      diagonal[c][j] = exp(in->q[c * d + j]);
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double *x = in->x + i * d;
    for (size_t c = 0; c < k; c++) {
      const double *mu = in->mu + c * d, *column = l + c * t;
      double *xc = centered[c], *z = scaled[c];
      for (size_t j = 0; j < d; j++) {
        xc[j] = x[j] - mu[j];
        z[j] = diagonal[c][j] * xc[j];
      }
      for (size_t j = 0; j < d; j++) {
        for (size_t row = j + 1; row < d; row++) {
          z[row] += column[row - j - 1] * xc[j];
        }
        column += d - j - 1;
      }
      double norm = 0;
      for (size_t j = 0; j < d; j++) {
        norm += z[j] * z[j];
      }
      share[c] = sum[c] - 0.5 * norm;
    }
    softmax(k, share, share);
    for (size_t c = 0; c < k; c++) {
      double r = share[c];
      const double *column = l + c * t, *xc = centered[c], *z = scaled[c];
      double *column_bar = l_bar + c * t, *mu_b = mu_bar + c * d, *q_b = q_bar + c * d;
      alpha_bar[c] += r;
      for (size_t j = 0; j < d; j++) {
        double by_mu = diagonal[c][j] * z[j], weight = -r * xc[j];
        for (size_t row = j + 1; row < d; row++) {
          by_mu += column[row - j - 1] * z[row];
          column_bar[row - j - 1] += weight * z[row];
        }
        mu_b[j] += r * by_mu;
        q_b[j] += weight * diagonal[c][j] * z[j];
        column += d - j - 1;
        column_bar += d - j - 1;
      }
    }
  }
  softmax(k, in->alpha, alpha_share);
  double precision = in->gamma * in->gamma;
  for (size_t c = 0; c < k; c++) {
    double by_sum = alpha_bar[c] + (double)in->m;
    for (size_t j = 0; j < d; j++) {
      q_bar[c * d + j] += by_sum - precision * diagonal[c][j] * diagonal[c][j];
    }
    for (size_t j = 0; j < t; j++) {
      l_bar[c * t + j] -= precision * l[c * t + j];
    }
    alpha_bar[c] -= (double)n * alpha_share[c];
  }
}
