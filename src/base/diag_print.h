/* Diagnostics as text in cc's manner, with the source line and a caret, or as JSON, one object a line. */
#ifndef TL_BASE_DIAG_PRINT_H
#define TL_BASE_DIAG_PRINT_H

#include "base/diag.h"

typedef struct tl_diag_print_opts {
  bool json;
  const char *program; /* said before what has no file; NULL: tlalocc */
  /* The text of a line, without its end, or NULL where there is none; called with the context. */
  const char *(*source_line)(void *ctx, const char *file, uint32_t line);
  void *ctx;
} tl_diag_print_opts;

/* Items that repeat an earlier one, place and text, are printed once, their notes with them. */
void tl_diag_print(const tl_diag *, const tl_diag_print_opts *, FILE *);

/* The warning options of a command line, in order: -Wtl-x, -Wno-tl-x, -Werror=tl-x, -Wno-error=tl-x. */
typedef struct tl_warning_opts {
  uint32_t count;
  const char *const *options;
  bool all_off;    /* -w */
  bool all_errors; /* -Werror */
} tl_warning_opts;

/* Drops the warnings that are off and makes errors of those that the options say; their notes follow them. */
void tl_diag_apply_warning_options(tl_diag *, const tl_warning_opts *);

#endif
