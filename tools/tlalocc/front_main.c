/* tlaloc-front: translates the intrinsics of one C file. Started by tlalocc; see front_protocol.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "front.h"

static const char *value_of(const char *arg, const char *option) {
  size_t n = strlen(option);
  return strncmp(arg, option, n) == 0 ? arg + n : NULL;
}

static bool parse_options(tl_arena *a, int argc, char **argv, front_opts *o) {
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *arg = argv[i], *v;
    if ((v = value_of(arg, "--file="))) {
      o->file = v;
    } else if ((v = value_of(arg, "--read="))) {
      o->read = v;
    } else if ((v = value_of(arg, "--out="))) {
      o->out = v;
    } else if ((v = value_of(arg, "--generated="))) {
      o->generated = v;
    } else if ((v = value_of(arg, "--preprocessed="))) {
      o->preprocessed = v;
    } else if ((v = value_of(arg, "--fail-allocation="))) {
      o->fail_allocation = strtoull(v, NULL, 10);
    } else if ((v = value_of(arg, "--dump-source="))) {
      TL_PUSH(a, o->dump_source, v);
    } else if (strcmp(arg, "--dump-ir") == 0) {
      o->dump_ir = true;
    } else if ((v = value_of(arg, "--dump-ir="))) {
      o->dump_ir = true;
      o->dump_ir_pass = v;
    } else if (strcmp(arg, "-g") == 0) {
      o->debug = true;
    } else if (strcmp(arg, "--no-strict-lowering") == 0) {
      o->no_strict_lowering = true;
    } else if (strcmp(arg, "--diagnostics-format=json") == 0) {
      o->json = true;
    } else if (strcmp(arg, "--unsafe-allow-unsupported-clang") == 0) {
      o->allow_any_clang = true;
    } else if (strcmp(arg, "-w") == 0) {
      o->warnings_off = true;
    } else if (strcmp(arg, "-Werror") == 0) {
      o->warnings_are_errors = true;
    } else if (value_of(arg, "-W")) {
      TL_PUSH(a, o->warnings, arg);
    } else {
      return false;
    }
  }
  for (i++; i < argc; i++) {
    TL_PUSH(a, o->cc_args, argv[i]);
  }
  o->read = o->read ? o->read : o->file;
  return o->file && o->out && o->generated;
}

/* Streams that were open hold memory that nothing names any more: the process ends at once. */
static _Noreturn void out_of_memory(void) {
  fputs(FRONT_OUT_OF_MEMORY, stderr);
  fflush(stderr);
  _exit(TL_FRONT_FAILED);
}

int main(int argc, char **argv) {
  tl_arena arena;
  tl_arena_init(&arena);
  front_opts opts = {0};
  front f = {.arena = &arena, .opts = &opts, .messages = stderr};
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    out_of_memory();
  }
  tl_diag_init(&f.diag, &arena);
  if (!parse_options(&arena, argc, argv, &opts)) {
    fputs("tlaloc-front: this program is started by tlalocc\n", stderr);
    return TL_FRONT_FAILED;
  }
  tl__alloc_fail_at(opts.fail_allocation);
  tl_front_status status = front_run(&f);
  tl__recovery_leave(&recovery);
  tl_arena_deinit(&arena);
  return (int)status;
}
