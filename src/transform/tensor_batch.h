/* Batching of functions on tensors: one program for all examples. */
#ifndef TL_TRANSFORM_TENSOR_BATCH_H
#define TL_TRANSFORM_TENSOR_BATCH_H

#include "ir/ir.h"

/* f for a batch: a parameter that is `batched` (by leaf), and every result, has one more axis in front, called `axis`
 * (which may be NULL); a scalar becomes a tensor of rank 1. The others are shared by all examples. NULL with errors in
 * the sink; VMAP_NO_BATCHING_RULE names what cannot be batched. */
tl_func *tl__batch_run(tl_func *f, const char *name, const char *axis, const bool *batched);

#endif
