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
  p->n = eval_length(eval_get(input, "points"));
  p->k = eval_length(eval_get(input, "centroids"));
  p->points = eval_numbers(eval_get(input, "points"), &count);
  p->d = p->n ? count / p->n : 0;
  p->centroids = eval_numbers(eval_get(input, "centroids"), &count);
  if (count != p->k * p->d) {
    fprintf(stderr, "error: points and centroids differ in dimension\n");
    exit(1);
  }
  p->direction = eval_alloc(count, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {{"cost", compute_cost, print_cost}, {"dir", compute_dir, print_dir}};
  return eval_main(argc, argv, load, 2, functions);
}
