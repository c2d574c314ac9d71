/* The shape rules where extents are values and axes have names, as the compiler has them; what the eager ops show of
 * them is tested there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ir/shape.h"

static tl_extent number(int64_t n) { return (tl_extent){.fixed = n}; }
static tl_extent value(tl_value v) { return (tl_extent){.value = v}; }
static tl_tensor_type matrix(tl_extent m, const char *row, tl_extent n, const char *column) {
  return (tl_tensor_type){.dtype = TL_F32, .rank = 2, .dim = {m, n}, .axis = {row, column}};
}

static tl_extent product(void *ctx, tl_extent a, tl_extent b) {
  ++*(int *)ctx;
  return value(100 + (a.value ? a.value : (tl_value)a.fixed) * 10 + (b.value ? b.value : (tl_value)b.fixed));
}

static void test_broadcast(void **state) {
  (void)state;
  tl_shape_rules r = {.product = NULL};
  tl_tensor_type out;
  /* A value against 1 is the value, against another number that number; two values are taken to fit. */
  const struct {
    tl_extent x, y, out;
  } cases[] = {
      {value(7), number(1), value(7)},   {number(1), value(7), value(7)},   {value(7), number(3), number(3)},
      {number(3), value(7), number(3)},  {value(7), value(8), value(7)},    {number(1), number(0), number(0)},
      {number(4), number(4), number(4)}, {number(5), number(1), number(5)},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tl_tensor_type x[2] = {matrix(number(2), NULL, cases[i].x, NULL), matrix(number(2), NULL, cases[i].y, NULL)};
    assert_int_equal(tl__shape_elementwise(&r, TL_OP_add, x, TL_DTYPE_COUNT, &out), TL_OK);
    assert_true(out.dim[1].value == cases[i].out.value && out.dim[1].fixed == cases[i].out.fixed);
  }
  tl_tensor_type x[2] = {matrix(number(2), NULL, number(0), NULL), matrix(number(2), NULL, number(3), NULL)};
  assert_int_equal(tl__shape_elementwise(&r, TL_OP_add, x, TL_DTYPE_COUNT, &out), TL_TENSOR_SHAPE_MISMATCH);
}

static void test_names(void **state) {
  (void)state;
  tl_shape_rules r = {.product = NULL};
  tl_tensor_type out, x[2] = {matrix(number(2), "batch", number(3), NULL), matrix(number(2), NULL, number(3), "unit")};
  assert_int_equal(tl__shape_elementwise(&r, TL_OP_mul, x, TL_DTYPE_COUNT, &out), TL_OK);
  assert_string_equal(out.axis[0], "batch");
  assert_string_equal(out.axis[1], "unit");
  /* A vector meets the last axis. */
  x[1] = (tl_tensor_type){.dtype = TL_F32, .rank = 1, .dim = {number(3)}, .axis = {"unit"}};
  assert_int_equal(tl__shape_elementwise(&r, TL_OP_mul, x, TL_DTYPE_COUNT, &out), TL_OK);
  assert_string_equal(out.axis[1], "unit");
  x[0].axis[1] = "feature";
  assert_int_equal(tl__shape_elementwise(&r, TL_OP_mul, x, TL_DTYPE_COUNT, &out), TL_NAMED_INDEX_MISMATCH);
  assert_string_equal(r.message, "mul: axis 'feature' meets axis 'unit'");
  tl_tensor_type t;
  assert_int_equal(tl__shape_transpose(&r, &x[0], &(tl_attr){.axes = TL_ALL}, &t), TL_OK);
  assert_string_equal(t.axis[0], "feature");
  assert_string_equal(t.axis[1], "batch");
}

static tl_status reshape(tl_shape_rules *r, const tl_tensor_type *x, int rank, const tl_extent *dim,
                         tl_tensor_type *out) {
  return tl__shape_reshape(r, x, &(tl_attr){.shape = {rank, dim}}, out);
}

static void test_reshape(void **state) {
  (void)state;
  int products = 0;
  tl_shape_rules r = {.ctx = &products, .product = product};
  tl_tensor_type x = matrix(value(3), "batch", number(4), "unit"), out;
  /* What stays in front or behind keeps its name; -1 is all the elements, as a value. */
  tl_extent parted[] = {value(3), number(2), number(2)}, flat[] = {number(-1)}, open[] = {number(2), number(-1)};
  assert_int_equal(reshape(&r, &x, 3, parted, &out), TL_OK);
  assert_string_equal(out.axis[0], "batch");
  assert_null(out.axis[1]);
  assert_null(out.axis[2]);
  products = 0;
  assert_int_equal(reshape(&r, &x, 1, flat, &out), TL_OK);
  assert_true(products == 1 && out.dim[0].value == 134);
  assert_int_equal(reshape(&r, &x, 2, open, &out), TL_TENSOR_SHAPE_MISMATCH);
  tl_tensor_type y = matrix(number(6), "batch", number(4), "unit");
  tl_extent front[] = {number(2), number(3), number(4)}, two[] = {number(-1), number(-1)},
            none[] = {number(0), number(-1)};
  assert_int_equal(reshape(&r, &y, 3, front, &out), TL_OK);
  assert_null(out.axis[0]);
  assert_string_equal(out.axis[2], "unit");
  assert_int_equal(reshape(&r, &y, 2, two, &out), TL_TENSOR_SHAPE_MISMATCH);
  assert_int_equal(reshape(&r, &y, 2, none, &out), TL_TENSOR_SHAPE_MISMATCH);
  y.dim[0] = y.dim[1] = number((int64_t)1 << 40);
  assert_int_equal(reshape(&r, &y, 1, flat, &out), TL_TENSOR_SHAPE_MISMATCH);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_broadcast), cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_reshape)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
