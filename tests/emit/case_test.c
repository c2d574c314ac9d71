/* The functions of DXIR texts, emitted, compiled and run against the interpreter: case_test DIRECTORY COMMAND FILE...
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "rig.h"

static char *read_file(const char *path, size_t *out_length) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    return NULL;
  }
  char *text = tl__alloc(1 << 20);
  *out_length = fread(text, 1, 1 << 20, f);
  fclose(f);
  return text;
}

int main(int argc, char **argv) {
  unsigned failed = 0, calls = 0;
  for (int i = 3; i < argc; i++) {
    tl_arena arena;
    tl_arena_init(&arena);
    tl_diag diag;
    tl_diag_init(&diag, &arena);
    tl_module *m = tl_module_create(&arena, &diag);
    size_t length = 0;
    char *text = read_file(argv[i], &length);
    if (!text || tl_module_parse(m, argv[i], text, length) != TL_OK || tl_module_verify(m) != TL_OK) {
      fprintf(stderr, "%s: %s\n", argv[i], diag.items.count ? diag.items.data[0].message : "unreadable");
      return 1;
    }
    rig r;
    rig_init(&r, &arena);
    for (uint32_t k = 0; k < m->funcs.count; k++) {
      unsigned kept = 0;
      for (uint64_t seed = 1; seed < 40 && kept < 6; seed++) {
        kept += rig_add(&r, m->funcs.data[k], seed, m->funcs.data[k]->name);
      }
      if (!kept) {
        fprintf(stderr, "%s: no arguments for %s\n", argv[i], m->funcs.data[k]->name);
        failed++;
      }
    }
    calls += r.calls.count;
    failed += rig_run(&r, argv[1], argv[2]);
    tl__free(text);
    tl_arena_deinit(&arena);
  }
  printf("%u calls, %u failed\n", calls, failed);
  return failed != 0;
}
