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
  size_t rows = eval_length(input, "main_params");
  in->layers = rows / 2;
  in->steps = eval_length(input, "sequence");
  in->main_params = eval_numbers(input, "main_params", &count);
  in->bits = rows ? count / rows / 4 : 0;
  if (in->bits == 0 || rows % 2 != 0 || count != 4 * rows * in->bits) {
    eval_fail("main_params", "not 2 rows for each layer, with 4 numbers for each bit");
  }
  if (in->steps < 2) {
    eval_fail("sequence", "fewer than 2 steps");
  }
  in->extra_params = eval_numbers_of(input, "extra_params", 3 * in->bits);
  in->state = eval_numbers_of(input, "state", 2 * in->layers * in->bits);
  in->sequence = eval_numbers_of(input, "sequence", eval_product(in->steps, in->bits));
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
