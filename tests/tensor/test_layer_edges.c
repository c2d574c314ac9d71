/* Pools, cumulative ops, normalisation by batches, tables and sparse products: what PyTorch's values do not show. Other
 * dtypes, indices outside, ties, refusals by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "tlaloc/tensor.h"

static tl_tensor row(int count, const double *x) { return tl_from(TL_F64, TL_SHAPE(count), x); }
static tl_tensor indices(int count, const int64_t *x) { return tl_from(TL_I64, TL_SHAPE(count), x); }
#define ROW(...) row(sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})
#define INDICES(...) indices(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

/* Bit for bit, but that a NaN is a NaN. */
static void expect(tl_tensor got, int count, const double *want) {
  double x[64];
  if (tl_status_of(got) != TL_OK) {
    fail_msg("%s", tl_message_of(got));
  }
  tl_tensor wide = tl_cast(got, TL_F64);
  assert_int_equal(tl_read(wide, x, (size_t)count * sizeof *x), TL_OK);
  for (int i = 0; i < count; i++) {
    assert_true(x[i] == want[i] || (isnan(x[i]) && isnan(want[i])));
  }
}
#define EXPECT(got, ...) expect(got, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void refused(tl_tensor x, tl_status status, const char *words) {
  assert_int_equal(tl_status_of(x), status);
  if (!strstr(tl_message_of(x), words)) {
    fail_msg("%s", tl_message_of(x));
  }
}

static tl_tensor line(tl_tensor x) { return tl_reshape(x, TL_SHAPE(1, 1, -1)); }

static void pools_of_other_dtypes(void **state) {
  (void)state;
  tl_tensor x = line(ROW(-3, -7, -5, -1));
  tl_pool_opts o = {.window = TL_INTS(3), .stride = TL_INTS(1), .padding = TL_INTS(1)};
  static const tl_dtype dtypes[] = {TL_F64, TL_F32, TL_F16, TL_BF16, TL_F8E4M3FN, TL_I8, TL_I16, TL_I32, TL_I64};
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    tl_tensor got = tl_max_pool(tl_cast(x, dtypes[i]), o);
    assert_int_equal(tl_dtype_of(got), dtypes[i]);
    EXPECT(got, -3, -3, -1, -1);
  }
  EXPECT(tl_max_pool(line(ROW(1, NAN, 2, 3)), o), NAN, NAN, NAN, 3);
  /* 2049 + 2048 is no number of F16; the mean of the two, rounded once, is. */
  tl_pool_opts pair = {.window = TL_INTS(2)};
  EXPECT(tl_avg_pool(tl_cast(line(ROW(2048, 2050)), TL_F16), pair), 2049 - 1);
  EXPECT(tl_avg_pool(tl_cast(line(ROW(65504, 65504)), TL_F16), pair), 65504);
  refused(tl_avg_pool(tl_cast(x, TL_I32), pair), TL_DTYPE_UNSUPPORTED, "avg_pool");
}

/* A window that starts in the padding behind is none; one that ends beyond it counts what is inside. */
static void pools_to_the_end(void **state) {
  (void)state;
  tl_tensor x = line(ROW(1, 2, 3, 4, 5));
  tl_pool_opts o = {.window = TL_INTS(2), .stride = TL_INTS(3), .padding = TL_INTS(1), .ceil_mode = true};
  EXPECT(tl_avg_pool(x, o), 0.5, 3.5);
  o.without_padding = true;
  EXPECT(tl_avg_pool(x, o), 1, 3.5);
  tl_pool_opts beyond = {.window = TL_INTS(2), .ceil_mode = true};
  EXPECT(tl_avg_pool(x, beyond), 1.5, 3.5, 5);
  EXPECT(tl_max_pool(x, beyond), 2, 4, 5);
  beyond.padding = TL_INTS(1);
  beyond.padding_behind = TL_INTS(0);
  EXPECT(tl_avg_pool(x, beyond), 0.5, 2.5, 4.5);
  tl_pool_opts unequal = {
      .window = TL_INTS(3), .stride = TL_INTS(1), .padding = TL_INTS(2), .padding_behind = TL_INTS(1)};
  EXPECT(tl_max_pool(line(ROW(4, 1)), unequal), 4, 4, 4);
}

static void pools_refuse(void **state) {
  (void)state;
  tl_tensor x = line(ROW(1, 2, 3));
  refused(tl_max_pool(x, (tl_pool_opts){.window = TL_INTS(2, 2)}), TL_TENSOR_SHAPE_MISMATCH, "max_pool: x has rank 3");
  refused(tl_max_pool(x, (tl_pool_opts){.window = TL_INTS(2), .padding = TL_INTS(2)}), TL_TENSOR_SHAPE_MISMATCH,
          "max_pool: a window of 2");
  refused(tl_avg_pool(x, (tl_pool_opts){.window = TL_INTS(0)}), TL_TENSOR_SHAPE_MISMATCH, "avg_pool: a window of 0");
  refused(tl_avg_pool(x, (tl_pool_opts){.window = TL_INTS(2), .stride = TL_INTS(1, 1)}), TL_TENSOR_SHAPE_MISMATCH,
          "avg_pool: 2 strides for 1 axes");
  refused(tl_max_pool(x, (tl_pool_opts){.window = TL_INTS(INT64_MAX), .dilation = TL_INTS(3)}),
          TL_TENSOR_SHAPE_MISMATCH, "max_pool: a window of 9223372036854775807");
}

