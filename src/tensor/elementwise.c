/* The eager elementwise ops: the shape by the rule, the elements by the kernels. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/small_float.h"
#include "tensor/tensor_priv.h"

enum { CHUNK = 256 }; /* elements of a small format that are floats at a time */

typedef struct stretch {
  tl_opcode code;
  int arity;
  tl_dtype result, operand[3];
  tl__kernel *kernel; /* of the dtype that is computed in */
  bool widens;        /* an operand or the result is of a small format */
} stretch;

/* The next number of a small format itself, by its bits: of one sign they are in the order of the numbers. */
static uint16_t next_bits(tl_dtype d, uint16_t x, uint16_t y) {
  double from = tl__small_float_to(d, x), to = tl__small_float_to(d, y);
  uint16_t sign = (uint16_t)(1u << (8 * tl_dtype_size(d) - 1));
  if (isnan(from) || isnan(to) || from == to) {
    return isnan(from) ? x : y;
  }
  if (from == 0) {
    return (uint16_t)((y & sign) | 1);
  }
  return (uint16_t)((to > from) == !(x & sign) ? x + 1 : x - 1);
}

static void run_next(tl_dtype d, int64_t n, unsigned char *const at[], const int64_t step[]) {
  size_t size = tl_dtype_size(d);
  for (int64_t i = 0; i < n; i++) {
    uint16_t x[2] = {0, 0}; /* one byte is the low one */
    memcpy(&x[0], at[1] + i * step[1], size);
    memcpy(&x[1], at[2] + i * step[2], size);
    uint16_t next = next_bits(d, x[0], x[1]);
    memcpy(at[0] + i * step[0], &next, size);
  }
}

/* In float, whatever the operands' format. */
static void run_wide(const stretch *s, int64_t n, unsigned char *const at[], const int64_t step[]) {
  float wide[TL__WALK_MOST][CHUNK];
  unsigned char *now[TL__WALK_MOST] = {NULL};
  int64_t now_step[TL__WALK_MOST] = {0};
  bool result_is_small = tl_dtype_is_stored_only(s->result);
  int64_t size = (int64_t)tl_dtype_size(s->result);
  for (int64_t from = 0; from < n; from += CHUNK) {
    int64_t count = n - from < CHUNK ? n - from : CHUNK;
    for (int k = 0; k < s->arity; k++) {
      unsigned char *x = at[k + 1] + from * step[k + 1];
      now[k + 1] = x;
      now_step[k + 1] = step[k + 1];
      if (tl_dtype_is_stored_only(s->operand[k])) {
        tl__convert(TL_F32, wide[k + 1], s->operand[k], x, step[k + 1], count);
        now[k + 1] = (unsigned char *)wide[k + 1];
        now_step[k + 1] = sizeof(float);
      }
    }
    unsigned char *o = at[0] + from * size;
    now[0] = result_is_small ? (unsigned char *)wide[0] : o;
    now_step[0] = result_is_small ? (int64_t)sizeof(float) : size;
    s->kernel(count, now, now_step);
    if (result_is_small) {
      tl__convert(s->result, o, TL_F32, wide[0], sizeof(float), count);
    }
  }
}

static void run_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const stretch *s = ctx;
  if (s->code == TL_OP_cvt) {
    tl__convert(s->result, at[0], s->operand[0], at[1], step[1], n);
  } else if (s->widens && s->code == TL_OP_nextafter) {
    run_next(s->result, n, at, step);
  } else if (s->widens) {
    run_wide(s, n, at, step);
  } else {
    s->kernel(n, at, step);
  }
}

/* The dtype whose kernel computes: that of the operand which is not a bare count or order. */
static tl_dtype computed_in(tl_opcode code, const tl_tensor *x) {
  tl_dtype d = x[tl_op_table[code].operands == TL_OPERANDS_INT_FLT]->dtype;
  return tl_dtype_is_stored_only(d) ? TL_F32 : d;
}

static bool same_shape(int arity, const tl_tensor *x) {
  for (int k = 1; k < arity; k++) {
    if (x[k]->rank != x[0]->rank || memcmp(x[k]->dim, x[0]->dim, (size_t)x[0]->rank * sizeof *x[0]->dim) != 0) {
      return false;
    }
  }
  return true;
}

/* The result, its elements not set. Of operands that are alike the type is told at once: of a few elements the rule
 * takes longer than their sum. */
