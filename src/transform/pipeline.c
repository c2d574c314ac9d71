/* The passes that every generated function goes through, in order. */
#include "transform/transform.h"

void tl__pipeline_run(tl_func *f, tl_arena *scratch) {
  tl__dce_run(f, scratch);
  tl__simplify_run(f, scratch);
  tl__cse_run(f, scratch);
  tl__fuse_run(f, scratch);
  tl__simplify_run(f, scratch);
  tl__cse_run(f, scratch);
  tl__hoist_run(f, scratch);
  tl__simplify_run(f, scratch);
  tl__cse_run(f, scratch);
  tl__dce_run(f, scratch);
}
