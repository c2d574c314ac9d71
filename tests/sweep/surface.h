/* What must hold of every function on tensors. */
#ifndef TL_TESTS_SWEEP_SURFACE_H
#define TL_TESTS_SWEEP_SURFACE_H

#include "subject.h"

/* id, name, what is checked. */
#define SWEEP_SURFACE_MAP(X)                                                                                           \
  X(TEXT, text, "what is printed parses, verifies, prints the same and computes the same")                             \
  X(F32, f32, "the interpreter in float against double, values and reverse; the same graph in f32")                    \
  X(SMALL, small, "the same graph in F16, BF16 and F8E4M3FN against double, on what the format holds")                 \
  X(FORWARD, forward, "<Jv, w> = <v, J'w>, by all parameters and by each alone")                                       \
  X(REVERSE, reverse, "reverse mode against fourth-order central differences of every element")                        \
  X(SECOND, second, "the same two of the vjp: forward and reverse over reverse")                                       \
  X(SYMBOLIC, symbolic, "extents that are known at run time alone against fixed ones")                                 \
  X(BATCH, batch, "vmap against a loop for every choice of what is batched, batches of 1, 7 and 64")                   \
  X(BATCH_DERIVED, batch_derived,                                                                                      \
    "vmap of the vjp against a loop, the vjp of the vmap against forward and differences")                             \
  X(NAMES, names, "derivatives and batches have the names of axes of what they are of")

typedef enum sweep_surface {
#define SWEEP_SURFACE_ENUM(id, name, doc) SURFACE_##id,
  SWEEP_SURFACE_MAP(SWEEP_SURFACE_ENUM)
#undef SWEEP_SURFACE_ENUM
      SURFACE_COUNT
} sweep_surface;

extern const char *const sweep_surface_names[SURFACE_COUNT];

/* How far to go. */
typedef struct sweep_depth {
  bool directions;       /* differences in a direction, with two steps, for what may have kinks */
  bool few_batches;      /* a choice by seed, and one size */
  sweep_tolerance value; /* float against double */
  sweep_tolerance derivative;
  sweep_tolerance differences;
  sweep_tolerance batch, batch_derived; /* against a loop */
} sweep_depth;
extern const sweep_depth sweep_depth_of_ops, sweep_depth_of_graphs;

/* Checks the surface of s->f; false where it fails. What does not apply (there is nothing floating, no name) holds, and
 * compares nothing. */
bool sweep_check(sweep_subject *, sweep_surface, const sweep_depth *);

#endif
