/* The passes that every generated function goes through, in order. */
#include <string.h>

#include "transform/rewrite.h"
#include "transform/transform.h"

const tl_pass tl_passes[] = {
    {"simplify", tl__simplify_run}, {"cse", tl__cse_run},       {"dce", tl__dce_run},
    {"hoist", tl__hoist_run},       {"fuse", tl__fuse_run},     {"shift", tl__shift_run},
    {"scalars", tl__scalars_run},   {"copies", tl__copies_run}, {"reuse", tl__reuse_run},
    {"sink", tl__sink_run},         {"views", tl__views_run},   {"pipeline", tl__pipeline_run},
};
const uint32_t tl_pass_count = sizeof tl_passes / sizeof *tl_passes;

const tl_pass *tl_pass_find(const char *name) {
  for (uint32_t i = 0; i < tl_pass_count; i++) {
    if (strcmp(tl_passes[i].name, name) == 0) {
      return &tl_passes[i];
    }
  }
  return NULL;
}

static const tl_pass first_passes[] = {
    {"dce", tl__dce_run},           {"simplify", tl__simplify_run}, {"scalars", tl__scalars_run},
    {"copies", tl__copies_run},     {"cse", tl__cse_run},           {"fuse", tl__fuse_run},
    {"simplify", tl__simplify_run}, {"cse", tl__cse_run},           {"hoist", tl__hoist_run},
    {"fuse", tl__fuse_run},         {"simplify", tl__simplify_run}, {"cse", tl__cse_run},
    {"dce", tl__dce_run},
};
/* After each round of fusing: what was in two places then is in one, and more may meet. */
static const tl_pass round_passes[] = {{"cse", tl__cse_run}, {"simplify", tl__simplify_run}};
static const tl_pass last_passes[] = {
    {"cse", tl__cse_run}, {"reuse", tl__reuse_run}, {"dce", tl__dce_run}, {"sink", tl__sink_run}};

enum { COUNT_OF_FIRST = sizeof first_passes / sizeof *first_passes, MOST_ROUNDS = 8 };

static _Thread_local tl_pipeline_watch watch;

void tl__pipeline_set_watch(tl_pipeline_watch w) { watch = w; }

bool tl__pipeline_has_pass(const char *name) {
  for (int i = 0; i < COUNT_OF_FIRST; i++) {
    if (strcmp(first_passes[i].name, name) == 0) {
      return true;
    }
  }
  return strcmp(name, "shift") == 0 || strcmp(name, "reuse") == 0 || strcmp(name, "sink") == 0 ||
         strcmp(name, "derive") == 0;
}

static void see(const char *name, const tl_func *f) {
  if (watch.seen) {
    watch.seen(watch.ctx, name, f);
  }
}

static void run(const tl_pass *passes, size_t count, tl_func *f, tl_arena *scratch) {
  for (size_t i = 0; i < count; i++) {
    passes[i].run(f, scratch);
    see(passes[i].name, f);
  }
}

void tl__pipeline_run(tl_func *f, tl_arena *scratch) {
  see("derive", f);
  run(first_passes, COUNT_OF_FIRST, f, scratch);
  bool fused = true;
  for (int round = 0; fused && round < MOST_ROUNDS; round++) {
    uint32_t before = tl__op_count(f->body);
    tl__fuse_run(f, scratch);
    see("fuse", f);
    fused = tl__op_count(f->body) < before;
    if (!fused) {
      fused = tl__shift_all(f, scratch);
      see("shift", f);
    }
    run(round_passes, sizeof round_passes / sizeof *round_passes, f, scratch);
  }
  if (tl__fuse_calls(f, scratch)) { /* whose arguments have become one only now */
    run(round_passes, sizeof round_passes / sizeof *round_passes, f, scratch);
  }
  run(last_passes, sizeof last_passes / sizeof *last_passes, f, scratch);
}

void tl__tidy_run(tl_func *f, tl_arena *scratch) {
  tl__dce_run(f, scratch);
  tl__simplify_run(f, scratch);
  tl__scalars_run(f, scratch);
  tl__cse_run(f, scratch);
  tl__simplify_run(f, scratch);
  tl__dce_run(f, scratch);
}
