#include "ba.h"

#include "evals.h"

#include <string.h>

void ba_errors(const ba_input *in, double *reprojection, double *weight) {
  ba_objective(in->n, in->m, in->p, (const double(*)[BA_CAMERA])in->cameras, (const double(*)[BA_POINT])in->points,
               in->w, (const size_t(*)[2])in->observed, (const double(*)[2])in->features, (double(*)[2])reprojection,
               weight);
}

/* y = R(r) p and its derivatives: by p the rotation matrix itself; by r, with unit axis w and angle a,
   (dy/da) w' + (dy/dw) (I - w w') / a. */
static void rotate(const double r[3], const double p[3], double y[3], double by_p[3][3], double by_r[3][3]) {
  double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  if (square == 0) {
    double x[3] = {r[1] * p[2] - r[2] * p[1], r[2] * p[0] - r[0] * p[2], r[0] * p[1] - r[1] * p[0]};
    double m[3][3] = {{0, p[2], -p[1]}, {-p[2], 0, p[0]}, {p[1], -p[0], 0}};
    for (size_t i = 0; i < 3; i++) {
      y[i] = p[i] + x[i];
      for (size_t j = 0; j < 3; j++) {
        by_r[i][j] = m[i][j];
        by_p[i][j] = i == j;
      }
    }
    return;
  }
  double a = sqrt(square), inverse = 1 / a, c = cos(a), s = sin(a), versine = 1 - c;
  double w[3] = {r[0] * inverse, r[1] * inverse, r[2] * inverse};
  double dot = w[0] * p[0] + w[1] * p[1] + w[2] * p[2];
  double cross[3] = {w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2], w[0] * p[1] - w[1] * p[0]};
  double by_w[3][3] = {{0, p[2], -p[1]}, {-p[2], 0, p[0]}, {p[1], -p[0], 0}};
  double turn[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
  for (size_t i = 0; i < 3; i++) {
    double by_a = c * cross[i] - s * p[i] + s * w[i] * dot;
    double along = 0;
    for (size_t j = 0; j < 3; j++) {
      by_w[i][j] = s * by_w[i][j] + versine * w[i] * p[j];
      by_p[i][j] = s * turn[i][j] + versine * w[i] * w[j];
    }
    by_w[i][i] += versine * dot;
    by_p[i][i] += c;
    y[i] = c * p[i] + s * cross[i] + versine * w[i] * dot;
    for (size_t j = 0; j < 3; j++) {
      along += by_w[i][j] * w[j];
    }
    for (size_t j = 0; j < 3; j++) {
      by_r[i][j] = by_a * w[j] + (by_w[i][j] - along * w[j]) * inverse;
    }
  }
}

/* Rows of the camera's 11, the point's 3 and the weight's derivative. */
static void block(const double camera[11], const double point[3], double w, const double feature[2], double first[15],
                  double second[15]) {
  double seen[3] = {point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]};
  double y[3], by_seen[3][3], by_rotation[3][3];
  rotate(camera, seen, y, by_seen, by_rotation);
  double f = camera[6], inverse = 1 / y[2], u = y[0] * inverse, v = y[1] * inverse;
  double square = u * u + v * v;
  double distortion = 1 + camera[9] * square + camera[10] * square * square;
  double slope = 2 * camera[9] + 4 * camera[10] * square;
  double scale = w * f * inverse;
  double uu = (distortion + slope * u * u) * scale, uv = slope * u * v * scale;
  double vv = (distortion + slope * v * v) * scale;
  double along_u = uu * u + uv * v, along_v = uv * u + vv * v;
  for (size_t j = 0; j < 3; j++) {
    first[j] = uu * by_rotation[0][j] + uv * by_rotation[1][j] - along_u * by_rotation[2][j];
    second[j] = uv * by_rotation[0][j] + vv * by_rotation[1][j] - along_v * by_rotation[2][j];
    first[11 + j] = uu * by_seen[0][j] + uv * by_seen[1][j] - along_u * by_seen[2][j];
    second[11 + j] = uv * by_seen[0][j] + vv * by_seen[1][j] - along_v * by_seen[2][j];
    first[3 + j] = -first[11 + j];
    second[3 + j] = -second[11 + j];
  }
  double ud = u * distortion, vd = v * distortion;
  first[6] = w * ud;
  second[6] = w * vd;
  first[7] = w;
  second[7] = 0;
  first[8] = 0;
  second[8] = w;
  first[9] = w * f * square * u;
  second[9] = w * f * square * v;
  first[10] = first[9] * square;
  second[10] = second[9] * square;
  first[14] = ud * f + camera[7] - feature[0];
  second[14] = vd * f + camera[8] - feature[1];
}

void ba_jacobian(const ba_input *in, int *rows, int *cols, double *vals) {
  size_t p = in->p, points = BA_CAMERA * in->n, weights = points + BA_POINT * in->m;
  rows[0] = 0;
  for (size_t i = 0; i < p; i++) {
    size_t camera = BA_CAMERA * in->observed[2 * i], point = BA_POINT * in->observed[2 * i + 1];
    block(in->cameras + camera, in->points + point, in->w[i], in->features + 2 * i, vals, vals + BA_BLOCK);
    for (size_t j = 0; j < BA_CAMERA; j++) {
      cols[j] = cols[BA_BLOCK + j] = (int)(camera + j);
    }
    for (size_t j = 0; j < BA_POINT; j++) {
      cols[BA_CAMERA + j] = cols[BA_BLOCK + BA_CAMERA + j] = (int)(points + point + j);
    }
    cols[BA_BLOCK - 1] = cols[2 * BA_BLOCK - 1] = (int)(weights + i);
    rows[2 * i + 1] = (int)(BA_BLOCK * (2 * i + 1));
    rows[2 * i + 2] = (int)(BA_BLOCK * (2 * i + 2));
    vals += 2 * BA_BLOCK;
    cols += 2 * BA_BLOCK;
  }
  for (size_t i = 0; i < p; i++) {
    cols[i] = (int)(weights + i);
    vals[i] = -2 * in->w[i];
    rows[2 * p + i + 1] = (int)(2 * BA_BLOCK * p + i + 1);
  }
}
