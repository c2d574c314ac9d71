/* Ops on arrays that are made of others, where their values are integers or at their edges, and what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tlaloc/tensor.h"

static tl_scope scope;
static int set_up(void **state) {
  (void)state;
  scope = tl_scope_open();
  return !scope;
}
static int tear_down(void **state) {
  (void)state;
  tl_scope_close(scope);
  return 0;
}

static void check_ints(tl_tensor x, tl_dtype dtype, int count, const int64_t *want) {
  assert_string_equal(tl_message_of(x), "");
  assert_int_equal(tl_dtype_of(x), dtype);
  int64_t got[32];
  assert_int_equal(tl_read(tl_cast(x, TL_I64), got, sizeof *got * (size_t)count), TL_OK);
  for (int i = 0; i < count; i++) {
    assert_int_equal(got[i], want[i]);
  }
}
#define CHECK_INTS(x, dtype, ...)                                                                                      \
  check_ints(x, dtype, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static void check_numbers(tl_tensor x, tl_dtype dtype, int count, const double *want) {
  assert_string_equal(tl_message_of(x), "");
  assert_int_equal(tl_dtype_of(x), dtype);
  double got[32];
  assert_int_equal(tl_read(tl_cast(x, TL_F64), got, sizeof *got * (size_t)count), TL_OK);
  for (int i = 0; i < count; i++) {
    assert_true(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])));
  }
}
#define CHECK_NUMBERS(x, dtype, ...)                                                                                   \
  check_numbers(x, dtype, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void check_refused(tl_tensor x, tl_status status, const char *message) {
  assert_int_equal(tl_status_of(x), status);
  assert_string_equal(tl_message_of(x), message);
}

#define INTS(dtype, ...)                                                                                               \
  tl_cast(tl_from(TL_I64, TL_SHAPE(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__}),     \
          dtype)
#define NUMBERS(dtype, ...)                                                                                            \
  tl_cast(tl_from(TL_F64, TL_SHAPE(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__}), dtype)

static void powers_of_integers(void **state) {
  (void)state;
  tl_tensor x = INTS(TL_I32, 3, -2, 0, 0, 7, -1, -1, 1, 2, 0);
  CHECK_INTS(tl_power(x, INTS(TL_I64, 4, 3, 0, 5, -1, -3, -4, -9, -1, -2)), TL_I32, 81, -8, 1, 0, 0, -1, 1, 1, 0, -1);
  CHECK_INTS(tl_power(INTS(TL_I64, 3, 2, -3, 3), INTS(TL_U8, 39, 63, 39, 41)), TL_I64, 4052555153018976267, INT64_MIN,
             -4052555153018976267, -420491770248316829);
  CHECK_INTS(tl_power(INTS(TL_U8, 3, 16), INTS(TL_I32, 6, 2)), TL_U8, 729 % 256, 0);
  CHECK_INTS(tl_power(INTS(TL_I32, 2, 9), NUMBERS(TL_F32, 0.5, 0.5)), TL_I32, 1, 3);
  CHECK_NUMBERS(tl_power(NUMBERS(TL_F64, 3, 2), INTS(TL_I32, 2, -1)), TL_F64, 9, 0.5);
  CHECK_NUMBERS(tl_power(NUMBERS(TL_F16, 3, 2), INTS(TL_I64, 2, -1)), TL_F16, 9, 0.5);
  check_refused(tl_power(tl_fill(TL_BOOL, TL_SHAPE(2), 1), x), TL_DTYPE_UNSUPPORTED,
                "power: of truth values it is none");
}

static void numbers_that_are_none(void **state) {
  (void)state;
  tl_tensor x = NUMBERS(TL_F16, 1, INFINITY, -INFINITY, NAN);
  CHECK_INTS(tl_is_nan(x), TL_BOOL, 0, 0, 0, 1);
  CHECK_INTS(tl_is_inf(x, true, true), TL_BOOL, 0, 1, 1, 0);
  CHECK_INTS(tl_is_inf(x, true, false), TL_BOOL, 0, 0, 1, 0);
  CHECK_INTS(tl_is_inf(x, false, true), TL_BOOL, 0, 1, 0, 0);
  CHECK_INTS(tl_is_inf(x, false, false), TL_BOOL, 0, 0, 0, 0);
  CHECK_INTS(tl_is_inf(tl_cast(x, TL_F8E4M3FN), true, true), TL_BOOL, 0, 0, 0, 0); /* it has none */
  check_refused(tl_is_nan(INTS(TL_I32, 1)), TL_DTYPE_UNSUPPORTED,
                "is_nan: operand 0 has dtype i32, which it does not take");
}

