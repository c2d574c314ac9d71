/* Jacobians of the 32 problems by tl_jacobian and tl_jacobian_reverse against analytic ones, recorded by
   tests/oracles/minpack_sympy.py: for each point a line `name n m`, then x, f and the Jacobian by rows.

     minpack_check [--perturb] GOLDEN

   With --perturb each recorded Jacobian is changed in its largest entry, and all have to be found. */
#include "problems.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlaloc/grad.h>

enum { MAX_N = 40, MAX_M = 65 };

typedef void function(size_t n, const double x[n], size_t m, double f[m]);
typedef void jacobian(size_t n, const double x[n], size_t m, double f[m], double J[m][n]);

#define ROW(f) {#f, f, tl_jacobian(f, x), tl_jacobian_reverse(f, x)}

static const struct {
  const char *name;
  function *value;
  jacobian *forward, *reverse;
} problems[] = {
    ROW(rosenbrock),
    ROW(powell_singular),
    ROW(powell_badly_scaled),
    ROW(wood),
    ROW(helical_valley),
    ROW(watson_equations),
    ROW(chebyquad),
    ROW(brown_almost_linear),
    ROW(discrete_boundary_value),
    ROW(discrete_integral_equation),
    ROW(trigonometric),
    ROW(variably_dimensioned),
    ROW(broyden_tridiagonal),
    ROW(broyden_banded),
    ROW(linear_full_rank),
    ROW(linear_rank_one),
    ROW(linear_rank_one_zero),
    ROW(rosenbrock_squares),
    ROW(helical_valley_squares),
    ROW(powell_singular_squares),
    ROW(freudenstein_roth),
    ROW(bard),
    ROW(kowalik_osborne),
    ROW(meyer),
    ROW(watson),
    ROW(box_three_dimensional),
    ROW(jennrich_sampson),
    ROW(brown_dennis),
    ROW(chebyquad_squares),
    ROW(brown_almost_linear_squares),
    ROW(osborne_1),
    ROW(osborne_2),
};

enum { COUNT = sizeof problems / sizeof *problems };
_Static_assert(COUNT == 32, "MINPACK has 32 problems");

/* The largest difference, relative to the largest entry. */
static double distance(size_t count, const double *got, const double *want) {
  double error = 0, scale = 0;
  for (size_t i = 0; i < count; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    scale = fmax(scale, fabs(want[i]));
    if (isnan(got[i])) {
      return INFINITY;
    }
  }
  return error / (scale > 0 ? scale : 1);
}

static void read_numbers(FILE *in, size_t count, double *out) {
  for (size_t i = 0; i < count; i++) {
    if (fscanf(in, "%lf", &out[i]) != 1) {
      fprintf(stderr, "the golden ends early\n");
      exit(1);
    }
  }
}

int main(int argc, char **argv) {
  static double x[MAX_N], f[MAX_M], f_want[MAX_M], want[MAX_M * MAX_N], got[MAX_M * MAX_N];
  bool perturb = argc > 2 && strcmp(argv[1], "--perturb") == 0, seen[COUNT] = {false};
  FILE *in = argc == 2 + perturb ? fopen(argv[1 + perturb], "r") : NULL;
  char name[64];
  size_t n, m;
  int passed = 0, failed = 0;
  if (in == NULL) {
    fprintf(stderr, "usage: %s [--perturb] GOLDEN\n", argv[0]);
    return 2;
  }
  while (fscanf(in, "%63s %zu %zu", name, &n, &m) == 3) {
    size_t k = 0;
    while (k < COUNT && strcmp(problems[k].name, name) != 0) {
      k++;
    }
    if (k == COUNT || n > MAX_N || m > MAX_M) {
      fprintf(stderr, "the golden has an unknown problem or size: %s %zu %zu\n", name, n, m);
      return 1;
    }
    seen[k] = true;
    read_numbers(in, n, x);
    read_numbers(in, m, f_want);
    read_numbers(in, m * n, want);
    if (perturb) {
      size_t largest = 0;
      for (size_t i = 1; i < m * n; i++) {
        largest = fabs(want[i]) > fabs(want[largest]) ? i : largest;
      }
      want[largest] += want[largest] != 0 ? 1e-11 * want[largest] : 1e-11;
    }
    double errors[4];
    problems[k].value(n, x, m, f);
    errors[0] = distance(m, f, f_want);
    problems[k].forward(n, x, m, f, (double(*)[n])got);
    errors[1] = distance(m * n, got, want);
    errors[2] = distance(m, f, f_want);
    problems[k].reverse(n, x, m, f, (double(*)[n])got);
    errors[3] = distance(m * n, got, want);
    bool good = errors[0] < 1e-12 && errors[1] < 1e-12 && errors[2] < 1e-12 && errors[3] < 1e-12;
    if (!good && !perturb) {
      printf("FAIL %s n=%zu m=%zu: f %.1e, forward %.1e, reverse %.1e\n", name, n, m, errors[0], errors[1], errors[3]);
    }
    passed += good;
    failed += !good;
  }
  fclose(in);
  for (size_t k = 0; k < COUNT; k++) {
    if (!seen[k]) {
      printf("FAIL %s is not in the golden\n", problems[k].name);
      failed++;
    }
  }
  if (perturb) {
    printf("%d of %d planted differences found\n", failed, passed + failed);
    return passed == 0 && failed > 0 ? 0 : 1;
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
