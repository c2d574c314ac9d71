#include "eval.h"
#include "evals.h"

typedef struct {
  gmm_input in;
  double value, *alpha_bar, *mu_bar, *q_bar, *l_bar;
} problem;

static void compute_objective(void *state) {
  problem *p = state;
  p->value = gmm_value(&p->in);
}

static void compute_jacobian(void *state) {
  problem *p = state;
  gmm_gradient(&p->in, p->alpha_bar, p->mu_bar, p->q_bar, p->l_bar);
}

static void print_objective(const void *state) { eval_print_number(((const problem *)state)->value); }

static void print_jacobian(const void *state) {
  const problem *p = state;
  size_t d = p->in.d, k = p->in.k;
  printf("{\"alpha\":");
  eval_print_vector(k, p->alpha_bar);
  printf(",\"mu\":");
  eval_print_matrix(k, d, p->mu_bar);
  printf(",\"q\":");
  eval_print_matrix(k, d, p->q_bar);
  printf(",\"l\":");
  eval_print_matrix(k, d * (d - 1) / 2, p->l_bar);
  printf("}");
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  gmm_input *in = &p->in;
  in->d = eval_count(input, "d");
  in->k = eval_count(input, "k");
  in->n = eval_count(input, "n");
  in->m = eval_count(input, "m");
  in->gamma = eval_number(input, "gamma");
  in->alpha = eval_numbers(eval_get(input, "alpha"), NULL);
  in->mu = eval_numbers(eval_get(input, "mu"), NULL);
  in->q = eval_numbers(eval_get(input, "q"), NULL);
  in->l = eval_numbers(eval_get(input, "l"), NULL);
  in->x = eval_numbers(eval_get(input, "x"), NULL);
  p->alpha_bar = eval_alloc(in->k, sizeof(double));
  p->mu_bar = eval_alloc(in->k * in->d, sizeof(double));
  p->q_bar = eval_alloc(in->k * in->d, sizeof(double));
  p->l_bar = eval_alloc(in->k * in->d * (in->d - 1) / 2, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"objective", compute_objective, print_objective},
      {"jacobian", compute_jacobian, print_jacobian},
  };
  return eval_main(argc, argv, load, 2, functions);
}
