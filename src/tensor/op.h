/* The eager ops by their opcodes, for what walks the IR. */
#ifndef TL_TENSOR_OP_H
#define TL_TENSOR_OP_H

#include "ir/shape.h"
#include "tlaloc/tensor.h"

/* An op of a row that is elementwise or about tensors. `attrs` as the row says, that of a SHAPE with numbers as
 * extents; `given` is the dtype of cvt. */
tl_tensor tl__tensor_op(tl_opcode, const tl_tensor *operands, const tl_attr *attrs, tl_dtype given);

/* Hands a count of a tensor to the innermost scope; releases it and returns NULL where there is no memory. */
tl_tensor tl__scope_add(tl_tensor);
/* Takes a tensor that belongs to the scope out of it, and releases it. */
void tl__scope_drop(tl_scope, tl_tensor);

/* ---- what records ops in place of running them ---- */

/* A program that is being captured on this thread. A tensor may stand for one of its values: a tracer, which has a
 * dtype and extents but no elements. An extent that is not a number is a handle, less than -1, which the recorder gave
 * out and takes back. */
typedef struct tl__recorder {
  uint64_t id; /* no two recorders of a process have one */
  /* As tl__tensor_op; one operand at least is a tracer, or the shape has a handle. No operand has failed, and every
   * tracer among them is of this recorder. */
  tl_tensor (*record)(struct tl__recorder *, tl_opcode, const tl_tensor *operands, const tl_attr *, tl_dtype given);
  /* The handle of (n*times + plus)/over, toward zero, for the handle n; n itself where that is none of its own. */
  int64_t (*extent)(struct tl__recorder *, int64_t n, int64_t times, int64_t plus, int64_t over);
  struct tl__recorder *outer;
} tl__recorder;

/* From now on this one records, until it leaves; recorders nest. Enter gives it its id. */
void tl__recorder_enter(tl__recorder *);
void tl__recorder_leave(tl__recorder *);
tl__recorder *tl__recorder_current(void); /* NULL where this thread captures nothing */

/* (n*times + plus)/over, for an extent that is a handle: a handle, but n where the numbers change nothing. */
int64_t tl__extent_affine(int64_t n, int64_t times, int64_t plus, int64_t over);

/* A tracer of the recorder, for one of its values. */
tl_tensor tl__tracer_create(const tl__recorder *, uint32_t value, const tl_tensor_type *, const int64_t *dim);
/* The value that it stands for; 0 where it has elements. */
uint32_t tl__tracer_value(tl_tensor);
/* Whether it stands for a value, but of another program than the one that is being captured, or of one that has been.
 */
bool tl__tracer_is_foreign(tl_tensor);
/* The refusal of such a tensor. */
tl_tensor tl__tracer_refused(const char *op);

/* ---- parts ---- */

/* Of a tracer the extents that are handles are numbers too. */
tl_tensor_type tl__tensor_type(tl_tensor);
/* Gives a new tensor, which nobody else has yet, the names and bounds of the type; returns it, or NULL where there is
 * no memory. */
tl_tensor tl__tensor_name(tl_tensor, const tl_tensor_type *);

tl_tensor tl__tensor_failed(tl_status, const char *message); /* the message is copied */
__attribute__((format(printf, 2, 3))) tl_tensor tl__tensor_refuse(tl_status, const char *format, ...); /* the same */
static inline bool tl__tensor_is_valid(tl_tensor t) { return tl_status_of(t) == TL_OK; }
/* Hands a result out of the scope, which closes. */
tl_tensor tl__scope_leave(tl_scope, tl_tensor out);
/* Whether all elements are one, bit for bit; of no elements they are 0. */
bool tl__tensor_is_uniform(tl_tensor x, void *out_element);
/* The scalar that every element is; TL_NO_VALUE where there is none. Jumps where there is no memory. */
tl_value tl__tensor_uniform_value(tl_builder *, tl_tensor);
/* A view of the elements [from, from + count) of an axis. */
tl_tensor tl__tensor_slice(tl_tensor x, int axis, int64_t from, int64_t count);
/* x in the corner of a shape that is as large or larger, zero around it. */
tl_tensor tl__tensor_padded(tl_tensor x, tl_shape);
/* Gives up the elements: the tensor, and every view of them, is DONATED from now on. */
void tl__tensor_donate(tl_tensor);
/* Whether the two have elements in common, as views of one tensor have. */
bool tl__tensor_shares(tl_tensor, tl_tensor);
/* The bytes of tensors that this thread has made and released since the last call are counted from 0; the most at one
 * time since then. */
void tl__tensor_bytes_reset(void);
size_t tl__tensor_bytes_peak(void);
/* Elements not set, for a caller that sets them before it hands the tensor on. */
tl_tensor tl__tensor_blank(tl_dtype, tl_shape, void **out_data);

#endif
