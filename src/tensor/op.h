/* The eager ops by their opcodes, for what walks the IR. */
#ifndef TL_TENSOR_OP_H
#define TL_TENSOR_OP_H

#include "ir/ir.h"
#include "tlaloc/tensor.h"

/* An op of a row that is elementwise or about tensors. `attrs` as the row says, that of a SHAPE with numbers as
 * extents; `given` is the dtype of cvt. */
tl_tensor tl__tensor_op(tl_opcode, const tl_tensor *operands, const tl_attr *attrs, tl_dtype given);

/* Hands a count of a tensor to the innermost scope; releases it and returns NULL where there is no memory. */
tl_tensor tl__scope_add(tl_tensor);
/* Takes a tensor that belongs to the scope out of it, and releases it. */
void tl__scope_drop(tl_scope, tl_tensor);

#endif
