/* Minimum cut of a directed graph with integer capacities (Dinic's algorithm). */
#ifndef TL_TRANSFORM_MINCUT_H
#define TL_TRANSFORM_MINCUT_H

#include <stdbool.h>

#include "base/vec.h"

#define TL_CUT_INFINITE ((int64_t)1 << 40)

typedef struct tl_cut_edge {
  uint32_t to;
  int64_t capacity;
} tl_cut_edge;

typedef struct tl_cut_node {
  TL_VEC(uint32_t) edges; /* out of the node, reverse edges included */
} tl_cut_node;

typedef struct tl_cut {
  tl_arena *arena;
  TL_VEC(tl_cut_edge) edges; /* edge 2k and its reverse 2k+1 */
  TL_VEC(tl_cut_node) nodes;
} tl_cut;

void tl__cut_init(tl_cut *, tl_arena *);
uint32_t tl__cut_add_node(tl_cut *);
void tl__cut_add_edge(tl_cut *, uint32_t from, uint32_t to, int64_t capacity);
/* Marks the nodes on the sink's side of the minimum cut that is nearest to the sink. Returns the cut's capacity. */
int64_t tl__cut_run(tl_cut *, uint32_t source, uint32_t sink, bool *out_sink_side);

#endif
