/* What an engine provides, and what all have in common. */
#ifndef TL_ENGINE_ENGINE_PRIV_H
#define TL_ENGINE_ENGINE_PRIV_H

#include "capture/graph.h"
#include "tlaloc/engine.h"

/* Every parameter of the graph's function is there, in its order, and fits; `out` is NULL throughout. On success each
 * output has a count that is the caller's. Called by several threads at once. */
typedef tl_status tl_backend_run(void *program, const tl_graph *, const tl_tensor params[], tl_tensor out[]);

typedef struct tl_backend {
  const char *name, *route;
  /* What the engine makes of a graph, which outlives it. */
  tl_status (*prepare)(const tl_graph *, void **out_program);
  tl_backend_run *run;
  void (*close)(void *program);
} tl_backend;

extern const tl_backend tl__interpreter;

/* engine.c. As tl_program_run, but where the extents of symbols are given: `valid` is how much of each, by position in
 * the graph's params and axis, is valid; NULL: all. */
tl_status tl__program_run_valid(tl_program *, size_t valid_count, const tl_valid_extent *valid, const tl_tensor in[],
                                tl_tensor out[]);
/* TL_OK where the inputs fit the graph. */
tl_status tl__engine_check_inputs(const tl_graph *, const tl_tensor in[]);

#endif
