/* .npy files: each dtype there and back, orders of bytes and axes, what is refused, and that a failure leaves what was
 * there. Printing is compared with NumPy's in test_numpy.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "tlaloc/tensor.h"

static char folder[] = "/tmp/tlaloc-npy-XXXXXX", path[64];

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) {
    return 1;
  }
  snprintf(path, sizeof path, "%s/x.npy", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder); /* which holds nothing else */
}

static void put(const void *data, size_t bytes) {
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(data, 1, bytes, out), bytes);
  fclose(out);
}

/* A file with that dictionary and those elements; returns what loading says. */
static tl_status load(int version, const char *dictionary, const void *elements, size_t bytes, tl_tensor *out) {
  unsigned char file[512] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0};
  size_t length = strlen(dictionary), at = version == 1 ? 10 : 12;
  file[8] = (unsigned char)length;
  memcpy(file + at, dictionary, length);
  memcpy(file + at + length, elements, bytes);
  put(file, at + length + bytes);
  return tl_npy_load(path, out);
}

static void test_there_and_back(void **state) {
  (void)state;
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (d == TL_F80) {
      continue;
    }
    tl_scope s = tl_scope_open();
    double numbers[6] = {0, 1, 2.5, 100, 0.25, 3};
    const tl_shape shapes[] = {TL_SHAPE(2, 3), TL_SHAPE(6), TL_SHAPE(6, 1, 1)};
    for (int i = 0; i < 3; i++) {
      tl_tensor x = tl_transpose(tl_cast(tl_from(TL_F64, shapes[i], numbers), (tl_dtype)d), TL_ALL), y;
      tl_status saved = tl_npy_save(path, x);
      if (d == TL_BF16 || d == TL_F8E4M3FN) {
        assert_int_equal(saved, TL_DTYPE_UNSUPPORTED);
        continue;
      }
      assert_int_equal(saved, TL_OK);
      assert_int_equal(tl_npy_load(path, &y), TL_OK);
      assert_true(tl_dtype_of(y) == (tl_dtype)d && tl_shape_of(y).rank == shapes[i].rank);
      for (int k = 0; k < shapes[i].rank; k++) {
        assert_int_equal(tl_shape_of(y).dim[k], shapes[i].dim[shapes[i].rank - 1 - k]);
      }
      unsigned char a[48], b[48];
      size_t bytes = 6 * tl_dtype_size((tl_dtype)d);
      assert_int_equal(tl_read(x, a, bytes), TL_OK);
      assert_int_equal(tl_read(y, b, bytes), TL_OK);
      assert_memory_equal(a, b, bytes);
    }
    tl_tensor scalar, empty;
    if (d != TL_BF16 && d != TL_F8E4M3FN) {
      assert_int_equal(tl_npy_save(path, tl_fill((tl_dtype)d, TL_SCALAR, 1)), TL_OK);
      assert_int_equal(tl_npy_load(path, &scalar), TL_OK);
      assert_int_equal(tl_shape_of(scalar).rank, 0);
      assert_int_equal(tl_npy_save(path, tl_fill((tl_dtype)d, TL_SHAPE(3, 0), 1)), TL_OK);
      assert_int_equal(tl_npy_load(path, &empty), TL_OK);
      assert_int_equal(tl_shape_of(empty).dim[0], 3);
    }
    tl_scope_close(s);
  }
}

