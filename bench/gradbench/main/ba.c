#include "eval.h"
#include "evals.h"

#include <limits.h>
#include <string.h>

typedef struct {
  ba_input in;
  double *reprojection, *weight, *vals;
  int *rows, *cols;
} problem;

static void compute_objective(void *state) {
  problem *p = state;
  ba_errors(&p->in, p->reprojection, p->weight);
}

static void compute_jacobian(void *state) {
  problem *p = state;
  ba_jacobian(&p->in, p->rows, p->cols, p->vals);
}

static void print_objective(const void *state) {
  const problem *p = state;
  printf("{\"reproj_error\":{\"elements\":");
  eval_print_vector(2, p->reprojection);
  printf(",\"repeated\":%zu},\"w_err\":{\"element\":", p->in.p);
  eval_print_number(p->weight[0]);
  printf(",\"repeated\":%zu}}", p->in.p);
}

/* GradBench looks at the first 30 entries and the last one. */
static void print_indices(const int *indices, size_t last) {
  for (size_t i = 0; i < 30; i++) {
    printf("%s%d", i ? "," : "[", indices[i]);
  }
  printf(",%d]", indices[last]);
}

static void print_jacobian(const void *state) {
  const problem *p = state;
  size_t count = 31 * p->in.p;
  double shown[31];
  memcpy(shown, p->vals, 30 * sizeof *shown);
  shown[30] = p->vals[count - 1];
  printf("{\"rows\":");
  print_indices(p->rows, 3 * p->in.p);
  printf(",\"cols\":");
  print_indices(p->cols, count - 1);
  printf(",\"vals\":");
  eval_print_vector(31, shown);
  printf("}");
}

/* `count` numbers, `times` over. */
static double *repeat(const json_object *input, const char *key, size_t count, size_t times) {
  double *once = eval_numbers_of(input, key, count);
  double *all = eval_alloc(eval_product(times, count), sizeof *all);
  for (size_t i = 0; i < times; i++) {
    memcpy(all + i * count, once, count * sizeof *all);
  }
  free(once);
  return all;
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  ba_input *in = &p->in;
  in->n = eval_count_from(input, "n", 1);
  in->m = eval_count_from(input, "m", 1);
  in->p = eval_count_from(input, "p", 10); /* the Jacobian is shown by its first 30 entries */
  /* The Jacobian's indices are ints. */
  if (in->p > INT_MAX / 31) {
    eval_fail("p", "too large a count");
  }
  if (in->n > INT_MAX / 33) {
    eval_fail("n", "too large a count");
  }
  if (in->m > INT_MAX / 9) {
    eval_fail("m", "too large a count");
  }
  in->cameras = repeat(input, "cam", 11, in->n);
  in->points = repeat(input, "x", 3, in->m);
  in->w = repeat(input, "w", 1, in->p);
  in->features = repeat(input, "feat", 2, in->p);
  size_t *observed = eval_alloc(2 * in->p, sizeof *observed);
  for (size_t i = 0; i < in->p; i++) {
    observed[2 * i] = i % in->n;
    observed[2 * i + 1] = i % in->m;
  }
  in->observed = observed;
  p->reprojection = eval_alloc(2 * in->p, sizeof(double));
  p->weight = eval_alloc(in->p, sizeof(double));
  p->rows = eval_alloc(3 * in->p + 1, sizeof(int));
  p->cols = eval_alloc(31 * in->p, sizeof(int));
  p->vals = eval_alloc(31 * in->p, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"objective", compute_objective, print_objective},
      {"jacobian", compute_jacobian, print_jacobian},
  };
  return eval_main(argc, argv, load, 2, functions);
}
