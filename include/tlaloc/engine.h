/* Engines: what runs programs.
 *
 * C17 and C++; library libtlaloc. An engine prepares a graph and runs what it prepared on tensors; another engine is
 * another name, not another program. "interpreter" runs each op as the eager call would, to the same bits; it is the
 * reference, not fast.
 *
 * Thread class: engines and programs may be used by any number of threads; the outputs of a run belong to its caller.
 * Closing waits for calls in flight, and nothing may be called on what is being closed. */
#ifndef TLALOC_ENGINE_H
#define TLALOC_ENGINE_H

#include "tlaloc/capture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_engine tl_engine;
typedef struct tl_program tl_program;

/* All zero is the default. The interpreter looks at none of these. */
typedef struct tl_engine_opts {
  int threads;           /* 0: as the machine has */
  const char *cache_dir; /* where prepared programs are kept; NULL: the user's cache */
  bool no_compiler;      /* nothing may be compiled */
} tl_engine_opts;

/* Pairs {input, output}: the program may put the output where the input lies. Both have one dtype and shape, and each
 * is in one pair. Once a run has succeeded, the tensor that was passed as the input, and every view of its elements, is
 * DONATED: no op and no run takes it. */
typedef struct tl_prepare_opts {
  size_t donate_count;
  const size_t (*donate)[2];
} tl_prepare_opts;

typedef struct tl_program_info {
  size_t peak_bytes;      /* the most that tensors of one run took at one time, so far; without its inputs */
  double compile_seconds; /* that preparing took */
  bool from_cache;
  const char *route; /* how it runs: "interpreter" */
} tl_program_info;

/* ENGINE_UNKNOWN where there is none of that name. `opts` may be NULL. */
TL_API tl_status tl_engine_open(const char *name, const tl_engine_opts *opts, tl_engine **out_engine);
/* Programs that are still open then are ENGINE_CLOSED when they run. */
TL_API void tl_engine_close(tl_engine *);
/* Retains the graph. `opts` may be NULL. */
TL_API tl_status tl_engine_prepare(tl_engine *, const tl_graph *, const tl_prepare_opts *opts,
                                   tl_program **out_program);
/* in[] and out[] as the graph has inputs and outputs; each out[] is the caller's to release, and NULL after a failure:
 * DTYPE_MISMATCH, TENSOR_SHAPE_MISMATCH, BOUNDED_DIM_EXCEEDED, DONATED, the status of an input that had failed, or that
 * of an op. */
TL_API tl_status tl_program_run(tl_program *, const tl_tensor in[], tl_tensor out[]);
TL_API tl_program_info tl_program_describe(const tl_program *);
TL_API void tl_program_close(tl_program *);

/* Runs a graph whose specs have TL_BOUNDED extents. Exact: at the size that the inputs have. Bucketed: inputs are
 * padded by zeros along bounded axes to the next power of 2, or the bound where that is less, tl_valid_mask and
 * tl_valid_length say what of them is valid, and outputs are cut back. An output one of whose extents is computed from
 * a bounded one is then BOUNDED_AXIS_MISMATCH. */
TL_API tl_status tl_bounded_run(tl_engine *, const tl_graph *, bool bucketed, const tl_tensor in[], tl_tensor out[]);
/* Runs it both ways: PADDING_DIFFERS where an element of an output differs by more than rounding in another order would
 * (relative to the largest: 1e-12 in F64, 1e-5 in F32, 1e-2 in the small formats; not at all elsewhere), with the
 * output and element in tl_last_message. */
TL_API tl_status tl_bounded_check(tl_engine *, const tl_graph *, const tl_tensor in[]);

#ifdef __cplusplus
}
#endif

#endif
