/* Values that are computed ahead of the branch that guards them: the infinite partial of an op must not meet the zero
 * cotangent of a branch that is not taken. */
#ifndef TL_TRANSFORM_GUARD_H
#define TL_TRANSFORM_GUARD_H

#include "base/vec.h"
#include "ir/ir.h"
#include "transform/activity.h"

typedef struct tl_duplicate {
  tl_value value, original;
} tl_duplicate;

typedef struct tl_guards {
  bool *of;        /* by value: it is used where a branch is taken alone, and a partial on its way may be infinite */
  bool *unbounded; /* by value: it, or what it is made of, is the result of an op that may give what is no number */
  TL_VEC(tl_duplicate) duplicates;
} tl_guards;

/* Computes such values once more in the branches that use them. f is what the adjoint is about to be built of, with its
 * activity; where there are duplicates, that has to be found again. */
void tl__guard_run(tl_func *f, const tl_activity *, tl_arena *, tl_guards *out);
/* May what a cotangent that is 0 contributes to the operand of o, whose result is guarded, be no number? */
bool tl__guard_is_needed(const tl_guards *, const tl_func *, const tl_op *o, uint32_t which);
/* The adjoint is there: originals take the place of duplicates, in `values` too. */
void tl__guard_undo(tl_func *f, tl_arena *, const tl_guards *, uint32_t count, tl_value *values);

/* What of v, a product, is passed on where its cotangent may be the 0 of a branch that is not taken: 0 where all of
 * `zeros` are 0 and v is no number, else v. A test for 0 alone would lose what a cotangent that happens to be 0 has as
 * its tangent. */
tl_value tl__guard_unless_zero(tl_builder *, uint32_t count, const tl_value *zeros, tl_value v);

enum { TL_MOST_ZEROS = 8 };
/* Is o such a choice? How many values it tests, at most TL_MOST_ZEROS; else 0. */
uint32_t tl__guard_zeros(const tl_func *, const tl_op *o, tl_value *out_zeros);

#endif
