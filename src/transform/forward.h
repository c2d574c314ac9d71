/* Forward mode on raw functions: scalars and arrays in, tangents out. derive.c gives the result its C signature. */
#ifndef TL_TRANSFORM_FORWARD_H
#define TL_TRANSFORM_FORWARD_H

#include "ir/ir.h"

typedef struct tl_forwarded tl_forwarded;

typedef struct tl_forward_spec {
  const char *name;
  const bool *wrt;  /* by leaf parameter of f: has a tangent parameter */
  const bool *want; /* by result of f: its tangent is wanted */
  /* Called when the parameters are there and the body is not: may complete the signature. NULL for none. */
  void (*sign)(void *ctx, const tl_forwarded *);
  void *ctx;
  bool only_sign; /* stop there: the body is not wanted */
  bool unit;      /* the tangents of wrt leaves, which are scalars, are 1: there are no parameters for them */
  uint32_t
      lanes; /* how many directions ride along, each tangent with an axis for them behind its own; 0: one, without */
} tl_forward_spec;

/* The generated function has f's leaf parameters, then, but for `unit`, a tangent parameter for each wrt leaf, then one
 * as storage for each wanted memory result whose leaf is not wrt. Its body yields nothing yet: the values to be yielded
 * stand here. */
struct tl_forwarded {
  tl_func *func;
  tl_builder b;         /* at the end of the body */
  tl_value *results;    /* by result of f */
  tl_value *dot_params; /* by leaf of f: the tangent parameter, input or storage */
  tl_value *dots;       /* by result of f: its tangent where wanted */
};

/* False with errors in the sink. The arrays lie in `arena`. */
bool tl__forward_run(tl_func *f, const tl_forward_spec *, tl_arena *arena, tl_forwarded *out);

/* Whether lanes may go through this call of f's. */
bool tl__forward_lanes_admit(const tl_func *f, const tl_op *call);

#endif
