/* tl_as at run time: what it refuses, the names that axes have from then on, and memory that runs out. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tlaloc/tensor.h"

tl_axis(Batch);
tl_axis(Seq);
tl_axis(Unit);
tl_bound(Most, 8);
tl_bound(Few, 4);
tl_bound(Never, 0);

static tl_tensor matrix(int64_t m, int64_t n) { return tl_fill(TL_F32, TL_SHAPE(m, n), 1); }

static void says(tl_tensor t, tl_status status, const char *message) {
  assert_int_equal(tl_status_of(t), status);
  assert_string_equal(tl_message_of(t), message);
}
static void is_fine(tl_tensor t) { says(t, TL_OK, ""); }

static void it_is_checked(void **state) {
  (void)state;
  int three = 3;
  is_fine(tl_as(matrix(2, 3), F32, Batch, three));
  is_fine(tl_as(matrix(2, 3), F32, tl_any, Unit(three)));
  is_fine(tl_as(matrix(8, 8), F32, Most, Seq(Most)));
  is_fine(tl_as(tl_fill(TL_BOOL, TL_SCALAR, 1), BOOL));
  says(tl_as(matrix(2, 3), F64, Batch, 3), TL_DTYPE_MISMATCH, "as: the dtype is f32, and f64 is stated");
  says(tl_as(matrix(2, 3), F32, Batch), TL_TENSOR_SHAPE_MISMATCH, "as: the rank is 2, and 1 is stated");
  says(tl_as(matrix(2, 3), F32, three, 3), TL_TENSOR_SHAPE_MISMATCH, "as: axis 0 has extent 2, and 3 is stated");
  says(tl_as(matrix(2, 3), F32, Batch, Batch), TL_TENSOR_SHAPE_MISMATCH,
       "as: 'Batch' has extent 2 as axis 0, 3 as axis 1");
  says(tl_as(matrix(2, 3), F32, Most, Seq(Most)), TL_TENSOR_SHAPE_MISMATCH,
       "as: 'Most' has extent 2 as axis 0, 3 as axis 1");
  says(tl_as(matrix(9, 3), F32, Most, 3), TL_BOUNDED_DIM_EXCEEDED,
       "as: axis 0 has extent 9, and its bound 'Most' is 8");
  says(tl_as(matrix(0, 3), F32, Most, 3), TL_BOUNDED_DIM_EXCEEDED,
       "as: axis 0 has extent 0, and its bound 'Most' is 8");
  says(tl_as(matrix(1, 3), F32, Never, 3), TL_BOUNDED_DIM_INVALID, "the bound 'Never' is 0; it is at least 1");
  says(tl_as(matrix(1, 3), F32, -3, 3), TL_TENSOR_SHAPE_MISMATCH, "a type: a negative extent");
  says(tl_as(tl_add(matrix(2, 3), matrix(2, 4)), F32, 2, 3), TL_TENSOR_SHAPE_MISMATCH,
       "add: axis 1 has extent 3 in one operand, 4 in another");
}

static void names_follow(void **state) {
  (void)state;
  tl_tensor x = tl_as(matrix(4, 4), F32, Batch, Unit), y = tl_as(matrix(4, 4), F32, Seq(Most), Batch(4));
  is_fine(tl_add(x, x));
  is_fine(tl_matmul(y, x));
  is_fine(tl_add(tl_cast(x, TL_F64), tl_cast(tl_exp(x), TL_F64)));
  says(tl_add(x, y), TL_NAMED_INDEX_MISMATCH, "add: axis 'Batch' meets axis 'Seq'");
  says(tl_add(tl_sum(x, TL_AXES(1), false), x), TL_NAMED_INDEX_MISMATCH, "add: axis 'Batch' meets axis 'Unit'");
  says(tl_mul(tl_transpose(tl_tanh(x), TL_ALL), x), TL_NAMED_INDEX_MISMATCH, "mul: axis 'Unit' meets axis 'Batch'");
  says(tl_matmul(x, y), TL_NAMED_INDEX_MISMATCH, "matmul: axis 'Unit' meets axis 'Seq'");
  says(tl_as(x, F32, Seq, tl_any), TL_NAMED_INDEX_MISMATCH, "as: axis 'Seq' meets axis 'Batch'");
  says(tl_as(y, F32, Few, tl_any), TL_BOUNDED_AXIS_MISMATCH, "as: an axis with the bound 'Few' meets one with 'Most'");
  is_fine(tl_as(x, F32, tl_any, tl_any));
  /* What has no name meets all, and takes the name. */
  says(tl_add(tl_add(matrix(4, 4), x), y), TL_NAMED_INDEX_MISMATCH, "add: axis 'Batch' meets axis 'Seq'");
  tl_tensor flat = tl_reshape(x, TL_SHAPE(16)), parted = tl_reshape(x, TL_SHAPE(4, 2, 2));
  is_fine(tl_add(flat, tl_as(flat, F32, Seq)));
  says(tl_add(tl_sum(parted, TL_AXES(1, 2), false), tl_as(tl_fill(TL_F32, TL_SHAPE(4), 0), F32, Seq)),
       TL_NAMED_INDEX_MISMATCH, "add: axis 'Batch' meets axis 'Seq'");
  /* A view shares its elements. */
  assert_ptr_equal(tl_data(x), tl_data(tl_as(x, F32, Batch, 4)));
}

static void memory_runs_out(void **state) {
  (void)state;
  int failed = 0;
  for (unsigned n = 1; n < 40; n++) {
    tl_scope scope = tl_scope_open();
    tl_tensor x = matrix(2, 3);
    tl__alloc_fail_at(n);
    tl_tensor y = tl_transpose(tl_exp(tl_as(x, F32, Batch, Unit(3))), TL_ALL);
    tl__alloc_fail_at(0);
    assert_true(!y || tl_status_of(y) == TL_OK);
    failed += !y;
    tl_scope_close(scope);
  }
  assert_true(failed > 3 && failed < 30);
}

static void *name_often(void *arg) {
  (void)arg;
  tl_scope scope = tl_scope_open();
  for (int i = 0; i < 200; i++) {
    tl_tensor x = tl_as(matrix(2, 2), F32, Batch, Seq(Few));
    if (tl_status_of(tl_add(x, tl_as(x, F32, tl_any, Few))) != TL_OK) {
      return NULL;
    }
  }
  tl_scope_close(scope);
  return scope;
}

static void threads_name(void **state) {
  (void)state;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, name_often, NULL), 0);
  }
  for (int i = 0; i < 4; i++) {
    void *result;
    pthread_join(threads[i], &result);
    assert_non_null(result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out), cmocka_unit_test(it_is_checked),
                                     cmocka_unit_test(names_follow), cmocka_unit_test(threads_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
