#include "eval.h"
#include "evals.h"

typedef struct {
  ht_input in;
  double *error, *jacobian;
} problem;

static void compute_objective(void *state) {
  problem *p = state;
  ht_errors(&p->in, p->error);
}

static void compute_jacobian(void *state) {
  problem *p = state;
  ht_jacobian(&p->in, p->jacobian);
}

static void print_objective(const void *state) {
  const problem *p = state;
  eval_print_vector(3 * p->in.n, p->error);
}

static void print_jacobian(const void *state) {
  const problem *p = state;
  eval_print_matrix(3 * p->in.n, p->in.complicated ? 28 : 26, p->jacobian);
}

static void check(bool good, const char *what) {
  if (!good) {
    fprintf(stderr, "error: %s\n", what);
    exit(1);
  }
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  ht_input *in = &p->in;
  const json_object *data = eval_get(input, "data"), *model = eval_get(data, "model");
  size_t count;
  in->bones = eval_length(eval_get(model, "parents"));
  in->vertices = eval_length(eval_get(model, "base_positions"));
  in->triangles = eval_length(eval_get(model, "triangles"));
  in->n = eval_length(eval_get(data, "correspondences"));
  in->complicated = eval_length(eval_get(input, "us")) != 0;
  in->mirrored = json_object_get_boolean(eval_get(model, "is_mirrored"));
  in->theta = eval_numbers(eval_get(input, "theta"), &count);
  check(count == 26, "theta does not have 26 numbers");
  in->relative = eval_numbers(eval_get(model, "base_relatives"), &count);
  check(count == in->bones * 16, "base_relatives does not have a matrix for each bone");
  in->inverse = eval_numbers(eval_get(model, "inverse_base_absolutes"), &count);
  check(count == in->bones * 16, "inverse_base_absolutes does not have a matrix for each bone");
  in->base = eval_numbers(eval_get(model, "base_positions"), &count);
  check(count == in->vertices * 4, "base_positions does not have 4 numbers for each vertex");
  in->weight = eval_numbers(eval_get(model, "weights"), &count);
  check(count == in->vertices * in->bones, "weights does not have a number for each vertex and bone");
  in->point = eval_numbers(eval_get(data, "points"), &count);
  check(count == in->n * 3, "points does not have 3 numbers for each correspondence");
  in->us = eval_numbers(eval_get(input, "us"), &count);
  check(!in->complicated || count == in->n * 2, "us does not have 2 numbers for each correspondence");
  in->parent = (const ptrdiff_t *)eval_indices(eval_get(model, "parents"), NULL);
  in->triangle = eval_indices(eval_get(model, "triangles"), &count);
  check(count == in->triangles * 3, "triangles does not have 3 vertices each");
  in->correspondence = eval_indices(eval_get(data, "correspondences"), NULL);
  p->error = eval_alloc(in->n * 3, sizeof(double));
  p->jacobian = eval_alloc(in->n * 3 * 28, sizeof(double));
  return p;
}

int main(int argc, char **argv) {
  static const eval_function functions[] = {
      {"objective", compute_objective, print_objective},
      {"jacobian", compute_jacobian, print_jacobian},
  };
  return eval_main(argc, argv, load, 2, functions);
}
