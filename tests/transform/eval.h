/* A plain evaluator of DXIR for the tests of the transforms. It shares nothing with the passes, with constant folding
 * or with the interpreter; it knows the ops that the tests here use and fails on others. */
#ifndef TL_TESTS_TRANSFORM_EVAL_H
#define TL_TESTS_TRANSFORM_EVAL_H

#include "ir/ir.h"

typedef struct eval_cell {
  int64_t i;
  long double x;
} eval_cell;

typedef struct eval_value {
  bool is_array, is_float;
  int rank;
  int64_t extents[TL_MAX_RANK];
  size_t count;     /* of cells; 1 for a scalar */
  eval_cell cell;   /* scalar */
  eval_cell *cells; /* array; never changed once the value is made */
} eval_value;

typedef struct eval_state {
  const tl_func *func;
  tl_arena *arena;
  eval_value *values; /* by id */
  int64_t steps;      /* how many ops ran */
  bool strict;        /* signed overflow and floating division by zero count as undefined */
  const char *failure;
} eval_state;

eval_cell eval_elementwise(tl_opcode, tl_dtype from, tl_dtype to, const eval_cell *x, bool *known);
/* Whether a signed operation leaves its type, which C does not define. */
bool eval_overflows(tl_opcode, tl_dtype, const eval_cell *x);
/* Runs the function on one value per body parameter; results come back in `out`, one per yield. False with a reason in
 * the state where something undefined or unknown was met, or more than `most_steps` ops ran. */
bool eval_function(eval_state *, const tl_func *, tl_arena *, bool strict, const eval_value *args, eval_value *out,
                   int64_t most_steps);
bool eval_cells_equal(bool is_float, eval_cell a, eval_cell b, bool zero_signs);
/* Cell by cell, floating ones but for what the order of a sum makes. */
bool eval_equal(const eval_value *a, const eval_value *b);
/* Arguments for every parameter: small numbers from the seed; integers that are extents lie in 0..5. */
void eval_random_args(const tl_func *, tl_arena *, uint64_t *seed, eval_value *out);
uint64_t eval_random(uint64_t *seed);

#endif
