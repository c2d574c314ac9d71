#include "ir/ir.h"

#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc)                                            \
  [TL_OP_##name] = {#name, doc, TL_CLASS_##class, arity, TL_OPERANDS_##operands, TL_RESULT_##result, true,             \
                    false, 0,   {{0, 0}}},
#define TL_STR(name, class, arity, doc)                                                                                \
  [TL_OP_##name] = {#name, doc, TL_CLASS_##class, arity, TL_OPERANDS_OTHER, TL_RESULT_OTHER, false, false, 0, {{0, 0}}},
#define TL_CTL(name, class, arity, doc) TL_STR(name, class, arity, doc)
#define TL_TEN(name, class, arity, attributes, doc)                                                                    \
  [TL_OP_##name] = {#name, doc, TL_CLASS_##class, arity, TL_OPERANDS_OTHER, TL_RESULT_OTHER, false, true, attributes},
#define TL__A0                                                                                                         \
  0, {{0, 0}}
#define TL__A1(k, n)                                                                                                   \
  1, {                                                                                                                 \
    {                                                                                                                  \
      TL_ATTR_##k, #n                                                                                                  \
    }                                                                                                                  \
  }
#define TL__A2(k, n, l, m)                                                                                             \
  2, {                                                                                                                 \
    {TL_ATTR_##k, #n}, { TL_ATTR_##l, #m }                                                                             \
  }
#define TL__A3(k, n, l, m, o, p)                                                                                       \
  3, {                                                                                                                 \
    {TL_ATTR_##k, #n}, {TL_ATTR_##l, #m}, { TL_ATTR_##o, #p }                                                          \
  }

const char *const tl_index_mode_words[] = {
    [TL_INDEX_CHECK] = "check", [TL_INDEX_CLIP] = "clip", [TL_INDEX_DROP] = "drop", [TL_INDEX_FILL] = "fill"};

const tl_op_info tl_op_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};
