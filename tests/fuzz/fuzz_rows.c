/* Any bytes as a line of `tlaloc rows`. What is read runs, where it is small, and matches or says why not; what is not
 * read is an error with its key. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { MOST_BYTES = 4096 };

static void check(int holds) {
  if (!holds) {
    abort();
  }
}

static bool is_small(const row_values *v) {
  size_t bytes = 0;
  for (int i = 0; i < v->count; i++) {
    bytes += v->at[i].bytes;
  }
  return bytes <= MOST_BYTES;
}

/* Sizes that attributes state may be anything: a row whose numbers are large is only read. */
static bool has_small_numbers(const char *line, size_t length) {
  size_t digits = 0;
  bool in_string = false;
  for (size_t i = 0; i < length; i++) {
    in_string ^= line[i] == '"';
    digits = !in_string && ((line[i] >= '0' && line[i] <= '9') || line[i] == 'e' || line[i] == 'E') ? digits + 1 : 0;
    if (digits > 2) {
      return false;
    }
  }
  return true;
}

static void run(const row *r) {
  tl_tensor in[ROW_MOST], out[ROW_MOST] = {NULL};
  row_error e = {.key = ""};
  char text[512];
  tl_scope scope = tl_scope_open();
  for (int i = 0; i < r->inputs.count; i++) {
    in[i] = tl_from(r->inputs.at[i].dtype, r->inputs.at[i].shape, r->inputs.at[i].data);
  }
  if (!row_apply(r, in, out, &e)) {
    check(*e.text != 0);
  } else {
    for (int i = 0; i < r->outputs.count; i++) {
      text[0] = 0;
      check(tl_status_of(out[i]) != TL_OK ? *tl_message_of(out[i]) != 0
                                          : row_matches(r, i, out[i], text, sizeof text) || *text != 0);
    }
  }
  tl_scope_close(scope);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  while (size && data[size - 1] == '\n') {
    size--;
  }
  char *line = malloc(size + 1);
  check(line != NULL);
  memcpy(line, data, size);
  line[size] = 0;
  row r;
  row_error e;
  if (!row_init(&r, line, size, &e)) {
    check(*e.text != 0);
  } else if (is_small(&r.inputs) && is_small(&r.expected) && has_small_numbers(line, size)) {
    run(&r);
  }
  row_deinit(&r);
  free(line);
  return 0;
}
