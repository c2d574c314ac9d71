/* The samples of the elementwise rows, made from their columns. */
#include <stdio.h>
#include <string.h>

#include "../ops/rig.h"
#include "sample.h"

/* What the samples column means here; points keep off kinks by more than the steps of differences. */
static sweep_domain domain_of(samples column, uint32_t which) {
  switch (column) {
  case ALL:
    return (sweep_domain){.low = -3, .high = 3};
  case POSITIVE:
    return (sweep_domain){.low = 0.6, .high = 3};
  case UNIT:
    return (sweep_domain){.low = -0.8, .high = 0.8};
  case ABOVE_ONE:
    return (sweep_domain){.low = 1.3, .high = 4};
  case NONZERO:
    return (sweep_domain){.low = 0.5, .high = 3, .both_signs = true};
  case OFF_INTEGER:
    return (sweep_domain){.low = -3, .high = 3, .grid = 1, .offset = 0.5, .jitter = 0.3};
  case POW:
    return which ? (sweep_domain){.low = -2, .high = 2} : (sweep_domain){.low = 0.5, .high = 3};
  case DISTINCT:
    return (sweep_domain){.low = -2, .high = 2, .grid = 0.5, .offset = which ? 0.25 : 0, .jitter = 0.1};
  case SMALL_INT:
    return (sweep_domain){.low = 0, .high = 5};
  }
  return (sweep_domain){.low = 0, .high = 1};
}

/* Rows with jumps that their column does not tell of. */
static sweep_domain domain(tl_opcode code, uint32_t which) {
  switch ((int)code) {
  case TL_OP_fmod:
  case TL_OP_remainder:
  case TL_OP_remquo_quotient: /* quotients near a quarter, off integers and halves */
    return which ? (sweep_domain){.low = 1.9, .high = 2.1}
                 : (sweep_domain){.low = -2, .high = 3, .grid = 2, .offset = 0.5, .jitter = 0.1};
  case TL_OP_logb:
  case TL_OP_ilogb:
  case TL_OP_frexp_exponent:
  case TL_OP_frexp_fraction: /* off powers of two */
    return (sweep_domain){.low = 1.1, .high = 1.9};
  default:
    return domain_of(rig_samples[code], which);
  }
}

typedef struct maker {
  tl_opcode code;
  sweep_visitor *visit;
  void *ctx;
} maker;

/* Operands of these dtypes, tensors of the shape where a bit of `tensors` is set. */
static void make(const maker *m, const tl_dtype *dtypes, tl_dtype result, const char *shape, unsigned tensors) {
  char text[512], name[128], operands[64] = "";
  const tl_op_info *row = &tl_op_table[m->code];
  sweep_sample s = {.name = name, .text = text};
  int n = snprintf(text, sizeof text, "func @f("), at = 0;
  for (int i = 0; i < row->arity; i++) {
    bool is_tensor = tensors >> i & 1;
    n += snprintf(text + n, sizeof text - (size_t)n, "%s%%x%d: %s%s%s%s", i ? ", " : "", i, tl_dtype_name(dtypes[i]),
                  is_tensor ? "<" : "", is_tensor ? shape : "", is_tensor ? ">" : "");
    at += snprintf(operands + at, sizeof operands - (size_t)at, "%s%%x%d", i ? ", " : "", i);
    s.domains[i] = domain(m->code, (uint32_t)i);
    if (!tl_dtype_is_float(dtypes[i])) {
      bool counts = row->operands == TL_OPERANDS_FLT_INT || row->operands == TL_OPERANDS_INT_FLT;
      s.domains[i] = dtypes[i] == TL_BOOL ? (sweep_domain){.low = 0, .high = 2}
                     : counts             ? (sweep_domain){.low = 0, .high = 4}
                                          : (sweep_domain){.low = 1, .high = 6};
    }
  }
  snprintf(text + n, sizeof text - (size_t)n, ") -> (return) { %%y: %s<%s> = %s %s yield %%y }", tl_dtype_name(result),
           shape, row->name, operands);
  snprintf(name, sizeof name, "%s of %s<%s>, tensors %x", row->name, tl_dtype_name(dtypes[0]), shape, tensors);
  m->visit(m->ctx, &s);
}

static void make_all(const maker *m, const tl_dtype *dtypes, tl_dtype result) {
  static const char *const shapes[] = {"", "0", "1", "a=2, 3"};
  unsigned all = (1U << tl_op_table[m->code].arity) - 1;
  for (int i = 0; i < 4; i++) {
    make(m, dtypes, result, shapes[i], all);
  }
  for (unsigned tensors = 1; tensors < all; tensors++) {
    make(m, dtypes, result, "a=2, 3", tensors);
  }
}

void sweep_each_elementwise(tl_opcode code, sweep_visitor *visit, void *ctx) {
  static const tl_dtype numbers[] = {TL_F64, TL_I32, TL_U8, TL_I64}, integers[] = {TL_BOOL, TL_I32, TL_U8, TL_I64};
  static const tl_dtype converted[][2] = {{TL_F64, TL_F32},  {TL_F64, TL_I32}, {TL_I32, TL_F64}, {TL_BOOL, TL_F64},
                                          {TL_F64, TL_BOOL}, {TL_I64, TL_U8},  {TL_F32, TL_F64}, {TL_F64, TL_F64}};
  const tl_op_info *row = &tl_op_table[code];
  maker m = {code, visit, ctx};
  for (int k = 0; k < 8; k++) {
    tl_dtype d[3], result = TL_F64;
    bool more = false;
    switch (row->operands) {
    case TL_OPERANDS_NUM:
      more = k < 4;
      d[0] = d[1] = d[2] = result = numbers[k % 4];
      break;
    case TL_OPERANDS_INT:
      more = k < 4;
      d[0] = d[1] = d[2] = result = integers[k % 4];
      /* the rows of numbers among them do not take i1 */
      more = more && !(d[0] == TL_BOOL && (code == TL_OP_rem || code == TL_OP_shl || code == TL_OP_shr));
      if (!more && k == 0) {
        continue;
      }
      break;
    case TL_OPERANDS_FLT:
      more = k < 1;
      d[0] = d[1] = d[2] = TL_F64;
      break;
    case TL_OPERANDS_BOOL:
      more = k < 1;
      d[0] = result = TL_BOOL;
      break;
    case TL_OPERANDS_FLT_INT:
      more = k < 1;
      d[0] = TL_F64;
      d[1] = TL_I32;
      break;
    case TL_OPERANDS_INT_FLT:
      more = k < 1;
      d[0] = TL_I32;
      d[1] = TL_F64;
      break;
    case TL_OPERANDS_SELECT:
      more = k < 2;
      d[0] = TL_BOOL;
      d[1] = d[2] = result = k ? TL_I32 : TL_F64;
      break;
    case TL_OPERANDS_ANY:
      more = true;
      d[0] = converted[k][0];
      result = converted[k][1];
      break;
    case TL_OPERANDS_OTHER:
      break;
    }
    if (!more) {
      return;
    }
    result = row->result == TL_RESULT_BOOL ? TL_BOOL : row->result == TL_RESULT_I32 ? TL_I32 : result;
    make_all(&m, d, result);
  }
}
