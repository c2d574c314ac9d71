/* Names in messages: which of several is nearest to one that is not there, and lists of them. */
#ifndef TL_BASE_NEAR_H
#define TL_BASE_NEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Starts as {.wrong = NAME}. */
typedef struct tl_near {
  const char *wrong;
  bool any_case;     /* letters that differ in case alone are equal */
  const char *best;  /* NULL: none is near */
  uint32_t distance; /* of the best: 0 where it is the name itself */
} tl_near;

/* Takes the candidate where it is nearer than all before, and says whether. At most a third of the name may differ; one
 * letter always may, but not the only one. */
bool tl_near_consider(tl_near *, const char *candidate);

/* "'n', 'w' and 'x'" */
const char *tl_names_quoted(tl_arena *, uint32_t count, const char *const names[]);

#endif
