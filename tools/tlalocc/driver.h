/* What the files of tlalocc share: one run of the driver. */
#ifndef TLALOCC_DRIVER_H
#define TLALOCC_DRIVER_H

#include "child.h"
#include "cmdline.h"
#include "rewrite.h"
#include "tlaloc/tlaloc.h"

typedef enum input_state { INPUT_AS_IS, INPUT_TRANSLATED, INPUT_SYNTAX, INPUT_FAILED } input_state;

typedef struct driver {
  tl_arena *arena;
  tl_cmdline cmdline;
  tl_args cc;              /* the compiler's own words: TLALOCC_CC, default cc */
  const char *launched;    /* tlalocc --tlaloc-launch CC ...: as a compiler launcher (CMake, ccache) is called */
  const char *bin_dir;     /* where this program lies, with a slash at its end */
  const char *include_dir; /* the folder that holds tlaloc/grad.h */
  const char *stdin_text;  /* standard input, once it is read */
  size_t stdin_length;
  input_state *states;  /* of each input */
  tl_renaming *names;   /* of each input that is translated */
  const char **objects; /* of each input that was compiled by itself, to be linked */
} driver;

typedef struct cc_plan {
  uint32_t drop;        /* a set of 1 << tl_arg_kind: arguments that are left out */
  const tl_input *only; /* NULL: all inputs */
  bool originals;       /* the user's files, not the copies */
  bool objects;         /* what was compiled of them */
  tl_args extra;        /* put behind the user's options */
} cc_plan;

/* What is left out where a run of cc is for its messages or its text alone. */
enum {
  NO_OUTPUT =
      1u << TL_ARG_MODE | 1u << TL_ARG_OUTPUT | 1u << TL_ARG_DEPENDENCY | 1u << TL_ARG_LINK | 1u << TL_ARG_REPORT
};

/* tlalocc.c */
void driver_complain(const driver *, tl_status, const char *file, const char *message, const char *note);
tl_args driver_cc_words(driver *, const cc_plan *); /* a command line of cc's */
int driver_cc_status(const tl_args *words, tl_child_result);
const char *driver_source_line(void *driver, const char *file, uint32_t line); /* for carets */

/* compile.c: cc on the inputs, those that are translated by their copies; what it writes beside the output is made to
 * name the user's files. */
int driver_compile(driver *);

#endif
