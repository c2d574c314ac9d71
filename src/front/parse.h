/* A C file to a syntax tree and the list of intrinsics that it names. */
#ifndef TL_FRONT_PARSE_H
#define TL_FRONT_PARSE_H

#include "front/ast.h"

/* One step of an intrinsic: tl_grad(f, x, y) is {"grad", {"x", "y"}}. */
typedef struct tl_request_step {
  const char *intrinsic;
  TL_VEC(const char *) wrt;
} tl_request_step;

/* An intrinsic named in the file. While the front reads a file, <tlaloc/grad.h> spells the generated name with '$' between
 * its parts, `f$grad$x$grad$y`, which cannot clash with a user's name; cc reads `f__grad__x__grad__y`. */
typedef struct tl_request {
  const char *name;             /* "f__grad__x__grad__y" */
  const char *primal_name;      /* "f" */
  tl_function *primal;          /* NULL: never declared */
  TL_VEC(tl_request_step) steps;/* innermost first */
  tl_loc loc;                   /* the first place that names it */
  TL_VEC(tl_loc) uses;          /* every place that names it, the first included */
  const char *clash;            /* NULL, or another intrinsic's '$' name that comes to the same C name */
} tl_request;

typedef struct tl_parse_opts {
  const char *file;                    /* as the user spelled it */
  uint32_t arg_count;
  const char *const *args;             /* cc's arguments that matter to a parse: -I -D -U -std -include -f... -m... */
  const char *prototypes;              /* NULL, or text of the prototypes of generated functions, with '$' names, to be
                                          read after the primal's first declaration (second parse) */
  const char *preprocessed;            /* NULL, or what `cc -E` printed of the file: a lowered function whose tokens differ
                                          there is FRONT_MISMATCH */
  bool allow_any_clang;                /* --unsafe-allow-unsupported-clang */
} tl_parse_opts;

typedef struct tl_parse_result {
  tl_unit *unit;
  TL_VEC(tl_request) requests;
  bool syntax_errors;                  /* clang reported errors that are not about intrinsics: cc will say them itself */
  const char *syntax_message;          /* the first of them, and its place */
  tl_loc syntax_loc;
} tl_parse_result;

/* TL_OK even with syntax_errors; else errors are in the sink. */
tl_status tl_parse_file(tl_arena *, tl_diag *, const tl_parse_opts *, tl_parse_result *out_result);

#endif
