/* Where cc's output names the temporary copy, it is made to name the user's file. */
#ifndef TLALOCC_REWRITE_H
#define TLALOCC_REWRITE_H

#include <stdio.h>

#include "cmdline.h"

typedef struct tl_renaming {
  const char *temp_file;   /* DIR/0/a.c */
  const char *temp_folder; /* DIR/0/ */
  const char *user_file;   /* src/a.c; "<stdin>" */
  const char *user_folder; /* src/ */
  const char *generated;   /* DIR/0/a.grad.c: left out of dependency files */
} tl_renaming;

typedef TL_VEC(tl_renaming) tl_renamings;

/* A dependency file that names a temporary is written again; others, and files that do not exist, stay as they are. */
bool tl_rewrite_dependencies(tl_arena *, const char *path, const tl_renamings *);
/* Preprocessed text, in its line markers. */
bool tl_rewrite_preprocessed(tl_arena *, const char *text, size_t length, FILE *to, const tl_renamings *);

#endif
