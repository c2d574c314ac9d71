/* The program that this thread is capturing: what tl_capture, its recorder and control flow share. */
#ifndef TL_CAPTURE_RECORD_H
#define TL_CAPTURE_RECORD_H

#include "capture/graph.h"
#include "tensor/op.h"

/* An extent that was computed: (n*times + plus)/over. */
typedef struct tl_capture_affine {
  int64_t n, times, plus, over, extent;
} tl_capture_affine;

/* An extent of the specs. */
typedef struct tl_capture_symbol {
  int64_t extent; /* TL_SYM or TL_BOUNDED */
  tl_value value, mask, length;
} tl_capture_symbol;

typedef struct tl_capture_constant {
  tl_tensor tensor;
  tl_value value;
} tl_capture_constant;

typedef struct tl_capture_state {
  tl__recorder recorder; /* first: it is what the tensors' side knows */
  tl_graph *graph;
  tl_builder b;
  tl_arena scratch;
  TL_VEC(tl_capture_symbol) symbols;
  TL_VEC(tl_value) computed; /* extents by their symbols, from TL_GRAPH_MOST_SYMBOLS on */
  TL_VEC(tl_capture_affine) affines;
  int64_t *extents;          /* by value: the number that stands for it as an extent, or 0 */
  uint32_t extents_room;
  tl_capture_constant *constants; /* a table by address; a power of 2 */
  uint32_t constant_count, constant_room;
  const char *constant_prefix;
  bool out_of_memory;
} tl_capture_state;

/* NULL where this thread captures nothing. */
tl_capture_state *tl__capture_current(void);
void tl__capture_init(tl_capture_state *, tl_graph *, const char *constant_prefix);

/* Runs what may jump where there is no memory; false, and the capture has failed, where it did. */
bool tl__capture_guard(tl_capture_state *, void (*work)(void *), void *ctx);

/* The rest jumps where there is no memory. */
/* The value of a tensor, as one: a tracer's own, a constant for one with elements. The tensor has not failed, and is
 * of this capture if it is a tracer. */
tl_value tl__capture_value(tl_capture_state *, tl_tensor);
/* A tracer for a value that is a tensor; NULL where there is no memory. */
tl_tensor tl__capture_tracer(tl_capture_state *, tl_value);
tl_value tl__capture_add_param(tl_capture_state *, const tl_graph_param *, const tl_extent *dim);
/* What an extent as tl_shape_of gives it is in the IR; false where it is none of this capture. */
bool tl__capture_extent(const tl_capture_state *, int64_t, tl_extent *out);
void tl__capture_note_extent(tl_capture_state *, tl_value, int64_t extent);
/* TL_OK, or why the tensor cannot be used where the program now is; *out_failed says it, belonging to the scope. */
bool tl__capture_can_use(const tl_capture_state *, const char *op, tl_tensor, tl_tensor *out_failed);

#endif
