/* The meaning of DXIR: an interpreter that walks it, slow and plain.
 *
 * Every op computes in its own type: f32 in float, f64 in double, f80 in long double, integers wrap. What C leaves
 * undefined, and reads of elements that were never written, end the run with an error. Thread-compatible. */
#ifndef TL_INTERP_INTERP_H
#define TL_INTERP_INTERP_H

#include "ir/ir.h"
#include "tlaloc/tensor.h"

typedef union tl_interp_scalar {
  int64_t integer; /* i1, integers; u64 as its bits */
  float f32;
  double f64;
  long double f80;
} tl_interp_scalar;

typedef struct tl_interp_value {
  tl_dtype dtype;
  bool is_array;
  int rank;
  int64_t extents[TL_MAX_RANK];
  tl_tensor tensor;        /* where it is one: borrowed as an argument, owned as a result */
  tl_interp_scalar scalar; /* where it is neither */
  void *data;              /* the elements, row-major, in the C type of the dtype; NULL: never written */
} tl_interp_value;

/* Why a run ended. */
typedef enum tl_interp_fault {
  TL_FAULT_NONE,
  TL_FAULT_ARGUMENT,  /* arguments do not fit the parameters */
  TL_FAULT_INDEX,     /* an index outside its extent */
  TL_FAULT_UNWRITTEN, /* an element read, or returned, that was never written */
  TL_FAULT_INTEGER,   /* division by zero, a shift by more than the width */
  TL_FAULT_EXTENT,    /* a negative extent, or arrays of different shape accumulated */
  TL_FAULT_STEPS,
  TL_FAULT_DEPTH,
  TL_FAULT_CALL,   /* a function without body, or an extern whose result nobody gives */
  TL_FAULT_TENSOR, /* a tensor op failed */
  TL_FAULT_MEMORY
} tl_interp_fault;

typedef struct tl_interp_opts {
  bool f32;           /* f64 ops compute in float: every f64 result is a float's value */
  uint64_t max_steps; /* ops executed; 0: no limit */
  uint32_t max_depth; /* of calls; 0: 1000 */
  tl_diag *diag;      /* where errors go, or NULL */
  /* Called for each extern op, in order, with its operands; sets *out_result where the op has a result. False ends the
   * run. NULL: externs do nothing, and one whose result is used ends the run. */
  bool (*on_extern)(void *ctx, const tl_op *, uint32_t count, const tl_interp_value *operands,
                    tl_interp_scalar *out_result);
  void *ctx;
} tl_interp_opts;

/* Runs the function. `args` match its IR parameters (func->params, or the body's parameters in a function without C
 * signature) and are only read; `out_results` has room for the body's yields, and is filled where TL_OK is returned.
 * The caller gives each back with tl_interp_value_deinit. TL_IR_INVALID with a fault and a diagnostic, for
 * TL_FAULT_TENSOR the op's own status, or TL_OUT_OF_MEMORY. `opts` and `out_fault` may be NULL. */
tl_status tl_interp_run(const tl_func *, uint32_t arg_count, const tl_interp_value *args, const tl_interp_opts *opts,
                        tl_interp_value *out_results, tl_interp_fault *out_fault);
void tl_interp_value_deinit(tl_interp_value *);

tl_interp_value tl_interp_integer(tl_dtype, int64_t);
tl_interp_value tl_interp_floating(tl_dtype, long double);
/* Borrows the data. */
tl_interp_value tl_interp_array(tl_dtype, void *data, int rank, const int64_t *extents);
/* Borrows the tensor. */
tl_interp_value tl_interp_tensor(tl_tensor);
/* The number of elements. */
int64_t tl_interp_count(const tl_interp_value *);
/* A scalar, or an element by its row-major position, of whatever type, as a long double. */
long double tl_interp_at(const tl_interp_value *, int64_t position);

/* One elementwise op on scalars. `dtypes` are those of the operands. NULL, or what is wrong with the operands. */
const char *tl_interp_elementwise(tl_opcode, const tl_dtype *dtypes, tl_dtype result, const tl_interp_scalar *operands,
                                  bool f32, tl_interp_scalar *out_result);

#endif
