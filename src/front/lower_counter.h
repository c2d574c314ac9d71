/* Which loops count: `for (i = a; i < n; i += k)` and its kin, which become loops with bounds that are known ahead. */
#ifndef TL_FRONT_LOWER_COUNTER_H
#define TL_FRONT_LOWER_COUNTER_H

#include "front/lower_priv.h"

enum { MAX_CONJUNCTS = 8 };

/* How a loop counts: its variable goes from what it is, by `step`, while `rel bound` and all of `rest` hold. */
typedef struct tl_counting {
  const tl_decl *decl;
  tl_dtype iv; /* the type that the comparison is made in */
  tl_binary rel;
  const tl_expr *bound; /* NULL: bound_const */
  int64_t bound_const, step;
  int64_t ahead;   /* of `i + 1 < n`: 1 */
  bool down_first; /* `i-- > 0` and `--i > 0`: the first value is one less than i is now */
  bool meets;      /* `i != n`, `i--`: the bound is met, not passed */
  const tl_expr *rest[MAX_CONJUNCTS];
  uint32_t rest_count;
} tl_counting;

typedef struct tl_loop_form {
  const tl_stmt *stmt;
  const tl_expr *cond, *step; /* step: not of a counted loop */
  tl_stmt *const *body;
  uint32_t body_count;
  bool test_last;
  const tl_stmt *head; /* made by a goto: the label that it leads to; the end of the body leaves the loop */
} tl_loop_form;

/* Recognises a loop that counts; takes the step out of the form, and off the end of its body. */
bool tl__lower_counts(tl_lower *, tl_loop_form *, tl_counting *out);
/* hi, so that `iv < hi` (or `>`) says what the relation says. */
tl_value tl__lower_count_end(tl_lower *, const tl_counting *);
/* Does the bound end the loop, from where it starts (`from`) and with `hi` of tl__lower_count_end? `exits`: it may be
 * left otherwise. */
bool tl__lower_count_ends(const tl_lower *, const tl_counting *, tl_value from, tl_value hi, bool exits);

/* May the number behind the bound be none of the loop's signed type, though another exit ends the loop before that? */
bool tl__lower_count_widens(const tl_lower *, const tl_counting *, tl_value hi);

#endif
