/* What every pass that rewrites a function in place needs: a map from replaced values to what stands for them, ways to
 * walk regions, use counts, and the removal of loop carries and branch results. */
#ifndef TL_TRANSFORM_REWRITE_H
#define TL_TRANSFORM_REWRITE_H

#include "ir/ir.h"

/* The replacements of one pass. A value that was never set stands for itself. */
typedef struct tl_rewrite {
  tl_func *func;
  tl_arena *scratch; /* not the function's own arena */
  tl_value *map;     /* by value id */
  uint32_t room;
  bool changed; /* set by tl__rewrite_set and by whoever changes an op */
} tl_rewrite;

void tl__rewrite_init(tl_rewrite *, tl_func *, tl_arena *scratch);
/* What stands for v now; follows chains and shortens them. */
tl_value tl__rewrite_get(tl_rewrite *, tl_value v);
/* From now on `to` stands for `from`; both may be results of earlier replacements. */
void tl__rewrite_set(tl_rewrite *, tl_value from, tl_value to);
/* Whether something else stands for v. */
bool tl__rewrite_is_set(tl_rewrite *, tl_value v);
/* Replaces the op's operands and the extents in its results' types; an extent that became constant is fixed, and an
 * alloc loses that operand. */
void tl__rewrite_op(tl_rewrite *, tl_op *);
/* The extents of the parameters' types. Those of the function's own parameters may be computed in its body: a pass
 * comes back to them at its end. */
void tl__rewrite_params(tl_rewrite *, tl_region *);
void tl__rewrite_yields(tl_rewrite *, tl_region *);
/* All of the above for a region and what lies in it, and the function's own. */
void tl__rewrite_region(tl_rewrite *, tl_region *);

/* Takes the ops out of a region, which is empty afterwards; the array is the scratch arena's. */
tl_op **tl__region_take(tl_arena *scratch, tl_region *, uint32_t *out_count);
/* Appends an op that lay elsewhere: its parent and its results' region change. */
void tl__region_append(tl_func *, tl_region *, tl_op *);

/* Whether `outer` is `inner` or lies around it. */
bool tl__region_contains(const tl_region *outer, const tl_region *inner);
/* Whether `inner` is one of the op's regions or lies in one. */
bool tl__op_contains(const tl_op *, const tl_region *inner);
/* Whether a value may be named in `region` by the rules of scope (order within one region is not looked at). */
bool tl__value_visible(const tl_func *, tl_value, const tl_region *region);

/* Calls visit for every op of the region, outer before inner, in order. */
void tl__region_each_op(const tl_region *, void (*visit)(void *, tl_op *), void *ctx);
/* How often each value is an operand or a yield (extents in types do not count); by value id, room for all values. */
uint32_t *tl__use_counts(const tl_func *, tl_arena *scratch);
/* How often v is one in the region and what lies in it, from op number `from` on. */
uint32_t tl__uses_in(const tl_region *, uint32_t from, tl_value v);
/* How many of these uses load an element of the array, and one of the ops that do. */
uint32_t *tl__load_counts(const tl_func *, tl_arena *scratch, tl_op ***out_a_load);
uint32_t tl__op_count(const tl_region *); /* nested ops included */

/* Removes the carries of a loop (the results of an if) whose `keep` is false. The op stays where it is and gets new
 * result ids; the rewrite learns them. A removed parameter or result must have no use left that the rewrite does not
 * replace. */
void tl__loop_keep_carries(tl_rewrite *, tl_op *, const bool *keep);
void tl__if_keep_results(tl_rewrite *, tl_op *, const bool *keep);

/* Whether both are the same value, or constants of one type with the same bits. */
bool tl__same_value(const tl_func *, tl_value, tl_value);
/* How often a loop between constants runs at most. */
bool tl__loop_const_bound(const tl_func *, const tl_op *, uint64_t *out);
/* The trip count where it is known: lo, hi are constants and there is no condition, or nothing runs whatever the
 * condition. */
