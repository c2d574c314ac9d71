/* What a graph is, for the files of this folder and for engines. */
#ifndef TL_CAPTURE_GRAPH_H
#define TL_CAPTURE_GRAPH_H

#include <stdatomic.h>

#include "ir/ir.h"
#include "tlaloc/capture.h"

typedef enum tl_graph_param_kind {
  TL_GRAPH_INPUT,
  TL_GRAPH_CONSTANT, /* a tensor with elements, which the graph retains */
  TL_GRAPH_MASK,     /* tl_valid_mask of an extent */
  TL_GRAPH_LENGTH    /* tl_valid_length of one */
} tl_graph_param_kind;

/* A parameter of the function, in its order. */
typedef struct tl_graph_param {
  tl_graph_param_kind kind;
  tl_spec spec; /* with TL_SYM and TL_BOUNDED extents as the capture was given them; a name where it is an input */
  tl_tensor constant;
  int64_t extent; /* MASK, LENGTH: of which */
} tl_graph_param;

/* Immutable once it is made. The function has a tensor by value per parameter and returns its outputs: no memory, no
 * calls. */
struct tl_graph {
  atomic_uint references;
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
  tl_func *func;
  TL_VEC(tl_graph_param) params;
  tl_spec *outputs;
  uint32_t input_count, op_count;
};

/* ---- extents ---- */

enum { TL_GRAPH_MOST_SYMBOLS = 32768 }; /* those from here on are computed extents */
static inline bool tl__extent_is_symbol(int64_t e) { return e < -1; }
static inline int64_t tl__extent_symbol(int64_t e) { return -(e + 2) % 67108864; }
static inline bool tl__extent_is_bounded(int64_t e) { return tl__extent_is_symbol(e) && -(e + 2) >= 67108864; }
static inline int64_t tl__extent_bound(int64_t e) { return -(e + 2) / 67108864 - 1048576; }

/* ---- inputs: inputs.c ---- */

/* What an extent is in a run; of a bounded one, how much of it is valid. */
typedef struct tl_valid_extent {
  int64_t extent, valid; /* TL_SYM or TL_BOUNDED, and the number */
} tl_valid_extent;
/* -1 where it is not among them. */
int64_t tl__valid_of(size_t count, const tl_valid_extent *, int64_t extent);

/* What the inputs checked so far gave to symbols. */
typedef struct tl_input_sizes {
  size_t count;
  tl_valid_extent *all;
} tl_input_sizes;
tl_status tl__input_sizes_init(tl_input_sizes *, size_t inputs);
void tl__input_sizes_deinit(tl_input_sizes *);
/* TL_OK where x can be input i of the function `name`, which is to be of the spec. */
tl_status tl__input_check(const char *name, const tl_spec *, tl_tensor x, size_t i, tl_input_sizes *);

/* ---- making one: message.c, graph.c ---- */

/* Sets tl_last_message and returns the status. */
tl_status tl__graph_fail(tl_status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same from the sink's first error. */
tl_status tl__graph_fail_by(const tl_diag *);

tl_graph *tl__graph_create(void); /* NULL where there is no memory; its arena is empty */

/* The rest of making a graph jumps where there is no memory. `work` runs with a recovery point around it; what arenas
 * allocated in it is freed where it fails, and so is the graph. */
tl_status tl__graph_make(tl_status (*work)(void *ctx, tl_graph *), void *ctx, tl_graph **out_graph);

/* Runs `work` with a recovery point and a watch around it; what it left in arenas is freed where it jumped. */
tl_status tl__graph_guard(tl_status (*work)(void *ctx), void *ctx);

/* Copies f into the module, whose arena then holds everything that the copy refers to. */
tl_func *tl__graph_copy_func(tl_module *, const tl_func *f, const char *name);
/* Gives a function that has tensors as parameters the face that a graph's function has: `params`, with names, say how
 * each is called; the outputs are the body's yields. */
void tl__graph_sign(tl_func *, uint32_t count, const tl_graph_param *);
/* When the function and the parameters are there: the outputs' specs, and the counts. */
tl_status tl__graph_finish(tl_graph *);
/* Adds a parameter like one of another graph. */
void tl__graph_add_param(tl_graph *, const tl_graph_param *);

#endif
