#include "translate.h"

#include <stdlib.h>

#include "base/alloc.h"

const char *translate_include_arg(void) {
  static char arg[4096];
  const char *dir = getenv("TL_FUZZ_INCLUDE");
  snprintf(arg, sizeof arg, "-I%s", dir ? dir : "include");
  return arg;
}

static tl_front_status run(tl_arena *arena, const front_opts *opts, FILE *messages, const char **out_mismatch) {
  static char mismatch[1024];
  front f = {.arena = arena, .opts = opts, .messages = messages};
  tl_diag_init(&f.diag, arena);
  tl_front_status status = front_run(&f);
  if (status == TL_FRONT_FAILED && f.diag.errors == 0) {
    abort();
  }
  for (uint32_t i = 0; i < f.diag.items.count; i++) {
    const tl_diag_item *item = &f.diag.items.data[i];
    if (item->code == TL_INTERNAL_ERROR || item->code == TL_IR_INVALID) {
      abort();
    }
    if (item->code == TL_FRONT_MISMATCH && item->severity == TL_ERROR) {
      snprintf(mismatch, sizeof mismatch, "%s", item->message);
      *out_mismatch = mismatch;
    }
  }
  return status;
}

tl_front_status translate(const char *path, const char *preprocessed, const char **out_mismatch) {
  *out_mismatch = NULL;
  FILE *messages = fopen("/dev/null", "w");
  if (!messages) {
    exit(1);
  }
  tl_arena arena;
  tl_arena_init(&arena);
  volatile tl_front_status status = TL_FRONT_FAILED;
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (!setjmp(recovery.jump)) {
    front_opts opts = {
        .file = path, .read = path, .preprocessed = preprocessed, .out = "/dev/null", .generated = "/dev/null"};
    TL_PUSH(&arena, opts.dump_source, "/dev/null");
    TL_PUSH(&arena, opts.cc_args, translate_include_arg());
    status = run(&arena, &opts, messages, out_mismatch);
    tl__recovery_leave(&recovery);
  }
  fclose(messages);
  tl_arena_deinit(&arena);
  return status;
}
