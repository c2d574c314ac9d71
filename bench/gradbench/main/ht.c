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

static size_t length(const json_object *object, const char *key) {
  size_t n = eval_length(object, key);
  if (n == 0) {
    eval_fail(key, "empty");
  }
  return n;
}

static void *load(const json_object *input) {
  problem *p = eval_alloc(1, sizeof *p);
  ht_input *in = &p->in;
  const json_object *data = eval_get(input, "data"), *model = eval_get(data, "model");
  in->bones = length(model, "parents");
  in->vertices = length(model, "base_positions");
  in->triangles = eval_length(model, "triangles");
  in->n = length(data, "correspondences");
  in->complicated = eval_length(input, "us") != 0;
  in->mirrored = json_object_get_boolean(eval_get(model, "is_mirrored"));
  in->theta = eval_numbers_of(input, "theta", 26);
  in->relative = eval_numbers_of(model, "base_relatives", in->bones * 16);
  in->inverse = eval_numbers_of(model, "inverse_base_absolutes", in->bones * 16);
  in->base = eval_numbers_of(model, "base_positions", in->vertices * 4);
  in->weight = eval_numbers_of(model, "weights", eval_product(in->vertices, in->bones));
  in->point = eval_numbers_of(data, "points", in->n * 3);
  in->us = eval_numbers_of(input, "us", in->complicated ? in->n * 2 : 0);
  in->parent = eval_indices_of(model, "parents", in->bones, -1, in->bones);
  for (size_t b = 0; b < in->bones; b++) {
    if (in->parent[b] >= (ptrdiff_t)b) {
      eval_fail("parents", "a bone before its parent");
    }
  }
  in->triangle = (const size_t *)eval_indices_of(model, "triangles", in->triangles * 3, 0, in->vertices);
  in->correspondence = (const size_t *)eval_indices_of(data, "correspondences", in->n, 0,
                                                       in->complicated ? in->triangles : in->vertices);
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
