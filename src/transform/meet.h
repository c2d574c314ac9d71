/* What fuse.c and shift.c share. Two ops that are to become one are brought together: what stands between them and does
 * not need the first goes before both, the rest after both. Value semantics allow it wherever the values allow it; to
 * keep updates in place, nothing that reads a version of an array is moved past what overwrites it. */
#ifndef TL_TRANSFORM_MEET_H
#define TL_TRANSFORM_MEET_H

#include "ir/ir.h"

typedef struct tl_meet_user {
  tl_op *op;         /* NULL: a yield of `region` */
  tl_region *region; /* where the use is */
  uint32_t index;
} tl_meet_user;

typedef TL_VEC(tl_meet_user) tl_meet_users;

typedef struct tl_meet {
  tl_func *func;
  tl_arena *scratch;
  tl_arena_mark base;   /* of the scratch arena when the pass began */
  tl_meet_users *users; /* by value */
  uint32_t value_count;
} tl_meet;

void tl__meet_init(tl_meet *, tl_func *, tl_arena *scratch);
/* After a change of the function: lists the users again. Nothing that was found so far holds any more, and what lies in
 * the scratch arena is gone. */
void tl__meet_refresh(tl_meet *);

/* One flag per value, in the scratch arena. */
bool *tl__meet_flags(const tl_meet *);
bool tl__meet_has_effect(const tl_meet *, const tl_op *);
bool tl__meet_reads_any(const tl_meet *, const tl_op *, const bool *of);
/* Marks the versions of arrays that the op overwrites. */
void tl__meet_mark_overwritten(const tl_meet *, const tl_op *, bool *gone);
/* Which of the ops of the region ahead of `at` that one needs, directly or through others. */
bool *tl__meet_needed_by(const tl_meet *, const tl_region *, uint32_t at);

/* Can the ops at `first` and `second` of the region stand side by side, where the second overwrites `gone`? Then
 * late[i - first] says which of the ops between come after both. The second may read the first's results. */
bool tl__meet_is_possible(const tl_meet *, const tl_region *, uint32_t first, uint32_t second, const bool *gone,
                          bool *late);
/* The region without the two ops, those between sorted; what was appended to it from `made` on stands where they meet.
 */
void tl__meet_reorder(tl_meet *, tl_region *, uint32_t first, uint32_t second, const bool *late, uint32_t made);

#endif
