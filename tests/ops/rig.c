#include "rig.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

const samples rig_samples[TL_OP_COUNT] = {
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) [TL_OP_##name] = samples,
#include "ir/ops.def"
};

void rig_init(rig *r, tl_opcode code, tl_dtype dtype) {
  *r = (rig){0};
  tl_arena_init(&r->arena);
  tl_diag_init(&r->diag, &r->arena);
  r->module = tl_module_create(&r->arena, &r->diag);
  r->func = tl_func_create(r->module, tl_op_table[code].name);
  r->builder = (tl_builder){.func = r->func, .region = r->func->body};
  const tl_op_info *row = &tl_op_table[code];
  r->arity = (uint32_t)row->arity;
  for (uint32_t i = 0; i < r->arity; i++) {
    tl_dtype d = dtype;
    if (row->operands == TL_OPERANDS_BOOL || (row->operands == TL_OPERANDS_SELECT && i == 0)) {
      d = TL_BOOL;
    }
    if (row->operands == TL_OPERANDS_FLT_INT && i == 1) {
      d = TL_I32;
    }
    if (row->operands == TL_OPERANDS_INT_FLT && i == 0) {
      d = TL_I32;
    }
    r->args[i] = tl_region_add_param(r->func, r->func->body, tl_scalar(d), NULL);
  }
  tl_dtype result = row->result == TL_RESULT_BOOL ? TL_BOOL : row->result == TL_RESULT_I32 ? TL_I32 : dtype;
  if (row->operands == TL_OPERANDS_BOOL) {
    result = TL_BOOL;
  }
  r->result = tl_build_elementwise(&r->builder, code, result, r->args);
}

void rig_deinit(rig *r) { tl_arena_deinit(&r->arena); }

bool rig_is_floating(const rig *r, uint32_t arg) { return tl_dtype_is_float(tl_type_of(r->func, r->args[arg]).dtype); }

tl_value rig_tangent(rig *r, tl_value of, uint32_t arg) {
  tl_func *f = r->func;
  tl_value *tangents = TL_NEW_ARRAY(&r->arena, tl_value, f->values.count);
  uint32_t op_count = f->body->ops.count;
  bool *needed = TL_NEW_ARRAY(&r->arena, bool, f->values.count);
  needed[of] = true;
  for (uint32_t i = op_count; i-- > 0;) {
    const tl_op *op = f->body->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count && needed[op->first_result]; k++) {
      needed[op->operands[k]] = true;
    }
  }
  tangents[r->args[arg]] = tl_build_float(&r->builder, tl_type_of(f, r->args[arg]).dtype, 1, NULL);
  for (uint32_t i = 0; i < op_count; i++) {
    const tl_op *op = f->body->ops.data[i];
    if (op->code == TL_OP_const || !needed[op->first_result]) {
      continue;
    }
    tl_value operand_tangents[3] = {0};
    for (uint32_t k = 0; k < op->operand_count; k++) {
      operand_tangents[k] = tangents[op->operands[k]];
    }
    tangents[op->first_result] = tl_op_tangent(&r->builder, op, op->operands, op->first_result, operand_tangents);
  }
  return tangents[of] ? tangents[of] : tl_build_zero(&r->builder, tl_type_of(f, r->args[arg]).dtype);
}

long double rig_eval(rig *r, tl_value v, const long double *args) {
  r->func->body->yields.count = 0;
  TL_PUSH(&r->arena, r->func->body->yields, v);
  tl_interp_value given[3], out;
  for (uint32_t i = 0; i < r->arity; i++) {
    tl_dtype d = tl_type_of(r->func, r->args[i]).dtype;
    given[i] = tl_dtype_is_float(d) ? tl_interp_floating(d, args[i]) : tl_interp_integer(d, (int64_t)args[i]);
  }
  tl_interp_opts opts = {.diag = &r->diag};
  tl_status status = tl_interp_run(r->func, r->arity, given, &opts, &out, NULL);
  if (status != TL_OK) {
    fail_msg("%s", r->diag.items.data[0].message);
  }
  long double x = tl_interp_at(&out, 0);
  tl_interp_value_deinit(&out);
  return x;
}

long double rig_epsilon(tl_dtype dtype) {
  return dtype == TL_F32 ? FLT_EPSILON : dtype == TL_F64 ? (long double)DBL_EPSILON : LDBL_EPSILON;
}
