/* Which storage a version of an array lies in. */
#ifndef TL_TRANSFORM_STORAGE_H
#define TL_TRANSFORM_STORAGE_H

#include "ir/ir.h"

/* The parameter, allocation, clone or call result that the chain of versions behind v starts with. */
tl_value tl__storage_root(const tl_func *, tl_value v);
/* The argument in whose storage the call leaves its result; TL_NO_VALUE where it returns that. */
tl_value tl__storage_of_result(const tl_func *, const tl_op *call, uint32_t result);
/* Flags for an array of derivatives beside v: those of saved values are saved values, and what grows has them grow. */
unsigned tl__storage_flags_beside(const tl_func *, tl_value v);

#endif
