/* Emitted C against the interpreter: a batch of functions is emitted into one unit with a main that calls each with
 * given arguments and prints what it gives; compiled and run, it must print what the interpreter computes. */
#ifndef TL_TESTS_EMIT_RIG_H
#define TL_TESTS_EMIT_RIG_H

#include "emit/c/emit_c.h"
#include "interp/interp.h"

typedef struct rig {
  tl_arena *arena;
  TL_VEC(tl_func *) funcs;    /* one name each */
  TL_VEC(const char *) calls; /* C: the body of a function that makes one call and prints */
  TL_VEC(const char *) names; /* of the case, for messages */
  TL_VEC(const char *) expected;
} rig;

uint64_t rig_random(uint64_t *seed);
void rig_init(rig *, tl_arena *);
/* One call with arguments drawn from the seed. False where the interpreter gives no result (then nothing is added). */
bool rig_add(rig *, tl_func *, uint64_t seed, const char *name);
/* Writes the unit, compiles it with the command (with %s for the source and %s for the program), runs it, compares. The
 * number of cases that differ; all of them where it does not compile. */
unsigned rig_run(rig *, const char *directory, const char *command);
/* Random DXIR; arrays and scalars, branches, loops of every kind, older versions of arrays. */
tl_func *random_program(tl_module *, const char *name, uint64_t seed);

#endif
