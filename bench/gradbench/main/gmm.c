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
  in->d = eval_count_from(input, "d", 1);
  in->k = eval_count_from(input, "k", 1);
  in->n = eval_count_from(input, "n", 1);
  in->m = eval_count(input, "m");
  in->gamma = eval_number(input, "gamma");
  size_t table = eval_product(in->k, in->d), triangles = eval_product(in->k, in->d * (in->d - 1) / 2);
  in->alpha = eval_numbers_of(input, "alpha", in->k);
  in->mu = eval_numbers_of(input, "mu", table);
  in->q = eval_numbers_of(input, "q", table);
  in->l = eval_numbers_of(input, "l", triangles);
  in->x = eval_numbers_of(input, "x", eval_product(in->n, in->d));
  p->alpha_bar = eval_alloc(in->k, sizeof(double));
  p->mu_bar = eval_alloc(table, sizeof(double));
  p->q_bar = eval_alloc(table, sizeof(double));
  p->l_bar = eval_alloc(triangles, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"objective", compute_objective, print_objective},
      {"jacobian", compute_jacobian, print_jacobian},
  };
  return eval_main(argc, argv, load, 2, functions);
}
