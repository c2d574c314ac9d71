/* What the adjoint reads of the forward sweep, and how it gets it: at hand, computed again, or saved.
 *
 * A *group* is a loop body with the branches inside it, but without the bodies of loops inside it; the function's body
 * with its branches is the root group. Each group is decided as a whole, inner groups first. In a mirror's *head*,
 * ahead of its adjoint ops, stand the loads of saved values and what is computed again. The root mirror's head is the
 * forward sweep. */
#ifndef TL_TRANSFORM_KEEP_H
#define TL_TRANSFORM_KEEP_H

#include "transform/reverse.h"
#include "transform/rewrite.h"

/* A value that is saved while the head of `provider` runs, where it is computed, and loaded in its own mirror's head.
 */
typedef struct tl_save {
  tl_value value;
  tl_mirror *provider;
  bool is_copied;  /* an array out of branches whose storage does not last, so that its content is copied */
  tl_value holder; /* a result that holds it where `store` put it, so that nothing else is stored; or TL_NO_VALUE */
  const tl_op *store;
  struct tl_thread *storage; /* this and what follows: saved.c */
  struct tl_thread
      *cursor; /* arrays of sizes that are not known ahead lie one behind the other: the next one's place */
  struct tl_thread *starts; /* and where each starts, by the nest's place; NULL where there is but one */
} tl_save;

typedef struct tl_keep {
  tl_adjoint *adjoint;
  tl_mirror **mirror_of; /* by primal value: the mirror of the region it belongs to, or NULL */
  tl_save **saved;       /* by primal value */
  tl_value *lasting; /* by primal value: an array that stands for it where it is read in the adjoint, see remake.c */
  tl_value
      *settled; /* by primal value, a load: the array that has the element after the loops around it, see remake.c */
  bool **head;  /* by mirror's index, by primal value: wanted in the mirror's head, nested ops included */
  TL_VEC(tl_save *) saves;
} tl_keep;

/* `roots`: primal values of the body that the generated function yields. */
tl_keep *tl__keep_plan(tl_adjoint *, uint32_t root_count, const tl_value *roots);

/* The innermost loop whose body or condition holds r; NULL at the function's level. */
tl_op *tl__enclosing_loop(const tl_region *r);
/* What stands for v where the head of the mirror of `at` reads it: v, or the array that lasts. */
tl_value tl__keep_stand_in(const tl_keep *, const tl_region *at, tl_value v);
/* The i-th operand of an op; of a primal op, what stands for it where the head of the mirror of `at` runs the op. */
tl_value tl__keep_operand(const tl_keep *, const tl_region *at, const tl_op *, uint32_t i);
/* True where the value is loaded, not computed, in the head of m. */
bool tl__keep_is_fetched(const tl_keep *, const tl_mirror *m, tl_value);

#endif
