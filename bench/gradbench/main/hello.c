#include "eval.h"
#include "evals.h"

typedef struct {
  double x, y;
} problem;

static void compute_square(void *state) {
  problem *p = state;
  p->y = hello_square(p->x);
}

static void compute_double(void *state) {
  problem *p = state;
  p->y = hello_double(p->x);
}

static void print(const void *state) { eval_print_number(((const problem *)state)->y); }

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  p->x = eval_number(input, NULL);
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {{"square", compute_square, print}, {"double", compute_double, print}};
  return eval_main(argc, argv, load, 2, functions);
}
