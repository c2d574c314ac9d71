#include "eval.h"
#include "evals.h"

typedef struct {
  size_t n, k, d;
  double *points, *centroids, cost, *direction;
} problem;

static void compute_cost(void *state) {
  problem *p = state;
  p->cost = kmeans_value(p->n, p->k, p->d, p->points, p->centroids);
}

static void compute_dir(void *state) {
  problem *p = state;
  kmeans_direction(p->n, p->k, p->d, p->points, p->centroids, p->direction);
}

static void print_cost(const void *state) { eval_print_number(((const problem *)state)->cost); }

static void print_dir(const void *state) {
  const problem *p = state;
  eval_print_matrix(p->k, p->d, p->direction);
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  size_t count;
  p->n = eval_length(input, "points");
  p->k = eval_length(input, "centroids");
  p->points = eval_numbers(input, "points", &count);
  if (count == 0) {
    eval_fail("points", "empty");
  }
  if (p->k == 0) {
    eval_fail("centroids", "empty");
  }
  p->d = count / p->n;
  p->centroids = eval_numbers_of(input, "centroids", eval_product(p->k, p->d));
  p->direction = eval_alloc(p->k * p->d, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {{"cost", compute_cost, print_cost}, {"dir", compute_dir, print_dir}};
  return eval_main(argc, argv, load, 2, functions);
}