static void lists_of_operands(void **state) {
  (void)state;
  tl_tensor x[] = {INTS(TL_I8, 100, -100, 3), INTS(TL_I8, 100, -100, 4), INTS(TL_I8, 1, 1, 2)};
  CHECK_INTS(tl_reduce_list(TL_REDUCE_ADD, 3, x), TL_I8, -55, 57, 9);
  CHECK_INTS(tl_reduce_list(TL_REDUCE_MUL, 2, x + 1), TL_I8, 100, -100, 8);
  CHECK_INTS(tl_reduce_list(TL_REDUCE_MIN, 3, x), TL_I8, 1, -100, 2);
  CHECK_INTS(tl_reduce_list(TL_REDUCE_MAX, 1, x), TL_I8, 100, -100, 3);
  tl_tensor truth[] = {INTS(TL_BOOL, 1, 0, 1), INTS(TL_BOOL, 1, 0, 0)};
  CHECK_INTS(tl_reduce_list(TL_REDUCE_ADD, 2, truth), TL_BOOL, 1, 0, 1);
  CHECK_INTS(tl_reduce_list(TL_REDUCE_MUL, 2, truth), TL_BOOL, 1, 0, 0);
  /* Summed in float: in F16 the second of three would be lost. */
  tl_tensor halves[] = {NUMBERS(TL_F16, 2048), NUMBERS(TL_F16, 1), NUMBERS(TL_F16, 1)};
  CHECK_NUMBERS(tl_reduce_list(TL_REDUCE_ADD, 3, halves), TL_F16, 2050);
  CHECK_NUMBERS(tl_mean_list(3, halves), TL_F16, 683.5);
  check_refused(tl_reduce_list(TL_REDUCE_ADD, 0, x), TL_TENSOR_SHAPE_MISMATCH, "reduce_list: no operand");
  check_refused(tl_mean_list(2, x), TL_DTYPE_UNSUPPORTED, "mean_list: of integers it would not be one: cast them");
  check_refused(tl_reduce_list(TL_REDUCE_MAX, 2, (tl_tensor[]){x[0], truth[0]}), TL_DTYPE_MISMATCH,
                "reduce_list: operand 0 has dtype i8, operand 1 i1");
}

static tl_tensor scalar(tl_dtype dtype, double x) { return tl_fill(dtype, TL_SCALAR, x); }

static void ranges(void **state) {
  (void)state;
  CHECK_INTS(tl_range(scalar(TL_I32, 1), scalar(TL_I32, 8), scalar(TL_I32, 3)), TL_I32, 1, 4, 7);
  CHECK_INTS(tl_range(scalar(TL_I32, 10), scalar(TL_I32, 4), scalar(TL_I32, -3)), TL_I32, 10, 7);
  uint64_t low = UINT64_MAX - 4, high = UINT64_MAX;
  tl_tensor big = tl_range(tl_from(TL_U64, TL_SCALAR, &low), tl_from(TL_U64, TL_SCALAR, &high), scalar(TL_U64, 2));
  CHECK_INTS(big, TL_U64, -5, -3);
  assert_int_equal(tl_shape_of(tl_range(scalar(TL_I64, 3), scalar(TL_I64, 3), scalar(TL_I64, 1))).dim[0], 0);
  CHECK_NUMBERS(tl_range(scalar(TL_F32, 0.5), scalar(TL_F32, 2), scalar(TL_F32, 0.5)), TL_F32, 0.5, 1, 1.5);
  check_refused(tl_range(scalar(TL_I32, 0), scalar(TL_I32, 8), scalar(TL_I32, 0)), TL_TENSOR_SHAPE_MISMATCH,
                "range: it would have no end");
  check_refused(tl_range(scalar(TL_I32, 0), scalar(TL_I64, 8), scalar(TL_I32, 1)), TL_DTYPE_MISMATCH,
                "range: operand 1 has rank 0 and dtype i64, operand 0 dtype i32");
}

