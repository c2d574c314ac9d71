/* Random programs, emitted, compiled and run against the interpreter: random_test DIRECTORY COMMAND [FIRST [COUNT]]. */
#include <stdlib.h>

#include "rig.h"

int main(int argc, char **argv) {
  if (argc < 3) {
    return 2;
  }
  uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 0) : 1, count = argc > 4 ? strtoull(argv[4], NULL, 0) : 100;
  tl_arena arena;
  tl_arena_init(&arena);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_module *m = tl_module_create(&arena, &diag);
  rig r;
  rig_init(&r, &arena);
  unsigned kept = 0;
  for (uint64_t s = first; s < first + count; s++) {
    const char *name = tl_arena_printf(&arena, "program_%llu", (unsigned long long)s);
    tl_func *f = random_program(m, name, s);
    if (tl_func_verify(f) != TL_OK) {
      for (uint32_t i = 0; i < diag.items.count; i++) {
        fprintf(stderr, "%s: %s\n", name, diag.items.data[i].message);
      }
      return 1;
    }
    for (uint64_t k = 0; k < 2; k++) {
      kept += rig_add(&r, f, s * 7 + k, name);
    }
  }
  unsigned failed = rig_run(&r, argv[1], argv[2]);
  printf("%u calls, %u failed, %u warnings\n", kept, failed, diag.items.count);
  tl_arena_deinit(&arena);
  return failed != 0;
}
