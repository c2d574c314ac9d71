#include "ba.h"

#include "evals.h"

#include <string.h>
#include <tlaloc/grad.h>

void ba_errors(const ba_input *in, double *reprojection, double *weight) {
  ba_objective(in->n, in->m, in->p, (const double(*)[BA_CAMERA])in->cameras, (const double(*)[BA_POINT])in->points,
               in->w, (const size_t(*)[2])in->observed, (const double(*)[2])in->features, (double(*)[2])reprojection,
               weight);
}

/* A reprojection depends on its own camera, point and weight alone, so the Jacobian is made of small blocks, with two
   rows and fifteen columns each. */
void ba_jacobian(const ba_input *in, int *rows, int *cols, double *vals) {
  size_t points = BA_CAMERA * in->n, weights = points + BA_POINT * in->m;
  *rows++ = 0;
  for (size_t i = 0; i < in->p; i++) {
    size_t camera = BA_CAMERA * in->observed[2 * i], point = BA_POINT * in->observed[2 * i + 1];
    double unknown[BA_BLOCK], error[2];
    memcpy(unknown, in->cameras + camera, BA_CAMERA * sizeof *unknown);
    memcpy(unknown + BA_CAMERA, in->points + point, BA_POINT * sizeof *unknown);
    unknown[BA_BLOCK - 1] = in->w[i];
    tl_jacobian_reverse(ba_block, unknown)(unknown, in->features + 2 * i, error, (double(*)[BA_BLOCK])vals);
    for (size_t j = 0; j < BA_CAMERA; j++) {
      cols[j] = cols[BA_BLOCK + j] = (int)(camera + j);
    }
    for (size_t j = 0; j < BA_POINT; j++) {
      cols[BA_CAMERA + j] = cols[BA_BLOCK + BA_CAMERA + j] = (int)(points + point + j);
    }
    cols[BA_BLOCK - 1] = cols[2 * BA_BLOCK - 1] = (int)(weights + i);
    *rows++ = (int)(BA_BLOCK * (2 * i + 1));
    *rows++ = (int)(BA_BLOCK * (2 * i + 2));
    vals += 2 * BA_BLOCK;
    cols += 2 * BA_BLOCK;
  }
  for (size_t i = 0; i < in->p; i++) {
    cols[i] = (int)(weights + i);
    vals[i] = tl_grad(ba_weight_error)(in->w[i]);
    *rows++ = (int)(2 * BA_BLOCK * in->p + i + 1);
  }
}
