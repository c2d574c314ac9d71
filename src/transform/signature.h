/* The C signature of a generated function: seeds and results as parameters named after the primal's. */
#ifndef TL_TRANSFORM_SIGNATURE_H
#define TL_TRANSFORM_SIGNATURE_H

#include "ir/ir.h"

/* What a result will be. The signature is complete before the body is built, so that a body may call its own function.
 */
typedef enum tl_promise_kind {
  TL_PROMISE_PRIMAL,   /* f's result `index` */
  TL_PROMISE_DERIVED,  /* the transform's value `index` */
  TL_PROMISE_ARGUMENT, /* the content of f's leaf `index` at entry */
} tl_promise_kind;

typedef struct tl_promise {
  tl_promise_kind kind;
  uint32_t index;
  tl_value
      storage; /* memory that the content goes to (a cell, or an inactive array), or TL_NO_VALUE: it is there already */
} tl_promise;

typedef struct tl_signer {
  tl_func *f, *h; /* primal, generated: h has f's cparams and leaves in front */
  tl_arena *arena;
  TL_VEC(tl_promise) promises; /* by result of h */
} tl_signer;

/* "x_bar" or, where that is taken, "x_bar_2" and so on. */
const char *tl__signer_name(tl_signer *, const char *base, const char *suffix);
/* A parameter of the declarator of f's parameter `like`: by value, as it is, or by pointer. */
uint32_t tl__signer_add_like(tl_signer *, uint32_t like, const char *suffix, tl_role role, bool as_result);
/* One for f's returned value: by value (a seed), or by pointer (a result). */
uint32_t tl__signer_add_for_return(tl_signer *, const char *suffix, bool as_result);
/* A parameter with a declarator of its own ('@' for the name). */
uint32_t tl__signer_add(tl_signer *, const char *name, const char *declarator, tl_role role);
/* Ties body parameter `v` to an access of a C parameter. */
void tl__signer_add_leaf(tl_signer *, tl_value v, uint32_t cparam, const char *access, bool is_memory, tl_origin,
                         uint32_t origin_index);
/* The leaf added last lies behind the pointers and const members that the primal's leaf lies behind. */
void tl__signer_lies_like(tl_signer *, const tl_param *like);
/* Where "$->a.b[#]" spells the member, and how long that is: "a.b"; 0 where the leaf is the parameter itself. */
const char *tl__access_member(const char *access, int *out_length);
/* "$" to "(*$)", "$.x" to "$->x". */
const char *tl__signer_by_pointer(tl_signer *, const char *access);
/* Results of h: the final content of the memory body parameter `param`, or the returned value (or a member of it). */
void tl__signer_final(tl_signer *, tl_value param, tl_promise_kind, uint32_t index);
void tl__signer_return(tl_signer *, const char *access, tl_promise_kind, uint32_t index);
/* A result by pointer: memory that ends as the scalar or array of that type. */
void tl__signer_cell(tl_signer *, uint32_t cparam, const char *access, tl_type, tl_promise_kind, uint32_t index);
/* What is not floating of f's struct parameter goes into the result `cparam`: as at entry, or as f leaves it. Not what
 * is `untouched`, by leaf of f, or NULL. */
void tl__signer_copy_inactive(tl_signer *, uint32_t like, uint32_t cparam, const bool *untouched, bool final);
/* Puts leaves and results in the order of the body's parameters: the signature is complete. */
void tl__signer_finish(tl_signer *);
/* Ends the body at `b`: yields what was promised. `primal` is by result of f, `derived` as the transform numbers it. */
void tl__signer_yield(tl_signer *, tl_builder *b, const tl_value *primal, const tl_value *derived);

/* An extent of a parameter of h as C text over h's parameters, to stand in brackets; NULL where it is no expression
 * over them. */
const char *tl__signer_extent_text(const tl_func *h, tl_value);
/* "double" of "double @". */
const char *tl__declarator_type(tl_arena *, const char *declarator);

#endif