static void cumulative_ops_of_other_dtypes(void **state) {
  (void)state;
  tl_tensor x = ROW(3, -1, 4, -1, 5);
  EXPECT(tl_cumsum(tl_cast(x, TL_I8), 0, false), 3, 2, 6, 5, 10);
  EXPECT(tl_cumsum(tl_cast(ROW(100, 100), TL_I8), 0, false), 100, -56);
  EXPECT(tl_cummax(tl_cast(x, TL_I32), 0, true), 5, 5, 5, 5, 5);
  EXPECT(tl_cummin(tl_cast(x, TL_F8E4M3FN), 0, false), 3, -1, -1, -1, -1);
  EXPECT(tl_cummax(ROW(1, NAN, 2), 0, false), 1, NAN, NAN);
  EXPECT(tl_cumsum(tl_cast(tl_fill(TL_F64, TL_SHAPE(3), 2049), TL_F16), 0, false), 2048, 4096, 6144);
  assert_int_equal(tl_shape_of(tl_cumsum(tl_fill(TL_F32, TL_SHAPE(0), 1), 0, false)).dim[0], 0);
  refused(tl_cumprod(x, 1, false), TL_TENSOR_SHAPE_MISMATCH, "cumprod");
}

/* The error of a sum of n equal numbers stays that of a few roundings. */
static void cumulative_sums_are_exact(void **state) {
  (void)state;
  enum { COUNT = 1 << 14 };
  tl_scope scope = tl_scope_open();
  static float got[COUNT];
  assert_int_equal(tl_read(tl_cumsum(tl_fill(TL_F32, TL_SHAPE(COUNT), 0.1), 0, false), got, sizeof got), TL_OK);
  for (int i = 0; i < COUNT; i++) {
    double want = (i + 1) * (double)0.1f;
    assert_true(fabs(got[i] - want) <= 16 * 0x1p-24 * want);
  }
  tl_scope_close(scope);
}

static void batch_norm_refuses(void **state) {
  (void)state;
  tl_tensor x = tl_fill(TL_F64, TL_SHAPE(2, 3), 1), c = ROW(1, 2, 3), two = ROW(1, 2);
  tl_batch_norm_opts training = {.training = true};
  refused(tl_batch_norm(x, c, two, c, c, training).values, TL_TENSOR_SHAPE_MISMATCH, "batch_norm: the bias");
  refused(tl_batch_norm(x, c, c, c, tl_cast(c, TL_F32), training).mean, TL_DTYPE_MISMATCH, "batch_norm: operand 0");
  refused(tl_batch_norm(tl_fill(TL_F64, TL_SHAPE(1, 3), 1), c, c, c, c, training).variance, TL_TENSOR_SHAPE_MISMATCH,
          "batch_norm: 1 elements");
  refused(tl_batch_norm(c, c, c, c, c, training).values, TL_TENSOR_SHAPE_MISMATCH, "batch_norm: x has rank 1");
  refused(tl_batch_norm(tl_cast(x, TL_I32), c, c, c, c, training).values, TL_DTYPE_UNSUPPORTED, "batch_norm");
}

/* No epsilon passes through float. */
static void batch_norm_is_exact_to_dtype(void **state) {
  (void)state;
  tl_tensor zero = ROW(0), one = ROW(1);
  tl_tensor got =
      tl_batch_norm(tl_fill(TL_F64, TL_SHAPE(1, 1), 1), one, zero, zero, zero, (tl_batch_norm_opts){0}).values;
  assert_true(tl_item(got) == 1 / sqrt(1e-5));
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(2, 1), (double[]){0, 2});
  tl_batch_norm_result r = tl_batch_norm(x, one, zero, one, one, (tl_batch_norm_opts){.training = true});
  assert_true(tl_item(r.mean) == (1 - 0.1) * 1 + 0.1 * 1 && tl_item(r.variance) == (1 - 0.1) * 1 + 0.1 * 2);
}

static void rows_outside(void **state) {
  (void)state;
  tl_tensor table = tl_from(TL_F64, TL_SHAPE(2, 1), (double[]){5, 7}), at = INDICES(1, 2);
  refused(tl_embedding(table, at, (tl_embedding_opts){0}), TL_INDEX_OUT_OF_RANGE, "index 2");
  EXPECT(tl_embedding(table, at, (tl_embedding_opts){.mode = TL_INDEX_CLIP}), 7, 7);
  EXPECT(tl_embedding(table, at, (tl_embedding_opts){.mode = TL_INDEX_DROP}), 7, 0);
  EXPECT(tl_embedding(table, at, (tl_embedding_opts){.mode = TL_INDEX_FILL, .has_padding = true, .padding = 1}), 7,
         NAN);
  refused(tl_embedding(table, table, (tl_embedding_opts){0}), TL_DTYPE_UNSUPPORTED, "embedding");
}

