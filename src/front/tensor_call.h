/* What a C call of tensor.h means: which op, of which operands, told what. Both the check of types and the lowering
 * read calls here, and nothing else knows the functions by name. */
#ifndef TL_FRONT_TENSOR_CALL_H
#define TL_FRONT_TENSOR_CALL_H

#include "front/ast.h"

typedef enum tl_tensor_call_kind {
  TL_CALL_OP,          /* a row of the table */
  TL_CALL_COMPOSITE,   /* a row of composites.def */
  TL_CALL_CREATE,      /* tl_from, tl_wrap, tl_fill: of `dtype` and `shape` */
  TL_CALL_SCALAR_LIKE, /* rank 0, of the operand's dtype */
  TL_CALL_SAME,        /* tl_retain, tl_scope_keep, tl_scope_carry: the operand itself */
  TL_CALL_AS,          /* tl_as: the operand, of which `dtype`, `stated` and `shape` are stated */
} tl_tensor_call_kind;

enum { TL_CALL_MOST_OPERANDS = 16, TL_CALL_MOST_ARGUMENTS = TL_CALL_MOST_OPERANDS + TL_MAX_ATTRS };

typedef struct tl_composite_info {
  const char *name, *arguments;
} tl_composite_info;
extern const tl_composite_info tl_composite_table[];

typedef struct tl_tensor_call {
  tl_tensor_call_kind kind;
  const char *name; /* as messages have it: the row's, "fill", "as" */
  tl_opcode code;   /* OP */
  int composite; /* COMPOSITE: which; its arguments, where an array of tensors is the operands from `first_of_list` on
                  */
  int first_of_list;
  int operand_count;
  const tl_expr *operands[TL_CALL_MOST_OPERANDS];
  const tl_expr
      *attrs[TL_MAX_ATTRS]; /* OP: by the row; NULL of an option: it is 0, or where it is `hidden` not known */
  bool hidden[TL_MAX_ATTRS];
  const tl_expr *dtype; /* CREATE, AS, OP cvt */
  const tl_expr *shape; /* CREATE; AS: the numbers */
  const char *stated;   /* AS: the text of the type; NULL where it is not written out */
  /* By the number that a rule of types gives as `at`: operands in their order, then the attributes or the shape. */
  const tl_expr *arguments[TL_CALL_MOST_ARGUMENTS];
  int argument_count;
} tl_tensor_call;

/* False where it is no call of a function that makes one tensor of its arguments. */
bool tl_tensor_call_read(const tl_unit *, const tl_expr *, tl_tensor_call *out);

bool tl_ctype_is_tensor(const tl_ctype *);
/* The characters between the quotes of a string that is written out; NULL where it is none. */
const char *tl_attr_text(const tl_unit *, const tl_expr *);

/* The value of a constant expression in which const objects stand for what they are initialised with. */
bool tl_attr_integer(const tl_expr *, int64_t *out);
bool tl_attr_number(const tl_expr *, double *out);
/* TL_AXES(...), TL_ALL and the like, or a const object that is one; false where it is not known. */
bool tl_attr_axes(const tl_expr *, tl_axes *out);

/* TL_INTS(...), each number a constant; `storage` has room for TL_MAX_RANK. */
bool tl_attr_ints(const tl_expr *, int64_t *storage, tl_attr *out);

typedef struct tl_attr_dims {
  int rank;
  const tl_expr *dim[TL_MAX_RANK]; /* each may be constant or not; NULL: 0 */
  const tl_expr *of;               /* tl_shape_of(of): all that the tensor has, and no more is set here */
} tl_attr_dims;
/* TL_SHAPE(...), TL_SCALAR, tl_shape_of(x), or a const object that is one of the former; false where it is none. */
bool tl_attr_shape(const tl_expr *, tl_attr_dims *out);
/* tl_shape_of(x).dim[i] with a constant i. */
bool tl_attr_extent_of(const tl_expr *, const tl_expr **out_x, int64_t *out_axis);

#endif
