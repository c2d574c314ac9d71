/* Lowered functions against the same C compiled: every function that a file defines is run on random arguments, by the
 * interpreter and by a shared object, and results must agree to the bit. */
#ifndef TL_TESTS_LOWER_DIFFERENTIAL_H
#define TL_TESTS_LOWER_DIFFERENTIAL_H

#include "front/lower.h"
#include "front/parse.h"

typedef struct tl_differential_counts {
  uint32_t functions;
} tl_differential_counts;

/* How many functions failed; what failed is said on stderr. `only`: one function, or NULL. */
int tl_differential_run(const char *path, const char *include, const char *only, tl_differential_counts *);

/* Where set, it rewrites each lowered function before it is run. */
extern void (*tl_differential_prepare)(tl_func *);

#endif
