/* Every elementwise op in every dtype over random shapes, broadcasts and views: each element against the interpreter's
 * scalar op, and the refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/dtype.h"
#include "base/small_float.h"
#include "interp/interp.h"
#include "random.h"
#include "tlaloc/tensor.h"

typedef struct call {
  tl_opcode code;
  tl_tensor (*one)(tl_tensor);
  tl_tensor (*two)(tl_tensor, tl_tensor);
} call;
#define ONE(name) {TL_OP_##name, tl_##name, NULL},
#define TWO(name) {TL_OP_##name, NULL, tl_##name},
static const call calls[] = {TL__UNARY(ONE) TL__BINARY(TWO)};
enum { CALLS = sizeof calls / sizeof *calls, MOST = 4096 };

/* A row without an eager op is found here. */
static void test_rows(void **state) {
  (void)state;
  for (int op = 0; op < TL_OP_COUNT; op++) {
    bool found = !tl_op_table[op].elementwise || op == TL_OP_fma || op == TL_OP_select || op == TL_OP_cvt;
    for (int i = 0; i < CALLS && !found; i++) {
      found = (int)calls[i].code == op && tl_op_table[op].arity == (calls[i].one ? 1 : 2);
    }
    if (!found) {
      fail_msg("no eager op for the row '%s'", tl_op_table[op].name);
    }
  }
}

typedef struct operand {
  tl_tensor x;
  tl_dtype dtype;
} operand;

static int random_extents(int64_t *dim) {
  int rank = (int)random_below(5);
  for (int i = 0; i < rank; i++) {
    dim[i] = random_below(12) ? 1 + random_below(6) : 0;
  }
  return rank;
}

/* A tensor whose shape broadcasts to the given one: axes missing in front or of extent 1, and sometimes a view with its
 * axes in another order in memory. */
static tl_tensor random_operand(tl_dtype d, int rank, const int64_t *dim) {
  int drop = rank && random_below(3) == 0 ? (int)random_below(rank + 1) : 0;
  tl_shape shape = {.rank = rank - drop};
  int64_t count = 1;
  for (int i = 0; i < shape.rank; i++) {
    shape.dim[i] = random_below(4) ? dim[i + drop] : 1;
    count *= shape.dim[i];
  }
  static double numbers[MOST];
  for (int64_t i = 0; i < count; i++) {
    double v = random_double(-3, 2);
    v = d == TL_BOOL ? (double)random_below(2) : tl_dtype_is_float(d) ? v : trunc(8 * v);
    numbers[i] = tl_dtype_is_unsigned(d) ? fabs(v) : v;
  }
  tl_tensor x = tl_cast(tl_from(TL_F64, shape, numbers), d);
  if (random_below(2) || !shape.rank) {
    return x;
  }
  /* Stored reversed, seen in order. */
  tl_shape reversed = {.rank = shape.rank};
  for (int i = 0; i < shape.rank; i++) {
    reversed.dim[i] = shape.dim[shape.rank - 1 - i];
  }
  return tl_transpose(tl_reshape(x, reversed), TL_ALL);
}

/* The element of x at an index of the shape that it broadcasts to, as a number. */
static long double element(tl_tensor x, int rank, const int64_t *index) {
  tl_shape s = tl_shape_of(x);
  int64_t at = 0;
  for (int i = 0; i < s.rank; i++) {
    int64_t k = index[i + rank - s.rank];
    at = at * s.dim[i] + (s.dim[i] == 1 ? 0 : k);
  }
  static _Alignas(16) unsigned char data[8 * MOST];
  size_t count = 1;
  for (int i = 0; i < s.rank; i++) {
    count *= (size_t)s.dim[i];
  }
  tl_dtype d = tl_dtype_of(x);
  assert_int_equal(tl_read(x, data, count * tl_dtype_size(d)), TL_OK);
  if (tl_dtype_is_stored_only(d)) {
    return tl__small_float_to(d, tl_dtype_size(d) == 1 ? data[at] : ((uint16_t *)(void *)data)[at]);
  }
  tl_interp_value v = tl_interp_array(d, data, 1, (int64_t[]){(int64_t)count});
  return tl_interp_at(&v, at);
}

