#include "ba.h"

#include "evals.h"

#include <tlaloc/grad.h>

void ba_errors(const ba_input *in, double *reprojection, double *weight) {
  ba_objective(in->n, in->m, in->p, (const double(*)[BA_CAMERA])in->cameras, (const double(*)[BA_POINT])in->points,
               in->w, (const size_t(*)[2])in->observed, (const double(*)[2])in->features, (double(*)[2])reprojection,
               weight);
}

/* A reprojection depends on its own camera, point and weight alone, so the Jacobian is made of small blocks, with two rows
   and fifteen columns each. */
void ba_jacobian(const ba_input *in, int *rows, int *cols, double *vals) {
  size_t n = in->n, m = in->m, p = in->p;
  size_t at = 0;
  *rows++ = 0;
  for (size_t i = 0; i < p; i++) {
    size_t camera = in->observed[2 * i], point = in->observed[2 * i + 1];
    double error[2], by_camera[2][BA_CAMERA], by_point[2][BA_POINT], by_weight[2][1];
    tl_jacobian_reverse(ba_reprojection, camera, point, w)(in->cameras + BA_CAMERA * camera,
                                                           in->points + BA_POINT * point, in->w[i],
                                                           in->features + 2 * i, error, by_camera, by_point, by_weight);
    for (size_t row = 0; row < 2; row++) {
      for (size_t j = 0; j < BA_CAMERA; j++) {
        cols[at] = (int)(BA_CAMERA * camera + j);
        vals[at++] = by_camera[row][j];
      }
      for (size_t j = 0; j < BA_POINT; j++) {
        cols[at] = (int)(BA_CAMERA * n + BA_POINT * point + j);
        vals[at++] = by_point[row][j];
      }
      cols[at] = (int)(BA_CAMERA * n + BA_POINT * m + i);
      vals[at++] = by_weight[row][0];
      *rows++ = (int)at;
    }
  }
  for (size_t i = 0; i < p; i++) {
    cols[at] = (int)(BA_CAMERA * n + BA_POINT * m + i);
    vals[at++] = tl_grad(ba_weight_error)(in->w[i]);
    *rows++ = (int)at;
  }
}
