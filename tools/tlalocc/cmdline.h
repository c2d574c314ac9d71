/* cc's command line, as far as a driver in front of cc has to understand it. */
#ifndef TLALOCC_CMDLINE_H
#define TLALOCC_CMDLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

typedef TL_VEC(const char *) tl_args;

typedef enum tl_cc_mode {
  TL_CC_LINK,
  TL_CC_COMPILE,      /* -c */
  TL_CC_ASSEMBLY,     /* -S */
  TL_CC_SYNTAX_ONLY,  /* -fsyntax-only */
  TL_CC_PREPROCESS,   /* -E */
  TL_CC_DEPENDENCIES, /* -M, -MM: nothing is compiled */
} tl_cc_mode;

typedef enum tl_arg_kind {
  TL_ARG_OTHER,
  TL_ARG_INPUT,
  TL_ARG_MODE,       /* -c, -S, -E, -fsyntax-only */
  TL_ARG_OUTPUT,     /* -o and its value */
  TL_ARG_DEPENDENCY, /* -MD and its kin with their values */
  TL_ARG_LANGUAGE,   /* -x and its value */
  TL_ARG_LINK,       /* -l, -L, -Wl,...: only the linker reads it */
  TL_ARG_REPORT,     /* what else is to be printed or written of a run: -dM, -ftime-trace */
} tl_arg_kind;

typedef struct tl_input {
  const char *path; /* as the user spelled it; "-" is standard input */
  bool is_c;        /* C that still needs its preprocessor: what tlalocc may translate */
  bool is_header;   /* a C header, to be precompiled or checked: cc alone reads it, with ours at hand */
  bool is_source;   /* any language that has #include, or a file that is no object whatever its name */
} tl_input;

typedef struct tl_include_dir {
  const char *path;
  bool quote_only; /* -iquote */
} tl_include_dir;

typedef struct tl_cmdline {
  /* cc's arguments: @files expanded, tlalocc's own options taken out. */
  tl_args args;
  TL_VEC(tl_arg_kind) kinds; /* of each of args */
  uint32_t options_end; /* index into args: behind it, after a "--", all are inputs; their count where there is none */
  bool had_response_file, had_own_options;
  TL_VEC(tl_input) inputs;
  tl_cc_mode mode;
  const char *output;                     /* -o */
  tl_args preprocess;                     /* the arguments among args that bear on reading C: -I -D -U -std -f -m ... */
  TL_VEC(tl_include_dir) include_dirs;    /* in the order in which cc searches them */
  tl_args forced_includes;                /* -include, -imacros */
  bool writes_dependencies;               /* -MD, -MMD, -Wp,-MD,... */
  tl_args dependency_files;               /* named by -MF or -Wp */
  bool dependencies_by_preprocessor;      /* -Wp,-MD,... */
  bool names_dependency_target;           /* -MT, -MQ */
  bool warnings_off, warnings_are_errors; /* -w, -Werror */
  bool debug;                             /* -g, -ggdb3, ... */
  bool shows_commands;                    /* -###: nothing is run */
  tl_args
      side_extensions; /* of texts beside the output that name the input: "i" of -save-temps, "su" of -fstack-usage */
  tl_args side_texts;  /* such texts by their paths: of -aux-info, -MJ */

  /* tlalocc's own */
  bool dump_source, dump_ir, no_strict_lowering, json, allow_any_clang, want_version, want_help, want_explanation;
  const char *dump_ir_pass; /* NULL: after the last pass */
  const char *dump_source_dir;
  const char *explain;    /* want_explanation: of this; NULL: of all that there are */
  const char *bad_option; /* one of tlalocc's own options with a value that it does not take */
  tl_args warnings;       /* -Wtl-..., -Wno-tl-..., -Werror=tl-..., -Wno-error=tl-..., in order */
} tl_cmdline;

void tl_cmdline_parse(tl_arena *, int argc, char **argv, tl_cmdline *out_cmdline);

/* "src/a.c" gives "src/" and "a.c"; "a.c" gives "" and "a.c". */
const char *tl_path_dir(tl_arena *, const char *path);
const char *tl_path_base(const char *path);
/* "a.b.c" gives "a.b". */
const char *tl_path_stem(tl_arena *, const char *path);

/* A backslash before each '"' and '\\': as it stands between the quotes of cc's line markers and of a response file. */
const char *tl_string_escape(tl_arena *, const char *);
/* The words of a response file, added to out_words: separated by white space; '...' and "..." quote, a backslash takes
 * the next character as it is. What is not closed ends with the text. */
void tl_words_split(tl_arena *, const char *text, tl_args *out_words);

#endif