static tl_interp_scalar scalar_of(tl_dtype d, long double v) {
  tl_interp_value x = tl_dtype_is_float(d) ? tl_interp_floating(d, v)
                                           : tl_interp_integer(d, d == TL_U64 ? (int64_t)(uint64_t)v : (int64_t)v);
  return x.scalar;
}

static long double number_of(tl_dtype d, tl_interp_scalar s) {
  tl_interp_value v = {.dtype = d, .scalar = s};
  return tl_interp_at(&v, 0);
}

/* The nearest number of a small format beyond x on the way to y, of all that there are. */
static long double next_of_all(tl_dtype d, long double x, long double y) {
  long double best = y;
  for (uint32_t bits = 0; bits < (tl_dtype_size(d) == 1 ? 1U << 8 : 1U << 16); bits++) {
    long double v = tl__small_float_to(d, (uint16_t)bits);
    if (x < y ? v > x && v < best : v < x && v > best) {
      best = v;
    }
  }
  return best;
}

/* What the scalar op gives: in float and rounded once more for a small format. */
static bool scalar_op(tl_opcode code, int arity, const tl_dtype *dtypes, tl_dtype result, const long double *v,
                      long double *out) {
  tl_dtype wide[3];
  tl_interp_scalar s[3], r;
  if (code == TL_OP_nextafter && tl_dtype_is_stored_only(result)) {
    *out = next_of_all(result, v[0], v[1]);
    return true;
  }
  for (int k = 0; k < arity; k++) {
    wide[k] = tl_dtype_is_stored_only(dtypes[k]) ? TL_F32 : dtypes[k];
    s[k] = scalar_of(wide[k], v[k]);
  }
  tl_dtype made = tl_dtype_is_stored_only(result) ? TL_F32 : result;
  if (tl_interp_elementwise(code, wide, made, s, false, &r)) {
    return false;
  }
  *out = number_of(made, r);
  if (made != result) {
    *out = tl__small_float_to(result, tl__small_float_from(result, (double)*out));
  }
  return true;
}

static void check(const call *c, const tl_dtype *dtypes) {
  int arity = c->one ? 1 : 2;
  int64_t dim[TL_MAX_RANK];
  int rank = (int)random_extents(dim);
  tl_tensor x[2];
  for (int k = 0; k < arity; k++) {
    x[k] = random_operand(dtypes[k], rank, dim);
    assert_int_equal(tl_status_of(x[k]), TL_OK);
  }
  tl_tensor y = c->one ? c->one(x[0]) : c->two(x[0], x[1]);
  if (tl_status_of(y) == TL_DTYPE_UNSUPPORTED) {
    assert_true(dtypes[0] == TL_BOOL); /* the caller names only dtypes that the row takes */
    return;
  }
  if (tl_status_of(y) != TL_OK) {
    fail_msg("%s", tl_message_of(y));
  }
  tl_shape s = tl_shape_of(y);
  int64_t index[TL_MAX_RANK] = {0}, count = 1;
  for (int i = 0; i < s.rank; i++) {
    count *= s.dim[i];
  }
  for (int64_t at = 0; at < count; at += 1 + random_below(7)) {
    int64_t rest = at;
    for (int i = s.rank - 1; i >= 0; i--) {
      index[i] = rest % s.dim[i];
      rest /= s.dim[i];
    }
    long double v[2], want, got = element(y, s.rank, index);
    for (int k = 0; k < arity; k++) {
      v[k] = element(x[k], s.rank, index);
    }
    if (scalar_op(c->code, arity, dtypes, tl_dtype_of(y), v, &want) && got != want && !(isnan(got) && isnan(want))) {
      fail_msg("%s in %s: %La %La gives %La, not %La", tl_op_table[c->code].name, tl_dtype_name(dtypes[0]), v[0],
               arity > 1 ? v[1] : 0, got, want);
    }
  }
}