static void indices_from_behind(void **state) {
  (void)state;
  tl_tensor x = INTS(TL_I16, 10, 20, 30), far = INTS(TL_I32, -4), near = INTS(TL_I32, 2, -1, -3);
  CHECK_INTS(tl_take(x, near, 0, TL_INDEX_CHECK), TL_I16, 30, 30, 10);
  CHECK_INTS(tl_gather_elements(x, near, 0, TL_INDEX_CHECK), TL_I16, 30, 30, 10);
  CHECK_INTS(tl_take(x, far, 0, TL_INDEX_CLIP), TL_I16, 10);
  CHECK_INTS(tl_take(x, far, 0, TL_INDEX_DROP), TL_I16, 0);
  assert_int_equal(tl_status_of(tl_take(x, far, 0, TL_INDEX_CHECK)), TL_INDEX_OUT_OF_RANGE);
  assert_int_equal(tl_status_of(tl_gather_elements(x, far, 0, TL_INDEX_CHECK)), TL_INDEX_OUT_OF_RANGE);
  CHECK_INTS(tl_scatter_elements(x, near, INTS(TL_I16, 1, 2, 3), 0, TL_REDUCE_ADD, TL_INDEX_CHECK), TL_I16, 13, 20, 33);
  CHECK_INTS(tl_scatter_elements(x, near, INTS(TL_I16, 1, 2, 3), 0, TL_REDUCE_REPLACE, TL_INDEX_CHECK), TL_I16, 3, 20,
             2);
  CHECK_INTS(tl_scatter_elements(x, far, INTS(TL_I16, 9), 0, TL_REDUCE_REPLACE, TL_INDEX_DROP), TL_I16, 10, 20, 30);
  tl_tensor pairs = tl_reshape(INTS(TL_I64, -1, 0, 1, -1), TL_SHAPE(2, 2)), m = tl_iota(TL_I32, TL_SHAPE(2, 3), 1);
  CHECK_INTS(tl_gather_nd(m, pairs, 0, TL_INDEX_CHECK), TL_I32, 0, 2);
  CHECK_INTS(tl_scatter_nd(m, pairs, INTS(TL_I32, 7, 8), TL_REDUCE_MAX, TL_INDEX_CHECK), TL_I32, 0, 1, 2, 7, 1, 8);
  CHECK_INTS(tl_one_of(near, 3, -1, scalar(TL_I8, -1), scalar(TL_I8, 1)), TL_I8, -1, -1, 1, -1, -1, 1, 1, -1, -1);
  check_refused(tl_gather_elements(m, near, 0, TL_INDEX_CHECK), TL_TENSOR_SHAPE_MISMATCH,
                "gather_elements: indices of rank 1 into a tensor of rank 2");
  check_refused(tl_scatter_elements(x, near, INTS(TL_I16, 1), 0, TL_REDUCE_ADD, TL_INDEX_CHECK),
                TL_TENSOR_SHAPE_MISMATCH, "scatter_elements: indices and updates differ in shape");
  check_refused(tl_gather_nd(x, pairs, 0, TL_INDEX_CHECK), TL_TENSOR_SHAPE_MISMATCH,
                "gather_nd: indices of rank 2 into a tensor of rank 1");
  check_refused(tl_scatter_nd(m, pairs, x, TL_REDUCE_ADD, TL_INDEX_CHECK), TL_TENSOR_SHAPE_MISMATCH,
                "scatter_nd: the updates have another shape than what the indices name");
  tl_tensor none = tl_gather_elements(m, tl_fill(TL_I64, TL_SHAPE(0, 3), 0), 0, TL_INDEX_CHECK);
  assert_int_equal(tl_status_of(none), TL_OK);
  assert_int_equal(tl_shape_of(none).dim[0], 0);
}

