/* What tl_vmap(f, batch, x) batches, before the batched function is built. */
#ifndef TL_TRANSFORM_BATCH_H
#define TL_TRANSFORM_BATCH_H

#include "transform/derive_priv.h"

typedef struct tl_batch {
  tl_derive_ctx *d;
  tl_func *f;
  bool *is_batched;    /* by cparam of f */
  bool *is_needed;     /* by value of f: an extent depends on it */
  uint32_t *needed_by; /* by value of f: the leaf whose extent */
} tl_batch;

/* Checks the intrinsic's names and the extents; false with an error in the sink. The arrays lie in d's arena. */
bool tl__batch_find(tl_derive_ctx *d, tl_batch *out);
/* The names alone: then `is_needed` and `needed_by` are not set. */
bool tl__batch_find_params(tl_derive_ctx *d, tl_batch *out);
/* Does f write to the parameter? It is batched then in any case. */
bool tl__batch_is_written(const tl_func *f, uint32_t cparam);
/* Does the parameter hold anything that DXIR knows of? */
bool tl__batch_has_leaf(const tl_func *, uint32_t cparam);

/* The access of a leaf of one of many: "$[#].x" of "$->x", "$[#]" of "(*$)". */
const char *tl__batch_access(tl_arena *, const char *access);
/* The declarator of an array of `batch` such parameters. `extent`: of the axis that a pointer leads to, or that empty
 * brackets leave open; NULL where that is one object. */
const char *tl__batch_declarator(tl_arena *, const char *declarator, const char *batch, const char *extent);
/* Does the declarator leave the first extent to TL_LEN? */
bool tl__batch_is_open(const char *declarator);
const char *tl__batch_with_const(tl_arena *, const char *declarator);

#endif
