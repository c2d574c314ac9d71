/* Tensors that stand for values of a program which is being captured, and the hook that records ops on them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/tensor_priv.h"

static _Thread_local tl__recorder *current;
static atomic_uint_fast64_t last_id;

void tl__recorder_enter(tl__recorder *r) {
  r->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
  r->outer = current;
  current = r;
}

void tl__recorder_leave(tl__recorder *r) { current = r->outer; }

tl__recorder *tl__recorder_current(void) { return current; }

tl_tensor tl__tracer_create(const tl__recorder *r, uint32_t value, const tl_tensor_type *type, const int64_t *dim) {
  tl_tensor t = tl__tensor_blank(type->dtype, TL_SCALAR, &(void *){NULL});
  if (t && t->status == TL_OK) {
    t->trace = r->id;
    t->value = value;
    t->rank = type->rank;
    memcpy(t->dim, dim, (size_t)type->rank * sizeof *dim);
    t->count = 0;
    t->data = NULL;
  }
  return t;
}

uint32_t tl__tracer_value(tl_tensor x) { return x->value; }

bool tl__tracer_is_foreign(tl_tensor x) { return x->trace && (!current || x->trace != current->id); }

tl_tensor tl__tracer_refused(const char *op) {
  char message[160];
  snprintf(message, sizeof message,
           "%s: an operand stands for a value of a program that is not being captured here and now", op);
  return tl__tensor_failed(TL_TRACED_TENSOR, message);
}

/* Less than the -1 that a shape may leave open. */
static bool is_handle(int64_t extent) { return extent < -1; }

bool tl__shape_is_traced(tl_shape shape) {
  for (int i = 0; current && i < shape.rank && i < TL_MAX_RANK; i++) {
    if (is_handle(shape.dim[i])) {
      return true;
    }
  }
  return false;
}

int64_t tl__extent_affine(int64_t n, int64_t times, int64_t plus, int64_t over) {
  bool changes = times != 1 || plus != 0 || over != 1;
  return current && changes ? current->extent(current, n, times, plus, over) : n;
}

static bool states_handle(tl_opcode code, const tl_attr *attrs) {
  if (!current || !tl_op_states_shape(code)) {
    return false;
  }
  for (int i = 0; i < attrs[0].shape.rank && i < TL_MAX_RANK; i++) {
    if (is_handle(attrs[0].shape.dim[i].fixed)) {
      return true;
    }
  }
  return false;
}

bool tl__tensor_traced(tl_opcode code, const tl_tensor *x, const tl_attr *attrs, tl_dtype given, tl_tensor *out) {
  bool is_traced = false;
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    is_traced = is_traced || x[i]->trace;
  }
  if (!is_traced && !states_handle(code, attrs)) {
    return false;
  }
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    if (tl__tracer_is_foreign(x[i])) {
      *out = tl__tracer_refused(tl_op_table[code].name);
      return true;
    }
  }
  *out = current->record(current, code, x, attrs, given);
  return true;
}

/* ---- constants ---- */

/* An element as the constant that it is, bit for bit; TL_NO_VALUE where a constant cannot hold it (a NaN with a
 * message of its own). */
static tl_value scalar_constant(tl_builder *b, tl_dtype dtype, const void *element) {
  tl_scope scope = tl_scope_open();
  tl_tensor x = tl_from(dtype, TL_SCALAR, element);
  double number = 0;
  int64_t integer = 0;
  bool is_float = tl_dtype_is_float(dtype);
  tl_tensor wide = tl_cast(x, is_float ? TL_F64 : dtype == TL_U64 ? TL_U64 : TL_I64);
  tl_status status = tl_read(wide, is_float ? (void *)&number : (void *)&integer, 8);
  bool fits = true;
  if (status == TL_OK && is_float && isnan(number)) {
    unsigned char want[8];
    status = tl_read(tl_fill(dtype, TL_SCALAR, copysign(NAN, number)), want, tl_dtype_size(dtype));
    fits = status == TL_OK && memcmp(want, element, tl_dtype_size(dtype)) == 0;
  }
  tl_scope_close(scope);
  if (status != TL_OK) {
    tl__recovery_raise();
  }
  return !fits ? TL_NO_VALUE : is_float ? tl_build_float(b, dtype, number, NULL) : tl_build_int(b, dtype, integer);
}

tl_value tl__tensor_uniform_value(tl_builder *b, tl_tensor x) {
  unsigned char element[8];
  return !x->value && tl__tensor_is_uniform(x, element) ? scalar_constant(b, x->dtype, element) : TL_NO_VALUE;
}