static void slices_that_go_back(void **state) {
  (void)state;
  tl_tensor x = tl_iota(TL_I32, TL_SHAPE(7), 0);
  CHECK_INTS(tl_slice(x, TL_INTS(6), TL_INTS(-1), TL_INTS(-3)), TL_I32, 6, 3, 0);
  CHECK_INTS(tl_slice(x, TL_INTS(5), TL_INTS(0), TL_INTS(-2)), TL_I32, 5, 3, 1);
  assert_int_equal(tl_shape_of(tl_slice(x, TL_INTS(2), TL_INTS(2), TL_INTS(-1))).dim[0], 0);
  check_refused(tl_slice(x, TL_INTS(7), TL_INTS(0), TL_INTS(-1)), TL_TENSOR_SHAPE_MISMATCH,
                "slice: from 7 to 0 by -1 on axis 0, which has extent 7");
  check_refused(tl_slice(x, TL_INTS(1), TL_INTS(-2), TL_INTS(-1)), TL_TENSOR_SHAPE_MISMATCH,
                "slice: from 1 to -2 by -1 on axis 0, which has extent 7");
  check_refused(tl_slice(x, TL_INTS(1), TL_INTS(0), TL_INTS(INT64_MIN)), TL_TENSOR_SHAPE_MISMATCH,
                "slice: from 1 to 0 by -9223372036854775808 on axis 0, which has extent 7");
}

static void quantized_integers(void **state) {
  (void)state;
  tl_tensor x = NUMBERS(TL_F32, 0.5, 1.5, 2.5, -1000, 1000, NAN);
  CHECK_INTS(tl_quantize(x, scalar(TL_F32, 1), scalar(TL_U8, 3), 0), TL_U8, 3, 5, 5, 0, 255, 0);
  CHECK_INTS(tl_quantize(x, scalar(TL_F32, 0.5), scalar(TL_I8, 0), 0), TL_I8, 1, 3, 5, -128, 127, 0);
  tl_tensor rows = tl_reshape(NUMBERS(TL_F64, 2, 4, 2, 4), TL_SHAPE(2, 2)), scales = NUMBERS(TL_F64, 1, 2);
  tl_tensor q = tl_quantize(rows, scales, INTS(TL_I8, 0, 10), 0);
  CHECK_INTS(q, TL_I8, 2, 4, 11, 12);
  CHECK_NUMBERS(tl_dequantize(q, scales, INTS(TL_I8, 0, 10), 0), TL_F64, 2, 4, 2, 4);
  tl_quantized zeros = tl_quantize_range(tl_fill(TL_F32, TL_SHAPE(3), 0));
  CHECK_INTS(zeros.values, TL_U8, 0, 0, 0);
  CHECK_NUMBERS(zeros.scale, TL_F32, 0);
  check_refused(tl_quantize(x, scalar(TL_F32, 1), scalar(TL_I64, 0), 0), TL_DTYPE_UNSUPPORTED,
                "quantize: the zero point has dtype i64, not i8, u8, i16, u16 or i32");
  check_refused(tl_dequantize(q, scales, scalar(TL_U8, 0), 0), TL_DTYPE_MISMATCH,
                "dequantize: the integers have dtype i8, their zero point u8");
  check_refused(tl_quantize(rows, rows, scalar(TL_U8, 0), 0), TL_TENSOR_SHAPE_MISMATCH,
                "quantize: a scale or zero point of rank 2; it has one number, or one for each place on an axis");
}

