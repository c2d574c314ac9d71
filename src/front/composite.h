/* Ops that are made of others, at compile time: the library's own function runs on tensors that stand for values of the
 * program, and each op that it calls becomes one of the program's. */
#ifndef TL_FRONT_COMPOSITE_H
#define TL_FRONT_COMPOSITE_H

#include "front/tensor_call.h"
#include "ir/shape.h"

struct tl_tensor_object; /* tensor.h, which names things that files of the front name too */

typedef struct tl_composite_value {
  tl_tensor_type type;
  tl_value value; /* of a program that is being written; else TL_NO_VALUE */
} tl_composite_value;

/* One argument, by the letter that composites.def has for it. */
typedef struct tl_composite_argument {
  tl_composite_value x;
  const tl_composite_value *list;
  int list_count;
  tl_axes axes;
  int64_t integer;  /* letter i */
  double number;    /* letter f */
  tl_extent extent; /* letter n */
  tl_dtype dtype;
  const char *text;
  tl_extent dim[TL_MAX_RANK]; /* letter l, with the count in `integer` */
} tl_composite_argument;

typedef struct tl_composite_host {
  void *ctx;
  tl_arena *arena;
  /* An op of the program: its type and value, or the rule's refusal. */
  tl_status (*op)(void *ctx, tl_opcode, const tl_composite_value *operands, const tl_attr *, tl_dtype given,
                  tl_shape_rules *, tl_composite_value *out);
  /* (n*times + plus)/over, toward zero, of an extent that is a value. */
  tl_extent (*extent)(void *ctx, tl_extent n, int64_t times, int64_t plus, int64_t over);
  /* The value of a tensor of elements; the type is set already. False: there is none. */
  bool (*constant)(void *ctx, struct tl_tensor_object *, tl_composite_value *in_out);
} tl_composite_host;

/* What the composite's function returns, or its refusal with the message in the rules. Jumps only where there is no
 * memory. */
tl_status tl_composite_run(const tl_composite_host *, int composite, const tl_composite_argument *, tl_shape_rules *,
                           tl_composite_value *out);

#endif
