/* Activity: which values carry a derivative from the inputs of interest to the results of interest. */
#ifndef TL_TRANSFORM_ACTIVITY_H
#define TL_TRANSFORM_ACTIVITY_H

#include "ir/ir.h"

typedef struct tl_activity {
  bool *varied; /* by value: depends smoothly on a wrt leaf */
  bool *useful; /* by value: a seeded result depends smoothly on it */
} tl_activity;

/* `wrt` by leaf parameter, `seeded` by result. The arrays lie in `arena`. Returns false with errors in the module's
 * sink where an active value goes a way that has no derivative (ACTIVE_INTEGER, UNKNOWN_EXTERNAL). */
bool tl__activity_find(const tl_func *, const bool *wrt, const bool *seeded, tl_arena *, tl_activity *out_activity);

/* Warnings about a function of the user's: -Wtl-equality-branch. */
void tl__activity_warn(const tl_func *, const tl_activity *);

static inline bool tl_active(const tl_activity *a, tl_value v) { return a->varied[v] && a->useful[v]; }

#endif
