/* The C signature of a generated function: seeds and results as parameters named after the primal's. */
#ifndef TL_TRANSFORM_SIGNATURE_H
#define TL_TRANSFORM_SIGNATURE_H

#include "ir/ir.h"

typedef struct tl_signer {
  tl_func *f, *h;    /* primal, generated: h has f's cparams and leaves in front */
  tl_builder b;      /* at the end of h's body */
  tl_arena *arena;
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
void tl__signer_add_leaf(tl_signer *, tl_value v, uint32_t cparam, const char *access, bool is_memory);
/* "$" to "(*$)", "$.x" to "$->x". */
const char *tl__signer_by_pointer(tl_signer *, const char *access);
/* Yields the final content `v` of the memory body parameter `param`. */
void tl__signer_yield_final(tl_signer *, tl_value param, tl_value v);
void tl__signer_yield_return(tl_signer *, tl_value v, const char *access);
/* A memory cell (a result by pointer) that ends as `v`. */
void tl__signer_store_cell(tl_signer *, uint32_t cparam, const char *access, const char *name, tl_value v);
/* Copies what is not floating of f's struct parameter into the result `cparam`: its initial content where `finals` is NULL,
 * else (by result of f, in h) its final one. */
void tl__signer_copy_inactive(tl_signer *, uint32_t like, uint32_t cparam, const tl_value *finals);
/* Puts leaves and results in the order of the body's parameters. Call last. */
void tl__signer_finish(tl_signer *);

/* "double" of "double @". */
const char *tl__declarator_type(tl_arena *, const char *declarator);

#endif
