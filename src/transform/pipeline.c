/* The passes that every generated function goes through, in order. */
#include <string.h>

#include "transform/transform.h"

static const struct {
  const char *name; /* also that of the pass's file */
  void (*run)(tl_func *, tl_arena *scratch);
} passes[] = {
    {"dce", tl__dce_run},           {"simplify", tl__simplify_run}, {"scalars", tl__scalars_run},
    {"cse", tl__cse_run},           {"fuse", tl__fuse_run},         {"simplify", tl__simplify_run},
    {"cse", tl__cse_run},           {"hoist", tl__hoist_run},       {"fuse", tl__fuse_run},
    {"simplify", tl__simplify_run}, {"cse", tl__cse_run},           {"dce", tl__dce_run},
    {"fuse", tl__fuse_run},         {"simplify", tl__simplify_run}, {"cse", tl__cse_run},
    {"reuse", tl__reuse_run},       {"dce", tl__dce_run},
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

static _Thread_local tl_pipeline_watch watch;

void tl__pipeline_set_watch(tl_pipeline_watch w) { watch = w; }

bool tl__pipeline_has_pass(const char *name) {
  for (int i = 0; i < PASS_COUNT; i++) {
    if (strcmp(passes[i].name, name) == 0) {
      return true;
    }
  }
  return strcmp(name, "derive") == 0;
}

void tl__pipeline_run(tl_func *f, tl_arena *scratch) {
  if (watch.seen) {
    watch.seen(watch.ctx, "derive", f);
  }
  for (int i = 0; i < PASS_COUNT; i++) {
    passes[i].run(f, scratch);
    if (watch.seen) {
      watch.seen(watch.ctx, passes[i].name, f);
    }
  }
}

void tl__tidy_run(tl_func *f, tl_arena *scratch) {
  tl__dce_run(f, scratch);
  tl__simplify_run(f, scratch);
  tl__scalars_run(f, scratch);
  tl__cse_run(f, scratch);
  tl__simplify_run(f, scratch);
  tl__dce_run(f, scratch);
}
