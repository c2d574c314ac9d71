#ifndef TL_TRANSFORM_FOLD_H
#define TL_TRANSFORM_FOLD_H

#include "ir/ir.h"

/* The op of constants as a new constant; TL_NO_VALUE where an operand is none or the op is not folded. */
tl_value tl__fold(tl_builder *, tl_opcode, tl_dtype result, const tl_value *operands);

#endif
