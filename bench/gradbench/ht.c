#include "ht.h"

#include "evals.h"

#include <stdlib.h>
#include <tlaloc/grad.h>

void ht_errors(const ht_input *in, double *error) {
  size_t bones = in->bones;
  if (in->complicated) {
    ht_complicated(bones, in->vertices, in->triangles, in->theta, in->parent, (const double(*)[4][4])in->relative,
                   (const double(*)[4][4])in->inverse, (const double(*)[4])in->base,
                   (const double(*)[bones])in->weight, (const size_t(*)[3])in->triangle, in->mirrored, in->n,
                   in->correspondence, (const double(*)[3])in->point, (const double(*)[2])in->us,
                   (const double[2]){0, 0}, (double(*)[3])error);
  } else {
    ht_simple(bones, in->vertices, in->theta, in->parent, (const double(*)[4][4])in->relative,
              (const double(*)[4][4])in->inverse, (const double(*)[4])in->base, (const double(*)[bones])in->weight,
              in->mirrored, in->n, in->correspondence, (const double(*)[3])in->point, (double(*)[3])error);
  }
}

void ht_jacobian(const ht_input *in, double *jacobian) {
  size_t bones = in->bones, rows = 3 * in->n;
  double *error = malloc((rows + 1) * sizeof *error);
  if (in->complicated) {
    double(*by_theta)[HT_THETA] = malloc((rows + 1) * sizeof *by_theta);
    double(*by_shift)[2] = malloc((rows + 1) * sizeof *by_shift);
    tl_jacobian(ht_complicated, theta, shift)(
        bones, in->vertices, in->triangles, in->theta, in->parent, (const double(*)[4][4])in->relative,
        (const double(*)[4][4])in->inverse, (const double(*)[4])in->base, (const double(*)[bones])in->weight,
        (const size_t(*)[3])in->triangle, in->mirrored, in->n, in->correspondence, (const double(*)[3])in->point,
        (const double(*)[2])in->us, (const double[2]){0, 0}, (double(*)[3])error, by_theta, by_shift);
    for (size_t i = 0; i < rows; i++) {
      *jacobian++ = by_shift[i][0];
      *jacobian++ = by_shift[i][1];
      for (size_t j = 0; j < HT_THETA; j++) {
        *jacobian++ = by_theta[i][j];
      }
    }
    free(by_shift);
    free(by_theta);
  } else {
    tl_jacobian(ht_simple, theta)(bones, in->vertices, in->theta, in->parent, (const double(*)[4][4])in->relative,
                                  (const double(*)[4][4])in->inverse, (const double(*)[4])in->base,
                                  (const double(*)[bones])in->weight, in->mirrored, in->n, in->correspondence,
                                  (const double(*)[3])in->point, (double(*)[3])error, (double(*)[HT_THETA])jacobian);
  }
  free(error);
}
