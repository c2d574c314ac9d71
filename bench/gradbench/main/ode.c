#include "eval.h"
#include "evals.h"

typedef struct {
  size_t n, s;
  double *x, *result;
} problem;

static void compute_primal(void *state) {
  problem *p = state;
  ode_value(p->n, p->x, p->s, p->result);
}

static void compute_gradient(void *state) {
  problem *p = state;
  ode_gradient(p->n, p->x, p->s, p->result);
}

static void print(const void *state) {
  const problem *p = state;
  eval_print_vector(p->n, p->result);
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  p->s = eval_count_from(input, "s", 1);
  p->x = eval_vector(input, "x", &p->n);
  p->result = eval_alloc(p->n, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {{"primal", compute_primal, print}, {"gradient", compute_gradient, print}};
  return eval_main(argc, argv, load, 2, functions);
}