static bool takes(tl_operand_kind kind, tl_dtype d) {
  switch (kind) {
  case TL_OPERANDS_NUM:
    return true;
  case TL_OPERANDS_INT:
    return !tl_dtype_is_float(d);
  case TL_OPERANDS_BOOL:
    return d == TL_BOOL;
  case TL_OPERANDS_FLT:
  case TL_OPERANDS_FLT_INT:
  case TL_OPERANDS_INT_FLT:
    return tl_dtype_is_float(d);
  case TL_OPERANDS_SELECT:
  case TL_OPERANDS_ANY:
  case TL_OPERANDS_OTHER:
    break;
  }
  return false;
}

static void test_values(void **state) {
  (void)state;
  for (int i = 0; i < CALLS; i++) {
    tl_operand_kind kind = tl_op_table[calls[i].code].operands;
    for (int d = 0; d < TL_DTYPE_COUNT; d++) {
      if (d == TL_F80) {
        continue;
      }
      tl_dtype dtypes[2] = {kind == TL_OPERANDS_INT_FLT ? TL_I32 : (tl_dtype)d,
                            kind == TL_OPERANDS_FLT_INT ? TL_I32 : (tl_dtype)d};
      tl_scope s = tl_scope_open();
      if (takes(kind, (tl_dtype)d)) {
        for (int n = 0; n < 12; n++) {
          check(&calls[i], dtypes);
        }
      } else {
        tl_tensor x = tl_fill(dtypes[0], TL_SHAPE(2), 1), y = tl_fill(dtypes[1], TL_SHAPE(2), 1);
        tl_tensor refused = calls[i].one ? calls[i].one(x) : calls[i].two(x, y);
        assert_int_equal(tl_status_of(refused), TL_DTYPE_UNSUPPORTED);
        assert_non_null(strstr(tl_message_of(refused), tl_op_table[calls[i].code].name));
      }
      tl_scope_close(s);
    }
  }
}

/* What C leaves undefined. */
static void test_integer_edges(void **state) {
  (void)state;
  const int32_t x[] = {7, -7, INT32_MIN, INT32_MIN, 1, -1, -5, 5}, y[] = {0, 0, -1, 1, 31, 32, 40, -1};
  const int32_t quotient[] = {-1, -1, INT32_MIN, INT32_MIN, 0, 0, 0, -5}, rest[] = {7, -7, 0, 0, 1, -1, -5, 0};
  const int32_t left[] = {7, -7, 0, 0, INT32_MIN, 0, 0, 0}, right[] = {7, -7, -1, INT32_MIN >> 1, 0, -1, -1, 0};
  int32_t got[8];
  tl_scope s = tl_scope_open();
  tl_tensor a = tl_from(TL_I32, TL_SHAPE(8), x), b = tl_from(TL_I32, TL_SHAPE(8), y);
  assert_int_equal(tl_read(tl_div(a, b), got, sizeof got), TL_OK);
  assert_memory_equal(got, quotient, sizeof got);
  assert_int_equal(tl_read(tl_rem(a, b), got, sizeof got), TL_OK);
  assert_memory_equal(got, rest, sizeof got);
  assert_int_equal(tl_read(tl_shl(a, b), got, sizeof got), TL_OK);
  assert_memory_equal(got, left, sizeof got);
  assert_int_equal(tl_read(tl_shr(a, b), got, sizeof got), TL_OK);
  assert_memory_equal(got, right, sizeof got);
  tl_scope_close(s);
}

