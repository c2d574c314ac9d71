/* Any bytes as a .npy file. What loads is printed, saved and loaded again: the same elements. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "memory_file.h"
#include "tlaloc/tensor.h"

static void check(int holds) {
  if (!holds) {
    abort();
  }
}

static size_t bytes_of(tl_tensor x) {
  size_t bytes = tl_dtype_size(tl_dtype_of(x));
  tl_shape s = tl_shape_of(x);
  for (int i = 0; i < s.rank; i++) {
    bytes *= (size_t)s.dim[i];
  }
  return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char name[64];
  snprintf(name, sizeof name, "/dev/shm/tlaloc-fuzz-npy-%ld", (long)getpid());
  memory_file_put(MEMORY_FILE, data, size);
  tl_scope s = tl_scope_open();
  tl_tensor x, y = NULL;
  if (tl_npy_load(MEMORY_FILE_PATH, &x) == TL_OK) {
    size_t bytes = bytes_of(x);
    check(bytes <= size);
    char *a = malloc(bytes + 1), *b = malloc(bytes + 1);
    FILE *out = fopen("/dev/null", "w");
    check(a && b && out && tl_print(out, x) == TL_OK);
    fclose(out);
    check(tl_npy_save(name, x) == TL_OK && tl_npy_load(name, &y) == TL_OK);
    check(tl_dtype_of(x) == tl_dtype_of(y) && bytes_of(y) == bytes);
    check(tl_read(x, a, bytes) == TL_OK && tl_read(y, b, bytes) == TL_OK && memcmp(a, b, bytes) == 0);
    unlink(name);
    free(a);
    free(b);
  } else {
    check(x && *tl_message_of(x));
  }
  tl_scope_close(s);
  close(MEMORY_FILE);
  return 0;
}
