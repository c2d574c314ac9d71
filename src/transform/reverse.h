/* Reverse mode on raw functions: scalars and arrays in, cotangents out. derive.c gives the result its C signature.
 *
 * The work is split as docs/design/reverse.md says: adjoint.c builds the transposed program, keep.c decides what of the
 * forward sweep it reads is computed again or saved, reverse.c writes the function out. */
#ifndef TL_TRANSFORM_REVERSE_H
#define TL_TRANSFORM_REVERSE_H

#include "ir/ir.h"
#include "transform/activity.h"
#include "transform/guard.h"

typedef enum tl_seed { TL_SEED_NONE, TL_SEED_ONE, TL_SEED_PARAM } tl_seed;

typedef struct tl_reversed tl_reversed;

typedef struct tl_reverse_spec {
  const char *name;
  const bool *wrt;      /* by leaf parameter of f */
  const tl_seed *seeds; /* by result of f */
  const bool *keep;     /* by result of f: the generated function computes it too */
  /* Called when the parameters are there and the body is not: may complete the signature. NULL for none. */
  void (*sign)(void *ctx, const tl_reversed *);
  void *ctx;
  bool only_sign;   /* stop there: the body is not wanted */
  const bool *adds; /* by leaf of f: its cotangent is added to what the storage holds. NULL: none */
} tl_reverse_spec;

/* The generated function has f's leaf parameters, then one per seed, then storage for the cotangent of each memory
 * leaf that is wrt. Where such a leaf is also a result seeded by a parameter (an in-out), both are one parameter. It
 * has no cparams beyond f's and no results yet: its body yields nothing, and the values to be yielded stand here. */
struct tl_reversed {
  tl_func *func;
  tl_builder b;          /* at the end of the body */
  tl_value *results;     /* by result of f; TL_NO_VALUE where not kept */
  tl_value *seed_params; /* by result of f */
  tl_value *bar_params;  /* by leaf of f: the storage parameter of a memory leaf */
  tl_value *bars;        /* by leaf of f: the cotangent: a scalar, or an array in its storage parameter */
};

/* False with errors in the sink. The arrays lie in `arena`. */
bool tl__reverse_run(tl_func *f, const tl_reverse_spec *, tl_arena *arena, tl_reversed *out);

/* ---- between adjoint.c, keep.c and reverse.c ---- */

/* An adjoint region and the primal region that it mirrors. */
typedef struct tl_mirror {
  tl_region *adjoint, *primal;
  tl_op *primal_op; /* NULL for the function's body */
  struct tl_mirror *outer;
  uint32_t index;
  bool is_loop;
  tl_value iv; /* loops: what stands for the primal's induction variable where the adjoint loop has the same bounds */
  tl_value counter; /* loops: else the iteration's number, from 0 */
  tl_value *map;    /* reverse.c: primal value to its copy in the head of the adjoint region */
} tl_mirror;

/* A function's ops in order of execution, as far as memory goes: calls, and what overwrites which storage. */
typedef struct tl_memory_event {
  tl_op *op;
  tl_value storage; /* that the op overwrites; TL_NO_VALUE: only a call */
} tl_memory_event;

/* The content of a memory argument ahead of a call that writes it. */
typedef struct tl_snapshot {
  const tl_op *call;
  uint32_t leaf;
  tl_value copy;
} tl_snapshot;

typedef struct tl_adjoint {
  tl_func *func;          /* primal ops, then adjoint ops, in one body; out-of-scope references from the latter */
  uint32_t primal_ops;    /* how many ops of the body are the primal's */
  uint32_t primal_values; /* ids below are the primal's */
  const tl_activity *activity;
  tl_arena *arena;
  tl_value *bar;               /* by primal value: its cotangent so far at the point of the adjoint being built */
  tl_value *bar_storage;       /* by leaf: memory parameter for its cotangent, or TL_NO_VALUE; cleared when used */
  const bool *adds;            /* by leaf: what that storage holds is part of the cotangent */
  TL_VEC(tl_mirror *) mirrors; /* outer before inner; [0] is the body */
  TL_VEC(tl_memory_event) events;
  TL_VEC(tl_snapshot) snapshots;
  tl_guards guards;
  tl_mirror *current;
  bool *live;              /* by value, after tl__adjoint_prune */
  bool *divisors;          /* by primal value: quotients by it multiply by its reciprocal */
  const tl_op *linearised; /* the op whose operands' cotangents are being built */
  const tl_op **known;     /* hash table of the primal's ops that are worth finding again; a power of two of places */
  uint32_t known_room;
  tl_builder b;
} tl_adjoint;

/* Adds copies of what calls overwrite to the primal. Comes before the count of its ops and values is taken. */
void tl__adjoint_take_snapshots(tl_adjoint *);
/* Does the function overwrite the memory of this parameter? Known once snapshots are taken. */
bool tl__adjoint_overwrites(const tl_adjoint *, tl_value param);
/* Has the builder of the adjoint find ops of the primal instead of building them again. */
void tl__adjoint_find_again(tl_adjoint *);
/* Appends the adjoint of the whole body; the bars of the results must be set before. False with errors in the sink. */
bool tl__adjoint_build(tl_adjoint *);
/* Finds what of the adjoint `roots` need and removes the other ops. Dead carries and dead results of branches stay, and
 * may refer to ops that are gone: their values are not `live`. */
void tl__adjoint_prune(tl_adjoint *, uint32_t count, const tl_value *roots);

#endif