static void test_where_and_fma(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  const bool c[] = {true, false, true};
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (d == TL_F80) {
      continue;
    }
    tl_tensor one = tl_fill((tl_dtype)d, TL_SHAPE(2, 1), 1), zero = tl_fill((tl_dtype)d, TL_SCALAR, 0);
    tl_tensor r = tl_cast(tl_where(tl_from(TL_BOOL, TL_SHAPE(3), c), one, zero), TL_F64);
    double got[6];
    assert_int_equal(tl_read(r, got, sizeof got), TL_OK);
    for (int i = 0; i < 6; i++) {
      assert_true(got[i] == c[i % 3]);
    }
  }
  double x = 1 + 0x1p-30, got;
  volatile double rounded = x * x; /* which no compiler contracts */
  tl_tensor t = tl_fill(TL_F64, TL_SCALAR, x);
  assert_int_equal(tl_read(tl_fma(t, t, tl_fill(TL_F64, TL_SCALAR, -1)), &got, sizeof got), TL_OK);
  assert_true(got == fma(x, x, -1) && got != rounded - 1);
  tl_scope_close(s);
}

static void expect(tl_tensor t, tl_status status, const char *message) {
  assert_int_equal(tl_status_of(t), status);
  assert_string_equal(tl_message_of(t), message);
}

static void test_refusals(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  tl_tensor a = tl_fill(TL_F32, TL_SHAPE(2, 3), 1), b = tl_fill(TL_F32, TL_SHAPE(2, 4), 1);
  tl_tensor c = tl_fill(TL_F64, TL_SHAPE(2, 3), 1), i = tl_fill(TL_I32, TL_SHAPE(3), 1);
  tl_tensor bad = tl_add(a, b);
  expect(bad, TL_TENSOR_SHAPE_MISMATCH, "add: axis 1 has extent 3 in one operand, 4 in another");
  expect(tl_mul(a, c), TL_DTYPE_MISMATCH, "mul: operand 0 has dtype f32, operand 1 f64");
  expect(tl_exp(i), TL_DTYPE_UNSUPPORTED, "exp: operand 0 has dtype i32, which it does not take");
  expect(tl_exp(tl_mul(a, bad)), TL_TENSOR_SHAPE_MISMATCH, tl_message_of(bad)); /* handed on */
  expect(tl_where(a, a, a), TL_DTYPE_UNSUPPORTED, "select: operand 0 has dtype f32, which it does not take");
  expect(tl_fill(TL_F32, TL_SHAPE(-2), 1), TL_TENSOR_SHAPE_MISMATCH, "fill: a negative extent");
  expect(tl_fill(TL_F32, TL_SHAPE(1ll << 40, 1ll << 40), 1), TL_TENSOR_SHAPE_MISMATCH,
         "fill: more elements than can be counted");
  expect(tl_fill(TL_F80, TL_SHAPE(2), 1), TL_DTYPE_UNSUPPORTED, "fill: a dtype that tensors do not have");
  expect(tl_reshape(a, TL_SHAPE(4, -1)), TL_TENSOR_SHAPE_MISMATCH,
         "reshape: 6 elements into a shape of 4 and one extent that is open");
  expect(tl_reshape(a, TL_SHAPE(5)), TL_TENSOR_SHAPE_MISMATCH, "reshape: 6 elements into a shape of 5");
  expect(tl_transpose(a, TL_AXES(0, 0)), TL_TENSOR_SHAPE_MISMATCH, "transpose: axis 0 is named twice");
  expect(tl_transpose(a, TL_AXES(0)), TL_TENSOR_SHAPE_MISMATCH, "transpose: 1 axes for a tensor of rank 2");
  expect(tl_broadcast(a, TL_SHAPE(2, 4)), TL_TENSOR_SHAPE_MISMATCH, "broadcast: axis 1 has extent 3, and is to have 4");
  expect(tl_add(NULL, a), TL_OUT_OF_MEMORY, "an allocation failed");
  tl_scope_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),          cmocka_unit_test(test_values),   cmocka_unit_test(test_integer_edges),
      cmocka_unit_test(test_where_and_fma), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
