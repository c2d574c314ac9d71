/* A C file to a syntax tree and the list of intrinsics that it names. */
#ifndef TL_FRONT_PARSE_H
#define TL_FRONT_PARSE_H

#include "base/intrinsic.h"
#include "front/ast.h"

/* One step of an intrinsic: tl_grad(f, x, y) is {TL_INTRINSIC_GRAD, {"x", "y"}}. */
typedef struct tl_request_step {
  tl_intrinsic intrinsic;
  TL_VEC(const char *) wrt;
} tl_request_step;

/* A call of a generated function. */
typedef struct tl_request_call {
  tl_loc loc;
  uint32_t arguments;
} tl_request_call;

/* An intrinsic named in the file. While the front reads a file it defines __TLALOC_FRONT__, and <tlaloc/grad.h> then
 * spells things so that they are read back here and cannot clash with a user's name:
 *   tl_grad(f, x, y)       the identifier f$$grad$x$y: "$$" before an intrinsic's keyword, "$" before each wrt, so that
 * a parameter may be called `grad`; nested: f$$grad$x$$grad$y. It is not declared at the first read; the second gets
 * its prototype (tl_parse_opts.prototypes). TL_LEN(e)              __attribute__((annotate("tl_len:" #e))), e with its
 * macros expanded (stringise in a second step) TL_INOUT               __attribute__((annotate("tl_inout")))
 *   TL_CUSTOM_VJP(f, rule) extern const char tl__custom_vjp$f$rule
 *   TL_CUSTOM_JVP(f, rule) extern const char tl__custom_jvp$f$rule
 * cc reads f__grad__x__y: every "$$" and "$" is "__". */
typedef struct tl_request {
  const char *name;              /* "f__grad__x__grad__y" */
  const char *primal_name;       /* "f" */
  tl_function *primal;           /* NULL: never declared */
  TL_VEC(tl_request_step) steps; /* innermost first */
  tl_loc loc;                    /* the first place that names it */
  TL_VEC(tl_loc) uses;           /* every place that names it, the first included */
  TL_VEC(tl_request_call)
  calls;             /* of these the calls, where libclang has the arguments: not so before C23's prototypes
                        are learnt */
  tl_loc early;      /* a use within the #include that brings the primal's first declaration: it stands before the
                        place where a prototype can; line 0: none */
  tl_loc ahead;      /* a use in the main file that stands before the primal's first declaration; line 0: none */
  const char *clash; /* NULL, or another intrinsic's '$' name that comes to the same C name */
} tl_request;

typedef struct tl_parse_opts {
  const char *file; /* as the user spelled it */
  uint32_t arg_count;
  const char *const *args; /* cc's arguments that matter to a parse: -I -D -U -std -include -f... -m... */
  const char *prototypes;  /* NULL, or the prototypes of generated functions, in any layout, with '$' names:
                              each is read after the first declaration of its primal (second parse) */
  bool allow_any_clang;    /* --unsafe-allow-unsupported-clang */
} tl_parse_opts;

typedef struct tl_parse_result {
  tl_unit *unit;
  TL_VEC(tl_request) requests;
  bool maybe_syntax_errors; /* errors that a read with prototypes may not repeat: an intrinsic has no type yet */
  bool syntax_errors;       /* clang reported errors that are not about intrinsics: cc will say them itself.
                               A first parse that found requests says so of fatal errors only, because the
                               missing prototypes cause errors of their own. */
  bool doubtful; /* clang knows no such function, type, object or member: what is said of the code may follow from that,
                    and cc, which may know it, is to speak first */
  bool unknown_names;         /* of these those that cc will hardly know: no implicit declarations */
  const char *syntax_message; /* the first of them, and its place */
  tl_loc syntax_loc;
} tl_parse_result;

/* TL_OK even with syntax_errors; else errors are in the sink. */
tl_status tl_parse_file(tl_arena *, tl_diag *, const tl_parse_opts *, tl_parse_result *out_result);

/* Whether the C compiler reads the same functions as libclang did: `preprocessed` is what `cc -E` printed of the file
 * (with
 * __TLALOCC__ defined as for a compile, and line markers), `functions` are those of libclang's that get lowered. They,
 * the functions with a body that they use, and the types and constant objects of both are compared by meaning:
 * constants by value, names, operators, types; not spacing, parentheses or the arguments of assert's failure.
 * TL_FRONT_MISMATCH with the first difference of each function in the sink; else TL_OK. */
tl_status tl_front_compare(tl_arena *, tl_diag *, const tl_parse_opts *, const char *preprocessed, uint32_t count,
                           tl_function *const functions[]);

#endif
