/* kmeans: the sum of the squared distances of n points to the nearest of k centroids. */
#ifndef KMEANS_H
#define KMEANS_H

#include <math.h>
#include <stddef.h>

static double kmeans_distance(size_t d, const double a[d], const double b[d]) {
  double sum = 0;
  for (size_t i = 0; i < d; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

static size_t kmeans_nearest(size_t k, size_t d, const double point[d], const double centroids[k][d]) {
  size_t nearest = 0;
  double least = INFINITY;
  for (size_t c = 0; c < k; c++) {
    double distance = kmeans_distance(d, point, centroids[c]);
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  return nearest;
}

static double kmeans_cost(size_t n, size_t k, size_t d, const double points[n][d], const double centroids[k][d]) {
  double cost = 0;
  for (size_t i = 0; i < n; i++) {
    size_t c = kmeans_nearest(k, d, points[i], centroids);
    cost += kmeans_distance(d, points[i], centroids[c]);
  }
  return cost;
}

#endif