static void sizes(void **state) {
  (void)state;
  tl_tensor x = NUMBERS(TL_F64, 0, 1, 2, 3);
  CHECK_NUMBERS(tl_resize(x, TL_SHAPE(4), (tl_resize_opts){.method = TL_RESIZE_CUBIC}), TL_F64, 0, 1, 2, 3);
  CHECK_NUMBERS(
      tl_resize(x, TL_SHAPE(7), (tl_resize_opts){.method = TL_RESIZE_LINEAR, .places = TL_RESIZE_ALIGN_CORNERS}),
      TL_F64, 0, 0.5, 1, 1.5, 2, 2.5, 3);
  CHECK_INTS(tl_resize(INTS(TL_U8, 1, 2), TL_SHAPE(4), (tl_resize_opts){.method = TL_RESIZE_NEAREST}), TL_U8, 1, 1, 2,
             2);
  assert_int_equal(tl_status_of(tl_resize(x, TL_SHAPE(0), (tl_resize_opts){.method = TL_RESIZE_LINEAR})), TL_OK);
  check_refused(tl_resize(INTS(TL_U8, 1, 2), TL_SHAPE(4), (tl_resize_opts){.method = TL_RESIZE_LINEAR}),
                TL_DTYPE_UNSUPPORTED, "resize: what lies between elements of dtype u8 and rank 1");
  check_refused(tl_resize(x, TL_SHAPE(-1), (tl_resize_opts){.method = TL_RESIZE_LINEAR}), TL_TENSOR_SHAPE_MISMATCH,
                "resize: axis 0 of extent 4 to -1");
  CHECK_NUMBERS(tl_cosine_window(TL_F64, 1, true, 2, (double[]){0.5, 0.5}), TL_F64, 1);
  CHECK_NUMBERS(tl_cast(tl_cosine_window(TL_F64, 4, true, 2, (double[]){0.5, 0.5}), TL_F16), TL_F16, 0, 0.5, 1, 0.5);
  CHECK_INTS(tl_eye(TL_I8, 2, 3, 1), TL_I8, 0, 1, 0, 0, 0, 1);
  CHECK_INTS(tl_extents(tl_fill(TL_F32, TL_SHAPE(3, 0, 5), 0), 1, 3), TL_I64, 0, 5);
  CHECK_INTS(tl_size(tl_fill(TL_F32, TL_SHAPE(3, 2), 0)), TL_I64, 6);
  check_refused(tl_extents(x, 1, 3), TL_TENSOR_SHAPE_MISMATCH, "extents: of the axes from 1 to 3, of 1");
  assert_int_equal(tl_status_of(tl_eye(TL_I8, -1, 3, 1)), TL_TENSOR_SHAPE_MISMATCH);
  check_refused(tl_depth_to_space(tl_fill(TL_F32, TL_SHAPE(1, 6, 2, 2), 0), 2, false), TL_TENSOR_SHAPE_MISMATCH,
                "depth_to_space: 6 channels in blocks of 2 by 2");
  check_refused(tl_space_to_depth(tl_fill(TL_F32, TL_SHAPE(1, 1, 3, 2), 0), 2), TL_TENSOR_SHAPE_MISMATCH,
                "space_to_depth: 3 rows and 2 columns in blocks of 2");
}

static void places_of_the_largest(void **state) {
  (void)state;
  tl_tensor x = INTS(TL_I32, 3, 1, 3, 2, 1);
  CHECK_INTS(tl_argmax_last(x, 0, false), TL_I64, 2);
  CHECK_INTS(tl_argmin_last(x, -1, true), TL_I64, 4);
  CHECK_INTS(tl_hardmax(x, 0), TL_I32, 1, 0, 0, 0, 0);
  CHECK_INTS(tl_least_k(x, 2, 0).indices, TL_I64, 1, 4);
  tl_tensor image = tl_reshape(NUMBERS(TL_F32, 1, 5, 2, 5, NAN, 0), TL_SHAPE(1, 1, 2, 3));
  tl_pool_opts o = {.window = TL_INTS(2, 2), .stride = TL_INTS(1, 1)};
  CHECK_INTS(tl_max_pool_places(image, o), TL_I64, 4, 4); /* of NaN */
  o.padding = TL_INTS(1, 1);
  tl_tensor whole = tl_reshape(NUMBERS(TL_F32, 4, 3, 2, 1), TL_SHAPE(1, 1, 2, 2));
  CHECK_INTS(tl_max_pool_places(whole, o), TL_I64, 0, 0, 1, 0, 0, 1, 2, 2, 3);
  CHECK_INTS(tl_place_flat(INTS(TL_I8, 1, 2, 3), INTS(TL_I64, 4, 0, 4), TL_SHAPE(2, 3)), TL_I8, 2, 0, 0, 0, 3, 0);
  assert_int_equal(tl_status_of(tl_place_flat(x, INTS(TL_I64, 9, 0, 0, 0, 0), TL_SHAPE(3))), TL_INDEX_OUT_OF_RANGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_of_integers),    cmocka_unit_test(numbers_that_are_none),
      cmocka_unit_test(lists_of_operands),     cmocka_unit_test(ranges),
      cmocka_unit_test(indices_from_behind),   cmocka_unit_test(slices_that_go_back),
      cmocka_unit_test(quantized_integers),    cmocka_unit_test(sizes),
      cmocka_unit_test(places_of_the_largest),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
