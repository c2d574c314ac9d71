/* Emission with the n-th allocation failing, for every n: no leak, no crash, and the same text when it succeeds. */
#include <setjmp.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "rig.h"

static bool emit_all(tl_module *m, FILE *out) {
  tl_recovery r;
  tl__recovery_enter(&r);
  if (setjmp(r.jump)) {
    return false;
  }
  tl_emit_needs needs = {0};
  for (uint32_t i = 0; i < m->funcs.count; i++) {
    tl_emit_c_prototype(m->funcs.data[i], NULL, out);
    tl_emit_c_function(m->funcs.data[i], NULL, &needs, out);
  }
  tl_emit_c_helpers(&needs, out);
  tl__recovery_leave(&r);
  return true;
}

int main(void) {
  tl_arena arena;
  tl_arena_init(&arena);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_module *m = tl_module_create(&arena, &diag);
  for (uint64_t s = 1; s <= 3; s++) {
    random_program(m, tl_arena_printf(&arena, "program_%d", (int)s), s);
  }
  FILE *out = tmpfile();
  unsigned failures = 0;
  bool done = false;
  for (uint64_t n = 1; !done && n < 100000; n++) {
    tl__alloc_fail_at(n);
    done = emit_all(m, out);
    tl__alloc_fail_at(0);
    failures += !done;
  }
  printf("%u allocations failed in turn\n", failures);
  fclose(out);
  tl_arena_deinit(&arena);
  return !done || failures < 3;
}
