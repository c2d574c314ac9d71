#include "kmeans.h"

#include "evals.h"

#include <string.h>

double kmeans_value(size_t n, size_t k, size_t d, const double *points, const double *centroids) {
  return kmeans_cost(n, k, d, (const double(*)[d])points, (const double(*)[d])centroids);
}

/* The gradient is twice (size * centroid - sum), the Hessian twice the size of the cluster. */
void kmeans_direction(size_t n, size_t k, size_t d, const double *points, const double *centroids, double *direction) {
  size_t size[k];
  memset(size, 0, sizeof size);
  memset(direction, 0, k * d * sizeof *direction);
  for (size_t i = 0; i < n; i++) {
    const double *point = points + i * d;
    size_t c = kmeans_nearest(k, d, point, (const double(*)[d])centroids);
    double *sum = direction + c * d;
    size[c]++;
    for (size_t j = 0; j < d; j++) {
      sum[j] += point[j];
    }
  }
  for (size_t c = 0; c < k; c++) {
    for (size_t j = 0; j < d; j++) {
      direction[c * d + j] = centroids[c * d + j] - direction[c * d + j] / (double)size[c];
    }
  }
}
