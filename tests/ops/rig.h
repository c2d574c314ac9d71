/* One op as a function of DXIR, and its derivatives by the rules under test. */
#ifndef TL_TESTS_OPS_RIG_H
#define TL_TESTS_OPS_RIG_H

#include "interp/interp.h"
#include "ops/ops.h"

typedef struct rig {
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
  tl_func *func;
  tl_builder builder;
  tl_value args[3], result;
  uint32_t arity;
} rig;

/* The samples column. */
typedef enum samples { ALL, POSITIVE, UNIT, ABOVE_ONE, NONZERO, OFF_INTEGER, POW, DISTINCT, SMALL_INT } samples;

/* What a row says beyond tl_op_table. */
extern const samples rig_samples[TL_OP_COUNT];

/* The function r = op(args) on operands whose floating ones have `dtype`, or whose integers do. */
void rig_init(rig *, tl_opcode, tl_dtype dtype);
void rig_deinit(rig *);
bool rig_is_floating(const rig *, uint32_t arg);
/* The tangent of `of` where that of args[arg] is 1; a zero where it is nothing. */
tl_value rig_tangent(rig *, tl_value of, uint32_t arg);
/* The value of v at these arguments, with v's dtype. */
long double rig_eval(rig *, tl_value v, const long double *args);
/* What v counts as zero: the dtype's epsilon. */
long double rig_epsilon(tl_dtype);

#endif
