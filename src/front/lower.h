/* From the syntax tree to DXIR. */
#ifndef TL_FRONT_LOWER_H
#define TL_FRONT_LOWER_H

#include "front/ast.h"
#include "ir/ir.h"

typedef struct tl_lower_opts {
  /* The DXIR function that an intrinsic called inside a lowered function names ("f__grad__x"); NULL with an error in
   * the sink. */
  tl_func *(*resolve_intrinsic)(void *ctx, const char *name, tl_loc);
  void *ctx;
} tl_lower_opts;

/* Lowers `function`; functions that it calls are inlined, recursive ones become DXIR functions of their own and
 * `call`s. Returns NULL with errors in the module's sink where C is met that has no meaning in DXIR. Lowering a
 * function twice gives the same DXIR function. */
tl_func *tl_lower_function(tl_module *, const tl_unit *, const tl_function *, const tl_lower_opts *);

#endif
