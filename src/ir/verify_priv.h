/* What the verifier's two files share: verify.c walks and checks what holds for every op and function, verify_op.c the
 * rules of each op. */
#ifndef TL_IR_VERIFY_PRIV_H
#define TL_IR_VERIFY_PRIV_H

#include "ir/ir.h"

typedef struct tl_verifier {
  const tl_func *func;
  unsigned char *state;     /* by value: one of the states in verify.c */
  uint32_t condition_depth; /* > 0 inside a loop's condition */
  uint32_t errors;
} tl_verifier;

/* `op` NULL: the rule is about the function itself. */
void tl__verify_fail(tl_verifier *, const tl_op *op, const char *rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *tl__type_text(const tl_verifier *, tl_type);

/* Extents agree unless both are fixed and differ, names unless both are there and differ: what is known of one value's
 * shape may differ from place to place. */
bool tl__types_agree(tl_type, tl_type);

static inline bool tl__value_exists(const tl_func *f, tl_value x) { return x != TL_NO_VALUE && x < f->values.count; }
static inline bool tl__is_scalar_of(tl_type t, tl_dtype d) { return tl_is_scalar(t) && t.dtype == d; }
static inline bool tl__is_integer_scalar(tl_type t) {
  return tl_is_scalar(t) && t.dtype != TL_BOOL && !tl_dtype_is_float(t.dtype);
}

/* The rules of an op but for its regions; operands and results are known to be sound. */
void tl__verify_op(tl_verifier *, const tl_op *);
/* Those of its regions' parameters and yields, whose values may not be sound. */
void tl__verify_regions(tl_verifier *, const tl_op *);

#endif
