/* Any bytes as DXIR text: an error at a place, or a graph. A graph that the verifier takes prints to a fixpoint. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

typedef struct input {
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
} input;

static tl_status read_text(input *in, const char *text, size_t length) {
  tl_arena_init(&in->arena);
  tl_diag_init(&in->diag, &in->arena);
  in->module = tl_module_create(&in->arena, &in->diag);
  tl_status status = tl_module_parse(in->module, "fuzz.tlir", text, length);
  if ((status == TL_OK) != (in->diag.errors == 0)) {
    abort();
  }
  return status;
}

static char *print(const tl_module *m, size_t *out_length) {
  char *text = NULL;
  FILE *out = open_memstream(&text, out_length);
  if (!out) {
    exit(1);
  }
  tl_module_print(m, out);
  fclose(out);
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input first;
  if (read_text(&first, (const char *)data, size) == TL_OK) {
    tl_status valid = tl_module_verify(first.module);
    size_t length, again_length;
    char *text = print(first.module, &length);
    input second;
    if (read_text(&second, text, length) != TL_OK || tl_module_verify(second.module) != valid) {
      abort();
    }
    char *again = print(second.module, &again_length);
    if (length != again_length || memcmp(text, again, length) != 0) {
      abort();
    }
    free(again);
    free(text);
    tl_arena_deinit(&second.arena);
  }
  tl_arena_deinit(&first.arena);
  return 0;
}
