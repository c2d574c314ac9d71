/* Types of tensors as they are written: "F32, Batch, 3, MaxSeq, Seq(MaxSeq), tl_any". */
#ifndef TL_FRONT_STATED_H
#define TL_FRONT_STATED_H

#include "front/ast.h"

typedef struct tl_stated_reader {
  const tl_unit *unit; /* errors go to its sink */
  tl_loc loc;
  /* The extent of axis `axis`, which is written as `text` and is neither an axis, a bound nor tl_any; false where it is
   * nothing at all. */
  bool (*number)(void *ctx, int axis, const char *text, tl_extent *out);
  void *ctx;
} tl_stated_reader;

/* NULL with an error. */
const tl_tensor_type *tl_stated_read(const tl_stated_reader *, const char *text);

#endif
