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
  bool *untouched;      /* by leaf of f: what it lies behind may be null, and it is no result; NULL: no leaf is so */
  tl_signer signer;
} tl_derive_ctx;

/* untouched.c. By leaf: does f neither read nor write it, which lies behind a pointer that is a member? */
bool *tl__find_untouched(tl_func *f, tl_arena *);
/* Notes the same of f, and of what it calls, with the leaves, which then are passed through as they came in. Before
 * they are tidied: what counts is what the text of a function uses. */
void tl__note_untouched(tl_func *f, tl_arena *);

bool tl__returns_float(const tl_func *);
bool tl__is_float_result(const tl_func *, uint32_t result);
/* By result: whether it is floating, and a seed by parameter for each that is. */
bool *tl__float_results(const tl_func *, tl_arena *);
tl_seed *tl__float_seeds(const tl_func *, tl_arena *);
/* Whether derivatives with respect to it exist: it holds something floating and is no output. */
bool tl__may_be_wrt(const tl_cparam *);
/* Adds every parameter that may be to `wrt`. */
void tl__add_all_wrt(tl_derive_ctx *);
/* f's returned value (if `value`) and final contents as results. */
void tl__sign_primal_results(tl_derive_ctx *, tl_signer *, bool value);

/* The signature of a transform of f on h, whose parameters are there (derive.c). */
void tl__sign_vjp(void *derive_ctx, const tl_reversed *);
void tl__sign_jvp(void *derive_ctx, const tl_forwarded *);

/* call.c: what stands for f where f itself is differentiated: f, or a function that only calls it where it has custom
 * rules, so that the rules serve. */
tl_func *tl__derive_through_rules(tl_module *, tl_func *f);

/* matrix.c */
tl_func *tl__derive_jacobian(tl_derive_ctx *);
tl_func *tl__derive_jacobian_reverse(tl_derive_ctx *);
tl_func *tl__derive_hessian(tl_derive_ctx *);
/* derive.c: tl_grad by one number of what would keep values of loops, or run calls again */
bool tl__gradient_goes_forward(const tl_derive_ctx *);
/* check.c */
tl_func *tl__derive_check_vjp(tl_derive_ctx *);
/* vmap.c */
tl_func *tl__derive_vmap(tl_derive_ctx *);
/* tensor_matrix.c: of functions that take or return tensors */
bool tl__is_on_tensors(const tl_func *);
tl_func *tl__derive_tensor_jacobian(tl_derive_ctx *);
tl_func *tl__derive_tensor_jacobian_reverse(tl_derive_ctx *);
tl_func *tl__derive_tensor_hessian(tl_derive_ctx *);
/* tensor_batch.c: of a function that has tensors among its parameters */
bool tl__has_tensor_params(const tl_func *);
tl_func *tl__derive_tensor_vmap(tl_derive_ctx *);
/* derive.c: "$->m[#].w" as it is written of parameter p: "p->m[i].w". */
const char *tl__spell_access(tl_arena *, const char *access, const char *name);
/* derive.c: EXTENT_UNKNOWN of the leaf's axis: the place that could state it is a parameter or a member. */
void tl__refuse_extent(const tl_derive_ctx *, uint32_t leaf, uint32_t axis);

#endif