bool tl__loop_const_trips(const tl_func *, const tl_op *, int64_t *out);
bool tl__op_is_commutative(tl_opcode);
/* Whether an op of this kind may be left out or run once more: no effect of its own (calls are looked into). */
bool tl__op_is_pure(const tl_func *, const tl_op *);

/* Whether the op overwrites the storage of this operand. */
bool tl__op_overwrites(const tl_func *, const tl_op *, uint32_t operand);

/* How two indices relate. */
typedef enum tl_index_relation { TL_INDEX_UNKNOWN, TL_INDEX_SAME, TL_INDEX_DIFFERENT } tl_index_relation;
tl_index_relation tl__index_compare(const tl_func *, tl_value, tl_value);
/* An axis of an array: index `at` of a load or store; or, with `m`, a digit of its one index high * m + low. */
typedef struct tl_axis {
  uint32_t at;
  tl_value m;
  bool is_low;
} tl_axis;
/* The axes of the array that a load or store has to do with, at most TL_MAX_AXES; and its index on one, or
 * TL_NO_VALUE. */
enum { TL_MAX_AXES = TL_MAX_RANK + 8 };
uint32_t tl__index_axes(const tl_func *, const tl_op *, tl_axis out[TL_MAX_AXES]);
tl_value tl__index_on(const tl_func *, const tl_op *, const tl_axis *);
/* -1 where the first index is less, 1 where it is more, for certain; else 0. */
int tl__index_order(const tl_func *, tl_value, tl_value);
/* Whether v is at least, or at most, base + *out_offset by the bounds of the loops that count it. Without a base, the
 * number alone. */
bool tl__index_bound(const tl_func *, tl_value v, tl_value base, bool most, int64_t *out_offset);
/* What v is a sum of beside a number, conversions apart; TL_NO_VALUE where it is a number. */
tl_value tl__index_base(const tl_func *, tl_value v);
/* SAME where every index is the same, DIFFERENT where one pair differs for sure. */
tl_index_relation tl__indices_compare(const tl_func *, uint32_t count, const tl_value *, const tl_value *);
/* An integer as a value plus an offset, in wrapping arithmetic of its type; a constant is an offset from no value. */
tl_value tl__index_split(const tl_func *, tl_value, int64_t *out_offset);
/* Whether an index is iv + c or c - iv for some c that does not change in the loop: another one in every iteration.
 * is_accessed: every iteration accesses an element with this index. */
bool tl__index_is_injective(const tl_func *, tl_value index, tl_value iv, const tl_region *body, bool is_accessed);
/* Whether a conversion of a loop's induction variable, which runs upward from 0 or more, keeps its values where they
 * are indices. */
bool tl__cvt_keeps_counter(const tl_func *, const tl_op *cvt, const tl_op *loop);

/* slices.c: the array from which a load in the loop's body may as well be done ahead of the loop, TL_NO_VALUE where a
 * store of the loop may come between. The indices have to be in scope there. */
tl_value tl__load_before_loop(const tl_func *, const tl_op *loop, const tl_op *load);
/* slices.c: whether constants and the bounds of the loops around say that the element exists. */
bool tl__load_is_in_bounds(const tl_func *, const tl_op *load);

/* slices.c: calls visit for all loads and stores of the carried array's versions in the loop's body; false where the
 * body does anything else with them. */
bool tl__loop_accesses(const tl_func *, const tl_op *loop, uint32_t carry, void (*visit)(void *, const tl_op *),
                       void *ctx);

/* slices.c: whether no iteration of the loop sees what another one stored in the carried array. */
bool tl__loop_iterations_are_apart(const tl_func *, const tl_op *loop, uint32_t carry);

/* slices.c: whether the loop stores to every element of the carried array and reads none of it. */
bool tl__loop_overwrites(const tl_func *, const tl_op *loop, uint32_t carry);
/* stores.c: whether the array's storage was made in this function, so that a store into it is nobody else's affair.
 * `depth` bounds how many branches are looked through. */
bool tl__is_own_storage(const tl_func *, tl_value array, int depth);

#endif
