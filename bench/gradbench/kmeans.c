#include "kmeans.h"

#include "evals.h"

#include <stdlib.h>
#include <tlaloc/grad.h>

double kmeans_value(size_t n, size_t k, size_t d, const double *points, const double *centroids) {
  return kmeans_cost(n, k, d, (const double(*)[d])points, (const double(*)[d])centroids);
}

/* The Hessian is diagonal, so its product with ones is its diagonal; the derivative of the gradient gives both. */
void kmeans_direction(size_t n, size_t k, size_t d, const double *points, const double *centroids, double *direction) {
  double *ones = malloc(k * d * sizeof *ones), *diagonal = malloc(k * d * sizeof *diagonal);
  for (size_t i = 0; i < k * d; i++) {
    ones[i] = 1;
  }
  tl_jvp(tl_grad(kmeans_cost, centroids), centroids)(n, k, d, (const double(*)[d])points, (const double(*)[d])centroids,
                                                     (double(*)[d])direction, (double(*)[d])ones,
                                                     (double(*)[d])diagonal);
  for (size_t i = 0; i < k * d; i++) {
    direction[i] /= diagonal[i];
  }
  free(diagonal);
  free(ones);
}
