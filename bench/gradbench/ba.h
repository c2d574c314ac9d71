/* ba: bundle adjustment. A camera is {rotation (axis times angle) 3, centre 3, focal length, principal point 2, radial
   distortion 2}. */
#ifndef BA_H
#define BA_H

#include <math.h>
#include <stddef.h>

enum { BA_CAMERA = 11, BA_POINT = 3, BA_BLOCK = BA_CAMERA + BA_POINT + 1 };

/* Rodrigues' formula. */
static void ba_rotate(const double rotation[3], const double p[3], double rotated[3]) {
  double square = rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2];
  if (square != 0) {
    double angle = sqrt(square), c = cos(angle), s = sin(angle);
    double w[3] = {rotation[0] / angle, rotation[1] / angle, rotation[2] / angle};
    double along = (w[0] * p[0] + w[1] * p[1] + w[2] * p[2]) * (1 - c);
    rotated[0] = p[0] * c + (w[1] * p[2] - w[2] * p[1]) * s + w[0] * along;
    rotated[1] = p[1] * c + (w[2] * p[0] - w[0] * p[2]) * s + w[1] * along;
    rotated[2] = p[2] * c + (w[0] * p[1] - w[1] * p[0]) * s + w[2] * along;
  } else {
    rotated[0] = p[0] + rotation[1] * p[2] - rotation[2] * p[1];
    rotated[1] = p[1] + rotation[2] * p[0] - rotation[0] * p[2];
    rotated[2] = p[2] + rotation[0] * p[1] - rotation[1] * p[0];
  }
}

static void ba_reprojection(const double camera[11], const double point[3], double w, const double feature[2],
                            double error[2]) {
  double seen[3] = {point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]};
  double turned[3];
  ba_rotate(camera, seen, turned);
  double u = turned[0] / turned[2], v = turned[1] / turned[2];
  double square = u * u + v * v;
  double distortion = 1 + camera[9] * square + camera[10] * square * square;
  error[0] = w * (u * distortion * camera[6] + camera[7] - feature[0]);
  error[1] = w * (v * distortion * camera[6] + camera[8] - feature[1]);
}

/* The same by one vector: camera, point, weight. */
static inline void ba_block(const double unknown[15], const double feature[2], double error[2]) {
  ba_reprojection(unknown, unknown + BA_CAMERA, unknown[BA_CAMERA + BA_POINT], feature, error);
}

static double ba_weight_error(double w) { return 1 - w * w; }

static void ba_objective(size_t n, size_t m, size_t p, const double cameras[n][11], const double points[m][3],
                         const double w[p], const size_t observed[p][2], const double features[p][2],
                         double reprojection[p][2], double weight[p]) {
  for (size_t i = 0; i < p; i++) {
    ba_reprojection(cameras[observed[i][0]], points[observed[i][1]], w[i], features[i], reprojection[i]);
  }
  for (size_t i = 0; i < p; i++) {
    weight[i] = ba_weight_error(w[i]);
  }
}

#endif