static void test_orders(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  const unsigned char big[12] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 6};
  int16_t got[6];
  tl_tensor x;
  for (int version = 1; version <= 3; version++) {
    assert_int_equal(load(version, "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }\n", big, 12, &x),
                     TL_OK);
    assert_int_equal(tl_read(x, got, sizeof got), TL_OK);
    assert_memory_equal(got, ((int16_t[]){1, 2, 3, 4, 5, 262}), sizeof got);
  }
  assert_int_equal(load(1, " {\"shape\":(2L,3L),'fortran_order':True , 'descr':'>i2'} ", big, 12, &x), TL_OK);
  assert_int_equal(tl_read(x, got, sizeof got), TL_OK);
  assert_memory_equal(got, ((int16_t[]){1, 3, 5, 2, 4, 262}), sizeof got);
  /* Any byte but 0 is true. */
  bool truth[3];
  assert_int_equal(load(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\0\2\1", 3, &x), TL_OK);
  assert_int_equal(tl_read(x, truth, sizeof truth), TL_OK);
  assert_true(!truth[0] && truth[1] && truth[2]);
  assert_int_equal(tl_read(tl_not(x), truth, sizeof truth), TL_OK);
  assert_true(truth[0] && !truth[1] && !truth[2]);
  tl_scope_close(s);
}

static void test_refusals(void **state) {
  (void)state;
  static const struct {
    const char *dictionary;
    tl_status status;
  } cases[] = {
      {"", TL_HEADER_INVALID},
      {"[]", TL_HEADER_INVALID},
      {"{}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", TL_HEADER_INVALID},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 1,)}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", TL_HEADER_INVALID}, /* more behind it */
      {"{'descr': '<f4", TL_HEADER_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", TL_FILE_TRUNCATED},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000)}", TL_FILE_TRUNCATED},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000000, 1000)}", TL_TENSOR_SHAPE_MISMATCH},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,2)}", TL_TENSOR_SHAPE_MISMATCH},
      {"{'descr': '<f16', 'fortran_order': False, 'shape': (2,)}", TL_DTYPE_UNSUPPORTED},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", TL_DTYPE_UNSUPPORTED},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", TL_DTYPE_UNSUPPORTED},
      {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", TL_DTYPE_UNSUPPORTED},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", TL_DTYPE_UNSUPPORTED},
  };
  tl_scope s = tl_scope_open();
  tl_tensor x;
  const float elements[2] = {1, 2};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tl_status status = load(1, cases[i].dictionary, elements, sizeof elements, &x);
    if (status != cases[i].status || tl_status_of(x) != status || !strstr(tl_message_of(x), "x.npy: ")) {
      fail_msg("%s: %d, not %d: %s", cases[i].dictionary, status, cases[i].status, tl_message_of(x));
    }
  }
  assert_int_equal(load(4, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", elements, sizeof elements, &x),
                   TL_FORMAT_UNKNOWN);
  put("PK\3\4 an archive", 15);
  assert_int_equal(tl_npy_load(path, &x), TL_FORMAT_UNKNOWN);
  put("\x93NUMPY\1\0\1", 9);
  assert_int_equal(tl_npy_load(path, &x), TL_FILE_TRUNCATED);
  put("\x93NUMPY\1\0\100\0{'descr'", 18);
  assert_int_equal(tl_npy_load(path, &x), TL_FILE_TRUNCATED);
  put("\x93NUMPY\2\0\0\0\0\100{'descr'", 20);
  assert_int_equal(tl_npy_load(path, &x), TL_HEADER_INVALID);
  assert_int_equal(tl_npy_load("/no/such/file.npy", &x), TL_FILE_UNREADABLE);
  assert_string_equal(tl_message_of(x), "npy_load: /no/such/file.npy: No such file or directory");
  assert_int_equal(tl_npy_load(folder, &x), TL_FILE_UNREADABLE);
  tl_scope_close(s);
}

static void test_saving(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  tl_tensor x = tl_fill(TL_F32, TL_SHAPE(3), 1), y;
  assert_int_equal(tl_npy_save("/no/such/folder/x.npy", x), TL_FILE_UNWRITABLE);
  assert_int_equal(tl_npy_save(path, tl_add(x, tl_fill(TL_F32, TL_SHAPE(2), 1))), TL_TENSOR_SHAPE_MISMATCH);
  /* A folder has the name: nothing is left beside it (tear_down), and it stays. */
  unlink(path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(tl_npy_save(path, x), TL_FILE_UNWRITABLE);
  assert_int_equal(rmdir(path), 0);
  /* Each allocation fails in turn; the file is the old one or the new one. */
  assert_int_equal(tl_npy_save(path, x), TL_OK);
  tl_tensor turned = tl_transpose(tl_fill(TL_F32, TL_SHAPE(2, 3), 2), TL_ALL);
  bool is_saved = false;
  for (int n = 1; !is_saved; n++) {
    assert_true(n < 20);
    tl__alloc_fail_at((uint64_t)n);
    tl_status status = tl_npy_save(path, turned);
    tl__alloc_fail_at(0);
    is_saved = status == TL_OK;
    assert_true(is_saved || status == TL_OUT_OF_MEMORY);
    assert_int_equal(tl_npy_load(path, &y), TL_OK);
    assert_int_equal(tl_shape_of(y).rank, is_saved ? 2 : 1);
  }
  for (int n = 1;; n++) {
    assert_true(n < 20);
    tl__alloc_fail_at((uint64_t)n);
    tl_status status = tl_npy_load(path, &y);
    tl__alloc_fail_at(0);
    if (status == TL_OK) {
      break;
    }
    assert_true(status == TL_OUT_OF_MEMORY && !y);
  }
  tl_scope_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_saving),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
