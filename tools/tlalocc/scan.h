/* Whether a C file asks for tlalocc at all: a textual scan for <tlaloc/grad.h>, <tlaloc/tensor.h> and its parts, in
 * the file and in the headers that it includes. It evaluates no conditions, so it may say yes where the preprocessor
 * would say no; the front then finds nothing of ours and the file goes to cc as it is. Headers that only cc's built-in
 * directories hold are not opened. */
#ifndef TLALOCC_SCAN_H
#define TLALOCC_SCAN_H

#include "cmdline.h"

typedef struct tl_scan {
  tl_arena *arena;
  const tl_cmdline *cmdline;
  struct tl_scan_seen {
    unsigned long long device, inode;
  } *seen; /* an open-addressing table of the files read so far */
  uint32_t seen_count, seen_room;
} tl_scan;

/* A file that cannot be read asks for nothing: cc reports it. */
bool tl_scan_file(tl_scan *, const char *path);
bool tl_scan_text(tl_scan *, const char *text, size_t length, const char *dir);
bool tl_scan_forced_includes(tl_scan *);

#endif
