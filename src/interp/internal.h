#ifndef TL_INTERP_INTERNAL_H
#define TL_INTERP_INTERNAL_H

#include "interp/interp.h"

/* What a function's regions look like to the interpreter: beside each op, which of its array operands have their last
 * use there (so that the op may change them in place) and which results nobody uses. */
typedef struct tl__op_plan {
  const tl_op *op;
  const bool *dies; /* by operand */
  const bool *dead; /* by result */
  struct tl__region_plan *regions[2];
} tl__op_plan;

typedef struct tl__region_plan {
  const tl_region *region;
  tl__op_plan *ops;
  const bool *yield_dies;
} tl__region_plan;

tl__region_plan *tl__interp_plan(const tl_func *, tl_arena *);

/* array.c: storage of array values, counted. A run keeps its arrays in a list and frees what is left when it ends. */
typedef struct tl__array {
  uint32_t references;
  tl_dtype dtype;
  int rank;
  bool grows, of_tensors;
  int64_t extents[TL_MAX_RANK];
  int64_t count;
  unsigned char *data;
  unsigned char *written; /* a byte per element; NULL: all are */
  struct tl__array **home, *next;
} tl__array;

/* Unwritten; the count fits. */
tl__array *tl__array_create(tl__array **list, tl_dtype, bool of_tensors, int rank, const int64_t *extents);
/* Elements of an array of tensors, which has a count of its own of each. NULL where nothing was stored. */
tl_tensor tl__array_tensor(const tl__array *, int64_t position);
void tl__array_store_tensor(tl__array *, int64_t position, tl_tensor);
tl__array *tl__array_copy(tl__array **list, const tl__array *);
void tl__array_release(tl__array *);
void tl__array_free_all(tl__array **list);
void tl__array_grow(tl__array *, int64_t count); /* rank 1 */
void tl__array_set_written(tl__array *);         /* all of it */
/* False where the element was never written. */
bool tl__array_load(const tl__array *, int64_t position, tl_interp_scalar *out);
void tl__array_store(tl__array *, int64_t position, tl_interp_scalar);
void tl__element_load(tl_dtype, const void *data, int64_t position, tl_interp_scalar *out);
void tl__element_store(tl_dtype, void *data, int64_t position, tl_interp_scalar);

/* The number that a scalar holds, and the scalar of a number that the dtype can hold, rounded where it is floating. */
long double tl__scalar_number(tl_dtype, tl_interp_scalar);
tl_interp_scalar tl__scalar_of(tl_dtype, long double);
/* As the conversion to the dtype gives in the mode. */
tl_interp_scalar tl__scalar_round(tl_dtype, tl_interp_scalar, bool f32);

#endif
