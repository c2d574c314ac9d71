/* What tlalocc says of itself: its help, and the pages of docs/diagnostics, which are built in. */
#ifndef TLALOCC_EXPLAIN_H
#define TLALOCC_EXPLAIN_H

#include "cmdline.h"

/* Prints the page of a code ("NOT_SCALAR") or a warning ("tl-array-copy", "-Wtl-not-scalar"), or a list of them for
 * NULL; 1 and the nearest name on stderr where there is none of that name. */
int tl_explain(tl_arena *, const char *name);

/* Is each -Wtl-NAME, -Werror=tl-NAME and -Wno-error=tl-NAME about a warning that there is? A message on stderr where
 * one is not. A -Wno-tl-NAME may be about any, as with the compiler's own. */
bool tl_explain_knows_warnings(tl_arena *, const tl_args *options);

/* tlalocc's own options. */
void tl_explain_options(void);

/* To standard output, at last; false and a message on stderr where it cannot be written. */
bool tl_explain_flush(void);

#endif
