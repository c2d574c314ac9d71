/* Which storage a version of an array lies in. */
#ifndef TL_TRANSFORM_STORAGE_H
#define TL_TRANSFORM_STORAGE_H

#include "ir/ir.h"

/* The parameter, allocation, clone or call result that the chain of versions behind v starts with. */
tl_value tl__storage_root(const tl_func *, tl_value v);
/* Flags for an array of derivatives beside v: those of saved values are saved values, and what grows has them grow. */
unsigned tl__storage_flags_beside(const tl_func *, tl_value v);

#endif
