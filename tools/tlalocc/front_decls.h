/* Declarations at file scope as text, read from what cc -E printed: macros are expanded, and what stands there is what
 * cc compiles. The dump copies those that it needs. */
#ifndef TLALOCC_FRONT_DECLS_H
#define TLALOCC_FRONT_DECLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

typedef struct front_decl {
  const char *text; /* with its ';' or body; annotations of <tlaloc/grad.h> removed, generated names as in C */
  TL_VEC(const char *) names; /* tags, typedef names, enumeration constants, objects; of a function its name */
  uint32_t type_count;        /* so many of the names, the first, are no objects or functions */
  bool is_function;           /* a definition */
  bool is_prototype;
} front_decl;

typedef struct front_decls {
  TL_VEC(front_decl) decls;             /* outside system headers, in order */
  TL_VEC(const char *) system_includes; /* "<math.h>", once each: what files outside the system include of it */
} front_decls;

/* `read_line` gives a line of a file, as front_source_line does. */
void front_read_decls(tl_arena *, const char *preprocessed, const char *(*read_line)(void *, const char *, uint32_t),
                      void *ctx, front_decls *out_decls);

/* Just past the token of C that starts at p. */
const char *front_skip_token(const char *p);

#endif
