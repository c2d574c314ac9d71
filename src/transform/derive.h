/* One intrinsic applied to one DXIR function: checks the arguments, runs the transforms, gives the result the signature
 * that include/tlaloc/grad.h promises. Nested intrinsics are derivations applied one after another. */
#ifndef TL_TRANSFORM_DERIVE_H
#define TL_TRANSFORM_DERIVE_H

#include "base/intrinsic.h"
#include "ir/ir.h"

typedef struct tl_derivation {
  tl_intrinsic intrinsic;
  const char *name;       /* of the generated function: "f__grad__x" */
  uint32_t wrt_count;     /* 0: all differentiable parameters */
  const char *const *wrt; /* parameter names as spelled in f's definition; of VMAP the batch's name is the first, and
                             the parameters that are batched follow */
  tl_loc loc;             /* of the intrinsic */
  bool adds;       /* TL_INTRINSIC_VJP: cotangents of what f only reads through pointers are added to their storage */
  bool with_value; /* TL_INTRINSIC_HESSIAN of a function on tensors: f's value is returned too */
} tl_derivation;

/* The generated function, in f's module; NULL with errors in the module's sink. A function of that name made before is
 * returned again. */
tl_func *tl_derive(tl_module *, tl_func *f, const tl_derivation *);

/* What a call of `callee` inside a differentiated function becomes a call of (VALUE_AND_JVP or VJP): the derivative
 * with every parameter as wrt that holds an active leaf, a vjp that adds, or the callee's custom rule. Its leaves and
 * results say by their origins what they are to the callee. NULL with an error, placed at the call, in the sink. */
tl_func *tl__derive_for_call(tl_module *, tl_func *callee, tl_intrinsic, const bool *active_leaf, tl_loc);
/* Is this leaf of the vjp g storage that a cotangent is added to? */
bool tl__vjp_adds_to(const tl_func *g, uint32_t leaf);

/* The call of g with arguments for its leaves. A returned value has the type of what it is of `primal`, whose
 * derivative g is, or which it is itself; g may still be without its body. Parameters without leaves get what the call
 * `like` of the primal passes, or, without one, the caller's own. */
tl_op *tl__build_derived_call(tl_builder *, const tl_func *g, const tl_value *arguments, const tl_func *primal,
                              const tl_op *like);

#endif
