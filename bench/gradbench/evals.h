/* What an implementation of the twelve evals provides, in plain pointers (arrays are row-major) so that one in C++ can
   provide it too. The programs of main/ read the input, call these and print; bench/gradbench, bench/manual and
   bench/peers implement them. */
#ifndef EVALS_H
#define EVALS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

double hello_square(double x);
double hello_double(double x);

typedef struct {
  size_t d, k, n, m;
  double gamma;
  const double *alpha, *mu, *q, *l, *x; /* k; k d; k d; k d (d - 1) / 2; n d */
} gmm_input;
double gmm_value(const gmm_input *in);
void gmm_gradient(const gmm_input *in, double *alpha_bar, double *mu_bar, double *q_bar, double *l_bar);

typedef struct {
  size_t n, m, p;
  const double *cameras, *points, *w, *features; /* n 11; m 3; p; p 2 */
  const size_t *observed;                        /* p 2: camera, point */
} ba_input;
void ba_errors(const ba_input *in, double *reprojection, double *weight); /* p 2; p */
/* The Jacobian by rows in compressed form: the 2 p rows of the reprojections (camera, point, weight), then those of the
   weights. rows has 3 p + 1 entries, cols and vals have 31 p. */
void ba_jacobian(const ba_input *in, int *rows, int *cols, double *vals);

typedef struct {
  size_t bones, vertices, triangles, n;
  bool mirrored, complicated;
  const double *theta, *relative, *inverse, *base, *weight; /* 26; bones 4 4; bones 4 4; vertices 4; vertices bones */
  const double *point, *us;                                 /* n 3; n 2, if complicated */
  const ptrdiff_t *parent;                                  /* bones; negative for none */
  const size_t *triangle, *correspondence;                  /* triangles 3; n */
} ht_input;
void ht_errors(const ht_input *in, double *error); /* n 3 */
/* 3 n rows; columns by us (2, if complicated) and theta (26). */
void ht_jacobian(const ht_input *in, double *jacobian);

typedef struct {
  size_t layers, steps, bits;
  const double *main_params, *extra_params, *state, *sequence; /* layers 2 4 bits; 3 bits; layers 2 bits; steps bits */
} lstm_input;
double lstm_value(const lstm_input *in);
void lstm_gradient(const lstm_input *in, double *main_bar, double *extra_bar);

double det_value(size_t n, const double *a);
void det_gradient(size_t n, const double *a, double *a_bar);

double llsq_value(size_t m, const double *x, size_t n);
void llsq_gradient(size_t m, const double *x, size_t n, double *x_bar);

double lse_value(size_t n, const double *x);
void lse_gradient(size_t n, const double *x, double *x_bar);

void ode_value(size_t n, const double *x, size_t s, double *y);
/* Of the last element of y. */
void ode_gradient(size_t n, const double *x, size_t s, double *x_bar);

double kmeans_value(size_t n, size_t k, size_t d, const double *points, const double *centroids);
/* The gradient over the diagonal of the Hessian. */
void kmeans_direction(size_t n, size_t k, size_t d, const double *points, const double *centroids, double *direction);

/* The first flag: the outer descent differentiates in reverse mode; the second: so does the inner derivative. */
double particle_solve(bool outer_reverse, bool inner_reverse, double w);
void saddle_solve(bool outer_reverse, bool inner_reverse, const double *start, double *result); /* 2; 4 */

#ifdef __cplusplus
}
#endif

#endif
