#include "eval.h"
#include "evals.h"

typedef struct {
  size_t n;
  double *x, value, *gradient;
} problem;

static void compute_primal(void *state) {
  problem *p = state;
  p->value = lse_value(p->n, p->x);
}

static void compute_gradient(void *state) {
  problem *p = state;
  lse_gradient(p->n, p->x, p->gradient);
}

static void print_primal(const void *state) { eval_print_number(((const problem *)state)->value); }

static void print_gradient(const void *state) {
  const problem *p = state;
  eval_print_vector(p->n, p->gradient);
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  p->x = eval_vector(input, "x", &p->n);
  p->gradient = eval_alloc(p->n, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"primal", compute_primal, print_primal},
      {"gradient", compute_gradient, print_gradient},
  };
  return eval_main(argc, argv, load, 2, functions);
}