static tl_tensor result_of(tl_opcode code, bool has_one_shape, const tl_tensor *x, tl_dtype given) {
  int arity = tl_op_table[code].arity;
  tl_shape_rules rules;
  rules.product = NULL;
  bool is_named = false;
  tl_dtype dtypes[3], dtype;
  for (int k = 0; k < arity; k++) {
    is_named = is_named || x[k]->names;
    dtypes[k] = x[k]->dtype;
  }
  if (has_one_shape && !is_named) {
    tl_status status = tl__shape_elementwise_dtype(&rules, code, dtypes, given, &dtype);
    status = status == TL_OK ? tl__tensor_check(&rules, tl_op_table[code].name, dtype, x[0]->rank, x[0]->dim) : status;
    return status == TL_OK ? tl__tensor_create(dtype, x[0]->rank, x[0]->dim) : tl__tensor_failed(status, rules.message);
  }
  tl_tensor_type types[3], result;
  for (int k = 0; k < arity; k++) {
    types[k] = tl__tensor_type(x[k]);
  }
  tl_status status = tl__shape_op(&rules, code, types, NULL, given, &result);
  return status == TL_OK ? tl__tensor_of(&result) : tl__tensor_failed(status, rules.message);
}

tl_tensor tl__elementwise(tl_opcode code, const tl_tensor *x, tl_dtype given) {
  int arity = tl_op_table[code].arity;
  tl_tensor out;
  if (tl__tensor_any_failed(arity, x, &out)) {
    return out;
  }
  if (tl__tensor_traced(code, x, NULL, given, &out)) {
    return out;
  }
  bool straight = same_shape(arity, x);
  out = result_of(code, straight, x, given);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  stretch s = {.code = code,
               .arity = arity,
               .result = out->dtype,
               .widens = code != TL_OP_select && tl_dtype_is_stored_only(out->dtype)};
  unsigned char *at[TL__WALK_MOST] = {out->data};
  int64_t step[TL__WALK_MOST] = {(int64_t)tl_dtype_size(out->dtype)};
  for (int k = 0; k < arity; k++) {
    s.operand[k] = x[k]->dtype;
    s.widens = s.widens || (code != TL_OP_select && tl_dtype_is_stored_only(x[k]->dtype));
    straight = straight && x[k]->is_row_major;
    at[k + 1] = x[k]->data;
    step[k + 1] = (int64_t)tl_dtype_size(x[k]->dtype);
  }
  if (code != TL_OP_cvt) {
    const tl__loops *loops = tl__loops_here();
    s.kernel = code == TL_OP_select ? loops->where_of(out->dtype) : loops->kernel_of(code, computed_in(code, x));
    assert(s.kernel);
  }
  if (straight) {
    run_stretch(&s, out->count, at, step);
    return out;
  }
  int64_t strides[3][TL_MAX_RANK];
  const int64_t *all[TL__WALK_MOST] = {out->stride};
  for (int k = 0; k < arity; k++) {
    tl__walk_strides(x[k], x[k]->rank, out->rank, out->dim, strides[k]);
    all[k + 1] = strides[k];
  }
  tl__walk w;
  tl__walk_init(&w, out->rank, out->dim, arity + 1, all);
  tl__walk_run(&w, at, run_stretch, &s);
  return out;
}

#define DEFINE_UNARY(name)                                                                                             \
  tl_tensor tl_##name(tl_tensor x) { return tl__elementwise(TL_OP_##name, &x, TL_DTYPE_COUNT); }
#define DEFINE_BINARY(name)                                                                                            \
  tl_tensor tl_##name(tl_tensor x, tl_tensor y) {                                                                      \
    return tl__elementwise(TL_OP_##name, (tl_tensor[]){x, y}, TL_DTYPE_COUNT);                                         \
  }
TL__UNARY(DEFINE_UNARY)
TL__BINARY(DEFINE_BINARY)

tl_tensor tl_fma(tl_tensor x, tl_tensor y, tl_tensor z) {
  return tl__elementwise(TL_OP_fma, (tl_tensor[]){x, y, z}, TL_DTYPE_COUNT);
}

tl_tensor tl_where(tl_tensor condition, tl_tensor x, tl_tensor y) {
  return tl__elementwise(TL_OP_select, (tl_tensor[]){condition, x, y}, TL_DTYPE_COUNT);
}

tl_tensor tl_cast(tl_tensor x, tl_dtype dtype) {
  tl_shape_rules rules;
  tl_status status = tl__tensor_check(&rules, "cast", dtype, 0, NULL);
  return status != TL_OK ? tl__tensor_failed(status, rules.message) : tl__elementwise(TL_OP_cvt, &x, dtype);
}
