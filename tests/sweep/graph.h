/* Random functions on tensors: what a list of decisions says. Decision 0 is always the simplest choice, so that a list
 * can be cut down and is still a function. */
#ifndef TL_TESTS_SWEEP_GRAPH_H
#define TL_TESTS_SWEEP_GRAPH_H

#include "../generated/gen.h"
#include "subject.h"

#define SWEEP_STEP_MAP(X)                                                                                              \
  X(unary)                                                                                                             \
  X(binary)                                                                                                            \
  X(with_number)                                                                                                       \
  X(two_arguments)                                                                                                     \
  X(fused)                                                                                                             \
  X(square) X(quotient) X(exponential) X(broadcast) X(sum_to) X(reshape) X(transpose) X(sum) X(max) X(softmax)         \
      X(product) X(row_product) X(gather) X(scatter_add) X(choose) X(choose_by_number) X(number) X(extent) X(branch)   \
          X(counted_loop) X(while_loop) X(kept) X(call)

typedef enum sweep_step {
#define SWEEP_STEP_ENUM(name) STEP_##name,
  SWEEP_STEP_MAP(SWEEP_STEP_ENUM)
#undef SWEEP_STEP_ENUM
      STEP_COUNT
} sweep_step;
extern const char *const sweep_step_names[STEP_COUNT];

/* Makes the subject's function and arguments; counts the steps. */
bool sweep_graph_make(sweep_subject *, gen_tape *, unsigned steps[STEP_COUNT]);

#endif
