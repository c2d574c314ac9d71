/* Functions on tensors with one face: what is written through pointers is returned. */
#ifndef TL_TRANSFORM_BY_VALUE_H
#define TL_TRANSFORM_BY_VALUE_H

#include "ir/ir.h"

/* A copy of f with its leaves that returns each tensor that f leaves behind a pointer, in the place of that result; the
 * leaf is only read, where f reads it at all. Other memory is as it was. */
tl_func *tl__func_by_value(const tl_func *f, const char *name);

#endif
