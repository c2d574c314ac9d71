/* DXIR to C99 that a person can read. */
#ifndef TL_EMIT_C_EMIT_C_H
#define TL_EMIT_C_EMIT_C_H

#include <stdio.h>

#include "ir/ir.h"
#include "ops/special.h"

typedef struct tl_emit_opts {
  bool is_static;       /* definition and prototype carry `static` */
  bool source_comments; /* a comment with the source line above each group of statements */
  const char *(*source_line)(void *ctx, const char *file, uint32_t line); /* text of a line of the user's, or NULL */
  bool (*is_object)(void *ctx, const char *name); /* of file scope: no variable that is made has such a name */
  bool (*is_macro)(void *ctx, const char *name);  /* in a prototype a derivative's parameter has no such name */
  bool is_early;                                  /* a prototype that may stand where size_t is not declared yet */
  void *ctx;
} tl_emit_opts;

/* Starts as zeros. */
typedef struct tl_emit_needs {
  bool tensor, math, memory, tape, grow, grow_zeroed, alloc, zeros, reserve, spoil;
  bool special[TL_SPECIAL_COUNT][TL_DTYPE_COUNT];
  bool bessel[TL_OP_COUNT][TL_DTYPE_COUNT]; /* functions that math.h has only outside of strict C99 */
} tl_emit_needs;

/* "double f__grad(double x)" without the semicolon. */
void tl_emit_c_prototype(const tl_func *, const tl_emit_opts *, FILE *);
/* What it needs is added to the needs of its file. */
void tl_emit_c_function(const tl_func *, const tl_emit_opts *, tl_emit_needs *, FILE *);
/* What the functions of one file need before them: the #include lines and the static helper functions (polygamma, frexp
 * parts, tape growth, ...), each once, in dependency order. */
void tl_emit_c_helpers(const tl_emit_needs *, FILE *);

#endif
