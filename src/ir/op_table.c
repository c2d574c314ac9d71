#include "ir/ir.h"

#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc)                                            \
  [TL_OP_##name] = {#name, doc, TL_CLASS_##class, arity, TL_OPERANDS_##operands, TL_RESULT_##result, true},
#define TL_STR(name, class, arity, doc)                                                                                \
  [TL_OP_##name] = {#name, doc, TL_CLASS_##class, arity, TL_OPERANDS_OTHER, TL_RESULT_OTHER, false},
#define TL_CTL(name, class, arity, doc) TL_STR(name, class, arity, doc)

const tl_op_info tl_op_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};
