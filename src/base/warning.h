/* The names of warnings: those that are only ever warnings, and those that refusals have under --no-strict-lowering. */
#ifndef TL_BASE_WARNING_H
#define TL_BASE_WARNING_H

#include "base/arena.h"
#include "tlaloc/tlaloc.h"

/* Name as an identifier and as it is spelled, whether it is on by default, meaning. */
#define TL_WARNING_MAP(X)                                                                                              \
  X(tl_array_copy, "tl-array-copy", true, "an array is copied inside a loop")                                          \
  X(tl_equality_branch, "tl-equality-branch", false, "a branch on equality of active values")

/* Does --no-strict-lowering make a warning of it? */
bool tl_status_may_warn(tl_status);
/* "tl-active-integer" for TL_ACTIVE_INTEGER: the name under which it then warns. */
const char *tl_status_warning(tl_arena *, tl_status);
/* The status that warns under that name; TL_OK where none does. */
tl_status tl_warning_status(const char *name);

/* One of TL_WARNING_MAP, or what a status warns under? */
bool tl_warning_is_known(const char *name);
bool tl_warning_is_on(const char *name); /* by default */

#endif
