#ifndef GEN_SHRINK_H
#define GEN_SHRINK_H

#include "batch.h"

/* Cuts the decisions of a failing program down while the verdict stays; prints the least program found. */
int gen_shrink(const gen_options *, uint64_t seed, unsigned max_trials, FILE *out);

#endif
