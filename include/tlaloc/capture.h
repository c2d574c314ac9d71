/* Programs from C functions: capture, derivatives, batches, text.
 *
 * C17 and C++; library libtlaloc. tl_capture calls a C function on tracers: tensors with a dtype and a shape that stand
 * for values of a program. An op of tensor.h on a tracer records itself and returns a tracer, so whatever the function
 * does with tensors, through calls, C's loops and structs, becomes a program: a tl_graph, an immutable value that any
 * number of threads may use.
 *
 * Of a tracer tl_read is TRACED_TENSOR and tl_data NULL; C code cannot branch on its elements (tl_cond and tl_loop do).
 * Tensors that have elements become constants of the program when they meet a tracer; a graph retains them. A tracer
 * lives as its capture does: elsewhere, in another capture too, an op on it is TRACED_TENSOR.
 *
 * Extents. A dim of a spec is a number, or TL_SYM(k): an extent that a call decides, the same for all specs that name
 * k. TL_BOUNDED(k, max) is one from 1 to max. tl_shape_of a tracer has these in its place, and for an extent that was
 * computed (a reshape's, say) another number below -1: a handle, which tl_reshape, tl_broadcast, tl_sum_to and tl_fill
 * take back during the same capture. Two extents are equal where the handles are; of others it is taken that they fit,
 * and that neither is 1, which each run checks.
 *
 * Errors. An op that refuses returns a failed tensor as it would eagerly, in the same words. Functions return a status;
 * tl_last_message has the words of the calling thread's last failure. */
#ifndef TLALOC_CAPTURE_H
#define TLALOC_CAPTURE_H

#include "tlaloc/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the calling thread's last function of capture.h or engine.h that did not return TL_OK: what was wrong, after
 * "file:line:column: " where it was in a file. Lives until the thread's next one fails; "" before that. */
TL_API const char *tl_last_message(void);

/* ---- specs ---- */

/* The k-th extent that a call decides; k from 0 to 32767. */
#define TL_SYM(k) (-2 - (int64_t)(k))
/* The same, between 1 and `max` (at most 2^36): tl_bounded_run pads it. */
#define TL_BOUNDED(k, max) (-2 - (int64_t)(k) - ((int64_t)(max) + 1048576) * 67108864)

typedef struct tl_spec {
  tl_dtype dtype;
  tl_shape shape;
  const char *name; /* of the parameter; NULL: x0, x1, ... by its position */
} tl_spec;

/* ---- graphs ---- */

typedef struct tl_graph tl_graph;

/* Reads in[0..] and sets each of out[]. A failed tensor among these fails what called the function. */
typedef void tl_fn(void *ctx, const tl_tensor in[], tl_tensor out[]);

/* Calls fn(ctx, ...) once, on tracers of these specs, and gives the program that it recorded, owned by the caller. The
 * status of the first output that failed, if one did. May be called inside of another capture: it is a program of its
 * own. */
TL_API tl_status tl_capture(const char *name, tl_fn *fn, void *ctx, size_t in_count, const tl_spec in[],
                            size_t out_count, tl_graph **out_graph);

TL_API tl_graph *tl_graph_retain(tl_graph *);
TL_API void tl_graph_release(tl_graph *); /* NULL is ignored */

TL_API const char *tl_graph_name(const tl_graph *);
TL_API size_t tl_graph_input_count(const tl_graph *);
TL_API size_t tl_graph_output_count(const tl_graph *);
/* Names live as long as the graph. An output has no name; an extent of it that is computed is a number below TL_SYM's,
 * another one for each. */
TL_API tl_spec tl_graph_input(const tl_graph *, size_t);
TL_API tl_spec tl_graph_output(const tl_graph *, size_t);
/* How many ops the program has, those in loops and branches counted once. */
TL_API size_t tl_graph_op_count(const tl_graph *);

/* ---- transforms: each gives a new graph, owned by the caller ----
 *
 * `wrt` are inputs by position, each at most once; a count of 0 means all that are floating. An input that is not is
 * NOT_DIFFERENTIABLE. The inputs are the graph's, then the seeds; the outputs the graph's, where `with_value`, then: */

/* The gradient by each wrt, in the order named. The graph has one output, floating and of rank 0, else NOT_SCALAR. */
TL_API tl_status tl_graph_grad(const tl_graph *, size_t wrt_count, const size_t wrt[], bool with_value,
                               tl_graph **out_graph);
/* Seeds: a tangent of each wrt, in the order named. Outputs: the tangent of each floating output. */
TL_API tl_status tl_graph_jvp(const tl_graph *, size_t wrt_count, const size_t wrt[], bool with_value,
                              tl_graph **out_graph);
/* Seeds: a cotangent of each floating output. Outputs: the cotangent of each wrt, in the order named. */
TL_API tl_status tl_graph_vjp(const tl_graph *, size_t wrt_count, const size_t wrt[], bool with_value,
                              tl_graph **out_graph);
/* For all pairs (i, j) of wrt, row-major: the second derivatives, of the shape of wrt i, then of wrt j. */
TL_API tl_status tl_graph_hessian(const tl_graph *, size_t wrt_count, const size_t wrt[], bool with_value,
                                  tl_graph **out_graph);