static void bags(void **state) {
  (void)state;
  tl_tensor table = tl_from(TL_F64, TL_SHAPE(3, 1), (double[]){-5, 7, -INFINITY}), at = INDICES(0, 1, 0);
  tl_embedding_bag_opts most = {.reduction = TL_BAG_MAX}, sum = {0};
  EXPECT(tl_embedding_bag(table, at, INDICES(0, 0, 1, 3), most), 0, -5, 7, 0);
  EXPECT(tl_embedding_bag(table, INDICES(2), INDICES(0), most), -INFINITY);
  EXPECT(tl_embedding_bag(table, at, INDICES(0, 2, 9), sum), 2, -5, 0);
  refused(tl_embedding_bag(table, at, INDICES(1, 2), sum), TL_INDEX_OUT_OF_RANGE, "index -1");
  refused(tl_embedding_bag(table, tl_reshape(at, TL_SHAPE(3, 1)), at, sum), TL_TENSOR_SHAPE_MISMATCH, "embedding_bag");
  refused(tl_embedding_bag(tl_cast(table, TL_I32), at, at, sum), TL_DTYPE_UNSUPPORTED, "embedding_bag");
  /* Of 300 equal rows in F16 the mean is the row, though their number times it is no number of F16. */
  tl_tensor half = tl_cast(tl_fill(TL_F64, TL_SHAPE(1, 1), 2047), TL_F16);
  tl_tensor many = tl_broadcast(INDICES(0), TL_SHAPE(300));
  EXPECT(tl_embedding_bag(half, many, INDICES(0), (tl_embedding_bag_opts){.reduction = TL_BAG_MEAN}), 2047);
}

static void sparse_products(void **state) {
  (void)state;
  tl_tensor values = ROW(2, 3, 5), y = ROW(1, 10), rows = INDICES(0, 2, 0), columns = INDICES(0, 1, 0);
  EXPECT(tl_coo_matmul(values, rows, columns, y, 3, TL_INDEX_CHECK), 7, 0, 30);
  refused(tl_coo_matmul(values, rows, columns, y, 2, TL_INDEX_CHECK), TL_INDEX_OUT_OF_RANGE, "index 2");
  EXPECT(tl_coo_matmul(values, rows, columns, y, 2, TL_INDEX_DROP), 7, 0);
  EXPECT(tl_coo_matmul(values, rows, columns, y, 2, TL_INDEX_CLIP), 7, 30);
  EXPECT(tl_coo_matmul(values, rows, INDICES(0, 2, 0), y, 3, TL_INDEX_DROP), 7, 0, 0);
  EXPECT(tl_coo_matmul(values, rows, INDICES(0, 2, 0), y, 3, TL_INDEX_FILL), 7, 0, NAN);
  refused(tl_coo_matmul(values, rows, INDICES(0, -1, 0), y, 3, TL_INDEX_CHECK), TL_INDEX_OUT_OF_RANGE, "index -1");
  EXPECT(tl_csr_matmul(values, columns, INDICES(0, 0, 2, 3), y, TL_INDEX_CHECK), 0, 32, 5);
  /* Values that no row has: in front of the first, and behind the last. */
  refused(tl_csr_matmul(values, columns, INDICES(1, 3), y, TL_INDEX_CHECK), TL_INDEX_OUT_OF_RANGE, "index -1");
  refused(tl_csr_matmul(values, columns, INDICES(0, 2), y, TL_INDEX_CHECK), TL_INDEX_OUT_OF_RANGE, "index 1");
  EXPECT(tl_csr_matmul(values, columns, INDICES(1, 2), y, TL_INDEX_DROP), 30);
  refused(tl_csr_matmul(values, columns, tl_fill(TL_I64, TL_SHAPE(0), 0), y, TL_INDEX_CHECK), TL_TENSOR_SHAPE_MISMATCH,
          "csr_matmul");
  refused(tl_coo_matmul(values, rows, columns, tl_cast(y, TL_F32), 3, TL_INDEX_CHECK), TL_DTYPE_MISMATCH, "coo_matmul");
  refused(tl_coo_matmul(values, rows, INDICES(0, 1), y, 3, TL_INDEX_CHECK), TL_TENSOR_SHAPE_MISMATCH, "coo_matmul");
  /* Integers too. */
  EXPECT(tl_coo_matmul(tl_cast(values, TL_I32), rows, columns, tl_cast(y, TL_I32), 3, TL_INDEX_CHECK), 7, 0, 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pools_of_other_dtypes),
      cmocka_unit_test(pools_to_the_end),
      cmocka_unit_test(pools_refuse),
      cmocka_unit_test(cumulative_ops_of_other_dtypes),
      cmocka_unit_test(cumulative_sums_are_exact),
      cmocka_unit_test(batch_norm_refuses),
      cmocka_unit_test(batch_norm_is_exact_to_dtype),
      cmocka_unit_test(rows_outside),
      cmocka_unit_test(bags),
      cmocka_unit_test(sparse_products),
  };
  return cmocka_run_group_tests_name("layer edges", tests, NULL, NULL);
}
