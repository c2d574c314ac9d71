#include "eval.h"
#include "evals.h"

typedef struct {
  double *start, result[4];
} problem;

static void compute_rr(void *state) {
  problem *p = state;
  saddle_solve(true, true, p->start, p->result);
}

static void compute_rf(void *state) {
  problem *p = state;
  saddle_solve(true, false, p->start, p->result);
}

static void compute_fr(void *state) {
  problem *p = state;
  saddle_solve(false, true, p->start, p->result);
}

static void compute_ff(void *state) {
  problem *p = state;
  saddle_solve(false, false, p->start, p->result);
}

static void print(const void *state) { eval_print_vector(4, ((const problem *)state)->result); }

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  p->start = eval_numbers_of(input, "start", 2);
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"rr", compute_rr, print},
      {"rf", compute_rf, print},
      {"fr", compute_fr, print},
      {"ff", compute_ff, print},
  };
  return eval_main(argc, argv, load, 4, functions);
}
