/* The passes: each rewrites a function in place. A pass keeps what it works with apart from the function: `scratch` is
 * another arena than the function's, and is rewound. */
#ifndef TL_TRANSFORM_TRANSFORM_H
#define TL_TRANSFORM_TRANSFORM_H

#include "ir/ir.h"

/* simplify.c: rewrites until nothing changes: folding and the rules of rules.def, loop carries that do not
 * change, loops and branches with constant conditions, stores forwarded to loads. Never merges two parameters. */
void tl__simplify_run(tl_func *, tl_arena *scratch);
/* peephole.c: the rules of rules.def for one op about to be built; TL_NO_VALUE where none applies. Fits
 * tl_builder.peephole. */
tl_value tl__simplify_peephole(tl_builder *, tl_opcode, tl_dtype result, const tl_value *operands);
/* cse.c: common subexpressions, dominance-aware over nested regions; loads by array version. */
void tl__cse_run(tl_func *, tl_arena *scratch);
/* dce.c: removes ops without effect whose results are unused, dead loop carries and if results included. */
void tl__dce_run(tl_func *, tl_arena *scratch);
/* hoist.c: moves what does not change in a loop before it: arithmetic that is safe to run in vain, and loads from loops
 * that run for sure. */
void tl__hoist_run(tl_func *, tl_arena *scratch);
/* reuse.c: a new array takes the storage of one that dies where it is made, element for element. */
void tl__reuse_run(tl_func *, tl_arena *scratch);
/* sink.c: a new array that one branch alone uses is made there. */
void tl__sink_run(tl_func *, tl_arena *scratch);
/* scalars.c: small local arrays that only constants index become scalars. */
void tl__scalars_run(tl_func *, tl_arena *scratch);
/* copies.c: loads of a copy that is only read load from the original. */
void tl__copies_run(tl_func *, tl_arena *scratch);
/* fuse.c: reversed loops whose order does not matter run forward, loops over the same range and branches on the same
 * condition become one, and so do calls and their vjps. */
void tl__fuse_run(tl_func *, tl_arena *scratch);
bool tl__fuse_calls(tl_func *, tl_arena *scratch); /* calls and their vjps alone; whether there were any */
/* shift.c: loops over nearly one range, of which the second reads what the first stores, become one. */
void tl__shift_run(tl_func *, tl_arena *scratch);
bool tl__shift_all(tl_func *, tl_arena *scratch); /* the same; whether there were any */
/* views.c: parts of arrays in calls are passed where they lie, not as copies. For functions that are only emitted from
 * now on: no other pass knows of it. */
void tl__views_run(tl_func *, tl_arena *scratch);
/* pipeline.c: every pass of these, and the pipeline itself, by the name of its file. */
typedef struct tl_pass {
  const char *name;
  void (*run)(tl_func *, tl_arena *scratch);
} tl_pass;
extern const tl_pass tl_passes[];
extern const uint32_t tl_pass_count;
const tl_pass *tl_pass_find(const char *name); /* NULL where there is none */
/* pipeline.c: what generated functions go through: all of these, some more than once. */
void tl__pipeline_run(tl_func *, tl_arena *scratch);
/* pipeline.c: what a primal goes through before it is differentiated. */
void tl__tidy_run(tl_func *, tl_arena *scratch);

/* Of this thread: called after each pass of the pipeline, and with "derive" before the first. */
typedef struct tl_pipeline_watch {
  void (*seen)(void *ctx, const char *pass, const tl_func *);
  void *ctx;
} tl_pipeline_watch;
void tl__pipeline_set_watch(tl_pipeline_watch);
bool tl__pipeline_has_pass(const char *name);

#endif
