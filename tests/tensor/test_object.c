/* Who owns what: scopes, views, wrapped memory, threads, and every allocation failing in turn. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tlaloc/tensor.h"

static void count_done(void *ctx, void *data) {
  (void)data;
  ++*(int *)ctx;
}

static void test_scopes(void **state) {
  (void)state;
  int done = 0;
  float data[6] = {0, 1, 2, 3, 4, 5};
  tl_scope outer = tl_scope_open(), inner = tl_scope_open();
  tl_tensor x = tl_wrap(TL_F32, TL_SHAPE(2, 3), data, count_done, &done);
  tl_tensor row_view = tl_reshape(tl_transpose(tl_transpose(x, TL_ALL), TL_ALL), TL_SHAPE(6));
  assert_ptr_equal(tl_data(row_view), data); /* no copy on the way */
  assert_null(tl_data(tl_transpose(x, TL_ALL)));
  tl_tensor sum = tl_scope_keep(inner, tl_add(x, x));
  tl_tensor kept = tl_retain(tl_transpose(x, TL_ALL));
  tl_scope_close(inner);
  assert_int_equal(done, 0); /* the view keeps the memory */
  float got[6];
  assert_int_equal(tl_read(sum, got, sizeof got), TL_OK);
  assert_true(got[5] == 10);
  assert_int_equal(tl_read(kept, got, sizeof got), TL_OK);
  assert_true(got[1] == 3 && got[5] == 5);
  assert_int_equal(tl_read(kept, got, sizeof got - 1), TL_TENSOR_SHAPE_MISMATCH);
  tl_release(kept);
  assert_int_equal(done, 1);
  /* Closing the outer one closes what is open in it. */
  tl_scope left_open = tl_scope_open();
  assert_non_null(left_open);
  assert_non_null(tl_fill(TL_F64, TL_SHAPE(3), 1));
  tl_scope_close(outer);
  /* A refusal ends the wrapped memory too. */
  tl_scope s = tl_scope_open();
  assert_int_equal(tl_status_of(tl_wrap(TL_F32, TL_SHAPE(-1), data, count_done, &done)), TL_TENSOR_SHAPE_MISMATCH);
  assert_int_equal(done, 2);
  tl_scope_close(s);
}

static void test_views(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  int32_t data[24], got[48];
  for (int i = 0; i < 24; i++) {
    data[i] = i;
  }
  tl_tensor x = tl_from(TL_I32, TL_SHAPE(2, 3, 4), data);
  tl_tensor y = tl_transpose(x, TL_AXES(2, 0, -2));
  assert_int_equal(tl_shape_of(y).dim[0], 4);
  assert_int_equal(tl_read(y, got, sizeof data), TL_OK);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 2; j++) {
      for (int k = 0; k < 3; k++) {
        assert_int_equal(got[(i * 2 + j) * 3 + k], data[(j * 3 + k) * 4 + i]);
      }
    }
  }
  /* A view that has no strides in the new shape is copied. */
  assert_int_equal(tl_read(tl_reshape(y, TL_SHAPE(8, -1)), got, sizeof data), TL_OK);
  assert_int_equal(got[4], data[16]);
  tl_tensor wide = tl_broadcast(tl_reshape(x, TL_SHAPE(24, 1)), TL_SHAPE(24, 2));
  assert_int_equal(tl_read(wide, got, sizeof got), TL_OK);
  assert_true(got[46] == 23 && got[47] == 23 && got[2] == 1);
  tl_tensor empty = tl_reshape(tl_fill(TL_I32, TL_SHAPE(0, 5), 1), TL_SHAPE(7, 0));
  assert_int_equal(tl_status_of(tl_add(empty, tl_fill(TL_I32, TL_SHAPE(7, 1), 1))), TL_OK);
  assert_int_equal(tl_shape_of(tl_add(empty, tl_fill(TL_I32, TL_SCALAR, 1))).dim[0], 7);
  assert_int_equal(tl_read(empty, NULL, 0), TL_OK);
  tl_scope_close(s);
}

/* A sum of what several ways lead to; false where something could not be allocated. */
static bool work(tl_tensor shared) {
  tl_scope s = tl_scope_open();
  tl_tensor x = tl_exp(tl_transpose(tl_cast(shared, TL_F64), TL_ALL));
  tl_tensor y = tl_scope_keep(s, tl_add(x, tl_scalar_like(x, 1)));
  tl_tensor bad = tl_add(y, tl_fill(TL_F32, TL_SCALAR, 1));
  tl_tensor z = tl_broadcast(tl_reshape(y, TL_SHAPE(-1, 1)), TL_SHAPE(6, 2));
  double got[12];
  bool failed = tl_status_of(bad) == TL_OUT_OF_MEMORY || tl_status_of(z) == TL_OUT_OF_MEMORY || !s;
  assert_true(tl_status_of(bad) == TL_DTYPE_MISMATCH || tl_status_of(bad) == TL_OUT_OF_MEMORY);
  if (tl_status_of(z) == TL_OK) {
    assert_int_equal(tl_read(z, got, sizeof got), TL_OK);
    assert_true(got[11] > 2.7);
  }
  tl_scope_close(s);
  return !failed;
}

static void test_out_of_memory(void **state) {
  (void)state;
  tl_scope outer = tl_scope_open();
  tl_tensor shared = tl_fill(TL_F32, TL_SHAPE(2, 3), 0.6);
  bool passed = false;
  int n = 1;
  for (; n < 200 && !passed; n++) {
    tl_scope s = tl_scope_open();
    tl__alloc_fail_at((uint64_t)n);
    passed = work(shared);
    tl__alloc_fail_at(0);
    tl_scope_close(s);
  }
  assert_true(passed && n > 10);
  tl_scope_close(outer);
}

static void *run_thread(void *shared) {
  for (int i = 0; i < 200; i++) {
    work(shared);
  }
  tl_fill(TL_F32, TL_SHAPE(100), 1); /* the thread's root scope releases it */
  tl_scope_open();
  tl_fill(TL_F32, TL_SHAPE(100), 1);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  tl_tensor shared = tl_fill(TL_F32, TL_SHAPE(2, 3), 0.6);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_thread, shared), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
  }
  tl_scope_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scopes),
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
