#include "eval.h"
#include "evals.h"

typedef struct {
  lstm_input in;
  double value, *gradient;
} problem;

static void compute_objective(void *state) {
  problem *p = state;
  p->value = lstm_value(&p->in);
}

static void compute_jacobian(void *state) {
  problem *p = state;
  lstm_gradient(&p->in, p->gradient, p->gradient + 8 * p->in.layers * p->in.bits);
}

static void print_objective(const void *state) { eval_print_number(((const problem *)state)->value); }

static void print_jacobian(const void *state) {
  const problem *p = state;
  eval_print_vector((8 * p->in.layers + 3) * p->in.bits, p->gradient);
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  lstm_input *in = &p->in;
  size_t count;
  in->layers = eval_length(eval_get(input, "main_params")) / 2;
  in->steps = eval_length(eval_get(input, "sequence"));
  in->main_params = eval_numbers(eval_get(input, "main_params"), &count);
  in->bits = count / (8 * in->layers);
  in->extra_params = eval_numbers(eval_get(input, "extra_params"), NULL);
  in->state = eval_numbers(eval_get(input, "state"), NULL);
  in->sequence = eval_numbers(eval_get(input, "sequence"), NULL);
  p->gradient = eval_alloc((8 * in->layers + 3) * in->bits, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"objective", compute_objective, print_objective},
      {"jacobian", compute_jacobian, print_jacobian},
  };
  return eval_main(argc, argv, load, 2, functions);
}
