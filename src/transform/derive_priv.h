#ifndef TL_TRANSFORM_DERIVE_PRIV_H
#define TL_TRANSFORM_DERIVE_PRIV_H

#include "transform/derive.h"
#include "transform/forward.h"
#include "transform/reverse.h"
#include "transform/signature.h"

typedef struct tl_derive_ctx {
  tl_func *f;
  const tl_derivation *spec;
  tl_arena *arena;
  TL_VEC(uint32_t) wrt; /* cparams, in the order named */
  bool *wrt_leaf;       /* by leaf of f */
  tl_signer signer;
} tl_derive_ctx;

bool tl__returns_float(const tl_func *);
bool tl__is_float_result(const tl_func *, uint32_t result);
/* f's returned value (if `value`) and final contents as results. */
void tl__sign_primal_results(tl_derive_ctx *, tl_signer *, bool value);

/* The signature of a transform of f on h, whose parameters are there (derive.c). */
void tl__sign_vjp(void *derive_ctx, const tl_reversed *);
void tl__sign_jvp(void *derive_ctx, const tl_forwarded *);

/* call.c: what stands for f where f itself is differentiated: f, or a function that only calls it where it has custom rules,
 * so that the rules serve. */
tl_func *tl__derive_through_rules(tl_module *, tl_func *f);

/* matrix.c */
tl_func *tl__derive_jacobian(tl_derive_ctx *);
tl_func *tl__derive_jacobian_reverse(tl_derive_ctx *);
tl_func *tl__derive_hessian(tl_derive_ctx *);
/* check.c */
tl_func *tl__derive_check_vjp(tl_derive_ctx *);

#endif
