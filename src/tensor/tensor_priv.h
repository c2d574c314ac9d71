/* What the files of this folder share: the object behind tl_tensor, and how its elements are walked. */
#ifndef TL_TENSOR_TENSOR_PRIV_H
#define TL_TENSOR_TENSOR_PRIV_H

#include <stdatomic.h>

#include "base/dtype.h"
#include "ir/shape.h"
#include "tensor/loops.h"
#include "tensor/op.h"
#include "tlaloc/tensor.h"

/* What is known of axes beside their extents; each may be NULL. */
typedef struct tl__axis_names {
  const char *axis[TL_MAX_RANK];
  const tl_axis_bound *bound[TL_MAX_RANK];
} tl__axis_names;

/* An object that has a base is a view of the base's elements; a base has none itself. One with a status other than
 * TL_OK has no elements. All but the count of references is constant once an op has returned it, and but the status of
 * one that is donated: whoever reads a view asks for its base's. */
struct tl_tensor_object {
  atomic_uint references;
  _Atomic tl_status status;
  uint32_t value; /* a tracer's: which value of the program it stands for; 0 where there are elements */
  uint64_t trace; /* a tracer's: its recorder's id */
  tl_dtype dtype;
  int rank;
  bool is_row_major;   /* without gaps */
  int64_t count;       /* of elements */
  int64_t owned_bytes; /* that lie behind the object itself */
  int64_t dim[TL_MAX_RANK];
  int64_t stride[TL_MAX_RANK]; /* in bytes */
  unsigned char *data;
  tl_tensor base;
  void (*done)(void *ctx, void *data);
  void *ctx;
  const char *message;   /* where it failed */
  tl__axis_names *names; /* NULL: no axis has any */
};

/* object.c. Each new tensor belongs to the innermost scope already; NULL where there is no memory. */
tl_tensor tl__tensor_create(tl_dtype, int rank, const int64_t *dim); /* elements not set; their count fits */
tl_tensor tl__tensor_view(tl_tensor x, int rank, const int64_t *dim, const int64_t *stride);
/* Whether the extents are ones that a tensor can have: not negative, and so few bytes that an int64_t counts them. */
tl_status tl__tensor_check(tl_shape_rules *, const char *op, tl_dtype, int rank, const int64_t *dim);
/* The first operand that an op has to hand on as it is: no memory (then *out is NULL) or failed. */
bool tl__tensor_any_failed(int count, const tl_tensor *, tl_tensor *out);
/* The same elements row-major without gaps: x itself where it is so. */
tl_tensor tl__tensor_packed(tl_tensor x);

/* trace.c. Whether the op is one of a program that is being captured, by its operands or an extent of its shape; then
 * *out is what became of it. */
bool tl__tensor_traced(tl_opcode, const tl_tensor *operands, const tl_attr *, tl_dtype given, tl_tensor *out);
/* Whether this thread captures and an extent of the shape is a handle. */
bool tl__shape_is_traced(tl_shape);

tl_tensor tl__tensor_of(const tl_tensor_type *); /* created, or failed where its size does not fit */

/* elementwise.c: `given` is the dtype of cvt. */
tl_tensor tl__elementwise(tl_opcode, const tl_tensor *operands, tl_dtype given);

/* op.c: an op of a row that is about tensors. */
enum { TL__MOST_OPERANDS = 4 };
tl_tensor tl__op(tl_opcode, const tl_tensor *operands, const tl_attr *);
/* The same with operands of a small format in float, and the result, unless it is of integers, rounded to the format of
 * the first.
 */
tl_tensor tl__op_in_float(tl_opcode, const tl_tensor *operands, const tl_attr *);
/* The elements of such an op; the operands and the result's type have passed the rule of types. */
typedef tl_tensor tl__eager_fn(const tl_tensor *operands, const tl_attr *, const tl_tensor_type *result);
#define TL_TEN(name, class, arity, attributes, doc) tl__eager_fn tl__eager_##name;
#include "ir/ops.def"

/* walk.c: elements of several tensors in step, the first of them row-major in the order of the walk. */
enum { TL__WALK_MOST = 5 };
typedef struct tl__walk {
  int operands, rank; /* at least 1 axis; axes that lie behind one another in every operand are one */
  int64_t dim[TL_MAX_RANK];
  int64_t stride[TL__WALK_MOST][TL_MAX_RANK];
} tl__walk;
/* strides[k][axis], 0 where the operand repeats. */
void tl__walk_init(tl__walk *, int rank, const int64_t *dim, int operands, const int64_t *const *strides);
/* Calls run(ctx, n, at, step) for each stretch along the last axis: at[k] is operand k's first element, step[k] the
 * bytes from one to the next. */
typedef void tl__stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]);
void tl__walk_run(const tl__walk *, unsigned char *const data[], tl__stretch *run, void *ctx);
/* The strides of the first `front` axes of x along the axes of a shape that they broadcast to. */
void tl__walk_strides(tl_tensor x, int front, int rank, const int64_t *dim, int64_t out_stride[TL_MAX_RANK]);

/* n elements, `step` bytes apart in the source, to consecutive ones of another dtype; see tl_cast. */
void tl__convert(tl_dtype to, void *out, tl_dtype from, const void *x, int64_t step, int64_t n);

/* index.c: what TL_INDEX_FILL reads where there is no element. */
void tl__index_fill(tl_dtype, unsigned char out[8]);

/* cumulative.c: what changes nothing when it is taken into a reduction, as a tensor of rank 0 with x's dtype. */
tl_tensor tl__reducer_identity(tl_tensor x, tl_reducer);

/* combine.c: takes n elements into as many others, each so many bytes from the next. NULL for a small format. */
typedef void tl__combine(int64_t n, unsigned char *into, int64_t into_step, const unsigned char *x, int64_t x_step);
tl__combine *tl__combine_of(tl_reducer, tl_dtype);

/* reduce.c: what is folded along one line of n elements, `down` bytes apart, of `width` lines side by side, at most
 * TL__TILE; as a tree. `into` starts as the identities, of which there are as many. */
enum { TL__TILE = 512 };
typedef struct tl__line {
  tl__fold *take;
  int64_t size; /* of an element */
  const void *identity;
} tl__line;
void tl__fold_line(const tl__line *, void *into, int64_t width, int64_t across, const unsigned char *x, int64_t n,
                   int64_t down);

#endif
