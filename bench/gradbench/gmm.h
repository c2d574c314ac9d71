/* gmm: logarithm of the posterior of a Gaussian mixture with a Wishart prior on the precisions Q'Q, where Q is lower
   triangular with diagonal exp(q) and, below it, l column by column. */
#ifndef GMM_H
#define GMM_H

#include <math.h>
#include <stddef.h>

static double gmm_log_sum_exp(size_t n, const double v[n]) {
  size_t top = 0;
  for (size_t i = 1; i < n; i++) {
    if (v[i] > v[top]) {
      top = i;
    }
  }
  double max = v[top], sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += exp(v[i] - max);
  }
  return max + log(sum);
}

static double gmm_log_gamma(size_t d, double a) {
  double sum = 0.25 * (double)(d * (d - 1)) * log(acos(-1.0));
  for (size_t j = 0; j < d; j++) {
    sum += lgamma(a - 0.5 * (double)j);
  }
  return sum;
}

static double gmm_log_likelihood(size_t d, size_t k, size_t n, const double alpha[k], const double mu[k][d],
                                 const double q_diagonal[k][d], const double q_sum[k],
                                 const double l[k][d * (d - 1) / 2], const double x[n][d]) {
  double likelihood = 0;
  for (size_t i = 0; i < n; i++) {
    double beta[k], centered[k][d], scaled[k][d];
    for (size_t c = 0; c < k; c++) {
      for (size_t j = 0; j < d; j++) {
        centered[c][j] = x[i][j] - mu[c][j];
        scaled[c][j] = q_diagonal[c][j] * centered[c][j];
      }
      for (size_t col = 0; col < d; col++) {
        const double *column = l[c] + col * (2 * d - col - 1) / 2;
        for (size_t row = col + 1; row < d; row++) {
          scaled[c][row] += column[row - col - 1] * centered[c][col];
        }
      }
      double norm = 0;
      for (size_t j = 0; j < d; j++) {
        norm += scaled[c][j] * scaled[c][j];
      }
      beta[c] = alpha[c] + q_sum[c] - 0.5 * norm;
    }
    likelihood += gmm_log_sum_exp(k, beta);
  }
  return likelihood - (double)n * (0.5 * (double)d * log(2 * acos(-1.0)) + gmm_log_sum_exp(k, alpha));
}

static double gmm_objective(size_t d, size_t k, size_t n, const double alpha[k], const double mu[k][d],
                            const double q[k][d], const double l[k][d * (d - 1) / 2], const double x[n][d],
                            double gamma, size_t m) {
  double q_diagonal[k][d], q_sum[k];
  double prior = 0;
  for (size_t c = 0; c < k; c++) {
    double frobenius = 0;
    q_sum[c] = 0;
    for (size_t j = 0; j < d; j++) {
      q_sum[c] += q[c][j];
      q_diagonal[c][j] = exp(q[c][j]);
      frobenius += q_diagonal[c][j] * q_diagonal[c][j];
    }
    for (size_t j = 0; j < d * (d - 1) / 2; j++) {
      frobenius += l[c][j] * l[c][j];
    }
    prior += (double)m * q_sum[c] - 0.5 * gamma * gamma * frobenius;
  }
  double degrees = (double)(d + m + 1);
  double constant = degrees * (double)d * log(gamma / sqrt(2.0)) - gmm_log_gamma(d, 0.5 * degrees);
  return gmm_log_likelihood(d, k, n, alpha, mu, q_diagonal, q_sum, l, x) + prior + (double)k * constant;
}

#endif
