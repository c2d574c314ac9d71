/* The rules of rules.def in the form that the matcher reads. */
#ifndef TL_TRANSFORM_PEEPHOLE_H
#define TL_TRANSFORM_PEEPHOLE_H

#include "ir/ir.h"

typedef enum tl_rule_types {
  TL_RULE_NUM,
  TL_RULE_INT,
  TL_RULE_SGN,
  TL_RULE_UNS,
  TL_RULE_FLT,
  TL_RULE_BIT,
  TL_RULE_WRD,
  TL_RULE_ANY
} tl_rule_types;
typedef enum tl_rule_licence { TL_RULE_EXACT, TL_RULE_ZERO_SIGN, TL_RULE_RANGE, TL_RULE_NO_WRAP } tl_rule_licence;
typedef enum tl_rule_guard {
  TL_RULE_ALWAYS,
  TL_RULE_LOSSLESS,
  TL_RULE_SAME_TYPE,
  TL_RULE_NEGATIVE,
  TL_RULE_POWER
} tl_rule_guard;

typedef struct tl_rule {
  const char *name;
  tl_rule_types types;
  tl_rule_licence licence;
  tl_rule_guard guard;
  const char *left, *right;
} tl_rule;

extern const tl_rule tl_rule_table[];
extern const uint32_t tl_rule_count;

typedef enum tl_pattern_kind {
  TL_PATTERN_VALUE,
  TL_PATTERN_CONST,
  TL_PATTERN_BIT,
  TL_PATTERN_NUMBER,
  TL_PATTERN_OP
} tl_pattern_kind;

enum { TL_PATTERN_NODES = 16, TL_PATTERN_VARIABLES = 8 };

typedef struct tl_pattern_node {
  tl_pattern_kind kind;
  uint32_t variable; /* 0..2 x y z, 3..5 c d e, 6..7 a b */
  double number;     /* -0 as written */
  tl_opcode code;
  uint32_t child[3], child_count;
} tl_pattern_node;

typedef struct tl_pattern {
  tl_pattern_node nodes[TL_PATTERN_NODES]; /* [0] is the root */
  uint32_t count;
} tl_pattern;

void tl__pattern_parse(const char *text, tl_pattern *out);
/* What one rule makes of the op, TL_NO_VALUE where it does not apply; the right side is built without further rules.
 * For the tests. */
tl_value tl__rule_apply(tl_builder *, uint32_t rule, tl_opcode, tl_dtype result, const tl_value *operands);
bool tl__rule_admits(tl_rule_types, tl_dtype);
/* Whether conversion from one type to the other keeps every value. */
bool tl__cvt_is_lossless(tl_dtype from, tl_dtype to);

#endif