/* The program for a batch: `batched`, by input, says which have one more axis in front, of a new symbolic extent; the
 * others are shared by all examples. Every output has the axis. One input at least is batched. */
TL_API tl_status tl_graph_vmap(const tl_graph *, const bool batched[], tl_graph **out_graph);

/* ---- text: .tlir, docs/capture.md ---- */

TL_API tl_status tl_graph_print(const tl_graph *, FILE *);
/* IR_INVALID with file, line and column in tl_last_message; FILE_UNREADABLE. */
TL_API tl_status tl_graph_parse(const char *path, tl_graph **out_graph);

/* ---- as C: docs/capture.md ---- */

/* The program as a C file that needs libtlaloc alone: void NAME(void *ctx, const tl_tensor in[], tl_tensor out[]), a
 * tl_fn by the graph's name that ignores ctx, whose outputs belong to the innermost scope. It calls the ops of tensor.h
 * and gives the bits that they give. Where the inputs do not fit the graph every output is a failed tensor that says
 * why. NAME_CLASH where no function of a C program can have the name; FILE_UNWRITABLE. */
TL_API tl_status tl_graph_source(const tl_graph *, FILE *);
/* Whether tensors can be the inputs of a program, as a run asks; name is the program's, for the message. Else
 * *out_failed is a failed tensor. What such a file calls. */
TL_API bool tl_inputs_fit(const char *name, size_t count, const tl_spec specs[], const tl_tensor in[],
                          tl_tensor *out_failed);

/* ---- control flow, eager and captured ----
 *
 * Captured, the functions run on tracers once, or a few times, whatever the program's run does; they may use tensors
 * from around, by ctx. Eagerly they run as often as the loop does, each time in a scope of its own, so that memory does
 * not grow with the trips. What goes on from one iteration to the next keeps its dtype and shape, else the outputs are
 * DTYPE_MISMATCH or TENSOR_SHAPE_MISMATCH. Where anything fails every output is that failure. */

/* While cond(ctx, carries), a BOOL of rank 0, is true: carries = body(ctx, carries). `out` are the last ones. */
TL_API void tl_loop(tl_fn *cond, tl_fn *body, void *ctx, size_t count, const tl_tensor init[], tl_tensor out[]);
/* For i from 0: body(ctx, carries, in_1[i], in_2[i], ...) gives the next carries, then out_count outputs. Every `in`
 * has one extent in front, which is how often; in_count is at least 1. `out` are the last carries, then each output of
 * all iterations along a new axis in front. */
TL_API void tl_scan(tl_fn *body, void *ctx, size_t carry_count, const tl_tensor init[], size_t in_count,
                    const tl_tensor in[], size_t out_count, tl_tensor out[]);
/* then(ctx, in) where the condition, a BOOL of rank 0, is true, else otherwise(ctx, in). Captured, both give the same
 * dtypes and ranks; an extent that they do not have in common is decided by the run. */
TL_API void tl_cond(tl_tensor condition, tl_fn *then, tl_fn *otherwise, void *ctx, size_t in_count,
                    const tl_tensor in[], size_t out_count, tl_tensor out[]);

/* ---- recurrent layers, made of tl_scan ----
 *
 * x has steps, examples and inputs, or with `batch_first` examples first; h, the first state, and c, the first cell,
 * examples and states. Weights have rows for each state of each gate; the bias has two rows, one beside the inputs, one
 * beside the states. The result has the states of all steps, laid out as x, the last one, and the last cell (of those
 * that have none the state). All are of one floating dtype. With u = W x + b0 and v = R h + b1, by gates:
 * rnn: tanh(u + v).
 * gru: gates z, r, h: (1 - z) tanh(u + R(r h) + b1) + z h, with `reset_after` (1 - z) tanh(u + r v) + z h.
 * lstm: gates i, o, f, g: c = f c + i tanh(u + v), h = o tanh(c); with a peephole, of a row each for i, o and f, times c
 * these see the cell: i and f the last one, o the new one. */
typedef struct tl_recurrent_weights {
  tl_tensor input, state, bias;
} tl_recurrent_weights;
typedef struct tl_recurrent_result {
  tl_tensor states, state, cell;
} tl_recurrent_result;
TL_API tl_recurrent_result tl_rnn(tl_tensor x, tl_tensor h, tl_recurrent_weights, bool batch_first);
TL_API tl_recurrent_result tl_gru(tl_tensor x, tl_tensor h, tl_recurrent_weights, bool batch_first, bool reset_after);
TL_API tl_recurrent_result tl_lstm(tl_tensor x, tl_tensor h, tl_tensor c, tl_recurrent_weights, bool batch_first);
TL_API tl_recurrent_result tl_lstm_peephole(tl_tensor x, tl_tensor h, tl_tensor c, tl_recurrent_weights,
                                            tl_tensor peephole, bool batch_first);

/* ---- what is valid of an extent ----
 *
 * Of an extent as tl_shape_of gives it: which of its elements are no padding, a BOOL of rank 1, and how many, an I64 of
 * rank 0. All are, but where tl_bounded_run pads TL_BOUNDED. */
TL_API tl_tensor tl_valid_mask(int64_t extent);
TL_API tl_tensor tl_valid_length(int64_t extent);

#ifdef __cplusplus
}
#endif

#endif
