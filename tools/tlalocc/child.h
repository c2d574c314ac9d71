/* Child processes and temporary files: whatever ends the driver, a signal included, the temporaries go. */
#ifndef TLALOCC_CHILD_H
#define TLALOCC_CHILD_H

#include <stdio.h>

#include "cmdline.h"

/* A path in a private folder, which is made at the first call and removed at exit: tl_temp_file(a, 2, "x.c") is
 * DIR/2/x.c; the subfolder exists afterwards. NULL with errno set where the folder cannot be made. */
const char *tl_temp_file(tl_arena *, uint32_t subfolder, const char *name);
/* A file without a name in that folder, to be written and read; NULL with errno set where there can be none. */
FILE *tl_temp_open(tl_arena *);
/* Behind a NULL, before errno is set again: where the folder was to be, and why it is not. */
const char *tl_temp_complaint(tl_arena *);
void tl_temp_remove_all(void);

/* Signals that end the driver first end the running child and remove the temporaries. Call once, before the first
 * child. */
void tl_child_install_signal_handlers(void);
/* After one of them: removes the temporaries and ends this process by it. Children's ends and beginnings look by
 * themselves. */
void tl_child_end_if_told_to(void);

typedef struct tl_child_result {
  bool timed_out;
  int signal; /* that ended it, or 0 */
  int status; /* exit status; 127 where it could not be started (then start_error is errno) */
  int start_error;
} tl_child_result;

/* Runs argv and waits. Output and errors go to the given files where these are not NULL; limit in seconds, 0: none.
 * Where nobody reads our own output any more, and the child ends by SIGPIPE for that, so does this process. */
tl_child_result tl_child_run(tl_arena *, const tl_args *argv, FILE *out, FILE *err, unsigned limit);
/* What it prints, output and errors; NULL where that cannot be had. */
char *tl_child_words(tl_arena *, const tl_args *argv);

/* Does this name, looked up as exec would, start tlalocc, this one or another? */
bool tl_program_is_tlalocc(tl_arena *, const char *name);

/* The same program in the place of this one; returns errno where it cannot be started. */
int tl_child_exec(tl_arena *, const tl_args *argv);

#endif
