#include "eval.h"
#include "evals.h"

typedef struct {
  size_t m, n;
  double *x, value, *gradient;
} problem;

static void compute_primal(void *state) {
  problem *p = state;
  p->value = llsq_value(p->m, p->x, p->n);
}

static void compute_gradient(void *state) {
  problem *p = state;
  llsq_gradient(p->m, p->x, p->n, p->gradient);
}

static void print_primal(const void *state) { eval_print_number(((const problem *)state)->value); }

static void print_gradient(const void *state) {
  const problem *p = state;
  eval_print_vector(p->m, p->gradient);
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  p->n = eval_count_from(input, "n", 2);
  p->x = eval_vector(input, "x", &p->m);
  p->gradient = eval_alloc(p->m, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"primal", compute_primal, print_primal},
      {"gradient", compute_gradient, print_gradient},
  };
  return eval_main(argc, argv, load, 2, functions);
}
