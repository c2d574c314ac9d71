#include "transform/mincut.h"

void tl__cut_init(tl_cut *c, tl_arena *arena) { *c = (tl_cut){.arena = arena}; }

uint32_t tl__cut_add_node(tl_cut *c) {
  TL_PUSH(c->arena, c->nodes, (tl_cut_node){{0}});
  return c->nodes.count - 1;
}

void tl__cut_add_edge(tl_cut *c, uint32_t from, uint32_t to, int64_t capacity) {
  TL_PUSH(c->arena, c->nodes.data[from].edges, c->edges.count);
  TL_PUSH(c->arena, c->edges, (tl_cut_edge){to, capacity});
  TL_PUSH(c->arena, c->nodes.data[to].edges, c->edges.count);
  TL_PUSH(c->arena, c->edges, (tl_cut_edge){from, 0});
}

/* Levels by breadth-first search over edges with room. */
static bool find_levels(const tl_cut *c, uint32_t source, uint32_t sink, uint32_t *level, uint32_t *queue) {
  for (uint32_t i = 0; i < c->nodes.count; i++) {
    level[i] = UINT32_MAX;
  }
  uint32_t head = 0, tail = 0;
  level[source] = 0;
  queue[tail++] = source;
  while (head < tail) {
    uint32_t n = queue[head++];
    for (uint32_t i = 0; i < c->nodes.data[n].edges.count; i++) {
      tl_cut_edge e = c->edges.data[c->nodes.data[n].edges.data[i]];
      if (e.capacity > 0 && level[e.to] == UINT32_MAX) {
        level[e.to] = level[n] + 1;
        queue[tail++] = e.to;
      }
    }
  }
  return level[sink] != UINT32_MAX;
}

static int64_t push(tl_cut *c, uint32_t n, uint32_t sink, int64_t limit, const uint32_t *level, uint32_t *next) {
  if (n == sink) {
    return limit;
  }
  for (; next[n] < c->nodes.data[n].edges.count; next[n]++) {
    uint32_t id = c->nodes.data[n].edges.data[next[n]];
    tl_cut_edge e = c->edges.data[id];
    if (e.capacity > 0 && level[e.to] == level[n] + 1) {
      int64_t pushed = push(c, e.to, sink, limit < e.capacity ? limit : e.capacity, level, next);
      if (pushed) {
        c->edges.data[id].capacity -= pushed;
        c->edges.data[id ^ 1].capacity += pushed;
        return pushed;
      }
    }
  }
  return 0;
}

int64_t tl__cut_run(tl_cut *c, uint32_t source, uint32_t sink, bool *out_sink_side) {
  uint32_t *level = TL_NEW_ARRAY(c->arena, uint32_t, c->nodes.count);
  uint32_t *queue = TL_NEW_ARRAY(c->arena, uint32_t, c->nodes.count);
  uint32_t *next = TL_NEW_ARRAY(c->arena, uint32_t, c->nodes.count);
  int64_t flow = 0;
  while (find_levels(c, source, sink, level, queue)) {
    for (uint32_t i = 0; i < c->nodes.count; i++) {
      next[i] = 0;
    }
    int64_t pushed;
    while ((pushed = push(c, source, sink, TL_CUT_INFINITE, level, next)) > 0) {
      flow += pushed;
    }
  }
  /* Backward from the sink over edges with room: what can still reach it. */
  uint32_t head = 0, tail = 0;
  queue[tail++] = sink;
  out_sink_side[sink] = true;
  while (head < tail) {
    uint32_t n = queue[head++];
    for (uint32_t i = 0; i < c->nodes.data[n].edges.count; i++) {
      uint32_t id = c->nodes.data[n].edges.data[i];
      uint32_t from = c->edges.data[id].to;
      if (c->edges.data[id ^ 1].capacity > 0 && !out_sink_side[from]) {
        out_sink_side[from] = true;
        queue[tail++] = from;
      }
    }
  }
  return flow;
}
