/* Between reverse.c, which writes the generated function, and saved.c, which writes and loads what is saved. */
#ifndef TL_TRANSFORM_WRITER_H
#define TL_TRANSFORM_WRITER_H

#include "transform/keep.h"

/* Something that the head of a provider hands on through loops and branches: a saved array, a variable, a cursor. */
typedef struct tl_thread {
  const tl_region *site; /* the primal region that writes it */
  tl_value current;
} tl_thread;

/* The place in the iteration space of a loop nest under one provider. */
typedef struct tl_nest {
  const tl_mirror *provider;
  const tl_op *loop;     /* the innermost loop */
  struct tl_nest *outer; /* the nest without it, or NULL */
  bool sized;            /* the loop's trip count, or a bound of it, is known ahead of the whole nest */
  bool rows;             /* one axis with recorded starts, against an axis per loop */
  tl_thread *cursor;     /* rows: how many places are taken */
  tl_thread *starts;     /* rows: where each run starts, by the outer nest's place */
  tl_value start;        /* rows: of the run at hand, while the provider's head is written */
} tl_nest;

typedef struct tl_writer {
  tl_adjoint *a;
  tl_keep *k;
  tl_func *h;
  tl_builder b;
  tl_value *adjoint_map; /* adjoint value to the new function's */
  tl_value *counter;     /* by a primal loop's induction variable: iteration number in the copy being written */
  TL_VEC(tl_thread *) threads;
  TL_VEC(tl_nest *) nests;
} tl_writer;

static inline tl_value_info *tl__writer_primal(const tl_writer *w, tl_value v) { return &w->a->func->values.data[v]; }

/* What stands in the new function for v, as the adjoint region of mirror m (or the forward sweep, m being the root)
 * sees it. */
tl_value tl__writer_lookup(const tl_writer *, const tl_mirror *m, tl_value v);
/* The same of an index that m's head computes, made here where it is not there yet. */
tl_value tl__writer_bring(tl_writer *, tl_mirror *m, tl_value v);
/* The same for a value of the primal; TL_NO_VALUE where nothing stands for it there. */
tl_value tl__writer_find(const tl_writer *, const tl_mirror *m, tl_value v);
void tl__writer_keep_name(tl_writer *, tl_value made, const char *name);

/* ---- saved.c ---- */

/* Makes what is threaded through primal op `o` of the provider m's own region and is not there yet. */
void tl__saved_begin(tl_writer *, const tl_mirror *m, const tl_op *o);
/* Ahead of and behind the copy `made` of a loop in the head of m: where its run starts, how many places it took. */
void tl__saved_enter_loop(tl_writer *, const tl_mirror *m, const tl_op *loop);
void tl__saved_leave_loop(tl_writer *, const tl_mirror *m, const tl_op *loop, const tl_op *made);
/* Stores v, which the head of m just computed, where the plan saves it. */
void tl__saved_store(tl_writer *, const tl_mirror *m, tl_value v);
/* Loads v into the head of m. */
void tl__saved_load(tl_writer *, tl_mirror *m, tl_value v);

#endif
