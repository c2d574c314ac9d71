#include "eval.h"
#include "evals.h"

typedef struct {
  double start, w;
} problem;

static void compute_rr(void *state) {
  problem *p = state;
  p->w = particle_solve(true, true, p->start);
}

static void compute_rf(void *state) {
  problem *p = state;
  p->w = particle_solve(true, false, p->start);
}

static void compute_fr(void *state) {
  problem *p = state;
  p->w = particle_solve(false, true, p->start);
}

static void compute_ff(void *state) {
  problem *p = state;
  p->w = particle_solve(false, false, p->start);
}

static void print(const void *state) { eval_print_number(((const problem *)state)->w); }

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  p->start = eval_number(input, "w");
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
