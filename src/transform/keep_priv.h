/* Shared by keep.c, which decides what is saved, and remake.c, which says what can be computed again. */
#ifndef TL_TRANSFORM_KEEP_PRIV_H
#define TL_TRANSFORM_KEEP_PRIV_H

#include "transform/keep.h"

typedef struct use {
  const tl_op *op; /* NULL: a yield of `region` */
  const tl_region *region;
  uint32_t index;
} use;

typedef TL_VEC(use) use_list;

typedef struct pending {
  tl_mirror *mirror;
  tl_value value;
} pending;

typedef struct tl_planner {
  tl_keep *k;
  tl_adjoint *a;
  tl_func *f;
  tl_arena *arena;
  bool *need;               /* by primal value: wanted in the head of mirror_of[value] */
  use_list *uses;           /* by primal value */
  signed char *overwritten; /* by primal value: 0 not known, 1 no, 2 yes */
  signed char *rebuildable; /* by primal array, in its own region: likewise */
  TL_VEC(pending) work;
  bool *copied;  /* by primal array: saved as a whole, so that loops inside its loop read the copy */
  bool *follows; /* by value, the adjoint's too: needs a loop's results; all clear between loops */
  TL_VEC(tl_value) followers;
  const tl_op *group; /* the loop whose group is being decided */
  bool group_decided;
} tl_planner;

/* What computing values again needs. */
typedef struct tl_closure {
  tl_planner *p;
  const tl_region *at; /* the region whose head it runs in */
  const tl_op *stop;   /* values of this loop's group are not expanded but listed */
  bool *seen;          /* by value; only what `touched` lists is set */
  TL_VEC(tl_value) touched;
  TL_VEC(tl_value) inputs; /* of the group or outside `at` */
  bool possible;
} tl_closure;

static inline tl_region *tl__keep_region(const tl_planner *p, tl_value v) { return p->f->values.data[v].region; }
static inline const tl_op *tl__keep_group(const tl_planner *p, tl_value v) {
  return tl__enclosing_loop(tl__keep_region(p, v));
}
static inline bool tl__keep_is_array(const tl_planner *p, tl_value v) { return p->f->values.data[v].type.is_array; }

/* Fill uses, lasting and settled. */
void tl__keep_find_uses(tl_planner *, const tl_region *, uint32_t count);
void tl__keep_find_lasting(tl_planner *);
void tl__keep_find_settled(tl_planner *);
/* The result of a loop that still holds the number, at the place where *out_store puts it; TL_NO_VALUE for none. */
tl_value tl__keep_find_holder(tl_planner *, tl_value, const tl_op **out_store);
/* Can the array leave the branches that it stands in? */
bool tl__keep_is_exportable(tl_planner *, tl_value);
/* Can the head of the mirror of region `at` load from version v? */
bool tl__keep_is_readable(tl_planner *, tl_value v, const tl_region *at);
/* Can the head of the mirror of `at` make the array again, scalars of the group being at hand? */
bool tl__keep_is_rebuildable(tl_planner *, tl_value v, const tl_region *at);
/* Everything that computing `count` values of loops nested in the group needs, down to values of the group. */
void tl__keep_close(tl_closure *, uint32_t count, const tl_value *values);
/* Can the arrays of the group that the closure starts from be made again? */
bool tl__keep_inputs_are_rebuildable(tl_closure *);

#endif
