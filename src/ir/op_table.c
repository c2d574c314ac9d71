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

#define TL__A4(k, n, l, m, o, p, q, r)                                                                                 \
  4, {                                                                                                                 \
    {TL_ATTR_##k, #n}, {TL_ATTR_##l, #m}, {TL_ATTR_##o, #p}, { TL_ATTR_##q, #r }                                       \
  }

const char *const tl_index_mode_words[] = {
    [TL_INDEX_CHECK] = "check", [TL_INDEX_CLIP] = "clip", [TL_INDEX_DROP] = "drop", [TL_INDEX_FILL] = "fill"};
const char *const tl_reducer_words[] = {[TL_REDUCE_ADD] = "add",
                                        [TL_REDUCE_MUL] = "mul",
                                        [TL_REDUCE_MIN] = "min",
                                        [TL_REDUCE_MAX] = "max",
                                        [TL_REDUCE_REPLACE] = "replace"};

const tl_op_info tl_op_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};
