/* What the files front_*.c of tlaloc-front share: one run over one file. */
#ifndef TLALOCC_FRONT_H
#define TLALOCC_FRONT_H

#include <stdio.h>

#include "base/diag_print.h"
#include "cmdline.h"
#include "front/check.h"
#include "front/lower.h"
#include "emit/c/emit_c.h"
#include "front/parse.h"
#include "front_protocol.h"
#include "ir/ir.h"
#include "transform/derive.h"

typedef struct front_opts {
  const char *file; /* as the user spelled it */
  const char *read; /* where its text lies */
  const char *out, *generated;
  const char *preprocessed; /* a path, or NULL */
  tl_args dump_source;      /* paths; "-" is standard output */
  bool debug;               /* -g */
  bool dump_ir, no_strict_lowering, json, allow_any_clang, warnings_off, warnings_are_errors;
  const char *dump_ir_pass;
  tl_args warnings;
  unsigned long long fail_allocation; /* for tests: which one fails; 0: none */
  tl_args cc_args;
} front_opts;

/* Derivatives asked for by one name in the file. */
typedef struct front_target {
  const tl_request *request;
  tl_func *func;       /* NULL where it was refused */
  const char *refusal; /* --no-strict-lowering: what the call prints before it aborts */
} front_target;

/* The lines of a file, for carets and comments. */
typedef struct front_source {
  const char *name;
  TL_VEC(const char *) lines;
} front_source;

/* The C of all targets and of what they call. */
typedef struct front_emitted {
  const char *helpers; /* #include lines, and functions that others call */
  const char *prototypes, *definitions;
} front_emitted;

typedef struct front {
  tl_arena *arena;
  FILE *messages; /* where diagnostics go */
  TL_VEC(front_source *) sources;
  const front_opts *opts;
  const char *text; /* of the user's file */
  size_t length;
  const char *preprocessed; /* what cc -E made of it, NULL where cc failed */
  tl_diag diag;
  tl_parse_result parse;
  tl_module *module;
  front_emitted bodies; /* of the targets, for the unit */
  TL_VEC(front_target) targets;
  TL_VEC(const char *) named;     /* every generated function that a read of the file met, a broken one included */
  TL_VEC(const char *) known;     /* requests whose prototypes were learnt, or that have none */
  const char *prototypes;         /* for a second read; NULL at the first */
  TL_VEC(const char *) resolving; /* outermost first: intrinsics being derived for a lowering */
} front;

#define FRONT_OUT_OF_MEMORY "tlalocc: error: an allocation failed [OUT_OF_MEMORY]\n"

/* front_run.c: the whole. Runs out of memory by way of the recovery point of base/alloc.h. */
tl_front_status front_run(front *);
const char *front_source_line(void *front, const char *file, uint32_t line);

/* front_targets.c: derives every request of f->parse into f->targets; errors are in f->diag. Parses again, with
 * prototypes, where code that is differentiated itself calls a generated function. */
tl_status front_derive_all(front *);
tl_parse_opts front_parse_opts(const front *);
/* "f__grad__x" for "f" and that step. */
const char *front_step_name(tl_arena *, const char *before, const tl_request_step *);

/* front_suggest.c: notes and fixes behind the last error in f->diag, where a near name exists. */
void front_suggest_parameter(front *, const tl_request *,
                             uint32_t first_item); /* does nothing but after NO_SUCH_PARAMETER */
void front_suggest_function(front *, const tl_request *);
/* The function's prototype on one line, under that name. */
const char *front_prototype(front *, const tl_func *, const char *name);
/* A note with the expected prototype for each CUSTOM_RULE_SIGNATURE from first_item on, where it can be had. */
void front_suggest_rules(front *, uint32_t first_item);
/* Errors from first_item on that stand at the intrinsic are said of every place that names it. */
void front_repeat_at_uses(front *, const tl_request *, uint32_t first_item);

/* front_walk.c: the functions that `function` calls, names or has as rules, however far, itself the first. */
typedef TL_VEC(const tl_function *) front_function_list;
typedef TL_VEC(const tl_expr *) front_expr_list;
void front_reach(front *, const tl_function *function, front_function_list *out_functions,
                 front_expr_list *out_intrinsics);

/* front_splice.c: the copy that cc reads, and the file of bodies that it includes. */
bool front_write_copy(front *);
bool front_write_syntax_copy(front *);
/* The same text for the unit and for the dump, in which the targets are external, but for `static`; in the unit their
 * prototypes are in the copy. */
void front_emit(front *, bool external, front_emitted *out_texts);

/* front_lines.c: writes the emitted text, which is to lie in opts->generated, with #line for debuggers; `dump` is the
 * text of a dump, which is to lie at `path`, or NULL. */
void front_write_with_lines(front *, const char *text, const char *dump, const char *path, FILE *);

/* front_notes.c: the function's prototype, `text`, with the parameters at the lines and columns of the primal's. */
void front_write_placed_prototype(front *, const tl_func *, const char *text, FILE *);

/* front_macros.c: #undef lines for the macros whose names are in the text; of_headers: for those of system headers that
 * stand for no function. */
void front_write_undefs(front *, const char *text, bool of_headers, FILE *);
bool front_is_macro(void *front, const char *name);

/* front_dump.c: a C file that stands alone. */
bool front_write_dump(front *, FILE *);
/* --dump-ir: all generated functions; --dump-ir=lower: the lowered primals; --dump-ir=PASS prints while deriving, after
 * each run of PASS. front_watch_pass is called before deriving; false where there is no such pass. */
bool front_watch_pass(front *);
void front_dump_ir(front *);

/* front_stub.c: under --no-strict-lowering, a function of the refused one's name that prints the refusal and aborts. */
void front_write_stub(const front *, const front_target *, FILE *);
void front_write_stub_declaration(const front_target *, FILE *);
/* Defines TL__ANY_ARGUMENTS, with which any call fits a function. C23 has no unprototyped functions, but takes "..."
 * alone; gcc 12 has it the other way in its C2x. */
void front_write_any_arguments(FILE *);

#endif
