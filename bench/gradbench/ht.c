#include "ht.h"

#include "evals.h"

#include <stdlib.h>
#include <string.h>
#include <tlaloc/grad.h>

/* The unknowns of the complicated case: no shift, and theta. */
static void set_unknowns(const ht_input *in, double unknown[HT_UNKNOWNS]) {
  unknown[0] = unknown[1] = 0;
  memcpy(unknown + 2, in->theta, HT_THETA * sizeof *unknown);
}

void ht_errors(const ht_input *in, double *error) {
  size_t bones = in->bones;
  if (in->complicated) {
    double unknown[HT_UNKNOWNS];
    set_unknowns(in, unknown);
    ht_complicated(bones, in->vertices, in->triangles, unknown, in->parent, (const double(*)[4][4])in->relative,
                   (const double(*)[4][4])in->inverse, (const double(*)[4])in->base, (const double(*)[bones])in->weight,
                   (const size_t(*)[3])in->triangle, in->mirrored, in->n, in->correspondence,
                   (const double(*)[3])in->point, (const double(*)[2])in->us, (double(*)[3])error);
  } else {
    ht_simple(bones, in->vertices, in->theta, in->parent, (const double(*)[4][4])in->relative,
              (const double(*)[4][4])in->inverse, (const double(*)[4])in->base, (const double(*)[bones])in->weight,
              in->mirrored, in->n, in->correspondence, (const double(*)[3])in->point, (double(*)[3])error);
  }
}

void ht_jacobian(const ht_input *in, double *jacobian) {
  size_t bones = in->bones;
  double *error = malloc((3 * in->n + 1) * sizeof *error);
  if (in->complicated) {
    double unknown[HT_UNKNOWNS];
    set_unknowns(in, unknown);
    tl_jacobian(ht_complicated, unknown)(
        bones, in->vertices, in->triangles, unknown, in->parent, (const double(*)[4][4])in->relative,
        (const double(*)[4][4])in->inverse, (const double(*)[4])in->base, (const double(*)[bones])in->weight,
        (const size_t(*)[3])in->triangle, in->mirrored, in->n, in->correspondence, (const double(*)[3])in->point,
        (const double(*)[2])in->us, (double(*)[3])error, (double(*)[HT_UNKNOWNS])jacobian);
  } else {
    tl_jacobian(ht_simple, theta)(bones, in->vertices, in->theta, in->parent, (const double(*)[4][4])in->relative,
                                  (const double(*)[4][4])in->inverse, (const double(*)[4])in->base,
                                  (const double(*)[bones])in->weight, in->mirrored, in->n, in->correspondence,
                                  (const double(*)[3])in->point, (double(*)[3])error, (double(*)[HT_THETA])jacobian);
  }
  free(error);
}
