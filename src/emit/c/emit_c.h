/* DXIR to C99 that a person can read. */
#ifndef TL_EMIT_C_EMIT_C_H
#define TL_EMIT_C_EMIT_C_H

#include <stdio.h>

#include "ir/ir.h"

typedef struct tl_emit_opts {
  bool is_static;       /* definition and prototype carry `static` */
  bool source_comments; /* a comment with the source line above each group of statements */
  const char *(*source_line)(void *ctx, const char *file, uint32_t line); /* text of a line of the user's, or NULL */
  void *ctx;
} tl_emit_opts;

/* "double f__grad(double x)" without the semicolon. */
void tl_emit_c_prototype(const tl_func *, const tl_emit_opts *, FILE *);
void tl_emit_c_function(const tl_func *, const tl_emit_opts *, FILE *);
/* The static helper functions (polygamma, frexp parts, tape growth, ...) that the functions emitted so far by this
 * thread need, each once, in dependency order; and the #include lines they need. `funcs` are those of one file. */
void tl_emit_c_helpers(uint32_t count, tl_func *const funcs[], FILE *);

#endif
