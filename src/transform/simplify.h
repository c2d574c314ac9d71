/* What simplify.c, loops.c, inductions.c, stores.c, zeros.c, signs.c and slices.c share: the state of one run. */
#ifndef TL_TRANSFORM_SIMPLIFY_H
#define TL_TRANSFORM_SIMPLIFY_H

#include "transform/rewrite.h"

typedef struct tl_simplify_fact {
  tl_value condition; /* of an enclosing branch */
  bool holds;
} tl_simplify_fact;

typedef struct tl_simplify {
  tl_rewrite rw;
  /* Uses of each value at the start of the round, and of those how many the walk has passed; what stands for another
   * value inherits its uses. Values made later in the round are beyond `counted`. */
  uint32_t *uses, *seen;
  uint32_t *dead;  /* how many of the uses make what nobody uses */
  uint32_t *loads; /* how many of the others load an element */
  tl_op **a_load;  /* one of those */
  bool *handed_on; /* whether a use overwrites the array or yields it */
  bool *zeros;     /* whether the array holds nothing but zeros */
  bool *signs;     /* whether -0 in it is told from 0; of all where `keeps_signs` */
  bool keeps_signs;
  uint32_t counted;
  TL_VEC(tl_simplify_fact) facts;
} tl_simplify;

void tl__simplify_set(tl_simplify *, tl_value from, tl_value to);
/* Appends the ops of a region that is spliced into another, each simplified on the way. */
void tl__simplify_splice(tl_simplify *, tl_region *into, tl_region *from);
void tl__simplify_region(tl_simplify *, tl_region *);
static inline bool tl__simplify_is_only_use(const tl_simplify *s, tl_value v) {
  return v < s->counted && s->uses[v] == 1;
}
/* Whether nothing that runs after the op at hand in `region` names v, which was made in that region or in one around it
 * of which `region` is a branch. */
bool tl__simplify_is_last_use(const tl_simplify *, tl_value v, const tl_region *region);

/* Whether the array is never handed on or stored into: all uses but `others` are loads. */
static inline bool tl__simplify_is_only_loaded(const tl_simplify *s, tl_value v, uint32_t others) {
  return v < s->counted && s->uses[v] - s->dead[v] == s->loads[v] + others;
}

static inline bool tl__simplify_holds_zeros(const tl_simplify *s, tl_value v) { return v < s->counted && s->zeros[v]; }

/* zeros.c: which arrays hold nothing but zeros; by value id. */
bool *tl__find_zeros(const tl_func *, tl_arena *scratch);

/* signs.c: of which values, and of the elements of which arrays, -0 is told from 0; by value id. */
bool *tl__find_signs(const tl_func *, tl_arena *scratch);

/* loops.c: the loop is appended to `into`, or what is left of it. Its operands are rewritten already. */
void tl__simplify_loop(tl_simplify *, tl_region *into, tl_op *);
/* loops.c: what stands for a carry in the condition, in the body and behind the loop. */
void tl__simplify_replace_carry(tl_simplify *, tl_op *loop, uint32_t carry, tl_value cond, tl_value body,
                                tl_value result);

/* inductions.c: carries that grow by a constant, of a loop just appended to `into`; the bound of a loop that is about
 * to be. */
void tl__simplify_inductions(tl_simplify *, tl_region *into, tl_op *loop);
void tl__simplify_bound(tl_simplify *, tl_region *into, tl_op *loop);

/* tensors.c: what stands for the result of an op on tensors about to be appended; TL_NO_VALUE where it stays. */
tl_value tl__simplify_tensor_op(tl_builder *, const tl_op *);

/* stores.c: what stands for the result of an index, update, fill, accumulate or clone about to be appended; TL_NO_VALUE
 * where the op stays, perhaps with another operand. */
tl_value tl__simplify_array_op(tl_simplify *, tl_builder *, tl_op *);

/* slices.c: where `array` is carried by a loop and nothing that earlier iterations stored can lie at these indices, the
 * array that the loop started with; else TL_NO_VALUE. */
tl_value tl__slice_initial(const tl_func *, tl_value array, uint32_t count, const tl_value *indices);
/* slices.c: drops the filling of arrays that the loop, just appended to `into`, overwrites without reading them. */
void tl__simplify_overwritten(tl_simplify *, tl_region *into, tl_op *loop);
/* slices.c: drops stores into arrays that are not read any more when the loop ends. */
void tl__simplify_last_stores(tl_simplify *, tl_op *loop);

#endif
