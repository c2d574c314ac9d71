/* "did you mean": the nearest of several names to one that is not there. Starts as {.wrong = NAME}. */
#ifndef TL_BASE_NEAR_H
#define TL_BASE_NEAR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tl_near {
  const char *wrong;
  bool any_case;     /* letters that differ in case alone are equal */
  const char *best;  /* NULL: none is near */
  uint32_t distance; /* of the best: 0 where it is the name itself */
} tl_near;

/* Takes the candidate where it is nearer than all before, and says whether. At most a third of the name may differ; one
 * letter always may, but not the only one. */
bool tl_near_consider(tl_near *, const char *candidate);

#endif
